-- EXECUTE ('text') AS USER or LOGIN: https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
CREATE USER reader_of_text WITHOUT LOGIN;
CREATE TABLE dbo.kept (a int);
INSERT dbo.kept VALUES (7);
CREATE TABLE dbo.seen (who sysname);
GO
EXEC ('SELECT USER_NAME() AS who') AS USER = 'reader_of_text';
SELECT USER_NAME() AS who;
DECLARE @u sysname = N'reader_of_text';
EXEC ('SELECT USER_NAME() AS who') AS USER = @u;
EXEC ('EXEC (''SELECT USER_NAME() AS inner_one''); SELECT USER_NAME() AS outer_one') AS USER = 'reader_of_text';
GO
-- The rows are inserted as whom the statement runs.
INSERT dbo.seen EXEC ('SELECT USER_NAME()') AS USER = 'reader_of_text';
SELECT who, USER_NAME() AS now FROM dbo.seen;
GO
EXEC ('SELECT a FROM dbo.kept') AS USER = 'reader_of_text';
GO
SELECT USER_NAME() AS who;
GO
BEGIN TRY EXEC ('SELECT a FROM dbo.kept') AS USER = 'reader_of_text'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS caught, USER_NAME() AS who; END CATCH
GO
EXEC ('SELECT 1 / 0 AS a') AS USER = 'reader_of_text';
SELECT USER_NAME() AS who;
GO
EXEC ('REVERT; SELECT USER_NAME() AS who') AS USER = 'reader_of_text';
GO
EXEC ('SELECT 1') AS USER = 'nobody_of_that_name';
GO
EXEC ('SELECT SUSER_SNAME() AS who') AS LOGIN = 'sa';
GO
CREATE PROCEDURE dbo.says AS EXEC ('SELECT USER_NAME() AS inside') AS USER = 'reader_of_text'; SELECT USER_NAME() AS behind;
GO
EXEC dbo.says;
GO
