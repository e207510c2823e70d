-- A column added with one value for all rows touches none of them: rows of before and after read alike, whatever happens to them. https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql
CREATE DATABASE added;
GO
USE added;
CREATE TABLE t (id int NOT NULL PRIMARY KEY, a varchar(10) NULL);
INSERT t VALUES (1, 'one'), (2, NULL), (3, 'three');
ALTER TABLE t ADD n int NOT NULL CONSTRAINT dn DEFAULT 7;
INSERT t (id, a) VALUES (4, 'four');
SELECT * FROM t ORDER BY id;
GO
-- Long and short, of all classes, several at once; NULL stays NULL without WITH VALUES.
ALTER TABLE t ADD s nvarchar(20) NOT NULL CONSTRAINT ds DEFAULT N'zwölf', d decimal(10, 2) NOT NULL CONSTRAINT dd DEFAULT -1.5,
  f float NOT NULL CONSTRAINT df DEFAULT 0.25, b bit NOT NULL CONSTRAINT db DEFAULT 1,
  w date NULL CONSTRAINT dw DEFAULT '20260102' WITH VALUES, x int NULL CONSTRAINT dx DEFAULT 9;
SELECT * FROM t ORDER BY id;
GO
-- One moment for all.
ALTER TABLE t ADD at datetime2 NOT NULL CONSTRAINT da DEFAULT SYSDATETIME();
GO
SELECT COUNT(DISTINCT at) AS moments, COUNT(*) AS rows FROM t;
GO
-- The value stays when the default goes or changes, and when rows are changed.
ALTER TABLE t DROP CONSTRAINT dn;
ALTER TABLE t ADD CONSTRAINT dn2 DEFAULT 100 FOR n;
INSERT t (id, a, s) VALUES (5, 'five', N'eigen');
UPDATE t SET a = 'changed' WHERE id = 1;
UPDATE t SET n = n + 1 WHERE id = 2;
UPDATE t SET s = NULL WHERE id = 3;
SELECT id, a, n, s, d, f, b, w, x FROM t ORDER BY id;
GO
-- Indexes and constraints see it.
CREATE INDEX i ON t (n, s) INCLUDE (d);
SELECT id, n, s, d FROM t WITH (INDEX(i)) WHERE n = 7 ORDER BY id;
CREATE INDEX j ON t (b) WHERE n = 7;
SELECT COUNT(*) AS sevens FROM t WITH (INDEX(j)) WHERE n = 7 AND b = 1;
ALTER TABLE t ADD CONSTRAINT c CHECK (n < 8);
GO
ALTER TABLE t ADD CONSTRAINT u UNIQUE (f);
GO
-- Through a rebuild.
ALTER TABLE t ALTER COLUMN a varchar(20) NULL;
ALTER TABLE t DROP COLUMN x;
GO
ALTER TABLE t DROP CONSTRAINT dx;
ALTER TABLE t DROP COLUMN x;
SELECT id, a, n, s, d, f, b, w FROM t ORDER BY id;
DBCC CHECKTABLE ('t') WITH NO_INFOMSGS;
GO
-- Each row has its own.
CREATE TABLE g (id int NOT NULL);
INSERT g VALUES (1), (2), (3);
ALTER TABLE g ADD k uniqueidentifier NOT NULL DEFAULT NEWID();
SELECT COUNT(DISTINCT k) AS kinds FROM g;
GO
-- Rolled back.
BEGIN TRANSACTION;
ALTER TABLE g ADD m int NOT NULL DEFAULT 3;
GO
SELECT SUM(m) AS m FROM g;
ROLLBACK;
SELECT COUNT(*) AS there FROM sys.columns WHERE object_id = OBJECT_ID('g') AND name = 'm';
SELECT COUNT(*) AS rows FROM g;
GO
USE master;
DROP DATABASE added;
