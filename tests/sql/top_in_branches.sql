-- In a subquery, a view and a function each SELECT with TOP may have its own ORDER BY, between the operands of UNION too.
-- https://learn.microsoft.com/sql/t-sql/queries/select-transact-sql, https://learn.microsoft.com/sql/t-sql/queries/top-transact-sql
create table t (a int, b int);
insert t values (1, 30), (2, 20), (3, 10), (4, 40);
go
select x.a from (select top (1) a from t order by b desc union select top (2) a from t order by b union all select 9) x order by x.a;
select x.a from (select top (2) a from t order by a intersect select top (3) a from t order by b) x order by x.a;
select (select count(*) from (select top 1 a from t order by b union all select top 1 a from t order by b) y) as n;
with c as (select top (1) a from t order by b except select 1) select * from c;
go
create view v as select top 100 percent a, b from t where a < 3 union all select top 100 percent a, b from t where a > 2 order by b;
go
select * from v order by a;
go
create function f() returns table as return (select top (1) a from t order by b union all select top (1) a from t order by b desc);
go
select * from f() order by a;
go
-- Without TOP there is nothing that an order would decide.
select * from (select a from t order by a union select a from t) x;
go
select * from (select a from t union select a from t order by a) x;
go
-- Of a statement, the order is that of the whole.
select top (1) a from t union all select top (2) a from t order by a desc;
go
select top (1) a from t order by a union all select a from t;
go
-- A constant without a point is a number of rows, however great.
select top (9223372036854775807) a from t order by a;
select top (2147483648) a from t order by a;
select a from t order by a offset 0 rows fetch next 9223372036854775807 rows only;
go
select top (5.0) a from t;
go
select top (9223372036854775808) a from t;
go
declare @n numeric(10) = 2; select top (@n) a from t;
go
drop function f; drop view v; drop table t;
go
-- EXISTS wants no column, so * needs no FROM there: https://learn.microsoft.com/sql/t-sql/language-elements/exists-transact-sql
if exists (select * where 1 = 1) select 1 as a;
if not exists (select * where 1 = 2) select 2 as a;
select x from (values (1), (2)) v(x) where exists (select * where x = 2);
go
select * where 1 = 1;
go
if exists (select t.* where 1 = 1) select 1 as a;
go
-- TOP of a subquery may name columns of the query around it: https://learn.microsoft.com/sql/t-sql/queries/top-transact-sql
create table n (k int, many int);
insert n values (1, 2), (2, 0), (3, 3);
go
select n.k, x.v from n cross apply (select top (n.many) v from (values (10), (30), (20)) y(v) order by v) x order by n.k, x.v;
select n.k, x.v from n cross apply (select top (case when n.many > 2 then 1 else n.many end) 7 as v from (values (1), (2), (3)) y(v)) x order by n.k;
select n.k, (select count(*) from (select top (n.many) percent v from (values (10), (30), (20)) y(v)) x) as c from n order by n.k;
go
select top (k) k from n;
go
select n.k from n cross apply (select v from (values (1), (2)) y(v) order by v offset n.k rows) x;
go
drop table n;
go
