-- What is inlineable, and which calls are inlined: the plan has the function's name where it is called.
-- https://learn.microsoft.com/sql/relational-databases/user-defined-functions/scalar-udf-inlining
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-modules-transact-sql
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, v int NULL, x xml NULL);
CREATE TYPE dbo.number FROM int;
GO
CREATE FUNCTION dbo.plain(@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
CREATE FUNCTION dbo.[off](@a int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @a + 1 END
GO
CREATE FUNCTION dbo.[on](@a int) RETURNS int WITH INLINE = ON, EXECUTE AS CALLER AS BEGIN RETURN @a + 1 END
GO
CREATE FUNCTION dbo.bound(@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(v) FROM dbo.t WHERE id < @a) END
GO
CREATE FUNCTION dbo.reads(@a int) RETURNS int AS BEGIN DECLARE @v int; SELECT @v = v FROM dbo.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.[first](@a int) RETURNS int AS BEGIN RETURN (SELECT TOP 1 v FROM dbo.t WHERE id < @a ORDER BY id DESC) END
GO
CREATE FUNCTION dbo.strict(@a int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS BEGIN RETURN @a END
GO
CREATE FUNCTION dbo.calls(@a int) RETURNS int AS BEGIN RETURN dbo.[off](@a) END
GO
CREATE FUNCTION dbo.who(@a int) RETURNS int AS BEGIN RETURN @@SPID + USER_ID() + ISNULL(ERROR_NUMBER(), 0) END
GO
CREATE FUNCTION dbo.grows(@a int) RETURNS int AS BEGIN SELECT @a = @a + 1; RETURN @a END
GO
CREATE FUNCTION dbo.now(@a int) RETURNS datetime AS BEGIN RETURN GETDATE() END
GO
CREATE FUNCTION dbo.now2(@a int) RETURNS datetime AS BEGIN RETURN CURRENT_TIMESTAMP END
GO
CREATE FUNCTION dbo.counts(@a int) RETURNS int AS BEGIN RETURN @@ROWCOUNT END
GO
CREATE FUNCTION dbo.returns_twice(@a int) RETURNS int AS BEGIN IF @a > 1 RETURN 1; RETURN 2 END
GO
CREATE FUNCTION dbo.loops(@a int) RETURNS int AS BEGIN WHILE @a > 10 SET @a = @a - 1; RETURN @a END
GO
CREATE FUNCTION dbo.keeps(@a int) RETURNS int AS BEGIN DECLARE @t TABLE (a int); INSERT @t VALUES (@a); RETURN (SELECT a FROM @t) END
GO
CREATE FUNCTION dbo.itself(@a int) RETURNS int AS BEGIN DECLARE @r int = 0; IF @a > 0 SET @r = dbo.itself(@a - 1); RETURN @r END
GO
CREATE FUNCTION dbo.as_owner(@a int) RETURNS int WITH EXECUTE AS OWNER AS BEGIN RETURN @a END
GO
CREATE FUNCTION dbo.of_xml(@a xml) RETURNS int AS BEGIN RETURN @a.value('(/a)[1]', 'int') END
GO
CREATE FUNCTION dbo.adds(@a int) RETURNS int AS BEGIN DECLARE @s int = 0; SELECT @s = @s + v FROM dbo.t; RETURN @s END
GO
CREATE FUNCTION dbo.adds_too(@a int) RETURNS int AS BEGIN DECLARE @s int = 0; SELECT @s += v FROM dbo.t; RETURN @s END
GO
CREATE FUNCTION dbo.in_order(@a int) RETURNS int AS BEGIN DECLARE @s int; SELECT @s = v FROM dbo.t ORDER BY id; RETURN @s END
GO
CREATE FUNCTION dbo.some_rows(@a int) RETURNS int AS BEGIN RETURN (SELECT MAX(v) FROM (SELECT TOP 5 v FROM dbo.t ORDER BY id) q) END
GO
CREATE FUNCTION dbo.with_cte(@a int) RETURNS int AS BEGIN DECLARE @s int; WITH c AS (SELECT v FROM dbo.t) SELECT @s = MAX(v) FROM c; RETURN @s END
GO
CREATE FUNCTION dbo.joins_text(@a int) RETURNS varchar(100) AS BEGIN RETURN (SELECT STRING_AGG(v, ',') FROM dbo.t) END
GO
CREATE FUNCTION dbo.of_type(@a dbo.number) RETURNS int AS BEGIN RETURN @a END
GO
CREATE FUNCTION dbo.gives_aggregate(@a int) RETURNS int AS BEGIN RETURN (SELECT dbo.plain(MAX(v)) FROM dbo.t) END
GO
CREATE FUNCTION dbo.of_rows(@a int) RETURNS TABLE AS RETURN SELECT @a AS a
GO
CREATE FUNCTION dbo.of_table(@a int) RETURNS @t TABLE (a int) AS BEGIN RETURN END
GO
CREATE PROCEDURE dbo.proc_ AS SELECT 1
GO
CREATE VIEW dbo.view_ AS SELECT 1 AS a
GO
SELECT o.name, o.type, m.inline_type, m.is_inlineable FROM sys.sql_modules m JOIN sys.objects o ON o.object_id = m.object_id ORDER BY m.is_inlineable DESC, m.inline_type, o.name
GO
-- "If INLINE = ON is specified but the UDF is found ineligible for inlining, an error will be thrown."
CREATE FUNCTION dbo.never(@a int) RETURNS int WITH INLINE = ON AS BEGIN WHILE @a > 10 SET @a = @a - 1; RETURN @a END
GO
ALTER FUNCTION dbo.[off](@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
SELECT inline_type, is_inlineable FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.off')
GO
ALTER FUNCTION dbo.[off](@a int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @a + 1 END
GO
INSERT dbo.t (id, v) SELECT value, value FROM GENERATE_SERIES(1, 50)
GO
SET SHOWPLAN_TEXT ON
GO
SELECT dbo.plain(v) FROM dbo.t
GO
SELECT dbo.[off](v) FROM dbo.t
GO
SELECT dbo.reads(v) FROM dbo.t
GO
SELECT dbo.bound(v) FROM dbo.t
GO
SELECT dbo.calls(v) FROM dbo.t
GO
SELECT id FROM dbo.t WHERE id = dbo.plain(3)
GO
SELECT dbo.returns_twice(v), dbo.now(v), dbo.counts(v) FROM dbo.t
GO
SELECT dbo.plain(v) FROM dbo.t OPTION (USE HINT ('DISABLE_TSQL_SCALAR_UDF_INLINING'))
GO
SELECT dbo.plain(v) FROM dbo.t OPTION (USE HINT ('QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_140'))
GO
SELECT dbo.plain(v), COUNT(*) FROM dbo.t GROUP BY dbo.plain(v)
GO
SELECT DISTINCT dbo.plain(v) FROM dbo.t ORDER BY dbo.plain(v)
GO
SELECT id FROM dbo.t ORDER BY dbo.plain(v)
GO
SELECT dbo.plain(v) FROM dbo.t GROUP BY ROLLUP (v)
GO
WITH c AS (SELECT v FROM dbo.t) SELECT dbo.plain(v) FROM c
GO
SELECT dbo.plain(MAX(v)) FROM dbo.t
GO
DECLARE @x int, @y int SELECT @y = 2, @x = dbo.plain(@y) FROM dbo.t
GO
DECLARE @x int, @y int = 2 SELECT @x = dbo.plain(@y) FROM dbo.t
GO
SET SHOWPLAN_TEXT OFF
GO
-- The database's switch, and its level of compatibility.
ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = OFF
SELECT name, CONVERT(int, value) AS value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'TSQL_SCALAR_UDF_INLINING'
GO
SET SHOWPLAN_TEXT ON
GO
SELECT dbo.plain(v) FROM dbo.t
GO
SET SHOWPLAN_TEXT OFF
GO
ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = ON
SELECT name, CONVERT(int, value) AS value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'TSQL_SCALAR_UDF_INLINING'
ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 140
GO
SET SHOWPLAN_TEXT ON
GO
SELECT dbo.plain(v) FROM dbo.t
GO
SET SHOWPLAN_TEXT OFF
GO
ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 150
GO
SET SHOWPLAN_TEXT ON
GO
SELECT dbo.plain(v) FROM dbo.t
GO
SET SHOWPLAN_TEXT OFF
GO
-- Not in a computed column, nor in a CHECK.
CREATE TABLE dbo.c (a int, b AS dbo.plain(a), CONSTRAINT above CHECK (dbo.plain(a) > 0))
GO
INSERT dbo.c (a) VALUES (1), (2)
INSERT dbo.c (a) VALUES (-1)
SELECT a, b FROM dbo.c ORDER BY a
GO
SET SHOWPLAN_TEXT ON
GO
SELECT b FROM dbo.c
GO
SET SHOWPLAN_TEXT OFF
GO
