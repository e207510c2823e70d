-- SELECT INTO: which new column inherits IDENTITY.
-- https://learn.microsoft.com/sql/t-sql/queries/select-into-clause-transact-sql, "Limitations and restrictions"
create table t (id int identity(10, 5) primary key, v int null);
create table u (id int identity(1, 1) primary key, t_id int null);
insert t (v) values (1), (2);
insert u (t_id) values (10), (15);
go
create view one as select id, v from t;
go
create view expression as select id + 0 as id from t;
go
create view joined as select t.id, u.t_id from t join u on u.t_id = t.id;
go
create function of_t () returns table as return select id, v from t;
go
-- It does.
select id into a1 from t;
select * into a2 from t;
select v, id as other into a3 from t where 1 = 0;
select top (1) id into a4 from t order by v desc;
select id, count(*) over () as n into a5 from t;
select id into a6 from one;
select d.id into a7 from (select id from t) d;
with c as (select id from t) select id into a8 from c;
select id into a9 from t where exists (select * from u join t as x on x.id = u.id) and id in (select t_id from u);
select (id) as id into b1 from t;
select id, (select max(id) from u) as m into b2 from t;
select id into b3 from of_t();
select distinct id, v into b4 from t;
-- It does not: a join.
select t.id into n01 from t join u on u.t_id = t.id;
select t.id into n02 from t left join u on u.t_id = t.id;
select t.id into n03 from t, u;
select t.id into n04 from t cross join u;
select t.id into n05 from t cross apply (select 1 as x) q;
select d.id into n06 from (select t.id from t join u on u.t_id = t.id) d;
select id into n07 from joined;
select t.id, u.id as other into n08 from t full join u on u.t_id = t.id;
-- UNION.
select id into n11 from t union all select id from u;
select id into n12 from t union select 7;
select d.id into n13 from (select id from t union all select 1) d;
-- Listed more than once.
select id, id as again into n21 from t;
select *, id as again into n22 from t;
select d.id, d.again into n23 from (select id, id as again from t) d;
-- Part of an expression.
select id + 0 as id into n31 from t;
select cast(id as int) as id into n32 from t;
select +id as id into n33 from t;
select -id as id into n34 from t;
select isnull(id, 0) as id into n35 from t;
select convert(int, id) as id into n36 from t;
select d.id into n37 from (select cast(id as int) as id from t) d;
select id into n38 from expression;
select max(id) as id into n39 from t;
select iif(1 = 1, id, 0) as id into n40 from t;
-- GROUP BY.
select id into n41 from t group by id;
select id, count(*) as n into n42 from t group by id;
select 'literal' as s, id into #temporary from t;
go
select o.name, c.name as [column], c.is_identity, c.is_nullable, ident_seed(o.name) as seed, ident_incr(o.name) as increment
from sys.tables o join sys.columns c on c.object_id = o.object_id
where c.name in ('id', 'other', 'again') and o.name not in ('t', 'u') order by o.name, c.column_id;
select name, is_identity from tempdb.sys.columns where object_id = object_id('tempdb..#temporary');
go
-- The new table goes on from the last value, or takes what is given.
insert a2 (v) values (3);
insert n32 values (10);
select id, v from a2;
select id from n32;
go
