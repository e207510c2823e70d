-- ALTER APPLICATION ROLE: https://learn.microsoft.com/sql/t-sql/statements/alter-application-role-transact-sql
CREATE SCHEMA ar_s
GO
CREATE TABLE dbo.ar_t (a int)
CREATE TABLE ar_s.ar_t (b int)
CREATE APPLICATION ROLE ar_r WITH PASSWORD = 'Ar-First-1'
CREATE USER ar_u WITHOUT LOGIN
CREATE USER ar_w WITHOUT LOGIN
GRANT SELECT ON dbo.ar_t TO ar_r
GRANT SELECT ON ar_s.ar_t TO ar_r
GO
ALTER APPLICATION ROLE ar_r WITH DEFAULT_SCHEMA = ar_s
DECLARE @c varbinary(8000)
EXEC sp_setapprole 'ar_r', 'Ar-First-1', 'none', 1, @c OUTPUT
SELECT USER_NAME() AS name, SCHEMA_NAME() AS home
EXEC ('SELECT * FROM ar_t')
-- the role may change its own schema, nothing else
ALTER APPLICATION ROLE ar_r WITH DEFAULT_SCHEMA = dbo
ALTER APPLICATION ROLE ar_r WITH NAME = ar_other
EXEC sp_unsetapprole @c
GO
SELECT name, type, default_schema_name FROM sys.database_principals WHERE name LIKE 'ar[_]r%'
ALTER APPLICATION ROLE ar_r WITH NAME = ar_q, PASSWORD = 'Ar-Second-2', DEFAULT_SCHEMA = nowhere
SELECT name, type, default_schema_name FROM sys.database_principals WHERE name IN ('ar_r', 'ar_q')
GO
EXEC sp_setapprole 'ar_r', 'Ar-Second-2'
GO
EXEC sp_setapprole 'ar_q', 'Ar-First-1'
GO
DECLARE @c varbinary(8000)
EXEC sp_setapprole 'ar_q', 'Ar-Second-2', 'none', 1, @c OUTPUT
SELECT * FROM dbo.ar_t
EXEC sp_unsetapprole @c
GO
ALTER APPLICATION ROLE ar_missing WITH NAME = x
GO
ALTER APPLICATION ROLE ar_u WITH DEFAULT_SCHEMA = dbo
GO
ALTER APPLICATION ROLE ar_q WITH NAME = ar_u
GO
ALTER APPLICATION ROLE ar_q WITH LOGIN = x
GO
ALTER APPLICATION ROLE ar_q WITH PASSWORD = 'x'
GO
-- ALTER ANY APPLICATION ROLE changes all of it, ALTER of the role its schema
GRANT ALTER ON APPLICATION ROLE::ar_q TO ar_u
GRANT ALTER ANY APPLICATION ROLE TO ar_w
EXECUTE AS USER = 'ar_u'
ALTER APPLICATION ROLE ar_q WITH DEFAULT_SCHEMA = ar_s
ALTER APPLICATION ROLE ar_q WITH PASSWORD = 'Ar-Third-3'
REVERT
GO
EXECUTE AS USER = 'ar_w'
ALTER APPLICATION ROLE ar_q WITH PASSWORD = 'Ar-Third-3', NAME = ar_z
REVERT
SELECT name, default_schema_name FROM sys.database_principals WHERE name IN ('ar_q', 'ar_z')
GO
