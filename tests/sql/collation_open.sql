-- Unicode columns of two collations may be put together: what comes of it has no collation, which is told where one is needed (4191), and
-- where it becomes a column of a result (451). COLLATE, an assignment and INSERT give it one.
-- https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql
CREATE TABLE t (a nvarchar(10) COLLATE Latin1_General_CI_AS, b nvarchar(10) COLLATE Latin1_General_BIN2, v varchar(10) COLLATE French_CI_AS)
INSERT t VALUES (N'x', N'y', 'z')
CREATE TABLE kept (s nvarchar(50))
GO
SELECT 1 AS one, a + b AS both FROM t
GO
SELECT CONCAT(a, '-', b) AS both FROM t
GO
SELECT COALESCE(a, b) AS either FROM t
GO
SELECT IIF(a = N'x', a, b) AS either FROM t
GO
SELECT (a + N'!') + (N'?' + b) AS both FROM t
GO
SELECT d.s FROM (SELECT CAST(a + b AS nvarchar(5)) AS s FROM t) d
GO
SELECT a FROM t UNION ALL SELECT b FROM t
GO
SELECT 1 FROM t ORDER BY a + b
GO
SELECT LEN(a + b) FROM t
GO
SELECT UPPER(CONCAT(a, b)) FROM t
GO
SELECT 1 FROM t WHERE a + b = N'xy'
GO
SELECT 1 FROM t WHERE a + b LIKE N'x%'
GO
SELECT REPLACE(a + b, N'x', N'') FROM t
GO
SELECT MAX(a + b) FROM t
GO
-- Directly between the two: 468.
SELECT 1 FROM t WHERE a = b
GO
SELECT a FROM t UNION SELECT b FROM t
GO
-- Text of a code page cannot stay without one: 457.
SELECT v + CAST(b AS varchar(10)) FROM t
GO
DECLARE @s nvarchar(20)
SELECT @s = a + b FROM t
SELECT @s AS assigned
INSERT kept SELECT a + b FROM t
SELECT s FROM kept
SELECT (a + b) COLLATE Latin1_General_BIN2 AS told, LEN((a + b) COLLATE Latin1_General_CI_AS) AS counted, a + b COLLATE Latin1_General_BIN2 AS explicit FROM t
SELECT 1 AS found FROM t WHERE a + b = N'xy' COLLATE Latin1_General_CI_AS
SELECT ISNULL(a, b) AS first, DATALENGTH(a) AS bytes FROM t WHERE EXISTS (SELECT a + b FROM t)
GO
