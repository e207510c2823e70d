-- Which window functions take a frame or an order, and which frames there are.
-- https://learn.microsoft.com/sql/t-sql/queries/select-over-clause-transact-sql
create table t(id int primary key, v int null);
insert t values (1, 10), (2, 20), (3, null);
go
select lag(v) over (order by id rows unbounded preceding) from t;
go
select lead(v, 2, 0) over (order by id rows between current row and 1 following) from t;
go
select row_number() over (order by id rows between 1 preceding and current row) from t;
go
select rank() over (order by id range unbounded preceding) from t;
go
select ntile(2) over (order by id rows current row) from t;
go
select sum(v) over (order by id rows between 1 following and 1 preceding) from t;
go
select sum(v) over (order by id rows between current row and 1 preceding) from t;
go
select sum(v) over (order by id rows between unbounded following and unbounded following) from t;
go
select sum(v) over (order by id rows between 2 preceding and 1 preceding) as before, sum(v) over (order by id rows between 1 following and 2 following) as behind,
    first_value(v) over (order by id rows between 1 preceding and current row) as first, last_value(v) over (order by id range between current row and unbounded following) as last from t;
go
select percentile_cont(0.5) within group (order by v) over (order by id) from t;
go
select percentile_cont(1.5) within group (order by v) over () from t;
select percentile_disc(-0.1) within group (order by v) over (partition by id) from t;
select percentile_disc(0.5) within group (order by v) over () from t;
go
-- Frames that the grammar does not have; counting rows needs no order; a frame of values compares what it is ordered by.
select sum(v) over (order by id rows between current row and unbounded preceding) from t;
go
select count(*) over (rows unbounded preceding) from t;
go
select count(1) over (partition by v rows unbounded preceding) from t;
go
select count(*) over (partition by 1 rows unbounded preceding) as n from t order by n;
go
create table w(k int, s varchar(max), long nvarchar(451), short nvarchar(450), x xml, tx text);
go
select sum(k) over (order by s) from w;
go
select cume_dist() over (order by k, s) from w;
go
select sum(k) over (order by long) from w;
go
select first_value(k) over (order by short, k) from w;
go
select sum(k) over (order by x) from w;
go
select sum(k) over (order by tx) from w;
go
select sum(k) over (order by short), sum(k) over (order by s rows unbounded preceding), row_number() over (order by s) from w;
go
select string_agg(k, ',') over () from w;
go
select Sum(k) ignore nulls over (order by k), Max(k) respect nulls over () from w;
go
select first_value(k) ignore nulls from w;
go
select Row_Number() over () from w;
go
select cume_dist() over (order by k rows unbounded preceding) from w;
go
