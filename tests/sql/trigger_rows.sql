-- What a trigger finds as it begins: @@ROWCOUNT of its statement (learn.microsoft.com: CREATE TRIGGER, "Optimizing DML triggers"), the
-- rows of its own action (MERGE, "Trigger implementation"), no #table of an earlier run.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int, c int);
CREATE TABLE audit (n int IDENTITY, what varchar(30), rows_changed int);
GO
CREATE TRIGGER tr_ins ON t AFTER INSERT AS
BEGIN
    IF @@ROWCOUNT = 0 RETURN;
    INSERT audit SELECT 'insert', COUNT(*) FROM inserted;
END
GO
CREATE TRIGGER tr_upd ON t AFTER UPDATE AS
BEGIN
    IF ROWCOUNT_BIG() = 0 RETURN;
    INSERT audit SELECT 'update', COUNT(*) FROM inserted;
END
GO
CREATE TRIGGER tr_del ON t AFTER DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT, @error int = @@ERROR;
    IF @rows = 0 RETURN;
    INSERT audit VALUES ('delete', @rows);
END
GO
-- A second trigger of the same action finds the statement's count too, not what the first one left.
CREATE TRIGGER tr_upd2 ON t AFTER UPDATE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    INSERT audit VALUES ('second', @rows);
END
GO
UPDATE t SET b = 1;
INSERT t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
UPDATE t SET b = 10 WHERE a = 1;
UPDATE t SET b = 10 WHERE a > 1;
SELECT @@ROWCOUNT AS rc;
INSERT t SELECT a + 10, b, c FROM t WHERE a = 99;
DELETE t WHERE a = 3;
DELETE t WHERE a = 3;
SELECT @@ROWCOUNT AS rc;
SELECT what, rows_changed FROM audit ORDER BY n;
GO
DROP TRIGGER tr_ins, tr_upd, tr_upd2, tr_del;
DELETE audit;
GO
-- INSTEAD OF.
CREATE TRIGGER tr ON t INSTEAD OF DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    INSERT audit VALUES ('instead', @rows);
END
GO
DELETE t;
DELETE t WHERE a = 99;
SELECT what, rows_changed FROM audit ORDER BY n;
DROP TRIGGER tr;
DELETE audit;
GO
-- The rows that a cascade changes are those of the child's triggers.
CREATE TABLE child (a int REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE, d int);
INSERT child VALUES (1, 1), (1, 2), (2, 3);
GO
CREATE TRIGGER tr_child ON child AFTER DELETE, UPDATE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    INSERT audit SELECT 'cascade', @rows;
    INSERT audit SELECT 'inserted', COUNT(*) FROM inserted;
    INSERT audit SELECT 'deleted', COUNT(*) FROM deleted;
END
GO
UPDATE t SET a = 5 WHERE a = 1;
DELETE t WHERE a = 2;
SELECT what, rows_changed FROM audit ORDER BY n;
SELECT a, d FROM child ORDER BY d;
DROP TRIGGER tr_child;
DELETE audit;
GO
-- MERGE: an action that changed a row's other columns does not touch its children, one that deletes it does, whatever else the
-- statement did.
INSERT t VALUES (6, 6, 6);
INSERT child VALUES (6, 60);
MERGE t USING (VALUES (5, 50), (7, 70)) AS s (a, b) ON t.a = s.a
    WHEN MATCHED THEN UPDATE SET b = s.b
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b, 0);
SELECT a, d FROM child ORDER BY d;
MERGE t USING (VALUES (6), (8)) AS s (a) ON t.a = s.a
    WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, 0, 0);
SELECT a, d FROM child ORDER BY d;
SELECT a, b FROM t ORDER BY a;
DROP TABLE child;
DELETE t;
GO
-- MERGE fires for each action that it names, each time with that action's rows; @@ROWCOUNT is the statement's.
CREATE TRIGGER tr ON t AFTER INSERT, UPDATE, DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    SET NOCOUNT ON;
    DECLARE @i int = (SELECT COUNT(*) FROM inserted), @d int = (SELECT COUNT(*) FROM deleted);
    PRINT CONCAT('rowcount ', @rows, ' inserted ', @i, ' deleted ', @d,
        ' a ', IIF(UPDATE(a), 1, 0), ' b ', IIF(UPDATE(b), 1, 0), ' c ', IIF(UPDATE(c), 1, 0), ' ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1));
    SELECT 'inserted' AS side, a, b FROM inserted UNION ALL SELECT 'deleted', a, b FROM deleted ORDER BY 1, 2;
END
GO
INSERT t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);
MERGE t USING (VALUES (1, 10), (4, 40), (5, 50)) AS s (a, b) ON t.a = s.a
    WHEN MATCHED THEN UPDATE SET b = s.b
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b, 0)
    WHEN NOT MATCHED BY SOURCE AND t.a = 2 THEN DELETE
    WHEN NOT MATCHED BY SOURCE THEN UPDATE SET c = 9;
SELECT @@ROWCOUNT AS rc;
GO
-- Keys that move are written at the end; the parts stay apart.
MERGE t USING (VALUES (1, 3), (3, 1), (6, 6)) AS s (a, b) ON t.a = s.a
    WHEN MATCHED THEN UPDATE SET a = s.b
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b, 0);
GO
-- An action that finds no row fires with none.
MERGE t USING (VALUES (1)) AS s (a) ON t.a = s.a
    WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, 0, 0);
GO
DROP TRIGGER tr;
DELETE t;
GO
-- INSTEAD OF for all actions of a MERGE, or for none.
CREATE TRIGGER tr ON t INSTEAD OF INSERT, UPDATE AS
    SELECT 'inserted' AS side, a, b FROM inserted UNION ALL SELECT 'deleted', a, b FROM deleted ORDER BY 1, 2;
GO
INSERT t VALUES (1, 1, 1);
DISABLE TRIGGER tr ON t;
INSERT t VALUES (1, 1, 1);
ENABLE TRIGGER tr ON t;
MERGE t USING (VALUES (1, 10), (2, 20)) AS s (a, b) ON t.a = s.a
    WHEN MATCHED THEN UPDATE SET b = s.b
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b, 0);
SELECT a, b FROM t;
GO
MERGE t USING (VALUES (1, 10), (2, 20)) AS s (a, b) ON t.a = s.a
    WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b, 0);
SELECT a, b FROM t;
GO
DROP TRIGGER tr;
DELETE t;
GO
-- #tables, cursors and SET options of a trigger end with it, at every way out.
CREATE TRIGGER tr ON t AFTER INSERT AS
BEGIN
    CREATE TABLE #w (c int);
    INSERT #w SELECT a FROM inserted;
    SELECT c INTO #x FROM #w;
    DECLARE c CURSOR LOCAL FOR SELECT c FROM #x;
    OPEN c;
    SET DATEFIRST 3;
    SET LANGUAGE French;
    SET ROWCOUNT 1;
    SET NOCOUNT ON;
    SET LOCK_TIMEOUT 77;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    SET XACT_ABORT ON;
    IF EXISTS (SELECT 1 FROM inserted WHERE a = 3) RETURN;
    IF EXISTS (SELECT 1 FROM inserted WHERE a = 4) THROW 50001, 'four', 1;
    DROP TABLE #x;
END
GO
SET LANGUAGE us_english;
INSERT t VALUES (1, 1, 1);
INSERT t VALUES (2, 2, 2);
INSERT t VALUES (3, 3, 3);
BEGIN TRY INSERT t VALUES (4, 4, 4); END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n; END CATCH
INSERT t VALUES (5, 5, 5);
SELECT a FROM t;
SELECT OBJECT_ID('tempdb..#w') AS w, OBJECT_ID('tempdb..#x') AS x, CURSOR_STATUS('local', 'c') AS c, @@DATEFIRST AS df, @@LANGUAGE AS lang,
    @@LOCK_TIMEOUT AS lt, @@OPTIONS & 16384 AS xact_abort;
GO
-- A #table of the caller is seen, and one of the same name made in the trigger hides it.
CREATE TABLE #w (c int);
INSERT #w VALUES (100);
INSERT t VALUES (6, 6, 6);
SELECT c FROM #w;
DROP TABLE #w;
GO
-- In a procedure, in a trigger of a trigger.
CREATE TABLE t2 (a int);
GO
CREATE TRIGGER tr2 ON t2 AFTER INSERT AS
BEGIN
    CREATE TABLE #w (c int, d int);
    INSERT t SELECT a, 0, 0 FROM inserted;
    INSERT #w SELECT a, a FROM inserted;
    SELECT c, d FROM #w;
END
GO
CREATE PROCEDURE p @a int AS BEGIN CREATE TABLE #w (e int); INSERT t2 VALUES (@a); SELECT COUNT(*) AS own FROM #w; END
GO
EXEC p 20;
EXEC p 21;
SELECT OBJECT_ID('tempdb..#w') AS w;
GO
