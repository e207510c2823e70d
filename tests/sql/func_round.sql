-- The ODBC function TRUNCATE cuts digits off: https://learn.microsoft.com/sql/t-sql/functions/odbc-scalar-functions-transact-sql
select {fn truncate(3.149, 2)} as decimal, {fn truncate(-3.149, 2)} as negative, {fn truncate(3.149e0, 2)} as float, {fn truncate($3.1499, 2)} as money, {fn truncate(1999, -3)} as int, {fn truncate(null, 2)} as none, {fn TRUNCATE(cast(2.9 as real), 0)} as real;
declare @digits int = 1;
select {fn truncate(2.58, @digits)} as variable, {fn round(2.58, @digits)} as rounded, round(2.58, @digits) as t_sql;
go
