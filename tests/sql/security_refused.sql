-- What is said to who may not: the pages of the statements, "Permissions", and "Database Engine events and errors". https://learn.microsoft.com/sql/relational-databases/security/permissions-database-engine
CREATE DATABASE refused
GO
USE refused
GO
CREATE USER u WITHOUT LOGIN
CREATE ROLE r
CREATE TABLE dbo.t (id int IDENTITY CONSTRAINT pk PRIMARY KEY, a int CONSTRAINT df DEFAULT 7 CONSTRAINT ck CHECK (a > 0), c AS a * 2)
CREATE INDEX ix ON dbo.t (a)
CREATE SEQUENCE dbo.q
CREATE TYPE dbo.y FROM int
CREATE SYNONYM dbo.n FOR dbo.t
GO
CREATE VIEW dbo.v AS SELECT a FROM dbo.t
GO
CREATE PROCEDURE dbo.p AS SELECT a FROM dbo.t
GO
CREATE FUNCTION dbo.f () RETURNS int AS BEGIN RETURN 1 END
GO
CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS SELECT 1 AS a
GO
CREATE SCHEMA s
GO
CREATE XML SCHEMA COLLECTION dbo.xc AS N'<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="a"/></schema>'
GO
GRANT SELECT ON dbo.t TO u
GRANT EXECUTE ON dbo.p TO u
GRANT SELECT ON dbo.v TO u
GO
EXECUTE AS USER = 'u'
GO
ALTER VIEW dbo.v AS SELECT 1 AS a
GO
ALTER PROCEDURE dbo.p AS SELECT 1 AS a
GO
CREATE OR ALTER FUNCTION dbo.f () RETURNS int AS BEGIN RETURN 2 END
GO
ALTER TRIGGER dbo.tr ON dbo.t AFTER INSERT AS SELECT 2 AS a
GO
CREATE TRIGGER dbo.tr2 ON dbo.t AFTER INSERT AS SELECT 2 AS a
GO
CREATE VIEW dbo.v2 AS SELECT 1 AS a
GO
DROP VIEW dbo.v
GO
DROP PROCEDURE dbo.p
GO
DROP SEQUENCE dbo.q
GO
DROP SYNONYM dbo.n
GO
DROP TYPE dbo.y
GO
DROP XML SCHEMA COLLECTION dbo.xc
GO
DROP TABLE dbo.t
GO
DROP INDEX ix ON dbo.t
GO
TRUNCATE TABLE dbo.t
GO
SET IDENTITY_INSERT dbo.t ON
PRINT 'not reached'
GO
ALTER SEQUENCE dbo.q RESTART
GO
ALTER SCHEMA s TRANSFER dbo.t
GO
ALTER ROLE r ADD MEMBER u
GO
CREATE XML SCHEMA COLLECTION dbo.xd AS N'<schema xmlns="http://www.w3.org/2001/XMLSchema"/>'
GO
ALTER AUTHORIZATION ON XML SCHEMA COLLECTION::dbo.xc TO u
GO
-- the transaction is over
BEGIN TRANSACTION
CREATE TABLE dbo.t2 (a int)
PRINT 'not reached'
GO
SELECT @@TRANCOUNT AS n
GO
DBCC CHECKDB
GO
DBCC CHECKIDENT ('dbo.t', RESEED, 5)
GO
DBCC FREEPROCCACHE
GO
SELECT COUNT(*) FROM sys.dm_db_partition_stats
GO
EXEC xp_readerrorlog
GO
EXEC sp_readerrorlog
GO
EXEC xp_cmdshell 'ls'
GO
EXEC sp_updatestats
GO
EXEC sp_change_users_login 'Report'
GO
RAISERROR ('x', 10, 1) WITH LOG
GO
RAISERROR ('x', 20, 1) WITH LOG
GO
RAISERROR ('x', 20, 1)
GO
-- one's own login is nobody's here
ALTER LOGIN sa WITH DEFAULT_DATABASE = refused
GO
-- of what is only used the text is not seen
SELECT definition FROM sys.check_constraints
SELECT definition FROM sys.default_constraints
SELECT definition FROM sys.computed_columns
SELECT text FROM sys.syscomments
SELECT VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS
SELECT ROUTINE_DEFINITION FROM INFORMATION_SCHEMA.ROUTINES
SELECT CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS
SELECT COLUMN_NAME, COLUMN_DEFAULT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 't'
SELECT COUNT(*) AS n FROM sys.sql_expression_dependencies
SELECT name FROM sys.databases ORDER BY name
GO
REVERT
GRANT VIEW DEFINITION TO u
EXECUTE AS USER = 'u'
GO
SELECT definition FROM sys.check_constraints
SELECT VIEW_DEFINITION FROM INFORMATION_SCHEMA.VIEWS
SELECT COUNT(*) AS n FROM sys.sql_expression_dependencies
GO
REVERT
GO
CREATE APPLICATION ROLE ar WITH PASSWORD = 'Weaver-1-loom'
GO
EXEC sp_setapprole
GO
DECLARE @c varbinary(8000)
EXEC sp_setapprole 'ar', 'Weaver-1-loom', 'none', 1, @c OUTPUT
EXEC sp_setapprole 'ar', 'Weaver-1-loom'
EXEC ('USE master')
EXEC sp_unsetapprole @c
SELECT USER_NAME() AS name, DB_NAME() AS place
GO
USE master
DROP DATABASE refused
GO
