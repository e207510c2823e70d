-- Logins, users and roles by procedure. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/security-stored-procedures-transact-sql
EXEC sp_addlogin 'shuttle', 'Sh0rt!Thread', 'nowhere';
EXEC sp_addlogin 'shuttle', 'Sh0rt!Thread';
EXEC sp_addlogin 'shuttle', 'Sh0rt!Thread';
EXEC sp_password 'Sh0rt!Thread', 'L0ng!Thread', 'shuttle';
EXEC sp_password NULL, 'L0ng!Thread', 'nobody';
EXEC sp_defaultdb 'shuttle', 'tempdb';
GO
EXEC sp_adduser 'nobody';
EXEC sp_adduser 'shuttle', 'dbo';
EXEC sp_addrole 'menders';
EXEC sp_addgroup 'others';
EXEC sp_adduser 'shuttle', 'bobbin', 'menders';
EXEC sp_grantdbaccess 'nobody';
EXEC sp_addrolemember 'nothing', 'bobbin';
EXEC sp_addrolemember 'menders', 'nobody';
EXEC sp_addrolemember 'others', 'bobbin';
EXEC sp_droprolemember 'nothing', 'bobbin';
EXEC sp_droprolemember 'others', 'bobbin';
GO
EXEC sp_addsrvrolemember 'shuttle', 'nothing';
EXEC sp_addsrvrolemember 'nobody', 'sysadmin';
EXEC sp_addsrvrolemember 'shuttle', 'sysadmin';
EXEC sp_dropsrvrolemember 'shuttle', 'nothing';
EXEC sp_dropsrvrolemember 'shuttle', 'sysadmin';
EXEC sp_helpsrvrolemember 'sysadmin';
EXEC sp_helpdbfixedrole 'db_owner';
GO
DECLARE @users TABLE (name sysname, role sysname, login sysname NULL, db sysname NULL, [schema] sysname NULL, id int, sid varbinary(85));
INSERT @users EXEC sp_helpuser 'bobbin';
SELECT name, role, login, db, [schema] FROM @users;
EXEC sp_helpuser 'nobody';
EXEC sp_helprolemember 'nothing';
DECLARE @members TABLE (role sysname, member sysname, sid varbinary(85));
INSERT @members EXEC sp_helprolemember 'menders';
SELECT role, member FROM @members;
EXEC sp_helplogins 'nobody';
GO
CREATE TABLE dbo.t (a int, b int);
GRANT SELECT ON dbo.t TO menders;
DENY UPDATE ON dbo.t (b) TO bobbin;
EXEC sp_helprotect 'dbo.t';
EXEC sp_helprotect 'dbo.t', 'bobbin';
EXEC sp_helpntgroup;
EXEC sp_validatelogins;
EXEC sp_change_users_login 'nothing';
GO
EXEC sp_dropuser 'nobody';
EXEC sp_droprole 'nothing';
EXEC sp_revokedbaccess 'bobbin';
EXEC sp_droprole 'menders';
EXEC sp_droprole 'others';
EXEC sp_droplogin 'nobody';
EXEC sp_droplogin 'sysadmin';
EXEC sp_droplogin 'shuttle';
GO
