-- A variable that a SELECT assigns from itself is assigned for each row, however many rows before did not match.
CREATE TABLE dbo.several (k int NOT NULL PRIMARY KEY, n int NOT NULL);
INSERT dbo.several SELECT value, value % 7 FROM GENERATE_SERIES(1, 2000);
GO
DECLARE @times int = 0, @sum bigint = 0, @rows int;
SELECT @times = @times + 1, @sum = @sum + k FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000;
SET @rows = @@ROWCOUNT;
SELECT @times AS times, @sum AS sum, @rows AS rows, (SELECT COUNT(*) FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000) AS counted,
    (SELECT SUM(k) FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000) AS summed;
GO
DECLARE @list varchar(max) = '';
SELECT @list = @list + CAST(k AS varchar(10)) + ',' FROM dbo.several WHERE n = 3 AND k > 1900 ORDER BY k;
SELECT @list AS list;
GO
-- Nor are there more rows than were asked for.
SET ROWCOUNT 3;
SELECT k FROM dbo.several WHERE n * 3 > 17 AND k > 990;
SELECT TOP (2) k FROM dbo.several WHERE n * 3 > 17 AND k > 500;
SET ROWCOUNT 0;
GO
