-- System-versioned tables: what INSERT, UPDATE, DELETE and MERGE leave in the table and in its history.
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/modifying-data-in-a-system-versioned-temporal-table
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/temporal-tables
CREATE TABLE t (id int PRIMARY KEY, a varchar(10), s datetime2 GENERATED ALWAYS AS ROW START HIDDEN, e datetime2 GENERATED ALWAYS AS ROW END HIDDEN,
  PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
CREATE TABLE shown (id int PRIMARY KEY, a varchar(10), s datetime2(0) GENERATED ALWAYS AS ROW START, e datetime2(0) GENERATED ALWAYS AS ROW END,
  PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.shown_h));
GO
-- The time of a transaction is that of its begin, in UTC; a row that is has no end.
DECLARE @before datetime2 = SYSUTCDATETIME();
WAITFOR DELAY '00:00:00.020';
BEGIN TRANSACTION;
WAITFOR DELAY '00:00:00.050';
DECLARE @begun datetime2 = SYSUTCDATETIME();
INSERT t VALUES (1, 'one'), (2, 'two');
WAITFOR DELAY '00:00:00.020';
INSERT t (a, id) SELECT 'three', 3;
COMMIT;
SELECT COUNT(DISTINCT s) AS times, CASE WHEN MIN(s) >= @before AND MAX(s) <= DATEADD(ms, -20, @begun) THEN 'at the begin' END AS taken, MIN(e) AS e FROM t;
SELECT * FROM t;
SELECT COUNT(*) AS former FROM h;
GO
-- A column that is not hidden is in the list of values, as DEFAULT.
INSERT shown VALUES (1, 'one', DEFAULT, DEFAULT);
INSERT shown (id, a, s, e) VALUES (2, 'two', DEFAULT, DEFAULT);
INSERT shown (id) VALUES (3);
SELECT id, a, DATEDIFF(second, s, SYSUTCDATETIME()) / 5 AS ago, e FROM shown;
GO
INSERT shown VALUES (4, 'four', '2020-01-01', DEFAULT);
GO
INSERT shown VALUES (4, 'four');
GO
INSERT shown SELECT 4, 'four', SYSUTCDATETIME(), SYSUTCDATETIME();
GO
INSERT t (id, a, s) VALUES (4, 'four', '2020-01-01');
GO
INSERT t VALUES (4, 'four', DEFAULT, DEFAULT);
GO
UPDATE t SET s = '2020-01-01' WHERE id = 1;
GO
UPDATE t SET a = 'x', e = DEFAULT WHERE id = 1;
GO
MERGE shown USING (VALUES (1)) AS n (id) ON n.id = shown.id WHEN MATCHED THEN UPDATE SET e = '2020-01-01';
GO
-- UPDATE and DELETE: the row that was has the time of the change as its end, and so has the next one as its begin.
WAITFOR DELAY '00:00:00.020';
UPDATE t SET a = 'uno' WHERE id = 1;
WAITFOR DELAY '00:00:00.020';
DELETE t WHERE id = 2;
SELECT t.id, t.a, h.a AS was, CASE WHEN h.e = t.s AND h.s < h.e THEN 'joined' END AS periods FROM t JOIN h ON h.id = t.id;
SELECT id, a, CASE WHEN s < e AND e <= SYSUTCDATETIME() THEN 'ended' END AS period FROM h ORDER BY id;
GO
-- More than once in a transaction: the versions between have empty periods.
BEGIN TRANSACTION;
UPDATE t SET a = 'b' WHERE id = 3;
UPDATE t SET a = 'c' WHERE id = 3;
DELETE t WHERE id = 3;
INSERT t VALUES (3, 'd');
COMMIT;
SELECT a, CASE WHEN s = e THEN 'empty' ELSE 'period' END AS period FROM h WHERE id = 3 ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME ALL WHERE id = 3 ORDER BY s;
GO
-- A transaction that is rolled back leaves nothing, nor does a statement that fails.
BEGIN TRANSACTION;
UPDATE t SET a = 'gone';
ROLLBACK;
GO
UPDATE t SET a = CASE id WHEN 3 THEN REPLICATE('x', 11) ELSE 'y' END;
GO
BEGIN TRANSACTION; SAVE TRANSACTION p; DELETE t; ROLLBACK TRANSACTION p; COMMIT;
SELECT COUNT(*) AS former FROM h; SELECT * FROM t;
GO
-- OUTPUT, and columns that are hidden from it.
UPDATE t SET a = 'out' OUTPUT deleted.*, inserted.a, CASE WHEN inserted.s > deleted.s THEN 'later' END AS s, inserted.e WHERE id = 1;
DELETE t OUTPUT deleted.id WHERE id = 1;
INSERT t OUTPUT inserted.*, inserted.e VALUES (1, 'again');
GO
-- UPDATE FROM, MERGE, keys that are exchanged.
UPDATE t SET a = n.a FROM t JOIN (VALUES (1, 'from'), (1, 'two')) AS n (id, a) ON n.id = t.id;
MERGE t USING (VALUES (1, 'm1'), (5, 'm5')) AS n (id, a) ON n.id = t.id
WHEN MATCHED THEN UPDATE SET a = n.a WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.a) WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action, deleted.a, inserted.a;
SELECT * FROM t;
UPDATE t SET id = 6 - id;
SELECT * FROM t; SELECT id, a FROM h WHERE e = (SELECT MAX(e) FROM h) ORDER BY id;
GO
-- Cascades.
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, p int DEFAULT 1 REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE,
  s datetime2 GENERATED ALWAYS AS ROW START HIDDEN, e datetime2 GENERATED ALWAYS AS ROW END HIDDEN, PERIOD FOR SYSTEM_TIME (s, e))
  WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.child_h));
INSERT parent VALUES (1), (2); INSERT child (id, p) VALUES (1, 1), (2, 2), (3, 2);
WAITFOR DELAY '00:00:00.020';
UPDATE parent SET id = 9 WHERE id = 1;
DELETE parent WHERE id = 2;
SELECT id, p FROM child; SELECT id, p FROM child_h ORDER BY id;
SELECT CASE WHEN child.s = child_h.e THEN 'renewed' END AS row_of_cascade FROM child JOIN child_h ON child.id = child_h.id;
GO
-- Triggers: after a change of the current table, and no others.
CREATE TABLE heard (what varchar(20), a varchar(10));
GO
CREATE TRIGGER after_t ON t AFTER UPDATE AS INSERT heard SELECT 'after', d.a FROM deleted d JOIN inserted i ON i.id = d.id AND i.s > d.s;
GO
UPDATE t SET a = 'trig' WHERE id = 1;
SELECT * FROM heard;
SELECT id, a FROM h WHERE a = 'm5' AND e = (SELECT s FROM t WHERE id = 1) AND id = 1;
GO
CREATE TRIGGER instead_t ON t INSTEAD OF UPDATE AS RETURN;
GO
CREATE TRIGGER after_h ON h AFTER INSERT AS RETURN;
GO
-- Nobody writes a history table.
INSERT h (id, a, s, e) VALUES (1, 'a', '2020-01-01', '2020-01-02');
GO
UPDATE h SET a = 'x';
GO
DELETE FROM h;
GO
MERGE h USING (VALUES (1)) AS n (id) ON n.id = h.id WHEN MATCHED THEN DELETE;
GO
INSERT heard OUTPUT 1, 'x', '2020-01-01', '2020-01-02' INTO h VALUES ('x', 'x');
GO
CREATE VIEW over_h AS SELECT * FROM h;
GO
DELETE over_h;
GO
TRUNCATE TABLE h;
GO
TRUNCATE TABLE t;
GO
DROP TABLE t;
GO
DROP TABLE h;
GO
-- Computed columns are kept as they were.
CREATE TABLE c (id int PRIMARY KEY, a int, twice AS a * 2, s datetime2 GENERATED ALWAYS AS ROW START HIDDEN, e datetime2 GENERATED ALWAYS AS ROW END HIDDEN,
  PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.c_h));
INSERT c VALUES (1, 4);
UPDATE c SET a = 5;
SELECT * FROM c; SELECT id, a, twice FROM c_h;
SELECT name, is_computed FROM sys.columns WHERE object_id = OBJECT_ID('c_h') ORDER BY column_id;
GO
-- The period goes on without a history.
ALTER TABLE t SET (SYSTEM_VERSIONING = OFF);
DELETE h;
UPDATE t SET a = 'off' WHERE id = 1;
DELETE t WHERE id <> 1;
SELECT t.*, e, CASE WHEN DATEDIFF(second, s, SYSUTCDATETIME()) < 60 THEN 'renewed' END AS s FROM t; SELECT COUNT(*) AS former FROM h;
UPDATE t SET s = '2020-01-01';
GO
ALTER TABLE t DROP PERIOD FOR SYSTEM_TIME;
UPDATE t SET s = '2020-01-01';
SELECT * FROM t;
DROP TABLE t, h;
GO
