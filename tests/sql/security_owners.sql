-- Who owns something in a database cannot be dropped: https://learn.microsoft.com/sql/t-sql/statements/drop-user-transact-sql ("Users that own
-- securables cannot be dropped from the database"), .../drop-role-transact-sql ("You cannot drop a database role if it owns securables").
CREATE DATABASE owners
GO
USE owners
GO
CREATE USER a WITHOUT LOGIN
CREATE USER b WITHOUT LOGIN
CREATE USER c WITHOUT LOGIN
CREATE ROLE r
CREATE TABLE t (i int)
GO
ALTER AUTHORIZATION ON t TO a
GO
DROP USER a
GO
ALTER AUTHORIZATION ON t TO r
GO
DROP USER a
DROP ROLE r
GO
ALTER AUTHORIZATION ON t TO SCHEMA OWNER
GO
DROP ROLE r
GO
CREATE SCHEMA s AUTHORIZATION b
GO
DROP USER b
GO
DROP SCHEMA s
GO
-- "If no user is specified, the role will be owned by the user that executes CREATE ROLE":
-- https://learn.microsoft.com/sql/t-sql/statements/create-role-transact-sql
GRANT CREATE ROLE TO b
GO
EXECUTE AS USER = 'b'
GO
CREATE ROLE own_role
ALTER ROLE own_role ADD MEMBER c
GO
REVERT
GO
CREATE ROLE named AUTHORIZATION c
CREATE ROLE dbos
SELECT r.name, o.name AS owner FROM sys.database_principals r JOIN sys.database_principals o ON o.principal_id = r.owning_principal_id
WHERE r.name IN ('own_role', 'named', 'dbos') ORDER BY r.name
GO
DROP USER b
GO
DROP USER c
GO
ALTER AUTHORIZATION ON ROLE::own_role TO dbo
ALTER AUTHORIZATION ON ROLE::named TO own_role
GO
DROP USER b
GO
ALTER ROLE own_role DROP MEMBER c
GO
DROP ROLE own_role
GO
DROP ROLE named
DROP ROLE own_role
DROP USER c
DROP ROLE dbos
GO
SELECT name FROM sys.database_principals WHERE principal_id > 4 AND is_fixed_role = 0
GO
CREATE LOGIN keeper WITH PASSWORD = 'Weaver-1-loom'
GO
CREATE SERVER ROLE watch AUTHORIZATION keeper
GO
CREATE SERVER ROLE watch AUTHORIZATION nobody
GO
CREATE SERVER ROLE watch AUTHORIZATION sa
GO
DROP SERVER ROLE watch
DROP LOGIN keeper
USE master
DROP DATABASE owners
GO
GO
-- A type is its schema's owner's, which is what scripts of a database ask for.
CREATE TYPE owned FROM int
GO
ALTER AUTHORIZATION ON TYPE::dbo.owned TO SCHEMA OWNER
GO
ALTER AUTHORIZATION ON TYPE::dbo.nowhere TO SCHEMA OWNER
GO
ALTER AUTHORIZATION ON TYPE::dbo.owned TO dbo
GO
DROP TYPE owned
