-- Rows are deleted through a CTE or derived table whose columns are all computed: https://learn.microsoft.com/sql/t-sql/statements/delete-transact-sql
create table twice (a int, b int);
insert twice values (1, 1), (1, 2), (2, 1), (3, 1), (3, 1), (3, 1);
create table other (a int);
insert other values (1), (2);
go
with numbered as (select row_number() over (partition by a order by b) as n from twice) delete numbered where n > 1;
select a, b from twice order by a;
insert twice values (1, 5), (2, 5);
delete d from (select row_number() over (partition by a order by b) as n from twice) d where n > 1;
select a, b from twice order by a;
with d as (select top (1) 1 as one from twice order by a desc) delete from d output deleted.one;
select a, b from twice order by a;
go
create view counted as select a + b as s from twice;
go
delete counted where s = 2;
select a, b from twice order by a;
go
with d as (select x.a + y.a as s from twice x join other y on x.a = y.a) delete d;
go
with d as (select a + b as s from twice) update d set s = 1;
go
with d as (select count(*) as n from twice) delete d;
go
