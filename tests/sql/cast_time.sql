-- A time that would round up to midnight is cut: it stays the last one of the day. A date goes on to the next day instead. https://learn.microsoft.com/sql/t-sql/data-types/time-transact-sql
select convert(time(0), '23:59:59.999999999') as t0, convert(time(1), '23:59:59.999999999') as t1, convert(time(2), '23:59:59.999999999') as t2, convert(time(3), '23:59:59.999999999') as t3, convert(time(4), '23:59:59.999999999') as t4, convert(time(5), '23:59:59.999999999') as t5, convert(time(6), '23:59:59.999999999') as t6, convert(time(7), '23:59:59.999999999') as t7;
select cast('23:59:59.4999999' as time(0)) as below, cast('23:59:59.5' as time(0)) as half, cast('12:59:59.5' as time(0)) as noon, cast(N'23:59:59.9999' as time(3)) as wide;
declare @t time(7) = '23:59:59.9999999', @d datetime = '2024-01-01 23:59:59.997', @d2 datetime2 = '2024-01-01 23:59:59.9999999', @o datetimeoffset = '2024-01-01 23:59:59.9999999 +02:00', @short time(2);
set @short = @t;
select cast(@t as time(0)) as of_time, cast(@d as time(0)) as of_datetime, cast(@d as time(2)) as of_datetime_2, cast(@d2 as time(3)) as of_datetime2, cast(@o as time(6)) as of_offset, @short as assigned, try_convert(time(0), '23:59:59.99') as attempt;
select cast(@d2 as datetime2(0)) as datetime2, cast(@d2 as datetime) as datetime, cast(@t as datetime) as time_as_datetime, cast(@t as datetime2(0)) as time_as_datetime2, cast(@o as datetimeoffset(0)) as offset;
select cast(@d2 as smalldatetime) as small;
create table times (t0 time(0), t3 time(3));
insert times values ('23:59:59.9999999', '23:59:59.9999999'), (@t, @t), (@d2, @d2);
select t0, t3 from times;
-- A sum passes midnight.
select dateadd(second, 1, cast('23:59:59' as time(0))) as next, dateadd(millisecond, 600, cast('23:59:59.5' as time(1))) as later;
go
