BEGIN TRY
    SELECT 1/0 AS x;
    PRINT 'never';
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS sev, ERROR_STATE() AS st, ERROR_LINE() AS ln, ERROR_PROCEDURE() AS pr, ERROR_MESSAGE() AS msg;
END CATCH
SELECT ERROR_NUMBER() AS outside;
GO
CREATE PROC p_fail AS
BEGIN
    DECLARE @x int;
    SET @x = CAST('abc' AS int);
END
GO
BEGIN TRY
    EXEC p_fail;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS sev, ERROR_STATE() AS st, ERROR_LINE() AS ln, ERROR_PROCEDURE() AS pr, ERROR_MESSAGE() AS msg;
END CATCH
GO
EXEC p_fail;
PRINT 'a conversion error ends the batch';
GO
-- Nested.
BEGIN TRY
    BEGIN TRY
        SELECT 1/0;
    END TRY
    BEGIN CATCH
        PRINT 'inner ' + ERROR_MESSAGE();
        SELECT CAST('zz' AS int);
    END CATCH
END TRY
BEGIN CATCH
    PRINT 'outer ' + ERROR_MESSAGE();
    BEGIN TRY
        THROW 50001, 'third', 2;
    END TRY
    BEGIN CATCH
        PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_STATE(), ' ', ERROR_SEVERITY(), ' ', ERROR_MESSAGE());
    END CATCH
    PRINT 'again outer ' + ERROR_MESSAGE();
END CATCH
GO
-- THROW without arguments raises the caught error again.
BEGIN TRY
    SELECT 1/0;
END TRY
BEGIN CATCH
    THROW;
END CATCH
PRINT 'not reached';
GO
THROW 50000, 'plain throw', 7;
PRINT 'not reached';
GO
THROW 49999, 'too small', 1;
GO
THROW;
GO
DECLARE @m nvarchar(100) = N'from variables 100%', @n int = 60000, @st int = 3;
THROW @n, @m, @st;
GO
-- @@ERROR belongs to the last statement.
SELECT 1/0;
SELECT @@ERROR AS e;
SELECT @@ERROR AS e;
GO
-- Errors of the inner batch (missing objects, syntax) are caught one level up only.
BEGIN TRY
    SELECT * FROM not_there;
END TRY
BEGIN CATCH
    PRINT 'not caught here';
END CATCH
GO
BEGIN TRY
    EXEC ('SELECT * FROM not_there');
END TRY
BEGIN CATCH
    PRINT ERROR_MESSAGE();
END CATCH
GO
BEGIN TRY
    EXEC ('SELEC 1');
END TRY
BEGIN CATCH
    PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_MESSAGE());
END CATCH
GO
BEGIN TRY
    EXEC no_such_proc;
END TRY
BEGIN CATCH
    PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_SEVERITY(), ' ', ERROR_STATE(), ' ', ERROR_MESSAGE());
END CATCH
GO
-- Severity 10 and below is not an error.
BEGIN TRY
    RAISERROR('just a note', 10, 1);
    PRINT 'went on';
    RAISERROR('caught %d %s', 11, 5, 42, 'x');
    PRINT 'never';
END TRY
BEGIN CATCH
    PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_SEVERITY(), ' ', ERROR_STATE(), ' ', ERROR_LINE(), ' ', ERROR_MESSAGE());
END CATCH
GO
CREATE PROC p_catch AS
BEGIN TRY
    RAISERROR('inside', 16, 1);
END TRY
BEGIN CATCH
    PRINT 'handled in ' + ERROR_PROCEDURE();
    RETURN 77;
END CATCH
GO
DECLARE @r int; EXEC @r = p_catch; SELECT @r AS r, @@ERROR AS e;
GO
BEGIN TRY
END TRY
BEGIN CATCH
END CATCH
PRINT 'empty blocks';
GO
-- GOTO out of a TRY block is allowed, into one is not.
BEGIN TRY
    GOTO out_of_it;
END TRY
BEGIN CATCH
END CATCH
out_of_it:
PRINT 'out';
GO
-- https://learn.microsoft.com/sql/t-sql/language-elements/try-catch-transact-sql
