-- DATE_BUCKET: what is no width, no part and no origin of it, as SQL Server 2025 says.
-- https://learn.microsoft.com/sql/t-sql/functions/date-bucket-transact-sql
SELECT DATE_BUCKET(nanosecond, 1, CAST('2024-05-17' AS datetime2)) AS a;
GO
SELECT DATE_BUCKET(dayofyear, 1, CAST('2024-05-17' AS datetime2)) AS a;
GO
SELECT DATE_BUCKET(weekday, 1, CAST('2024-05-17' AS datetime2)) AS a;
GO
SELECT DATE_BUCKET(iso_week, 1, CAST('2024-05-17' AS datetime2)) AS a;
GO
SELECT DATE_BUCKET(tzoffset, 1, CAST('2024-05-17' AS datetimeoffset)) AS a;
GO
SELECT DATE_BUCKET(hour, 1, CAST('10:00' AS date)) AS a;
GO
SELECT DATE_BUCKET(millisecond, 1, CAST('10:00' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 1, CAST('10:00' AS time)) AS a;
GO
SELECT DATE_BUCKET(month, 1, CAST('10:00' AS time)) AS a;
GO
SELECT DATE_BUCKET(xx, 1, CAST('2024-05-17' AS date)) AS a;
GO
SELECT DATE_BUCKET('day', 1, CAST('2024-05-17' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 1) AS a;
GO
SELECT DATE_BUCKET(day, 1, '2024-05-17') AS a;
GO
SELECT DATE_BUCKET(day, 2, 5) AS a;
GO
SELECT DATE_BUCKET(day, '2', CAST('2024-05-17' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, NULL, CAST('2024-05-17' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 1, NULL) AS a;
GO
SELECT DATE_BUCKET(day, 1, CAST('2024-05-17' AS date), CAST('2024-01-01 10:00' AS datetime2)) AS a;
GO
SELECT DATE_BUCKET(day, 1, CAST('2024-05-17' AS datetime2), CAST('2024-01-01' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 1, CAST('2024-05-17' AS datetime), CAST('2024-01-01' AS smalldatetime)) AS a;
GO
SELECT DATE_BUCKET(day, 1, CAST('2024-05-17' AS datetime2), '2024-01-01') AS a;
GO
SELECT DATE_BUCKET(day, 2147483647, CAST('1800-01-01' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 3, CAST('1753-01-01' AS datetime)) AS a;
GO
SELECT DATE_BUCKET(year, 178956970, CAST('1800-01-01' AS date)) AS a;
GO
SELECT DATE_BUCKET(day, 1000000, CAST('1800-01-01' AS date)) AS a;
GO
SELECT DATE_BUCKET(year, 200000000, CAST('2024-05-17' AS date)) AS a, DATE_BUCKET(year, 100, CAST('1800-01-01' AS date)) AS b, DATE_BUCKET(year, 1000, CAST('1800-01-01' AS date)) AS c;
GO
