-- What PIVOT and UNPIVOT take, and that columns which they make must have names of their own.
-- https://learn.microsoft.com/sql/t-sql/queries/from-using-pivot-and-unpivot
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-0-to-999
create table s(y int, q char(2), amount money);
insert s values (2020, 'Q1', 10), (2020, 'Q2', 20), (2021, 'Q1', 5);
go
select * from s pivot (count(*) for q in ([Q1], [Q2])) p;
go
select * from s pivot (sum(amount * 2) for q in ([Q1])) p;
go
select * from s pivot (sum(amount), count(amount) for q in ([Q1])) p;
go
select * from s pivot (sum(amount) for q in ([Q1], [Q2], [q1])) p;
go
select * from (select y, q, amount, 1 as Q2 from s) d pivot (sum(amount) for q in ([Q1], [Q2])) p;
go
select * from (select 1 as a, 2 as b, 3 as v) d unpivot (v for n in (a, b)) u;
go
select * from (select 1 as a, null as b) d unpivot (v for n in (a, b)) u;
go
select * from (select 1 as v, 2 as b) d unpivot (v for n in (v, b)) u;
-- No warning of NULLs: there are always some.
select * from s pivot (sum(amount) for q in ([Q1], [Q2])) p order by y;
go
-- All columns are used up: one row, but none of none.
select * from (select q, amount from s) d pivot (sum(amount) for q in ([Q1], [Q2])) p;
select * from (select q, amount from s where y = 0) d pivot (sum(amount) for q in ([Q1], [Q2])) p;
select count(*) as n from (select q, amount from s where y = 0) d pivot (count(amount) for q in ([Q1])) p;
go
-- What is not there, what is named as something that is no aggregate, and values that are none of the column's type.
select * from s pivot (sum(nothing) for q in ([Q1])) p;
go
select * from s pivot (sum(amount) for nothing in ([Q1])) p;
go
select * from s pivot (upper(amount) for q in ([Q1])) p;
go
select * from s pivot (foo(amount) for q in ([Q1])) p;
go
select * from s pivot (sum(amount) for y in ([2020], [x])) p;
go
select * from (select 1 as a, 2 as b) d unpivot (v for v in (a, b)) u;
go
