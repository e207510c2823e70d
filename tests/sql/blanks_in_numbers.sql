-- What may stand around a number that is text, by the type that it becomes; what is told of a value that does not fit.
-- https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql, https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (220, 232, 237, 295, 8115)
select try_cast(char(9) + '1' as int) as a, try_cast('1' + char(10) as int) as b, try_cast(char(13) + '1' as bigint) as c, try_cast(nchar(160) + N'1' as int) as d, try_cast(char(9) + '1.5' as decimal(5,1)) as e, try_cast('1' + char(9) as bit) as f, try_cast('1.5' + char(9) as float) as g
GO
select try_cast(' 1 ' as int) as a, try_cast(' 1.5 ' as decimal(5,1)) as b, try_cast(char(9) + char(10) + '1.5' as float) as c, try_cast('1.5' + char(9) as money) as d, try_cast('  ' as float) as e, try_cast('1d2' as float) as f
GO
select cast('+' as int) as a, cast('-' as int) as b, cast('' as int) as c, cast('-' as bigint) as d, cast(',' as money) as e
GO
select cast(char(9) + '1' as int)
GO
select cast(char(9) + '1.5' as decimal(5, 1))
GO
select cast('x' as smalldatetime)
GO
select cast('13/13/2024' as smalldatetime)
GO
declare @d decimal(20,0) = 3000000000; select cast(@d as int)
GO
declare @i int = 70000; select cast(@i as smallint)
GO
declare @i int = 300; select cast(@i as tinyint)
GO
declare @m money = 5000000000; select cast(@m as int)
GO
declare @m money = 70000; select cast(@m as smallint)
GO
declare @m money = 300; select cast(@m as tinyint)
GO
declare @f float = 300; select cast(@f as tinyint)
GO
declare @f float = 70000; select cast(@f as smallint)
GO
declare @f float = 3e9; select cast(@f as int)
GO
select try_cast(char(9) + '2024-01-02' as datetime) as a, try_cast(' 2024-01-02 ' as datetime) as b, try_cast(char(9) + '2024-01-02' as date) as c, try_cast(char(10) + '2024-01-02' as date) as d
GO
select convert(varchar(30), cast('2024-01-02' as date), 8)
GO
select convert(varchar(30), cast('03:04:05' as time), 1)
GO
select convert(varchar(30), cast('2024-01-02' as date), 14)
GO
