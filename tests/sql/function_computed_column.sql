-- The table of a function has computed columns: stored ones, those of an index, and those that are computed when they are read. https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql
CREATE FUNCTION dbo.f(@n INT) RETURNS @r TABLE
(
    item NVARCHAR(20) NOT NULL PRIMARY KEY,
    as_int AS TRY_CONVERT(INT, item),
    kept AS LEN(item) PERSISTED,
    last_one AS REVERSE(item) + '!',
    n INT
) AS
BEGIN
    INSERT @r (item, n) SELECT CONCAT('1', value), value FROM GENERATE_SERIES(1, @n)
    INSERT @r (item) VALUES (N'x')
    UPDATE @r SET n = as_int WHERE n = 2
    RETURN
END
GO
SELECT * FROM dbo.f(3) ORDER BY item
SELECT as_int, item FROM dbo.f(3) WHERE as_int > 11 ORDER BY as_int
SELECT COUNT(as_int) AS n, MAX(last_one) AS m, SUM(kept) AS s FROM dbo.f(2)
SELECT a.v, d.as_int FROM (VALUES (1), (2)) AS a (v) CROSS APPLY dbo.f(a.v) AS d WHERE d.n = a.v
SELECT * INTO #t FROM dbo.f(1)
SELECT * FROM #t ORDER BY item
DROP TABLE #t
GO
CREATE FUNCTION dbo.g() RETURNS @r TABLE (a INT, b AS a + 1) AS BEGIN INSERT @r VALUES (1), (NULL) RETURN END
GO
SELECT b FROM dbo.g()
GO
DROP FUNCTION dbo.f, dbo.g
