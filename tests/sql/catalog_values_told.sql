-- Values of catalog views and functions that tools compare, each as the page of the view has it:
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-tables-transact-sql (lob_data_space_id, lock_escalation)
CREATE TABLE dbo.told_long (id int CONSTRAINT told_long_key PRIMARY KEY, word nvarchar(max), x xml, g geometry)
CREATE TABLE dbo.told_short (id int, word varchar(20))
ALTER TABLE dbo.told_short SET (LOCK_ESCALATION = AUTO)
GO
SELECT name, lob_data_space_id, lock_escalation, lock_escalation_desc FROM sys.tables WHERE name LIKE 'told%' ORDER BY name
ALTER TABLE dbo.told_short SET (LOCK_ESCALATION = DISABLE)
SELECT name, lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 'told_short'
ALTER TABLE dbo.told_short SET (LOCK_ESCALATION = TABLE)
SELECT name, lock_escalation, lock_escalation_desc FROM sys.tables WHERE name = 'told_short'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-index-columns-transact-sql: XML and spatial indexes have no key.
CREATE PRIMARY XML INDEX told_xml ON dbo.told_long (x)
CREATE SPATIAL INDEX told_spatial ON dbo.told_long (g) WITH (BOUNDING_BOX = (0, 0, 10, 10))
GO
SELECT i.name, c.index_column_id, c.column_id, c.key_ordinal, c.is_included_column, (SELECT COUNT(*) FROM sys.stats_columns s WHERE s.object_id = i.object_id AND s.stats_id = i.index_id) AS statistics_columns
FROM sys.indexes i JOIN sys.index_columns c ON c.object_id = i.object_id AND c.index_id = i.index_id WHERE i.object_id = OBJECT_ID('dbo.told_long') ORDER BY i.index_id
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helpindex-transact-sql: "it does not expose information about XML
-- indexes or spatial indexes".
EXEC sp_helpindex 'dbo.told_long'
CREATE UNIQUE INDEX told_ignoring ON dbo.told_short (id) WITH (IGNORE_DUP_KEY = ON, STATISTICS_NORECOMPUTE = ON)
EXEC sp_helpindex 'dbo.told_short'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-objects-transact-sql: "modify_date also changes when an index on
-- the table or view is created or altered".
CREATE TABLE dbo.told_moments (step int, modified datetime)
INSERT dbo.told_moments SELECT 1, modify_date FROM sys.tables WHERE name = 'told_short'
WAITFOR DELAY '00:00:00.050'
CREATE INDEX told_word ON dbo.told_short (word)
INSERT dbo.told_moments SELECT 2, modify_date FROM sys.tables WHERE name = 'told_short'
WAITFOR DELAY '00:00:00.050'
ALTER INDEX told_word ON dbo.told_short REBUILD
INSERT dbo.told_moments SELECT 3, modify_date FROM sys.tables WHERE name = 'told_short'
WAITFOR DELAY '00:00:00.050'
ALTER INDEX told_word ON dbo.told_short REORGANIZE
INSERT dbo.told_moments SELECT 4, modify_date FROM sys.tables WHERE name = 'told_short'
SELECT step, CASE WHEN modified > LAG(modified) OVER (ORDER BY step) THEN 'later' ELSE 'the same' END AS moment FROM dbo.told_moments ORDER BY step
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-modules-transact-sql: stand-alone defaults have a definition, inline
-- functions are inlineable.
CREATE FUNCTION dbo.told_inline (@a int) RETURNS TABLE AS RETURN SELECT @a AS a
GO
CREATE DEFAULT dbo.told_default AS 7
GO
CREATE RULE dbo.told_rule AS @x > 0
GO
SELECT o.name, o.type, CASE WHEN m.definition IS NOT NULL THEN 'told' END AS definition, m.inline_type, m.is_inlineable FROM sys.sql_modules m JOIN sys.objects o ON o.object_id = m.object_id
WHERE o.name LIKE 'told%' ORDER BY o.name
SELECT name, OBJECTPROPERTY(object_id, 'IsConstraint') AS is_constraint, OBJECTPROPERTY(object_id, 'IsDefaultCnst') AS is_default_cnst,
  OBJECTPROPERTY(object_id, 'IsDefault') AS is_default, OBJECTPROPERTY(object_id, 'CnstIsColumn') AS cnst_is_column
FROM sys.objects WHERE name IN ('told_default', 'told_long_key') ORDER BY name
GO
-- Types of properties: https://learn.microsoft.com/sql/t-sql/functions/serverproperty-transact-sql, databasepropertyex-transact-sql
SELECT SQL_VARIANT_PROPERTY(SERVERPROPERTY('EditionID'), 'BaseType') AS edition_id, SQL_VARIANT_PROPERTY(SERVERPROPERTY('SqlCharSet'), 'BaseType') AS char_set,
  SQL_VARIANT_PROPERTY(SERVERPROPERTY('SqlSortOrder'), 'BaseType') AS sort_order, SQL_VARIANT_PROPERTY(DATABASEPROPERTYEX('master', 'SQLSortOrder'), 'BaseType') AS of_database,
  SERVERPROPERTY('EditionID') AS edition
GO
CREATE DATABASE told_base
ALTER DATABASE told_base SET RECOVERY SIMPLE
ALTER DATABASE told_base SET PAGE_VERIFY TORN_PAGE_DETECTION
ALTER DATABASE told_base SET SINGLE_USER
SELECT DATABASEPROPERTY('told_base', 'IsTruncLog') AS truncates, DATABASEPROPERTY('told_base', 'IsBulkCopy') AS bulk_copy, DATABASEPROPERTY('told_base', 'IsSingleUser') AS single,
  DATABASEPROPERTYEX('told_base', 'IsTornPageDetectionEnabled') AS torn, DATABASEPROPERTY('master', 'IsDboOnly') AS dbo_only,
  DATABASEPROPERTYEX('told_base', 'LastGoodCheckDbTime') AS checked
SELECT physical_database_name FROM sys.databases WHERE name = 'told_base'
GO
-- A check that finds nothing is noted: https://learn.microsoft.com/sql/t-sql/functions/databasepropertyex-transact-sql
DBCC CHECKDB (told_base) WITH NO_INFOMSGS
SELECT CASE WHEN DATEDIFF(minute, CONVERT(datetime, DATABASEPROPERTYEX('told_base', 'LastGoodCheckDbTime')), GETDATE()) BETWEEN 0 AND 10 THEN 'just now' END AS checked
-- The log of each view is the same: https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-sqlperf-transact-sql
DECLARE @space TABLE (name sysname, size real, used real, status int)
SET NOCOUNT ON
INSERT @space EXEC ('DBCC SQLPERF (LOGSPACE) WITH NO_INFOMSGS')
SET NOCOUNT OFF
SELECT CASE WHEN s.size = f.size / 128.0 THEN 'as SQLPERF' END AS of_file, CASE WHEN c.cntr_value / 1024.0 = s.size THEN 'as SQLPERF' END AS of_counter, f.max_size
FROM @space s JOIN sys.master_files f ON f.type = 1 AND f.database_id = DB_ID(s.name)
JOIN sys.dm_os_performance_counters c ON c.counter_name = N'Log File(s) Size (KB)' AND c.instance_name = s.name WHERE s.name = 'told_base'
DROP DATABASE told_base
GO
SELECT name FROM sys.master_files WHERE database_id < 5 ORDER BY database_id, file_id
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-login-token-transact-sql, sys-user-token-transact-sql
SELECT name, type, usage FROM sys.login_token ORDER BY principal_id
SELECT name, type, usage FROM sys.user_token ORDER BY principal_id
GO
CREATE ROLE told_outer
CREATE ROLE told_inner
CREATE USER told_user WITHOUT LOGIN
ALTER ROLE told_outer ADD MEMBER told_inner
ALTER ROLE told_inner ADD MEMBER told_user
EXECUTE AS USER = 'told_user'
SELECT name, type FROM sys.user_token ORDER BY name
REVERT
SELECT class, class_desc, permission_name FROM sys.server_permissions WHERE major_id = 2 AND class = 105
SELECT is_linked, is_remote_login_enabled, is_rpc_out_enabled, is_data_access_enabled FROM sys.servers WHERE server_id = 0
GO
-- sp_help: precision and scale of parameters as ODBC has them, and views that are bound to the table.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-help-transact-sql
CREATE PROCEDURE dbo.told_parameters @a int, @b nvarchar(20), @c varchar(max), @d decimal(10, 3), @e float, @f datetime2(3), @g uniqueidentifier, @h money AS SELECT 1
GO
CREATE VIEW dbo.told_bound WITH SCHEMABINDING AS SELECT id FROM dbo.told_short
GO
CREATE TYPE dbo.told_alias FROM nvarchar(30) NOT NULL
GO
EXEC sp_bindefault 'dbo.told_default', 'told_alias'
GO
SELECT parameter_id, ODBCPREC(system_type_id, max_length, precision) AS prec, ODBCSCALE(system_type_id, scale) AS scale
FROM sys.parameters WHERE object_id = OBJECT_ID('dbo.told_parameters') ORDER BY parameter_id
EXEC sp_help 'dbo.told_alias'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-spaceused-transact-sql
EXEC sp_spaceused 'dbo.told_short', 'maybe'
EXEC sp_spaceused 'dbo.told_parameters'
EXEC sp_spaceused 'dbo.told_bound'
EXEC sp_spaceused 'dbo.told_short', 'false'
GO
-- The views of SQL Server 2000: XML and spatial indexes are in none, and are no error there.
-- https://learn.microsoft.com/sql/relational-databases/system-compatibility-views/sys-sysindexes-transact-sql
SELECT name, indid, keycnt, groupid FROM sysindexes WHERE id IN (OBJECT_ID('dbo.told_long'), OBJECT_ID('dbo.told_short')) ORDER BY OBJECT_NAME(id), indid
SELECT indid, colid, keyno FROM sysindexkeys WHERE id = OBJECT_ID('dbo.told_long')
CREATE TABLE dbo.told_old (id int IDENTITY CONSTRAINT told_old_key PRIMARY KEY, word nvarchar(20), amount decimal(10, 2) CONSTRAINT told_old_default DEFAULT 1, long varchar(max), twice AS amount * 2)
SELECT name, colstat & 1 AS is_identity, prec, scale, length, isnullable, iscomputed FROM syscolumns WHERE id = OBJECT_ID('dbo.told_old') ORDER BY colid
SELECT name, prec, scale, isnullable FROM syscolumns WHERE id = OBJECT_ID('dbo.told_parameters') ORDER BY colid
SELECT OBJECT_NAME(constid) AS name, colid, status & 15 AS kind, status & 48 AS level FROM sysconstraints WHERE id = OBJECT_ID('dbo.told_old') ORDER BY 1
SELECT name, prec, scale FROM systypes WHERE name IN ('sysname', 'int', 'decimal', 'nvarchar', 'told_alias') ORDER BY name
SELECT name, hasdbaccess, islogin FROM sysusers WHERE name IN ('dbo', 'guest', 'told_user', 'sys', 'public') ORDER BY name
SELECT fileid, status, maxsize FROM sysfiles ORDER BY fileid
SELECT groupname, status FROM sysfilegroups
GO
CREATE LOGIN told_login WITH PASSWORD = 'Strong.pass.1'
ALTER SERVER ROLE dbcreator ADD MEMBER told_login
EXEC master.sys.sp_executesql N'DENY CONNECT SQL TO told_login'
SELECT name, sysadmin, securityadmin, dbcreator, bulkadmin, denylogin, hasaccess FROM syslogins WHERE name IN ('sa', 'told_login') ORDER BY name
DROP LOGIN told_login
CREATE DATABASE told_base
ALTER DATABASE told_base SET RECOVERY SIMPLE
ALTER DATABASE told_base SET ANSI_NULLS ON
ALTER DATABASE told_base SET READ_ONLY
SELECT name, status & 8 AS truncates, status & 1024 AS read_only, status & 65536 AS checksum, status & 4096 AS single, status2 & 67108864 AS ansi_nulls FROM sysdatabases WHERE name = 'told_base'
DROP DATABASE told_base
GO
-- Files and filegroups by name and number are those of the views: https://learn.microsoft.com/sql/t-sql/functions/file-id-transact-sql,
-- filegroup-id-transact-sql, filegroupproperty-transact-sql, fileproperty-transact-sql
CREATE DATABASE told_files ON PRIMARY (NAME = told_main, FILENAME = 'told_main.mdf'), FILEGROUP told_group (NAME = told_more, FILENAME = 'told_more.ndf')
LOG ON (NAME = told_log, FILENAME = 'told_log.ldf')
GO
USE told_files
GO
SELECT f.name, FILE_ID(f.name) - f.file_id AS id, FILE_IDEX(f.name) - f.file_id AS idex, FILE_NAME(f.file_id) AS back, FILEPROPERTY(f.name, 'IsPrimaryFile') AS first,
  FILEPROPERTY(f.name, 'IsLogFile') AS log, FILEPROPERTY(f.name, 'IsReadOnly') AS read_only, FILEPROPERTY(f.name, 'Nonsense') AS nonsense
FROM sys.database_files f ORDER BY f.file_id
SELECT g.name, FILEGROUP_ID(g.name) - g.data_space_id AS id, FILEGROUP_NAME(g.data_space_id) AS back, FILEGROUPPROPERTY(g.name, 'IsUserDefinedFG') AS users,
  FILEGROUPPROPERTY(g.name, 'IsDefault') AS is_default, FILEGROUPPROPERTY(g.name, 'IsReadOnly') AS read_only FROM sys.filegroups g ORDER BY g.data_space_id
SELECT FILE_ID('told_files') AS no_file, FILE_NAME(9) AS no_number, FILEGROUP_ID('x') AS no_group, FILEGROUP_NAME(9) AS no_group_number
ALTER DATABASE told_files MODIFY FILE (NAME = told_more, NEWNAME = told_renamed)
SELECT FILE_ID('told_renamed') AS renamed, FILE_ID('told_more') AS old
GO
USE golden_catalog_values_told
GO
DROP DATABASE told_files
GO
-- Of what is no number the precision is the length: https://learn.microsoft.com/sql/t-sql/functions/typeproperty-transact-sql, columnproperty-transact-sql
SELECT t.name, TYPEPROPERTY(t.name, 'Precision') AS precision, TYPEPROPERTY(t.name, 'Scale') AS scale FROM sys.types t WHERE t.is_user_defined = 0 ORDER BY t.name
CREATE TABLE dbo.told_lengths (a varbinary(max), b binary(12), c xml, d uniqueidentifier, e rowversion, f text, g varchar(max), h nvarchar(15))
SELECT name, COLUMNPROPERTY(object_id, name, 'Precision') AS precision, COLUMNPROPERTY(object_id, name, 'Scale') AS scale, COLUMNPROPERTY(object_id, name, 'CharMaxLen') AS characters
FROM sys.columns WHERE object_id = OBJECT_ID('dbo.told_lengths') ORDER BY column_id
SELECT INDEXPROPERTY(OBJECT_ID('dbo.told_long'), 'told_xml', 'IsStatistics') AS of_xml
GO
-- https://learn.microsoft.com/sql/relational-databases/system-information-schema-views/table-privileges-transact-sql, column-privileges-transact-sql,
-- domains-transact-sql: what is no privilege of the standard is not there.
GRANT ALTER, VIEW DEFINITION, DELETE, SELECT ON dbo.told_old TO told_user
GRANT UPDATE ON dbo.told_old (word) TO told_user
SELECT GRANTEE, TABLE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE FROM INFORMATION_SCHEMA.TABLE_PRIVILEGES WHERE GRANTEE = 'told_user' ORDER BY 3
SELECT GRANTEE, TABLE_NAME, COLUMN_NAME, PRIVILEGE_TYPE FROM INFORMATION_SCHEMA.COLUMN_PRIVILEGES WHERE GRANTEE = 'told_user' ORDER BY 3, 4
SELECT DOMAIN_NAME, DATA_TYPE, DOMAIN_DEFAULT FROM INFORMATION_SCHEMA.DOMAINS WHERE DOMAIN_NAME = 'told_alias'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-plan-attributes-transact-sql
CREATE PROCEDURE dbo.told_plan AS SELECT COUNT(*) AS many FROM dbo.told_old
GO
EXEC dbo.told_plan
SELECT a.attribute, CASE a.attribute WHEN 'dbid' THEN DB_NAME(CONVERT(int, a.value)) WHEN 'objectid' THEN OBJECT_NAME(CONVERT(int, a.value)) WHEN 'dbid_execute' THEN CONVERT(sysname, a.value) END AS value,
  SQL_VARIANT_PROPERTY(a.value, 'BaseType') AS type, a.is_cache_key
FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) t CROSS APPLY sys.dm_exec_plan_attributes(p.plan_handle) a
WHERE t.objectid = OBJECT_ID('dbo.told_plan') AND t.dbid = DB_ID() ORDER BY a.attribute
GO
-- Permissions on all columns: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helprotect-transact-sql
EXEC sp_helprotect 'dbo.told_old', 'told_user'
EXEC sp_helprotect 'CONNECT', 'told_user', NULL, 's'
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helpfilegroup-transact-sql: of one, its files too.
EXEC sp_helpfilegroup 'PRIMARY'
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-principals-transact-sql: a role's SID is S-1-9-4 and on.
CREATE ROLE told_role
CREATE USER told_loginless WITHOUT LOGIN
GO
SELECT name, CASE WHEN name LIKE 'told%' THEN CONVERT(varbinary(12), sid) ELSE sid END AS sid, DATALENGTH(sid) AS length FROM sys.database_principals
WHERE name IN ('public', 'db_owner', 'db_denydatawriter', 'told_role', 'told_loginless') ORDER BY name
GO
-- https://learn.microsoft.com/sql/relational-databases/system-information-schema-views/routines-transact-sql (IS_NULL_CALL), sequences-transact-sql
-- and columns-transact-sql (CHARACTER_MAXIMUM_LENGTH).
CREATE FUNCTION dbo.told_call (@a int) RETURNS int AS BEGIN RETURN @a END
GO
CREATE FUNCTION dbo.told_null_call (@a int) RETURNS int WITH RETURNS NULL ON NULL INPUT AS BEGIN RETURN @a END
GO
CREATE SEQUENCE dbo.told_sequence AS decimal(9, 0) START WITH 5
CREATE TABLE dbo.told_iso_lengths (v sql_variant, h hierarchyid, g geography, x xml, t text, n ntext, i image)
GO
SELECT ROUTINE_NAME, IS_NULL_CALL FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME IN ('told_call', 'told_null_call', 'told_plan') ORDER BY 1
SELECT SEQUENCE_NAME, DATA_TYPE, NUMERIC_PRECISION, DECLARED_DATA_TYPE, DECLARED_NUMERIC_PRECISION, DECLARED_NUMERIC_SCALE FROM INFORMATION_SCHEMA.SEQUENCES
SELECT COLUMN_NAME, CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'told_iso_lengths' ORDER BY ORDINAL_POSITION
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-modules-transact-sql (uses_database_collation)
CREATE TYPE dbo.told_table AS TABLE (k int PRIMARY KEY, c int DEFAULT 1 CHECK (c > 0))
GO
CREATE VIEW dbo.told_schema_bound WITH SCHEMABINDING AS SELECT id FROM dbo.told_short
GO
CREATE VIEW dbo.told_loose AS SELECT id FROM dbo.told_short
GO
SELECT OBJECT_NAME(object_id) AS name, uses_database_collation, is_schema_bound FROM sys.sql_modules WHERE object_id IN (OBJECT_ID('dbo.told_schema_bound'), OBJECT_ID('dbo.told_loose')) ORDER BY 1
SELECT type, SCHEMA_NAME(schema_id) AS of_schema, is_ms_shipped FROM sys.objects WHERE parent_object_id = (SELECT type_table_object_id FROM sys.table_types WHERE name = 'told_table') ORDER BY type
GO
