-- A pattern that is no constant is compiled when it is another than for the row before.
-- https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql
create table t(id int primary key, s varchar(40) null, p varchar(20) null, e char(1) null);
insert t values (1, 'Special Requests', '%special%', '!'), (2, 'special requests', '%SPECIAL%', '!'), (3, 'none', '%special%', null), (4, '50% off', '50!%%', '!'),
    (5, '50% off', '50!%%', '#'), (6, null, '%', '!'), (7, 'x', null, '!'), (8, 'a-b', 'a-_', '!'), (9, 'a-b', 'a-_', '-'), (10, 'last', 'l[a-c]s%', '!');
go
select id, case when s like p then 1 when s not like p then 0 end as plain, case when s like p escape e then 1 when s not like p escape e then 0 end as escaped from t order by id;
declare @p nvarchar(30) = N'%s%', @found varchar(100) = '', @n int = 0;
while @n < 4
begin
    select @found += concat(count(*), ' ') from t where s like @p;
    select @p = choose(@n + 1, N'%off', N'_', N'%Requests'), @n += 1;
end;
select @found as found;
select id from t where s like p escape case when id < 10 then '!' else '!!' end;
select 'after';
go
-- Letters that are one under the collation, and those that are not; the first of a needle at every place.
select count(*) from (values ('xxxSxxsxxSPecial'), ('special'), ('sspecial'), ('speciax'), ('xspecia'), (replicate('s', 3000) + 'SPECIAL'), (N'spécial')) as v(s) where s like '%special%';
select charindex('CIAL', N'spe' + nchar(0x301) + N'cial'), charindex('e', N'spe' + nchar(0x301) + N'cial'), charindex('e' collate Latin1_General_CI_AI, N'spe' + nchar(0x301) + N'cial'),
    charindex('i' collate Turkish_CI_AS, 'xI' + 'I'), charindex(N'ı' collate Turkish_CI_AS, N'xiI'), charindex('B' collate Latin1_General_BIN2, 'abBb'), patindex('%[^a]b%', 'aab b');
go
