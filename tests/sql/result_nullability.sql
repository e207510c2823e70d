-- https://learn.microsoft.com/sql/t-sql/queries/select-into-clause-transact-sql: which values make a column that may be NULL. The page of
-- COALESCE says it of that and ISNULL alone; the others are as SQL Server 2025 answers.
CREATE TABLE dbo.given (k int NOT NULL, n int, s varchar(20) NOT NULL, z varchar(20), d datetime NOT NULL, day date NOT NULL, m decimal(9, 2) NOT NULL, f float NOT NULL, w bigint NOT NULL)
INSERT dbo.given VALUES (7, NULL, 'a', NULL, '2001-02-03', '2001-02-03', 1.5, 1, 1)
GO
-- A row of each statement, its values by what is told of them.
CREATE PROCEDURE dbo.told @name sysname AS
SELECT is_nullable, STRING_AGG(CAST(name AS nvarchar(max)), N'  ') WITHIN GROUP (ORDER BY column_id) AS told FROM sys.columns WHERE object_id = OBJECT_ID(@name) GROUP BY is_nullable ORDER BY is_nullable
GO
SELECT k AS [k], n AS [n], 1 AS [1], 'x' AS ['x'], -1 AS [-1], -k AS [-k], ~k AS [~k], (k) AS [(k)], k + k AS [k + k], k & k AS [k & k], k & n AS [k & n], s + s AS [s + s], s + z AS [s + z], 'a' + 'b' AS ['a' + 'b'], 0x01 + 0x02 AS [0x01 + 0x02], s COLLATE Latin1_General_CI_AS AS [s COLLATE Latin1_General_CI_AS] INTO dbo.made0 FROM dbo.given
EXEC dbo.told 'dbo.made0'
GO
SELECT CEILING(m) AS [CEILING(m)], ROUND(m, 1) AS [ROUND(m, 1)], ROUND(m, n) AS [ROUND(m, n)], SIGN(k) AS [SIGN(k)], RADIANS(k) AS [RADIANS(k)], ABS(k) AS [ABS(k)], SQRT(k) AS [SQRT(k)], LEN(s) AS [LEN(s)], UPPER(s) AS [UPPER(s)], YEAR(d) AS [YEAR(d)] INTO dbo.made1 FROM dbo.given
EXEC dbo.told 'dbo.made1'
GO
SELECT GREATEST(k, 1) AS [GREATEST(k, 1)], GREATEST(k, n) AS [GREATEST(k, n)], GREATEST(m, 1) AS [GREATEST(m, 1)], LEAST(k, 1) AS [LEAST(k, 1)], DATEFROMPARTS(k, 1, 1) AS [DATEFROMPARTS(k, 1, 1)], DATEFROMPARTS(n, 1, 1) AS [DATEFROMPARTS(n, 1, 1)], DATETIME2FROMPARTS(k, 1, 1, 0, 0, 0, 0, 0) AS [DATETIME2FROMPARTS(k, 1, 1, 0, 0, 0, 0, 0)] INTO dbo.made2 FROM dbo.given
EXEC dbo.told 'dbo.made2'
GO
SELECT PI() AS [PI()], GETDATE() AS [GETDATE()], SYSDATETIMEOFFSET() AS [SYSDATETIMEOFFSET()], CURRENT_TIMESTAMP AS [CURRENT_TIMESTAMP], NEWID() AS [NEWID()], RAND() AS [RAND()], ROWCOUNT_BIG() AS [ROWCOUNT_BIG()], MIN_ACTIVE_ROWVERSION() AS [MIN_ACTIVE_ROWVERSION()], CURRENT_REQUEST_ID() AS [CURRENT_REQUEST_ID()], SCOPE_IDENTITY() AS [SCOPE_IDENTITY()] INTO dbo.made3 FROM dbo.given
EXEC dbo.told 'dbo.made3'
GO
SELECT @@ROWCOUNT AS [@@ROWCOUNT], @@SPID AS [@@SPID], @@TRANCOUNT AS [@@TRANCOUNT], @@PROCID AS [@@PROCID], @@IDENTITY AS [@@IDENTITY] INTO dbo.made4 FROM dbo.given
EXEC dbo.told 'dbo.made4'
GO
SELECT CONCAT(z, z) AS [CONCAT(z, z)], CONCAT_WS(',', z, z) AS [CONCAT_WS(',', z, z)], NULLIF(1, 2) AS [NULLIF(1, 2)], NULLIF(1, 1) AS [NULLIF(1, 1)], NULLIF(k, 2) AS [NULLIF(k, 2)], ISNULL(n, 0) AS [ISNULL(n, 0)], ISNULL(n, n) AS [ISNULL(n, n)] INTO dbo.made5 FROM dbo.given
EXEC dbo.told 'dbo.made5'
GO
SELECT COALESCE(k, 0) AS [COALESCE(k, 0)], COALESCE(n, 0) AS [COALESCE(n, 0)], COALESCE(k, n) AS [COALESCE(k, n)], COALESCE(k, NULL) AS [COALESCE(k, NULL)], COALESCE(NULL, k) AS [COALESCE(NULL, k)], COALESCE(5, n) AS [COALESCE(5, n)] INTO dbo.made6 FROM dbo.given
EXEC dbo.told 'dbo.made6'
GO
SELECT COALESCE(m, 0) AS [COALESCE(m, 0)], COALESCE(m, 0.0) AS [COALESCE(m, 0.0)], COALESCE(m, 2147483647) AS [COALESCE(m, 2147483647)], COALESCE(k, f) AS [COALESCE(k, f)], COALESCE(w, f) AS [COALESCE(w, f)], COALESCE(m, f) AS [COALESCE(m, f)], COALESCE(f, 1.5) AS [COALESCE(f, 1.5)] INTO dbo.made7 FROM dbo.given
EXEC dbo.told 'dbo.made7'
GO
SELECT COALESCE(day, d) AS [COALESCE(day, d)], COALESCE(day, CAST('2001-01-01' AS datetime2(7))) AS [COALESCE(day, CAST('2001-01-01' AS datetime2(7)))], COALESCE(s, 'a text that the column has no room for') AS [COALESCE(s, 'a text that the column has no room for')] INTO dbo.made8 FROM dbo.given
EXEC dbo.told 'dbo.made8'
GO
SELECT IIF(k > 1, 1, 2) AS [IIF(k > 1, 1, 2)], IIF(1 = 1, 5, NULL) AS [IIF(1 = 1, 5, NULL)], IIF(1 = 2, 5, NULL) AS [IIF(1 = 2, 5, NULL)], IIF(k = 1, m, 0) AS [IIF(k = 1, m, 0)] INTO dbo.made9 FROM dbo.given
EXEC dbo.told 'dbo.made9'
GO
SELECT CASE WHEN 1 = 1 THEN 5 END AS [CASE WHEN 1 = 1 THEN 5 END], CASE WHEN 1 = 2 THEN 5 END AS [CASE WHEN 1 = 2 THEN 5 END], CASE WHEN 1 = 1 THEN n END AS [CASE WHEN 1 = 1 THEN n END], CASE WHEN 1 = 2 THEN n ELSE 5 END AS [CASE WHEN 1 = 2 THEN n ELSE 5 END], CASE WHEN NULL = 1 THEN 5 END AS [CASE WHEN NULL = 1 THEN 5 END] INTO dbo.made10 FROM dbo.given
EXEC dbo.told 'dbo.made10'
GO
SELECT CASE WHEN k = 1 THEN 5 WHEN 1 = 1 THEN n END AS [CASE WHEN k = 1 THEN 5 WHEN 1 = 1 THEN n END], CASE WHEN 1 = 1 THEN 5 WHEN k = 1 THEN n END AS [CASE WHEN 1 = 1 THEN 5 WHEN k = 1 THEN n END], CASE 1 WHEN 1 THEN 5 END AS [CASE 1 WHEN 1 THEN 5 END], CASE k WHEN 1 THEN 5 END AS [CASE k WHEN 1 THEN 5 END] INTO dbo.made11 FROM dbo.given
EXEC dbo.told 'dbo.made11'
GO
SELECT CASE WHEN 1 IN (1, 2) THEN 5 END AS [CASE WHEN 1 IN (1, 2) THEN 5 END], CASE WHEN 1 BETWEEN 0 AND 2 THEN 5 END AS [CASE WHEN 1 BETWEEN 0 AND 2 THEN 5 END], CASE WHEN NOT (1 = 2) THEN 5 END AS [CASE WHEN NOT (1 = 2) THEN 5 END], CASE WHEN 1 IS NOT NULL THEN 5 END AS [CASE WHEN 1 IS NOT NULL THEN 5 END], CASE WHEN EXISTS (SELECT 1) THEN 5 END AS [CASE WHEN EXISTS (SELECT 1) THEN 5 END] INTO dbo.made12 FROM dbo.given
EXEC dbo.told 'dbo.made12'
GO
SELECT ROW_NUMBER() OVER (ORDER BY k) AS [ROW_NUMBER() OVER (ORDER BY k)], (SELECT TOP 1 k FROM dbo.given) AS [(SELECT TOP 1 k FROM dbo.given)] INTO dbo.made13 FROM dbo.given
EXEC dbo.told 'dbo.made13'
GO
-- Of rows that are written out and of those of UNION: what any of them may be.
SELECT * INTO dbo.rows_made FROM (VALUES (1, 1, 'a'), (2, NULL, 'b')) AS v (never, maybe, word)
SELECT k AS never, k AS maybe INTO dbo.union_made FROM dbo.given UNION ALL SELECT 1, n FROM dbo.given
EXEC dbo.told 'dbo.rows_made'
EXEC dbo.told 'dbo.union_made'
GO
