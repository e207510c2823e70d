-- Rows from before a column was added lie between later ones, with NULLs and values of several widths: each scan gives them in order. https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
CREATE DATABASE scan_mixed
GO
USE scan_mixed
GO
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, a smallint NULL, m money NULL, f float NULL, d decimal(20, 3) NULL)
INSERT dbo.t SELECT n * 2, n, n * 1.5, n / 4.0, n / 8.0 FROM (VALUES (1), (2), (3), (4), (5), (6)) v(n)
UPDATE dbo.t SET a = NULL, f = NULL WHERE id IN (4, 6)
ALTER TABLE dbo.t ADD b bigint NULL, u uniqueidentifier NULL
INSERT dbo.t SELECT n * 2 + 1, -n, -n * 1.5, -n / 4.0, -n / 8.0, n * 10000000000,
    CAST('00000000-0000-0000-0000-00000000000' + CAST(n AS char(1)) AS uniqueidentifier)
    FROM (VALUES (1), (2), (3), (4), (5), (6)) v(n)
GO
SELECT id, a, m, f, d, b, u FROM dbo.t ORDER BY id
SELECT id, b FROM dbo.t WHERE id BETWEEN 4 AND 9 ORDER BY id DESC
SELECT SUM(b), COUNT(b), COUNT(a), SUM(m), MAX(u) FROM dbo.t
GO
-- Looked up one by one, in another order than the keys', some not there.
SELECT v.n, t.a, t.b, t.f FROM (VALUES (9), (2), (40), (3), (3), (12)) v(n) LEFT JOIN dbo.t ON t.id = v.n ORDER BY v.n
SELECT COUNT(DISTINCT a), COUNT(DISTINCT b), COUNT(DISTINCT m), COUNT(DISTINCT u), COUNT(DISTINCT id % 3) FROM dbo.t
SELECT id % 2, COUNT(DISTINCT b), COUNT(DISTINCT id % 3) FROM dbo.t GROUP BY id % 2 ORDER BY 1
GO
USE master
DROP DATABASE scan_mixed
GO
