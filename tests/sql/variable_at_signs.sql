-- Variables whose names begin with two at signs or more: learn.microsoft.com/sql/t-sql/language-elements/variables-transact-sql ("Names of some
-- Transact-SQL system functions begin with two at signs"), "Reserved": only the functions' own names are taken.
DECLARE @@x int = 5; SET @@x += 1; SELECT @@x AS v;
GO
DECLARE @@x int, @@@y int = 2; SELECT @@x = @@@y; PRINT @@x;
GO
CREATE PROCEDURE twice @@a int, @@b int OUTPUT AS SET @@b = @@a * 2;
GO
DECLARE @@r int; EXEC twice @@a = 4, @@b = @@r OUTPUT; PRINT @@r; EXEC twice 5, @@r OUTPUT; PRINT @@r;
GO
DECLARE @@t TABLE (a int); INSERT @@t VALUES (1), (2); SELECT COUNT(*) AS n FROM @@t; SELECT a FROM @@t WHERE a = @@ROWCOUNT;
GO
DECLARE @@c CURSOR; SET @@c = CURSOR FOR SELECT 1 AS a; OPEN @@c; FETCH @@c; CLOSE @@c; DEALLOCATE @@c;
GO
EXEC sp_executesql N'SELECT @@p AS v', N'@@p int', @@p = 3;
GO
DECLARE @ int = 4, @x# int = 5, @$y int = 6, @1 int = 7; SELECT @ AS a, @x# AS b, @$y AS c, @1 AS d;
GO
-- What has not been declared; what is a function's name.
SELECT @@nosuch;
GO
SET @@nosuch = 1;
GO
DECLARE @@rowcount int;
GO
SET @@ROWCOUNT = 1;
GO
DECLARE @a int; SELECT @@TRANCOUNT = 1, @a = 2;
GO
