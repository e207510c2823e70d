-- Dates and times: arithmetic, parts, styles, errors. https://learn.microsoft.com/sql/t-sql/functions/date-and-time-data-types-and-functions-transact-sql
SELECT DATEADD(month, 1, '2024-01-31'), DATEADD(day, 1, CAST('2024-02-28' AS date)), DATEADD(hour, 25, CAST('2024-01-01 10:00' AS datetime2(0))), DATEADD(year, -1, CAST('2024-02-29' AS smalldatetime)), DATEADD(ms, 5, CAST('2024-01-01' AS datetime)), DATEADD(qq, 1, CAST('20240101' AS date)), DATEADD(week, 2, CAST('20240101' AS date)), DATEADD(ns, 100, CAST('2024-01-01' AS datetime2));
SELECT DATEDIFF(day, '2024-01-01', '2024-03-01'), DATEDIFF(month, '2024-01-31', '2024-02-01'), DATEDIFF(year, '2023-12-31', '2024-01-01'), DATEDIFF(week, '2024-01-06', '2024-01-07'), DATEDIFF(second, '2024-01-01', '2024-01-02'), DATEDIFF_BIG(ms, '2024-01-01', '2025-01-01'), DATEDIFF(hour, '2024-01-01 10:59', '2024-01-01 11:00'), DATEDIFF(minute, '2024-01-02', '2024-01-01');
SELECT DATEPART(year, '2024-05-06'), DATEPART(quarter, '2024-05-06'), DATEPART(dayofyear, '2024-05-06'), DATEPART(week, '2024-05-06'), DATEPART(weekday, '2024-05-06'), DATEPART(iso_week, '2024-05-06'), DATEPART(ns, CAST('2024-01-01 00:00:00.1234567' AS datetime2)), DATENAME(month, '2024-05-06'), DATENAME(weekday, '2024-05-06'), DATENAME(year, '2024-05-06'), YEAR('2024-05-06'), MONTH('2024-05-06'), DAY('2024-05-06');
SELECT CONVERT(varchar(30), CAST('2024-05-06 13:14:15.678' AS datetime), 0), CONVERT(varchar(30), CAST('2024-05-06 13:14:15.678' AS datetime), 1), CONVERT(varchar(30), CAST('2024-05-06 13:14:15.678' AS datetime), 100), CONVERT(varchar(30), CAST('2024-05-06 13:14:15.678' AS datetime), 101);
SELECT s.value AS style, CONVERT(varchar(40), CAST('2024-05-06 13:14:15.678' AS datetime), s.value) AS d, CONVERT(varchar(40), CAST('2024-05-06 03:04:05.6789012' AS datetime2), s.value) AS d2 FROM (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12),(13),(14),(20),(21),(22),(23),(24),(25),(100),(101),(102),(103),(104),(105),(106),(107),(108),(109),(110),(111),(112),(113),(114),(120),(121),(126),(127),(130),(131)) s(value);
SELECT CONVERT(date, '06/05/2024', 103), CONVERT(datetime, '20240506 10:11:12'), CONVERT(datetime2(3), '2024-05-06T10:11:12.1239'), CONVERT(time(2), '10:11:12.126'), CONVERT(datetimeoffset(0), '2024-05-06 10:11:12 +02:00'), CONVERT(smalldatetime, '2024-05-06 10:11:30'), CONVERT(datetime, '2024-05-06 10:11:12.998'), CONVERT(datetime, 0), CONVERT(datetime, 1.5), CONVERT(int, CONVERT(datetime, '1900-01-03'));
SELECT CAST('2024-01-02' AS datetime) + 1, CAST('2024-01-02' AS datetime) - 1.5, CAST('2024-01-02' AS datetime) - CAST('2024-01-01' AS datetime), EOMONTH('2024-02-10'), EOMONTH('2024-02-10', 1), DATEFROMPARTS(2024,2,29), DATETIMEFROMPARTS(2024,1,2,3,4,5,6), DATETIME2FROMPARTS(2024,1,2,3,4,5,6,3), TIMEFROMPARTS(1,2,3,4,2), ISDATE('2024-01-01'), ISDATE('x');
GO
SELECT CAST('2024-01-02' AS date) + 1;
GO
SELECT DATEADD(day, 1, 'abc');
GO
SELECT DATEADD(foo, 1, '2024-01-01');
GO
SELECT DATEFROMPARTS(2024,2,30);
GO
SELECT DATEADD(year, 9999, CAST('2024-01-01' AS datetime));
GO
SELECT DATEDIFF(ms, '1900-01-01', '2024-01-01');
GO
SELECT SWITCHOFFSET(CAST('2024-05-06 10:00 +02:00' AS datetimeoffset), '-05:00'), TODATETIMEOFFSET(CAST('2024-05-06 10:00' AS datetime2), '+01:00'), CAST('2024-05-06 10:00 +02:00' AS datetimeoffset) AT TIME ZONE 'UTC', CAST(CAST('2024-05-06 10:00 +02:00' AS datetimeoffset) AS datetime2(0)), DATETRUNC(month, CAST('2024-05-06' AS date));
SELECT CASE WHEN CAST('2024-05-06 10:00 +02:00' AS datetimeoffset) = CAST('2024-05-06 08:00 +00:00' AS datetimeoffset) THEN 'eq' ELSE 'ne' END, CASE WHEN CAST('2024-05-06' AS date) < CAST('2024-05-06 00:00:01' AS datetime) THEN 'lt' END;
