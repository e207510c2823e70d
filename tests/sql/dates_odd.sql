-- Functions of dates with odd arguments, dates near the ends of their ranges, roundings.
-- https://learn.microsoft.com/sql/t-sql/functions/dateadd-transact-sql, datediff-transact-sql, datepart-transact-sql, eomonth-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/datetime2-transact-sql, time-transact-sql, smalldatetime-transact-sql
SELECT CONVERT(varchar(30), DATEADD(month, 1, CAST('2023-01-31' AS date))), CONVERT(varchar(30), DATEADD(month, -1, CAST('2024-03-31' AS date))), CONVERT(varchar(30), DATEADD(year, 1, CAST('2024-02-29' AS date))), CONVERT(varchar(30), DATEADD(quarter, -1, CAST('2024-05-31' AS date))), CONVERT(varchar(30), DATEADD(week, -1, CAST('2024-03-01' AS date)));
SELECT EOMONTH('2024-02-10'), EOMONTH('2024-02-10', -12), EOMONTH('2024-01-31', 1), EOMONTH(NULL), EOMONTH('9999-12-01');
SELECT EOMONTH('9999-12-01', 1);
GO
SELECT DATEDIFF(year, '2023-12-31', '2024-01-01'), DATEDIFF(quarter, '2024-03-31', '2024-04-01'), DATEDIFF(month, '2024-01-31', '2024-02-01'), DATEDIFF(week, '2024-01-06', '2024-01-07'), DATEDIFF(week, '2024-01-07', '2024-01-13'), DATEDIFF(weekday, '2024-01-01', '2024-01-10'), DATEDIFF(dayofyear, '2024-01-01', '2024-01-10'), DATEDIFF(hour, '2024-01-01 00:59', '2024-01-01 01:00'), DATEDIFF(day, '2024-01-02', '2024-01-01');
SELECT DATEDIFF(second, '1900-01-01', '2100-01-01');
GO
SELECT DATEDIFF_BIG(second, '1900-01-01', '2100-01-01'), DATEDIFF_BIG(millisecond, '0001-01-01', '9999-12-31'), DATEDIFF(nanosecond, '2024-01-01 00:00:00.0000001', '2024-01-01 00:00:00.0000003'), DATEDIFF(microsecond, CAST('10:00' AS time), CAST('10:00:00.000001' AS time(6)));
SELECT DATEPART(iso_week, '2021-01-03'), DATEPART(iso_week, '2020-12-31'), DATEPART(iso_week, '2024-12-30'), DATEPART(week, '2021-01-01'), DATEPART(week, '2021-01-03'), DATEPART(weekday, '2024-02-29'), DATEPART(dayofyear, '2024-12-31'), DATEPART(quarter, '2024-10-01'), DATEPART(nanosecond, CAST('10:00:00.1234567' AS time)), DATEPART(tzoffset, CAST('2024-01-01 00:00 -03:30' AS datetimeoffset));
SELECT DATENAME(weekday, '2024-02-29'), DATENAME(month, '2024-02-29'), DATENAME(tzoffset, CAST('2024-01-01 00:00 +05:30' AS datetimeoffset)), DATENAME(year, '0001-01-01'), DATENAME(millisecond, CAST('10:00:00.007' AS datetime)), DATENAME(hour, CAST('2024-01-01 05:00' AS datetime2));
GO
SELECT DATEFROMPARTS(2023, 2, 29);
GO
SELECT TIMEFROMPARTS(23, 59, 59, 5, 0);
GO
SELECT TIMEFROMPARTS(23, 59, 59, 0, 0), DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 5, 1), DATETIMEFROMPARTS(2010, 12, 31, 23, 59, 59, 999), SMALLDATETIMEFROMPARTS(2010, 12, 31, 23, 59), DATETIMEOFFSETFROMPARTS(2010, 12, 31, 14, 23, 23, 0, -12, -30, 7), DATEFROMPARTS(2010, NULL, 1);
SELECT DATETIMEOFFSETFROMPARTS(2010, 12, 31, 14, 23, 23, 0, 12, -30, 7);
GO
SELECT DATETIME2FROMPARTS(2011, 8, 15, 14, 23, 44, 5, NULL);
GO
SELECT SWITCHOFFSET('2024-01-01 00:00 +00:00', '-08:00'), SWITCHOFFSET(CAST('2024-01-01 00:00:00.5 +00:00' AS datetimeoffset(1)), 840), TODATETIMEOFFSET('2024-01-01', 90), TODATETIMEOFFSET(CAST('2024-01-01 12:00' AS datetime2(0)), '-00:30');
SELECT TODATETIMEOFFSET('2024-01-01', 841);
GO
SELECT SWITCHOFFSET(CAST('2024-01-01' AS datetimeoffset), '+15:00');
GO
SELECT DATEADD(day, 1, CAST('9999-12-31' AS date));
GO
SELECT DATEADD(day, -1, CAST('1753-01-01' AS datetime));
GO
SELECT DATEADD(minute, 1, CAST('2079-06-06 23:59' AS smalldatetime));
GO
SELECT DATEADD(hour, 1, CAST('2024-01-01' AS date));
GO
SELECT DATEPART(hour, CAST('2024-01-01' AS date));
GO
SELECT DATEADD(day, 1, CAST('10:00' AS time));
GO
SELECT DATENAME(year, CAST('10:00' AS time));
GO
SELECT DATEDIFF(tzoffset, '2024-01-01', '2024-01-01');
GO
SELECT DATEDIFF(iso_week, '2024-01-01', '2024-01-01');
GO
SELECT DATEADD(fortnight, 1, '2024-01-01');
GO
DECLARE @p varchar(10) = 'day';
SELECT DATEADD(@p, 1, '2024-01-01');
GO
SELECT DATEDIFF('day', '2024-01-01', '2024-01-02');
GO
-- Roundings.
SELECT CAST(CAST('23:59:59.9999999' AS time(7)) AS time(0)), CAST(CAST('2024-12-31 23:59:59.9999999' AS datetime2(7)) AS datetime2(3)), CAST(CAST('2024-01-01 12:00:29.998' AS datetime) AS smalldatetime), CAST(CAST('2024-01-01 12:00:29.999' AS datetime) AS smalldatetime), CAST(CAST('2024-01-01 12:00:30' AS datetime2) AS smalldatetime);
SELECT CAST('2024-01-01 00:00:00.001' AS datetime), CAST('2024-01-01 00:00:00.002' AS datetime), CAST('2024-01-01 00:00:00.005' AS datetime), CAST('2024-01-01 00:00:00.999' AS datetime), DATEADD(millisecond, 1, CAST('2024-01-01' AS datetime)), DATEADD(millisecond, 2, CAST('2024-01-01' AS datetime)), DATEADD(nanosecond, 149, CAST('2024-01-01' AS datetime2)), DATEADD(nanosecond, 150, CAST('2024-01-01' AS datetime2)), DATEADD(nanosecond, 49, CAST('2024-01-01' AS datetime2));
SELECT CAST(CAST('2024-01-01 12:34:56.789' AS datetime) AS time(3)), CAST(CAST('2024-01-01 12:34:56.789' AS datetime) AS date), CAST(CAST('12:34:56.789' AS time) AS datetime), CAST(CAST('2024-05-05' AS date) AS datetimeoffset(0)), CAST(CAST('2024-05-05 12:00 +02:00' AS datetimeoffset) AS datetime), CAST(CAST('2024-05-05 12:00 +02:00' AS datetimeoffset) AS date);
SELECT CAST(0 AS datetime), CAST(-1 AS datetime), CAST(1.5 AS datetime), CAST(0.25 AS smalldatetime), CAST('' AS datetime), CAST('' AS date), CAST('' AS time(0)), CAST(CAST('1900-01-02 12:00' AS datetime) AS decimal(10,4)), CAST(CAST('2024-01-01' AS datetime) AS int), CAST(CAST('2024-01-01 12:00' AS datetime) AS int);
GO
SELECT CAST(1 AS date);
GO
SELECT CAST(CAST('2024-01-01' AS date) AS int);
GO
SELECT CAST('1752-12-31' AS datetime);
GO
SELECT CAST('20240230' AS date);
GO
SELECT CAST('2024-02-30' AS datetime);
GO
SELECT CAST('24:00' AS time);
GO
SELECT CAST('2024-13-01' AS datetime2);
GO
SELECT CAST('abc' AS datetime);
GO
SELECT CAST('1899-12-31' AS smalldatetime);
GO
SELECT CAST(CAST('1700-01-01' AS datetime2) AS datetime);
GO
SELECT CAST(CAST('2100-01-01' AS datetime) AS smalldatetime);
GO
SELECT TRY_CAST('2024-02-30' AS date), TRY_CONVERT(datetime, '31/12/2024', 103), TRY_CONVERT(datetime, '12/31/2024', 103), TRY_CAST('x' AS time);
SELECT DATETRUNC(quarter, CAST('2024-05-05' AS date)), DATETRUNC(week, CAST('2024-02-29' AS date)), DATETRUNC(iso_week, CAST('2024-03-03' AS date)), DATETRUNC(millisecond, CAST('2024-01-01 00:00:00.1239' AS datetime2(4))), DATETRUNC(hour, CAST('10:59' AS time(0)));
SELECT DATETRUNC(weekday, CAST('2024-05-05' AS date));
GO
SELECT DATETRUNC(millisecond, CAST('2024-01-01 00:00:00.007' AS datetime));
SELECT ISDATE('2024-02-29'), ISDATE('2023-02-29'), ISDATE('29/02/2024'), ISDATE('2024'), ISDATE('24'), ISDATE(NULL), ISDATE('10:30'), ISDATE('2024-01-01 10:00:00.0000001');
SET DATEFORMAT dmy;
SELECT CAST('29/02/2024' AS datetime), CAST('2024-02-29' AS date), ISDATE('29/02/2024'), ISDATE('2024-02-29');
SELECT CAST('2024-02-29' AS datetime);
GO
SET DATEFORMAT mdy;
SET DATEFIRST 1;
SELECT DATEPART(weekday, '2024-02-29'), DATEPART(week, '2024-01-01'), DATEPART(week, '2024-01-08'), @@DATEFIRST, DATEDIFF(week, '2024-01-06', '2024-01-07'), DATETRUNC(week, CAST('2024-02-29' AS date));
SET DATEFIRST 7;
SET DATEFIRST 8;
GO
-- Comparison of what has an offset, of what has none.
SELECT CASE WHEN CAST('2024-01-01 12:00 +02:00' AS datetimeoffset) = CAST('2024-01-01 10:00 +00:00' AS datetimeoffset) THEN 'same' ELSE 'other' END, CASE WHEN CAST('2024-01-01 12:00 +02:00' AS datetimeoffset) = CAST('2024-01-01 10:00' AS datetime2) THEN 'same' ELSE 'other' END, CASE WHEN CAST('00:00' AS time) = CAST('1900-01-01' AS datetime2) THEN 'same' ELSE 'other' END;
GO
SELECT CAST('2024-01-01' AS date) + 1;
GO
SELECT CAST('2024-01-01' AS datetime2) + 1;
GO
SELECT CAST('10:00' AS time) + CAST('10:00' AS time);
GO
SELECT CAST('2024-01-01' AS datetime) * 2;
GO
SELECT CAST('2024-01-01' AS datetime) + CAST('2024-01-01' AS date);
GO
