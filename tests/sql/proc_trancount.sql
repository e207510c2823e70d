-- 266: a call that leaves another @@TRANCOUNT, "ROLLBACK TRANSACTION" and the old page "Error 266": a message that changes nothing.
-- Dynamic text as well: benjf.com/2016/03/rolling-back-dynamic-sql, github.com/tediousjs/tedious/issues/891 (line 0 as an RPC). https://learn.microsoft.com/sql/t-sql/language-elements/rollback-transaction-transact-sql
CREATE TABLE t (a int);
GO
CREATE PROCEDURE opens AS BEGIN TRANSACTION;
GO
-- Something in it cannot be found: 266 has the line of that (as the outputs in sp_fulltext_load_thesaurus_file's bug reports have it).
CREATE PROCEDURE stops AS
BEGIN TRANSACTION;
SELECT a FROM nowhere;
GO
CREATE PROCEDURE inserts AS INSERT t VALUES (1);
GO
EXEC opens;
PRINT CONCAT('goes on at ', @@TRANCOUNT);
EXEC ('ROLLBACK');
PRINT CONCAT('goes on at ', @@TRANCOUNT);
EXEC sp_executesql N'BEGIN TRANSACTION';
PRINT CONCAT('goes on at ', @@TRANCOUNT);
ROLLBACK;
GO
EXEC stops;
PRINT CONCAT('goes on at ', @@TRANCOUNT);
ROLLBACK;
EXEC ('BEGIN TRANSACTION;
SELECT a FROM nowhere');
PRINT CONCAT('goes on at ', @@TRANCOUNT);
ROLLBACK;
GO
-- Nothing to tell of: the same count, and the transaction that IMPLICIT_TRANSACTIONS begins for the caller.
EXEC ('BEGIN TRANSACTION; COMMIT');
BEGIN TRANSACTION;
EXEC ('BEGIN TRANSACTION; COMMIT');
ROLLBACK;
SET IMPLICIT_TRANSACTIONS ON;
EXEC inserts;
PRINT CONCAT('goes on at ', @@TRANCOUNT);
ROLLBACK;
EXEC ('INSERT t VALUES (2)');
PRINT CONCAT('goes on at ', @@TRANCOUNT);
ROLLBACK;
SET IMPLICIT_TRANSACTIONS OFF;
GO
-- The columns of a result that does not fit are no error of their own once the call has ended by another.
CREATE TRIGGER tr ON t AFTER INSERT AS SELECT 1 AS a, 2 AS b; THROW 50001, 'thrown', 1;
GO
INSERT t EXEC ('INSERT t VALUES (3)');
PRINT 'not reached';
GO
SELECT COUNT(*) AS none FROM t;
GO
-- A statement of its own takes the transaction that an error has doomed with it: the CATCH writes. (XACT_STATE: 0, no transaction.)
DROP TRIGGER tr;
SET XACT_ABORT ON;
BEGIN TRY
    INSERT t EXEC ('SELECT 4; SELECT CONVERT(int, ''x'')');
END TRY
BEGIN CATCH
    INSERT t VALUES (5);
    SELECT XACT_STATE() AS state, @@TRANCOUNT AS level, a FROM t;
END CATCH;
SET XACT_ABORT OFF;
GO
