-- What a SET changes in a module or in dynamic text is the caller's again when that returns, however it ends: each option by each way
-- in. https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
CREATE VIEW options_now AS
SELECT CONCAT_WS(' ', @@OPTIONS, ansi_defaults, date_first, date_format, language, lock_timeout, text_size,
       transaction_isolation_level, deadlock_priority) AS all_of_them
FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
GO
CREATE TABLE fired (a int);
CREATE TABLE options (number int IDENTITY PRIMARY KEY, statement nvarchar(100));
INSERT options VALUES ('SET ANSI_DEFAULTS ON'), ('SET ANSI_NULL_DFLT_OFF ON'), ('SET ANSI_NULL_DFLT_ON OFF'), ('SET ANSI_NULLS OFF'),
    ('SET ANSI_PADDING OFF'), ('SET ANSI_WARNINGS OFF'), ('SET ARITHABORT OFF'), ('SET ARITHIGNORE ON'),
    ('SET CONCAT_NULL_YIELDS_NULL OFF'), ('SET CURSOR_CLOSE_ON_COMMIT ON'), ('SET DATEFIRST 3'), ('SET DATEFORMAT ydm'),
    ('SET DEADLOCK_PRIORITY LOW'), ('SET IMPLICIT_TRANSACTIONS ON'), ('SET LANGUAGE French'), ('SET LOCK_TIMEOUT 7'),
    ('SET NOCOUNT OFF'), ('SET QUOTED_IDENTIFIER OFF'), ('SET TEXTSIZE 77'),
    ('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'), ('SET XACT_ABORT ON'), ('SET ROWCOUNT 1'), ('SET FMTONLY ON'), ('SET NOEXEC ON'),
    ('SET FORCEPLAN ON'), ('SET STATISTICS IO ON'), ('SET IDENTITY_INSERT options ON');
GO
SET NOCOUNT ON;
DECLARE @number int = 1, @statement nvarchar(100), @before nvarchar(400), @handle int, @rows int;
DECLARE @seen TABLE (a int);
WHILE @number <= (SELECT MAX(number) FROM options)
BEGIN
    SELECT @statement = statement FROM options WHERE number = @number;
    SELECT @before = all_of_them FROM options_now;
    EXEC ('CREATE OR ALTER PROCEDURE sets AS ' + @statement);
    EXEC ('CREATE OR ALTER TRIGGER sets_too ON fired AFTER INSERT AS ' + @statement);
    EXEC (@statement);
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'EXEC(): ' + @statement;
    EXEC sp_executesql @statement;
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'sp_executesql: ' + @statement;
    EXEC sp_prepare @handle OUTPUT, N'', @statement;
    EXEC sp_execute @handle;
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'sp_execute: ' + @statement;
    EXEC sp_prepexec @handle OUTPUT, N'', @statement;
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'sp_prepexec: ' + @statement;
    EXEC sets;
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'a procedure: ' + @statement;
    INSERT fired VALUES (1);
    IF @before <> (SELECT all_of_them FROM options_now) PRINT 'a trigger: ' + @statement;
    BEGIN TRY
        SET @statement += N'; THROW 50000, N''ended by an error'', 1';
        EXEC sp_executesql @statement;
    END TRY
    BEGIN CATCH
        IF @before <> (SELECT all_of_them FROM options_now) PRINT 'an error: ' + @statement;
    END CATCH;
    -- What the view does not show shows here: a row less, or none.
    INSERT @seen SELECT TOP (2) number FROM options;
    SET @rows = @@ROWCOUNT;
    IF @rows <> 2 PRINT 'rows after ' + @statement;
    SET @number += 1;
END;
SELECT @number - 1 AS options_seen, COUNT(*) AS fired FROM fired;
GO
-- So they are after an error that nobody catches, and over batches.
SET NOCOUNT OFF;
EXEC sp_executesql N'SET ROWCOUNT 1; SET DATEFORMAT dmy; SELECT 1 / 0 AS failed';
SELECT number FROM options WHERE number < 3;
GO
SELECT number FROM options WHERE number < 3;
SELECT MONTH('01/02/2024') AS mdy;
GO
-- The transaction that is open has the caller's settings again, too.
BEGIN TRANSACTION;
EXEC sp_executesql N'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT COUNT(*) AS inside FROM fired';
SELECT COUNT(*) AS outside FROM fired WHERE a > 5;
SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
COMMIT;
GO
-- USE is undone as well; CONTEXT_INFO and the session's context are no options and stay.
EXEC sp_executesql N'USE master; SET CONTEXT_INFO 0x0102; EXEC sp_set_session_context N''k'', 5';
SELECT DB_NAME() AS here, context_info AS info, SESSION_CONTEXT(N'k') AS k FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
GO
-- The same of what a client calls.
{call sp_executesql(N'SET ROWCOUNT 1; SET DATEFIRST 3; SET LOCK_TIMEOUT 7; SET LANGUAGE German; SET FMTONLY ON')}
GO
{call sp_prepexec(NULL, N'', N'SET ROWCOUNT 1; SET XACT_ABORT ON; SELECT 1 / 0 AS failed')}
GO
{call sets}
GO
SELECT number FROM options WHERE number < 3;
SELECT @@DATEFIRST AS first, @@LOCK_TIMEOUT AS lock_timeout, @@LANGUAGE AS language, @@OPTIONS & 16384 AS xact_abort;
GO
