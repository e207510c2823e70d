-- What GRANT, DENY and REVOKE refuse, tell and keep: https://learn.microsoft.com/sql/t-sql/statements/grant-object-permissions-transact-sql,
-- .../deny-transact-sql, .../revoke-transact-sql; numbers and texts: "Database Engine events and errors", 4600 to 4699 and 15000 to 15999.
CREATE DATABASE grant_rules
GO
USE grant_rules
GO
CREATE TABLE dbo.t (a int, b int)
CREATE SEQUENCE dbo.q
CREATE TYPE dbo.y FROM int
CREATE SYNONYM dbo.n FOR dbo.t
CREATE USER u1 WITHOUT LOGIN
CREATE USER u2 WITHOUT LOGIN
CREATE USER u3 WITHOUT LOGIN
CREATE ROLE r1
CREATE APPLICATION ROLE ar WITH PASSWORD = 'Weaver-1-loom'
ALTER ROLE r1 ADD MEMBER u1
GO
CREATE PROCEDURE dbo.p AS SELECT 1 AS x
GO
CREATE FUNCTION dbo.f () RETURNS int AS BEGIN RETURN 1 END
GO
CREATE VIEW dbo.v AS SELECT a FROM dbo.t
GO
CREATE VIEW dbo.given AS
SELECT USER_NAME(grantee_principal_id) AS grantee, USER_NAME(grantor_principal_id) AS grantor, class_desc, permission_name, minor_id, state_desc
FROM sys.database_permissions WHERE grantee_principal_id > 4 AND permission_name <> 'CONNECT'
GO
-- an object has what its type has
GRANT EXECUTE ON dbo.t TO u1
GO
GRANT EXECUTE ON dbo.v TO u1
GO
GRANT SELECT ON dbo.p TO u1
GO
GRANT SELECT ON dbo.q TO u1
GO
GRANT RECEIVE ON dbo.t TO u1
GO
GRANT UNMASK ON dbo.v TO u1
GO
-- a class has what it has
GRANT CONNECT ON dbo.t TO u1
GO
GRANT CREATE TABLE ON SCHEMA::dbo TO u1
GO
GRANT CREATE SEQUENCE TO u1
GO
GRANT SELECT ON USER::nobody TO u1
GO
GRANT CONTROL ON USER::nobody TO u1
GO
GRANT CONTROL ON ROLE::nobody TO u1
GO
GRANT CONTROL ON ROLE::db_owner TO u1
GO
GRANT CONTROL ON ROLE::u2 TO u1
GO
GRANT REFERENCES ON TYPE::int TO u1
GO
GRANT CREATE DATABASE TO u1
GO
GRANT CONNECT TO r1
GO
-- elsewhere
GRANT SELECT ON master.dbo.spt_values TO u1
GO
GRANT CONTROL ON DATABASE::master TO u1
GO
GRANT CONTROL ON DATABASE::nowhere TO u1
GO
GRANT SELECT ON INFORMATION_SCHEMA.TABLES TO u1
GO
GRANT EXECUTE ON sys.sp_who TO u1
GO
GRANT IMPERSONATE ON LOGIN::sa TO u1
GO
-- columns
GRANT SELECT (a) ON dbo.t (b) TO u1
GO
GRANT SELECT (z) ON dbo.t TO u1
GO
GRANT INSERT (a) ON dbo.t TO u1
GO
GRANT EXECUTE ON dbo.p (a) TO u1
GO
GRANT SELECT ON SCHEMA::dbo (a) TO u1
GO
GRANT SELECT (a) ON dbo.n TO u1
GO
DENY SELECT ON dbo.t TO u1 WITH GRANT OPTION
GO
DENY SELECT ON dbo.t FROM u1
GO
-- ALL
GRANT ALL ON dbo.t TO u1
GRANT ALL PRIVILEGES ON dbo.p TO u1
GRANT ALL ON dbo.f TO u1
GRANT ALL ON dbo.q TO u1
SELECT permission_name, COUNT(*) AS n FROM dbo.given GROUP BY permission_name ORDER BY permission_name
REVOKE ALL ON dbo.t FROM u1
REVOKE ALL ON dbo.p FROM u1
REVOKE ALL ON dbo.f FROM u1
REVOKE ALL ON dbo.q FROM u1
GO
GRANT ALL TO u1
SELECT permission_name FROM dbo.given ORDER BY permission_name
REVOKE ALL FROM u1
GO
GRANT ALL ON SCHEMA::dbo TO u1
GO
-- told, and nothing is done
GRANT SELECT ON dbo.t TO dbo
PRINT 'the batch goes on'
BEGIN TRY DENY SELECT ON dbo.t TO u1, sys END TRY BEGIN CATCH PRINT 'not caught' END CATCH
SELECT * FROM dbo.given
GO
GRANT SELECT ON dbo.t TO u1, nobody
GO
GRANT SELECT ON dbo.t TO db_datareader
GO
-- who gave it
GRANT SELECT ON dbo.t TO u1 WITH GRANT OPTION
GRANT CONTROL ON dbo.t TO u3
EXECUTE AS USER = 'u1'
GRANT SELECT ON dbo.t TO u2
DENY SELECT ON dbo.t TO u2
REVERT
GO
EXECUTE AS USER = 'u3'
GRANT INSERT ON dbo.t TO u2
REVERT
REVOKE SELECT ON dbo.t FROM u2
SELECT * FROM dbo.given ORDER BY grantee, permission_name
GO
DROP USER u1
GO
DENY SELECT ON dbo.t TO u1
GO
DENY SELECT ON dbo.t TO u1 CASCADE
SELECT * FROM dbo.given ORDER BY grantee, permission_name
REVOKE SELECT, CONTROL, INSERT ON dbo.t FROM u1, u2, u3
GO
GRANT SELECT ON dbo.t TO r1 WITH GRANT OPTION
EXECUTE AS USER = 'u1'
GRANT SELECT ON dbo.t TO u2
GRANT SELECT ON dbo.t TO u2 AS r1
GRANT SELECT ON dbo.t TO u2 AS dbo
REVERT
SELECT * FROM dbo.given ORDER BY grantee
GO
EXECUTE AS USER = 'u1'
GRANT SELECT ON dbo.t TO u2 AS r1
REVERT
SELECT * FROM dbo.given ORDER BY grantee
GO
GRANT SELECT ON dbo.t TO u3 AS u2
GO
GRANT SELECT ON dbo.t TO u3 AS nobody
GO
-- a plain GRANT takes the option away again
GRANT SELECT ON dbo.t TO r1
SELECT * FROM dbo.given WHERE grantee = 'r1'
REVOKE SELECT ON dbo.t FROM r1, u2
GO
-- a column that is revoked of the whole
GRANT SELECT ON dbo.t TO u1
REVOKE SELECT ON dbo.t (b) FROM u1
SELECT * FROM dbo.given
EXECUTE AS USER = 'u1'
SELECT a FROM dbo.t
SELECT b FROM dbo.t
REVERT
GRANT SELECT ON dbo.t TO r1
EXECUTE AS USER = 'u1'
SELECT b FROM dbo.t
REVERT
GO
-- guest stays
REVOKE CONNECT FROM guest
DROP USER guest
GO
GRANT CONNECT TO guest
DROP USER guest
SELECT COUNT(*) AS n FROM sys.database_permissions WHERE grantee_principal_id = 2
GO
CREATE USER guest
GO
USE master
REVOKE CONNECT FROM guest
GO
DROP USER guest
GO
USE tempdb
DENY CONNECT TO guest
GO
USE master
DROP DATABASE grant_rules
GO
