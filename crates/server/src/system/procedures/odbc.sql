-- What drivers ask of the catalog: the procedures behind SQLTables, SQLColumns and their like, for ODBC, OLE DB and JDBC.
-- How ODBC sees types, columns and parameters is in internal/odbc.sql.

CREATE PROCEDURE sys.sp_columns @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @ODBCVer int = 2 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT, 1
IF @refused = 1 RETURN -6
SELECT c.TABLE_QUALIFIER, c.TABLE_OWNER, c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.TYPE_NAME, c.PRECISION, c.LENGTH, c.SCALE,
  c.RADIX, c.NULLABLE, c.REMARKS, c.COLUMN_DEF, c.SQL_DATA_TYPE, c.SQL_DATETIME_SUB, c.CHAR_OCTET_LENGTH, c.ORDINAL_POSITION,
  c.IS_NULLABLE, c.SS_DATA_TYPE
FROM sys.odbc_columns(80, @ODBCVer, @object_id, @table_owner, @table_name, @column_name, 1) AS c
WHERE c.is_of_set = 0
ORDER BY 1, 2, 3, 17
GO
CREATE PROCEDURE sys.sp_columns_90 @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT, @fUsePattern
IF @refused = 1 RETURN -6
SELECT c.TABLE_QUALIFIER, c.TABLE_OWNER, c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.TYPE_NAME, c.PRECISION, c.LENGTH, c.SCALE,
  c.RADIX, c.NULLABLE, c.REMARKS, c.COLUMN_DEF, c.SQL_DATA_TYPE, c.SQL_DATETIME_SUB, c.CHAR_OCTET_LENGTH, c.ORDINAL_POSITION,
  c.IS_NULLABLE, c.SS_UDT_CATALOG_NAME, c.SS_UDT_SCHEMA_NAME, c.SS_UDT_ASSEMBLY_TYPE_NAME,
  c.SS_XML_SCHEMACOLLECTION_CATALOG_NAME, c.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, c.SS_XML_SCHEMACOLLECTION_NAME, c.SS_DATA_TYPE
FROM sys.odbc_columns(90, @ODBCVer, @object_id, @table_owner, @table_name, @column_name, @fUsePattern) AS c
WHERE c.is_of_set = 0
ORDER BY 1, 2, 3, 17
GO
CREATE PROCEDURE sys.sp_columns_100 @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL, @NameScope int = 0, @ODBCVer int = 2, @fUsePattern bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
IF @NameScope NOT IN (0, 1, 2, 3)
BEGIN
  RAISERROR(15251, -1, -1, 'NameScope', '0, 1, 2, 3')
  RETURN -6
END
-- SQL_SOPT_SS_NAME_SCOPE of the driver: 0 a table's columns but those of a sparse column set, 1 a table type's, 2 all of a table, 3 those of
-- the set alone.
-- https://learn.microsoft.com/sql/relational-databases/native-client-odbc-api/sqlsetstmtattr
IF @NameScope = 1
BEGIN
  SELECT c.TABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(t.schema_id)) AS TABLE_OWNER, CONVERT(sysname, t.name) AS TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE,
    c.TYPE_NAME, c.PRECISION, c.LENGTH, c.SCALE, c.RADIX, c.NULLABLE, c.REMARKS, c.COLUMN_DEF, c.SQL_DATA_TYPE, c.SQL_DATETIME_SUB, c.CHAR_OCTET_LENGTH,
    c.ORDINAL_POSITION, c.IS_NULLABLE, c.SS_IS_SPARSE, c.SS_IS_COLUMN_SET, c.SS_IS_COMPUTED, c.SS_IS_IDENTITY,
    c.SS_UDT_CATALOG_NAME, c.SS_UDT_SCHEMA_NAME, c.SS_UDT_ASSEMBLY_TYPE_NAME,
    c.SS_XML_SCHEMACOLLECTION_CATALOG_NAME, c.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, c.SS_XML_SCHEMACOLLECTION_NAME, c.SS_DATA_TYPE
  FROM sys.table_types t
  CROSS APPLY sys.odbc_columns(100, @ODBCVer, t.type_table_object_id, NULL, NULL, @column_name, @fUsePattern) AS c
  WHERE (t.name = @table_name OR @fUsePattern = 1 AND t.name LIKE @table_name)
    AND (@table_owner IS NULL OR SCHEMA_NAME(t.schema_id) = @table_owner OR @fUsePattern = 1 AND SCHEMA_NAME(t.schema_id) LIKE @table_owner)
  ORDER BY 1, 2, 3, 17
  RETURN 0
END
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT, @fUsePattern
IF @refused = 1 RETURN -6
SELECT c.TABLE_QUALIFIER, c.TABLE_OWNER, c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.TYPE_NAME, c.PRECISION, c.LENGTH, c.SCALE,
  c.RADIX, c.NULLABLE, c.REMARKS, c.COLUMN_DEF, c.SQL_DATA_TYPE, c.SQL_DATETIME_SUB, c.CHAR_OCTET_LENGTH, c.ORDINAL_POSITION,
  c.IS_NULLABLE, c.SS_IS_SPARSE, c.SS_IS_COLUMN_SET, c.SS_IS_COMPUTED, c.SS_IS_IDENTITY,
  c.SS_UDT_CATALOG_NAME, c.SS_UDT_SCHEMA_NAME, c.SS_UDT_ASSEMBLY_TYPE_NAME,
  c.SS_XML_SCHEMACOLLECTION_CATALOG_NAME, c.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, c.SS_XML_SCHEMACOLLECTION_NAME, c.SS_DATA_TYPE
FROM sys.odbc_columns(100, @ODBCVer, @object_id, @table_owner, @table_name, @column_name, @fUsePattern) AS c
WHERE @NameScope = 2 OR c.is_of_set = @NameScope / 3
ORDER BY 1, 2, 3, 17
GO
CREATE PROCEDURE sys.sp_tables @table_name nvarchar(384) = NULL, @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @table_type varchar(100) = NULL, @fUsePattern bit = 1 AS
SET NOCOUNT ON
IF @table_qualifier = N'%' AND @table_owner = N'' AND @table_name = N''
BEGIN
  SELECT CONVERT(sysname, d.name) AS TABLE_QUALIFIER, CONVERT(sysname, NULL) AS TABLE_OWNER, CONVERT(sysname, NULL) AS TABLE_NAME,
    CONVERT(varchar(32), NULL) AS TABLE_TYPE, CONVERT(varchar(254), NULL) AS REMARKS
  FROM sys.databases d ORDER BY 1
  RETURN 0
END
IF @table_qualifier = N'' AND @table_owner = N'%' AND @table_name = N''
BEGIN
  SELECT CONVERT(sysname, NULL) AS TABLE_QUALIFIER, CONVERT(sysname, s.name) AS TABLE_OWNER, CONVERT(sysname, NULL) AS TABLE_NAME,
    CONVERT(varchar(32), NULL) AS TABLE_TYPE, CONVERT(varchar(254), NULL) AS REMARKS
  FROM sys.schemas s ORDER BY 2
  RETURN 0
END
IF @table_qualifier = N'' AND @table_owner = N'' AND @table_name = N'' AND @table_type = '%'
BEGIN
  SELECT CONVERT(sysname, NULL) AS TABLE_QUALIFIER, CONVERT(sysname, NULL) AS TABLE_OWNER, CONVERT(sysname, NULL) AS TABLE_NAME,
    CONVERT(varchar(32), v.name) AS TABLE_TYPE, CONVERT(varchar(254), NULL) AS REMARKS
  FROM (VALUES ('SYSTEM TABLE'), ('TABLE'), ('VIEW')) AS v(name) ORDER BY 4
  RETURN 0
END
IF @table_qualifier IS NOT NULL AND @table_qualifier <> N'%' AND DB_NAME() <> @table_qualifier
BEGIN
  IF @table_qualifier = N''
  BEGIN
    SELECT CONVERT(sysname, NULL) AS TABLE_QUALIFIER, CONVERT(sysname, NULL) AS TABLE_OWNER, CONVERT(sysname, NULL) AS TABLE_NAME,
      CONVERT(varchar(32), NULL) AS TABLE_TYPE, CONVERT(varchar(254), NULL) AS REMARKS
    WHERE 1 = 0
    RETURN 0
  END
  EXEC sys.check_database @table_qualifier
  RETURN -6
END
SET @table_type = UPPER(@table_type)
SELECT o.qualifier AS TABLE_QUALIFIER, o.owner AS TABLE_OWNER, o.name AS TABLE_NAME, o.table_type AS TABLE_TYPE, CONVERT(varchar(254), NULL) AS REMARKS
FROM sys.odbc_objects(@table_owner, @table_name, @fUsePattern) AS o
WHERE o.type IN ('S', 'U', 'V')
  AND (@table_type IS NULL OR @table_type IN ('', '%', o.table_type) OR @table_type LIKE '%''' + o.table_type + '''%')
ORDER BY 4, 1, 2, 3
GO
CREATE PROCEDURE sys.sp_tableswc @table_name nvarchar(384) = NULL, @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @table_type varchar(100) = NULL, @fUsePattern bit = 1, @fTableCreated bit = 0 AS
DECLARE @status int
EXEC @status = sys.sp_tables @table_name, @table_owner, @table_qualifier, @table_type, @fUsePattern
RETURN @status
GO
CREATE PROCEDURE sys.sp_pkeys @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
SELECT k.TABLE_QUALIFIER, k.TABLE_OWNER, k.TABLE_NAME, k.COLUMN_NAME, CONVERT(smallint, k.key_ordinal) AS KEY_SEQ, k.PK_NAME
FROM sys.odbc_primary_keys k
WHERE k.object_id = @object_id
ORDER BY 1, 2, 3, 5
GO
CREATE PROCEDURE sys.sp_fkeys @pktable_name sysname = NULL, @pktable_owner sysname = NULL, @pktable_qualifier sysname = NULL,
  @fktable_name sysname = NULL, @fktable_owner sysname = NULL, @fktable_qualifier sysname = NULL AS
SET NOCOUNT ON
IF @pktable_name IS NULL AND @fktable_name IS NULL
BEGIN
  RAISERROR(15252, -1, -1)
  RETURN -6
END
DECLARE @refused int, @pk int, @fk int
EXEC @refused = sys.odbc_table @pktable_qualifier, @pktable_owner, @pktable_name, @pk OUTPUT
IF @refused = 0 EXEC @refused = sys.odbc_table @fktable_qualifier, @fktable_owner, @fktable_name, @fk OUTPUT
IF @refused = 1 RETURN -6
IF @pktable_name IS NOT NULL SET @pk = ISNULL(@pk, 0)
IF @fktable_name IS NOT NULL SET @fk = ISNULL(@fk, 0)
SELECT r.PKTABLE_QUALIFIER, r.PKTABLE_OWNER, r.PKTABLE_NAME, r.PKCOLUMN_NAME, r.FKTABLE_QUALIFIER, r.FKTABLE_OWNER, r.FKTABLE_NAME,
  r.FKCOLUMN_NAME, r.KEY_SEQ, r.UPDATE_RULE, r.DELETE_RULE, r.FK_NAME, r.PK_NAME, r.DEFERRABILITY
FROM (
  SELECT CONVERT(sysname, DB_NAME()) AS PKTABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(p.schema_id)) AS PKTABLE_OWNER,
    CONVERT(sysname, p.name) AS PKTABLE_NAME, CONVERT(sysname, pc.name) AS PKCOLUMN_NAME,
    CONVERT(sysname, DB_NAME()) AS FKTABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(f.schema_id)) AS FKTABLE_OWNER,
    CONVERT(sysname, f.name) AS FKTABLE_NAME, CONVERT(sysname, fc.name) AS FKCOLUMN_NAME,
    CONVERT(smallint, k.constraint_column_id) AS KEY_SEQ,
    -- Where only the table with the keys is given, SQL Server tells CASCADE from the rest and no more.
    CONVERT(smallint, CASE WHEN r.update_referential_action = 1 THEN 0 WHEN r.update_referential_action = 0 OR @pktable_name IS NULL THEN 1
      ELSE r.update_referential_action END) AS UPDATE_RULE,
    CONVERT(smallint, CASE WHEN r.delete_referential_action = 1 THEN 0 WHEN r.delete_referential_action = 0 OR @pktable_name IS NULL THEN 1
      ELSE r.delete_referential_action END) AS DELETE_RULE,
    CONVERT(sysname, r.name) AS FK_NAME, CONVERT(sysname, i.name) AS PK_NAME, CONVERT(smallint, 7) AS DEFERRABILITY
  FROM sys.foreign_keys r
  JOIN sys.foreign_key_columns k ON k.constraint_object_id = r.object_id
  JOIN sys.objects p ON p.object_id = r.referenced_object_id
  JOIN sys.objects f ON f.object_id = r.parent_object_id
  JOIN sys.columns pc ON pc.object_id = k.referenced_object_id AND pc.column_id = k.referenced_column_id
  JOIN sys.columns fc ON fc.object_id = k.parent_object_id AND fc.column_id = k.parent_column_id
  LEFT JOIN sys.indexes i ON i.object_id = r.referenced_object_id AND i.index_id = r.key_index_id
  WHERE (@pk IS NULL OR r.referenced_object_id = @pk) AND (@fk IS NULL OR r.parent_object_id = @fk)
) AS r
ORDER BY CASE WHEN @pktable_name IS NULL THEN r.PKTABLE_OWNER ELSE r.FKTABLE_OWNER END,
  CASE WHEN @pktable_name IS NULL THEN r.PKTABLE_NAME ELSE r.FKTABLE_NAME END, r.KEY_SEQ,
  CASE WHEN @pktable_name IS NULL THEN r.PKCOLUMN_NAME ELSE r.FKCOLUMN_NAME END, r.FK_NAME
GO
CREATE PROCEDURE sys.sp_statistics @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @index_name sysname = N'%', @is_unique char(1) = 'N', @accuracy char(1) = 'Q' AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
IF @accuracy NOT IN ('C', 'E', 'Q')
BEGIN
  RAISERROR(15251, -1, -1, 'accuracy', '''C'', ''E'', ''Q''')
  RETURN -6
END
SELECT CONVERT(sysname, DB_NAME()) AS TABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS TABLE_OWNER,
  CONVERT(sysname, o.name) AS TABLE_NAME, CONVERT(smallint, NULL) AS NON_UNIQUE, CONVERT(sysname, NULL) AS INDEX_QUALIFIER,
  CONVERT(sysname, NULL) AS INDEX_NAME, CONVERT(smallint, 0) AS TYPE, CONVERT(smallint, NULL) AS SEQ_IN_INDEX,
  CONVERT(sysname, NULL) AS COLUMN_NAME, CONVERT(char(1), NULL) AS COLLATION, CONVERT(int, s.row_count) AS CARDINALITY,
  CONVERT(int, s.used_page_count) AS PAGES, CONVERT(varchar(128), NULL) AS FILTER_CONDITION
FROM sys.objects o
JOIN (SELECT object_id, index_id, SUM(row_count) AS row_count, SUM(used_page_count) AS used_page_count
  FROM sys.dm_db_partition_stats GROUP BY object_id, index_id) s ON s.object_id = o.object_id AND s.index_id < 2
WHERE o.object_id = @object_id AND @index_name = N'%' AND o.type = 'U'
UNION ALL
SELECT CONVERT(sysname, DB_NAME()), CONVERT(sysname, SCHEMA_NAME(o.schema_id)), CONVERT(sysname, o.name),
  CONVERT(smallint, CASE i.is_unique WHEN 1 THEN 0 ELSE 1 END), CONVERT(sysname, o.name), CONVERT(sysname, i.name),
  CONVERT(smallint, CASE i.type WHEN 1 THEN 1 WHEN 7 THEN 2 ELSE 3 END), CONVERT(smallint, k.key_ordinal), CONVERT(sysname, c.name),
  CONVERT(char(1), CASE k.is_descending_key WHEN 1 THEN 'D' ELSE 'A' END),
  CONVERT(int, CASE WHEN i.type = 1 OR i.is_unique = 1 THEN s.row_count END), CONVERT(int, CASE WHEN i.type = 1 THEN s.used_page_count ELSE NULL END),
  CONVERT(varchar(128), i.filter_definition)
FROM sys.indexes i
JOIN sys.objects o ON o.object_id = i.object_id
JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
LEFT JOIN (SELECT object_id, index_id, SUM(row_count) AS row_count, SUM(used_page_count) AS used_page_count
  FROM sys.dm_db_partition_stats GROUP BY object_id, index_id) s ON s.object_id = i.object_id AND s.index_id = i.index_id
WHERE i.object_id = @object_id AND i.index_id > 0 AND i.name LIKE @index_name AND (i.is_unique = 1 OR ISNULL(@is_unique, 'N') <> 'Y')
ORDER BY 4, 7, 6, 8
GO
CREATE PROCEDURE sys.sp_statistics_100 @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @index_name sysname = N'%', @is_unique char(1) = 'N', @accuracy char(1) = 'Q' AS
DECLARE @status int
EXEC @status = sys.sp_statistics @table_name, @table_owner, @table_qualifier, @index_name, @is_unique, @accuracy
RETURN @status
GO
CREATE PROCEDURE sys.sp_special_columns @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @col_type char(1) = 'R', @scope char(1) = 'T', @nullable char(1) = 'U', @ODBCVer int = 2 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_special_columns @col_type, @scope, @nullable
IF @refused = 0 EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
SELECT s.SCOPE, s.COLUMN_NAME, s.DATA_TYPE, s.TYPE_NAME, s.PRECISION, s.LENGTH, s.SCALE, s.PSEUDO_COLUMN
FROM sys.odbc_special_columns(80, @ODBCVer, @object_id, @col_type, @scope, @nullable) AS s
ORDER BY s.SCOPE, s.column_id
GO
CREATE PROCEDURE sys.sp_special_columns_90 @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @col_type char(1) = 'R', @scope char(1) = 'T', @nullable char(1) = 'U', @ODBCVer int = 2 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_special_columns @col_type, @scope, @nullable
IF @refused = 0 EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
SELECT s.SCOPE, s.COLUMN_NAME, s.DATA_TYPE, s.TYPE_NAME, s.PRECISION, s.LENGTH, s.SCALE, s.PSEUDO_COLUMN
FROM sys.odbc_special_columns(90, @ODBCVer, @object_id, @col_type, @scope, @nullable) AS s
ORDER BY s.SCOPE, s.column_id
GO
CREATE PROCEDURE sys.sp_special_columns_100 @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @col_type char(1) = 'R', @scope char(1) = 'T', @nullable char(1) = 'U', @ODBCVer int = 2 AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.check_special_columns @col_type, @scope, @nullable
IF @refused = 0 EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
SELECT s.SCOPE, s.COLUMN_NAME, s.DATA_TYPE, s.TYPE_NAME, s.PRECISION, s.LENGTH, s.SCALE, s.PSEUDO_COLUMN
FROM sys.odbc_special_columns(100, @ODBCVer, @object_id, @col_type, @scope, @nullable) AS s
ORDER BY s.SCOPE, s.column_id
GO
CREATE PROCEDURE sys.sp_stored_procedures @sp_name nvarchar(390) = NULL, @sp_owner nvarchar(384) = NULL, @sp_qualifier sysname = NULL,
  @fUsePattern bit = 1 AS
SET NOCOUNT ON
IF @sp_qualifier IS NOT NULL AND @sp_qualifier <> N'%' AND DB_NAME() <> @sp_qualifier
BEGIN
  IF @sp_qualifier <> N''
  BEGIN
    EXEC sys.check_database @sp_qualifier
    RETURN -6
  END
  SET @sp_name = N''
END
SELECT o.qualifier AS PROCEDURE_QUALIFIER, o.owner AS PROCEDURE_OWNER,
  CONVERT(nvarchar(134), o.name + CASE o.type WHEN 'P' THEN N';1' ELSE N';0' END) AS PROCEDURE_NAME,
  CONVERT(int, -1) AS NUM_INPUT_PARAMS, CONVERT(int, -1) AS NUM_OUTPUT_PARAMS, CONVERT(int, -1) AS NUM_RESULT_SETS,
  CONVERT(varchar(254), NULL) AS REMARKS, CONVERT(smallint, 2) AS PROCEDURE_TYPE
FROM sys.odbc_objects(@sp_owner, @sp_name, @fUsePattern) AS o
WHERE o.type IN ('P', 'FN', 'IF', 'TF')
ORDER BY 1, 2, 3
GO
CREATE PROCEDURE sys.sp_sproc_columns @procedure_name nvarchar(390) = N'%', @procedure_owner nvarchar(384) = NULL,
  @procedure_qualifier sysname = NULL, @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_database @procedure_qualifier
IF @refused = 1 RETURN -6
SET @procedure_name = LEFT(@procedure_name, CHARINDEX(N';', @procedure_name + N';') - 1)
SELECT p.PROCEDURE_QUALIFIER, p.PROCEDURE_OWNER, p.PROCEDURE_NAME, p.COLUMN_NAME, p.COLUMN_TYPE, p.DATA_TYPE, p.TYPE_NAME, p.PRECISION,
  p.LENGTH, p.SCALE, p.RADIX, p.NULLABLE, p.REMARKS, p.COLUMN_DEF, p.SQL_DATA_TYPE, p.SQL_DATETIME_SUB, p.CHAR_OCTET_LENGTH,
  p.ORDINAL_POSITION, p.IS_NULLABLE, p.SS_DATA_TYPE
FROM sys.odbc_procedure_columns(80, @ODBCVer, @procedure_owner, @procedure_name, @column_name, @fUsePattern) AS p
ORDER BY 1, 2, 3, 18
GO
CREATE PROCEDURE sys.sp_sproc_columns_90 @procedure_name nvarchar(390) = N'%', @procedure_owner nvarchar(384) = NULL,
  @procedure_qualifier sysname = NULL, @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1 AS
DECLARE @status int
EXEC @status = sys.sp_sproc_columns @procedure_name, @procedure_owner, @procedure_qualifier, @column_name, @ODBCVer, @fUsePattern
RETURN @status
GO
CREATE PROCEDURE sys.sp_sproc_columns_100 @procedure_name nvarchar(390) = N'%', @procedure_owner nvarchar(384) = NULL,
  @procedure_qualifier sysname = NULL, @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_database @procedure_qualifier
IF @refused = 1 RETURN -6
SET @procedure_name = LEFT(@procedure_name, CHARINDEX(N';', @procedure_name + N';') - 1)
SELECT p.PROCEDURE_QUALIFIER, p.PROCEDURE_OWNER, p.PROCEDURE_NAME, p.COLUMN_NAME, p.COLUMN_TYPE, p.DATA_TYPE, p.TYPE_NAME, p.PRECISION,
  p.LENGTH, p.SCALE, p.RADIX, p.NULLABLE, p.REMARKS, p.COLUMN_DEF, p.SQL_DATA_TYPE, p.SQL_DATETIME_SUB, p.CHAR_OCTET_LENGTH,
  p.ORDINAL_POSITION, p.IS_NULLABLE, p.SS_TYPE_CATALOG_NAME, p.SS_TYPE_SCHEMA_NAME, p.SS_UDT_CATALOG_NAME, p.SS_UDT_SCHEMA_NAME,
  p.SS_UDT_ASSEMBLY_TYPE_NAME, p.SS_XML_SCHEMACOLLECTION_CATALOG_NAME, p.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  p.SS_XML_SCHEMACOLLECTION_NAME, p.SS_DATA_TYPE
FROM sys.odbc_procedure_columns(100, @ODBCVer, @procedure_owner, @procedure_name, @column_name, @fUsePattern) AS p
ORDER BY 1, 2, 3, 18
GO
CREATE PROCEDURE sys.sp_datatype_info @data_type int = 0, @ODBCVer tinyint = 2 AS
SET NOCOUNT ON
SELECT * FROM sys.odbc_data_types(80, @ODBCVer, @data_type) AS d ORDER BY d.DATA_TYPE, d.AUTO_INCREMENT, d.MONEY, d.USERTYPE
GO
CREATE PROCEDURE sys.sp_datatype_info_90 @data_type int = 0, @ODBCVer tinyint = 2 AS
SET NOCOUNT ON
SELECT * FROM sys.odbc_data_types(90, @ODBCVer, @data_type) AS d ORDER BY d.DATA_TYPE, d.AUTO_INCREMENT, d.MONEY, d.USERTYPE
GO
CREATE PROCEDURE sys.sp_datatype_info_100 @data_type int = 0, @ODBCVer tinyint = 2 AS
SET NOCOUNT ON
SELECT * FROM sys.odbc_data_types(100, @ODBCVer, @data_type) AS d ORDER BY d.DATA_TYPE, d.AUTO_INCREMENT, d.MONEY, d.USERTYPE
GO
CREATE PROCEDURE sys.sp_databases AS
SET NOCOUNT ON
SELECT CONVERT(sysname, d.name) AS DATABASE_NAME,
  CONVERT(int, (SELECT SUM(CONVERT(bigint, f.size)) * 8 FROM sys.master_files f WHERE f.database_id = d.database_id)) AS DATABASE_SIZE,
  CONVERT(varchar(254), NULL) AS REMARKS
FROM sys.databases d
WHERE HAS_DBACCESS(d.name) = 1 AND EXISTS (SELECT 1 FROM sys.master_files f WHERE f.database_id = d.database_id)
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_catalogs @server_name sysname AS
SET NOCOUNT ON
IF NOT EXISTS (SELECT 1 FROM sys.servers WHERE name = @server_name)
BEGIN
  RAISERROR(15015, -1, -1, @server_name)
  RETURN 1
END
SELECT CONVERT(nvarchar(128), d.name) AS CATALOG_NAME, CONVERT(nvarchar(4000), NULL) AS DESCRIPTION
FROM sys.databases d
JOIN sys.servers s ON s.name = @server_name AND s.server_id = 0
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_server_info @attribute_id int = NULL AS
SET NOCOUNT ON
SELECT CONVERT(int, v.id) AS attribute_id, CONVERT(varchar(60), v.name) AS attribute_name, CONVERT(varchar(255), v.value) AS attribute_value
FROM (VALUES
  (1, 'DBMS_NAME', 'Microsoft SQL Server'),
  (2, 'DBMS_VER', CONVERT(varchar(255), N'Microsoft SQL Server 2022 - ' + CONVERT(nvarchar(128), SERVERPROPERTY('ProductVersion')))),
  (10, 'OWNER_TERM', 'owner'), (11, 'TABLE_TERM', 'table'), (12, 'MAX_OWNER_NAME_LENGTH', '128'), (13, 'TABLE_LENGTH', '128'),
  (14, 'MAX_QUAL_LENGTH', '128'), (15, 'COLUMN_LENGTH', '128'), (16, 'IDENTIFIER_CASE', 'MIXED'), (17, 'TX_ISOLATION', '2'),
  (18, 'COLLATION_SEQ', CONVERT(varchar(255), N'charset=iso_1 collation=' + CONVERT(nvarchar(128), SERVERPROPERTY('Collation')))),
  (19, 'SAVEPOINT_SUPPORT', 'Y'), (20, 'MULTI_RESULT_SETS', 'Y'), (22, 'ACCESSIBLE_TABLES', 'Y'), (100, 'USERID_LENGTH', '128'),
  (101, 'QUALIFIER_TERM', 'database'), (102, 'NAMED_TRANSACTIONS', 'Y'), (103, 'SPROC_AS_LANGUAGE', 'Y'), (104, 'ACCESSIBLE_SPROC', 'Y'),
  (105, 'MAX_INDEX_COLS', '16'), (106, 'RENAME_TABLE', 'Y'), (107, 'RENAME_COLUMN', 'Y'), (108, 'DROP_COLUMN', 'Y'),
  (109, 'INCREASE_COLUMN_LENGTH', 'Y'), (110, 'DDL_IN_TRANSACTION', 'Y'), (111, 'DESCENDING_INDEXES', 'Y'), (112, 'SP_RENAME', 'Y'),
  (113, 'REMOTE_SPROC', 'Y'), (500, 'SYS_SPROC_VERSION', CONVERT(varchar(255), SERVERPROPERTY('ProductVersion')))
) AS v(id, name, value)
WHERE @attribute_id IS NULL OR v.id = @attribute_id
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_table_privileges @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @fUsePattern bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.check_database @table_qualifier
IF @refused = 1 RETURN -6
SELECT o.qualifier AS TABLE_QUALIFIER, o.owner AS TABLE_OWNER, o.name AS TABLE_NAME, p.GRANTOR, p.GRANTEE, p.PRIVILEGE, p.IS_GRANTABLE
FROM sys.odbc_objects(@table_owner, @table_name, @fUsePattern) AS o
CROSS JOIN sys.odbc_owner_privileges p
WHERE o.type IN ('U', 'V', 'S')
UNION ALL
SELECT o.qualifier, o.owner, o.name, p.GRANTOR, p.GRANTEE, p.PRIVILEGE, p.IS_GRANTABLE
FROM sys.odbc_privileges p
JOIN sys.odbc_objects(@table_owner, @table_name, @fUsePattern) AS o ON o.object_id = p.object_id
WHERE p.column_id = 0
ORDER BY 1, 2, 3, 6, 5
GO
CREATE PROCEDURE sys.sp_column_privileges @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @object_id int
EXEC @refused = sys.odbc_table @table_qualifier, @table_owner, @table_name, @object_id OUTPUT
IF @refused = 1 RETURN -6
SELECT c.TABLE_QUALIFIER, c.TABLE_OWNER, c.TABLE_NAME, c.COLUMN_NAME, p.GRANTOR, p.GRANTEE, p.PRIVILEGE, p.IS_GRANTABLE
FROM sys.odbc_table_columns c
CROSS JOIN sys.odbc_owner_privileges p
WHERE c.object_id = @object_id AND c.COLUMN_NAME LIKE ISNULL(@column_name, N'%') AND p.PRIVILEGE <> 'DELETE'
UNION ALL
SELECT c.TABLE_QUALIFIER, c.TABLE_OWNER, c.TABLE_NAME, c.COLUMN_NAME, p.GRANTOR, p.GRANTEE, p.PRIVILEGE, p.IS_GRANTABLE
FROM sys.odbc_table_columns c
JOIN sys.odbc_privileges p ON p.object_id = c.object_id AND p.column_id IN (0, c.column_id)
WHERE c.object_id = @object_id AND c.COLUMN_NAME LIKE ISNULL(@column_name, N'%') AND p.PRIVILEGE <> 'DELETE'
ORDER BY 4, 7, 6
GO
-- What SqlBulkCopy asks of its destination; `_90` for clients before SQL Server 2008.
CREATE PROCEDURE sys.sp_tablecollations_100 @object nvarchar(4000) AS
SELECT c.column_id AS colid, c.name AS name,
  CONVERT(binary(5), COLLATIONPROPERTY(c.collation_name, 'TDSCollation')) AS tds_collation, c.collation_name AS collation
FROM sys.all_columns c WHERE c.object_id = OBJECT_ID(@object) ORDER BY 1
GO
CREATE PROCEDURE sys.sp_tablecollations_90 @object nvarchar(4000) AS
EXEC sys.sp_tablecollations_100 @object
GO
