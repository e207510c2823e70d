-- https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql, "Limitations and restrictions": a function has no side effects.
CREATE TABLE t (a int)
GO
CREATE FUNCTION f1 () RETURNS int AS BEGIN INSERT t VALUES (1) RETURN 1 END
GO
CREATE FUNCTION f2 () RETURNS float AS BEGIN RETURN RAND() END
GO
CREATE FUNCTION f3 () RETURNS TABLE AS RETURN (SELECT NEWID() AS n)
GO
CREATE FUNCTION f4 () RETURNS int AS
BEGIN
  PRINT 'x'
  SELECT a FROM t
  BEGIN TRY SELECT @@SPID END TRY BEGIN CATCH RETURN 1 END CATCH
  EXEC ('SELECT 1')
  SET NOCOUNT ON
  RETURN 1
END
GO
CREATE FUNCTION f5 () RETURNS int AS BEGIN DECLARE @a int IF @a IS NULL RETURN 1 ELSE RETURN 2 END
GO
CREATE FUNCTION f6 () RETURNS int AS BEGIN RETURN (SELECT COUNT(*) FROM #x) END
GO
CREATE FUNCTION f7 () RETURNS @r TABLE (a int) AS BEGIN UPDATE t SET a = 1 BEGIN TRANSACTION DROP TABLE t RETURN END
GO
-- These are permitted: table variables, also by an alias, cursors of its own, extended procedures.
CREATE FUNCTION f8 (@n int) RETURNS @r TABLE (a int) AS
BEGIN
  DECLARE @v TABLE (a int)
  DECLARE @a int
  DECLARE c CURSOR LOCAL FOR SELECT a FROM t ORDER BY a
  OPEN c
  FETCH c INTO @a
  WHILE @@FETCH_STATUS = 0
  BEGIN
    INSERT @v VALUES (@a)
    FETCH c INTO @a
  END
  CLOSE c
  DEALLOCATE c
  UPDATE x SET a = a + @n FROM @v AS x;
  WITH d AS (SELECT a FROM @v WHERE a > 12) DELETE d
  INSERT @r SELECT a FROM @v
  SELECT @a = COUNT(*) FROM @r
  INSERT @r VALUES (-@a)
  RETURN
END
GO
INSERT t VALUES (1), (2), (3)
SELECT * FROM f8(10) ORDER BY a
GO
-- A procedure cannot be called, which shows when it is.
CREATE PROCEDURE p AS SELECT 1
GO
CREATE FUNCTION f9 () RETURNS int AS BEGIN DECLARE @r int EXEC @r = p RETURN @r END
GO
SELECT dbo.f9()
GO
CREATE FUNCTION f10 () RETURNS int AS BEGIN EXEC sp_who RETURN 1 END
GO
SELECT dbo.f10()
GO
-- https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql: a scalar function is called by EXECUTE as well.
CREATE FUNCTION twice (@a int, @b int = 5) RETURNS varchar(20) AS BEGIN RETURN CONCAT(@a * 2, '/', @b) END
GO
DECLARE @r varchar(20), @i int
EXEC @r = dbo.twice 4, 1
SELECT @r AS r
EXEC @r = twice @a = 3
SELECT @r AS r
EXEC @r = dbo.twice @b = DEFAULT, @a = 1
SELECT @r AS r
EXEC dbo.twice 1
EXEC @i = dbo.twice 1
GO
CREATE FUNCTION calls (@a int) RETURNS int AS BEGIN DECLARE @r varchar(20) EXEC @r = dbo.twice @a RETURN LEN(@r) END
GO
SELECT dbo.calls(100) AS n
EXEC sp_executesql N'DECLARE @r int EXEC @r = dbo.calls 7 SELECT @r AS r'
GO
CREATE FUNCTION divides (@a int) RETURNS int AS BEGIN RETURN 1 / @a END
GO
DECLARE @r int
EXEC @r = dbo.divides 0
SELECT 'after' AS a, @r AS r
BEGIN TRY EXEC @r = dbo.divides 0 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n END CATCH
GO
