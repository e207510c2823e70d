-- https://learn.microsoft.com/sql/relational-databases/indexes/indexes-on-computed-columns: what is kept of a computed column is the same
-- whenever it is computed.
CREATE TABLE a (x int, c AS GETDATE() PERSISTED)
GO
CREATE TABLE a (x int, c AS CONVERT(float, RAND()) PERSISTED)
GO
CREATE TABLE a (x varchar(20), c AS CONVERT(datetime, x) PERSISTED)
GO
CREATE TABLE a (x datetime, c AS DATENAME(month, x) PERSISTED)
GO
CREATE TABLE a (x int, c AS SUSER_SNAME() + CONVERT(varchar(10), x) PERSISTED)
GO
CREATE TABLE a (x int, c AS NEWID())
CREATE INDEX i ON a (c)
GO
CREATE TABLE b (x float, c AS x * 2)
CREATE INDEX i ON b (c)
GO
CREATE TABLE c (x float, c AS x * 2 CONSTRAINT uq_c UNIQUE)
GO
CREATE FUNCTION f (@x int) RETURNS int AS BEGIN RETURN @x END
GO
CREATE TABLE c (x int, c AS dbo.f(x) PERSISTED)
GO
ALTER TABLE a ADD d AS GETUTCDATE() PERSISTED
GO
-- These are deterministic.
CREATE FUNCTION g (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @x END
GO
CREATE TABLE c (x varchar(20), d datetime, n int, f float, c1 AS CONVERT(datetime, x, 120) PERSISTED, c2 AS YEAR(d) PERSISTED, c3 AS DATEPART(month, d), c4 AS dbo.g(n),
  c5 AS f * 2 PERSISTED, c6 AS UPPER(x) + 'x', c7 AS CONVERT(date, d), c8 AS DATEADD(day, n, d), c9 AS CONVERT(varchar(10), d, 112), c10 AS COALESCE(n, 0) PERSISTED NOT NULL PRIMARY KEY)
CREATE INDEX i ON c (c3, c4, c6, c7, c8, c9)
CREATE INDEX j ON c (c5)
INSERT c (x, d, n, f) VALUES ('2024-01-02', '2024-05-06', 3, 1.5)
SELECT c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 FROM c
SELECT COLUMNPROPERTY(OBJECT_ID('c'), 'c5', 'IsPrecise') AS precise, COLUMNPROPERTY(OBJECT_ID('c'), 'c2', 'IsPrecise') AS precise_2
GO
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
CREATE TABLE d (x int, c AS (SELECT 1))
GO
CREATE TABLE d (x int CHECK (x IN (SELECT 1)))
GO
CREATE TABLE d (x int DEFAULT (SELECT 1))
GO
CREATE TABLE d (x int CHECK (y > 0), y int)
GO
CREATE TABLE d (x rowversion, y timestamp)
GO
CREATE TABLE d (x uniqueidentifier ROWGUIDCOL, y uniqueidentifier ROWGUIDCOL)
GO
CREATE TABLE d (x char(8000), y char(100))
GO
CREATE TABLE d (x char(8000), y varchar(8000), z int, CHECK (z > LEN(x)))
GO
CREATE TABLE #t (x int)
GO
CREATE VIEW v AS SELECT x FROM #t
GO
CREATE VIEW v AS SELECT 1 AS x INTO #u
GO
SELECT ORIGINAL_DB_NAME() AS database_of_login, COLUMNPROPERTY(OBJECT_ID('d'), 'x', 'IsXmlIndexable') AS indexable
GO
