-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-dbfixedrolepermission-transact-sql and sp-srvrolepermission-transact-sql:
-- "correct information in SQL Server 2000". The rows of the database's roles, and of dbcreator, diskadmin and securityadmin, are those of a later version.
EXEC sp_dbfixedrolepermission
EXEC sp_dbfixedrolepermission 'DB_BackupOperator'
EXEC sp_srvrolepermission 'securityadmin'
EXEC sp_srvrolepermission 'diskadmin'
EXEC sp_srvrolepermission 'dbcreator'
GO
CREATE ROLE own
GO
EXEC sp_dbfixedrolepermission 'own'
GO
EXEC sp_srvrolepermission 'nobody'
GO
EXEC sp_helpsrvrole
GO
