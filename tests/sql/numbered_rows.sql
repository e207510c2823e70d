-- Row numbers in the order of nothing: no row is sorted, the numbers are an order themselves, and who wants the first of them
-- reads no more rows. The numbers table that everybody makes of cross joins has four billion rows.
-- https://learn.microsoft.com/sql/t-sql/functions/row-number-transact-sql
WITH L0 AS (SELECT 1 AS c UNION ALL SELECT 1),
     L1 AS (SELECT 1 AS c FROM L0 AS a CROSS JOIN L0 AS b),
     L2 AS (SELECT 1 AS c FROM L1 AS a CROSS JOIN L1 AS b),
     L3 AS (SELECT 1 AS c FROM L2 AS a CROSS JOIN L2 AS b),
     L4 AS (SELECT 1 AS c FROM L3 AS a CROSS JOIN L3 AS b),
     L5 AS (SELECT 1 AS c FROM L4 AS a CROSS JOIN L4 AS b),
     Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM L5)
SELECT COUNT(*) AS rows, MIN(n) AS low, MAX(n) AS high FROM (SELECT TOP (10000) n FROM Nums ORDER BY n) AS d
GO
CREATE FUNCTION dbo.GetNums(@low AS BIGINT, @high AS BIGINT) RETURNS TABLE AS RETURN
WITH L0 AS (SELECT c FROM (VALUES (1), (1)) AS d(c)),
     L1 AS (SELECT 1 AS c FROM L0 AS a CROSS JOIN L0 AS b),
     L2 AS (SELECT 1 AS c FROM L1 AS a CROSS JOIN L1 AS b),
     L3 AS (SELECT 1 AS c FROM L2 AS a CROSS JOIN L2 AS b),
     L4 AS (SELECT 1 AS c FROM L3 AS a CROSS JOIN L3 AS b),
     L5 AS (SELECT 1 AS c FROM L4 AS a CROSS JOIN L4 AS b),
     Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT 1)) AS rownum FROM L5)
SELECT TOP (@high - @low + 1) @low + rownum - 1 AS n FROM Nums ORDER BY rownum
GO
SELECT n FROM dbo.GetNums(11, 15)
SELECT SUM(n) AS total FROM dbo.GetNums(1, 5000)
GO
-- A predicate instead of TOP.
DECLARE @to INT = 4, @none INT, @size BIGINT = 3, @page INT = 2;
WITH L0 AS (SELECT 1 AS c UNION ALL SELECT 1), L1 AS (SELECT 1 AS c FROM L0 AS a CROSS JOIN L0 AS b),
     L2 AS (SELECT 1 AS c FROM L1 AS a CROSS JOIN L1 AS b), L3 AS (SELECT 1 AS c FROM L2 AS a CROSS JOIN L2 AS b),
     L4 AS (SELECT 1 AS c FROM L3 AS a CROSS JOIN L3 AS b), L5 AS (SELECT 1 AS c FROM L4 AS a CROSS JOIN L4 AS b),
     Nums AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT @to)) AS n FROM L5)
SELECT 'at most' AS asked, n FROM Nums WHERE n <= 3
UNION ALL SELECT 'less', n FROM Nums WHERE 3 > n
UNION ALL SELECT 'is', n FROM Nums WHERE n = @to
UNION ALL SELECT 'between', n FROM Nums WHERE n BETWEEN @to AND @to + 1
UNION ALL SELECT 'page', n FROM Nums WHERE n > (@page - 1) * @size AND n <= @page * @size
UNION ALL SELECT 'negative', n FROM Nums WHERE n <= -1
UNION ALL SELECT 'nothing', n FROM Nums WHERE n <= @none
GO
-- Only where the numbers go through all rows, and only of row numbers.
CREATE TABLE t (id INT PRIMARY KEY, g INT, v INT)
INSERT t VALUES (1, 1, 10), (2, 1, 10), (3, 2, 10), (4, 2, 20), (5, 3, 30)
SELECT id, n FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id) AS n FROM t) AS d WHERE n <= 1 ORDER BY id
SELECT id, n FROM (SELECT id, RANK() OVER (ORDER BY v) AS n FROM t) AS d WHERE n <= 1 ORDER BY id
SELECT id, n, c FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS n, COUNT(*) OVER () AS c FROM t) AS d WHERE n <= 2
SELECT id, n FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS n FROM t) AS d WHERE n <= 2 ORDER BY id
SELECT g, id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS n FROM t ORDER BY g, n
SELECT g, id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) AS n FROM t ORDER BY n, g
SELECT g, id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM t ORDER BY n DESC
SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS a, ROW_NUMBER() OVER (ORDER BY v DESC, id) AS b FROM t ORDER BY b
SELECT TOP (2) WITH TIES id FROM t ORDER BY (SELECT NULL)
SELECT id FROM t WHERE g = 2 ORDER BY (SELECT 1) OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY
GO
DROP FUNCTION dbo.GetNums
DROP TABLE t
GO
-- A cross join is sorted before it, where its first rows by columns of one table are asked for.
CREATE TABLE s (id INT PRIMARY KEY, v INT)
INSERT s SELECT value, value % 7 FROM GENERATE_SERIES(1, 3000)
SELECT COUNT(*) AS rows, MAX(n) AS high, SUM(n) AS total
FROM (SELECT TOP (100000) ROW_NUMBER() OVER (ORDER BY a.v) AS n FROM s AS a CROSS JOIN s AS b CROSS JOIN s AS c) AS d
SELECT TOP (3) a.v, ROW_NUMBER() OVER (ORDER BY a.v DESC) AS n FROM s AS a CROSS JOIN s AS b CROSS JOIN s AS c ORDER BY n
SELECT DISTINCT v FROM (SELECT TOP (5000) a.v FROM s AS a CROSS JOIN s AS b CROSS JOIN s AS c ORDER BY a.v DESC) AS d
SELECT TOP (4) x.id, y.k FROM (VALUES (3), (1), (2)) AS x (id) JOIN (VALUES (1), (2), (3)) AS y (k) ON y.k >= x.id ORDER BY x.id DESC, y.k
SELECT TOP (2) x.id, y.k FROM (VALUES (3), (1), (2)) AS x (id) LEFT JOIN (VALUES (1), (2), (3)) AS y (k) ON y.k > x.id ORDER BY x.id DESC
DROP TABLE s
