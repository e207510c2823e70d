-- RAND: the values that its documentation shows for a seed, and what follows them in the session.
-- https://learn.microsoft.com/sql/t-sql/functions/rand-transact-sql
select rand(100) as a, rand() as b, rand() as c;
go
select rand(1) as a, rand(2) as b, rand(3) as c, rand(4) as d;
select rand(0) as zero, rand(null) as none, rand(-100) as negative, rand(32768) as large;
select rand(2147483647) as most, rand(-2147483648) as least;
go
-- The sequence goes on over statements and batches until the next seed.
declare @first float = rand(7);
select rand() as a;
go
declare @b float = rand(), @again float = rand(7);
select @b as b, rand() as a;
go
-- One value for all rows of a query; two calls are two values.
create table t (seed int);
insert t values (1), (2), (3);
select count(distinct x) as x, count(distinct y) as y, iif(min(x) = max(y), 1, 0) as same from (select rand() as x, rand() as y from t) q;
select count(distinct x) as filtered from (select rand() as x from t) q where x >= 0;
select rand(seed) as a from t order by seed;
declare @v table (x float);
declare @i int = 0, @x float;
while @i < 5
begin
    set @x = rand();
    insert @v values (@x);
    insert @v select rand() from t;
    set @i += 1;
end
select count(distinct x) as loop, count(*) as rows from @v;
delete @v;
insert @v values (rand()), (rand());
select count(distinct x) as two_calls from @v;
update @v set x = rand();
select count(distinct x) as updated from @v;
go
