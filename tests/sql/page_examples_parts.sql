-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/functions/datepart-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/todatetimeoffset-transact-sql
SELECT DATEPART(year, d) AS y, DATEPART(quarter, d) AS q, DATEPART(month, d) AS m, DATEPART(dayofyear, d) AS dy, DATEPART(day, d) AS d, DATEPART(week, d) AS w, DATEPART(weekday, d) AS dw,
  DATEPART(hour, d) AS h, DATEPART(minute, d) AS mi, DATEPART(second, d) AS s, DATEPART(millisecond, d) AS ms, DATEPART(microsecond, d) AS mcs, DATEPART(nanosecond, d) AS ns,
  DATEPART(tzoffset, d) AS tz, DATEPART(iso_week, d) AS iso
FROM (VALUES (CONVERT(datetimeoffset(7), '2007-10-30 12:15:32.1234567 +05:10'))) AS v(d);
GO
SET DATEFIRST 1; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 2; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 3; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 4; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 5; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 6; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SET DATEFIRST 7; SELECT DATEPART(week, '2007-04-21 ') AS week, DATEPART(weekday, '2007-04-21 ') AS day;
SELECT DATEPART(iso_week, '2003-12-29') AS a, DATEPART(iso_week, '2004-01-04') AS b, DATEPART(wk, '2024-01-01') AS c;
SELECT DATEPART (tzoffset, '2007-05-10  00:00:01.1234567 +05:10') AS tz;
SELECT DATEPART(year, '12:10:30.123') AS y, DATEPART(month, '12:10:30.123') AS m, DATEPART(day, '12:10:30.123') AS d, DATEPART(dayofyear, '12:10:30.123') AS dy, DATEPART(weekday, '12:10:30.123') AS dw;
SELECT DATEPART(millisecond, '00:00:01.1234567') AS ms, DATEPART(microsecond, '00:00:01.1234567') AS mcs, DATEPART(nanosecond,  '00:00:01.1234567') AS ns;
SELECT DATEPART(year, 0) AS y, DATEPART(month, 0) AS m, DATEPART(day, 0) AS d, DATEPART (day,'12/20/1974') AS dd, DATEPART (year,'12/20/1974') AS yy;
GO
DECLARE @t time = '12:10:30.123';
SELECT DATEPART(year, @t);
GO
DECLARE @d datetime2 = '2019-04-22 16:23:51.7666667';
SELECT TODATETIMEOFFSET (@d, '-07:00') AS a, TODATETIMEOFFSET(@d, -120) AS b, TODATETIMEOFFSET(@d, '+13:00') AS c, TODATETIMEOFFSET(CONVERT(datetime2(2), @d), 0) AS d;
GO
DECLARE @d datetime2 = '2019-04-22 16:23:51.7666667';
SELECT TODATETIMEOFFSET (@d, '+15:00');
GO
