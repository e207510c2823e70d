-- https://learn.microsoft.com/sql/relational-databases/tables/use-table-valued-parameters-database-engine: functions take them READONLY.
CREATE TYPE dbo.numbers AS TABLE (n int PRIMARY KEY, s varchar(10))
CREATE TYPE dbo.others AS TABLE (n int PRIMARY KEY, s varchar(10))
GO
CREATE FUNCTION dbo.inline_rows (@t dbo.numbers READONLY, @least int) RETURNS TABLE AS RETURN (SELECT n, s FROM @t AS x WHERE n >= @least)
GO
CREATE FUNCTION dbo.total (@t dbo.numbers READONLY) RETURNS int AS BEGIN RETURN (SELECT SUM(n) FROM @t) END
GO
CREATE FUNCTION dbo.several (@t dbo.numbers READONLY, @times int) RETURNS @r TABLE (n int, s varchar(20)) AS
BEGIN
  INSERT @r SELECT n * @times, s FROM @t
  INSERT @r SELECT COUNT(*), 'rows' FROM @t
  RETURN
END
GO
CREATE FUNCTION dbo.outer_rows (@t dbo.numbers READONLY) RETURNS TABLE AS RETURN (SELECT i.n, dbo.total(@t) AS all_n FROM dbo.inline_rows(@t, 2) i)
GO
DECLARE @t dbo.numbers, @e dbo.numbers
INSERT @t VALUES (1, 'a'), (2, 'b'), (3, 'c')
SELECT * FROM dbo.inline_rows(@t, 2) ORDER BY n
SELECT dbo.total(@t) AS total, dbo.total(@e) AS empty, dbo.total(DEFAULT) AS defaulted
SELECT * FROM dbo.several(@t, 10) ORDER BY s, n
SELECT * FROM dbo.outer_rows(@t) ORDER BY n
SELECT COUNT(*) AS none FROM dbo.inline_rows(DEFAULT, 0)
SELECT x.n, dbo.total(@t) - x.n AS rest FROM @t x CROSS APPLY dbo.inline_rows(@t, x.n) y WHERE y.n = 3 ORDER BY x.n
DECLARE @sum int = dbo.total(@t)
SET @sum += dbo.total(@t)
SELECT @sum AS twice
IF dbo.total(@t) = 6 PRINT 'six'
DELETE @t WHERE n = 1
SELECT dbo.total(@t) AS total
GO
CREATE PROCEDURE dbo.p @t dbo.numbers READONLY AS SELECT dbo.total(@t) AS total, (SELECT COUNT(*) FROM dbo.inline_rows(@t, 2)) AS others
GO
DECLARE @t dbo.numbers
INSERT @t VALUES (4, 'd'), (1, 'a')
EXEC dbo.p @t
GO
-- Only a variable of the type goes in.
DECLARE @o dbo.others
SELECT dbo.total(@o)
GO
DECLARE @o TABLE (n int PRIMARY KEY, s varchar(10))
SELECT * FROM dbo.inline_rows(@o, 1)
GO
SELECT dbo.total(5)
GO
SELECT dbo.total(NULL)
GO
CREATE FUNCTION dbo.wrong (@t dbo.numbers) RETURNS int AS BEGIN RETURN 1 END
GO
CREATE FUNCTION dbo.wrong (@t dbo.numbers READONLY) RETURNS int AS BEGIN DELETE @t RETURN 1 END
GO
SELECT p.name, p.is_readonly, TYPE_NAME(p.user_type_id) AS type FROM sys.parameters p WHERE p.object_id = OBJECT_ID('dbo.total') AND p.parameter_id = 1
DROP TYPE dbo.numbers
GO
