-- Options of sp_configure that change what statements do, and those that are refused since there is nothing behind them.
-- https://learn.microsoft.com/sql/database-engine/configure-windows/disallow-results-from-triggers-server-configuration-option
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'c2 audit mode', 1;
GO
EXEC sp_configure 'common criteria compliance enabled', 1;
GO
EXEC sp_configure 'c2 audit mode', 0;
GO
CREATE TABLE t (a int);
CREATE TABLE log (a int, text nvarchar(20));
GO
CREATE TRIGGER tells ON t AFTER INSERT AS SELECT a FROM inserted;
GO
INSERT t VALUES (1);
GO
EXEC sp_configure 'disallow results from triggers', 1;
RECONFIGURE;
GO
INSERT t VALUES (2);
PRINT 'not reached';
GO
SELECT a FROM t;
GO
-- What is assigned, or put away, is no result.
ALTER TRIGGER tells ON t AFTER INSERT AS
BEGIN
  DECLARE @a int;
  SELECT @a = a FROM inserted;
  INSERT log SELECT a, 'a row' FROM inserted;
  INSERT log EXEC ('SELECT 7, ''a call''');
END
GO
INSERT t VALUES (3);
SELECT a, text FROM log ORDER BY a;
GO
ALTER TRIGGER tells ON t AFTER INSERT AS SELECT a FROM inserted FOR JSON PATH;
GO
INSERT t VALUES (4);
GO
ALTER TRIGGER tells ON t AFTER INSERT AS INSERT log OUTPUT inserted.a SELECT a, 'output' FROM inserted;
GO
INSERT t VALUES (5);
GO
ALTER TRIGGER tells ON t AFTER INSERT AS
BEGIN
  DECLARE c CURSOR LOCAL FOR SELECT a FROM inserted;
  OPEN c;
  FETCH NEXT FROM c;
END
GO
BEGIN TRY
  INSERT t VALUES (6);
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure];
END CATCH
GO
SELECT a FROM t;
EXEC sp_configure 'disallow results from triggers', 0;
RECONFIGURE;
DROP TABLE t, log;
GO
EXEC sp_configure 'show advanced options', 0;
RECONFIGURE;
GO
-- SETUSER is EXECUTE AS and REVERT.
CREATE USER clerk WITHOUT LOGIN;
GO
SETUSER 'clerk';
SELECT USER_NAME() AS who;
GO
SETUSER 'dbo';
GO
SELECT USER_NAME() AS who;
SETUSER;
SELECT USER_NAME() AS who;
GO
SETUSER 'nobody';
GO
DROP USER clerk;
GO
DBCC CLONEDATABASE (master, copy) WITH VERIFY_CLONEDB;
GO
ALTER DATABASE nowhere SET RECOVERY SIMPLE;
GO
-- What moves files is no part of a transaction.
BEGIN TRANSACTION;
DBCC SHRINKDATABASE (tempdb);
DBCC SHRINKFILE (1);
ROLLBACK;
GO
