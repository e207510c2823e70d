-- What ends a batch and its transaction by the kind of its statement: ALTER TABLE, CREATE and ALTER INDEX, CREATE and UPDATE STATISTICS,
-- DROP TABLE and TRUNCATE TABLE at severity 16, whatever XACT_ABORT says; 4902 and 2705 end the batch alone, severity 11 the statement. https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
CREATE TABLE dbo.t (a int NOT NULL CONSTRAINT pk_t PRIMARY KEY, b int, s varchar(10));
CREATE TABLE dbo.child (a int CONSTRAINT fk_child REFERENCES dbo.t);
INSERT dbo.t VALUES (1, 1, 'x'), (2, 1, 'y');
GO
CREATE PROCEDURE dbo.tried @text nvarchar(200) AS
BEGIN TRANSACTION;
BEGIN TRY EXEC sp_executesql @text; END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state, @text AS text; END CATCH
ROLLBACK;
GO
SET NOCOUNT ON;
EXEC tried N'ALTER TABLE t DROP COLUMN nope';
EXEC tried N'ALTER TABLE t ADD a int';
EXEC tried N'ALTER TABLE nope ADD a int';
EXEC tried N'CREATE UNIQUE INDEX i ON t(b)';
EXEC tried N'ALTER INDEX nope ON t REBUILD';
EXEC tried N'CREATE STATISTICS st ON t(nope)';
EXEC tried N'DROP TABLE t';
EXEC tried N'DROP TABLE nope';
EXEC tried N'TRUNCATE TABLE nope';
EXEC tried N'TRUNCATE TABLE t';
EXEC tried N'DROP INDEX nope ON t';
EXEC tried N'CREATE SEQUENCE t';
EXEC tried N'CREATE SYNONYM t FOR x';
EXEC tried N'CREATE VIEW t AS SELECT 1 AS a';
EXEC tried N'SELECT 1 AS a INTO t';
EXEC tried N'SELECT JSON_VALUE(''{'', ''$.a'')';
EXEC tried N'SELECT JSON_VALUE(''{}'', ''strict $.a'')';
EXEC tried N'SELECT DATEFROMPARTS(2020, 13, 1)';
EXEC tried N'SELECT CAST(''x'' AS decimal(5, 2))';
GO
-- outside of a TRY
BEGIN TRANSACTION;
INSERT t VALUES (3, 3, 'z');
ALTER TABLE t DROP COLUMN nope;
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS level, COUNT(*) AS n FROM t;
GO
BEGIN TRANSACTION;
ALTER TABLE nope ADD a int;
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS level;
IF @@TRANCOUNT > 0 ROLLBACK;
GO
BEGIN TRANSACTION;
DROP TABLE nope;
SELECT @@TRANCOUNT AS level;
ROLLBACK;
GO
-- an argument is no value of a statement
CREATE PROCEDURE dbo.takes @a int AS SELECT @a AS a;
GO
BEGIN TRANSACTION;
BEGIN TRY EXEC takes 'x'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state; END CATCH
ROLLBACK;
GO
-- a module that leaves another number of transactions: caught, nobody can commit
CREATE PROCEDURE dbo.begins AS BEGIN TRANSACTION;
GO
BEGIN TRY EXEC begins; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state; END CATCH
ROLLBACK;
GO
-- the end of an identity column's type
CREATE TABLE dbo.numbered (n tinyint IDENTITY(255, 1), a int);
INSERT numbered VALUES (1);
EXEC tried N'INSERT numbered VALUES (2)';
GO
-- THROW is promoted by XACT_ABORT whatever it throws, errors of compiling and of severity 11 are not
BEGIN TRANSACTION;
GO
BEGIN TRY EXEC ('SELECT FROM'); END TRY
BEGIN CATCH SET XACT_ABORT ON; THROW; END CATCH
GO
SET XACT_ABORT OFF;
SELECT @@TRANCOUNT AS level;
GO
-- a doomed transaction: no BEGIN TRANSACTION, but table variables
BEGIN TRANSACTION;
BEGIN TRY ALTER TABLE t DROP COLUMN nope; END TRY
BEGIN CATCH
  DECLARE @own TABLE (a int);
  INSERT @own VALUES (1);
  SELECT COUNT(*) AS own FROM @own;
  BEGIN TRY BEGIN TRANSACTION; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
END CATCH
ROLLBACK;
GO
-- names of transactions and savepoints
DECLARE @n int = 5;
BEGIN TRANSACTION @n;
GO
BEGIN TRANSACTION a_name_of_more_than_thirty_two_characters;
GO
BEGIN TRANSACTION one;
SAVE TRANSACTION one;
INSERT t VALUES (4, 4, 'w');
ROLLBACK TRANSACTION ONE;
SELECT @@TRANCOUNT AS level, COUNT(*) AS n FROM t;
ROLLBACK TRANSACTION;
GO
DECLARE @moment time = '00:00:01';
WAITFOR DELAY @moment;
GO
DECLARE @rows int = -1;
SET ROWCOUNT @rows;
GO
EXEC sp_executesql 'SELECT 1';
GO
EXEC sp_executesql 1;
GO
EXEC sp_executesql N'SELECT @a AS a', 5, 1;
GO
EXEC sp_executesql N'SELECT @a AS a', '@a int', 1;
GO
EXEC sp_executesql N'SELECT @a AS a', N'@a int, @b int', 1;
GO
