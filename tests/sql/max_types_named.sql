-- The types without a limit are named with it where an operation refuses them.
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (206, 257, 402, 529, 8116, 8117)
create table mx(a varchar(max), b varbinary(max), n nvarchar(max), x xml)
GO
declare @v varbinary(max) = 'abc'
GO
insert mx(b) select a from mx
GO
select sum(a) from mx
GO
select a - 1 from mx
GO
select a + b from mx
GO
select a - n from mx
GO
select cast(b as date) from mx
GO
select cast(a as sql_variant) from mx
GO
select cast(n as sql_variant) from mx
GO
declare @v sql_variant = cast('x' as varchar(max))
GO
select abs(b) from mx
GO
select a & 1 from mx
GO
select checksum_agg(a) from mx
GO
select ~a from mx
GO
select stdev(n) from mx
GO
select string_agg(b, ',') from mx
GO
select cast(a as int), cast(a as numeric(5, 1)) from (values (cast('x' as varchar(max)))) v(a)
GO
select cast(a as numeric(5, 1)) from (values (cast('x' as varchar(max)))) v(a)
GO
