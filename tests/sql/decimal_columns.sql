-- Arithmetic and sums of decimals over many rows, with NULLs and without, and what fails in one of them.
-- https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
create table d(id int primary key, a decimal(15, 2) not null, b decimal(15, 2) null, c decimal(38, 10) not null, z decimal(5, 0) not null);
insert d select value, value * 1.25 - 700, case when value % 10 = 3 then null else value / 7.0 end, 12345678901234567890123456.5 - value, value % 400 from generate_series(1, 3000);
go
select count(*) as rows, sum(a * (1 - b)) as one, sum(a * (1 - b) * (1 + a)) as two, sum(c - a) as three, sum(a + c) as four, sum(-a * 3) as five, avg(a) as mean from d;
select count(*), sum(a * (1 - a / 100)), min(a * a), max(a * a - c) from d where a * 2 > 1000 and c - a < 12345678901234567890123456;
-- By itself each row gives the same.
select count(*) from d as d cross apply (select d.a * (1 - d.b) * (1 + d.a) as x, isnull(d.a, 0) * (1 - isnull(d.b, d.b)) * (1 + isnull(d.a, 0)) as y) as v where x <> y or x is null and y is not null;
go
select id, a / z as q from d where id < 400 and id > 397 order by id;
select sum(a / z) from d;
select sum(a / z) from d where z <> 0;
select sum(c * 1000) from d;
set arithabort off; set ansi_warnings off;
select count(a / z) as computed, count(*) as rows from d;
set ansi_warnings on; set arithabort on;
set numeric_roundabort on;
select sum(cast(a * c as decimal(38, 2))) from d where id < 3;
set numeric_roundabort off;
select sum(c * c) from d;
declare @sum decimal(38, 0) = 0;
select sum(x) from (select cast(99999999999999999999999999999999999999 as decimal(38, 0)) as x from d where id < 4) as v;
go
