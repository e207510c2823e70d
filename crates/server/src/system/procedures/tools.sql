-- What tools and older scripts call beside the documented procedures: space, who maps to whom, and settings that always stand as they do.

CREATE PROCEDURE sys.sp_sqlexec @p1 nvarchar(max) AS EXEC(@p1)
GO
CREATE PROCEDURE sys.sp_objectfilegroup @objid int AS
SET NOCOUNT ON
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @objid AND index_id < 2)
BEGIN
  PRINT N'The object does not have data located on a filegroup.'
  RETURN 1
END
SELECT CONVERT(sysname, d.name) AS Data_located_on_filegroup
FROM sys.indexes i JOIN sys.data_spaces d ON d.data_space_id = i.data_space_id
WHERE i.object_id = @objid AND i.index_id < 2
RETURN 0
GO
CREATE PROCEDURE sys.sp_MStablespace @name nvarchar(517), @id int = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0, @object_id int = @id
IF @object_id IS NULL EXEC @refused = sys.check_object @name, @object_id OUTPUT
IF @refused = 1 RETURN 1
SELECT SUM(CASE WHEN s.index_id < 2 THEN s.row_count ELSE 0 END) AS Rows,
  SUM(CASE WHEN s.index_id < 2 THEN s.in_row_data_page_count + s.lob_used_page_count ELSE 0 END) * 8 AS DataSpaceUsed,
  SUM(s.used_page_count - CASE WHEN s.index_id < 2 THEN s.in_row_data_page_count + s.lob_used_page_count ELSE 0 END) * 8 AS IndexSpaceUsed
FROM sys.dm_db_partition_stats s WHERE s.object_id = @object_id
RETURN 0
GO
CREATE PROCEDURE sys.sp_MSindexspace @tablename nvarchar(517), @index_name nvarchar(258) = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @tablename, @object_id OUTPUT
IF @refused = 1 RETURN 1
SELECT CONVERT(int, i.index_id) AS [Index ID], CONVERT(sysname, i.name) AS [Index Name], s.pages * 8 AS [Size (KB)],
  CONVERT(nvarchar(60), CASE i.index_id WHEN 1 THEN N'Size excludes actual data.' ELSE N'(None)' END) AS Comments
FROM sys.indexes i
JOIN (SELECT index_id, SUM(used_page_count - CASE WHEN index_id = 1 THEN in_row_data_page_count + lob_used_page_count ELSE 0 END) AS pages
  FROM sys.dm_db_partition_stats WHERE object_id = @object_id GROUP BY index_id) s ON s.index_id = i.index_id
WHERE i.object_id = @object_id AND i.index_id > 0 AND (@index_name IS NULL OR i.name = @index_name)
ORDER BY i.index_id
RETURN 0
GO
-- The users that logins are in the databases: a result a login.
CREATE PROCEDURE sys.sp_MSloginmappings @loginname nvarchar(258) = NULL, @flags int = 0 AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @loginname IS NOT NULL EXEC @refused = sys.check_login @loginname
IF @refused = 1 RETURN 1
DECLARE @found TABLE (login sysname, database_name sysname, user_name sysname)
DECLARE @text nvarchar(max) = N''
SELECT @text += N'UNION ALL SELECT l.name, N' + QUOTENAME(d.name, N'''') + N', u.name FROM sys.server_principals l JOIN ' + QUOTENAME(d.name)
  + N'.sys.database_principals u ON u.sid = l.sid WHERE l.type <> ''R'' '
FROM sys.databases d WHERE d.state = 0 AND HAS_DBACCESS(d.name) = 1 AND (@flags & 1 = 0 OR d.name = DB_NAME())
SET @text = STUFF(@text, 1, 10, N'')
INSERT @found EXEC (@text)
DECLARE @logins TABLE (place int IDENTITY PRIMARY KEY, name sysname)
INSERT @logins (name)
SELECT name FROM sys.server_principals WHERE type <> 'R' AND (@loginname IS NULL OR name = @loginname) ORDER BY name
DECLARE @at int = 0, @name sysname
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @at = place, @name = name FROM @logins WHERE place > @at ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  SELECT f.login AS LoginName, f.database_name AS DBName, f.user_name AS UserName, CONVERT(sysname, NULL) AS AliasName
  FROM @found f WHERE f.login = @name ORDER BY f.database_name
END
RETURN 0
GO
-- Every database may have such tables, since SQL Server 2008.
CREATE PROCEDURE sys.sp_db_vardecimal_storage_format @dbname sysname = NULL, @vardecimal_storage_format varchar(3) = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @dbname IS NOT NULL EXEC @refused = sys.check_database_exists @dbname
IF @refused = 1 RETURN 1
IF @vardecimal_storage_format IS NOT NULL
BEGIN
  IF UPPER(@vardecimal_storage_format) IN ('ON', 'OFF') RETURN 0
  RAISERROR(15600, -1, -1, 'sys.sp_db_vardecimal_storage_format')
  RETURN 1
END
SELECT CONVERT(sysname, d.name) AS [Database Name], CONVERT(varchar(3), 'ON') AS [Vardecimal State]
FROM sys.databases d WHERE @dbname IS NULL OR d.name = @dbname ORDER BY d.name
RETURN 0
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-fulltext-database-transact-sql: it has no effect any more.
CREATE PROCEDURE sys.sp_fulltext_database @action varchar(20) AS
IF LOWER(@action) IN ('enable', 'disable') RETURN 0
RAISERROR(15600, -1, -1, 'sys.sp_fulltext_database')
RETURN 1
GO
CREATE PROCEDURE sys.sp_addapprole @rolename sysname, @password sysname AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE APPLICATION ROLE ' + QUOTENAME(@rolename) + N' WITH PASSWORD = N' + QUOTENAME(@password, N'''')
EXEC (@text)
RETURN @@ERROR
GO
CREATE PROCEDURE sys.sp_approlepassword @rolename sysname, @newpwd sysname AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER APPLICATION ROLE ' + QUOTENAME(@rolename) + N' WITH PASSWORD = N' + QUOTENAME(@newpwd, N'''')
EXEC (@text)
RETURN @@ERROR
GO
CREATE PROCEDURE sys.sp_dropapprole @rolename sysname AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'DROP APPLICATION ROLE ' + QUOTENAME(@rolename)
EXEC (@text)
RETURN @@ERROR
GO
CREATE PROCEDURE sys.sp_grantlogin @loginame sysname AS
RAISERROR(15401, -1, -1, @loginame)
RETURN 1
GO
CREATE PROCEDURE sys.sp_denylogin @loginame sysname AS
RAISERROR(15401, -1, -1, @loginame)
RETURN 1
GO
CREATE PROCEDURE sys.sp_revokelogin @loginame sysname AS
RAISERROR(15401, -1, -1, @loginame)
RETURN 1
GO
-- A module has no encrypted parameters: what is left is to look at it again.
CREATE PROCEDURE sys.sp_refresh_parameter_encryption @name nvarchar(776), @namespace nvarchar(20) = NULL AS
DECLARE @status int
IF @namespace IS NULL EXEC @status = sys.sp_refreshsqlmodule @name
ELSE EXEC @status = sys.sp_refreshsqlmodule @name, @namespace
RETURN @status
GO
-- Nothing is published.
CREATE PROCEDURE sys.sp_removedbreplication @dbname sysname = NULL, @type nvarchar(5) = N'both' AS
DECLARE @refused int = 0
IF @dbname IS NOT NULL EXEC @refused = sys.check_database_exists @dbname
RETURN @refused
GO
CREATE PROCEDURE sys.sp_create_plan_guide @name sysname, @stmt nvarchar(max), @type nvarchar(60), @module_or_batch nvarchar(max) = NULL, @params nvarchar(max) = NULL,
  @hints nvarchar(max) = NULL AS
RAISERROR(40510, 16, 1, N'sp_create_plan_guide')
RETURN 1
GO
CREATE PROCEDURE sys.sp_create_plan_guide_from_handle @name sysname, @plan_handle varbinary(64), @statement_start_offset int = NULL AS
RAISERROR(40510, 16, 1, N'sp_create_plan_guide_from_handle')
RETURN 1
GO
CREATE PROCEDURE sys.sp_control_plan_guide @operation nvarchar(60), @name sysname = NULL AS
RAISERROR(40510, 16, 1, N'sp_control_plan_guide')
RETURN 1
GO
CREATE PROCEDURE sys.xp_subdirs @path nvarchar(260) AS
SET NOCOUNT ON
DECLARE @found TABLE (place int IDENTITY PRIMARY KEY, subdirectory nvarchar(512), depth int)
INSERT @found (subdirectory, depth) EXEC sys.xp_dirtree @path, 1
SELECT subdirectory FROM @found ORDER BY place
GO
-- There is no registry: no key has values or keys below it.
CREATE PROCEDURE sys.xp_regenumvalues @rootkey nvarchar(512), @key nvarchar(512) AS
SELECT CONVERT(nvarchar(512), N'') AS Value, CONVERT(nvarchar(4000), N'') AS Data WHERE 1 = 0
GO
CREATE PROCEDURE sys.xp_instance_regenumvalues @rootkey nvarchar(512), @key nvarchar(512) AS
SELECT CONVERT(nvarchar(512), N'') AS Value, CONVERT(nvarchar(4000), N'') AS Data WHERE 1 = 0
GO
CREATE PROCEDURE sys.xp_regenumkeys @rootkey nvarchar(512), @key nvarchar(512) AS
SELECT CONVERT(nvarchar(512), N'') AS Value WHERE 1 = 0
GO
CREATE PROCEDURE sys.xp_instance_regenumkeys @rootkey nvarchar(512), @key nvarchar(512) AS
SELECT CONVERT(nvarchar(512), N'') AS Value WHERE 1 = 0
GO
CREATE PROCEDURE sys.xp_regdeletevalue @rootkey nvarchar(512), @key nvarchar(512), @value_name nvarchar(512) AS
RAISERROR(40510, 16, 1, N'xp_regdeletevalue')
RETURN 1
GO
CREATE PROCEDURE sys.xp_instance_regdeletevalue @rootkey nvarchar(512), @key nvarchar(512), @value_name nvarchar(512) AS
RAISERROR(40510, 16, 1, N'xp_instance_regdeletevalue')
RETURN 1
GO
-- A database is never suspect here without being restored.
CREATE PROCEDURE sys.sp_resetstatus @DBName sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_database_exists @DBName
IF @refused = 1 RETURN 1
IF IS_SRVROLEMEMBER('sysadmin') <> 1
BEGIN
  RAISERROR(15247, -1, -1)
  RETURN 1
END
RAISERROR(15056, -1, -1, @DBName)
RETURN 0
GO
-- Rows have one form on pages, so no setting saves anything: what it would take is what is taken.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-estimate-data-compression-savings-transact-sql
CREATE PROCEDURE sys.sp_estimate_data_compression_savings @schema_name sysname, @object_name sysname, @index_id int, @partition_number int,
  @data_compression nvarchar(60), @xml_compression bit = NULL AS
SET NOCOUNT ON
IF UPPER(@data_compression) NOT IN (N'NONE', N'ROW', N'PAGE', N'COLUMNSTORE', N'COLUMNSTORE_ARCHIVE')
BEGIN
  RAISERROR(15600, -1, -1, 'sys.sp_estimate_data_compression_savings')
  RETURN 1
END
IF LEFT(@object_name, 1) = N'#'
BEGIN
  RAISERROR(15661, -1, -1)
  RETURN 1
END
IF @schema_name IS NOT NULL AND SCHEMA_ID(@schema_name) IS NULL
BEGIN
  RAISERROR(15659, -1, -1, @schema_name)
  RETURN 1
END
DECLARE @object_id int = OBJECT_ID(QUOTENAME(ISNULL(@schema_name, SCHEMA_NAME())) + N'.' + QUOTENAME(@object_name))
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @object_id)
BEGIN
  RAISERROR(15001, -1, -1, @object_name)
  RETURN 1
END
IF EXISTS (SELECT 1 FROM sys.columns WHERE object_id = @object_id AND (is_sparse = 1 OR is_column_set = 1))
BEGIN
  RAISERROR(15662, -1, -1)
  RETURN 1
END
IF EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @object_id AND index_id = ISNULL(@index_id, index_id) AND type NOT IN (0, 1, 2))
BEGIN
  RAISERROR(15660, -1, -1)
  RETURN 1
END
SELECT CONVERT(sysname, OBJECT_NAME(@object_id)) AS object_name, CONVERT(sysname, OBJECT_SCHEMA_NAME(@object_id)) AS schema_name,
  CONVERT(int, s.index_id) AS index_id, CONVERT(int, s.partition_number) AS partition_number,
  CONVERT(bigint, s.used_page_count * 8) AS [size_with_current_compression_setting(KB)],
  CONVERT(bigint, s.used_page_count * 8) AS [size_with_requested_compression_setting(KB)],
  CONVERT(bigint, s.used_page_count * 8) AS [sample_size_with_current_compression_setting(KB)],
  CONVERT(bigint, s.used_page_count * 8) AS [sample_size_with_requested_compression_setting(KB)]
FROM sys.dm_db_partition_stats s
WHERE s.object_id = @object_id AND s.index_id = ISNULL(@index_id, s.index_id) AND s.partition_number = ISNULL(@partition_number, s.partition_number)
ORDER BY s.index_id, s.partition_number
RETURN 0
GO
-- A cursor on what is known of the caller's cursors. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cursor-list-transact-sql
CREATE PROCEDURE sys.sp_cursor_list @cursor_return CURSOR VARYING OUTPUT, @cursor_scope int AS
SET NOCOUNT ON
IF ISNULL(@cursor_scope, 0) NOT IN (1, 2, 3)
BEGIN
  RAISERROR(16902, -1, -1, N'sp_cursor_list', N'cursor_scope')
  RETURN 1
END
SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
  SELECT * FROM sys.syscursorrefs
  WHERE cursor_scope & @cursor_scope <> 0
  ORDER BY cursor_handle
OPEN @cursor_return
RETURN 0
GO
CREATE PROCEDURE sys.sp_describe_cursor @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30), @cursor_identity nvarchar(128) AS
SET NOCOUNT ON
IF ISNULL(LOWER(@cursor_source), N'') NOT IN (N'local', N'global', N'variable')
BEGIN
  RAISERROR(16902, -1, -1, N'sp_describe_cursor', N'cursor_source')
  RETURN 1
END
IF NOT EXISTS (SELECT 1 FROM sys.described_cursor(@cursor_source, @cursor_identity))
BEGIN
  IF LOWER(@cursor_source) = N'variable' RAISERROR(16950, -1, -1, @cursor_identity)
  ELSE RAISERROR(16916, -1, -1, @cursor_identity)
  RETURN 1
END
SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
  SELECT d.*
  FROM sys.described_cursor(@cursor_source, @cursor_identity) AS d
OPEN @cursor_return
RETURN 0
GO
CREATE PROCEDURE sys.sp_describe_cursor_columns @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30), @cursor_identity nvarchar(128) AS
SET NOCOUNT ON
IF ISNULL(LOWER(@cursor_source), N'') NOT IN (N'local', N'global', N'variable')
BEGIN
  RAISERROR(16902, -1, -1, N'sp_describe_cursor_columns', N'cursor_source')
  RETURN 1
END
IF NOT EXISTS (SELECT 1 FROM sys.described_cursor(@cursor_source, @cursor_identity))
BEGIN
  IF LOWER(@cursor_source) = N'variable' RAISERROR(16950, -1, -1, @cursor_identity)
  ELSE RAISERROR(16916, -1, -1, @cursor_identity)
  RETURN 1
END
SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
  SELECT c.column_name, c.ordinal_position, c.column_characteristics_flags, c.column_size, c.data_type_sql, c.column_precision, c.column_scale,
    c.order_position, c.order_direction, c.hidden_column, c.columnid, c.objectid, c.dbid, c.dbname
  FROM sys.described_cursor(@cursor_source, @cursor_identity) AS d JOIN sys.syscursorcolumns c ON c.cursor_handle = d.cursor_handle
  ORDER BY c.ordinal_position
OPEN @cursor_return
RETURN 0
GO
CREATE PROCEDURE sys.sp_describe_cursor_tables @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30), @cursor_identity nvarchar(128) AS
SET NOCOUNT ON
IF ISNULL(LOWER(@cursor_source), N'') NOT IN (N'local', N'global', N'variable')
BEGIN
  RAISERROR(16902, -1, -1, N'sp_describe_cursor_tables', N'cursor_source')
  RETURN 1
END
IF NOT EXISTS (SELECT 1 FROM sys.described_cursor(@cursor_source, @cursor_identity))
BEGIN
  IF LOWER(@cursor_source) = N'variable' RAISERROR(16950, -1, -1, @cursor_identity)
  ELSE RAISERROR(16916, -1, -1, @cursor_identity)
  RETURN 1
END
SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
  SELECT t.table_owner AS [table owner], t.table_name AS Table_name, t.optimizer_hints AS Optimizer_hints, t.lock_type, t.server_name,
    t.objectid AS Objectid, t.dbid, t.dbname
  FROM sys.described_cursor(@cursor_source, @cursor_identity) AS d JOIN sys.syscursortables t ON t.cursor_handle = d.cursor_handle
OPEN @cursor_return
RETURN 0
GO
