-- System-versioned tables: changes of their definition.
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/changing-the-schema-of-a-system-versioned-temporal-table
-- A table with rows is given a period.
CREATE TABLE t (id int PRIMARY KEY, a varchar(10));
INSERT t VALUES (1, 'one'), (2, 'two');
GO
ALTER TABLE t ADD s datetime2 GENERATED ALWAYS AS ROW START NOT NULL, e datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE t ADD s datetime2 GENERATED ALWAYS AS ROW START NULL, e datetime2 GENERATED ALWAYS AS ROW END NULL, PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE t ADD s datetime2 GENERATED ALWAYS AS ROW START HIDDEN CONSTRAINT df_s DEFAULT SYSUTCDATETIME(),
  e datetime2 GENERATED ALWAYS AS ROW END HIDDEN CONSTRAINT df_e DEFAULT '9998-12-31', PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE t ADD s datetime2 GENERATED ALWAYS AS ROW START HIDDEN CONSTRAINT df_s DEFAULT '9997-01-01',
  e datetime2 GENERATED ALWAYS AS ROW END HIDDEN CONSTRAINT df_e DEFAULT CONVERT(datetime2, '9999-12-31 23:59:59.9999999'), PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE t ADD s datetime2 GENERATED ALWAYS AS ROW START HIDDEN CONSTRAINT df_s DEFAULT DATEADD(day, -2, SYSUTCDATETIME()),
  e datetime2 GENERATED ALWAYS AS ROW END HIDDEN CONSTRAINT df_e DEFAULT CONVERT(datetime2, '9999-12-31 23:59:59.9999999'), PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
SELECT *, e, DATEDIFF(hour, s, SYSUTCDATETIME()) AS hours FROM t;
INSERT t VALUES (3, 'three');
SELECT id, DATEDIFF(hour, s, SYSUTCDATETIME()) AS hours, e FROM t WHERE id = 3;
DELETE t WHERE id = 3;
GO
ALTER TABLE t ADD PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE h ADD PERIOD FOR SYSTEM_TIME (s, e);
GO
-- Columns go to the history too.
UPDATE t SET a = 'uno' WHERE id = 1;
ALTER TABLE t ADD b int NULL, c int NOT NULL CONSTRAINT df_c DEFAULT 7;
GO
SELECT * FROM t; SELECT id, a, b, c FROM h ORDER BY id;
SELECT name, is_nullable, default_object_id FROM sys.columns WHERE object_id = OBJECT_ID('h') ORDER BY column_id;
UPDATE t SET b = 5, c = 8 WHERE id = 1;
SELECT id, a, b, c FROM t FOR SYSTEM_TIME ALL ORDER BY id, s;
GO
ALTER TABLE t ALTER COLUMN a nvarchar(30) NOT NULL;
GO
ALTER TABLE t ALTER COLUMN c bigint NOT NULL;
GO
SELECT OBJECT_NAME(object_id) AS o, name, TYPE_NAME(user_type_id) AS ty, max_length, is_nullable FROM sys.columns WHERE object_id IN (OBJECT_ID('h'), OBJECT_ID('t')) AND name IN ('a', 'c') ORDER BY 1, 2;
ALTER TABLE t DROP COLUMN b;
GO
DELETE t WHERE id = 2;
SELECT id, a, c FROM t FOR SYSTEM_TIME ALL ORDER BY id, s;
EXEC sp_rename 't.a', 'label', 'COLUMN';
GO
SELECT OBJECT_NAME(object_id) AS o, name FROM sys.columns WHERE object_id IN (OBJECT_ID('h'), OBJECT_ID('t')) AND column_id = 2 ORDER BY 1;
UPDATE t SET label = 'renamed';
SELECT id, label FROM t FOR SYSTEM_TIME ALL ORDER BY id, s;
GO
-- Hidden or not.
SELECT * FROM t;
ALTER TABLE t ALTER COLUMN e DROP HIDDEN;
GO
SELECT id, label, c, CASE WHEN e > '9999' THEN e END AS e FROM t;
SELECT name, is_hidden FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id;
ALTER TABLE t ALTER COLUMN e ADD HIDDEN;
GO
SELECT * FROM t;
GO
ALTER TABLE t ALTER COLUMN c ADD HIDDEN;
GO
-- What is refused of the current table,
ALTER TABLE t ADD i int IDENTITY;
GO
ALTER TABLE t ADD i AS id * 2;
GO
ALTER TABLE t ADD i uniqueidentifier ROWGUIDCOL DEFAULT NEWID();
GO
ALTER TABLE t DROP COLUMN s;
GO
ALTER TABLE t ALTER COLUMN s datetime2(3) NOT NULL;
GO
ALTER TABLE t ALTER COLUMN c bigint HIDDEN NOT NULL;
GO
ALTER TABLE t ALTER COLUMN s datetime2 GENERATED ALWAYS AS ROW START NOT NULL;
GO
ALTER TABLE t DROP PERIOD FOR SYSTEM_TIME;
GO
DECLARE @drop nvarchar(300) = (SELECT N'ALTER TABLE t DROP CONSTRAINT ' + name FROM sys.key_constraints WHERE parent_object_id = OBJECT_ID('t'));
EXEC (@drop);
GO
-- and of its history.
ALTER TABLE h ADD x int;
GO
ALTER TABLE h DROP COLUMN label;
GO
ALTER TABLE h ALTER COLUMN label varchar(50);
GO
ALTER TABLE h ADD PRIMARY KEY (id);
GO
ALTER TABLE h ADD UNIQUE (id);
GO
ALTER TABLE h ADD CHECK (id > 0);
GO
ALTER TABLE h ADD CONSTRAINT fk FOREIGN KEY (id) REFERENCES t (id);
GO
CREATE TABLE other (id int PRIMARY KEY, hid int CONSTRAINT fk_h REFERENCES h (id));
GO
CREATE UNIQUE INDEX u ON h (id);
GO
EXEC sp_rename 'h.label', 'x', 'COLUMN';
GO
ALTER TABLE h SET (SYSTEM_VERSIONING = OFF);
GO
-- Indexes, statistics and defaults it may have.
CREATE INDEX by_id ON h (id) INCLUDE (label);
CREATE STATISTICS st ON h (label);
ALTER TABLE h ADD CONSTRAINT df_h DEFAULT 1 FOR c;
GO
UPDATE t SET label = 'indexed';
SELECT label FROM t FOR SYSTEM_TIME ALL WHERE id = 1 ORDER BY s;
ALTER INDEX ALL ON h REBUILD;
DROP INDEX ix_h ON h;
UPDATE t SET label = 'heap';
SELECT label FROM t FOR SYSTEM_TIME ALL WHERE id = 1 ORDER BY s;
GO
-- The tables' names.
EXEC sp_rename 't', 'now_called'; EXEC sp_rename 'h', 'was_called';
GO
UPDATE now_called SET label = 'moved';
SELECT COUNT(*) AS versions FROM now_called FOR SYSTEM_TIME ALL WHERE id = 1;
GO
-- The history goes with no one, and comes back.
ALTER TABLE now_called SET (SYSTEM_VERSIONING = OFF);
GO
SELECT name, temporal_type_desc, history_table_id FROM sys.tables WHERE name IN ('now_called', 'was_called') ORDER BY name;
ALTER TABLE now_called SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.was_called));
GO
SELECT COUNT(*) AS versions FROM now_called FOR SYSTEM_TIME ALL WHERE id = 1;
ALTER TABLE now_called SET (SYSTEM_VERSIONING = OFF);
GO
ALTER TABLE now_called DROP PERIOD FOR SYSTEM_TIME;
GO
SELECT name, generated_always_type_desc, is_hidden FROM sys.columns WHERE object_id = OBJECT_ID('now_called') ORDER BY column_id;
GO
ALTER TABLE now_called DROP PERIOD FOR SYSTEM_TIME;
GO
-- In a transaction, undone.
BEGIN TRANSACTION;
ALTER TABLE now_called ADD PERIOD FOR SYSTEM_TIME (s, e);
GO
ALTER TABLE now_called SET (SYSTEM_VERSIONING = ON);
GO
UPDATE now_called SET label = 'undone';
ROLLBACK;
SELECT name, temporal_type_desc FROM sys.tables ORDER BY name;
SELECT id, label FROM now_called;
GO
DROP TABLE now_called, was_called;
GO
-- Masks and security policies are those of each table.
CREATE TABLE m (id int PRIMARY KEY, secret varchar(10) MASKED WITH (FUNCTION = 'default()'), s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END,
  PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.m_h));
INSERT m (id, secret) VALUES (1, 'first'); UPDATE m SET secret = 'second';
CREATE USER few WITHOUT LOGIN; GRANT SELECT ON m TO few; GRANT SELECT ON m_h TO few;
SELECT secret FROM m FOR SYSTEM_TIME ALL ORDER BY s;
EXECUTE AS USER = 'few';
SELECT secret FROM m FOR SYSTEM_TIME ALL ORDER BY s;
REVERT;
GO
