-- Decimals of one scale are compared as they are, whatever their precision and the bytes that it takes: 9, 19 and 28 digits are the steps. https://learn.microsoft.com/sql/t-sql/data-types/decimal-and-numeric-transact-sql
CREATE TABLE dbo.dp (k int PRIMARY KEY, a decimal(9, 2) NOT NULL, b decimal(10, 2) NOT NULL, c numeric(20, 2) NOT NULL, d decimal(38, 2) NULL)
INSERT dbo.dp VALUES (1, 0, 0, 0, 0), (2, 1.25, 1.25, 1.25, 1.25), (3, -3.5, -3.5, -3.5, -3.5), (4, 7, 99999999.99, 999999999999999999.99, NULL)
GO
SELECT x.k FROM dbo.dp x INNER HASH JOIN dbo.dp y ON x.a = y.b ORDER BY 1
SELECT x.k FROM dbo.dp x INNER HASH JOIN dbo.dp y ON x.b = y.c ORDER BY 1
SELECT x.k FROM dbo.dp x INNER HASH JOIN dbo.dp y ON x.c = y.d ORDER BY 1
SELECT x.k FROM dbo.dp x INNER HASH JOIN dbo.dp y ON x.d = y.a ORDER BY 1
SELECT x.k FROM dbo.dp x INNER LOOP JOIN dbo.dp y ON x.a = y.b ORDER BY 1
SELECT x.k FROM dbo.dp x LEFT HASH JOIN dbo.dp y ON x.a = y.d WHERE y.k IS NULL ORDER BY 1
SELECT x.k, y.k FROM dbo.dp x FULL HASH JOIN dbo.dp y ON x.b = y.d ORDER BY 1, 2
GO
-- arithmetic gives another precision
SELECT k FROM dbo.dp WHERE a IN (SELECT d FROM (SELECT a - a AS d FROM dbo.dp) x) ORDER BY 1
SELECT k FROM dbo.dp WHERE a NOT IN (SELECT d FROM (SELECT a - a AS d FROM dbo.dp) x) ORDER BY 1
SELECT k FROM dbo.dp x WHERE EXISTS (SELECT 1 FROM dbo.dp y WHERE y.c + 0.00 = x.a) ORDER BY 1
SELECT a FROM dbo.dp INTERSECT SELECT b FROM dbo.dp ORDER BY 1
SELECT c FROM dbo.dp EXCEPT SELECT a FROM dbo.dp ORDER BY 1
SELECT v, COUNT(*) FROM (SELECT a AS v FROM dbo.dp UNION ALL SELECT d FROM dbo.dp) u GROUP BY v ORDER BY v
SELECT COUNT(DISTINCT v) FROM (SELECT a AS v FROM dbo.dp UNION ALL SELECT c FROM dbo.dp) u
SELECT x.k FROM dbo.dp x WHERE x.a = ANY (SELECT d FROM dbo.dp) ORDER BY 1
GO
-- an index of the narrower type, looked up by the wider one, which may have more digits than it can hold
CREATE INDEX i ON dbo.dp (a)
SELECT y.k FROM dbo.dp x INNER LOOP JOIN dbo.dp y WITH (INDEX (i)) ON y.a = x.b ORDER BY 1
SELECT x.k, (SELECT COUNT(*) FROM dbo.dp y WHERE y.a <= x.c) AS below FROM dbo.dp x ORDER BY 1
DROP TABLE dbo.dp
GO
