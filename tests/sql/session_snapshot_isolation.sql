-- SNAPSHOT transactions where the database allows them: https://learn.microsoft.com/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
-- (3952; in each database whose data it accesses).
CREATE DATABASE allows;
CREATE DATABASE refuses;
GO
ALTER DATABASE allows SET ALLOW_SNAPSHOT_ISOLATION ON;
SELECT name, snapshot_isolation_state_desc FROM sys.databases WHERE name IN ('allows', 'refuses') ORDER BY name;
CREATE TABLE allows.dbo.t (a int);
CREATE TABLE refuses.dbo.t (a int);
CREATE TABLE refuses.dbo.m (a int PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON);
INSERT allows.dbo.t VALUES (1);
INSERT refuses.dbo.t VALUES (2);
GO
USE refuses;
GO
SET TRANSACTION ISOLATION LEVEL SNAPSHOT;
SELECT a FROM dbo.t;
SELECT 'not reached' AS next;
GO
INSERT dbo.t VALUES (3);
GO
UPDATE dbo.t SET a = 4;
GO
DELETE dbo.t;
GO
SELECT a FROM allows.dbo.t;
GO
-- What is the session's own, and what reads no table of the database
DECLARE @t TABLE (a int);
INSERT @t VALUES (5);
CREATE TABLE #t (a int);
INSERT #t SELECT a + 1 FROM @t;
SELECT a FROM #t;
SELECT name FROM sys.tables WHERE name = 't';
DROP TABLE #t;
GO
-- An atomic block has its own level, and a hint another
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
INSERT dbo.m VALUES (7);
SELECT a FROM dbo.m WITH (SNAPSHOT);
GO
USE allows;
GO
SET TRANSACTION ISOLATION LEVEL SNAPSHOT;
BEGIN TRAN;
UPDATE dbo.t SET a = 10;
SELECT a FROM dbo.t;
BEGIN TRY
  SELECT a FROM refuses.dbo.t;
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message;
END CATCH
ROLLBACK;
GO
-- What has no versions is not changed once the transaction has begun
BEGIN TRAN;
CREATE TABLE dbo.made (a int);
INSERT dbo.made VALUES (1);
BEGIN TRY
  ALTER TABLE dbo.made ADD b int;
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message;
END CATCH
SELECT @@TRANCOUNT AS n;
IF @@TRANCOUNT > 0 ROLLBACK;
GO
CREATE INDEX ix ON dbo.t (a);
BEGIN TRAN;
DROP INDEX ix ON dbo.t;
GO
IF @@TRANCOUNT > 0 ROLLBACK;
SET IMPLICIT_TRANSACTIONS ON;
ALTER INDEX ix ON dbo.t REBUILD;
COMMIT;
SET IMPLICIT_TRANSACTIONS OFF;
DROP INDEX ix ON dbo.t;
GO
ALTER DATABASE allows SET ALLOW_SNAPSHOT_ISOLATION OFF;
GO
SELECT a FROM dbo.t;
GO
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
USE master;
DROP DATABASE allows;
DROP DATABASE refuses;
