-- The catalog is changed by definitions alone, whoever asks: 259, https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-0-to-999
-- ("Ad hoc updates to system catalogs are not allowed"); nothing is made in the schemas sys and INFORMATION_SCHEMA (2760).
CREATE DATABASE catalog_writes
GO
USE catalog_writes
GO
CREATE TABLE dbo.t (a int)
GO
UPDATE sys.sysschobjs SET name = 'x' WHERE name = 't'
GO
DELETE sys.sysprivs
GO
INSERT sys.sysprivs SELECT * FROM sys.sysprivs
GO
MERGE sys.sysprivs AS p USING (SELECT 1 AS a) AS s ON 1 = 0 WHEN MATCHED THEN DELETE;
GO
UPDATE sys.tables SET name = 'x'
GO
UPDATE INFORMATION_SCHEMA.TABLES SET TABLE_NAME = 'x'
GO
DELETE master.sys.sysxlgns
GO
CREATE SYNONYM dbo.n FOR sys.sysprivs
GO
DELETE dbo.n
GO
EXEC ('DELETE sys.sysprivs')
GO
CREATE PROCEDURE dbo.p AS DELETE sys.sysprivs
GO
EXEC dbo.p
GO
CREATE TRIGGER dbo.tr ON sys.sysprivs AFTER INSERT AS SELECT 1 AS a
GO
EXEC sp_rename 'sys.sysprivs', 'x'
GO
EXEC sp_rename 'sys.sysprivs.id', 'x', 'COLUMN'
GO
ALTER SCHEMA dbo TRANSFER sys.sysprivs
GO
ALTER AUTHORIZATION ON sys.sysprivs TO guest
GO
TRUNCATE TABLE sys.sysprivs
GO
ALTER TABLE sys.sysprivs ADD x int
GO
CREATE TABLE sys.t (a int)
GO
CREATE VIEW sys.v AS SELECT 1 AS a
GO
CREATE PROCEDURE INFORMATION_SCHEMA.p AS SELECT 1 AS a
GO
SELECT name FROM sys.tables
SELECT COUNT(*) AS n FROM sys.objects WHERE schema_id IN (3, 4) AND object_id > 1000
GO
USE master
DROP DATABASE catalog_writes
GO
