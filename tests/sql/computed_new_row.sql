-- Stored computed columns are computed of the row as it is stored: of an identity, a row version, a default that is another each time, a value padded
-- and converted to its column's type; in every statement that makes rows.
-- https://learn.microsoft.com/sql/relational-databases/tables/specify-computed-columns-in-a-table
create table p(a int identity(10, 5) constraint pk_p primary key, b int null, c as a * 2 persisted, d as 'N' + cast(a as varchar(9)) persisted, e as isnull(b, 0) + a,
    f as isnull(cast(a as varchar(9)), 'none') persisted, g as case when b is null then a end persisted, index by_e (e));
insert p(b) values (1), (null);
insert p default values;
insert p(b) select value from generate_series(7, 8);
insert p(b) output inserted.a, inserted.c, inserted.d, inserted.e values (3);
merge p using (values (9)) as s(b) on p.b = s.b when not matched then insert (b) values (s.b) output $action, inserted.a, inserted.c, inserted.g;
set identity_insert p on;
insert p(a, b) values (1000, 4);
set identity_insert p off;
select * from p order by a;
select a from p with (index (by_e)) where e = 1004;
update p set b = null where a = 10;
select a, c, e, g from p where a = 10;
go
declare @t table(a int identity, b int, c as a + b persisted);
insert @t(b) values (5), (6);
insert p(b) output inserted.b into @t(b) values (20);
select * from @t;
go
create sequence s start with 1;
create table q(id uniqueidentifier not null default newid(), t as cast(id as varchar(36)) persisted, n int default next value for s, m as n * 2 persisted, k int);
insert q(k) values (1), (2), (3);
select count(*) as rows, count(case when cast(id as varchar(36)) = t then 1 end) as same, sum(n) as n, sum(m) as m from q;
create table r(v rowversion, b as cast(v as bigint) + 0, c as cast(v as binary(8)) persisted, k int);
insert r(k) values (1), (2);
update r set k = 3 where k = 1;
select count(*) as rows, count(case when cast(v as binary(8)) = c then 1 end) as same from r;
create table z(c char(5) not null, v varchar(10) null, d decimal(5, 1) null, x as c + '|' + v persisted, y as d * 10 persisted);
insert z values ('ab', 'q', 1.25), ('abcde', null, 7);
select * from z;
insert z(c, v) values ('abcdef', 'q');
create table w(a int not null, b as nullif(a, 3) persisted not null);
insert w values (1);
insert w values (3);
select * from w;
go
create table mo(id int identity primary key nonclustered, v int not null, w as id * 10 + v persisted) with (memory_optimized = on);
insert mo(v) values (1), (2);
select * from mo order by id;
go
create procedure add_mo @v int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    insert dbo.mo(v) values (@v);
end;
go
exec add_mo 3;
select * from mo order by id;
go
