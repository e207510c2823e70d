-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/data-types/time-transact-sql, https://learn.microsoft.com/sql/t-sql/data-types/datetimeoffset-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/datetime2-transact-sql
DECLARE @timeFrom time(4) = '12:34:54.1237';
DECLARE @timeTo time(3) = @timeFrom;
SELECT @timeTo AS 'time(3)', @timeFrom AS 'time(4)';
GO
DECLARE @time time(4) = '12:15:04.1237';
DECLARE @datetime datetime= @time, @datetimeoffset datetimeoffset(3) = @time, @datetime2 datetime2(3) = @time;
SELECT @time AS '@time', @datetime AS '@datetime', @datetimeoffset AS '@datetimeoffset', @datetime2 AS '@datetime2';
GO
DECLARE @time time(4) = '12:15:59.9999', @hour time(4) = '12:59:59.9999';
DECLARE @smalldatetime smalldatetime= @time, @next smalldatetime = @hour;
SELECT @time AS '@time', @smalldatetime AS '@smalldatetime', @next AS '@next';
GO
DECLARE @time time(4) = '12:15:59.9999';
DECLARE @date date = @time;
GO
SELECT CAST('2007-05-08 12:35:29. 1234567 +12:15' AS time(7)) AS 'time', CAST('2007-05-08 12:35:29. 1234567 +12:15' AS date) AS 'date', CAST('2007-05-08 12:35:29.123' AS smalldatetime) AS 'smalldatetime',
  CAST('2007-05-08 12:35:29.123' AS datetime) AS 'datetime', CAST('2007-05-08 12:35:29. 1234567 +12:15' AS datetime2(7)) AS 'datetime2', CAST('2007-05-08 12:35:29.1234567+12:15' AS datetime2(7)) AS 'datetime2 too',
  CAST('2007-05-08 12:35:29.1234567 +12:15' AS datetimeoffset(7)) AS 'datetimeoffset', CAST('2007-05-08 12:35:29.1234567+12:15' AS datetimeoffset(7)) AS 'datetimeoffset IS08601';
GO
DECLARE @t TABLE (t time(7));
INSERT @t VALUES ('01:01:01:123AM'), ('01:01:01.1234567 AM'), ('01:01:01.1234567 PM'), ('12:01 AM'), ('12:01 PM'), ('12:01'), ('1AM'), ('1 PM'), ('13:01'), ('12:30:20:1'), ('12:30:20.1'), ('2007-05-08');
SELECT t FROM @t;
GO
SELECT CAST('24:00' AS time);
GO
SELECT CAST('13:00 AM' AS time);
GO
SELECT CAST('0:30 PM' AS time);
GO
DECLARE @datetimeoffset datetimeoffset(4) = '12-10-25 12:32:10 +01:00';
DECLARE @date date= @datetimeoffset;
SELECT @datetimeoffset AS '@datetimeoffset ', @date AS 'date';
GO
DECLARE @datetimeoffset datetimeoffset(4) = '12-10-25 12:32:10.1237 +01:0';
DECLARE @time time(3) = @datetimeoffset, @datetime datetime = @datetimeoffset;
SELECT @datetimeoffset AS '@datetimeoffset ', @time AS 'time', @datetime AS 'datetime';
GO
DECLARE @datetimeoffset datetimeoffset(3) = '1912-10-25 12:24:32 +10:0';
DECLARE @smalldatetime smalldatetime = @datetimeoffset;
SELECT @datetimeoffset AS '@datetimeoffset', @smalldatetime AS '@smalldatetime';
GO
DECLARE @date date = '12-21-16', @time time(7) = '12:10:16.1234567', @smalldatetime smalldatetime = '12-01-16 12:32', @datetimeoffset datetimeoffset(7) = '2016-10-23 12:45:37.1234567 +10:0', @datetime datetime = '2016-10-23 12:45:37.333';
DECLARE @d1 datetime2 = @date, @d2 datetime2 = @time, @d3 datetime2 = @smalldatetime, @d4 datetime2 = @datetimeoffset, @d5 datetime2 = @datetime;
SELECT @d1 AS 'of date', @d2 AS 'of time', @d3 AS 'of smalldatetime', @d4 AS 'of datetimeoffset', @d5 AS 'of datetime';
SELECT DATALENGTH(CONVERT(datetime2(2), @d1)) AS two, DATALENGTH(CONVERT(datetime2(4), @d1)) AS four, DATALENGTH(@d1) AS seven, DATALENGTH(CONVERT(varbinary(20), @d1)) AS binary;
SELECT {ts '2007-05-02 19:58:47.123'} AS ts, {d '2007-05-02'} AS d;
GO
SELECT CAST('2007-05-08 +12:15' AS datetimeoffset);
GO
