-- NULL as it is written has no type, so nothing is summed of it; a NULL that a parameter or a conversion gave its type has one. STRING_AGG's separator.
-- https://learn.microsoft.com/sql/t-sql/functions/string-agg-transact-sql
select count(y) as c, max(y) as m from (values (1, null), (2, 5)) v(x, y);
select count(z) as c from (select y + 1 as z from (select null) a(y)) b;
select count(cast(null as int)) as c;
go
select string_agg(cast('a' as varchar(3)), N',');
go
select string_agg('a', 1);
go
select string_agg(s, s) from (values ('a')) v(s);
go
declare @s varchar(2) = ';';
select string_agg(s, @s) as a, string_agg(s, ',' + ',') as b, string_agg(s, null) as c, string_agg(n, N'|') as d from (values ('a', 1), ('b', 2)) v(s, n);
go
create function summed(@a int, @s varchar(5)) returns table as return select sum(@a) as s, count(@a) as c, checksum(@a) as k, substring(@s, 1, 1) as t, patindex('%a%', @s) as p;
go
select * from summed(null, null);
select sum(-cast(null as int)) as a, sum(nullif(1, 1)) as b, sum(isnull(null, cast(null as int))) as c, sum(x) as d from (select cast(null as int) as x) v;
go
