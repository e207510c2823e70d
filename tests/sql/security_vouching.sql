-- Contexts that reach beyond their database: the owner of a TRUSTWORTHY database vouches for its users where it has AUTHENTICATE
-- https://learn.microsoft.com/previous-versions/sql/sql-server-2008-r2/ms188304(v=sql.105)
CREATE LOGIN vo_bob WITH PASSWORD = 'Some-1-password'
CREATE LOGIN vo_fred WITH PASSWORD = 'Some-1-password'
CREATE LOGIN vo_clerk WITH PASSWORD = 'Some-1-password'
CREATE LOGIN vo_admin WITH PASSWORD = 'Some-1-password'
ALTER SERVER ROLE sysadmin ADD MEMBER vo_admin
GO
CREATE DATABASE vo_marketing
CREATE DATABASE vo_sales
ALTER AUTHORIZATION ON DATABASE::vo_marketing TO vo_bob
ALTER AUTHORIZATION ON DATABASE::vo_sales TO vo_fred
GO
USE vo_sales
CREATE TABLE dbo.stats (id int)
INSERT dbo.stats VALUES (1)
CREATE TABLE dbo.hidden (id int)
CREATE USER bob FOR LOGIN vo_bob
CREATE USER clerk_here FOR LOGIN vo_clerk
GRANT SELECT ON dbo.stats TO clerk_here
GO
USE vo_marketing
CREATE USER clerk FOR LOGIN vo_clerk
CREATE USER admin FOR LOGIN vo_admin
CREATE USER loose WITHOUT LOGIN
GO
CREATE PROCEDURE dbo.reads WITH EXECUTE AS 'clerk' AS SELECT id, USER_NAME() AS u, DB_NAME() AS d FROM vo_sales.dbo.stats
GO
-- a guest without TRUSTWORTHY
EXEC dbo.reads
GO
ALTER DATABASE vo_marketing SET TRUSTWORTHY ON
GO
-- the owner may not vouch there
EXEC dbo.reads
GO
USE vo_sales
GRANT AUTHENTICATE TO bob
USE vo_marketing
EXEC dbo.reads
EXECUTE AS USER = 'clerk'
SELECT id FROM vo_sales.dbo.stats
EXEC vo_sales.sys.sp_executesql N'SELECT USER_NAME() AS u, DB_NAME() AS d'
-- what the user there may, and no more
SELECT id FROM vo_sales.dbo.hidden
GO
-- nothing on the server
SELECT COUNT(*) AS n FROM sys.dm_os_schedulers WHERE 1 = 0
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS held
REVERT
GO
-- a user without a login is nobody elsewhere
EXECUTE AS USER = 'loose'
SELECT id FROM vo_sales.dbo.stats
REVERT
GO
-- revoked, it holds no more, also for who acts already
EXECUTE AS USER = 'clerk'
SELECT id FROM vo_sales.dbo.stats
GO
CREATE PROCEDURE #deny AS EXEC vo_sales.sys.sp_executesql N'DENY AUTHENTICATE TO bob'
GO
REVERT
EXEC #deny
EXECUTE AS USER = 'clerk'
SELECT id FROM vo_sales.dbo.stats
REVERT
GO
USE vo_sales
REVOKE AUTHENTICATE FROM bob
USE vo_marketing
EXEC dbo.reads
GO
-- the owner's user there may not even connect
USE vo_sales
GRANT AUTHENTICATE TO bob
DENY CONNECT TO bob
USE vo_marketing
EXEC dbo.reads
GO
USE vo_sales
GRANT CONNECT TO bob
DENY CONNECT TO clerk_here
USE vo_marketing
EXEC dbo.reads
USE vo_sales
GRANT CONNECT TO clerk_here
GO
-- by a role that controls the database
REVOKE AUTHENTICATE FROM bob
ALTER ROLE db_owner ADD MEMBER bob
USE vo_marketing
EXEC dbo.reads
USE vo_sales
ALTER ROLE db_owner DROP MEMBER bob
GO
-- one owner of both
ALTER AUTHORIZATION ON DATABASE::vo_sales TO vo_bob
USE vo_marketing
EXEC dbo.reads
USE vo_sales
CREATE USER fred FOR LOGIN vo_fred
GO
-- the server: AUTHENTICATE SERVER makes the user its login
ALTER AUTHORIZATION ON DATABASE::vo_sales TO vo_fred
GO
USE master
GRANT VIEW SERVER STATE TO vo_clerk
USE vo_marketing
EXECUTE AS USER = 'clerk'
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS held, SUSER_SNAME() AS s
REVERT
USE master
GRANT AUTHENTICATE SERVER TO vo_bob
USE vo_marketing
EXECUTE AS USER = 'clerk'
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') AS held, SUSER_SNAME() AS s
SELECT COUNT(*) AS n FROM sys.dm_os_schedulers WHERE 1 = 0
REVERT
EXECUTE AS USER = 'admin'
SELECT IS_SRVROLEMEMBER('sysadmin') AS a, HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') AS held
REVERT
-- it is AUTHENTICATE in databases where the owner may be
EXEC dbo.reads
GO
USE vo_sales
CREATE USER bob_again WITHOUT LOGIN
DROP USER bob_again
IF USER_ID('bob') IS NULL CREATE USER bob FOR LOGIN vo_bob
USE vo_marketing
EXEC dbo.reads
GO
-- not trustworthy, nobody vouches
ALTER DATABASE vo_marketing SET TRUSTWORTHY OFF
GO
EXEC dbo.reads
GO
EXECUTE AS USER = 'admin'
SELECT HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') AS held
REVERT
GO
USE master
DROP DATABASE vo_marketing
DROP DATABASE vo_sales
DROP LOGIN vo_bob
DROP LOGIN vo_fred
DROP LOGIN vo_clerk
DROP LOGIN vo_admin
GO
