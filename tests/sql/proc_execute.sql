CREATE PROCEDURE p_add @a int, @b int = 10, @sum int OUTPUT AS
BEGIN
    SET @sum = @a + @b;
    RETURN @a;
END
GO
DECLARE @r int, @s int;
EXEC @r = p_add 1, 2, @s OUTPUT;
SELECT @r AS r, @s AS s;
EXEC @r = p_add @a = 5, @sum = @s OUT;
SELECT @r AS r, @s AS s;
EXEC @r = p_add @sum = @s OUTPUT, @b = DEFAULT, @a = 7;
SELECT @r AS r, @s AS s;
EXEC p_add 1, 2, @s;
SELECT @s AS unchanged;
GO
p_add 3, 4, 0
GO
EXEC p_add;
GO
EXEC p_add 1, 2, 3, 4;
GO
EXEC p_add @a = 1, @nope = 2, @sum = 0;
GO
EXEC p_add @a = 1, 2, 3;
GO
EXEC p_add 'x', 1, 0;
GO
EXEC no_such_procedure;
GO
DECLARE @r int;
EXEC @r = sys.no_such_procedure 1;
PRINT 'goes on';
GO
DECLARE @name nvarchar(50) = N'p_add', @s int;
EXEC @name 20, 22, @s OUTPUT;
SELECT @s AS s;
GO
ALTER PROCEDURE p_add @a int AS SELECT @a AS a, @@NESTLEVEL AS nest, OBJECT_NAME(@@PROCID) AS name;
GO
EXEC p_add 1;
GO
CREATE PROC p_void AS PRINT 'in p_void';
GO
DECLARE @r int = 99; EXEC @r = p_void; SELECT @r AS r;
EXEC ('PRINT ''dynamic''; SELECT 1 AS one');
DECLARE @q varchar(100) = 'SELECT ', @w varchar(10) = '2';
EXEC (@q + @w + ' AS two');
EXEC sp_executesql N'SELECT @x * 2 AS doubled', N'@x int', @x = 21;
EXEC sp_executesql N'SET @y = @x + 1', N'@x int, @y int OUTPUT', 5, @r OUTPUT;
SELECT @r AS r;
DECLARE @rc int;
EXEC @rc = sp_executesql N'SELECT 1/0 AS bad';
SELECT @rc AS rc, @@ERROR AS err;
GO
EXEC ('SELECT @hidden');
GO
DECLARE @hidden int = 1;
EXEC ('SELECT @hidden');
PRINT 'goes on';
GO
EXEC ('SELECT 1 FROM nowhere');
PRINT 'after a missing table';
GO
EXEC ('SELEC 1');
PRINT 'after a syntax error';
GO
CREATE PROC p_recurse @n int AS
BEGIN
    IF @n > 0 BEGIN SET @n -= 1; EXEC p_recurse @n; END
    ELSE PRINT CONCAT('bottom at ', @@NESTLEVEL);
END
GO
EXEC p_recurse 3;
GO
EXEC p_recurse 40;
GO
CREATE PROC p_null AS RETURN NULL;
GO
DECLARE @r int = 5; EXEC @r = p_null; SELECT @r AS r;
GO
CREATE PROC p_return_fraction AS RETURN 1.9;
GO
DECLARE @r int; EXEC @r = p_return_fraction; SELECT @r AS r;
GO
CREATE PROC p_dup AS SELECT 1
GO
DROP PROC p_dup;
DROP PROC p_dup;
GO
DROP PROC IF EXISTS p_dup;
PRINT 'fine';
GO
-- A procedure may name a table that does not exist yet.
CREATE PROC p_later AS SELECT * FROM made_later;
GO
EXEC p_later;
PRINT 'next statement';
GO
CREATE TABLE made_later(a int);
GO
EXEC p_later;
GO
CREATE PROC p_error AS
BEGIN
    PRINT 'start';
    SELECT 1/0 AS x;
    PRINT 'after';
    RETURN 3;
END
GO
DECLARE @r int; EXEC @r = p_error; SELECT @r AS r;
GO
-- The name may come from a variable of any type.
DECLARE @name int = 5; EXEC @name;
GO
DECLARE @name varchar(20) = 'dbo.p_error', @r int; EXEC @r = @name; SELECT @r AS r;
GO
-- https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
