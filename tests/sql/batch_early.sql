-- A batch is compiled before it runs: what is wrong about objects that are there stops all of it, a missing object is looked for when its turn comes https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql#deferred-name-resolution
CREATE TABLE be (id int IDENTITY PRIMARY KEY, a int, s varchar(10), x xml);
CREATE TABLE log_of_runs (n int);
GO
INSERT log_of_runs VALUES (1);
SELECT nothing FROM be;
GO
SELECT COUNT(*) AS runs FROM log_of_runs;
GO
-- each statement's error is told
PRINT 'never';
SELECT first FROM be;
SELECT a + x FROM be;
INSERT be (a, b) VALUES (1, 2);
INSERT be (a, s) VALUES (1);
UPDATE be SET a = t.a FROM be;
SELECT a, COUNT(*) FROM be;
GO
-- also where control does not go, and a CATCH does not have it
IF 1 = 0 SELECT second FROM be;
PRINT 'never';
GO
WHILE 1 = 0 BEGIN DELETE be WHERE third = 1 END;
PRINT 'never';
GO
BEGIN TRY
  PRINT 'never';
  SELECT fourth FROM be;
END TRY
BEGIN CATCH
  PRINT 'not here';
END CATCH
GO
IF EXISTS (SELECT * FROM be WHERE fifth = 1) PRINT 'never';
PRINT 'never';
GO
DECLARE @v int = 1;
DECLARE c CURSOR FOR SELECT sixth FROM be;
SET @v = (SELECT MAX(seventh) FROM be);
GO
-- a missing object waits; it ends the batch when it is reached
INSERT log_of_runs VALUES (2);
SELECT nothing FROM not_there;
INSERT log_of_runs VALUES (3);
GO
SELECT nothing, eighth FROM be WHERE EXISTS (SELECT * FROM not_there);
GO
IF 1 = 0 SELECT * FROM not_there;
PRINT 'ran';
GO
BEGIN TRY
  SELECT * FROM not_there;
END TRY
BEGIN CATCH
  PRINT 'not here';
END CATCH
GO
BEGIN TRY
  EXEC ('SELECT * FROM not_there');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE();
END CATCH;
BEGIN TRY
  EXEC ('PRINT ''never''; SELECT ninth FROM be');
END TRY
BEGIN CATCH
  PRINT ERROR_MESSAGE();
END CATCH;
EXEC ('PRINT ''never''; SELECT tenth FROM be');
EXEC sp_executesql N'PRINT ''never''; SELECT tenth FROM be WHERE id = @id', N'@id int', @id = 1;
PRINT 'goes on';
GO
SELECT n FROM log_of_runs ORDER BY n;
GO
-- made within the batch
CREATE TABLE bf (a int);
INSERT bf VALUES (1);
SELECT a FROM bf;
SELECT b FROM bf;
PRINT 'never';
GO
CREATE TABLE #t (a int);
INSERT #t VALUES (1);
SELECT a FROM #t;
GO
DROP TABLE #t;
CREATE TABLE #t (b int, c int);
INSERT #t (b) VALUES (2);
SELECT b, c FROM #t;
GO
IF OBJECT_ID('tempdb..#t') IS NOT NULL DROP TABLE #t;
SELECT id, a AS d INTO #t FROM be;
SELECT d FROM #t;
GO
ALTER TABLE #t ADD e int;
SELECT e FROM #t;
GO
PRINT 'never';
SELECT f FROM #t;
GO
-- a column added to a table that is there is not there yet
ALTER TABLE bf ADD c int;
UPDATE bf SET c = 1;
GO
ALTER TABLE bf ADD c int;
EXEC ('UPDATE bf SET c = 1');
SELECT * FROM bf;
GO
UPDATE bf SET c = 2;
SELECT c FROM bf;
ALTER TABLE bf DROP COLUMN c;
GO
UPDATE bf SET c = 2;
SELECT c FROM bf;
ALTER TABLE bf DROP COLUMN c;
GO
-- what a setting decides is asked when the statement runs
SET IDENTITY_INSERT be ON;
INSERT be (id, a) VALUES (7, 7);
SET IDENTITY_INSERT be OFF;
INSERT be (id, a) VALUES (8, 8);
GO
SET IDENTITY_INSERT be ON;
GO
INSERT be (id, a) VALUES (9, 9);
SET IDENTITY_INSERT be OFF;
INSERT be (id, a) VALUES (10, 10);
PRINT 'refused';
GO
INSERT be (id, a) VALUES (9, 9);
SET IDENTITY_INSERT be OFF;
INSERT be (id, a) VALUES (10, 10);
PRINT 'refused';
GO
SET ANSI_NULLS OFF;
SELECT COUNT(*) AS n FROM be WHERE s = NULL;
GO
SET ANSI_NULLS ON;
GO
-- another database, common table expressions, aliases
USE tempdb;
SELECT COUNT(*) AS n FROM be;
GO
USE golden_batch_early;
GO
WITH be2 AS (SELECT a FROM be) SELECT nothing FROM be2;
PRINT 'never';
GO
UPDATE z SET nothing = 1 FROM be AS z;
PRINT 'never';
GO
-- the batch is the same, the table another
SELECT a FROM bg;
PRINT 'after';
GO
CREATE TABLE bg (a int);
GO
SELECT a FROM bg;
PRINT 'after';
GO
DROP TABLE bg;
CREATE TABLE bg (b int);
GO
PRINT 'before';
SELECT a FROM bg;
GO
-- modules: refused when they are made, and not begun when their tables have changed since
CREATE PROCEDURE bp AS PRINT 'never';
  SELECT nothing FROM be;
  SELECT eleventh FROM be;
GO
CREATE PROCEDURE bp AS SELECT @undeclared;
GO
EXEC bp;
GO
CREATE FUNCTION bfn (@i int) RETURNS int AS BEGIN RETURN (SELECT MAX(nothing) FROM be WHERE a = @i) END
GO
CREATE TRIGGER bt ON be AFTER INSERT AS SELECT nothing FROM inserted;
GO
CREATE TRIGGER bt ON be AFTER INSERT AS SELECT i.a, d.s FROM inserted i LEFT JOIN deleted d ON i.id = d.id;
GO
INSERT be (a) VALUES (50);
DROP TRIGGER bt;
GO
CREATE PROCEDURE bp @how int AS
  PRINT 'begun';
  IF @how = 1 SELECT nothing FROM not_there;
  IF @how = 2 SELECT b FROM bg;
  CREATE TABLE #own (a int);
  INSERT #own (a) SELECT b FROM bg;
  SELECT a FROM #own;
  ALTER TABLE #own ADD c int;
  SELECT c FROM #own;
GO
EXEC bp 0;
GO
EXEC bp 1;
PRINT 'goes on';
GO
DROP TABLE bg;
CREATE TABLE bg (d int);
GO
EXEC bp 0;
PRINT 'goes on';
BEGIN TRY
  EXEC bp 0;
END TRY
BEGIN CATCH
  PRINT CONCAT(ERROR_NUMBER(), ' ', ERROR_PROCEDURE(), ' ', ERROR_LINE());
END CATCH
GO
ALTER PROCEDURE bp @how int AS SELECT b FROM bg;
GO
ALTER TABLE bg ADD b int;
GO
EXEC bp 0;
GO
ALTER PROCEDURE bp AS SELECT d, b FROM bg; EXEC not_there_either;
GO
CREATE OR ALTER PROCEDURE #bp AS SELECT d, b FROM bg;
GO
EXEC #bp;
GO
DROP PROCEDURE bp;
DROP TABLE bg, bf, be, log_of_runs;
