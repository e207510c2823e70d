-- 9809: a style that CONVERT does not have for date, time, datetime2 and datetimeoffset; 281 for the older types.
-- https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
SELECT CONVERT(varchar(30), CAST('2020-01-02' AS date), 140);
GO
SELECT CONVERT(nvarchar(30), CAST('10:11' AS time(0)), 140);
GO
SELECT CONVERT(datetime2, '2020-01-02', 140);
GO
SELECT TRY_CONVERT(date, '2020-01-02', 140) a, CONVERT(date, '02/01/2020', 103) b, CONVERT(varchar(30), CAST('2020-01-02' AS date), 103) c;
GO
SELECT CONVERT(varchar(30), CAST('2020-01-02' AS datetime), 140);
GO
