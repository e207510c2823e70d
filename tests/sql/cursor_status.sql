-- CURSOR_STATUS and @@CURSOR_ROWS, as their pages say. https://learn.microsoft.com/sql/t-sql/functions/cursor-status-transact-sql
CREATE TABLE letters (id int PRIMARY KEY, text char(1))
INSERT letters VALUES (1, 'a'), (2, 'b'), (3, 'c')
GO
DECLARE @k CURSOR
SELECT CURSOR_STATUS('global', 'c') AS global, CURSOR_STATUS('local', 'c') AS local, CURSOR_STATUS('variable', '@k') AS variable
DECLARE c CURSOR GLOBAL STATIC FOR SELECT id FROM letters WHERE id > 3
DECLARE c CURSOR LOCAL KEYSET FOR SELECT id FROM letters
SELECT CURSOR_STATUS('global', 'C') AS global, CURSOR_STATUS('LOCAL', 'c') AS local, @@CURSOR_ROWS AS rows
OPEN GLOBAL c
SELECT CURSOR_STATUS('global', 'c') AS global, CURSOR_STATUS('local', 'c') AS local, @@CURSOR_ROWS AS rows
OPEN c
SELECT CURSOR_STATUS('global', 'c') AS global, CURSOR_STATUS('local', 'c') AS local, @@CURSOR_ROWS AS rows
CLOSE GLOBAL c
SELECT CURSOR_STATUS('global', 'c') AS global, CURSOR_STATUS('local', 'c') AS local, @@CURSOR_ROWS AS rows
SET @k = c
DEALLOCATE c
SELECT CURSOR_STATUS('variable', '@k') AS variable, CURSOR_STATUS('local', 'c') AS local, @@CURSOR_ROWS AS rows
DEALLOCATE @k
SELECT CURSOR_STATUS('variable', '@k') AS variable, @@CURSOR_ROWS AS rows
DECLARE d CURSOR GLOBAL DYNAMIC FOR SELECT id FROM letters WHERE id > 3
OPEN d
SELECT CURSOR_STATUS('global', 'd') AS dynamic, @@CURSOR_ROWS AS rows
CLOSE d
SELECT CURSOR_STATUS('global', 'd') AS dynamic, @@CURSOR_ROWS AS rows
DEALLOCATE GLOBAL c
GO
-- A module sees the session's cursors and its own.
CREATE PROCEDURE seen AS
SELECT CURSOR_STATUS('global', 'd') AS global, CURSOR_STATUS('local', 'l') AS local
GO
DECLARE l CURSOR LOCAL FOR SELECT 1 AS one
EXEC seen
SELECT CURSOR_STATUS('global', 'd') AS global, CURSOR_STATUS('local', 'l') AS local
GO
-- "SET CURSOR_CLOSE_ON_COMMIT": ON, commit and rollback close every open cursor, also those of callers.
SET CURSOR_CLOSE_ON_COMMIT ON
GO
CREATE PROCEDURE ended @how int AS
BEGIN TRANSACTION
IF @how = 1 COMMIT ELSE ROLLBACK
GO
DECLARE l CURSOR LOCAL STATIC FOR SELECT 1 AS one
OPEN l
OPEN d
EXEC ended 1
SELECT CURSOR_STATUS('global', 'd') AS global, CURSOR_STATUS('local', 'l') AS local, @@CURSOR_ROWS AS rows
OPEN l
OPEN d
EXEC ended 0
SELECT CURSOR_STATUS('global', 'd') AS global, CURSOR_STATUS('local', 'l') AS local, @@CURSOR_ROWS AS rows
-- A savepoint's rollback ends no transaction.
BEGIN TRANSACTION
SAVE TRANSACTION s
OPEN l
ROLLBACK TRANSACTION s
SELECT CURSOR_STATUS('local', 'l') AS local, @@CURSOR_ROWS AS rows
ROLLBACK
SELECT CURSOR_STATUS('local', 'l') AS local, @@CURSOR_ROWS AS rows
DEALLOCATE d
GO
SET CURSOR_CLOSE_ON_COMMIT OFF
DROP PROCEDURE seen, ended
DROP TABLE letters
GO
-- "SET ROWCOUNT": it limits keyset and static cursors, not dynamic ones.
CREATE TABLE letters (id int PRIMARY KEY, text char(1))
INSERT letters VALUES (1, 'a'), (2, 'b'), (3, 'c')
GO
DECLARE s CURSOR LOCAL STATIC FOR SELECT id FROM letters ORDER BY id
DECLARE k CURSOR LOCAL KEYSET FOR SELECT id FROM letters ORDER BY id
DECLARE d CURSOR LOCAL DYNAMIC FOR SELECT id FROM letters ORDER BY id
SET ROWCOUNT 2
OPEN s
SELECT @@CURSOR_ROWS AS rows
OPEN k
SELECT @@CURSOR_ROWS AS rows
OPEN d
FETCH LAST FROM s
FETCH LAST FROM k
FETCH LAST FROM d
SET ROWCOUNT 0
GO
DROP TABLE letters
GO
-- "SET CURSOR_CLOSE_ON_COMMIT": a rollback closes them, also that of an error.
SET CURSOR_CLOSE_ON_COMMIT ON;
SET XACT_ABORT ON;
DECLARE held CURSOR GLOBAL STATIC FOR SELECT 1 AS one;
GO
BEGIN TRANSACTION;
OPEN held;
SELECT 1 / 0;
GO
SELECT CURSOR_STATUS('global', 'held') AS held;
DEALLOCATE held;
SET CURSOR_CLOSE_ON_COMMIT OFF;
SET XACT_ABORT OFF;
GO
