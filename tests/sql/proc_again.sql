-- An EXEC that runs again knows what it called, as long as its name stands for that: each of these would show what was called before. https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
CREATE PROCEDURE p @a tinyint, @b int = 10, @out int = 0 OUTPUT AS
SET NOCOUNT ON;
SET @out = @out + @a + @b;
RETURN @@NESTLEVEL * 100 + @a;
GO
CREATE PROCEDURE calls_p @times int AS
SET NOCOUNT ON;
DECLARE @i int = 0, @r int, @o int = 0, @all int = 0;
WHILE @i < @times
BEGIN
    EXEC @r = p @i, @out = @o OUTPUT;
    SET @all += @r; SET @i += 1;
END
SELECT @r AS r, @o AS o, @all AS "all";
GO
EXEC calls_p 5;
GO
-- The values it gets are not what its parameters take, then they are again.
DECLARE @i int = 254, @r int, @o int = 0, @said varchar(60);
WHILE @i < 258
BEGIN
    SET @said = 'well';
    BEGIN TRY EXEC @r = p @a = @i, @out = @o OUTPUT; END TRY
    BEGIN CATCH SET @said = CONCAT(ERROR_NUMBER(), ' ', ERROR_PROCEDURE(), ' ', ERROR_LINE()); END CATCH
    SELECT @i AS i, @r AS r, @o AS o, @said AS said;
    SET @i += 1;
END
GO
-- Altered, dropped and made again between two of its calls; then there is none.
DECLARE @i int = 0, @r int;
WHILE @i < 5
BEGIN
    SET @r = -1;
    EXEC @r = p 1;
    PRINT CONCAT(@i, ': ', @r);
    IF @i = 0 EXEC ('ALTER PROCEDURE p @a int AS RETURN 1000 + @a');
    IF @i = 1 EXEC ('DROP PROCEDURE p; EXEC (''CREATE PROCEDURE p @a int, @b int = 5 AS RETURN @a + @b'')');
    IF @i = 2 BEGIN BEGIN TRAN; EXEC ('ALTER PROCEDURE p @a int AS RETURN 2000 + @a'); END
    IF @i = 3 BEGIN ROLLBACK; EXEC ('DROP PROCEDURE p'); END
    SET @i += 1;
END
GO
-- A synonym that goes from one to another.
CREATE PROCEDURE one AS RETURN 1;
GO
CREATE PROCEDURE two AS RETURN 2;
GO
CREATE SYNONYM p FOR one;
GO
DECLARE @i int = 0, @r int;
WHILE @i < 3
BEGIN
    EXEC @r = p;
    PRINT @r;
    IF @i = 0 EXEC ('DROP SYNONYM p; CREATE SYNONYM p FOR two');
    SET @i += 1;
END
GO
-- Another database, where the name is another procedure's.
DECLARE @here sysname = DB_NAME(), @i int = 0, @r int;
EXEC ('USE tempdb; EXEC (''CREATE PROCEDURE dbo.two AS RETURN 22'')');
DECLARE @use nvarchar(200) = N'DECLARE @r int, @i int = 0; WHILE @i < 4 BEGIN EXEC @r = dbo.two; PRINT CONCAT(DB_NAME(), '' '', @r); IF @i % 2 = 0 USE tempdb ELSE USE '
    + QUOTENAME(@here) + N'; SET @i += 1; END';
EXEC sp_executesql @use;
EXEC ('USE tempdb; DROP PROCEDURE dbo.two');
GO
-- Of the session's own.
DECLARE @i int = 0, @r int;
WHILE @i < 3
BEGIN
    EXEC ('DROP PROCEDURE IF EXISTS #mine');
    DECLARE @text nvarchar(100) = CONCAT('CREATE PROCEDURE #mine AS RETURN ', @i);
    EXEC (@text);
    EXEC @r = #mine; EXEC #mine;
    PRINT @r;
    SET @i += 1;
END
GO
-- Into itself, once too deep; transactions that it leaves open, and settings that it does not.
CREATE PROCEDURE deeper @n int AS
IF @n > 0 BEGIN SET @n -= 1; DECLARE @r int; EXEC @r = deeper @n; RETURN @r + 1; END
RETURN @@NESTLEVEL;
GO
DECLARE @i int = 29, @r int = 0;
WHILE @i < 33 BEGIN EXEC @r = deeper @i; PRINT @r; SET @i += 1; END
GO
CREATE PROCEDURE opens AS BEGIN TRAN; SET XACT_ABORT ON;
GO
DECLARE @i int = 0;
WHILE @i < 2 BEGIN EXEC opens; SET @i += 1; END
SELECT @@TRANCOUNT AS open_ones, @@OPTIONS & 16384 AS xact_abort;
ROLLBACK;
GO
-- Natively compiled.
CREATE TABLE t (k int NOT NULL CONSTRAINT pk_t PRIMARY KEY NONCLUSTERED, n int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.native_put @k int NOT NULL, @n bigint = 1, @text varchar(3) = 'abc', @out varchar(20) OUTPUT WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    INSERT dbo.t (k, n) VALUES (@k, @n);
    SET @out = @text + '!';
    RETURN @k + 1;
END
GO
DECLARE @k int = 0, @r int = 0, @o varchar(20), @given varchar(10) = 'x', @said varchar(60);
WHILE @r < 8
BEGIN
    SET @said = 'well';
    BEGIN TRY
        EXEC @k = native_put @k, @text = @given, @out = @o OUTPUT;
        SET @said = CONCAT(@said, ' ', @@ROWCOUNT, ' ', @@NESTLEVEL, ' ', @@TRANCOUNT);
    END TRY
    BEGIN CATCH SET @said = CONCAT(ERROR_NUMBER(), ' ', ERROR_PROCEDURE(), ' ', ERROR_LINE()); END CATCH
    PRINT CONCAT(@k, ' ', @o, ' ', @said);
    SET @given += 'y';
    IF @r = 3 SET @k = NULL;
    IF @r = 5 SET @k = 2;
    IF @r = 6 SET @k = 10;
    SET @r += 1;
END
SELECT k, n FROM t ORDER BY k;
GO
DECLARE @i int = 100, @o varchar(20);
WHILE @i < 104 BEGIN EXEC native_put @i, DEFAULT, 'q', @o OUTPUT; SET @i += 1; PRINT @o; END
EXEC native_put @i, @i, @o, @o OUTPUT;
SELECT @o AS o, COUNT(*) AS rows, SUM(n) AS n FROM t;
GO
