-- DATETRUNC and DATE_BUCKET of each part and type, as SQL Server 2025 has them.
-- https://learn.microsoft.com/sql/t-sql/functions/datetrunc-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/date-bucket-transact-sql
SELECT DATETRUNC(year, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS a, DATETRUNC(quarter, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS b, DATETRUNC(month, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS c, DATETRUNC(dayofyear, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS d, DATETRUNC(day, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS e, DATETRUNC(week, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS f, DATETRUNC(iso_week, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS g, DATETRUNC(hour, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS h, DATETRUNC(minute, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS i, DATETRUNC(second, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS j, DATETRUNC(millisecond, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS k, DATETRUNC(microsecond, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS l;
GO
SELECT DATETRUNC(second, CAST('2024-05-15 13:47:29' AS smalldatetime)) AS a, DATETRUNC(day, CAST('2024-05-15 13:47 +05:30' AS datetimeoffset(0))) AS b, DATETRUNC(iso_week, CAST('2024-05-13 02:00 +14:00' AS datetimeoffset(0))) AS c, DATETRUNC(minute, '13:47:39.1234567') AS d, DATETRUNC(year, CAST('9999-12-31 23:59:59.9999999' AS datetime2)) AS e, DATETRUNC(isowk, CAST('0001-01-01' AS date)) AS f, DATETRUNC(yy, CAST(NULL AS date)) AS g;
GO
SET DATEFIRST 1;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 2;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 3;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 4;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 5;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 6;
SELECT DATETRUNC(week, CAST('2024-05-15' AS date)) AS a, DATETRUNC(iso_week, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(week, 1, CAST('2024-05-15' AS date)) AS c;
GO
SET DATEFIRST 7;
GO
SELECT DATETRUNC(hour, CAST('2024-05-15' AS date)) AS a;
GO
SELECT DATETRUNC(day, CAST('10:00' AS time)) AS a;
GO
SELECT DATETRUNC(weekday, CAST('10:00' AS time)) AS a;
GO
SELECT DATETRUNC(tzoffset, CAST('2024-05-15' AS date)) AS a;
GO
SELECT DATETRUNC(weekday, CAST('2024-05-15' AS datetime2)) AS a;
GO
SELECT DATETRUNC(nanosecond, CAST('2024-05-15' AS datetime2)) AS a;
GO
SELECT DATETRUNC(microsecond, CAST('2024-05-15' AS datetime)) AS a;
GO
SELECT DATETRUNC(weekday, CAST('2024-05-15' AS datetime)) AS a;
GO
SELECT DATETRUNC(millisecond, CAST('2024-05-15' AS smalldatetime)) AS a;
GO
SELECT DATETRUNC(millisecond, CAST('2024-05-15' AS datetime2(2))) AS a;
GO
SELECT DATETRUNC(microsecond, CAST('2024-05-15' AS datetime2(5))) AS a;
GO
SELECT DATETRUNC(fortnight, CAST('2024-05-15' AS date)) AS a;
GO
SELECT DATETRUNC('day', CAST('2024-05-15' AS date)) AS a;
GO
SELECT DATETRUNC(day, 1) AS a;
GO
SELECT DATETRUNC(day, 'abc') AS a;
GO
SELECT DATETRUNC(week, CAST('0001-01-01' AS date)) AS a;
GO
SELECT DATE_BUCKET(year, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS a, DATE_BUCKET(quarter, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS b, DATE_BUCKET(month, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS c, DATE_BUCKET(week, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS d, DATE_BUCKET(day, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS e, DATE_BUCKET(hour, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS f, DATE_BUCKET(minute, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS g, DATE_BUCKET(second, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS h, DATE_BUCKET(millisecond, 2, CAST('2024-05-15 13:47:39.1234567' AS datetime2)) AS i;
GO
SELECT DATE_BUCKET(day, 7, CAST('1899-12-30' AS date)) AS a, DATE_BUCKET(hour, 5, CAST('1899-12-31 01:00' AS datetime2(0))) AS b, DATE_BUCKET(month, 5, CAST('2024-01-15' AS date), CAST('2024-05-31' AS date)) AS c, DATE_BUCKET(day, 3, CAST('2024-05-15' AS date), CAST('2024-06-01' AS date)) AS d, DATE_BUCKET(month, 1, CAST('2024-03-30' AS date), CAST('2024-01-31' AS date)) AS e, DATE_BUCKET(year, 1, CAST('2025-03-01' AS date), CAST('2024-02-29' AS date)) AS f, DATE_BUCKET(quarter, 1, CAST('2024-05-15' AS date), CAST('2024-02-10' AS date)) AS g;
GO
SELECT DATE_BUCKET(hour, 1, CAST('2024-05-15 13:47:39.1234567' AS datetime2), CAST('2024-01-01 00:30:00.5' AS datetime2)) AS a, DATE_BUCKET(day, 7, CAST('2024-05-15' AS date)) AS b, DATE_BUCKET(day, 100, CAST('2024-05-15' AS date)) AS c, DATE_BUCKET(day, 2147483647, CAST('2024-05-15' AS date)) AS d, DATE_BUCKET(day, 2.5, CAST('2024-05-15' AS date)) AS e, DATE_BUCKET(day, CAST(2 AS bigint), CAST('2024-05-15' AS date)) AS f, DATE_BUCKET(day, CAST(NULL AS int), CAST('2024-05-15' AS date)) AS g, DATE_BUCKET(day, 2, CAST(NULL AS date)) AS h;
GO
SELECT DATE_BUCKET(day, 2, CAST('2024-05-15' AS date), NULL) AS a, DATE_BUCKET(day, 2, CAST('2024-05-15' AS date), CAST(NULL AS date)) AS b, DATE_BUCKET(day, 2, CAST('2024-05-15' AS datetime2(3)), CAST('2024-05-01' AS datetime2(7))) AS c, DATE_BUCKET(year, 3, CAST('9999-12-31' AS date)) AS d, DATE_BUCKET(day, 7, CAST('0001-01-01' AS date)) AS e;
GO
