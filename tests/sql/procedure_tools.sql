-- Procedures that tools and older scripts call.
CREATE TABLE dbo.asked (id int CONSTRAINT asked_key PRIMARY KEY, word varchar(10))
CREATE INDEX asked_word ON dbo.asked (word)
GO
EXEC sp_MStablespace 'dbo.asked'
EXEC sp_MSindexspace 'dbo.asked'
EXEC sp_MSindexspace 'dbo.asked', 'asked_word'
EXEC sp_MStablespace 'dbo.nothing'
DECLARE @id int = OBJECT_ID('dbo.asked')
EXEC sp_objectfilegroup @id
GO
CREATE LOGIN asked_login WITH PASSWORD = 'Strong.pass.1'
CREATE USER asked_user FOR LOGIN asked_login
EXEC sp_MSloginmappings 'asked_login'
EXEC sp_MSloginmappings 'asked_nobody'
DROP USER asked_user
DROP LOGIN asked_login
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-db-vardecimal-storage-format-transact-sql
EXEC sp_db_vardecimal_storage_format 'master'
EXEC sp_db_vardecimal_storage_format 'master', 'ON'
EXEC sp_db_vardecimal_storage_format 'asked_nothing'
EXEC sp_db_vardecimal_storage_format 'master', 'x'
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-fulltext-database-transact-sql
EXEC sp_fulltext_database 'enable'
EXEC sp_fulltext_database 'other'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addapprole-transact-sql
EXEC sp_addapprole 'asked_role', 'Strong.pass.1'
SELECT name, type_desc FROM sys.database_principals WHERE name = 'asked_role'
EXEC sp_approlepassword 'asked_role', 'Other.pass.2'
EXEC sp_dropapprole 'asked_role'
EXEC sp_dropapprole 'asked_role'
GO
EXEC sp_grantlogin 'DOMAIN\somebody'
EXEC sp_revokelogin 'DOMAIN\somebody'
EXEC sp_denylogin 'DOMAIN\somebody'
GO
CREATE PROCEDURE dbo.asked_again AS SELECT id FROM dbo.asked
GO
EXEC sp_refresh_parameter_encryption 'dbo.asked_again'
EXEC sp_removedbreplication 'master'
EXEC sp_removedbreplication 'asked_nothing'
EXEC sp_create_plan_guide N'g', N'SELECT 1', N'SQL', NULL, NULL, N'OPTION (MAXDOP 1)'
EXEC sp_control_plan_guide N'DROP', N'g'
EXEC xp_regenumvalues 'HKEY_LOCAL_MACHINE', 'Software'
EXEC xp_instance_regenumkeys 'HKEY_LOCAL_MACHINE', 'Software'
EXEC xp_regdeletevalue 'HKEY_LOCAL_MACHINE', 'Software', 'x'
GO
EXEC sp_OADestroy 1
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-validname-transact-sql: NULL is no name.
EXEC sp_validname NULL
EXEC sp_validname N''
EXEC sp_validname N'good'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-monitor-transact-sql: number(number)-number% or number(number).
DECLARE @shape varchar(25) = CONVERT(varchar(25), FORMATMESSAGE('%d(%d)-%d%%', 1, 2, 3))
SELECT @shape AS shape
GO
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-opentran-transact-sql
BEGIN TRANSACTION
INSERT dbo.asked VALUES (1, 'a')
DECLARE @open TABLE (fact nvarchar(50), value nvarchar(256))
INSERT @open EXEC ('DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS')
SELECT fact, CASE fact WHEN 'OLDACT_SPID' THEN CASE value WHEN CONVERT(nvarchar(10), @@SPID) THEN 'mine' END WHEN 'OLDACT_STARTTIME' THEN 'a moment' ELSE value END AS value FROM @open
ROLLBACK
GO
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-proccache-transact-sql
CREATE TABLE #cache (plans int, used int, active int, pages int, pages_used int, pages_active int)
INSERT #cache EXEC ('DBCC PROCCACHE WITH NO_INFOMSGS')
SELECT CASE WHEN plans > 0 AND plans = used THEN 'some' END AS plans, active FROM #cache
DROP TABLE #cache
GO
DBCC CLONEDATABASE (master, asked_clone)
GO
DBCC PAGE (master, 1, 1)
GO
DBCC PINTABLE (1, 2)
GO
DBCC NONSENSE
GO
