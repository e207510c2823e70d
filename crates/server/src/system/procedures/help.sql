-- sp_help and its kin: what people ask of the catalog at a prompt.

CREATE PROCEDURE sys.sp_helptext @objname nvarchar(776), @columnname sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
DECLARE @text nvarchar(max)
IF @columnname IS NOT NULL
BEGIN
  IF NOT EXISTS (SELECT 1 FROM sys.objects WHERE object_id = @object_id AND type IN ('U', 'S', 'TF'))
  BEGIN
    RAISERROR(15218, -1, -1, @objname)
    RETURN 1
  END
  IF COLUMNPROPERTY(@object_id, @columnname, 'ColumnId') IS NULL
  BEGIN
    RAISERROR(15645, -1, -1, @columnname)
    RETURN 1
  END
  SELECT @text = definition FROM sys.computed_columns WHERE object_id = @object_id AND name = @columnname
  IF @text IS NULL
  BEGIN
    RAISERROR(15646, -1, -1, @columnname)
    RETURN 1
  END
END
ELSE
  SET @text = OBJECT_DEFINITION(@object_id)
IF @text IS NULL AND OBJECTPROPERTY(@object_id, 'IsEncrypted') = 1
BEGIN
  RAISERROR(15471, -1, -1, @objname)
  RETURN 0
END
IF @text IS NULL
BEGIN
  RAISERROR(15197, -1, -1, @objname)
  RETURN 1
END
-- A row a line, which ends with carriage return and line feed, these with it; a line of more than 255 characters is several rows.
DECLARE @lines TABLE (place int IDENTITY PRIMARY KEY, line nvarchar(255))
DECLARE @at int = 1, @end int, @length int = DATALENGTH(@text) / 2
WHILE @at <= @length
BEGIN
  SET @end = CHARINDEX(NCHAR(13) + NCHAR(10), @text, @at)
  SET @end = IIF(@end = 0, @length, @end + 1)
  IF @end - @at >= 255 SET @end = @at + 254
  INSERT @lines (line) VALUES (SUBSTRING(@text, @at, @end - @at + 1))
  SET @at = @end + 1
END
SELECT l.line AS Text FROM @lines l ORDER BY l.place
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpindex @objname nvarchar(776) AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @object_id AND index_id BETWEEN 1 AND 255999)
BEGIN
  RAISERROR(15472, -1, -1, @objname)
  RETURN 0
END
DECLARE @keys TABLE (index_id int, place int, part nvarchar(140))
INSERT @keys (index_id, place, part)
SELECT k.index_id, k.key_ordinal, c.name + CASE k.is_descending_key WHEN 1 THEN N'(-)' ELSE N'' END
FROM sys.index_columns k
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
WHERE k.object_id = @object_id AND k.key_ordinal > 0
SELECT CONVERT(sysname, i.name) AS index_name,
  CONVERT(varchar(210), CASE i.type WHEN 1 THEN 'clustered' ELSE 'nonclustered' END + CASE i.ignore_dup_key WHEN 1 THEN ', ignore duplicate keys' ELSE '' END
    + CASE i.is_unique WHEN 1 THEN ', unique' ELSE '' END + CASE i.is_primary_key WHEN 1 THEN ', primary key' ELSE '' END
    + CASE i.is_unique_constraint WHEN 1 THEN ', unique key' ELSE '' END + CASE s.no_recompute WHEN 1 THEN ', stats no recompute' ELSE '' END
    + ' located on ' + ISNULL(d.name, 'PRIMARY')) AS index_description,
  CONVERT(nvarchar(2078), (SELECT STRING_AGG(k.part, N', ') WITHIN GROUP (ORDER BY k.place) FROM @keys k WHERE k.index_id = i.index_id)) AS index_keys
FROM sys.indexes i
JOIN sys.stats s ON s.object_id = i.object_id AND s.stats_id = i.index_id
LEFT JOIN sys.data_spaces d ON d.data_space_id = i.data_space_id
WHERE i.object_id = @object_id AND i.index_id > 0
ORDER BY i.name
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpconstraint @objname nvarchar(776), @nomsg varchar(5) = 'msg' AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
IF ISNULL(@nomsg, 'msg') <> 'nomsg' SELECT @objname AS [Object Name]
DECLARE @found TABLE (place int IDENTITY PRIMARY KEY, kind nvarchar(146), name sysname, on_delete nvarchar(20), on_update nvarchar(20),
  enabled varchar(15), replicated varchar(20), keys nvarchar(2078))
INSERT @found (kind, name, on_delete, on_update, enabled, replicated, keys)
SELECT N'CHECK ' + CASE c.parent_column_id WHEN 0 THEN N'Table Level ' ELSE N'on column ' + COL_NAME(c.parent_object_id, c.parent_column_id) END,
  c.name, N'(n/a)', N'(n/a)', CASE c.is_disabled WHEN 1 THEN 'Disabled' ELSE 'Enabled' END,
  CASE c.is_not_for_replication WHEN 1 THEN 'Not_For_Replication' ELSE 'Is_For_Replication' END, c.definition
FROM sys.check_constraints c WHERE c.parent_object_id = @object_id ORDER BY c.name
INSERT @found (kind, name, on_delete, on_update, enabled, replicated, keys)
SELECT N'DEFAULT on column ' + COL_NAME(d.parent_object_id, d.parent_column_id), d.name, N'(n/a)', N'(n/a)', '(n/a)', '(n/a)', d.definition
FROM sys.default_constraints d WHERE d.parent_object_id = @object_id ORDER BY d.name
DECLARE @foreign TABLE (object_id int, place int, own nvarchar(130), other nvarchar(130))
INSERT @foreign (object_id, place, own, other)
SELECT k.constraint_object_id, k.constraint_column_id, COL_NAME(k.parent_object_id, k.parent_column_id), COL_NAME(k.referenced_object_id, k.referenced_column_id)
FROM sys.foreign_key_columns k WHERE k.parent_object_id = @object_id
DECLARE @keys TABLE (place int IDENTITY PRIMARY KEY, object_id int)
INSERT @keys (object_id) SELECT object_id FROM sys.foreign_keys WHERE parent_object_id = @object_id ORDER BY name
DECLARE @at int = 0, @id int
WHILE 1 = 1
BEGIN
  SELECT TOP (1) @at = place, @id = object_id FROM @keys WHERE place > @at ORDER BY place
  IF @@ROWCOUNT = 0 BREAK
  INSERT @found (kind, name, on_delete, on_update, enabled, replicated, keys)
  SELECT N'FOREIGN KEY', f.name, CASE f.delete_referential_action WHEN 0 THEN N'No Action' WHEN 1 THEN N'Cascade' WHEN 2 THEN N'Set Null' ELSE N'Set Default' END,
    CASE f.update_referential_action WHEN 0 THEN N'No Action' WHEN 1 THEN N'Cascade' WHEN 2 THEN N'Set Null' ELSE N'Set Default' END,
    CASE f.is_disabled WHEN 1 THEN 'Disabled' ELSE 'Enabled' END, CASE f.is_not_for_replication WHEN 1 THEN 'Not_For_Replication' ELSE 'Is_For_Replication' END,
    (SELECT STRING_AGG(k.own, N', ') WITHIN GROUP (ORDER BY k.place) FROM @foreign k WHERE k.object_id = @id)
  FROM sys.foreign_keys f WHERE f.object_id = @id
  INSERT @found (kind, name, on_delete, on_update, enabled, replicated, keys)
  SELECT N' ', N' ', N' ', N' ', ' ', ' ', N'REFERENCES ' + DB_NAME() + N'.' + SCHEMA_NAME(o.schema_id) + N'.' + o.name + N' ('
    + (SELECT STRING_AGG(k.other, N', ') WITHIN GROUP (ORDER BY k.place) FROM @foreign k WHERE k.object_id = @id) + N')'
  FROM sys.foreign_keys f JOIN sys.objects o ON o.object_id = f.referenced_object_id WHERE f.object_id = @id
END
INSERT @found (kind, name, on_delete, on_update, enabled, replicated, keys)
SELECT CASE i.is_primary_key WHEN 1 THEN N'PRIMARY KEY ' ELSE N'UNIQUE ' END + CASE i.type WHEN 1 THEN N'(clustered)' ELSE N'(non-clustered)' END, i.name,
  N'(n/a)', N'(n/a)', '(n/a)', '(n/a)',
  (SELECT STRING_AGG(CONVERT(nvarchar(max), COL_NAME(k.object_id, k.column_id)), N', ') WITHIN GROUP (ORDER BY k.key_ordinal)
   FROM sys.index_columns k WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0)
FROM sys.indexes i WHERE i.object_id = @object_id AND (i.is_primary_key = 1 OR i.is_unique_constraint = 1) ORDER BY i.name
IF EXISTS (SELECT 1 FROM @found)
  SELECT f.kind AS constraint_type, f.name AS constraint_name, f.on_delete AS delete_action, f.on_update AS update_action,
    f.enabled AS status_enabled, f.replicated AS status_for_replication, f.keys AS constraint_keys
  FROM @found f ORDER BY f.place
ELSE IF ISNULL(@nomsg, 'msg') <> 'nomsg'
  PRINT N'No constraints are defined on object ''' + @objname + N''', or you do not have permissions.'
IF EXISTS (SELECT 1 FROM sys.foreign_keys WHERE referenced_object_id = @object_id)
  SELECT CONVERT(nvarchar(517), DB_NAME() + N'.' + SCHEMA_NAME(o.schema_id) + N'.' + o.name + N': ' + f.name) AS [Table is referenced by foreign key]
  FROM sys.foreign_keys f JOIN sys.objects o ON o.object_id = f.parent_object_id
  WHERE f.referenced_object_id = @object_id ORDER BY 1
ELSE IF ISNULL(@nomsg, 'msg') <> 'nomsg'
  PRINT N'No foreign keys reference table ''' + @objname + N''', or you do not have permissions on referencing tables.'
RETURN 0
GO
CREATE PROCEDURE sys.sp_helptrigger @tabname nvarchar(776), @triggertype char(6) = NULL AS
SET NOCOUNT ON
IF LOWER(@triggertype) NOT IN ('insert', 'update', 'delete')
BEGIN
  RAISERROR(15305, -1, -1)
  RETURN 1
END
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @tabname, @object_id OUTPUT
IF @refused = 1 RETURN 1
SELECT CONVERT(sysname, t.name) AS trigger_name, CONVERT(sysname, N'dbo') AS trigger_owner,
  CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsUpdateTrigger')) AS isupdate, CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsDeleteTrigger')) AS isdelete,
  CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsInsertTrigger')) AS isinsert, CONVERT(int, CASE t.is_instead_of_trigger WHEN 1 THEN 0 ELSE 1 END) AS isafter,
  CONVERT(int, t.is_instead_of_trigger) AS isinsteadof, CONVERT(sysname, OBJECT_SCHEMA_NAME(t.parent_id)) AS trigger_schema
FROM sys.triggers t
WHERE t.parent_id = @object_id AND (@triggertype IS NULL OR EXISTS (
  SELECT 1 FROM sys.trigger_events e WHERE e.object_id = t.object_id AND e.type_desc = UPPER(@triggertype)))
ORDER BY t.name
RETURN 0
GO
CREATE PROCEDURE sys.sp_help @objname nvarchar(776) = NULL AS
SET NOCOUNT ON
IF @objname IS NULL
BEGIN
  SELECT o.Name, CONVERT(sysname, N'dbo') AS Owner, o.kind AS Object_type FROM sys.described_objects o ORDER BY 2, 3 DESC, 1
  SELECT t.name AS User_type, t.Storage_type, t.Length, t.Prec, t.Scale, t.Nullable, t.Default_name, t.Rule_name, t.Collation
  FROM sys.described_types t WHERE t.is_user_defined = 1 AND t.is_table_type = 0 ORDER BY 1
  RETURN 0
END
IF OBJECT_ID(@objname) IS NULL AND TYPE_ID(@objname) IS NOT NULL
BEGIN
  SELECT t.name AS Type_name, t.Storage_type, t.Length, t.Prec, t.Scale, t.Nullable, t.Default_name, t.Rule_name, t.Collation
  FROM sys.described_types t WHERE t.user_type_id = TYPE_ID(@objname)
  RETURN 0
END
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
DECLARE @type char(2) = (SELECT type FROM sys.all_objects WHERE object_id = @object_id)
SELECT o.Name, CONVERT(sysname, ISNULL(USER_NAME(ISNULL(o.principal_id, s.principal_id)), N'dbo')) AS Owner, o.kind AS Type, o.create_date AS Created_datetime
FROM sys.described_objects o LEFT JOIN sys.schemas s ON s.schema_id = o.schema_id
WHERE o.object_id = @object_id
IF @type IN ('U', 'V', 'S', 'TF', 'IF')
BEGIN
  SELECT CONVERT(sysname, c.name) AS Column_name, CONVERT(sysname, TYPE_NAME(c.user_type_id)) AS Type,
    CONVERT(varchar(35), CASE c.is_computed WHEN 1 THEN 'yes' ELSE 'no' END) AS Computed, CONVERT(int, c.max_length) AS Length,
    CONVERT(char(5), CASE WHEN c.system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127, 41, 42, 43, 40) THEN CONVERT(varchar(5), c.precision) ELSE '' END) AS Prec,
    CONVERT(char(5), CASE WHEN c.system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127, 41, 42, 43, 40) THEN CONVERT(varchar(5), ODBCSCALE(c.system_type_id, c.scale)) ELSE '' END) AS Scale,
    CONVERT(varchar(35), CASE c.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END) AS Nullable,
    CONVERT(varchar(35), CASE WHEN c.system_type_id IN (167, 175, 165, 173) THEN CASE c.is_ansi_padded WHEN 1 THEN 'no' ELSE 'yes' END ELSE '(n/a)' END) AS TrimTrailingBlanks,
    CONVERT(varchar(35), CASE WHEN c.system_type_id IN (167, 175, 165, 173) THEN CASE c.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END ELSE '(n/a)' END) AS FixedLenNullInSource,
    CONVERT(sysname, c.collation_name) AS Collation
  FROM sys.all_columns c WHERE c.object_id = @object_id ORDER BY c.column_id
  IF @type = 'U'
  BEGIN
    IF EXISTS (SELECT 1 FROM sys.identity_columns WHERE object_id = @object_id)
      SELECT CONVERT(nvarchar(128), c.name) AS [Identity], CONVERT(numeric(38, 0), c.seed_value) AS Seed, CONVERT(numeric(38, 0), c.increment_value) AS Increment,
        CONVERT(int, c.is_not_for_replication) AS [Not For Replication]
      FROM sys.identity_columns c WHERE c.object_id = @object_id
    ELSE
      SELECT CONVERT(nvarchar(128), N'No identity column defined.') AS [Identity], CONVERT(numeric(38, 0), NULL) AS Seed, CONVERT(numeric(38, 0), NULL) AS Increment,
        CONVERT(int, NULL) AS [Not For Replication]
    SELECT CONVERT(sysname, ISNULL((SELECT MIN(c.name) FROM sys.columns c WHERE c.object_id = @object_id AND c.is_rowguidcol = 1), N'No rowguidcol column defined.')) AS [RowGuidCol]
    SELECT CONVERT(sysname, ISNULL((SELECT MIN(d.name) FROM sys.indexes i JOIN sys.data_spaces d ON d.data_space_id = i.data_space_id
      WHERE i.object_id = @object_id AND i.index_id < 2), N'PRIMARY')) AS Data_located_on_filegroup
    EXEC sys.sp_helpindex @objname
    EXEC sys.sp_helpconstraint @objname, 'nomsg'
    IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE referenced_object_id = @object_id) RAISERROR(15470, -1, -1, @objname)
    IF EXISTS (SELECT 1 FROM sys.sysdepends d JOIN sys.views v ON v.object_id = d.id WHERE d.depid = @object_id AND d.deptype = 1)
      SELECT DISTINCT CONVERT(sysname, v.name) AS [Table is referenced by views]
      FROM sys.sysdepends d JOIN sys.views v ON v.object_id = d.id WHERE d.depid = @object_id AND d.deptype = 1
    ELSE
      RAISERROR(15647, -1, -1, @objname)
  END
  IF @type = 'V' AND EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = @object_id) EXEC sys.sp_helpindex @objname
END
IF EXISTS (SELECT 1 FROM sys.all_parameters WHERE object_id = @object_id)
  SELECT CONVERT(sysname, p.name) AS Parameter_name, CONVERT(sysname, TYPE_NAME(p.user_type_id)) AS Type, CONVERT(smallint, p.max_length) AS Length,
    CONVERT(int, CASE p.system_type_id WHEN 36 THEN p.precision ELSE ODBCPREC(p.system_type_id, p.max_length, p.precision) END) AS Prec,
    CONVERT(int, ODBCSCALE(p.system_type_id, p.scale)) AS Scale,
    CONVERT(int, p.parameter_id) AS Param_order, CONVERT(sysname, CASE WHEN p.system_type_id IN (35, 99, 167, 175, 231, 239) THEN SERVERPROPERTY('collation') END) AS Collation
  FROM sys.all_parameters p WHERE p.object_id = @object_id ORDER BY p.parameter_id
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpdb @dbname sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @dbname IS NOT NULL EXEC @refused = sys.check_database_exists @dbname
IF @refused = 1 RETURN 1
DECLARE @closed sysname = N''
WHILE 1 = 1
BEGIN
  SELECT @closed = MIN(name) FROM sys.databases WHERE name > @closed AND (@dbname IS NULL OR name = @dbname) AND ISNULL(HAS_DBACCESS(name), 0) = 0
  IF @closed IS NULL BREAK
  RAISERROR(15622, -1, -1, @closed)
END
SELECT CONVERT(sysname, d.name) AS name,
  CONVERT(nvarchar(13), STR((SELECT SUM(CONVERT(float, CASE WHEN g.pages > f.size THEN g.pages ELSE f.size END)) FROM master.sys.sysprufiles f
    LEFT JOIN sys.sysfilepages g ON g.database_id = f.dbid AND g.file_id = f.fileid WHERE f.dbid = d.database_id) / 128, 10, 2) + N' MB') AS db_size,
  CONVERT(sysname, SUSER_SNAME(d.owner_sid)) AS owner, CONVERT(smallint, d.database_id) AS dbid, CONVERT(nvarchar(11), d.create_date, 100) AS created,
  CONVERT(nvarchar(600), N'Status=' + d.state_desc + N', Updateability=' + CASE d.is_read_only WHEN 1 THEN N'READ_ONLY' ELSE N'READ_WRITE' END + N', UserAccess=' + d.user_access_desc
    + N', Recovery=' + d.recovery_model_desc + N', Version=957, Collation=' + d.collation_name + N', SQLSortOrder=52'
    + CASE d.is_auto_create_stats_on WHEN 1 THEN N', IsAutoCreateStatistics' ELSE N'' END + CASE d.is_auto_update_stats_on WHEN 1 THEN N', IsAutoUpdateStatistics' ELSE N'' END) AS status,
  d.compatibility_level
FROM sys.databases d
WHERE (@dbname IS NULL OR d.name = @dbname) AND HAS_DBACCESS(d.name) = 1
ORDER BY d.name
IF @dbname IS NOT NULL AND HAS_DBACCESS(@dbname) = 1
  SELECT f.name, f.fileid, f.filename, f.filegroup, f.size, f.maxsize, f.growth, f.usage
  FROM sys.described_files f WHERE f.database_id = DB_ID(@dbname) ORDER BY f.fileid
RETURN 0
GO
-- Who names a file is not told its number.
CREATE PROCEDURE sys.sp_helpfile @filename sysname = NULL AS
SET NOCOUNT ON
IF @filename IS NULL
BEGIN
  SELECT f.name, f.fileid, f.filename, f.filegroup, f.size, f.maxsize, f.growth, f.usage
  FROM sys.described_files f WHERE f.database_id = DB_ID() ORDER BY f.fileid
  RETURN 0
END
IF FILE_ID(@filename) IS NULL
BEGIN
  RAISERROR(15325, -1, -1, 'file', @filename)
  RETURN 1
END
SELECT f.name, f.filename, f.filegroup, f.size, f.maxsize, f.growth, f.usage
FROM sys.described_files f WHERE f.database_id = DB_ID() AND f.fileid = FILE_ID(@filename)
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpfilegroup @filegroupname sysname = NULL AS
SET NOCOUNT ON
IF @filegroupname IS NOT NULL AND FILEGROUP_ID(@filegroupname) IS NULL
BEGIN
  RAISERROR(15325, -1, -1, 'filegroup', @filegroupname)
  RETURN 1
END
SELECT CONVERT(sysname, g.name) AS groupname, CONVERT(smallint, g.data_space_id) AS groupid,
  (SELECT COUNT(*) FROM sys.database_files f WHERE f.data_space_id = g.data_space_id) AS filecount
FROM sys.filegroups g
WHERE @filegroupname IS NULL OR g.name = @filegroupname
ORDER BY 2
IF @filegroupname IS NOT NULL
  SELECT f.name AS file_in_group, f.fileid, f.filename, f.size, f.maxsize, f.growth
  FROM sys.described_files f WHERE f.database_id = DB_ID() AND f.filegroup = @filegroupname ORDER BY f.fileid
RETURN 0
GO
CREATE PROCEDURE sys.sp_spaceused @objname nvarchar(776) = NULL, @updateusage varchar(5) = 'false', @mode varchar(11) = 'ALL', @oneresultset bit = 0 AS
SET NOCOUNT ON
IF LOWER(@updateusage) NOT IN ('true', 'false')
BEGIN
  RAISERROR(15143, -1, -1, @updateusage)
  RETURN 1
END
IF UPPER(@mode) NOT IN ('ALL', 'LOCAL_ONLY', 'REMOTE_ONLY')
BEGIN
  RAISERROR(14822, -1, -1, @mode)
  RETURN 1
END
IF @objname IS NOT NULL
BEGIN
  DECLARE @refused int, @object_id int
  EXEC @refused = sys.check_object @objname, @object_id OUTPUT
  IF @refused = 1 RETURN 1
  IF OBJECTPROPERTY(@object_id, 'IsView') = 1 AND OBJECTPROPERTY(@object_id, 'IsIndexed') = 0
  BEGIN
    RAISERROR(15235, -1, -1)
    RETURN 1
  END
  IF OBJECTPROPERTY(@object_id, 'IsTable') = 0 AND OBJECTPROPERTY(@object_id, 'IsView') = 0
  BEGIN
    RAISERROR(15234, -1, -1)
    RETURN 1
  END
  IF UPPER(@mode) = 'REMOTE_ONLY'
  BEGIN
    RAISERROR(14821, 16, 2)
    RETURN 1
  END
  SELECT CONVERT(nvarchar(128), OBJECT_NAME(@object_id)) AS name,
    CONVERT(char(20), CONVERT(varchar(20), SUM(CASE WHEN s.index_id < 2 THEN s.row_count ELSE 0 END))) AS rows,
    CONVERT(varchar(18), CONVERT(varchar(15), SUM(s.reserved_page_count) * 8) + ' KB') AS reserved,
    CONVERT(varchar(18), CONVERT(varchar(15), SUM(CASE WHEN s.index_id < 2 THEN s.in_row_data_page_count + s.lob_used_page_count ELSE 0 END) * 8) + ' KB') AS data,
    CONVERT(varchar(18), CONVERT(varchar(15), SUM(s.used_page_count - CASE WHEN s.index_id < 2 THEN s.in_row_data_page_count + s.lob_used_page_count ELSE 0 END) * 8) + ' KB') AS index_size,
    CONVERT(varchar(18), CONVERT(varchar(15), SUM(s.reserved_page_count - s.used_page_count) * 8) + ' KB') AS unused
  FROM sys.dm_db_partition_stats s WHERE s.object_id = @object_id
  RETURN 0
END
IF UPPER(@mode) = 'REMOTE_ONLY'
BEGIN
  RAISERROR(14821, -1, -1)
  RETURN 1
END
DECLARE @size bigint = (SELECT SUM(CONVERT(bigint, size)) FROM sys.database_files WHERE type = 0),
  @log bigint = (SELECT SUM(CONVERT(bigint, size)) FROM sys.database_files WHERE type = 1),
  @reserved bigint = (SELECT SUM(reserved_page_count) FROM sys.dm_db_partition_stats), @used bigint = (SELECT SUM(used_page_count) FROM sys.dm_db_partition_stats),
  @data bigint = (SELECT SUM(in_row_data_page_count + lob_used_page_count) FROM sys.dm_db_partition_stats WHERE index_id < 2)
DECLARE @database_size varchar(18) = LTRIM(STR((ISNULL(@size, 0) + ISNULL(@log, 0)) / 128.0, 15, 2)) + ' MB',
  @unallocated varchar(18) = LTRIM(STR(CASE WHEN @size > @reserved THEN (@size - @reserved) / 128.0 ELSE 0 END, 15, 2)) + ' MB',
  @reserved_kb varchar(18) = CONVERT(varchar(15), ISNULL(@reserved, 0) * 8) + ' KB', @data_kb varchar(18) = CONVERT(varchar(15), ISNULL(@data, 0) * 8) + ' KB',
  @index_kb varchar(18) = CONVERT(varchar(15), (ISNULL(@used, 0) - ISNULL(@data, 0)) * 8) + ' KB',
  @unused_kb varchar(18) = CONVERT(varchar(15), (ISNULL(@reserved, 0) - ISNULL(@used, 0)) * 8) + ' KB'
IF @oneresultset = 1
BEGIN
  SELECT CONVERT(nvarchar(128), DB_NAME()) AS database_name, @database_size AS database_size, @unallocated AS [unallocated space], @reserved_kb AS reserved,
    @data_kb AS data, @index_kb AS index_size, @unused_kb AS unused
  RETURN 0
END
SELECT CONVERT(nvarchar(128), DB_NAME()) AS database_name, @database_size AS database_size, @unallocated AS [unallocated space]
SELECT @reserved_kb AS reserved, @data_kb AS data, @index_kb AS index_size, @unused_kb AS unused
RETURN 0
GO
CREATE PROCEDURE sys.sp_depends @objname nvarchar(776) AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
DECLARE @any bit = 0
IF EXISTS (SELECT 1 FROM sys.used_columns WHERE object_id = @object_id)
BEGIN
  SET @any = 1
  PRINT N'In the current database, the specified object references the following:'
  SELECT CONVERT(nvarchar(776), SCHEMA_NAME(o.schema_id) + N'.' + o.Name) AS name, CONVERT(nvarchar(60), o.kind) AS type,
    CONVERT(varchar(7), CASE u.is_updated WHEN 1 THEN 'yes' ELSE 'no' END) AS updated, CONVERT(varchar(8), CASE u.is_selected WHEN 1 THEN 'yes' ELSE 'no' END) AS selected,
    CONVERT(sysname, COL_NAME(u.referenced_id, NULLIF(u.referenced_column_id, 0))) AS [column]
  FROM sys.used_columns u JOIN sys.described_objects o ON o.object_id = u.referenced_id
  WHERE u.object_id = @object_id ORDER BY 1, u.referenced_column_id
END
IF EXISTS (SELECT 1 FROM sys.used_columns WHERE referenced_id = @object_id)
BEGIN
  SET @any = 1
  PRINT N'In the current database, the specified object is referenced by the following:'
  SELECT DISTINCT CONVERT(nvarchar(776), SCHEMA_NAME(o.schema_id) + N'.' + o.Name) AS name, CONVERT(nvarchar(60), o.kind) AS type
  FROM sys.used_columns u JOIN sys.described_objects o ON o.object_id = u.object_id WHERE u.referenced_id = @object_id ORDER BY 1
END
IF @any = 0 PRINT N'Object does not reference any object, and no objects reference it.'
RETURN 0
GO
CREATE PROCEDURE sys.sp_helpstats @objname nvarchar(776), @results nvarchar(5) = N'STATS' AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_object @objname, @object_id OUTPUT
IF @refused = 1 RETURN 1
SELECT CONVERT(sysname, s.name) AS statistics_name,
  CONVERT(nvarchar(2078), (SELECT STRING_AGG(CONVERT(nvarchar(max), COL_NAME(c.object_id, c.column_id)), N', ') WITHIN GROUP (ORDER BY c.stats_column_id)
    FROM sys.stats_columns c WHERE c.object_id = s.object_id AND c.stats_id = s.stats_id)) AS statistics_keys
FROM sys.stats s
WHERE s.object_id = @object_id AND (UPPER(@results) = N'ALL' OR NOT EXISTS (SELECT 1 FROM sys.indexes i WHERE i.object_id = s.object_id AND i.index_id = s.stats_id))
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_describe_cursor_list AS
RETURN 0
GO
CREATE PROCEDURE sys.sp_msgetversion AS
SELECT CONVERT(nvarchar(20), SERVERPROPERTY('ProductVersion')) AS Character_Value, CONVERT(int, 1) AS C2, CONVERT(int, 3) AS C3
GO
