-- What INSERT ... EXEC calls makes the transaction uncommittable and catches it: nothing can be written in it (3930, "XACT_STATE"). https://learn.microsoft.com/sql/t-sql/functions/xact-state-transact-sql
CREATE TABLE t0 (id int PRIMARY KEY)
CREATE TABLE t1 (id int, state int)
GO
CREATE TRIGGER tr0 ON t0 AFTER INSERT AS DECLARE @n int = CONVERT(int, 'x')
GO
INSERT t1 EXEC ('BEGIN TRY
    INSERT t0 VALUES (1)
END TRY
BEGIN CATCH
    SELECT 1, XACT_STATE()
END CATCH')
SELECT 'goes on' AS word
GO
SELECT @@TRANCOUNT AS count, XACT_STATE() AS state
INSERT t1 VALUES (2, 2)
SELECT id, state FROM t1
SELECT id FROM t0
GO
-- A call that ends the batch leaves nothing of the statement: it is one.
ALTER TRIGGER tr0 ON t0 AFTER INSERT AS SET XACT_ABORT OFF; THROW 50001, 'thrown', 1
GO
INSERT t1 EXEC ('INSERT t1 SELECT 7, 7; THROW 50002, ''thrown'', 1')
GO
INSERT t1 EXEC ('INSERT t1 SELECT 8, 8; INSERT t0 VALUES (8)')
GO
BEGIN TRANSACTION
INSERT t1 VALUES (3, 3)
INSERT t1 EXEC ('INSERT t1 SELECT 9, 9; INSERT t0 VALUES (9)')
GO
SELECT id, state, @@TRANCOUNT AS count FROM t1 ORDER BY id
SELECT id FROM t0
COMMIT
GO
DROP TABLE t0, t1
GO
