-- Sessions, configuration, maintenance: what administrators call.

CREATE PROCEDURE sys.sp_who @loginame sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @loginame LIKE N'%[^0-9]%' AND LOWER(@loginame) <> N'active' EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
SELECT s.session_id AS spid, CONVERT(smallint, 0) AS ecid, p.status, CONVERT(nvarchar(128), s.login_name) AS loginame,
  CONVERT(nchar(128), s.host_name) AS hostname, CONVERT(char(5), ISNULL(r.blocking_session_id, 0)) AS blk,
  CONVERT(nvarchar(128), DB_NAME(s.database_id)) AS dbname, CONVERT(nchar(26), ISNULL(r.command, N'AWAITING COMMAND')) AS cmd,
  CONVERT(int, 0) AS request_id
FROM sys.dm_exec_sessions s
JOIN sys.sysprocesses p ON p.spid = s.session_id
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
WHERE @loginame IS NULL OR s.login_name = @loginame OR LOWER(@loginame) = N'active' AND r.session_id IS NOT NULL
  OR s.session_id = CASE WHEN @loginame NOT LIKE N'%[^0-9]%' THEN CONVERT(int, @loginame) END
ORDER BY s.session_id
GO
CREATE PROCEDURE sys.sp_who2 @loginame sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @loginame LIKE N'%[^0-9]%' AND LOWER(@loginame) <> N'active' EXEC @refused = sys.check_login @loginame
IF @refused = 1 RETURN 1
SELECT CONVERT(char(5), s.session_id) AS SPID, CONVERT(nvarchar(30), CASE p.status WHEN N'sleeping' THEN p.status ELSE UPPER(p.status) END) AS Status, CONVERT(nvarchar(128), s.login_name) AS Login,
  CONVERT(nvarchar(128), ISNULL(s.host_name, N'  .')) AS HostName,
  CONVERT(char(5), CASE WHEN ISNULL(r.blocking_session_id, 0) = 0 THEN '  .' ELSE CONVERT(varchar(5), r.blocking_session_id) END) AS BlkBy,
  CONVERT(nvarchar(128), DB_NAME(s.database_id)) AS DBName, CONVERT(nvarchar(32), ISNULL(r.command, N'AWAITING COMMAND')) AS Command,
  CONVERT(int, s.cpu_time) AS CPUTime, CONVERT(bigint, s.reads + s.writes) AS DiskIO,
  CONVERT(varchar(14), CONVERT(varchar(5), s.last_request_start_time, 101) + ' ' + CONVERT(varchar(8), s.last_request_start_time, 108)) AS LastBatch,
  CONVERT(nvarchar(128), s.program_name) AS ProgramName, CONVERT(char(5), s.session_id) AS SPID2, CONVERT(char(5), 0) AS REQUESTID
FROM sys.dm_exec_sessions s
JOIN sys.sysprocesses p ON p.spid = s.session_id
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
WHERE @loginame IS NULL OR s.login_name = @loginame OR LOWER(@loginame) = N'active' AND r.session_id IS NOT NULL
  OR s.session_id = CASE WHEN @loginame NOT LIKE N'%[^0-9]%' THEN CONVERT(int, @loginame) END
ORDER BY s.session_id
GO
CREATE PROCEDURE sys.sp_lock @spid1 int = NULL, @spid2 int = NULL AS
SET NOCOUNT ON
SELECT ISNULL(s.session_id, l.request_session_id) AS spid, CONVERT(smallint, l.resource_database_id) AS dbid,
  CONVERT(int, CASE l.resource_type WHEN N'OBJECT' THEN l.resource_associated_entity_id WHEN N'KEY' THEN (l.resource_associated_entity_id - 72057594037927936) / 256 ELSE 0 END) AS ObjId, CONVERT(smallint, 0) AS IndId,
  CONVERT(nvarchar(4), CASE l.resource_type WHEN N'DATABASE' THEN N'DB' WHEN N'OBJECT' THEN N'TAB' WHEN N'PAGE' THEN N'PAG' WHEN N'EXTENT' THEN N'EXT'
    WHEN N'APPLICATION' THEN N'APP' WHEN N'METADATA' THEN N'MD' ELSE l.resource_type END) AS Type,
  CONVERT(nvarchar(32), l.resource_description) AS Resource, CONVERT(nvarchar(8), l.request_mode) AS Mode,
  CONVERT(nvarchar(5), l.request_status) AS Status
FROM sys.dm_tran_locks l
LEFT JOIN sys.dm_exec_sessions s ON s.session_id = l.request_session_id
WHERE @spid1 IS NULL OR l.request_session_id IN (@spid1, @spid2)
ORDER BY 1, 2, 3
GO
CREATE PROCEDURE sys.sp_configure @configname varchar(35) = NULL, @configvalue int = NULL, @configtext varchar(255) = NULL AS
SET NOCOUNT ON
DECLARE @advanced bit = (SELECT CONVERT(bit, CONVERT(int, value_in_use)) FROM sys.configurations WHERE name = N'show advanced options')
IF @configname IS NULL
BEGIN
  SELECT c.name, CONVERT(int, c.minimum) AS minimum, CONVERT(int, c.maximum) AS maximum, CONVERT(int, c.value) AS config_value,
    CONVERT(int, c.value_in_use) AS run_value
  FROM sys.configurations c
  WHERE @advanced = 1 OR c.is_advanced = 0
  ORDER BY c.name
  RETURN 0
END
DECLARE @name nvarchar(70), @found int
SELECT @found = COUNT(*), @name = MAX(name) FROM sys.configurations WHERE name = @configname AND (@advanced = 1 OR is_advanced = 0)
IF @found = 0
  SELECT @found = COUNT(*), @name = MAX(name) FROM sys.configurations WHERE name LIKE N'%' + @configname + N'%' AND (@advanced = 1 OR is_advanced = 0)
IF @found = 0
BEGIN
  RAISERROR(15123, -1, -1, @configname)
  RETURN 1
END
IF @found > 1
BEGIN
  RAISERROR(15124, -1, -1, @configname)
  SELECT c.name AS duplicate_options
  FROM sys.configurations c
  WHERE c.name LIKE N'%' + @configname + N'%' AND (@advanced = 1 OR c.is_advanced = 0)
  ORDER BY c.name
  RETURN 1
END
IF @configvalue IS NULL AND @configtext IS NULL
BEGIN
  SELECT c.name, CONVERT(int, c.minimum) AS minimum, CONVERT(int, c.maximum) AS maximum, CONVERT(int, c.value) AS config_value,
    CONVERT(int, c.value_in_use) AS run_value
  FROM sys.configurations c WHERE c.name = @name
  RETURN 0
END
IF @configtext IS NOT NULL
BEGIN
  SET @configvalue = CASE WHEN @name = N'kernel mode' THEN CASE @configtext WHEN 'threaded' THEN 0 WHEN 'process' THEN 1 END END
  IF @configvalue IS NULL
  BEGIN
    RAISERROR(15129, -1, -1, @configtext, @name)
    RETURN 1
  END
END
DECLARE @status int
EXEC @status = sys.sp_setconfigvalue @name, @configvalue
RETURN ISNULL(@status, 1)
GO
-- Nothing is kept of the last run: what has been since the start is what has been since then.
CREATE PROCEDURE sys.sp_monitor AS
SET NOCOUNT ON
IF IS_SRVROLEMEMBER('sysadmin') = 0
BEGIN
  RAISERROR(15247, -1, -1)
  RETURN 1
END
SELECT CONVERT(datetime, i.sqlserver_start_time) AS last_run, GETDATE() AS current_run, DATEDIFF(second, i.sqlserver_start_time, GETDATE()) AS seconds
FROM sys.dm_os_sys_info i
DECLARE @seconds int = (SELECT NULLIF(DATEDIFF(second, i.sqlserver_start_time, GETDATE()), 0) FROM sys.dm_os_sys_info i),
  @cpu int = CONVERT(float, @@CPU_BUSY) * @@TIMETICKS / 1000000, @io int = CONVERT(float, @@IO_BUSY) * @@TIMETICKS / 1000000,
  @idle int = CONVERT(float, @@IDLE) * @@TIMETICKS / 1000000
SELECT CONVERT(varchar(25), FORMATMESSAGE('%d(%d)-%d%%', @cpu, @cpu, ISNULL(@cpu * 100 / @seconds, 0))) AS cpu_busy,
  CONVERT(varchar(25), FORMATMESSAGE('%d(%d)-%d%%', @io, @io, ISNULL(@io * 100 / @seconds, 0))) AS io_busy,
  CONVERT(varchar(25), FORMATMESSAGE('%d(%d)-%d%%', @idle, @idle, ISNULL(@idle * 100 / @seconds, 0))) AS idle
SELECT CONVERT(varchar(25), FORMATMESSAGE('%d(%d)', @@PACK_RECEIVED, @@PACK_RECEIVED)) AS packets_received,
  CONVERT(varchar(25), FORMATMESSAGE('%d(%d)', @@PACK_SENT, @@PACK_SENT)) AS packets_sent,
  CONVERT(varchar(25), FORMATMESSAGE('%d(%d)', @@PACKET_ERRORS, @@PACKET_ERRORS)) AS packet_errors
SELECT CONVERT(varchar(19), FORMATMESSAGE('%d(%d)', @@TOTAL_READ, @@TOTAL_READ)) AS total_read,
  CONVERT(varchar(19), FORMATMESSAGE('%d(%d)', @@TOTAL_WRITE, @@TOTAL_WRITE)) AS total_write,
  CONVERT(varchar(19), FORMATMESSAGE('%d(%d)', @@TOTAL_ERRORS, @@TOTAL_ERRORS)) AS total_errors,
  CONVERT(varchar(19), FORMATMESSAGE('%d(%d)', @@CONNECTIONS, @@CONNECTIONS)) AS connections
RETURN 0
GO
CREATE PROCEDURE sys.sp_dboption @dbname sysname = NULL, @optname varchar(35) = NULL, @optvalue varchar(10) = NULL AS
SET NOCOUNT ON
IF @dbname IS NULL
BEGIN
  SELECT CONVERT(varchar(35), v.name) AS [Settable database options:]
  FROM (VALUES ('ANSI null default'), ('ANSI nulls'), ('ANSI padding'), ('ANSI warnings'), ('arithabort'), ('auto create statistics'), ('auto update statistics'),
    ('autoclose'), ('autoshrink'), ('concat null yields null'), ('cursor close on commit'), ('db chaining'), ('dbo use only'), ('default to local cursor'),
    ('numeric roundabort'), ('offline'), ('quoted identifier'), ('read only'), ('recursive triggers'), ('select into/bulkcopy'), ('single user'),
    ('torn page detection'), ('trunc. log on chkpt.')) AS v(name)
  ORDER BY 1
  RETURN 0
END
DECLARE @refused int
EXEC @refused = sys.check_database_exists @dbname
IF @refused = 1 RETURN 1
DECLARE @setting nvarchar(60), @on bit
SELECT @setting = v.setting FROM (VALUES ('ansi null default', N'ANSI_NULL_DEFAULT'), ('ansi nulls', N'ANSI_NULLS'), ('ansi padding', N'ANSI_PADDING'),
  ('ansi warnings', N'ANSI_WARNINGS'), ('arithabort', N'ARITHABORT'), ('auto create statistics', N'AUTO_CREATE_STATISTICS'),
  ('auto update statistics', N'AUTO_UPDATE_STATISTICS'), ('autoclose', N'AUTO_CLOSE'), ('autoshrink', N'AUTO_SHRINK'),
  ('concat null yields null', N'CONCAT_NULL_YIELDS_NULL'), ('cursor close on commit', N'CURSOR_CLOSE_ON_COMMIT'), ('db chaining', N'DB_CHAINING'),
  ('numeric roundabort', N'NUMERIC_ROUNDABORT'), ('quoted identifier', N'QUOTED_IDENTIFIER'), ('recursive triggers', N'RECURSIVE_TRIGGERS'),
  ('read only', N'READ_ONLY'), ('single user', N'SINGLE_USER'), ('dbo use only', N'RESTRICTED_USER'), ('offline', N'OFFLINE'),
  ('default to local cursor', N'CURSOR_DEFAULT LOCAL'), ('trunc. log on chkpt.', N'RECOVERY SIMPLE'), ('select into/bulkcopy', N'RECOVERY BULK_LOGGED'),
  ('torn page detection', N'TORN_PAGE_DETECTION')) AS v(name, setting)
WHERE v.name = LOWER(@optname)
IF @optname IS NOT NULL AND @setting IS NULL
BEGIN
  RAISERROR(15011, -1, -1, @optname)
  RETURN 1
END
IF @optvalue IS NULL
BEGIN
  SELECT CONVERT(varchar(35), o.name) AS [The following options are set:]
  FROM sys.databases d
  CROSS APPLY (VALUES ('ANSI null default', d.is_ansi_null_default_on), ('ANSI nulls', d.is_ansi_nulls_on), ('ANSI padding', d.is_ansi_padding_on),
    ('ANSI warnings', d.is_ansi_warnings_on), ('arithabort', d.is_arithabort_on), ('auto create statistics', d.is_auto_create_stats_on),
    ('auto update statistics', d.is_auto_update_stats_on), ('autoclose', d.is_auto_close_on), ('autoshrink', d.is_auto_shrink_on),
    ('concat null yields null', d.is_concat_null_yields_null_on), ('numeric roundabort', d.is_numeric_roundabort_on),
    ('quoted identifier', d.is_quoted_identifier_on), ('read only', d.is_read_only), ('recursive triggers', d.is_recursive_triggers_on)) AS o(name, is_on)
  WHERE d.name = @dbname AND o.is_on = 1 AND (@optname IS NULL OR o.name = @optname)
  ORDER BY 1
  RETURN 0
END
IF LOWER(@optvalue) NOT IN ('true', 'false', 'on', 'off')
BEGIN
  RAISERROR(15251, -1, -1, 'optvalue', 'true or false')
  RETURN 1
END
SET @on = CASE WHEN LOWER(@optvalue) IN ('true', 'on') THEN 1 ELSE 0 END
DECLARE @text nvarchar(400) = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' SET ' + CASE
  WHEN @setting = N'READ_ONLY' THEN CASE @on WHEN 1 THEN N'READ_ONLY' ELSE N'READ_WRITE' END
  WHEN @setting IN (N'SINGLE_USER', N'RESTRICTED_USER') THEN CASE @on WHEN 1 THEN @setting ELSE N'MULTI_USER' END
  WHEN @setting = N'OFFLINE' THEN CASE @on WHEN 1 THEN N'OFFLINE' ELSE N'ONLINE' END
  WHEN @setting = N'CURSOR_DEFAULT LOCAL' THEN CASE @on WHEN 1 THEN N'CURSOR_DEFAULT LOCAL' ELSE N'CURSOR_DEFAULT GLOBAL' END
  WHEN @setting LIKE N'RECOVERY%' THEN CASE @on WHEN 1 THEN @setting ELSE N'RECOVERY FULL' END
  ELSE @setting + CASE @on WHEN 1 THEN N' ON' ELSE N' OFF' END END
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_attach_db @dbname sysname, @filename1 nvarchar(260), @filename2 nvarchar(260) = NULL, @filename3 nvarchar(260) = NULL,
  @filename4 nvarchar(260) = NULL, @filename5 nvarchar(260) = NULL, @filename6 nvarchar(260) = NULL, @filename7 nvarchar(260) = NULL,
  @filename8 nvarchar(260) = NULL, @filename9 nvarchar(260) = NULL, @filename10 nvarchar(260) = NULL, @filename11 nvarchar(260) = NULL,
  @filename12 nvarchar(260) = NULL, @filename13 nvarchar(260) = NULL, @filename14 nvarchar(260) = NULL, @filename15 nvarchar(260) = NULL,
  @filename16 nvarchar(260) = NULL AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = (SELECT STRING_AGG(N'(FILENAME = N''' + REPLACE(f.name, N'''', N'''''') + N''')', N', ') WITHIN GROUP (ORDER BY f.n)
  FROM (VALUES (1, CONVERT(nvarchar(max), @filename1)), (2, @filename2), (3, @filename3), (4, @filename4), (5, @filename5), (6, @filename6),
    (7, @filename7), (8, @filename8), (9, @filename9), (10, @filename10), (11, @filename11), (12, @filename12), (13, @filename13),
    (14, @filename14), (15, @filename15), (16, @filename16)) f (n, name) WHERE f.name IS NOT NULL)
SET @text = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON ' + @text + N' FOR ATTACH'
EXEC (@text)
RETURN @@ERROR
GO
CREATE PROCEDURE sys.sp_attach_single_file_db @dbname sysname, @physname nvarchar(260) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON (FILENAME = N''' + REPLACE(@physname, N'''', N'''''') + N''') FOR ATTACH'
EXEC (@text)
RETURN @@ERROR
GO
CREATE PROCEDURE sys.sp_dbcmptlevel @dbname sysname = NULL, @new_cmptlevel tinyint = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_database_exists @dbname
IF @refused = 1 RETURN 1
IF @new_cmptlevel IS NULL
BEGIN
  DECLARE @level int = (SELECT compatibility_level FROM sys.databases WHERE name = @dbname)
  RAISERROR(15054, -1, -1, @level)
  RETURN 0
END
DECLARE @text nvarchar(400) = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' SET COMPATIBILITY_LEVEL = ' + CONVERT(nvarchar(3), @new_cmptlevel)
EXEC (@text)
GO
CREATE PROCEDURE sys.sp_renamedb @dbname sysname, @newname sysname AS
DECLARE @status int
EXEC @status = sys.sp_rename @dbname, @newname, 'DATABASE'
RETURN ISNULL(@status, 1)
GO
CREATE PROCEDURE sys.sp_MSforeach_worker @command1 nvarchar(2000), @replacechar nchar(1), @command2 nvarchar(2000), @command3 nvarchar(2000), @name nvarchar(517) AS
DECLARE @text nvarchar(max)
SET @text = REPLACE(@command1, @replacechar, @name)
EXEC (@text)
IF @command2 IS NOT NULL
BEGIN
  SET @text = REPLACE(@command2, @replacechar, @name)
  EXEC (@text)
END
IF @command3 IS NOT NULL
BEGIN
  SET @text = REPLACE(@command3, @replacechar, @name)
  EXEC (@text)
END
GO
CREATE PROCEDURE sys.sp_MSforeachtable @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @whereand nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL AS
IF @precommand IS NOT NULL EXEC (@precommand)
SET NOCOUNT ON
DECLARE @names TABLE (place int IDENTITY PRIMARY KEY, name nvarchar(517))
DECLARE @query nvarchar(max) = N'SELECT QUOTENAME(SCHEMA_NAME(o.schema_id)) + N''.'' + QUOTENAME(o.name) FROM sys.objects o WHERE o.type = ''U'' AND o.is_ms_shipped = 0 '
  + ISNULL(@whereand, N'') + N' ORDER BY o.object_id'
INSERT @names (name) EXEC (@query)
SET NOCOUNT OFF
DECLARE @place int = 0, @name nvarchar(517), @status int
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @place = place, @name = name FROM @names WHERE place > @place ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  EXEC sys.sp_MSforeach_worker @command1, @replacechar, @command2, @command3, @name
END
IF @postcommand IS NOT NULL EXEC (@postcommand)
RETURN 0
GO
CREATE PROCEDURE sys.sp_MSforeachdb @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL,
  @command3 nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL AS
IF @precommand IS NOT NULL EXEC (@precommand)
SET NOCOUNT ON
DECLARE @names TABLE (place int IDENTITY PRIMARY KEY, name sysname)
INSERT @names (name) SELECT name FROM sys.databases WHERE state = 0 ORDER BY database_id
SET NOCOUNT OFF
DECLARE @place int = 0, @name sysname
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @place = place, @name = name FROM @names WHERE place > @place ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  EXEC sys.sp_MSforeach_worker @command1, @replacechar, @command2, @command3, @name
END
IF @postcommand IS NOT NULL EXEC (@postcommand)
RETURN 0
GO
CREATE PROCEDURE sys.sp_updatestats @resample char(8) = 'NO' AS
SET NOCOUNT ON
IF IS_MEMBER('db_owner') <> 1
BEGIN
  RAISERROR(15247, -1, -1)
  RETURN 1
END
DECLARE @tables TABLE (place int IDENTITY PRIMARY KEY, name nvarchar(517), statistics_count int)
INSERT @tables (name, statistics_count)
SELECT QUOTENAME(SCHEMA_NAME(o.schema_id)) + N'.' + QUOTENAME(o.name), (SELECT COUNT(*) FROM sys.stats s WHERE s.object_id = o.object_id)
FROM sys.tables o ORDER BY o.object_id
DECLARE @place int = 0, @name nvarchar(517), @count int, @text nvarchar(max), @line nvarchar(600)
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @place = place, @name = name, @count = statistics_count FROM @tables WHERE place > @place ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  SET @line = N'Updating ' + @name
  PRINT @line
  IF @count > 0
  BEGIN
    SET @text = N'UPDATE STATISTICS ' + @name + CASE WHEN LOWER(@resample) = 'resample' THEN N' WITH RESAMPLE' ELSE N'' END
    EXEC (@text)
  END
  SET @line = N'    ' + CONVERT(nvarchar(10), @count) + N' index(es)/statistic(s) have been updated, 0 did not require update.'
  PRINT @line
  PRINT N' '
END
PRINT N'Statistics for all tables have been updated.'
RETURN 0
GO
CREATE PROCEDURE sys.sp_createstats @indexonly char(9) = 'NO', @fullscan char(9) = 'NO', @norecompute char(12) = 'NO', @incremental char(12) = 'NO' AS
RETURN 0
GO
CREATE PROCEDURE sys.sp_autostats @tblname nvarchar(776), @flagc varchar(10) = NULL, @indname sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @tblname, @object_id OUTPUT
IF @refused = 1 RETURN 1
IF @flagc IS NULL
  SELECT CONVERT(nvarchar(258), QUOTENAME(s.name)) AS [Index Name], CONVERT(char(3), CASE s.no_recompute WHEN 1 THEN 'OFF' ELSE 'ON' END) AS [AUTOSTATS],
    CONVERT(datetime, STATS_DATE(s.object_id, s.stats_id)) AS [Last Updated]
  FROM sys.stats s
  WHERE s.object_id = @object_id AND (@indname IS NULL OR s.name = @indname)
ELSE
BEGIN
  IF UPPER(@flagc) NOT IN ('ON', 'OFF')
  BEGIN
    RAISERROR(15600, -1, -1, 'sys.sp_autostats')
    RETURN 1
  END
  -- What UPDATE STATISTICS says of NORECOMPUTE stays.
  DECLARE @name sysname = N'', @text nvarchar(max)
  WHILE 1 = 1
  BEGIN
    SELECT TOP (1) @name = s.name FROM sys.stats s
    WHERE s.object_id = @object_id AND (@indname IS NULL OR s.name = @indname) AND s.name > @name ORDER BY s.name
    IF @@ROWCOUNT = 0 BREAK
    SET @text = N'UPDATE STATISTICS ' + QUOTENAME(OBJECT_SCHEMA_NAME(@object_id)) + N'.' + QUOTENAME(OBJECT_NAME(@object_id)) + N' ('
      + QUOTENAME(@name) + N') WITH RESAMPLE' + CASE UPPER(@flagc) WHEN 'OFF' THEN N', NORECOMPUTE' ELSE N'' END
    EXEC (@text)
  END
END
RETURN 0
GO
CREATE PROCEDURE sys.sp_tableoption @TableNamePattern nvarchar(776), @OptionName varchar(35), @OptionValue varchar(12) AS
SET NOCOUNT ON
IF OBJECT_ID(@TableNamePattern, 'U') IS NULL
BEGIN
  RAISERROR(15388, -1, -1, @TableNamePattern)
  RETURN 1
END
IF LOWER(@OptionName) NOT IN ('pintable', 'table lock on bulk load', 'insert row lock', 'text in row', 'large value types out of row', 'vardecimal storage format')
BEGIN
  RAISERROR(15600, -1, -1, 'sys.sp_tableoption')
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.sp_indexoption @IndexNamePattern nvarchar(1035), @OptionName varchar(35), @OptionValue varchar(12) AS
SET NOCOUNT ON
IF LOWER(@OptionName) NOT IN ('allowrowlocks', 'allowpagelocks', 'disallowrowlocks', 'disallowpagelocks')
BEGIN
  RAISERROR(15600, -1, -1, 'sys.sp_indexoption')
  RETURN 1
END
DECLARE @allow bit = CASE WHEN LOWER(@OptionValue) IN ('true', 'on', 'yes', '1') THEN 1 ELSE 0 END
IF LOWER(@OptionName) LIKE 'disallow%' SET @allow = 1 - @allow
DECLARE @table nvarchar(776) = @IndexNamePattern, @index sysname = NULL
IF OBJECT_ID(@table, 'U') IS NULL
BEGIN
  SET @index = PARSENAME(@IndexNamePattern, 1)
  SET @table = ISNULL(QUOTENAME(PARSENAME(@IndexNamePattern, 3)) + N'.', N'') + QUOTENAME(PARSENAME(@IndexNamePattern, 2))
END
IF OBJECT_ID(@table, 'U') IS NULL
BEGIN
  DECLARE @database sysname = DB_NAME()
  RAISERROR(15009, -1, -1, @IndexNamePattern, @database)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER INDEX ' + ISNULL(QUOTENAME(@index), N'ALL') + N' ON ' + @table + N' SET ('
  + CASE WHEN LOWER(@OptionName) LIKE '%rowlocks' THEN N'ALLOW_ROW_LOCKS' ELSE N'ALLOW_PAGE_LOCKS' END + N' = ' + CASE @allow WHEN 1 THEN N'ON' ELSE N'OFF' END + N')'
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.sp_validname @name sysname, @raise_error bit = 1 AS
SET NOCOUNT ON
IF @name IS NULL
BEGIN
  IF @raise_error = 1 RAISERROR(15004, -1, -1)
  RETURN 1
END
IF DATALENGTH(@name) = 0
BEGIN
  IF @raise_error = 1 RAISERROR(15006, -1, -1, @name)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.sp_serveroption @server sysname, @optname varchar(35), @optvalue nvarchar(128) AS
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @server)
BEGIN
  RAISERROR(15015, -1, -1, @server)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpserver @server sysname = NULL, @optname varchar(35) = NULL, @show_topology varchar(1) = NULL AS
SET NOCOUNT ON
IF @server IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.servers WHERE name = @server)
BEGIN
  RAISERROR (15015, -1, -1, @server)
  RETURN 1
END
SELECT CONVERT(sysname, s.name) AS name, CONVERT(sysname, s.name) AS network_name,
  CONVERT(varchar(2000), CASE s.is_linked WHEN 1 THEN 'rpc,rpc out,data access' ELSE 'rpc,rpc out,use remote collation' END) AS status,
  CONVERT(char(4), s.server_id) AS id, CONVERT(sysname, NULL) AS collation_name, CONVERT(int, 0) AS connect_timeout, CONVERT(int, 0) AS query_timeout
FROM sys.servers s
WHERE @server IS NULL OR s.name = @server
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_linkedservers AS
SET NOCOUNT ON
SELECT CONVERT(sysname, s.name) AS SRV_NAME, CONVERT(nvarchar(128), s.provider) AS SRV_PROVIDERNAME, CONVERT(nvarchar(128), s.product) AS SRV_PRODUCT,
  CONVERT(nvarchar(4000), s.data_source) AS SRV_DATASOURCE, CONVERT(nvarchar(4000), s.provider_string) AS SRV_PROVIDERSTRING,
  CONVERT(nvarchar(4000), s.location) AS SRV_LOCATION, CONVERT(sysname, s.catalog) AS SRV_CAT
FROM sys.servers s
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_helpsort AS
SET NOCOUNT ON
SELECT c.description AS [Server default collation] FROM sys.fn_helpcollations() c WHERE c.name = SERVERPROPERTY('Collation')
GO
CREATE PROCEDURE sys.sp_helplanguage @language sysname = NULL AS
SET NOCOUNT ON
IF @language IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sys.syslanguages WHERE name = @language OR alias = @language)
BEGIN
  RAISERROR(15033, -1, -1, @language)
  RETURN 1
END
SELECT l.langid, l.dateformat, l.datefirst, l.upgrade, l.name, l.alias, l.months, l.shortmonths, l.days, l.lcid, l.msglangid
FROM sys.syslanguages l
WHERE @language IS NULL OR l.name = @language OR l.alias = @language
ORDER BY l.langid
GO
CREATE PROCEDURE sys.sp_enumerrorlogs @p1 int = 1 AS
EXEC sys.xp_enumerrorlogs @p1
RETURN 0
GO
CREATE PROCEDURE sys.sp_readerrorlog @p1 int = 0, @p2 int = NULL, @p3 nvarchar(4000) = NULL, @p4 nvarchar(4000) = NULL AS
IF ISNULL(IS_SRVROLEMEMBER('securityadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0
BEGIN
  RAISERROR(15003, -1, -1, 'securityadmin')
  RETURN 1
END
IF @p2 IS NULL EXEC sys.xp_readerrorlog @p1
ELSE EXEC sys.xp_readerrorlog @p1, @p2, @p3, @p4
RETURN 0
GO
CREATE PROCEDURE sys.xp_getnetname @name sysname = NULL OUTPUT, @full int = 0 AS
SET NOCOUNT ON
IF @name IS NULL AND @full = 0 SELECT CONVERT(sysname, SERVERPROPERTY('MachineName')) AS [Server Net Name]
SET @name = CONVERT(sysname, SERVERPROPERTY('MachineName'))
RETURN 0
GO
CREATE PROCEDURE sys.xp_availablemedia @p1 int = NULL AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(255), NULL) AS name, CONVERT(int, NULL) AS [low free], CONVERT(int, NULL) AS [high free], CONVERT(tinyint, NULL) AS [media type]
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.xp_fixeddrives @p1 int = NULL AS
SET NOCOUNT ON
SELECT CONVERT(char(1), NULL) AS drive, CONVERT(int, NULL) AS [MB free] WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE sys.sp_addtype @typename sysname, @phystype sysname, @nulltype varchar(8) = NULL, @owner sysname = NULL AS
SET NOCOUNT ON
IF @phystype LIKE N'%[^a-zA-Z0-9_(), ]%'
BEGIN
  RAISERROR(15036, -1, -1, @phystype)
  RETURN 1
END
DECLARE @text nvarchar(700) = N'CREATE TYPE ' + ISNULL(QUOTENAME(@owner) + N'.', N'') + QUOTENAME(@typename) + N' FROM ' + @phystype
  + CASE WHEN LOWER(@nulltype) IN ('not null', 'nonull') THEN N' NOT NULL' WHEN LOWER(@nulltype) = 'null' THEN N' NULL' ELSE N'' END
EXEC (@text)
RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
GO
CREATE PROCEDURE sys.sp_droptype @typename sysname AS
SET NOCOUNT ON
DECLARE @text nvarchar(300) = N'DROP TYPE ' + QUOTENAME(@typename)
EXEC (@text)
RETURN CASE WHEN @@ERROR = 0 THEN 0 ELSE 1 END
GO
