CREATE LOGIN weaver WITH PASSWORD = 'Sh0rt!Thread', DEFAULT_DATABASE = master;
GO
CREATE LOGIN weaver WITH PASSWORD = 'Sh0rt!Thread';
GO
CREATE LOGIN weak WITH PASSWORD = 'onlyletters';
GO
CREATE USER weaver FOR LOGIN weaver;
CREATE USER loner WITHOUT LOGIN;
CREATE ROLE clerks;
GO
CREATE USER weaver FOR LOGIN weaver;
GO
CREATE USER nobody FOR LOGIN nobody;
GO
ALTER ROLE clerks ADD MEMBER loner;
ALTER ROLE db_datareader ADD MEMBER clerks;
GO
ALTER ROLE clerks ADD MEMBER nobody;
GO
ALTER ROLE nothing ADD MEMBER loner;
GO
CREATE TABLE t (id int, secret int);
GRANT SELECT ON t TO clerks;
GRANT UPDATE ON t (id) TO loner WITH GRANT OPTION;
DENY DELETE ON OBJECT::dbo.t TO loner;
GRANT CREATE TABLE TO clerks;
GRANT EXECUTE ON SCHEMA::dbo TO clerks;
GO
GRANT SELECT ON nothing TO clerks;
GO
GRANT SELECT ON t TO nobody;
GO
SELECT USER_NAME(p.grantee_principal_id) AS grantee, p.class_desc, OBJECT_NAME(p.major_id) AS object, p.minor_id, p.type, p.permission_name, p.state_desc
FROM sys.database_permissions p WHERE p.grantee_principal_id > 4 ORDER BY 1, 2, 4, 5;
SELECT r.name AS role, m.name AS member FROM sys.database_role_members x JOIN sys.database_principals r ON r.principal_id = x.role_principal_id
JOIN sys.database_principals m ON m.principal_id = x.member_principal_id WHERE m.name <> 'dbo' ORDER BY 1, 2;
SELECT name, type_desc, default_schema_name, authentication_type_desc FROM sys.database_principals WHERE name IN ('weaver', 'loner', 'clerks') ORDER BY name;
GO
REVOKE SELECT ON t FROM clerks;
REVOKE GRANT OPTION FOR UPDATE ON t (id) FROM loner CASCADE;
SELECT type, state FROM sys.database_permissions WHERE major_id = OBJECT_ID('t') ORDER BY type;
GO
DROP ROLE clerks;
GO
ALTER ROLE clerks DROP MEMBER loner;
DROP ROLE clerks;
DROP USER loner;
DROP USER weaver;
DROP USER IF EXISTS weaver;
GO
DROP USER weaver;
GO
ALTER LOGIN weaver DISABLE;
SELECT name, is_disabled, type_desc FROM sys.server_principals WHERE name = 'weaver';
ALTER LOGIN weaver WITH NAME = spinner;
DROP LOGIN spinner;
GO
DROP LOGIN weaver;
GO
DROP TABLE t;
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/security-catalog-views-transact-sql
