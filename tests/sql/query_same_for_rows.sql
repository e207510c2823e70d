-- What no row changes is computed once an execution of a query: constants, variables, functions of these. Comparisons over whole columns of each
-- class, with NULLs and without, give what they give row by row. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
create table t(id int primary key, d date null, q decimal(9,2) null, p decimal(15,2) not null, b decimal(28,3) null, w decimal(38,4) null,
    f float null, r real null, o datetimeoffset null, u uniqueidentifier null, m money null, s varchar(10) null);
insert t
select value, dateadd(day, value, '2024-01-01'), nullif(value % 50 - 25.25, -20.25), -value * 1.5, value * 1000000000000.125, -12345678901234567890.5 + value,
    value / 4e0, cast(value as real) / 8, dateadd(minute, value, todatetimeoffset('2024-01-01', '+02:00')),
    cast(cast(value as binary(16)) as uniqueidentifier), value / 10.0, concat('s', value)
from generate_series(1, 2500);
update t set d = null, f = null, b = null where id % 100 = 7;
go
-- Each class, beside the same row by row (ISNULL keeps the loop from being one over columns).
select count(*), min(id), max(id) from t where d >= cast('2024-02-01' as date) and d < dateadd(month, 1, cast('2024-02-01' as date));
select count(*) from t where isnull(d, d) >= '2024-02-01' and isnull(d, d) < '2024-03-01';
select count(*), min(id), max(id) from t where q between 3.5 - 1 and 3.5 + 1 and p < -100;
select count(*) from t where isnull(q, q) between 2.5 and 4.5 and isnull(p, p) < -100;
select count(*), min(id) from t where b > 1000000000000.125 * 2000;
select count(*), min(id) from t where w > -12345678901234567890.5 + 2490;
select count(*), sum(id) from t where f <= 100e0 / 3 and r > cast(1 as real) / 3;
select count(*) from t where isnull(f, f) <= 33.333333333333336 and isnull(r, r) > cast(0.33333334 as real);
select count(*), max(id) from t where o <= switchoffset(todatetimeoffset('2024-01-01 01:00', '+02:00'), '-05:00');
select count(*), max(id) from t where u <= cast(cast(1000 as binary(16)) as uniqueidentifier);
select count(*), min(id) from t where m >= cast(2499 as money) / 10;
select count(*), min(id) from t where s = concat('s', 24 * 100) or s = upper('S') + '17';
go
-- A variable, changed from one execution to the next.
declare @n int = 0, @found int, @text varchar(100) = '';
while @n < 4
begin
    select @found = count(*) from t where id <= @n * 10 + 1 and p >= -(@n * 3.0);
    set @text += concat(@found, ' ');
    set @n += 1;
end;
select @text;
go
-- An outer value is another for each outer row.
select a.id, (select count(*) from t as b where b.id <= a.id * 2 and b.p >= -3.0 * a.id and b.d > dateadd(day, a.id, '2024-01-01')) as n
from t as a where a.id in (1, 5, 10) order by a.id;
go
-- What fails does so for the first row that comes to it.
declare @zero int = 0;
select count(*) from t where id < 0 and id > 1 / @zero;
select count(*) from t where id > 1 / @zero;
select 'after';
go
-- The clock and random numbers.
select case when count(case when d < dateadd(day, -1, getdate()) then 1 end) = count(case when isnull(d, '2200-01-01') < dateadd(day, -1, getdate()) then 1 end)
    then 'same' else 'others' end as by_clock from t;
select count(distinct x) as several from (select newid() as x from t) as t where x <> newid();
go
-- Two executions of one procedure, and a cursor.
create procedure p @day date as select count(*) from t where d >= dateadd(day, 10, @day) and d < dateadd(day, 20, @day);
go
exec p '2024-01-01';
exec p '2030-10-20';
declare @k int = 2;
declare c cursor for select id from t where id < @k + 2;
open c;
set @k = 100;
declare @id int;
fetch next from c into @id;
while @@fetch_status = 0
begin
    print @id;
    fetch next from c into @id;
end;
close c;
deallocate c;
