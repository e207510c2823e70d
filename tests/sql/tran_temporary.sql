-- A temporary table that a transaction dropped is there again after its rollback https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
CREATE TABLE #kept (i int);
INSERT #kept VALUES (1), (2);
BEGIN TRAN;
DROP TABLE #kept;
SELECT OBJECT_ID('tempdb..#kept') AS gone;
ROLLBACK;
SELECT COUNT(*) AS rows_again FROM #kept;
GO
-- in a later batch, too
SELECT SUM(i) AS total FROM #kept;
GO
-- to a savepoint
BEGIN TRAN;
CREATE TABLE #inner (i int);
SAVE TRAN here;
DROP TABLE #inner;
DROP TABLE #kept;
CREATE TABLE #late (i int);
ROLLBACK TRAN here;
SELECT (SELECT COUNT(*) FROM #inner) AS inner_rows, (SELECT COUNT(*) FROM #kept) AS kept_rows;
SELECT OBJECT_ID('tempdb..#late') AS late;
ROLLBACK;
SELECT OBJECT_ID('tempdb..#inner') AS inner_id;
SELECT COUNT(*) AS kept_rows FROM #kept;
GO
-- a name that a rolled back drop had freed is taken again
BEGIN TRAN;
DROP TABLE #kept;
CREATE TABLE #kept (other varchar(10));
ROLLBACK;
GO
SELECT SUM(i) AS total FROM #kept;
GO
CREATE TABLE #kept (i int);
GO
DROP TABLE #kept;
GO
SELECT * FROM #kept;
GO
-- What a procedure made and dropped itself is not seen again, if its caller rolls the drop back.
CREATE PROCEDURE makes_and_drops AS
CREATE TABLE #own (i int);
BEGIN TRAN;
DROP TABLE #own;
GO
EXEC makes_and_drops;
ROLLBACK;
SELECT OBJECT_ID('tempdb..#own') AS own;
SELECT COUNT(*) AS own_rows FROM #own;
GO
DROP PROCEDURE makes_and_drops;
GO
