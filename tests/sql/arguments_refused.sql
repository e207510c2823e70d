-- Types that an argument of a function does not take, each with its own message.
-- https://learn.microsoft.com/sql/t-sql/functions/functions, https://learn.microsoft.com/sql/t-sql/data-types/data-type-conversion-database-engine, https://learn.microsoft.com/sql/t-sql/functions/string-agg-transact-sql
select concat(cast('<a/>' as xml), 'a')
GO
select concat(N'a', cast(1 as sql_variant))
GO
select concat_ws(',', cast('<a/>' as xml), 'b')
GO
select concat(cast(0x41 as image), 'a')
GO
select substring('abcdef', cast(2 as money), 2)
GO
select substring('abcdef', 2, '2')
GO
select stuff('abcdef', 1e0, 1, 'X')
GO
select stuff('abcdef', 2, cast(1 as bit), 'X')
GO
select charindex('b', 'abcb', getdate())
GO
select str(12.345, 2.5)
GO
select str(12.345, 8, cast(2 as money))
GO
select round(12.345, cast(1 as bit))
GO
select round(12.345, 1, cast(null as varchar(5)))
GO
select substring('abcdef', 2.5, 2) as a, stuff('abcdef', cast(2 as bigint), 1, 'X') as b, charindex('b', 'abcb', 3.0) as c, round(12.345, 2.7) as d
GO
select parsename(cast('<a/>' as xml), 1)
GO
select parsename('a.b', cast('<a/>' as xml))
GO
select object_id(cast('<a/>' as xml))
GO
select filegroup_name(cast('<a/>' as xml))
GO
select objectproperty(1, cast(1 as sql_variant))
GO
select serverproperty(cast(1 as sql_variant))
GO
select current_timestamp()
GO
select error_procedure(*)
GO
select left('abc', -1)
GO
select right('abc', -1)
GO
select substring('abc', 1, -1)
GO
declare @i int = -1; select left('abc', @i)
GO
declare @i int = -1; select right('abc', @i)
GO
declare @i int = -1; select substring('abc', 1, @i)
GO
create table sa (s varchar(10), n nvarchar(10), i int, b varbinary(5), t text); insert sa (s, n, i) values ('a', N'x', 1), ('b', N'y', 2)
GO
select string_agg(s, n) from sa
GO
select string_agg(s, N',') from sa
GO
select string_agg(b, ',') from sa
GO
select string_agg(t, ',') from sa
GO
select string_agg(s, ',') from sa group by rollup(i)
GO
select string_agg(s, ',' + ',') as a, string_agg(s, (',')) as b, string_agg(s, null) as c, string_agg(n, ',') as d, string_agg(i, N',') as e from sa
GO
select count_big(null) from sa
GO
select checksum_agg(null) from sa
GO
select checksum_agg(cast(1 as bigint)) from sa
GO
select checksum_agg(s) from sa
GO
select max(y) from (values (1, null)) v(x, y)
GO
select count(y) from (select y from (select null) a(y)) b
GO
with c(y) as (select null) select avg(y) from c
GO
select sum(y) over () from (values (1, null)) v(x, y)
GO
select string_agg(y, ',') from (values (1, null)) v(x, y)
GO
select max(y) as a, count(*) as b from (select null y union all select 1) v
GO
select count(y) as a from (values (1, null), (2, 5)) v(x, y)
GO
select * from (select i, s from sa) p pivot (sum(i) for i in ([abc])) q
GO
select * from (select i, s from sa) p unpivot (v for k in (i, i)) q
GO
