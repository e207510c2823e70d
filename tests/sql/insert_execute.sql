-- INSERT ... EXEC: what is called shares the statement's transaction and may not end it; nor may it alter the target. https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql
CREATE TABLE t (a int);
CREATE TABLE log (a int);
GO
INSERT t EXEC ('SELECT 1; COMMIT'); PRINT 'not reached';
GO
INSERT t EXEC ('SELECT 2; ROLLBACK'); PRINT 'not reached';
GO
BEGIN TRANSACTION;
INSERT log VALUES (1);
INSERT t EXEC ('SELECT 3; COMMIT');
GO
SELECT @@TRANCOUNT AS level, (SELECT COUNT(*) FROM t) AS t, (SELECT COUNT(*) FROM log) AS log;
GO
BEGIN TRANSACTION;
INSERT log VALUES (1);
INSERT t EXEC ('SELECT 4; ROLLBACK TRANSACTION');
GO
SELECT @@TRANCOUNT AS level, (SELECT COUNT(*) FROM t) AS t, (SELECT COUNT(*) FROM log) AS log;
GO
CREATE PROCEDURE commits AS SELECT 5; COMMIT;
GO
BEGIN TRANSACTION;
BEGIN TRY INSERT t EXEC commits END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_STATE() AS state, ERROR_PROCEDURE() AS procedure_name, XACT_STATE() AS xact_state END CATCH;
IF @@TRANCOUNT > 0 ROLLBACK;
SELECT COUNT(*) AS t FROM t;
GO
-- With a BEGIN of its own it may.
INSERT t EXEC ('SELECT @@TRANCOUNT; BEGIN TRANSACTION; SELECT @@TRANCOUNT; INSERT log VALUES (2); COMMIT; SELECT @@TRANCOUNT');
SELECT @@TRANCOUNT AS level, a FROM t;
SELECT a FROM log;
DELETE t;
BEGIN TRANSACTION;
INSERT t EXEC ('SELECT @@TRANCOUNT; BEGIN TRANSACTION; SELECT @@TRANCOUNT; COMMIT');
SELECT @@TRANCOUNT AS level, a FROM t;
ROLLBACK;
GO
-- A savepoint of the caller's transaction.
BEGIN TRANSACTION;
INSERT t EXEC ('SAVE TRANSACTION here; INSERT log VALUES (3); ROLLBACK TRANSACTION here; SELECT 6');
SELECT a FROM t;
SELECT a FROM log;
COMMIT;
DELETE t;
GO
-- The target is altered: 556. Another table may be, and the target before.
CREATE TABLE u (a int);
CREATE TABLE other (a int);
GO
CREATE PROCEDURE alters AS BEGIN SELECT 1; ALTER TABLE u ADD b int END;
GO
INSERT u EXEC alters; PRINT 'not reached';
GO
SELECT * FROM u;
GO
CREATE TABLE cases (number int IDENTITY, text nvarchar(200));
INSERT cases VALUES ('SELECT 1; ALTER TABLE u ALTER COLUMN a bigint'), ('SELECT 1; ALTER TABLE u ADD CONSTRAINT ck CHECK (a > 0)'),
    ('SELECT 1; CREATE INDEX ix ON u (a)'), ('SELECT 1; DROP TABLE u'), ('SELECT 1; EXEC sp_rename ''u.a'', ''z'', ''COLUMN'''),
    ('EXEC (''ALTER TABLE u ADD c int''); SELECT 1'), ('SELECT 1; ALTER TABLE other ADD b int'), ('CREATE TABLE #w (a int); SELECT 1'),
    ('SELECT 1; CREATE TABLE made (a int)');
GO
DECLARE @number int = 1, @text nvarchar(200);
WHILE @number <= (SELECT MAX(number) FROM cases)
BEGIN
    SELECT @text = text FROM cases WHERE number = @number;
    BEGIN TRANSACTION;
    BEGIN TRY
        IF COL_LENGTH('u', 'b') IS NOT NULL INSERT u (a) EXEC (@text) ELSE INSERT u EXEC (@text);
        PRINT 'goes on: ' + @text;
    END TRY
    BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), ' ', XACT_STATE(), ': ', @text) END CATCH;
    IF @@TRANCOUNT > 0 ROLLBACK;
    SET @number += 1;
END;
GO
DECLARE @v TABLE (a int); INSERT @v EXEC ('SELECT 7; ALTER TABLE other ADD c int'); SELECT a FROM @v;
CREATE TABLE #t (a int); INSERT #t EXEC ('SELECT 8; CREATE TABLE another (a int)'); SELECT a FROM #t;
GO
INSERT t EXEC ('SELECT 1; INSERT log EXEC (''SELECT 2'')');
GO
SELECT a FROM t;
GO
