-- A new name that is taken, or none, is refused, whatever gets it: sp_rename (15335 of indexes, statistics, types), ALTER SCHEMA TRANSFER, ALTER SERVER ROLE.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-rename-transact-sql
CREATE TABLE nt (a int NOT NULL CONSTRAINT nt_pk PRIMARY KEY, b int CONSTRAINT nt_df DEFAULT 1, c int CONSTRAINT nt_ck CHECK (c > 0))
CREATE INDEX nt_1 ON nt (b)
CREATE INDEX nt_2 ON nt (c)
CREATE STATISTICS nt_s ON nt (b, c)
CREATE TABLE nt_other (a int)
CREATE TYPE nt_t1 FROM int
CREATE TYPE nt_t2 AS TABLE (a int)
GO
EXEC sp_rename 'nt.nt_1', 'nt_2', 'INDEX'
GO
EXEC sp_rename 'nt.nt_1', 'NT_2', 'INDEX'
GO
EXEC sp_rename 'nt.nt_1', 'nt_s', 'INDEX'
GO
EXEC sp_rename 'nt.nt_s', 'nt_1', 'STATISTICS'
GO
EXEC sp_rename 'nt.nt_pk', 'nt_1', 'INDEX'
GO
EXEC sp_rename 'nt.nt_pk', 'nt_other', 'INDEX'
GO
EXEC sp_rename 'nt_pk', 'nt_1'
GO
EXEC sp_rename 'nt_df', 'nt_ck', 'OBJECT'
GO
EXEC sp_rename 'nt_t1', 'nt_t2', 'USERDATATYPE'
GO
EXEC sp_rename 'nt.nothing', 'x', 'INDEX'
GO
EXEC sp_rename 'nothing.nt_1', 'x', 'INDEX'
GO
EXEC sp_rename 'nothing.nt_s', 'x', 'STATISTICS'
GO
EXEC sp_rename 'nt_other', '', 'OBJECT'
GO
-- In another case it is its own name; an index of another table may have the same.
EXEC sp_rename 'nt.nt_1', 'NT_1', 'INDEX'
GO
CREATE INDEX nt_3 ON nt_other (a)
EXEC sp_rename 'nt_other.nt_3', 'nt_2', 'INDEX'
GO
EXEC sp_rename 'nt.nt_pk', 'nt_key', 'INDEX'
GO
SELECT name, type_desc FROM sys.indexes WHERE object_id IN (OBJECT_ID('nt'), OBJECT_ID('nt_other')) AND index_id > 0 ORDER BY object_id, index_id
SELECT name FROM sys.key_constraints WHERE parent_object_id = OBJECT_ID('nt')
GO
CREATE SCHEMA nt_to
GO
CREATE VIEW nt_to.nt_ck AS SELECT 1 AS a
GO
ALTER SCHEMA nt_to TRANSFER nt
GO
CREATE TYPE nt_to.nt_t1 FROM int
ALTER SCHEMA nt_to TRANSFER TYPE::nt_t1
GO
DROP VIEW nt_to.nt_ck
ALTER SCHEMA nt_to TRANSFER nt
SELECT name, SCHEMA_NAME(schema_id) AS place FROM sys.objects WHERE parent_object_id = OBJECT_ID('nt_to.nt') ORDER BY name
GO
CREATE SERVER ROLE nt_role
GO
ALTER SERVER ROLE nt_role WITH NAME = sysadmin
GO
ALTER SERVER ROLE nt_role WITH NAME = sa
GO
DROP SERVER ROLE nt_role
GO
