-- What SQL Server refuses, with its numbers: "Database Engine events and errors". https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
CREATE TABLE t (a int, b AS a * 2 PERSISTED, i int IDENTITY);
GO
DECLARE c INSENSITIVE CURSOR LOCAL FOR SELECT 1;
GO
DECLARE c SCROLL CURSOR STATIC READ_ONLY FOR SELECT 1;
GO
DECLARE c CURSOR FORWARD_ONLY SCROLL FOR SELECT 1;
GO
DECLARE c CURSOR FAST_FORWARD OPTIMISTIC FOR SELECT 1;
GO
DECLARE c CURSOR LOCAL FORWARD_ONLY STATIC READ_ONLY FOR SELECT 1; OPEN c; CLOSE c;
GO
DECLARE @c int; OPEN @c;
GO
DECLARE @c int; FETCH NEXT FROM @c;
GO
DECLARE @c int; SET @c = CURSOR FOR SELECT 1;
GO
OPEN @nothing;
GO
CREATE TRIGGER tr ON t FOR INSERT, UPDATE, INSERT AS SELECT 1;
GO
CREATE PROCEDURE p @c CURSOR AS SELECT 1;
GO
CREATE PROCEDURE p @c CURSOR OUTPUT AS SELECT 1;
GO
CREATE FUNCTION f() RETURNS text AS BEGIN RETURN 'a' END;
GO
CREATE TABLE w (a int, CONSTRAINT d DEFAULT 0 FOR a);
GO
ALTER TABLE t ADD CONSTRAINT d DEFAULT 0 FOR b;
GO
CREATE TABLE parent (k int PRIMARY KEY);
CREATE TABLE child (a int, b AS a * 2 PERSISTED NOT NULL REFERENCES parent (k) ON DELETE SET NULL);
GO
CREATE TABLE child (a int, b AS a * 2 PERSISTED NOT NULL REFERENCES parent (k) ON UPDATE CASCADE);
GO
CREATE TABLE w (a ntext SPARSE);
GO
CREATE TABLE w (a int SPARSE NOT NULL);
GO
CREATE VIEW v WITH SCHEMABINDING AS SELECT a FROM dbo.t;
GO
CREATE INDEX i ON v (a) WHERE a > 1;
GO
TRUNCATE TABLE v;
GO
ALTER TABLE t DISABLE TRIGGER nothing;
GO
DISABLE TRIGGER nothing ON t;
GO
CREATE VIEW unnamed AS SELECT a + 1 FROM t;
GO
CREATE FUNCTION unnamed() RETURNS TABLE AS RETURN SELECT a + 1 FROM t;
GO
CREATE PROCEDURE nothing AS SELECT 1 AS a;
GO
EXEC nothing 1;
GO
EXEC nothing @a = 1;
GO
EXEC sp_columns @bad = 1;
GO
DECLARE @s nvarchar(max); EXEC sp_executesql @s; EXEC sp_executesql NULL; PRINT 'nothing ran';
GO
EXEC sp_executesql;
GO
SELECT CONVERT(varchar(20), CAST(1 AS money), 2.5);
GO
SELECT CONVERT(varchar(20), CAST(1 AS money), '2');
GO
DECLARE @v sql_variant = CAST('a' AS nvarchar(max));
GO
SELECT CAST(CAST('a' AS nvarchar(max)) AS sql_variant);
GO
DECLARE @v varchar(8000) = REPLICATE('x', 7501); EXEC sp_addextendedproperty 'long', @v;
GO
DECLARE @v varchar(8000) = REPLICATE('x', 7500); EXEC sp_addextendedproperty 'long', @v, 'schema ', 'dbo ', 'table', 't ';
SELECT DATALENGTH(value) AS bytes FROM sys.extended_properties WHERE name = 'long';
GO
SELECT 'a' COLLATE catalog_default AS a, 'b' COLLATE database_default AS b;
CREATE TABLE collated (a varchar(5) COLLATE catalog_default, b varchar(5) COLLATE database_default);
GO
-- sp_rename finds out what the name is of.
EXEC sp_rename 'dbo.t.a', 'c';
GO
CREATE TABLE r (a int, INDEX ix (a));
EXEC sp_rename 'dbo.r.a', 'b';
EXEC sp_rename 'r.ix', 'iy';
EXEC sp_rename 'r', 's';
SELECT c.name, i.name AS [index] FROM sys.columns c JOIN sys.indexes i ON i.object_id = c.object_id AND i.name IS NOT NULL WHERE c.object_id = OBJECT_ID('s');
EXEC sp_rename 'r.nothing', 'x';
GO
