-- What IN names is a value of PIVOT's column: one that no session reads as a date is refused, before a row is looked at (8114, 473).
-- https://learn.microsoft.com/sql/t-sql/queries/from-using-pivot-and-unpivot
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-0-to-999
create table sold (d date, at datetime2(0), n int);
insert sold values ('2020-01-01', '2020-01-01T10:00:00', 1), ('2020-01-01', '2020-01-01T11:00:00', 2), ('2021-06-05', '2021-06-05T00:00:00', 4);
go
select * from (select d, n from sold) s pivot (sum(n) for d in ([2020-01-01], [20210605])) p;
go
select * from (select at, n from sold) s pivot (count(n) for at in ([2020-01-01 10:00], [2021-06-05])) p;
go
-- How a date is written is the session's.
set dateformat dmy;
select * from (select d, n from sold) s pivot (sum(n) for d in ([05/06/2021], [5 jun 2021])) p;
set dateformat mdy;
go
select * from (select d, n from sold) s pivot (sum(n) for d in ([2020-01-01], [x])) p;
go
select * from (select d, n from sold where 1 = 0) s pivot (sum(n) for d in ([2020-02-30])) p;
