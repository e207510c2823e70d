-- SET NUMERIC_ROUNDABORT ON: an exact number that would lose digits behind its point is an error (with ARITHABORT), or NULL and a
-- message (without ARITHABORT and ANSI_WARNINGS). learn.microsoft.com/sql/t-sql/statements/set-numeric-roundabort-transact-sql
set nocount on;
create table t (id int primary key, d decimal(6, 2), m money);
go
set numeric_roundabort on;
select @@options & 8192 as on_;
go
-- The page's example.
declare @result decimal(5, 2), @a decimal(5, 4) = 1.1234, @b decimal(5, 4) = 1.1234;
select @result = @a + @b;
select @result as result;
go
-- What loses nothing is stored; what would, is not: by INSERT, UPDATE, CAST, a parameter, money.
insert t values (1, 1234.560, 1.2345);
insert t values (2, 1234.567, 1);
insert t values (3, 1, cast(1.23456 as decimal(9, 5)));
update t set d = d + cast(0.001 as decimal(9, 3)) where id = 1;
select * from t;
select cast(cast(1.50 as decimal(5, 2)) as decimal(5, 1)) as exact;
select cast(cast(1.55 as decimal(5, 2)) as decimal(5, 1)) as rounded;
select try_cast(cast(1.55 as decimal(5, 2)) as decimal(5, 1)) as tried;
exec sp_executesql N'select @p as p', N'@p decimal(5, 1)', @p = 1.25;
-- Decimals become integers by cutting, floats are approximate, quotients are rounded.
select cast(cast(1.55 as decimal(5, 2)) as int) as cut, cast(1.55e0 as decimal(5, 1)) as approximate, cast(1 as decimal(5, 2)) / 3 as quotient;
go
-- Products and sums of which the result type keeps fewer digits.
declare @a decimal(38, 20) = 1.00000000000000000001, @b decimal(38, 20) = 2.5;
select @a * @b as product;
go
declare @a decimal(38, 20) = 1.5, @b decimal(38, 20) = 2.5;
select @a * @b as product;
go
declare @a decimal(38, 30) = 0.000000000000000000000000000001, @b decimal(38, 2) = 1;
select @a + @b as sum_;
go
-- In a TRY, and the statement's other rows.
begin try
  update t set d = d * cast(1.111 as decimal(5, 3));
end try
begin catch
  select error_number() as number, error_state() as state, error_message() as message, xact_state() as state_;
end catch;
go
set arithabort off;
set ansi_warnings off;
go
declare @result decimal(5, 2), @a decimal(5, 4) = 1.1234, @b decimal(5, 4) = 1.1234;
select @result = @a + @b;
select @result as result;
select cast(cast(1.55 as decimal(5, 2)) as decimal(5, 1)) as rounded;
go
set ansi_warnings on;
set arithabort on;
-- An index on a computed column or with a filter asks for OFF.
create table f (a int, b int);
go
set numeric_roundabort off;
create index i on f (a) where b > 1;
set numeric_roundabort on;
insert f values (1, 2);
go
set numeric_roundabort off;
insert f values (1, 2);
-- OFF again: rounded.
update t set d = 1234.567 where id = 1;
select * from t;
select cast(cast(1.55 as decimal(5, 2)) as decimal(5, 1)) as rounded;
go
drop table t, f;
go
