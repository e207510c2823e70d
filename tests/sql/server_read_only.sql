-- A database that is read-only: everything reads it, nothing changes it. https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
CREATE DATABASE quiet
GO
USE quiet
CREATE TABLE t (id int PRIMARY KEY, v int)
CREATE TABLE child (id int PRIMARY KEY REFERENCES t)
INSERT t VALUES (1, 10), (2, 20)
GO
CREATE PROCEDURE add_one AS INSERT t VALUES (3, 30)
GO
CREATE VIEW seen AS SELECT id, v FROM t
GO
EXEC add_one
ALTER DATABASE quiet SET READ_ONLY
GO
SELECT SUM(v) FROM t
SELECT COUNT(*) FROM seen
GO
EXEC add_one
GO
INSERT t VALUES (4, 40)
GO
UPDATE t SET v = 0
GO
DELETE seen WHERE id = 1
GO
MERGE t USING (VALUES (1, 2)) AS s (id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
GO
TRUNCATE TABLE child
GO
ALTER TABLE t ADD more int
GO
CREATE INDEX t_v ON t (v)
GO
DROP TABLE child
GO
DROP PROCEDURE add_one
GO
ALTER PROCEDURE add_one AS SELECT 1
GO
SELECT id INTO copy FROM t
GO
CREATE TABLE other (a int)
GO
-- What is not in it may change; so may it again.
SELECT id, v INTO #copy FROM t
UPDATE #copy SET v += 1
DECLARE @rows TABLE (id int)
INSERT @rows SELECT id FROM #copy
SELECT COUNT(*), (SELECT SUM(v) FROM #copy) FROM @rows
GO
USE master
INSERT quiet.dbo.t VALUES (5, 50)
GO
ALTER DATABASE quiet SET READ_WRITE
GO
INSERT quiet.dbo.t VALUES (5, 50)
DELETE quiet.dbo.t WHERE id = 1
SELECT SUM(v) FROM quiet.dbo.t
GO
DROP DATABASE quiet
GO
