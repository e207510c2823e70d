-- Buckets of a time of day, from an origin that lies behind it too.
-- https://learn.microsoft.com/sql/t-sql/functions/date-bucket-transact-sql
select date_bucket(minute, 1, cast('00:00' as time), cast('23:59:59.999999' as time)) as a
GO
select date_bucket(hour, 5, cast('23:30' as time), cast('01:00' as time)) as a, date_bucket(hour, 5, cast('00:30' as time), cast('01:00' as time)) as b
GO
select date_bucket(second, 7, cast('12:00' as time(3)), cast('12:00:03.5' as time(3))) as a, date_bucket(minute, 15, cast('12:59:59' as time(0))) as b
GO
