-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/functions/datetrunc-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/datediff-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/dateadd-transact-sql
DECLARE @d datetime2 = '2021-12-08 11:30:15.1234567';
SELECT 'Year' AS part, DATETRUNC(year, @d) AS d UNION ALL SELECT 'Quarter', DATETRUNC(quarter, @d) UNION ALL SELECT 'Month', DATETRUNC(month, @d)
UNION ALL SELECT 'Week', DATETRUNC(week, @d) UNION ALL SELECT 'Iso_week', DATETRUNC(iso_week, @d) UNION ALL SELECT 'DayOfYear', DATETRUNC(dayofyear, @d)
UNION ALL SELECT 'Day', DATETRUNC(day, @d) UNION ALL SELECT 'Hour', DATETRUNC(hour, @d) UNION ALL SELECT 'Minute', DATETRUNC(minute, @d)
UNION ALL SELECT 'Second', DATETRUNC(second, @d) UNION ALL SELECT 'Millisecond', DATETRUNC(millisecond, @d) UNION ALL SELECT 'Microsecond', DATETRUNC(microsecond, @d);
GO
DECLARE @d datetime2 = '2021-11-11 11:11:11.1234567';
SELECT 'Week-7' AS part, DATETRUNC(week, @d) AS d;
SET DATEFIRST 6;
SELECT 'Week-6' AS part, DATETRUNC(week, @d) AS d;
SET DATEFIRST 3;
SELECT 'Week-3' AS part, DATETRUNC(week, @d) AS d;
SET DATEFIRST 7;
GO
SELECT DATETRUNC(month, '1998-03-04') AS d;
SELECT DATETRUNC(millisecond, '1998-03-04 10:10:05.1234567') AS d;
DECLARE @d1 char(200) = '1998-03-04', @d2 nvarchar(max) = '1998-03-04 10:10:05';
SELECT DATETRUNC(millisecond, @d1) AS d1, DATETRUNC(minute, @d2) AS d2, DATETRUNC(yyyy, CONVERT(date, '2021-12-1')) AS d3;
DECLARE @t datetime = '2015-04-29 05:06:07.123', @u date = '2050-04-04', @s smalldatetime = '2009-09-11 12:42:12', @m datetime = '2020-02-02 02:02:02.002';
SELECT @t AS input, DATETRUNC(millisecond, @t) AS truncated;
SELECT @u AS input, DATETRUNC(day, @u) AS truncated;
SELECT @s AS input, DATETRUNC(minute, @s) AS minute, DATETRUNC(second, @s) AS second;
SELECT @m AS input, DATETRUNC(millisecond, @m) AS truncated;
GO
DECLARE @d date= '0001-01-01 00:00:00';
SELECT DATETRUNC(week, @d);
GO
DECLARE @d time = '12:12:12.1234567';
SELECT DATETRUNC(year, @d);
GO
DECLARE @d datetime2(3) = '2021-12-12 12:12:12.12345';
SELECT DATETRUNC(microsecond, @d);
GO
SELECT DATETRUNC(nanosecond, SYSDATETIME());
GO
SELECT DATEDIFF(day, '2036-03-01', '2036-02-28') AS leap, DATEDIFF(year, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS y,
  DATEDIFF(quarter, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS q, DATEDIFF(month, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS m,
  DATEDIFF(dayofyear, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS dy, DATEDIFF(day, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS d,
  DATEDIFF(week, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS w, DATEDIFF(hour, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS h,
  DATEDIFF(minute, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS mi, DATEDIFF(second, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS s,
  DATEDIFF(millisecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS ms, DATEDIFF(microsecond, '2005-12-31 23:59:59.9999999', '2006-01-01 00:00:00.0000000') AS mcs;
SELECT DATEDIFF(day, '2007-05-07 09:53:01.0376635', '2007-05-08 09:53:01.0376635') AS d, DATEDIFF(year, CONVERT(time, '10:00'), CONVERT(time, '12:00')) AS times;
GO
DECLARE @date1 DATETIME, @date2 DATETIME, @result VARCHAR(100);
DECLARE @years INT, @months INT, @days INT, @hours INT, @minutes INT, @seconds INT, @milliseconds INT;
SET @date1 = '1900-01-01 00:00:00.000'
SET @date2 = '2018-12-12 07:08:01.123'
SELECT @years = DATEDIFF(yy, @date1, @date2)
IF DATEADD(yy, -@years, @date2) < @date1
SELECT @years = @years-1
SET @date2 = DATEADD(yy, -@years, @date2)
SELECT @months = DATEDIFF(mm, @date1, @date2)
IF DATEADD(mm, -@months, @date2) < @date1
SELECT @months=@months-1
SET @date2= DATEADD(mm, -@months, @date2)
SELECT @days=DATEDIFF(dd, @date1, @date2)
IF DATEADD(dd, -@days, @date2) < @date1
SELECT @days=@days-1
SET @date2= DATEADD(dd, -@days, @date2)
SELECT @hours=DATEDIFF(hh, @date1, @date2)
IF DATEADD(hh, -@hours, @date2) < @date1
SELECT @hours=@hours-1
SET @date2= DATEADD(hh, -@hours, @date2)
SELECT @minutes=DATEDIFF(mi, @date1, @date2)
IF DATEADD(mi, -@minutes, @date2) < @date1
SELECT @minutes=@minutes-1
SET @date2= DATEADD(mi, -@minutes, @date2)
SELECT @seconds=DATEDIFF(s, @date1, @date2)
IF DATEADD(s, -@seconds, @date2) < @date1
SELECT @seconds=@seconds-1
SET @date2= DATEADD(s, -@seconds, @date2)
SELECT @milliseconds=DATEDIFF(ms, @date1, @date2)
SELECT @result= ISNULL(CAST(NULLIF(@years,0) AS VARCHAR(10)) + ' years,','') + ISNULL(' ' + CAST(NULLIF(@months,0) AS VARCHAR(10)) + ' months,','')
  + ISNULL(' ' + CAST(NULLIF(@days,0) AS VARCHAR(10)) + ' days,','') + ISNULL(' ' + CAST(NULLIF(@hours,0) AS VARCHAR(10)) + ' hours,','')
  + ISNULL(' ' + CAST(@minutes AS VARCHAR(10)) + ' minutes and','')
  + ISNULL(' ' + CAST(@seconds AS VARCHAR(10)) + CASE WHEN @milliseconds > 0 THEN '.' + CAST(@milliseconds AS VARCHAR(10)) ELSE '' END + ' seconds','')
SELECT @result AS result
GO
SELECT DATEADD(month, 1, '20060830') AS a, DATEADD(month, 1, '20060831') AS b;
GO
SELECT DATEADD(year,2147483648, '20060731');
GO
SELECT DATEADD(year,-2147483649, '20060731');
GO
SELECT DATEADD(year,2147483647, '20060731');
GO
SELECT DATEADD(year,-2147483647, '20060731');
GO
DECLARE @s smalldatetime = '2007-01-01 13:10:00';
SELECT DATEADD(second, -30, @s) AS a, DATEADD(second, 29, @s) AS b, DATEADD(second, -31, @s) AS c, DATEADD(second, 30, @s) AS d, DATEADD(millisecond, -30001, @s) AS e,
  DATEADD(millisecond, 29998, @s) AS f, DATEADD(millisecond, -30002, @s) AS g, DATEADD(millisecond, 29999, @s) AS h;
GO
DECLARE @datetime2 datetime2 = '2007-01-01 13:10:10.1111111';
SELECT '1 millisecond' AS added, DATEADD(millisecond,1,@datetime2) AS d UNION ALL SELECT '2 milliseconds', DATEADD(millisecond,2,@datetime2)
UNION ALL SELECT '1 microsecond', DATEADD(microsecond,1,@datetime2) UNION ALL SELECT '2 microseconds', DATEADD(microsecond,2,@datetime2)
UNION ALL SELECT '49 nanoseconds', DATEADD(nanosecond,49,@datetime2) UNION ALL SELECT '50 nanoseconds', DATEADD(nanosecond,50,@datetime2)
UNION ALL SELECT '150 nanoseconds', DATEADD(nanosecond,150,@datetime2);
SELECT 'year' AS part, DATEADD(year,1,@datetime2) AS d UNION ALL SELECT 'quarter',DATEADD(quarter,1,@datetime2) UNION ALL SELECT 'month',DATEADD(month,1,@datetime2)
UNION ALL SELECT 'dayofyear',DATEADD(dayofyear,1,@datetime2) UNION ALL SELECT 'day',DATEADD(day,1,@datetime2) UNION ALL SELECT 'week',DATEADD(week,1,@datetime2)
UNION ALL SELECT 'weekday',DATEADD(weekday,1,@datetime2) UNION ALL SELECT 'hour',DATEADD(hour,1,@datetime2) UNION ALL SELECT 'minute',DATEADD(minute,1,@datetime2)
UNION ALL SELECT 'second',DATEADD(second,1,@datetime2) UNION ALL SELECT 'millisecond',DATEADD(millisecond,1,@datetime2)
UNION ALL SELECT 'microsecond',DATEADD(microsecond,1,@datetime2) UNION ALL SELECT 'nanosecond',DATEADD(nanosecond,1,@datetime2);
GO
DECLARE @datetime2 datetime2 = '2007-01-01 01:01:01.1111111', @days INT = 365, @datetime DATETIME = '2000-01-01 01:01:01.111';
SELECT DATEADD(quarter,4,@datetime2) AS q, DATEADD(month,13,@datetime2) AS m, DATEADD(dayofyear,365,@datetime2) AS dy, DATEADD(day,365,@datetime2) AS d, DATEADD(week,5,@datetime2) AS w,
  DATEADD(weekday,31,@datetime2) AS dw, DATEADD(hour,23,@datetime2) AS h, DATEADD(minute,59,@datetime2) AS mi, DATEADD(second,59,@datetime2) AS s, DATEADD(millisecond,1,@datetime2) AS ms;
SELECT DATEADD(day, @days, @datetime) AS d;
GO
SELECT DATEADD(microsecond, 1, CONVERT(datetime, '2007-01-01'));
GO
SELECT DATEADD(nanosecond, 1, CONVERT(date, '2007-01-01'));
GO
SELECT DATEADD(day, 1, '2007-01-01 10:00:00.1234');
GO
