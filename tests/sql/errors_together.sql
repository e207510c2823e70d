-- Several errors of one statement are told together; a column that is not grouped is called by what FROM has written.
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
create table t (a int, b int, c varchar(20)); create table u (b int);
go
select * from (select 1, 2) s
go
select count(*) group by 1
go
select count(*) group by ()
go
select a from t group by a, getdate()
go
select a+datepart(year,getdate()) from t group by a + datepart(year, getdate())
go
select 1 from t group by 'x'
go
declare @v int select 1 from t group by @v
go
select 1 from t group by (select 1)
go
select 1 from t group by max(a)
go
select 1 from t group by 'a' 'b'
go
select a from t group by a+1
go
select a+0 from t group by a+1
go
select 1+a from t group by a+1
go
select a+1 from t group by a+1.0
go
select a+b from t group by b+a
go
select ((a+1)) from t group by (a+1)
go
select cast(a+1 as bigint) from t group by a+1
go
select a+1 from t as x group by x.a+1
go
select c+'X' from t group by c+'x'
go
select coalesce(a,0) from t group by b
go
select coalesce(a,5,b) from t group by a
go
select distinct a as id from t x order by x.b
go
select count(*) over (partition by a rows unbounded preceding) from t
go
select count(1) over (partition by a rows unbounded preceding) from t
go
select max(a) within group (order by a) from t
go
select percentile_cont(0.5) within group (order by a) from t
go
select grouping(b) from t group by a
go
select grouping(1+a) from t group by rollup(a+1)
go
select grouping((a+1)) from t group by rollup(a+1)
go
select a, b from t as x group by a;
go
select x.a, x.b from dbo.t as x group by x.a;
go
select b, c from t group by a having c > '' order by b;
go
with q as (select a, b from t) select b from q as z group by a;
go
select z.b from (select a, b from t) as z group by z.a;
go
declare @t table (a int, b int); select v.b from @t as v group by v.a;
go
insert t (a, b) values (zz, yy);
go
insert t (a, b) values (t.a, 1);
go
update t set zz = 1, yy = 2;
go
declare @v int = zz;
go
declare @v int; set @v = zz;
go
if zz = 1 select 1;
go
while zz = 1 select 1;
go
print zz;
go
create table d (a int default zz);
go
