-- Logins, users and roles by the procedures that came before their statements, and what lists them.

CREATE PROCEDURE sys.sp_addlogin @loginame sysname, @passwd sysname = NULL, @defdb sysname = N'master', @deflanguage sysname = NULL,
  @sid varbinary(16) = NULL, @encryptopt varchar(20) = NULL AS
SET NOCOUNT ON
IF EXISTS (SELECT 1 FROM sys.server_principals WHERE name = @loginame)
BEGIN
  RAISERROR(15025, -1, -1, @loginame)
  RETURN 1
END
DECLARE @refused int
EXEC @refused = sys.check_database_exists @defdb
IF @refused = 1 RETURN 1
IF @encryptopt IS NOT NULL AND LOWER(@encryptopt) NOT IN ('skip_encryption', 'skip_encryption_old')
BEGIN
  RAISERROR(15600, -1, -1, 'sys.sp_addlogin')
  RETURN 1
END
DECLARE @text nvarchar(max) = N'CREATE LOGIN ' + QUOTENAME(@loginame) + N' WITH PASSWORD = '
  + CASE WHEN @encryptopt IS NULL THEN N'N''' + REPLACE(ISNULL(@passwd, N''), N'''', N'''''') + N''''
    ELSE CONVERT(nvarchar(max), CONVERT(varbinary(256), @passwd), 1) + N' HASHED' END
  + N', DEFAULT_DATABASE = ' + QUOTENAME(@defdb) + N', CHECK_POLICY = OFF'
  + ISNULL(N', DEFAULT_LANGUAGE = ' + QUOTENAME(@deflanguage), N'') + ISNULL(N', SID = ' + CONVERT(nvarchar(max), @sid, 1), N'')
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_droplogin @loginame sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'DROP LOGIN ' + QUOTENAME(@loginame)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_password @old sysname = NULL, @new sysname, @loginame sysname = NULL AS
SET NOCOUNT ON
SET @loginame = ISNULL(@loginame, SUSER_SNAME())
DECLARE @refused int
EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame) + N' WITH PASSWORD = N''' + REPLACE(ISNULL(@new, N''), N'''', N'''''') + N''''
  + CASE WHEN @old IS NULL THEN N'' ELSE N' OLD_PASSWORD = N''' + REPLACE(@old, N'''', N'''''') + N'''' END
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_defaultdb @loginame sysname, @defdb sysname AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame) + N' WITH DEFAULT_DATABASE = ' + QUOTENAME(@defdb)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_defaultlanguage @loginame sysname, @language sysname = NULL AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER LOGIN ' + QUOTENAME(@loginame) + N' WITH DEFAULT_LANGUAGE = ' + QUOTENAME(ISNULL(@language, N'us_english'))
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_adduser @loginame sysname, @name_in_db sysname = NULL, @grpname sysname = NULL AS
SET NOCOUNT ON
DECLARE @user sysname = ISNULL(@name_in_db, @loginame)
DECLARE @refused int
EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
IF EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @user)
BEGIN
  RAISERROR(15023, -1, -1, @user)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'CREATE USER ' + QUOTENAME(@user) + N' FOR LOGIN ' + QUOTENAME(@loginame)
EXEC (@text)
IF @grpname IS NOT NULL AND @grpname <> N'public' EXEC sys.sp_addrolemember @grpname, @user
RETURN 0
GO
CREATE PROCEDURE sys.sp_grantdbaccess @loginame sysname, @name_in_db sysname = NULL OUTPUT AS
DECLARE @status int
SET @name_in_db = ISNULL(@name_in_db, @loginame)
EXEC @status = sys.sp_adduser @loginame, @name_in_db
RETURN @status
GO
CREATE PROCEDURE sys.sp_dropuser @name_in_db sysname AS
SET NOCOUNT ON
IF NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @name_in_db AND type <> 'R')
BEGIN
  RAISERROR(15008, -1, -1, @name_in_db)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'DROP USER ' + QUOTENAME(@name_in_db)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_revokedbaccess @name_in_db sysname AS
DECLARE @status int
EXEC @status = sys.sp_dropuser @name_in_db
RETURN @status
GO
CREATE PROCEDURE sys.sp_addrole @rolename sysname, @ownername sysname = NULL AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE ROLE ' + QUOTENAME(@rolename) + ISNULL(N' AUTHORIZATION ' + QUOTENAME(@ownername), N'')
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_droprole @rolename sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_role @rolename
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'DROP ROLE ' + QUOTENAME(@rolename)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_addgroup @grpname sysname AS
DECLARE @status int
EXEC @status = sys.sp_addrole @grpname
RETURN @status
GO
CREATE PROCEDURE sys.sp_addrolemember @rolename sysname, @membername sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_role @rolename
IF @refused = 1 RETURN 1
IF NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @membername)
BEGIN
  RAISERROR(15410, -1, -1, @membername)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER ROLE ' + QUOTENAME(@rolename) + N' ADD MEMBER ' + QUOTENAME(@membername)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_droprolemember @rolename sysname, @membername sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_role @rolename
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'ALTER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER ' + QUOTENAME(@membername)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_addsrvrolemember @loginame sysname, @rolename sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_server_role @rolename
IF @refused = 0 EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' ADD MEMBER ' + QUOTENAME(@loginame)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_dropsrvrolemember @loginame sysname, @rolename sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_server_role @rolename
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max) = N'ALTER SERVER ROLE ' + QUOTENAME(@rolename) + N' DROP MEMBER ' + QUOTENAME(@loginame)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_changedbowner @loginame sysname, @map varchar(5) = NULL AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER AUTHORIZATION ON DATABASE::' + QUOTENAME(DB_NAME()) + N' TO ' + QUOTENAME(@loginame)
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_changeobjectowner @objname nvarchar(776), @newowner sysname AS
SET NOCOUNT ON
IF OBJECT_ID(@objname) IS NULL
BEGIN
  RAISERROR(15001, -1, -1, @objname)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER SCHEMA ' + QUOTENAME(@newowner) + N' TRANSFER ' + @objname
EXEC (@text)
PRINT N'Caution: Changing any part of an object name could break scripts and stored procedures.'
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpuser @name_in_db sysname = NULL AS
SET NOCOUNT ON
IF @name_in_db IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @name_in_db)
BEGIN
  RAISERROR(15198, -1, -1, @name_in_db)
  RETURN 1
END
SELECT CONVERT(sysname, u.name) AS UserName, CONVERT(sysname, ISNULL(r.name, N'public')) AS RoleName, CONVERT(sysname, l.name) AS LoginName,
  CONVERT(sysname, l.default_database_name) AS DefDBName, CONVERT(sysname, u.default_schema_name) AS DefSchemaName,
  CONVERT(int, u.principal_id) AS UserID, CONVERT(varbinary(85), u.sid) AS SID
FROM sys.database_principals u
LEFT JOIN sys.database_role_members m ON m.member_principal_id = u.principal_id
LEFT JOIN sys.database_principals r ON r.principal_id = m.role_principal_id
LEFT JOIN sys.server_principals l ON l.sid = u.sid
WHERE u.type <> 'R' AND (@name_in_db IS NULL OR u.name = @name_in_db)
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_helprole @rolename sysname = NULL AS
SET NOCOUNT ON
IF @rolename IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @rolename AND type IN ('R', 'A'))
BEGIN
  RAISERROR(15409, -1, -1, @rolename)
  RETURN 1
END
SELECT CONVERT(sysname, p.name) AS RoleName, CONVERT(smallint, p.principal_id) AS RoleId, CONVERT(int, CASE p.type WHEN 'A' THEN 1 ELSE 0 END) AS IsAppRole
FROM sys.database_principals p
WHERE p.type IN ('R', 'A') AND (@rolename IS NULL OR p.name = @rolename)
ORDER BY p.principal_id
GO
CREATE PROCEDURE sys.sp_helprolemember @rolename sysname = NULL AS
SET NOCOUNT ON
IF @rolename IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @rolename AND type = 'R')
BEGIN
  RAISERROR(15409, -1, -1, @rolename)
  RETURN 1
END
SELECT CONVERT(sysname, r.name) AS DbRole, CONVERT(sysname, u.name) AS MemberName, CONVERT(varbinary(85), u.sid) AS MemberSID
FROM sys.database_role_members m
JOIN sys.database_principals r ON r.principal_id = m.role_principal_id
JOIN sys.database_principals u ON u.principal_id = m.member_principal_id
WHERE @rolename IS NULL OR r.name = @rolename
ORDER BY 1, 2
GO
CREATE PROCEDURE sys.sp_helpdbfixedrole @rolename sysname = NULL AS
SET NOCOUNT ON
IF @rolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @rolename AND is_fixed_role = 1)
BEGIN
  RAISERROR (15412, -1, -1, @rolename)
  RETURN 1
END
SELECT CONVERT(sysname, v.name) AS DbFixedRole, CONVERT(nvarchar(70), v.text) AS Description
FROM (VALUES (N'db_owner', N'DB Owners'), (N'db_accessadmin', N'DB Access Administrators'), (N'db_securityadmin', N'DB Security Administrators'),
  (N'db_ddladmin', N'DB DDL Administrators'), (N'db_backupoperator', N'DB Backup Operator'), (N'db_datareader', N'DB Data Reader'),
  (N'db_datawriter', N'DB Data Writer'), (N'db_denydatareader', N'DB Deny Data Reader'), (N'db_denydatawriter', N'DB Deny Data Writer')) AS v(name, text)
WHERE @rolename IS NULL OR v.name = @rolename
GO
CREATE PROCEDURE sys.sp_helpsrvrole @srvrolename sysname = NULL AS
SET NOCOUNT ON
IF @srvrolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @srvrolename AND type = 'R')
BEGIN
  RAISERROR (15412, -1, -1, @srvrolename)
  RETURN 1
END
SELECT CONVERT(sysname, v.name) AS ServerRole, CONVERT(sysname, v.text) AS Description
FROM (VALUES (N'sysadmin', N'System Administrators'), (N'securityadmin', N'Security Administrators'), (N'serveradmin', N'Server Administrators'),
  (N'setupadmin', N'Setup Administrators'), (N'processadmin', N'Process Administrators'), (N'diskadmin', N'Disk Administrators'),
  (N'dbcreator', N'Database Creators'), (N'bulkadmin', N'Bulk Insert Administrators'), (N'##MS_ServerStateReader##', N'Server State Readers'),
  (N'##MS_ServerStateManager##', N'Server State Managers'), (N'##MS_DefinitionReader##', N'Definition Readers'),
  (N'##MS_DatabaseConnector##', N'Database Connectors'), (N'##MS_DatabaseManager##', N'Database Managers'), (N'##MS_LoginManager##', N'Login Managers'),
  (N'##MS_SecurityDefinitionReader##', N'Security Definition Readers'), (N'##MS_PerformanceDefinitionReader##', N'Performance Definition Readers'),
  (N'##MS_ServerSecurityStateReader##', N'Server Security State Readers'),
  (N'##MS_ServerPerformanceStateReader##', N'Server Performance State Readers')) AS v(name, text)
WHERE @srvrolename IS NULL OR v.name = @srvrolename
GO
-- What the roles of SQL Server 2000 could do, by the names of its day, as every later version tells it; db_owner has what all but the denying have.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-dbfixedrolepermission-transact-sql
CREATE PROCEDURE sys.sp_dbfixedrolepermission @rolename sysname = NULL AS
SET NOCOUNT ON
IF @rolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @rolename AND is_fixed_role = 1)
BEGIN
  RAISERROR (15412, -1, -1, @rolename)
  RETURN 1
END
SELECT DISTINCT CONVERT(sysname, r.name) AS DbFixedRole, CONVERT(nvarchar(70), v.text) AS Permission
FROM (VALUES
  (N'db_accessadmin', N'sp_dropuser'), (N'db_accessadmin', N'sp_grantdbaccess'), (N'db_accessadmin', N'sp_revokedbaccess'),
  (N'db_backupoperator', N'BACKUP DATABASE'), (N'db_backupoperator', N'BACKUP LOG'), (N'db_backupoperator', N'CHECKPOINT'),
  (N'db_datareader', N'SELECT permission on any object'), (N'db_datawriter', N'DELETE permission on any object'),
  (N'db_datawriter', N'INSERT permission on any object'), (N'db_datawriter', N'UPDATE permission on any object'),
  (N'db_ddladmin', N'All DDL but GRANT, REVOKE, DENY'), (N'db_ddladmin', N'dbcc cleantable'), (N'db_ddladmin', N'dbcc show_statistics'),
  (N'db_ddladmin', N'dbcc showcontig'), (N'db_ddladmin', N'REFERENCES permission on any table'), (N'db_ddladmin', N'sp_changeobjectowner'),
  (N'db_ddladmin', N'sp_fulltext_column'), (N'db_ddladmin', N'sp_fulltext_table'), (N'db_ddladmin', N'sp_recompile'),
  (N'db_ddladmin', N'sp_rename'), (N'db_ddladmin', N'sp_tableoption'), (N'db_ddladmin', N'TRUNCATE TABLE'),
  (N'db_denydatareader', N'No SELECT permission on any object'), (N'db_denydatawriter', N'No DELETE permission on any object'),
  (N'db_denydatawriter', N'No INSERT permission on any object'), (N'db_denydatawriter', N'No UPDATE permission on any object'),
  (N'db_owner', N'Add/drop to/from db_accessadmin'), (N'db_owner', N'Add/drop to/from db_backupoperator'),
  (N'db_owner', N'Add/drop to/from db_datareader'), (N'db_owner', N'Add/drop to/from db_datawriter'),
  (N'db_owner', N'Add/drop to/from db_ddladmin'), (N'db_owner', N'Add/drop to/from db_denydatareader'),
  (N'db_owner', N'Add/drop to/from db_denydatawriter'), (N'db_owner', N'Add/drop to/from db_owner'),
  (N'db_owner', N'Add/drop to/from db_securityadmin'), (N'db_owner', N'dbcc checkalloc'), (N'db_owner', N'dbcc checkdb'),
  (N'db_owner', N'dbcc checkfilegroup'), (N'db_owner', N'dbcc checkident'), (N'db_owner', N'dbcc checktable'), (N'db_owner', N'dbcc dbreindex'),
  (N'db_owner', N'dbcc proccache'), (N'db_owner', N'dbcc shrinkdatabase'), (N'db_owner', N'dbcc shrinkfile'), (N'db_owner', N'dbcc updateusage'),
  (N'db_owner', N'EXECUTE any procedure'), (N'db_owner', N'sp_change_users_login'), (N'db_owner', N'sp_dbcmptlevel'),
  (N'db_owner', N'sp_fulltext_catalog'), (N'db_owner', N'sp_fulltext_database'), (N'db_owner', N'sp_refreshview'),
  (N'db_securityadmin', N'DENY'), (N'db_securityadmin', N'GRANT'), (N'db_securityadmin', N'REVOKE'), (N'db_securityadmin', N'sp_addapprole'),
  (N'db_securityadmin', N'sp_addrole'), (N'db_securityadmin', N'sp_addrolemember'), (N'db_securityadmin', N'sp_approlepassword'),
  (N'db_securityadmin', N'sp_changeobjectowner'), (N'db_securityadmin', N'sp_dropapprole'), (N'db_securityadmin', N'sp_droprole'),
  (N'db_securityadmin', N'sp_droprolemember')) AS v(name, text)
JOIN sys.database_principals r ON r.is_fixed_role = 1 AND (r.name = v.name OR r.name = N'db_owner' AND v.name NOT LIKE N'db[_]deny%')
WHERE @rolename IS NULL OR r.name = @rolename
ORDER BY 1, 2
RETURN 0
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-srvrolepermission-transact-sql
CREATE PROCEDURE sys.sp_srvrolepermission @srvrolename sysname = NULL AS
SET NOCOUNT ON
IF @srvrolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @srvrolename AND type = 'R')
BEGIN
  RAISERROR (15412, -1, -1, @srvrolename)
  RETURN 1
END
SELECT DISTINCT CONVERT(sysname, r.name) AS ServerRole, CONVERT(sysname, v.text) AS Permission
FROM (VALUES
  (N'bulkadmin', N'Add member to bulkadmin'), (N'bulkadmin', N'BULK INSERT'), (N'dbcreator', N'Add member to dbcreator'),
  (N'dbcreator', N'ALTER DATABASE'), (N'dbcreator', N'CREATE DATABASE'), (N'dbcreator', N'DROP DATABASE'), (N'dbcreator', N'Extend database'),
  (N'dbcreator', N'RESTORE DATABASE'), (N'dbcreator', N'RESTORE LOG'), (N'dbcreator', N'sp_renamedb'),
  (N'diskadmin', N'Add member to diskadmin'), (N'diskadmin', N'DISK INIT'), (N'diskadmin', N'sp_addumpdevice'),
  (N'diskadmin', N'sp_diskdefault'), (N'diskadmin', N'sp_dropdevice'), (N'processadmin', N'Add member to processadmin'),
  (N'processadmin', N'KILL'), (N'securityadmin', N'Add member to securityadmin'), (N'securityadmin', N'Grant/deny/revoke CREATE DATABASE'),
  (N'securityadmin', N'Read the error log'), (N'securityadmin', N'sp_addlinkedsrvlogin'), (N'securityadmin', N'sp_addlogin'),
  (N'securityadmin', N'sp_defaultdb'), (N'securityadmin', N'sp_defaultlanguage'), (N'securityadmin', N'sp_denylogin'),
  (N'securityadmin', N'sp_droplinkedsrvlogin'), (N'securityadmin', N'sp_droplogin'), (N'securityadmin', N'sp_dropremotelogin'),
  (N'securityadmin', N'sp_grantlogin'), (N'securityadmin', N'sp_helplogins'), (N'securityadmin', N'sp_password'),
  (N'securityadmin', N'sp_remoteoption (update)'), (N'securityadmin', N'sp_revokelogin'), (N'serveradmin', N'Add member to serveradmin'),
  (N'serveradmin', N'dbcc freeproccache'), (N'serveradmin', N'RECONFIGURE'), (N'serveradmin', N'SHUTDOWN'), (N'serveradmin', N'sp_configure'),
  (N'serveradmin', N'sp_fulltext_service'), (N'serveradmin', N'sp_tableoption'), (N'setupadmin', N'Add member to setupadmin'),
  (N'setupadmin', N'Add/drop/configure linked servers'), (N'setupadmin', N'Mark a stored procedure as startup'),
  (N'sysadmin', N'Add extended procedures'), (N'sysadmin', N'Add member to sysadmin'), (N'sysadmin', N'BULK INSERT'),
  (N'sysadmin', N'Complete SETUSER SQL user'), (N'sysadmin', N'Constraints on System tables'), (N'sysadmin', N'Create indices on system tables'),
  (N'sysadmin', N'Create/delete/modify system tables'), (N'sysadmin', N'dbcc change ''on'' rules'), (N'sysadmin', N'dbcc checkdb'),
  (N'sysadmin', N'dbcc checkfilegroup'), (N'sysadmin', N'dbcc checkident'), (N'sysadmin', N'dbcc checktable'), (N'sysadmin', N'dbcc dbreindex'),
  (N'sysadmin', N'dbcc dropcleanbuffers'), (N'sysadmin', N'dbcc inputbuffer'), (N'sysadmin', N'dbcc outputbuffer'),
  (N'sysadmin', N'dbcc pintable'), (N'sysadmin', N'dbcc proccache'), (N'sysadmin', N'dbcc setcpuweight'), (N'sysadmin', N'dbcc setioweight'),
  (N'sysadmin', N'dbcc show_statistics'), (N'sysadmin', N'dbcc showcontig'), (N'sysadmin', N'dbcc showoptweights'),
  (N'sysadmin', N'DBCC ShrinkDatabase'), (N'sysadmin', N'DBCC ShrinkFile'), (N'sysadmin', N'dbcc traceon/off'),
  (N'sysadmin', N'Raiserror With Log'), (N'sysadmin', N'sp_adduser'), (N'sysadmin', N'sp_altermessage'), (N'sysadmin', N'sp_change_users_login'),
  (N'sysadmin', N'sp_changedbowner'), (N'sysadmin', N'sp_dropremotelogin'), (N'sysadmin', N'sp_fulltext_service'), (N'sysadmin', N'sp_password'),
  (N'sysadmin', N'sp_remoteoption'), (N'sysadmin', N'sp_updatestats'), (N'sysadmin', N'USE to a suspect database')) AS v(name, text)
JOIN sys.server_principals r ON r.type = 'R' AND r.name IN (v.name, N'sysadmin')
WHERE @srvrolename IS NULL OR r.name = @srvrolename
ORDER BY 1, 2
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpsrvrolemember @srvrolename sysname = NULL AS
SET NOCOUNT ON
IF @srvrolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @srvrolename AND type = 'R')
BEGIN
  RAISERROR (15412, -1, -1, @srvrolename)
  RETURN 1
END
SELECT CONVERT(sysname, r.name) AS ServerRole, CONVERT(sysname, l.name) AS MemberName, CONVERT(varbinary(85), l.sid) AS MemberSID
FROM sys.server_role_members m
JOIN sys.server_principals r ON r.principal_id = m.role_principal_id
JOIN sys.server_principals l ON l.principal_id = m.member_principal_id
WHERE @srvrolename IS NULL OR r.name = @srvrolename
ORDER BY 1, 2
GO
CREATE PROCEDURE sys.sp_helplogins @LoginNamePattern sysname = NULL AS
SET NOCOUNT ON
IF ISNULL(IS_SRVROLEMEMBER('securityadmin'), 0) = 0
BEGIN
  RAISERROR(15247, -1, -1)
  RETURN 1
END
DECLARE @refused int = 0
IF @LoginNamePattern IS NOT NULL EXEC @refused = sys.check_login @LoginNamePattern
IF @refused = 1 RETURN 1
-- Users and roles of all databases that this login may be in.
DECLARE @users TABLE (sid varbinary(85), dbname sysname, username sysname, kind char(8))
DECLARE @names TABLE (place int IDENTITY PRIMARY KEY, name sysname)
INSERT @names (name) SELECT name FROM sys.databases WHERE state = 0 AND HAS_DBACCESS(name) = 1 ORDER BY name
DECLARE @place int = 0, @name sysname, @text nvarchar(max)
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @place = place, @name = name FROM @names WHERE place > @place ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  SET @text = N'SELECT u.sid, N' + QUOTENAME(@name, '''') + N', u.name, ''User'' FROM ' + QUOTENAME(@name) + N'.sys.database_principals u
    WHERE u.type = ''S'' AND u.sid IS NOT NULL UNION ALL
    SELECT u.sid, N' + QUOTENAME(@name, '''') + N', r.name, ''MemberOf'' FROM ' + QUOTENAME(@name) + N'.sys.database_role_members m
    JOIN ' + QUOTENAME(@name) + N'.sys.database_principals u ON u.principal_id = m.member_principal_id
    JOIN ' + QUOTENAME(@name) + N'.sys.database_principals r ON r.principal_id = m.role_principal_id WHERE u.sid IS NOT NULL'
  INSERT @users EXEC (@text)
END
SELECT CONVERT(sysname, l.name) AS LoginName, CONVERT(varbinary(85), l.sid) AS SID, CONVERT(sysname, l.default_database_name) AS DefDBName,
  CONVERT(sysname, l.default_language_name) AS DefLangName,
  CONVERT(char(5), CASE WHEN EXISTS (SELECT 1 FROM @users u WHERE u.sid = l.sid) THEN 'yes' ELSE 'NO' END) AS AUser, CONVERT(char(7), 'no') AS ARemote
FROM sys.server_principals l
WHERE l.type <> 'R' AND (@LoginNamePattern IS NULL OR l.name = @LoginNamePattern)
ORDER BY 1
SELECT CONVERT(sysname, l.name) AS LoginName, u.dbname AS DBName, u.username AS UserName, u.kind AS UserOrAlias
FROM sys.server_principals l
JOIN @users u ON u.sid = l.sid
WHERE l.type <> 'R' AND (@LoginNamePattern IS NULL OR l.name = @LoginNamePattern)
ORDER BY 1, 2, 4, 3
RETURN 0
GO
CREATE PROCEDURE sys.xp_loginconfig @config_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @all TABLE (place int, name sysname, value sysname NULL)
INSERT @all VALUES (1, N'login mode', N'Mixed'), (2, N'default login', N'guest'), (3, N'default domain', NULL),
  (4, N'audit level', (SELECT CASE CONVERT(int, value_in_use) WHEN 0 THEN N'none' WHEN 1 THEN N'success' WHEN 2 THEN N'failure' ELSE N'all' END
    FROM sys.configurations WHERE name = N'login auditing')),
  (5, N'set hostname', N'false'), (6, N'map _', N'domain separator'), (7, N'map $', N'NULL'), (8, N'map #', N'-')
SELECT name, value AS [config value] FROM @all WHERE @config_name IS NULL OR name = @config_name ORDER BY place
RETURN 0
GO
CREATE PROCEDURE sys.sp_helprotect @name nvarchar(776) = NULL, @username sysname = NULL, @grantorname sysname = NULL, @permissionarea varchar(10) = 'o s' AS
SET NOCOUNT ON
DECLARE @area varchar(10) = UPPER(ISNULL(@permissionarea, '?'))
IF @area NOT LIKE '%[OS]%'
BEGIN
  RAISERROR(15300, -1, -1, @area, 'o,s')
  RETURN 1
END
IF @name IS NOT NULL AND PARSENAME(@name, 1) IS NULL
BEGIN
  RAISERROR(15253, -1, -1, @name)
  RETURN 1
END
IF PARSENAME(@name, 3) IS NOT NULL
BEGIN
  RAISERROR(15302, -1, -1)
  RETURN 1
END
-- Of objects and of the database; those for columns beside one for the whole object say that this one is for the other columns.
DECLARE @rights TABLE (class tinyint, object_id int, column_id int, grantee int, grantor int, state char(1), type char(4), permission nvarchar(128),
  kind char(2), columns int)
INSERT @rights
SELECT p.class, p.major_id, p.minor_id, p.grantee_principal_id, p.grantor_principal_id, p.state, p.type, p.permission_name, o.type,
  SUM(CASE WHEN p.minor_id > 0 THEN 1 ELSE 0 END) OVER (PARTITION BY p.class, p.major_id, p.grantee_principal_id, p.grantor_principal_id, p.type)
FROM sys.database_permissions p
LEFT JOIN sys.all_objects o ON o.object_id = p.major_id AND p.class = 1
WHERE (p.class = 1 AND @area LIKE '%O%' AND o.name = ISNULL(PARSENAME(@name, 1), o.name)
    AND (PARSENAME(@name, 2) IS NULL OR o.schema_id = SCHEMA_ID(PARSENAME(@name, 2)))
  OR p.class = 0 AND p.major_id = 0 AND @area LIKE '%S%' AND p.permission_name = ISNULL(UPPER(PARSENAME(@name, 1)), p.permission_name))
  AND (@username IS NULL OR p.grantee_principal_id = USER_ID(@username)) AND (@grantorname IS NULL OR p.grantor_principal_id = USER_ID(@grantorname))
IF NOT EXISTS (SELECT 1 FROM @rights)
BEGIN
  RAISERROR(15330, -1, -1)
  RETURN 1
END
DECLARE @shown TABLE (class tinyint, object_id int, column_id int, grantee int, grantor int, state char(1), permission nvarchar(128), name sysname)
INSERT @shown
SELECT r.class, r.object_id, r.column_id, r.grantee, r.grantor, r.state, r.permission,
  CASE WHEN r.column_id > 0 THEN COL_NAME(r.object_id, r.column_id) WHEN r.class = 0 OR r.type NOT IN ('SL', 'UP', 'RF') THEN N'.'
    WHEN r.kind IN ('U', 'S') THEN CASE r.columns WHEN 0 THEN N'(All+New)' ELSE N'(New)' END ELSE CASE r.columns WHEN 0 THEN N'(All)' ELSE N'.' END END
FROM @rights r
INSERT @shown
SELECT r.class, r.object_id, c.column_id, r.grantee, r.grantor, r.state, r.permission, c.name
FROM @rights r
JOIN sys.all_columns c ON c.object_id = r.object_id
WHERE r.class = 1 AND r.column_id = 0 AND r.columns > 0 AND NOT EXISTS (SELECT 1 FROM @rights o WHERE o.object_id = r.object_id
  AND o.column_id = c.column_id AND o.grantee = r.grantee AND o.grantor = r.grantor AND o.type = r.type)
SELECT CONVERT(sysname, ISNULL(OBJECT_SCHEMA_NAME(s.object_id), N'.')) AS Owner, CONVERT(sysname, ISNULL(OBJECT_NAME(s.object_id), N'.')) AS Object,
  CONVERT(sysname, USER_NAME(s.grantee)) AS Grantee, CONVERT(sysname, USER_NAME(s.grantor)) AS Grantor,
  CONVERT(char(10), CASE s.state WHEN 'D' THEN 'Deny' WHEN 'W' THEN 'Grant_WGO' WHEN 'R' THEN 'Revoke' ELSE 'Grant' END) AS ProtectType,
  CONVERT(nvarchar(60), ISNULL(n.shown, s.permission)) AS Action, s.name AS [Column]
FROM @shown s
LEFT JOIN (VALUES (N'BACKUP DATABASE', N'Backup Database'), (N'BACKUP LOG', N'Backup Transaction'), (N'CREATE DATABASE', N'Create Database'),
  (N'CREATE DEFAULT', N'Create Default'), (N'CREATE FUNCTION', N'Create Function'), (N'CREATE PROCEDURE', N'Create Procedure'),
  (N'CREATE RULE', N'Create Rule'), (N'CREATE TABLE', N'Create Table'), (N'CREATE VIEW', N'Create View'), (N'DELETE', N'Delete'),
  (N'EXECUTE', N'Execute'), (N'INSERT', N'Insert'), (N'REFERENCES', N'References'), (N'SELECT', N'Select'), (N'UPDATE', N'Update')) n(permission, shown)
  ON n.permission = s.permission
ORDER BY s.class DESC, 1, 2, 3, 4, 5, 6, s.column_id
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpntgroup @ntname sysname = NULL AS
SELECT CONVERT(sysname, NULL) AS NTGroupName, CONVERT(int, NULL) AS NTGroupId, CONVERT(varbinary(85), NULL) AS SID, CONVERT(int, NULL) AS HasDbAccess WHERE 1 = 0
GO
CREATE PROCEDURE sys.sp_validatelogins AS
SELECT CONVERT(varbinary(85), NULL) AS SID, CONVERT(sysname, NULL) AS [NT Login] WHERE 1 = 0
GO
CREATE PROCEDURE sys.sp_change_users_login @Action varchar(10), @UserNamePattern sysname = NULL, @LoginName sysname = NULL, @Password sysname = NULL AS
SET NOCOUNT ON
IF IS_MEMBER('db_owner') <> 1
BEGIN
  RAISERROR(15247, -1, -1)
  RETURN 1
END
IF UPPER(@Action) = 'REPORT'
BEGIN
  SELECT CONVERT(sysname, u.name) AS UserName, CONVERT(varbinary(85), u.sid) AS UserSID
  FROM sys.database_principals u
  WHERE u.type = 'S' AND u.principal_id > 4 AND DATALENGTH(u.sid) <= 16 AND NOT EXISTS (SELECT 1 FROM sys.server_principals l WHERE l.sid = u.sid)
  ORDER BY 1
  RETURN 0
END
IF UPPER(@Action) NOT IN ('UPDATE_ONE', 'AUTO_FIX')
BEGIN
  RAISERROR(15600, -1, -1, 'sys.sp_change_users_login')
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER USER ' + QUOTENAME(@UserNamePattern) + N' WITH LOGIN = ' + QUOTENAME(ISNULL(@LoginName, @UserNamePattern))
EXEC (@text)
RETURN 0
GO
