-- Natively compiled modules that call one another: machine code calls machine code, with the same answers as the interpreter's. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/supported-features-for-natively-compiled-t-sql-modules
CREATE TABLE dbo.t (k int NOT NULL CONSTRAINT pk_t PRIMARY KEY NONCLUSTERED, n bigint NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.inner_one @k int, @n bigint = 7, @out bigint OUTPUT, @sure int NOT NULL = 1
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    INSERT dbo.t (k, n) VALUES (@k, @n);
    IF @n = 13 THROW 50013, N'thirteen', 1;
    SET @out = @out + @n;
    RETURN @k + @sure;
END
GO
CREATE FUNCTION dbo.twice(@a bigint) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    RETURN @a * 2;
END
GO
CREATE FUNCTION dbo.rows_below(@k int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @n int;
    SELECT @n = COUNT(*) FROM dbo.t WHERE k < @k;
    RETURN @n + dbo.twice(@k);
END
GO
CREATE PROCEDURE dbo.outer_one @k int, @n bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @out bigint = 100, @status int, @rows int, @text varchar(40) = 'no error', @line int, @procedure nvarchar(128), @below int, @null int;
    BEGIN TRY
        EXEC @status = dbo.inner_one @k, @n, @out OUTPUT;
        SET @rows = @@ROWCOUNT;
        EXEC dbo.inner_one @k = @status, @out = @out OUTPUT;
        SET @below = dbo.rows_below(@k + 5);
    END TRY
    BEGIN CATCH
        SET @text = ERROR_MESSAGE(); SET @line = ERROR_LINE(); SET @procedure = ERROR_PROCEDURE();
    END CATCH
    SELECT @status AS status, @out AS out, @rows AS rows, @below AS below, @text AS text, @line AS line, @procedure AS "procedure";
END
GO
EXEC dbo.outer_one 1, 10;
EXEC dbo.outer_one 20, NULL;
-- The second call meets the key of the first, the third an error of its own: what each has done is taken back, and only that.
EXEC dbo.outer_one 20, 5;
EXEC dbo.outer_one 30, 13;
SELECT k, n FROM dbo.t ORDER BY k;
GO
-- Not caught.
CREATE PROCEDURE dbo.uncaught @k int, @n bigint WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @out bigint = 0;
    EXEC dbo.inner_one @k, @n, @out OUTPUT;
    EXEC dbo.inner_one @k, @n, @out OUTPUT;
END
GO
EXEC dbo.uncaught 50, 1;
GO
EXEC dbo.uncaught 51, 13;
GO
SELECT COUNT(*) AS none FROM dbo.t WHERE k >= 50;
GO
-- A value that its parameter or variable does not take.
CREATE PROCEDURE dbo.unfit @which int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @big bigint = 3000000000, @out bigint = 0, @small tinyint = 250, @null int, @sure int NOT NULL = 1, @value int;
    IF @which = 1 EXEC dbo.inner_one @big, 1, @out OUTPUT;
    IF @which = 2 EXEC dbo.inner_one 61, 1, @out OUTPUT, @null;
    IF @which = 3 EXEC dbo.inner_one 61, 200, @small OUTPUT;
    IF @which = 4 EXEC dbo.inner_one 61, @null, @sure OUTPUT;
    IF @which = 5 SET @value = dbo.twice(@big);
    IF @which = 6 IF dbo.twice(@big) = 1 SET @value = 5;
END
GO
EXEC dbo.unfit 1;
GO
EXEC dbo.unfit 2;
GO
EXEC dbo.unfit 3;
GO
EXEC dbo.unfit 4;
GO
EXEC dbo.unfit 5;
GO
EXEC dbo.unfit 6;
GO
SELECT COUNT(*) AS none FROM dbo.t WHERE k >= 50;
GO
-- Calls within calls are bounded.
CREATE PROCEDURE dbo.deeper @n int, @deepest int OUTPUT WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') SET @deepest = @n; END
GO
ALTER PROCEDURE dbo.deeper @n int, @deepest int OUTPUT WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @next int = @n - 1;
    SET @deepest = @n;
    IF @n > 0 EXEC dbo.deeper @next, @deepest OUTPUT;
END
GO
DECLARE @deepest int = -1;
EXEC dbo.deeper 31, @deepest OUTPUT;
SELECT @deepest AS deepest;
GO
DECLARE @deepest int = -1;
EXEC dbo.deeper 32, @deepest OUTPUT;
SELECT @deepest AS deepest;
GO
-- Calls are counted, also those that machine code makes.
EXEC sys.sp_xtp_control_proc_exec_stats 1;
GO
DECLARE @deepest int;
EXEC dbo.deeper 4, @deepest OUTPUT;
SELECT execution_count FROM sys.dm_exec_procedure_stats WHERE object_id = OBJECT_ID('dbo.deeper');
EXEC sys.sp_xtp_control_proc_exec_stats 0;
GO
-- One that is altered is called as it is now.
ALTER PROCEDURE dbo.inner_one @k int, @n bigint = 7, @out bigint OUTPUT WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') SET @out = -1; END
GO
EXEC dbo.outer_one 70, 2;
GO
