-- APPLY: what the right side takes from the left is a column of the applied result, NULL where nothing matched.
-- https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql: OUTER APPLY gives "NULL values in the columns that are
-- produced by the table-valued function".
create table t (a int, b int);
create table keyed (k int primary key, v varchar(10));
insert t values (1, 10), (2, 20);
insert keyed values (1, 'one'), (3, 'three');
go
create function rows_of (@p int) returns table as return select @p as k from keyed where k = @p;
go
-- Where something matched, and where nothing did.
select r.a, p.k from t r outer apply (select r.b from t x where x.a = r.a + 1) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select r.b + 1 from t x where x.a = r.a + 1) as p(k) order by r.a;
select r.a, p.k, p.n from t r outer apply (select r.b, r.a from t x where 1 = 0) as p(k, n) order by r.a;
select r.a, p.k from t r outer apply (select r.b where r.a = 2) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select top (1) r.b from t x where x.a > r.a) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select top (1) r.b from t x where x.a > r.a order by r.a, x.b desc) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select distinct r.b from t x where x.a > r.a) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select r.b from keyed x where x.k = r.a) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select r.b from t x where x.a > r.a union all select r.a from t x where 1 = 0) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select r.b from t x where x.a > r.a except select r.a) as p(k) order by r.a;
select r.a, p.k from t r outer apply (select k from (select r.b as k) q where r.a = 1) as p order by r.a;
select r.a, p.k, p.c from t r outer apply (select r.b, count(*) from t x where x.a > r.a group by x.a) as p(k, c) order by r.a;
select r.a, p.k, p.c from t r outer apply (select r.b, count(*) from t x where x.a > r.a) as p(k, c) order by r.a;
select r.a, p.k, p.n from t r outer apply (select r.b, row_number() over (partition by r.a order by x.a) from t x where x.a > r.a) as p(k, n) order by r.a;
select r.a, p.k from t r outer apply (select v from (values (r.b)) w(v) where r.a = 2) as p(k) order by r.a;
select r.a, p.k from t r outer apply rows_of(r.a) p order by r.a;
select r.a, p.k, q.k from t r outer apply (select r.b from t x where x.a > r.a) as p(k) outer apply (select p.k where p.k > 0) as q(k) order by r.a;
select r.a, p.k from t r outer apply (select q.k from t x outer apply (select r.b from t y where y.a = x.a + 1) as q(k)) as p order by r.a, p.k;
go
-- A condition on it sees the NULL.
select r.a from t r outer apply (select r.b from t x where x.a = r.a + 1) as p(k) where p.k is null;
select r.a from t r outer apply (select r.b from t x where x.a = r.a + 1) as p(k) where p.k = 10;
select count(*), count(p.k), sum(p.k), max(p.k) from t r outer apply (select r.b from t x where x.a = r.a + 1) as p(k);
select p.k, count(*) from t r outer apply (select r.b from t x where x.a = r.a + 1) as p(k) group by p.k order by p.k;
select r.a, (select count(*) from t y left join (select r.a as k from t x where 1 = 0) d on 1 = 1 where d.k is null) from t r order by r.a;
select r.a, (select max(d.k) from t y left join (select r.a as k from t x where x.a = 2) d on y.a = 2) from t r order by r.a;
go
-- DISTINCT, groups and set operations of what comes from outside alone.
select p.k from t r cross apply (select distinct r.a from t x) as p(k) order by p.k;
select p.k, p.l from t r cross apply (select distinct r.a, r.b from t x) as p(k, l) order by p.k;
select p.k, p.l from t r outer apply (select distinct r.a, r.a from t x) as p(k, l) order by p.k;
select p.k from t r cross apply (select distinct top (1) r.a from t x order by 1) as p(k) order by p.k;
select p.k from t r outer apply (select distinct top (1) with ties r.a from t x order by r.a) as p(k) order by p.k;
select p.k, p.l from t r cross apply (select distinct r.a, x.b from t x) as p(k, l) order by p.k, p.l;
select p.k from t r cross apply (select r.a union select r.b) as p(k) order by p.k;
select p.k from t r cross apply (select r.a intersect select r.a) as p(k) order by p.k;
select p.k from t r cross apply (select r.a from t x group by x.a) as p(k) order by p.k;
select p.k from t r cross apply (select r.a from t x order by r.a, x.a offset 1 row) as p(k) order by p.k;
select r.a from t r where r.b in (select distinct r.b from t x) and exists (select distinct r.a from t x) order by r.a;
select r.a, (select distinct r.b from t x) from t r order by r.a;
select r.a, stuff((select distinct ',' + cast(r.a as varchar(3)) from t x for xml path('')), 1, 1, '') from t r order by r.a;
go
-- A modification by way of it.
update r set b = p.k from t r outer apply (select r.a from t x where x.a = r.a + 1) as p(k);
select a, b from t order by a;
delete r from t r outer apply (select r.a from t x where x.a = r.a + 1) as p(k) where p.k is null;
select a, b from t order by a;
