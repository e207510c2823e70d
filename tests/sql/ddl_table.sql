-- Every kind of constraint, and what breaks it. https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
CREATE TABLE dbo.parent (id int IDENTITY(10, 5) NOT NULL CONSTRAINT pk_parent PRIMARY KEY, code char(3) NOT NULL CONSTRAINT uq_code UNIQUE,
  amount decimal(10, 2) NOT NULL CONSTRAINT df_amount DEFAULT (1.5), CONSTRAINT ck_amount CHECK (amount > 0));
CREATE TABLE dbo.child (id int NOT NULL PRIMARY KEY, parent_id int NULL, twice AS (id * 2), kept AS (id + 1) PERSISTED,
  CONSTRAINT fk_parent FOREIGN KEY (parent_id) REFERENCES dbo.parent (id) ON DELETE CASCADE);
GO
INSERT dbo.parent (code) VALUES ('aaa'), ('bbb');
INSERT dbo.child (id, parent_id) VALUES (1, 10), (2, 15);
SELECT id, code, amount FROM dbo.parent ORDER BY id;
SELECT * FROM dbo.child ORDER BY id;
GO
INSERT dbo.parent (code) VALUES ('aaa');
GO
INSERT dbo.parent (code, amount) VALUES ('ccc', -1);
GO
INSERT dbo.child (id, parent_id) VALUES (3, 99);
GO
INSERT dbo.parent (id, code) VALUES (1, 'ddd');
GO
INSERT dbo.child (id, twice) VALUES (9, 9);
GO
DELETE dbo.parent WHERE id = 10;
SELECT * FROM dbo.child ORDER BY id;
GO
-- Names that are taken, and tables that are not there.
CREATE TABLE dbo.parent (x int);
GO
CREATE TABLE dbo.other (id int CONSTRAINT pk_parent PRIMARY KEY);
GO
DROP TABLE dbo.nothing;
GO
DROP TABLE IF EXISTS dbo.nothing;
DROP TABLE dbo.parent;
GO
CREATE TABLE dbo.bad (id int REFERENCES dbo.child (parent_id));
GO
CREATE TABLE dbo.bad (id int, id int);
GO
CREATE TABLE dbo.bad (id int PRIMARY KEY, other int PRIMARY KEY);
GO
CREATE TABLE nowhere.bad (id int);
GO
CREATE TABLE dbo.bad (id nosuchtype);
GO
CREATE TABLE dbo.bad (id int IDENTITY, other int IDENTITY);
GO
CREATE TABLE dbo.bad (name varchar(10) IDENTITY);
GO
-- ALTER TABLE
ALTER TABLE dbo.child ADD note varchar(20) NULL, flag bit NOT NULL CONSTRAINT df_flag DEFAULT (1);
GO
SELECT * FROM dbo.child;
GO
ALTER TABLE dbo.child ADD must int NOT NULL;
GO
ALTER TABLE dbo.child ALTER COLUMN note varchar(40) NOT NULL;
GO
UPDATE dbo.child SET note = 'x';
ALTER TABLE dbo.child ALTER COLUMN note varchar(40) NOT NULL;
GO
ALTER TABLE dbo.child DROP COLUMN flag;
GO
ALTER TABLE dbo.child DROP CONSTRAINT df_flag;
ALTER TABLE dbo.child DROP COLUMN flag, note;
GO
ALTER TABLE dbo.child DROP COLUMN nothing;
GO
ALTER TABLE dbo.child DROP CONSTRAINT nothing;
GO
ALTER TABLE dbo.nothing ADD x int;
GO
ALTER TABLE dbo.child ADD CONSTRAINT ck_id CHECK (id > 5);
GO
ALTER TABLE dbo.child WITH NOCHECK ADD CONSTRAINT ck_id CHECK (id > 5);
INSERT dbo.child (id) VALUES (4);
GO
ALTER TABLE dbo.child NOCHECK CONSTRAINT ck_id;
INSERT dbo.child (id) VALUES (4);
SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('dbo.child');
GO
SELECT c.name, c.column_id, t.name AS type, c.max_length, c.is_nullable, c.is_identity, c.is_computed
FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id
WHERE c.object_id = OBJECT_ID('dbo.child') ORDER BY c.column_id;
GO
SELECT name, type, type_desc FROM sys.objects WHERE parent_object_id = OBJECT_ID('dbo.parent') ORDER BY name;
GO
TRUNCATE TABLE dbo.child;
TRUNCATE TABLE dbo.parent;
GO
DROP TABLE dbo.child, dbo.parent;
GO
