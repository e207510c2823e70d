-- What a derived table, CTE or join keeps out is not asked what would fail of it: https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql
create table facts (kind int, said varchar(10), line int);
insert facts values (1, 'x', 1), (2, '7', 2), (2, '8', 3);
go
select * from (select distinct kind, said from facts where kind = 2) q where convert(int, said) > 7;
select * from (select kind, said, count(*) as n from facts where kind = 2 group by kind, said) q where convert(int, said) > 7;
select * from (select kind, said from facts where kind = 2 union all select line, said from facts where kind = 2) q where convert(int, said) > 7 order by kind;
select * from (select kind, said from facts where kind = 2 union select line, said from facts where kind = 2) q where convert(int, said) > 7 order by kind;
select * from (select kind, said from facts where kind = 2 intersect select kind, said from facts where kind = 2) q where convert(int, said) > 7;
select * from (select kind, said, row_number() over (partition by said order by line) as place from facts where kind = 2) q where convert(int, said) > 7;
select * from (select kind, convert(int, said) as number from facts where kind = 2) q where number > 7;
select * from (select distinct kind, convert(int, said) as number from facts where kind = 2) q where number > 7;
select * from (select a.kind, a.said from facts a join facts b on a.line = b.line and a.kind = 2) q where convert(int, said) > 7;
go
with numbers as (select distinct said from facts where said not like '%[^0-9]%') select * from numbers where cast(said as int) between 7 and 9 order by said;
with tested as (select distinct said from facts where isnumeric(said) = 1) select * from tested where cast(said as int) = 8;
go
-- Within one WHERE, what cannot fail is asked first, wherever it stands.
select said from facts where convert(int, said) > 7 and kind = 2;
select a.said from facts a join facts b on a.line = b.line and convert(int, a.said) > 7 where b.kind = 2 and a.kind = 2;
go
create view told as select distinct kind, said from facts where kind = 2;
go
select * from told where convert(int, said) > 7;
go
