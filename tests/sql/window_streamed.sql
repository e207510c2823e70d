-- Functions whose values come of the rows before are computed as the rows come; beside LAG, which has its partition in memory, they are not. Partitions
-- and peers that end within batches of rows, at their edges, and go over several of them.
-- https://learn.microsoft.com/sql/t-sql/queries/select-over-clause-transact-sql
create table w(id int primary key, p int null, k int null, v int null, s varchar(20) not null);
insert w
select value, case when value <= 1024 then 1 when value <= 1030 then 2 when value <= 5200 then 3 when value <= 5210 then null else value % 7 + 10 end,
    case when value % 11 = 0 then null when value between 2000 and 4500 then 77 else value / 3 end, case when value % 13 = 0 then null else value % 97 end,
    concat('s', value % 50)
from generate_series(1, 9000);
go
with streamed as (
    select id, row_number() over (partition by p order by k, id) as n, sum(v) over (partition by p order by k, id rows unbounded preceding) as running,
        count(*) over (partition by p order by k, id rows between unbounded preceding and current row) as rows
    from w),
kept as (
    select id, row_number() over (partition by p order by k, id) as n, sum(v) over (partition by p order by k, id rows unbounded preceding) as running,
        count(*) over (partition by p order by k, id rows between unbounded preceding and current row) as rows, lag(id) over (partition by p order by k, id) as before
    from w)
select count(*) as rows, sum(a.n) as numbers, sum(cast(a.running as bigint)) as sums,
    count(case when a.n = b.n and a.rows = b.rows and (a.running = b.running or a.running is null and b.running is null) then 1 end) as same
from streamed as a join kept as b on a.id = b.id;
with streamed as (
    select id, rank() over (partition by p order by k) as r, dense_rank() over (partition by p order by k) as d, sum(v) over (partition by p order by k) as upto,
        min(s) over (partition by p order by k) as least
    from w),
kept as (
    select id, rank() over (partition by p order by k) as r, dense_rank() over (partition by p order by k) as d, sum(v) over (partition by p order by k) as upto,
        min(s) over (partition by p order by k) as least, lag(k) over (partition by p order by k) as before
    from w)
select count(*) as rows, sum(a.r) as ranks, sum(a.d) as dense, sum(cast(a.upto as bigint)) as sums,
    count(case when a.r = b.r and a.d = b.d and a.least = b.least and (a.upto = b.upto or a.upto is null and b.upto is null) then 1 end) as same
from streamed as a join kept as b on a.id = b.id;
-- Ranks without a value that ends with its peers.
with streamed as (select id, rank() over (order by k desc) as r, dense_rank() over (order by k desc) as d from w),
kept as (select id, rank() over (order by k desc) as r, dense_rank() over (order by k desc) as d, lead(k) over (order by k desc) as next from w)
select count(*) as rows, sum(a.r) as ranks, sum(a.d) as dense, count(case when a.r = b.r and a.d = b.d then 1 end) as same from streamed as a join kept as b on a.id = b.id;
-- Beside whole partitions.
with streamed as (select id, row_number() over (partition by p order by id) as n from w),
kept as (select id, row_number() over (partition by p order by id) as n, count(*) over (partition by p) as rows from w)
select max(a.n) as longest, count(case when a.n = b.n and b.n <= b.rows then 1 end) as same from streamed as a join kept as b on a.id = b.id;
go
-- No rows; one; a page of them; once more for each outer row.
select row_number() over (order by id) as n, id from w where id < 0;
select row_number() over (order by id) as n, sum(v) over (order by id) as s, id from w where id = 26;
select n, id from (select row_number() over (order by id desc) as n, id from w) as x where n between 1023 and 1026;
select top (3) row_number() over (partition by p order by id desc) as n, id, p from w where p > 10 order by p, n;
select o.id, x.n, x.total from (values (2), (5)) as o(id)
cross apply (select top (1) row_number() over (order by w.id) as n, sum(w.id) over (order by w.id) as total from w where w.id <= o.id order by n desc) as x order by o.id;
-- The warning of aggregates comes once.
select top (2) sum(v) over (order by id rows unbounded preceding) as s from w where id in (13, 14) order by id;
-- A frame that slides takes rows out again, decimals too.
select sum(cast(d as decimal(20, 2))) as decimals, sum(cast(i as bigint)) as integers, count(case when d = i / 4.0 or d is null and i is null then 1 end) as same
from (select sum(v / 4.0) over (order by id rows between 1500 preceding and 3 following) as d, sum(v) over (order by id rows between 1500 preceding and 3 following) as i from w) as x;
go
