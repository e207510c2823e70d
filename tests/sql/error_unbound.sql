-- A query that cannot be bound ends its batch or module, whatever statement holds it. https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql
CREATE TABLE t (a int);
GO
DECLARE @i int;
DECLARE c CURSOR LOCAL FOR SELECT a FROM nope; OPEN c; FETCH c INTO @i; WHILE @@FETCH_STATUS = 0 FETCH c INTO @i;
PRINT 'not reached';
GO
DECLARE @c CURSOR, @i int;
SET @c = CURSOR FOR SELECT a FROM nope; OPEN @c; FETCH @c INTO @i; WHILE @@FETCH_STATUS = 0 FETCH @c INTO @i;
PRINT 'not reached';
GO
IF EXISTS (SELECT 1 FROM nope) PRINT 'not reached' ELSE PRINT 'not reached';
PRINT 'not reached';
GO
WHILE (SELECT COUNT(*) FROM nope) = 0 PRINT 'not reached';
PRINT 'not reached';
GO
DECLARE @v int = (SELECT a FROM nope);
PRINT 'not reached';
GO
DECLARE @v int;
SET @v = (SELECT a FROM nope);
PRINT 'not reached';
GO
DECLARE @v int = 0;
WHILE @v < 5 BEGIN SET @v += (SELECT a FROM nope); PRINT 'not reached'; END;
PRINT 'not reached';
GO
DECLARE @v int = 1;
SET @v += (SELECT a FROM nope);
PRINT 'not reached';
GO
INSERT t SELECT a FROM nope; PRINT 'not reached';
GO
SELECT a INTO #copy FROM nope; PRINT 'not reached';
GO
-- A module ends, its caller goes on; a CATCH of the caller has the error, one of the module has not.
CREATE PROCEDURE p AS RETURN (SELECT a FROM nope); PRINT 'not reached';
GO
DECLARE @r int = 7; EXEC @r = p; SELECT @r AS r;
GO
CREATE FUNCTION f () RETURNS int AS BEGIN IF EXISTS (SELECT 1 FROM nope) RETURN 1; RETURN (SELECT a FROM nope) END;
GO
SELECT dbo.f() AS f; PRINT 'goes on';
GO
CREATE OR ALTER PROCEDURE p AS
BEGIN TRY IF EXISTS (SELECT 1 FROM nope) PRINT 'not reached' END TRY
BEGIN CATCH PRINT 'not here' END CATCH;
PRINT 'not reached';
GO
BEGIN TRY EXEC p; PRINT 'not reached' END TRY BEGIN CATCH PRINT CONCAT('the caller has ', ERROR_NUMBER()) END CATCH;
GO
CREATE OR ALTER PROCEDURE p AS DECLARE c CURSOR LOCAL FOR SELECT a FROM nope; PRINT 'not reached';
GO
EXEC p; PRINT 'goes on';
GO
-- A cursor's table that goes between DECLARE and OPEN.
CREATE TABLE gone (a int);
GO
DECLARE c CURSOR LOCAL FOR SELECT a FROM gone;
DROP TABLE gone;
OPEN c;
PRINT 'not reached';
GO
-- RETURN of a query gives its value.
CREATE OR ALTER PROCEDURE p AS RETURN (SELECT COUNT(*) + 5 FROM t);
GO
DECLARE @r int; EXEC @r = p; SELECT @r AS r;
GO
-- What fails as it runs ends its statement.
DECLARE @v int = 1;
IF (SELECT 1 / (@v - 1) FROM sys.databases WHERE name = 'master') = 1 PRINT 'not reached';
SET @v = (SELECT a FROM (VALUES (1), (2)) AS x(a));
PRINT 'goes on';
GO
