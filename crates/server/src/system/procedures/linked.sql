-- What this server has none of: linked servers, change data capture, availability groups, extended procedures of others, providers, groups
-- of the system's.
-- What only asks is told of none; what would make one is refused.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/distributed-queries-stored-procedures-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/change-data-capture-stored-procedures-transact-sql

CREATE PROCEDURE sys.sp_addlinkedserver @server sysname, @srvproduct nvarchar(128) = NULL, @provider nvarchar(128) = NULL, @datasrc nvarchar(4000) = NULL,
  @location nvarchar(4000) = NULL, @provstr nvarchar(4000) = NULL, @catalog sysname = NULL, @linkedstyle bit = NULL AS
RAISERROR(40510, 16, 1, N'sp_addlinkedserver')
RETURN 1
GO
CREATE PROCEDURE sys.sp_addserver @server sysname, @local varchar(10) = NULL, @duplicate_ok varchar(13) = NULL AS
RAISERROR(40510, 16, 1, N'sp_addserver')
RETURN 1
GO
CREATE PROCEDURE sys.sp_dropserver @server sysname, @droplogins char(10) = NULL AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @server)
BEGIN
  RAISERROR(15015, -1, -1, @server)
  RETURN 1
END
RAISERROR(40510, 16, 1, N'sp_dropserver')
RETURN 1
GO
CREATE PROCEDURE sys.sp_addlinkedsrvlogin @rmtsrvname sysname, @useself varchar(8) = 'true', @locallogin sysname = NULL, @rmtuser sysname = NULL,
  @rmtpassword sysname = NULL AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @rmtsrvname)
BEGIN
  RAISERROR(15015, -1, -1, @rmtsrvname)
  RETURN 1
END
RAISERROR(40510, 16, 1, N'sp_addlinkedsrvlogin')
RETURN 1
GO
CREATE PROCEDURE sys.sp_droplinkedsrvlogin @rmtsrvname sysname, @locallogin sysname AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @rmtsrvname)
BEGIN
  RAISERROR(15015, -1, -1, @rmtsrvname)
  RETURN 1
END
RAISERROR(40510, 16, 1, N'sp_droplinkedsrvlogin')
RETURN 1
GO
CREATE PROCEDURE sys.sp_helplinkedsrvlogin @rmtsrvname sysname = NULL, @locallogin sysname = NULL AS
SET NOCOUNT ON
IF @rmtsrvname IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @rmtsrvname)
BEGIN
  RAISERROR(15015, -1, -1, @rmtsrvname)
  RETURN 1
END
SELECT CONVERT(sysname, NULL) AS [Linked Server], CONVERT(sysname, NULL) AS [Local Login], CONVERT(smallint, NULL) AS [Is Self Mapping],
  CONVERT(sysname, NULL) AS [Remote Login]
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_testlinkedserver @servername sysname AS
EXEC sys.check_linked_server @servername
RETURN 0
GO
CREATE PROCEDURE sys.sp_tables_ex @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
  @table_type sysname = NULL, @fUsePattern bit = 1 AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_columns_ex @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
  @column_name sysname = NULL, @ODBCVer int = 2, @fUsePattern bit = 1 AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_primarykeys @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_foreignkeys @table_server sysname, @pktab_name sysname = NULL, @pktab_schema sysname = NULL, @pktab_catalog sysname = NULL,
  @fktab_name sysname = NULL, @fktab_schema sysname = NULL, @fktab_catalog sysname = NULL AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_indexes @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_db sysname = NULL,
  @index_name sysname = NULL, @is_unique bit = NULL AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_table_privileges_ex @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
  @fUsePattern bit = 1 AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_column_privileges_ex @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
  @column_name sysname = NULL, @fUsePattern bit = 1 AS
EXEC sys.check_linked_server @table_server
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_help_change_data_capture @source_schema sysname = NULL, @source_name sysname = NULL AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_help_jobs AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_get_captured_columns @capture_instance sysname AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_get_ddl_history @capture_instance sysname AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_enable_table @source_schema sysname, @source_name sysname, @role_name sysname, @capture_instance sysname = NULL,
  @supports_net_changes bit = NULL, @index_name sysname = NULL, @captured_column_list nvarchar(max) = NULL, @filegroup_name sysname = NULL,
  @allow_partition_switch bit = 1 AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_disable_table @source_schema sysname, @source_name sysname, @capture_instance sysname AS
DECLARE @database sysname = DB_NAME()
RAISERROR(22901, 16, 1, @database)
RETURN 1
GO
CREATE PROCEDURE sys.sp_cdc_enable_db AS
RAISERROR(40510, 16, 1, N'sp_cdc_enable_db')
RETURN 1
GO
CREATE PROCEDURE sys.sp_helpextendedproc @funcname sysname = NULL AS
SET NOCOUNT ON
SELECT p.name, CONVERT(nvarchar(255), p.dll_name) AS dll FROM sys.extended_procedures p WHERE @funcname IS NULL OR p.name = @funcname ORDER BY p.name
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpdevice @devname sysname = NULL AS
SET NOCOUNT ON
IF @devname IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.backup_devices WHERE name = @devname)
BEGIN
  RAISERROR(15012, -1, -1, @devname)
  RETURN 1
END
SELECT CONVERT(sysname, d.name) AS device_name, CONVERT(nvarchar(260), d.physical_name) AS physical_name, CONVERT(nvarchar(255), N'') AS description,
  CONVERT(int, 0) AS status, CONVERT(smallint, d.type) AS cntrltype, CONVERT(int, 0) AS size
FROM sys.backup_devices d
WHERE @devname IS NULL OR d.name = @devname
ORDER BY d.name
RETURN 0
GO
CREATE PROCEDURE sys.xp_enumgroups @domain sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS [group], CONVERT(nvarchar(255), NULL) AS comment WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.xp_logininfo @acctname sysname = NULL, @option varchar(10) = NULL, @privilege varchar(10) = NULL OUTPUT AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS [account name], CONVERT(char(8), NULL) AS type, CONVERT(char(9), NULL) AS privilege,
  CONVERT(sysname, NULL) AS [mapped login name], CONVERT(sysname, NULL) AS [permission path]
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.xp_get_tape_devices AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(260), NULL) AS name WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.xp_enum_oledb_providers AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(255), NULL) AS [Provider Name], CONVERT(nvarchar(255), NULL) AS [Parse Name], CONVERT(nvarchar(255), NULL) AS [Provider Description]
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_enum_oledb_providers AS
EXEC sys.xp_enum_oledb_providers
RETURN 0
GO
CREATE PROCEDURE sys.sp_getProcessorUsage AS
SET NOCOUNT ON
SELECT CONVERT(int, CASE WHEN u.percent_used BETWEEN 0 AND 100 THEN u.percent_used WHEN u.percent_used > 100 THEN 100 ELSE 0 END) AS value
FROM (SELECT 100 * SUM(s.total_cpu_usage_ms) / NULLIF(MAX(i.ms_ticks - i.sqlserver_start_time_ms_ticks) * MAX(i.cpu_count), 0) AS percent_used
  FROM sys.dm_os_sys_info i
  CROSS JOIN sys.dm_os_schedulers s) u
RETURN 0
GO
CREATE FUNCTION sys.fn_varbintohexsubstring(@fsetprefix bit, @pbinin varbinary(max), @startoffset int, @cbytesin int)
RETURNS nvarchar(max) AS
BEGIN
  DECLARE @from int = ISNULL(@startoffset, 1)
  IF @pbinin IS NULL OR @from < 1 RETURN NULL
  DECLARE @count int = CASE WHEN ISNULL(@cbytesin, 0) <= 0 THEN DATALENGTH(@pbinin) ELSE @cbytesin END
  RETURN CASE @fsetprefix WHEN 1 THEN N'0x' ELSE N'' END + LOWER(CONVERT(nvarchar(max), SUBSTRING(@pbinin, @from, @count), 2))
END
GO
CREATE FUNCTION sys.fn_varbintohexstr(@pbinin varbinary(max))
RETURNS nvarchar(max) AS
BEGIN
  RETURN sys.fn_varbintohexsubstring(1, @pbinin, 1, 0)
END
GO
-- A database of no group is where it is to be backed up, and has no primary replica.
CREATE FUNCTION sys.fn_hadr_backup_is_preferred_replica(@dbname sysname)
RETURNS bit AS
BEGIN
  RETURN CASE WHEN DB_ID(@dbname) IS NOT NULL THEN 1 END
END
GO
CREATE FUNCTION sys.fn_hadr_is_primary_replica(@dbname sysname)
RETURNS bit AS
BEGIN
  RETURN NULL
END
GO
CREATE PROCEDURE sys.xp_regwrite @rootkey nvarchar(260), @key nvarchar(260), @value_name nvarchar(260), @type nvarchar(20), @value sql_variant AS
RAISERROR(40510, 16, 1, N'xp_regwrite')
RETURN 1
GO
CREATE PROCEDURE sys.xp_instance_regwrite @rootkey nvarchar(260), @key nvarchar(260), @value_name nvarchar(260), @type nvarchar(20), @value sql_variant AS
RAISERROR(40510, 16, 1, N'xp_instance_regwrite')
RETURN 1
GO
CREATE PROCEDURE sys.sp_trace_create @traceid int = NULL OUTPUT, @options int = NULL, @tracefile nvarchar(245) = NULL, @maxfilesize bigint = NULL,
  @stoptime datetime = NULL, @filecount int = NULL AS
RAISERROR(40510, 16, 1, N'sp_trace_create')
RETURN 1
GO
