-- GRANT, DENY, REVOKE: https://learn.microsoft.com/sql/t-sql/statements/grant-transact-sql, and revoke, deny
CREATE USER sg_a WITHOUT LOGIN
CREATE USER sg_b WITHOUT LOGIN
CREATE USER sg_c WITHOUT LOGIN
CREATE ROLE sg_r
CREATE TABLE dbo.sg_t (a int, b int)
GO
CREATE VIEW dbo.sg_seen AS
SELECT USER_NAME(grantee_principal_id) AS grantee, USER_NAME(grantor_principal_id) AS grantor, permission_name, state, minor_id
FROM sys.database_permissions WHERE class = 1 AND major_id = OBJECT_ID('dbo.sg_t')
GO
-- on it goes, by who has it with the option, and back it comes with all that came of it
GRANT SELECT ON dbo.sg_t TO sg_a WITH GRANT OPTION
EXECUTE AS USER = 'sg_a'
GRANT SELECT ON dbo.sg_t TO sg_b WITH GRANT OPTION
GRANT INSERT ON dbo.sg_t TO sg_b
REVERT
EXECUTE AS USER = 'sg_b'
GRANT SELECT ON dbo.sg_t TO sg_c
REVERT
SELECT * FROM dbo.sg_seen ORDER BY 1
REVOKE SELECT ON dbo.sg_t FROM sg_a
DENY SELECT ON dbo.sg_t TO sg_a
REVOKE SELECT ON dbo.sg_t FROM sg_a CASCADE
SELECT * FROM dbo.sg_seen ORDER BY 1
GO
GRANT SELECT ON dbo.sg_t TO sg_a WITH GRANT OPTION
REVOKE GRANT OPTION FOR SELECT ON dbo.sg_t FROM sg_a CASCADE
SELECT * FROM dbo.sg_seen ORDER BY 1
REVOKE SELECT ON dbo.sg_t FROM sg_a
GO
-- who may not, and to whom not
EXECUTE AS USER = 'sg_a'
GRANT SELECT ON dbo.sg_t TO sg_b
GRANT CREATE TABLE TO sg_b
REVERT
GRANT SELECT ON dbo.sg_t TO dbo
GRANT SELECT ON dbo.sg_t TO db_datareader
GRANT SELECT ON dbo.sg_t TO nobody
GRANT SELECT ON dbo.missing TO sg_a
GRANT NOTHING ON dbo.sg_t TO sg_a
GRANT SHUTDOWN ON dbo.sg_t TO sg_a
GRANT SELECT ON dbo.sg_t (c) TO sg_a
GO
-- the owner of a schema grants what is in it; a role's option is used in the role's name
CREATE SCHEMA sg_own AUTHORIZATION sg_a
GO
CREATE TABLE sg_own.x (a int)
GO
EXECUTE AS USER = 'sg_a'
GRANT SELECT ON sg_own.x TO sg_b
SELECT a FROM sg_own.x
REVERT
GRANT UPDATE ON dbo.sg_t TO sg_r WITH GRANT OPTION
ALTER ROLE sg_r ADD MEMBER sg_b
EXECUTE AS USER = 'sg_b'
SELECT a FROM sg_own.x
GRANT UPDATE ON dbo.sg_t TO sg_c
GRANT UPDATE ON dbo.sg_t TO sg_c AS sg_r
REVERT
SELECT * FROM dbo.sg_seen ORDER BY 1
GO
-- what is moved or given away has lost its permissions; so has the next of a number
ALTER SCHEMA sg_own TRANSFER dbo.sg_t
SELECT COUNT(*) AS n FROM sys.database_permissions WHERE class = 1 AND major_id = OBJECT_ID('sg_own.sg_t')
ALTER AUTHORIZATION ON sg_own.x TO sg_c
EXECUTE AS USER = 'sg_b'
SELECT a FROM sg_own.x
REVERT
EXECUTE AS USER = 'sg_c'
SELECT a FROM sg_own.x
REVERT
GO
CREATE SCHEMA sg_short
GO
GRANT CONTROL ON SCHEMA::sg_short TO sg_a
DROP SCHEMA sg_short
GO
CREATE SCHEMA sg_next
GO
SELECT COUNT(*) AS n FROM sys.database_permissions WHERE class = 3 AND major_id = SCHEMA_ID('sg_next')
GO
-- asked by name
GRANT CONTROL ON SCHEMA::sg_next TO sg_a
GRANT CREATE TABLE TO sg_a
EXECUTE AS USER = 'sg_a'
SELECT HAS_PERMS_BY_NAME('sg_next', 'SCHEMA', 'ALTER') AS s, HAS_PERMS_BY_NAME('dbo', 'SCHEMA', 'ALTER') AS d,
  HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CREATE TABLE') AS c, HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'ANY') AS a,
  HAS_PERMS_BY_NAME('dbo.missing', 'OBJECT', 'SELECT') AS m, HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS v,
  HAS_PERMS_BY_NAME('sg_b', 'USER', 'IMPERSONATE') AS i, HAS_PERMS_BY_NAME('sg_next', 'SCHEMA', 'NOTHING') AS n
SELECT permission_name FROM fn_my_permissions(NULL, 'DATABASE') ORDER BY 1
REVERT
GO
-- definitions: the permission, and ALTER of the schema
EXECUTE AS USER = 'sg_a'
CREATE TABLE sg_next.mine (a int)
CREATE TABLE dbo.theirs (a int)
CREATE TABLE #own (a int)
DROP TABLE sg_own.x
GO
ALTER TABLE sg_own.x ADD b int
GO
CREATE INDEX i ON sg_own.x (a)
GO
TRUNCATE TABLE sg_own.x
GO
DROP TABLE sg_next.mine
SELECT name FROM sys.tables ORDER BY 1
REVERT
GO
SELECT COUNT(*) AS n FROM sys.fn_builtin_permissions(DEFAULT)
SELECT permission_name, type, covering_permission_name, parent_class_desc, parent_covering_permission_name
FROM sys.fn_builtin_permissions('SCHEMA') ORDER BY 1
GO
-- a foreign key needs REFERENCES of what it refers to
CREATE TABLE dbo.sg_parent (id int PRIMARY KEY)
EXECUTE AS USER = 'sg_a'
CREATE TABLE sg_next.child (id int REFERENCES dbo.sg_parent (id))
REVERT
GRANT REFERENCES ON dbo.sg_parent TO sg_a
EXECUTE AS USER = 'sg_a'
CREATE TABLE sg_next.child (id int REFERENCES dbo.sg_parent (id))
REVERT
SELECT COUNT(*) AS n FROM sys.foreign_keys
GO
