-- Rows that a foreign key's action changes are what an UPDATE of their own table would make of them.
-- https://learn.microsoft.com/sql/relational-databases/tables/primary-and-foreign-key-constraints#cascading-referential-integrity
CREATE SCHEMA s
GO
CREATE TABLE s.parent (id int NOT NULL PRIMARY KEY, code varchar(5) NOT NULL UNIQUE, note int)
CREATE TABLE s.child (id int NOT NULL PRIMARY KEY, p int DEFAULT 9 REFERENCES s.parent (id) ON UPDATE CASCADE ON DELETE SET DEFAULT,
  twice AS p * 2 PERSISTED, thrice AS p * 3, rv rowversion, INDEX by_thrice (thrice), INDEX of_five (p) WHERE p = 5,
  CONSTRAINT small CHECK (twice < 67))
CREATE TABLE s.other (id int, code varchar(5) NULL REFERENCES s.parent (code) ON UPDATE CASCADE ON DELETE SET NULL, shown AS '<' + ISNULL(code, '') + '>' PERSISTED)
INSERT s.parent VALUES (1, 'a', 0), (2, 'b', 0), (9, 'z', 0)
INSERT s.child (id, p) VALUES (10, 1), (20, 2)
INSERT s.other (id, code) VALUES (10, 'a'), (20, 'b')
CREATE TABLE #before (id int, rv binary(8))
INSERT #before SELECT id, rv FROM s.child
GO
UPDATE s.parent SET id = 5 WHERE id = 1
SELECT c.id, c.p, c.twice, c.thrice, CASE WHEN c.rv > b.rv THEN 'renewed' ELSE 'old' END AS version FROM s.child c JOIN #before b ON b.id = c.id ORDER BY c.id
SELECT id FROM s.child WITH (INDEX (by_thrice)) WHERE thrice = 15
SELECT id FROM s.child WITH (INDEX (of_five)) WHERE p = 5
GO
UPDATE s.parent SET code = 'c' WHERE code = 'a'
SELECT id, code, shown FROM s.other ORDER BY id
GO
-- What is not referred to leaves the children alone.
DELETE #before
INSERT #before SELECT id, rv FROM s.child
UPDATE s.parent SET note = 1
SELECT COUNT(*) AS renewed FROM s.child c JOIN #before b ON b.id = c.id WHERE c.rv <> b.rv
GO
DELETE s.parent WHERE id = 2
SELECT id, p, twice, thrice FROM s.child ORDER BY id
SELECT id, code, shown FROM s.other ORDER BY id
GO
-- A check of the child's, over a column that is computed of the key.
UPDATE s.parent SET id = 50 WHERE id = 5
GO
MERGE s.parent AS t USING (VALUES (5, 7)) AS u (old_id, new_id) ON t.id = u.old_id
WHEN MATCHED THEN UPDATE SET id = u.new_id OUTPUT $action, deleted.id, inserted.id;
SELECT id, p, twice, thrice FROM s.child ORDER BY id
GO
-- A key that another row had before: no row is changed twice, and unique keys may be exchanged.
CREATE TABLE s.numbered (id int PRIMARY KEY)
CREATE TABLE s.refers (id int PRIMARY KEY, n int REFERENCES s.numbered (id) ON UPDATE CASCADE, next_ AS n + 1 PERSISTED UNIQUE)
INSERT s.numbered VALUES (1), (2), (3)
INSERT s.refers (id, n) VALUES (1, 1), (2, 2), (3, 3)
UPDATE s.numbered SET id = id + 1
SELECT id, n, next_ FROM s.refers ORDER BY id
UPDATE s.numbered SET id = 6 - id
SELECT id, n, next_ FROM s.refers ORDER BY id
DROP TABLE s.refers, s.numbered
GO
-- Further down, by a key that is computed.
CREATE TABLE s.second (p int NOT NULL REFERENCES s.parent (id) ON UPDATE CASCADE, twice AS p * 2 PERSISTED NOT NULL PRIMARY KEY)
CREATE TABLE s.grand (id int, twice int CONSTRAINT fk_grand REFERENCES s.second (twice))
INSERT s.second VALUES (7)
INSERT s.grand VALUES (1, 14)
GO
UPDATE s.parent SET id = 8 WHERE id = 7
GO
DELETE s.grand
UPDATE s.parent SET id = 8 WHERE id = 7
SELECT p, twice FROM s.second
GO
-- What a table's indexes ask of the session is asked here too.
SET NUMERIC_ROUNDABORT ON
UPDATE s.parent SET id = 6 WHERE id = 8
GO
SET NUMERIC_ROUNDABORT OFF
GO
-- The former rows are kept.
CREATE TABLE s.versioned (id int NOT NULL PRIMARY KEY, p int REFERENCES s.parent (id) ON UPDATE CASCADE, twice AS p * 2,
  a datetime2 GENERATED ALWAYS AS ROW START NOT NULL, b datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (a, b))
  WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = s.former))
INSERT s.versioned (id, p) VALUES (1, 8)
GO
UPDATE s.parent SET id = 3 WHERE id = 8
SELECT p, twice FROM s.versioned
SELECT p, twice FROM s.former
SELECT name, is_persisted FROM sys.computed_columns WHERE object_id IN (OBJECT_ID('s.versioned'), OBJECT_ID('s.child')) ORDER BY name
GO
ALTER TABLE s.versioned SET (SYSTEM_VERSIONING = OFF)
DROP TABLE s.versioned, s.former, s.grand, s.second, s.other, s.child, s.parent
GO
-- The names of tables have their own schema in messages.
CREATE TABLE s.named (a varchar(10), b int)
INSERT s.named VALUES ('long text', NULL)
GO
ALTER TABLE s.named ALTER COLUMN a varchar(3)
GO
ALTER TABLE s.named ALTER COLUMN b int NOT NULL
GO
DROP TABLE s.named
DROP SCHEMA s
