-- What features that this server does not have answer when scripts and tools ask for them: nobody has switched them on, nothing is there, or, of
-- what would make something, that it is not to be had.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/change-data-capture-stored-procedures-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/full-text-search-and-semantic-search-stored-procedures-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/replication-stored-procedures-transact-sql

CREATE PROCEDURE sys.sp_cdc_disable_db AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_add_job @job_type nvarchar(20), @start_job bit = 1, @maxtrans int = NULL, @maxscans int = NULL, @continuous bit = NULL,
  @pollinginterval bigint = NULL, @retention bigint = NULL, @threshold bigint = NULL AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_change_job @job_type nvarchar(20) = N'capture', @maxtrans int = NULL, @maxscans int = NULL, @continuous bit = NULL,
  @pollinginterval bigint = NULL, @retention bigint = NULL, @threshold bigint = NULL AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_drop_job @job_type nvarchar(20) AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_start_job @job_type nvarchar(20) = N'capture' AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_stop_job @job_type nvarchar(20) = N'capture' AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_scan @maxtrans int = 500, @maxscans int = 10, @continuous tinyint = 0, @pollinginterval bigint = 0, @is_from_job int = 0 AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_cleanup_change_table @capture_instance sysname, @low_water_mark binary(10), @threshold bigint = 5000 AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_generate_wrapper_function @capture_instance sysname = NULL, @closed_high_end_point bit = 1, @column_list nvarchar(max) = NULL,
  @update_flag_list nvarchar(max) = NULL AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
-- Full-text search.
CREATE PROCEDURE sys.sp_help_fulltext_catalogs @fulltext_catalog_name sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(smallint, NULL) AS fulltext_catalog_id, CONVERT(sysname, NULL) AS NAME, CONVERT(nvarchar(260), NULL) AS PATH, CONVERT(int, NULL) AS STATUS,
  CONVERT(int, NULL) AS NUMBER_FULLTEXT_TABLES
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_help_fulltext_tables @fulltext_catalog_name sysname = NULL, @table_name nvarchar(517) = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS TABLE_OWNER, CONVERT(sysname, NULL) AS TABLE_NAME, CONVERT(sysname, NULL) AS FULLTEXT_KEY_INDEX_NAME,
  CONVERT(int, NULL) AS FULLTEXT_KEY_COLID, CONVERT(int, NULL) AS FULLTEXT_INDEX_ACTIVE, CONVERT(sysname, NULL) AS FULLTEXT_CATALOG_NAME
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_help_fulltext_columns @table_name nvarchar(517) = NULL, @column_name sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS TABLE_OWNER, CONVERT(int, NULL) AS TABLE_ID, CONVERT(sysname, NULL) AS TABLE_NAME, CONVERT(sysname, NULL) AS FULLTEXT_COLUMN_NAME,
  CONVERT(int, NULL) AS FULLTEXT_COLID, CONVERT(sysname, NULL) AS FULLTEXT_BLOBTP_COLNAME, CONVERT(int, NULL) AS FULLTEXT_BLOBTP_COLID,
  CONVERT(sysname, NULL) AS FULLTEXT_LANGUAGE
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_help_fulltext_system_components @component_type sysname, @param sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS componenttype, CONVERT(sysname, NULL) AS componentname, CONVERT(uniqueidentifier, NULL) AS clsid,
  CONVERT(nvarchar(256), NULL) AS fullpath, CONVERT(nvarchar(30), NULL) AS version, CONVERT(sysname, NULL) AS manufacturer
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_fulltext_service @action nvarchar(100) = NULL, @value sql_variant = NULL AS
RAISERROR(40510, 16, 1, N'sp_fulltext_service')
RETURN 1
GO
CREATE PROCEDURE sys.sp_fulltext_catalog @ftcat sysname, @action varchar(20), @path nvarchar(101) = NULL AS
RAISERROR(40510, 16, 1, N'sp_fulltext_catalog')
RETURN 1
GO
CREATE PROCEDURE sys.sp_fulltext_table @tabname nvarchar(517), @action varchar(50), @ftcat sysname = NULL, @keyname sysname = NULL AS
RAISERROR(40510, 16, 1, N'sp_fulltext_table')
RETURN 1
GO
CREATE PROCEDURE sys.sp_fulltext_column @tabname nvarchar(517), @colname sysname, @action varchar(20), @language int = NULL, @type_colname sysname = NULL AS
RAISERROR(40510, 16, 1, N'sp_fulltext_column')
RETURN 1
GO
CREATE PROCEDURE sys.sp_fulltext_load_thesaurus_file @lcid int, @loadOnlyIfNotLoaded bit = 0 AS
RAISERROR(40510, 16, 1, N'sp_fulltext_load_thesaurus_file')
RETURN 1
GO
-- Replication.
CREATE PROCEDURE sys.sp_get_distributor AS
SET NOCOUNT ON
SELECT CONVERT(int, 0) AS installed, CONVERT(sysname, NULL) AS [distribution server], CONVERT(int, 0) AS [distribution db installed],
  CONVERT(int, 0) AS [is distribution publisher], CONVERT(int, 0) AS [has remote distribution publisher]
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpreplicationdboption @dbname sysname = N'%', @type sysname = N'replication allowed', @reserved bit = 0 AS
SET NOCOUNT ON
SELECT CONVERT(sysname, d.name) AS name, CONVERT(int, d.database_id) AS id, CONVERT(bit, 0) AS transpublish, CONVERT(bit, 0) AS mergepublish,
  CONVERT(bit, CASE d.owner_sid WHEN SUSER_SID() THEN 1 ELSE IS_SRVROLEMEMBER('sysadmin') END) AS dbowner, CONVERT(bit, d.is_read_only) AS dbreadonly
FROM sys.databases d
WHERE d.name LIKE @dbname AND d.database_id > 4 AND HAS_DBACCESS(d.name) = 1 AND LOWER(@type) = N'replication allowed'
ORDER BY d.name
RETURN 0
GO
CREATE PROCEDURE sys.sp_replcounters AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS [Database], CONVERT(int, NULL) AS [Replicated transactions], CONVERT(float, NULL) AS [Replication rate trans/sec],
  CONVERT(float, NULL) AS [Replication latency (sec)], CONVERT(binary(10), NULL) AS [Replbeginlsn], CONVERT(binary(10), NULL) AS [Replnextlsn]
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_helppublication @publication sysname = N'%', @found int = NULL OUTPUT, @publisher sysname = NULL, @publisher_type sysname = NULL AS
RAISERROR(18757, 16, 1)
RETURN 1
GO
CREATE PROCEDURE sys.sp_helparticle @publication sysname, @article sysname = N'%', @returnfilter bit = 1, @publisher sysname = NULL, @found int = NULL OUTPUT AS
RAISERROR(18757, 16, 1)
RETURN 1
GO
CREATE PROCEDURE sys.sp_helpsubscription @publication sysname = N'%', @article sysname = N'%', @subscriber sysname = N'%', @destination_db sysname = N'%',
  @found int = NULL OUTPUT, @publisher sysname = NULL AS
RAISERROR(18757, 16, 1)
RETURN 1
GO
CREATE PROCEDURE sys.sp_adddistributor @distributor sysname, @heartbeat_interval int = 10, @password sysname = NULL, @from_scripting bit = 0 AS
RAISERROR(40510, 16, 1, N'sp_adddistributor')
RETURN 1
GO
CREATE PROCEDURE sys.sp_replicationdboption @dbname sysname, @optname sysname, @value sysname, @ignore_distributor bit = 0, @from_scripting bit = 0 AS
RAISERROR(40510, 16, 1, N'sp_replicationdboption')
RETURN 1
GO
-- Remote logins, aliases, bound sessions.
CREATE PROCEDURE sys.sp_helpremotelogin @remoteserver sysname = NULL, @remotename sysname = NULL AS
SET NOCOUNT ON
IF @remoteserver IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @remoteserver)
BEGIN
  RAISERROR(15015, -1, -1, @remoteserver)
  RETURN 1
END
RAISERROR(15202, -1, -1)
RETURN 1
GO
CREATE PROCEDURE sys.sp_addremotelogin @remoteserver sysname, @loginame sysname = NULL, @remotename sysname = NULL AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @remoteserver)
BEGIN
  RAISERROR(15015, -1, -1, @remoteserver)
  RETURN 1
END
RAISERROR(40510, 16, 1, N'sp_addremotelogin')
RETURN 1
GO
CREATE PROCEDURE sys.sp_dropremotelogin @remoteserver sysname, @loginame sysname = NULL, @remotename sysname = NULL AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @remoteserver)
BEGIN
  RAISERROR(15015, -1, -1, @remoteserver)
  RETURN 1
END
RAISERROR(40510, 16, 1, N'sp_dropremotelogin')
RETURN 1
GO
CREATE PROCEDURE sys.sp_dropalias @loginame sysname AS
DECLARE @refused int
EXEC @refused = sys.check_login @loginame
IF @refused = 0 RAISERROR(15134, -1, -1)
RETURN 1
GO
-- Ledgers.
CREATE PROCEDURE sys.sp_verify_database_ledger @digests nvarchar(max), @table_name sysname = NULL AS
RAISERROR(40510, 16, 1, N'sp_verify_database_ledger')
RETURN 1
GO
CREATE PROCEDURE sys.sp_verify_database_ledger_from_digest_storage @locations nvarchar(max), @table_name sysname = NULL AS
RAISERROR(40510, 16, 1, N'sp_verify_database_ledger_from_digest_storage')
RETURN 1
GO
CREATE PROCEDURE sys.sp_generate_database_ledger_digest AS
RAISERROR(40510, 16, 1, N'sp_generate_database_ledger_digest')
RETURN 1
GO
CREATE PROCEDURE sys.sp_getbindtoken @out_token varchar(255) OUTPUT, @for_xp_flag int = NULL AS
RAISERROR(40510, 16, 1, N'sp_getbindtoken')
RETURN 1
GO
CREATE PROCEDURE sys.sp_bindsession @bind_token varchar(255) AS
RAISERROR(40510, 16, 1, N'sp_bindsession')
RETURN 1
GO
CREATE PROCEDURE sys.sp_trace_setevent @traceid int, @eventid int, @columnid int, @on bit AS
RAISERROR(40510, 16, 1, N'sp_trace_setevent')
RETURN 1
GO
CREATE PROCEDURE sys.sp_trace_setfilter @traceid int, @columnid int, @logical_operator int, @comparison_operator int, @value sql_variant AS
RAISERROR(40510, 16, 1, N'sp_trace_setfilter')
RETURN 1
GO
CREATE PROCEDURE sys.sp_trace_setstatus @traceid int, @status int AS
RAISERROR(40510, 16, 1, N'sp_trace_setstatus')
RETURN 1
GO
CREATE PROCEDURE sys.sp_trace_generateevent @eventid int, @userinfo nvarchar(128) = NULL, @userdata varbinary(8000) = NULL AS
RAISERROR(40510, 16, 1, N'sp_trace_generateevent')
RETURN 1
GO
-- Database Mail, and policies, of which no history is kept.
CREATE PROCEDURE msdb.sysmail_help_status_sp AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(7), N'STOPPED') AS Status
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_queue_sp @queue_type nvarchar(6) = NULL AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(6), NULL) AS queue_type, CONVERT(int, NULL) AS length, CONVERT(nvarchar(64), NULL) AS state,
  CONVERT(datetime, NULL) AS last_empty_rowset_time, CONVERT(datetime, NULL) AS last_activated_time
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_syspolicy_purge_history @include_system bit = 0 AS
RETURN 0
GO
