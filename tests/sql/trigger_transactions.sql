-- A transaction that ends in a trigger. learn.microsoft.com: ROLLBACK TRANSACTION, "Rollbacks and commits in stored procedures and
-- triggers": the trigger goes on with its remaining statements, what these change stays, no nested triggers fire; where @@TRANCOUNT
-- is 0 at the trigger's end, 3609 ends the batch.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int);
CREATE TABLE audit (n int IDENTITY, what varchar(30), a int);
CREATE TABLE nested (what varchar(30));
GO
CREATE TRIGGER tr_audit ON audit AFTER INSERT AS INSERT nested VALUES ('fired');
GO
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    SET NOCOUNT ON;
    INSERT audit VALUES ('before', 0);
    ROLLBACK;
    SELECT @@TRANCOUNT AS tc, XACT_STATE() AS xs, (SELECT COUNT(*) FROM t) AS rows_of_t, (SELECT COUNT(*) FROM inserted) AS ins;
    INSERT audit SELECT 'after', a FROM inserted;
    UPDATE audit SET what = 'changed' WHERE a = -1;
    DECLARE @n int = (SELECT COUNT(*) FROM audit);
    PRINT CONCAT('audit has ', @n);
END
GO
INSERT t VALUES (1, 1);
PRINT 'never';
GO
BEGIN TRAN;
INSERT audit VALUES ('undone', 0);
INSERT t VALUES (2, 2), (3, 3);
PRINT 'never';
GO
SELECT @@TRANCOUNT AS tc;
SELECT what, a FROM audit ORDER BY n;
SELECT COUNT(*) AS t FROM t;
SELECT * FROM nested;
GO
-- Caught outside: the CATCH finds no transaction.
BEGIN TRY
    INSERT t VALUES (4, 4);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS s, XACT_STATE() AS xs, @@TRANCOUNT AS tc;
END CATCH
SELECT COUNT(*) AS audit FROM audit;
GO
-- From a procedure: the batch that called it ends too.
CREATE PROCEDURE p AS BEGIN INSERT t VALUES (5, 5); PRINT 'never'; END
GO
EXEC p;
PRINT 'never';
GO
DROP TRIGGER tr;
DELETE audit;
INSERT t VALUES (1, 1), (2, 2), (3, 3);
GO
-- UPDATE and DELETE the same.
CREATE TRIGGER tr ON t AFTER UPDATE, DELETE AS
BEGIN
    ROLLBACK TRAN;
    INSERT audit SELECT 'was', a FROM deleted;
    SELECT a, b FROM t ORDER BY a;
END
GO
UPDATE t SET b = 10 WHERE a = 1;
GO
DELETE t WHERE a > 1;
GO
SELECT what, a FROM audit ORDER BY n;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- COMMIT: what the statement did stays.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    COMMIT;
    SELECT @@TRANCOUNT AS tc, XACT_STATE() AS xs;
    INSERT audit SELECT 'after commit', a FROM inserted;
END
GO
INSERT t VALUES (10, 10);
PRINT 'never';
GO
BEGIN TRAN;
INSERT t VALUES (11, 11);
PRINT 'never';
GO
SELECT @@TRANCOUNT AS tc;
SELECT a FROM t WHERE a >= 10;
SELECT what, a FROM audit ORDER BY n;
GO
-- Within two transactions COMMIT ends one, and the trigger has ended none.
BEGIN TRAN;
BEGIN TRAN;
INSERT t VALUES (12, 12);
SELECT @@TRANCOUNT AS tc;
ROLLBACK;
SELECT COUNT(*) AS n FROM t WHERE a = 12;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- Other statements that need a transaction, after its end.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    SET NOCOUNT ON;
    ROLLBACK;
    CREATE TABLE #w (a int);
    INSERT #w SELECT a FROM inserted;
    IF EXISTS (SELECT 1 FROM #w) INSERT audit VALUES ('exists', 1);
    WHILE (SELECT COUNT(*) FROM #w) < 3 INSERT #w VALUES (0);
    DECLARE @a int;
    DECLARE c CURSOR LOCAL FOR SELECT a FROM #w ORDER BY a;
    OPEN c;
    FETCH c INTO @a;
    WHILE @@FETCH_STATUS = 0 BEGIN INSERT audit VALUES ('cursor', @a); FETCH c INTO @a; END
    EXEC ('INSERT audit VALUES (''dynamic'', 0)');
    MERGE audit AS x USING (VALUES (99)) AS s (a) ON x.a = s.a WHEN NOT MATCHED THEN INSERT (what, a) VALUES ('merge', s.a);
    BEGIN TRAN;
    INSERT audit VALUES ('own, undone', 1);
    ROLLBACK;
    BEGIN TRAN;
    INSERT audit VALUES ('own, kept', 1);
    COMMIT;
    SELECT what, a INTO kept FROM audit;
    CREATE TABLE made (a int);
END
GO
INSERT t VALUES (20, 20);
GO
SELECT what, a FROM audit ORDER BY n;
SELECT COUNT(*) AS kept, OBJECT_ID('tempdb..#w') AS w FROM kept;
SELECT COUNT(*) AS made FROM made;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- An error after the ROLLBACK ends the batch by itself; what came before it stays.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    ROLLBACK;
    INSERT audit VALUES ('kept', 1);
    INSERT t VALUES (1, 1);
    PRINT 'never';
END
GO
INSERT t VALUES (21, 21);
PRINT 'never';
GO
SELECT @@TRANCOUNT AS tc;
SELECT what, a FROM audit ORDER BY n;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- ROLLBACK and a new BEGIN: @@TRANCOUNT is not 0 at the end, so the batch goes on.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    ROLLBACK;
    BEGIN TRAN;
    INSERT audit VALUES ('in the new one', 1);
END
GO
INSERT t VALUES (22, 22);
SELECT @@TRANCOUNT AS tc, (SELECT COUNT(*) FROM t WHERE a = 22) AS t;
GO
SELECT what, a FROM audit ORDER BY n;
BEGIN TRAN;
INSERT t VALUES (23, 23);
SELECT @@TRANCOUNT AS tc;
ROLLBACK;
SELECT what, a FROM audit ORDER BY n;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- INSTEAD OF triggers the same.
CREATE TRIGGER tr ON t INSTEAD OF DELETE AS
BEGIN
    ROLLBACK;
    INSERT audit SELECT 'instead', a FROM deleted;
END
GO
DELETE t WHERE a = 1;
GO
SELECT what, a FROM audit ORDER BY n;
GO
DROP TRIGGER tr;
DELETE audit;
GO
-- An error that a trigger catches has doomed the transaction: 3616 as the trigger ends.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN TRY
    DECLARE @x int = CONVERT(int, 'x');
END TRY
BEGIN CATCH
    PRINT CONCAT('state ', XACT_STATE());
END CATCH
GO
INSERT t VALUES (30, 30);
PRINT 'never';
GO
SELECT @@TRANCOUNT AS tc, COUNT(*) AS n FROM t WHERE a = 30;
BEGIN TRAN;
INSERT t VALUES (30, 30);
PRINT 'never';
GO
SELECT @@TRANCOUNT AS tc, COUNT(*) AS n FROM t WHERE a = 30;
GO
BEGIN TRY
    INSERT t VALUES (30, 30);
    PRINT 'never';
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m;
    IF @@TRANCOUNT > 0 ROLLBACK;
END CATCH
SELECT COUNT(*) AS n FROM t WHERE a = 30;
GO
BEGIN TRAN;
BEGIN TRY
    INSERT t VALUES (30, 30);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, XACT_STATE() AS xs;
    ROLLBACK;
END CATCH
SELECT COUNT(*) AS n FROM t WHERE a = 30;
GO
-- RAISERROR too, from severity 11 on; where the trigger does not catch it, it goes on.
ALTER TRIGGER tr ON t AFTER INSERT AS
BEGIN
    DECLARE @severity int = (SELECT MAX(b) FROM inserted);
    BEGIN TRY RAISERROR ('raised', @severity, 1); PRINT 'not caught'; END TRY
    BEGIN CATCH PRINT CONCAT('caught, state ', XACT_STATE()); END CATCH
END
GO
INSERT t VALUES (31, 10);
INSERT t VALUES (32, 16);
PRINT 'never';
GO
ALTER TRIGGER tr ON t AFTER INSERT AS BEGIN RAISERROR ('raised', 16, 1); PRINT 'goes on'; END
GO
INSERT t VALUES (33, 0);
BEGIN TRAN;
BEGIN TRY INSERT t VALUES (34, 0); END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n, XACT_STATE() AS xs; ROLLBACK; END CATCH
SELECT a FROM t WHERE a BETWEEN 31 AND 39;
GO
-- With XACT_ABORT OFF in the trigger the error dooms nothing, and only the failed statement is undone.
ALTER TRIGGER tr ON t AFTER INSERT AS
BEGIN
    SET XACT_ABORT OFF;
    BEGIN TRY
        INSERT t SELECT a + 1, b FROM inserted UNION ALL SELECT 1, 1;
    END TRY
    BEGIN CATCH
        PRINT CONCAT('state ', XACT_STATE(), ' error ', ERROR_NUMBER());
    END CATCH
    INSERT t SELECT a + 2, b FROM inserted UNION ALL SELECT 1, 1;
    PRINT 'goes on';
END
GO
INSERT t VALUES (40, 40);
SELECT a FROM t WHERE a >= 40;
GO
BEGIN TRAN;
INSERT t VALUES (50, 50);
COMMIT;
SELECT a FROM t WHERE a >= 50;
GO
-- What an error does to the transaction is decided where it arises: in the text XACT_ABORT is OFF, in the trigger ON ("SET XACT_ABORT").
CREATE TABLE judged (id int);
GO
CREATE TRIGGER judges ON judged AFTER DELETE AS
    EXEC sp_executesql N'SET XACT_ABORT OFF; DECLARE @a int = 1 / 0;';
GO
BEGIN TRANSACTION;
BEGIN TRY
    DELETE judged;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state;
END CATCH;
ROLLBACK;
GO
ALTER TRIGGER judges ON judged AFTER DELETE AS
    EXEC sp_executesql N'DECLARE @a int = 1 / 0;';
GO
BEGIN TRANSACTION;
BEGIN TRY
    DELETE judged;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state;
END CATCH;
ROLLBACK;
GO
-- The statement that fired the trigger has XACT_ABORT ON, the trigger not.
ALTER TRIGGER judges ON judged AFTER DELETE AS
    SET XACT_ABORT OFF; DECLARE @a int = 1 / 0;
GO
SET XACT_ABORT ON;
BEGIN TRANSACTION;
BEGIN TRY
    DELETE judged;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state;
END CATCH;
ROLLBACK;
SET XACT_ABORT OFF;
GO
