-- https://learn.microsoft.com/sql/t-sql/functions/identity-function-transact-sql
CREATE TABLE t (id int IDENTITY, b varchar(5))
INSERT t VALUES ('x'), ('y'), ('z')
GO
SELECT IDENTITY(int, 1, 1) AS n, b INTO #a FROM t
SELECT COUNT(DISTINCT n) AS numbers, MIN(n) AS least, MAX(n) AS most FROM #a
INSERT #a VALUES ('w')
SELECT n, b FROM #a WHERE b = 'w'
SELECT n = IDENTITY(decimal(10, 0), 100, -5), b INTO #b FROM t WHERE b > 'x'
INSERT #b VALUES ('q')
SELECT n FROM #b ORDER BY n
SELECT b, IDENTITY(bigint) AS n INTO kept FROM t GROUP BY b
SELECT name, is_identity, is_nullable, TYPE_NAME(system_type_id) AS type FROM sys.columns WHERE object_id = OBJECT_ID('kept') ORDER BY column_id
SELECT seed_value, increment_value FROM sys.identity_columns WHERE object_id = OBJECT_ID('kept')
SELECT IDENTITY(smallint, 5, 1) AS n INTO #none FROM t WHERE 1 = 0
INSERT #none DEFAULT VALUES
SELECT n FROM #none
GO
SELECT IDENTITY(int, 1, 1) AS n, b FROM t
GO
SELECT id, IDENTITY(int, 1, 1) AS n INTO #c FROM t
GO
SELECT IDENTITY(int, 1, 1) AS n, IDENTITY(int, 1, 1) AS m INTO #c FROM t
GO
SELECT IDENTITY(varchar(5), 1, 1) AS n INTO #c FROM t
GO
