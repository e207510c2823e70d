-- How ODBC sees types, tables, columns, keys, parameters and privileges: what the procedures of procedures/odbc.sql have in common.
-- @version: 80, 90, 100 for sp_columns, sp_columns_90, sp_columns_100 and their like. An old client sees the types of 2008 as character
-- strings. @ODBCVer: 3, or whatever is not 3 for ODBC 2.

CREATE VIEW sys.odbc_types AS
SELECT CONVERT(tinyint, v.xtype) AS system_type_id, CONVERT(smallint, v.type3) AS type3, CONVERT(smallint, v.type2) AS type2,
  CONVERT(smallint, v.type_old) AS type_old, CONVERT(smallint, v.sql_type) AS sql_type, CONVERT(smallint, v.sub) AS datetime_sub,
  CONVERT(int, v.prec) AS column_size, CONVERT(int, v.length) AS octets, CONVERT(smallint, v.scale) AS scale,
  CONVERT(smallint, v.radix) AS radix, CONVERT(tinyint, v.ss_type) AS ss_type, CONVERT(tinyint, v.ss_nullable) AS ss_nullable
FROM (VALUES
  (34, -4, -4, -4, -4, NULL, 2147483647, 2147483647, NULL, NULL, 34, 34),
  (35, -1, -1, -1, -1, NULL, 2147483647, 2147483647, NULL, NULL, 35, 35),
  (36, -11, -11, -11, -11, NULL, 36, 16, NULL, NULL, 37, 37),
  (40, 91, 9, -9, 9, 1, 10, 6, NULL, NULL, 0, 0),
  (41, -154, -154, -9, -154, 0, 16, 12, 7, NULL, 0, 0),
  (42, 93, 11, -9, 9, 3, 27, 16, 7, NULL, 0, 0),
  (43, -155, -155, -9, -155, 0, 34, 20, 7, NULL, 0, 0),
  (48, -6, -6, -6, -6, NULL, 3, 1, 0, 10, 48, 38),
  (52, 5, 5, 5, 5, NULL, 5, 2, 0, 10, 52, 38),
  (56, 4, 4, 4, 4, NULL, 10, 4, 0, 10, 56, 38),
  (58, 93, 11, 93, 9, 3, 16, 16, 0, NULL, 58, 111),
  (59, 7, 7, 7, 7, NULL, 24, 4, NULL, 2, 59, 109),
  (60, 3, 3, 3, 3, NULL, 19, 21, 4, 10, 60, 110),
  (61, 93, 11, 93, 9, 3, 23, 16, 3, NULL, 61, 111),
  (62, 6, 6, 6, 6, NULL, 53, 8, NULL, 2, 62, 109),
  (98, -150, -150, -150, -150, NULL, 8000, 8000, 0, 10, 39, 39),
  (99, -10, -10, -10, -10, NULL, 1073741823, 2147483646, NULL, NULL, 35, 35),
  (104, -7, -7, -7, -7, NULL, 1, 1, NULL, NULL, 50, 50),
  (106, 3, 3, 3, 3, NULL, 38, 20, 0, 10, 55, 106),
  (108, 2, 2, 2, 2, NULL, 38, 20, 0, 10, 63, 108),
  (122, 3, 3, 3, 3, NULL, 10, 12, 4, 10, 122, 110),
  (127, -5, -5, -5, -5, NULL, 19, 8, 0, 10, 63, 108),
  (165, -3, -3, -3, -3, NULL, 8000, 8000, NULL, NULL, 37, 37),
  (167, 12, 12, 12, 12, NULL, 8000, 8000, NULL, NULL, 39, 39),
  (173, -2, -2, -2, -2, NULL, 8000, 8000, NULL, NULL, 45, 37),
  (175, 1, 1, 1, 1, NULL, 8000, 8000, NULL, NULL, 47, 39),
  (189, -2, -2, -2, -2, NULL, 8, 8, NULL, NULL, 45, 37),
  (231, -9, -9, -9, -9, NULL, 4000, 8000, NULL, NULL, 39, 39),
  (239, -8, -8, -8, -8, NULL, 4000, 8000, NULL, NULL, 47, 39),
  (240, -151, -151, -4, -151, NULL, 2147483647, 2147483647, NULL, NULL, 0, 0),
  (241, -152, -152, -10, -152, NULL, 0, 0, NULL, NULL, 0, 0),
  (243, -153, -153, -153, -153, NULL, 0, 2147483647, NULL, NULL, 0, 0)
) AS v(xtype, type3, type2, type_old, sql_type, sub, prec, length, scale, radix, ss_type, ss_nullable)
GO
CREATE FUNCTION sys.odbc_type(@system_type_id tinyint, @max_length smallint, @precision tinyint, @scale tinyint, @version int, @ODBCVer int)
RETURNS TABLE AS RETURN
SELECT
  CASE
    WHEN @max_length = -1 AND @version < 90 THEN CONVERT(smallint, CASE @system_type_id WHEN 167 THEN -1 WHEN 231 THEN -10 WHEN 165 THEN -4 ELSE t.type_old END)
    WHEN t.type_old = -9 AND @version >= 100 OR @system_type_id IN (240, 241) AND @version >= 90 THEN CASE WHEN @ODBCVer = 3 THEN t.type3 ELSE t.type2 END
    WHEN t.type_old = 93 AND ISNULL(@ODBCVer, 2) <> 3 THEN t.type2
    ELSE t.type_old END AS data_type,
  CONVERT(int, CASE
    WHEN @system_type_id IN (106, 108) THEN @precision
    WHEN @system_type_id IN (165, 167, 231, 240) AND @max_length = -1 THEN CASE WHEN @version >= 90 THEN 0 WHEN @system_type_id = 231 THEN 1073741823 ELSE 2147483647 END
    WHEN @system_type_id = 241 AND @version < 90 THEN 1073741823
    WHEN @system_type_id IN (165, 167, 173, 175) THEN @max_length
    WHEN @system_type_id IN (231, 239) THEN @max_length / 2
    WHEN @system_type_id = 41 THEN 8 + SIGN(@scale) + @scale
    WHEN @system_type_id = 42 THEN 19 + SIGN(@scale) + @scale
    WHEN @system_type_id = 43 THEN 26 + SIGN(@scale) + @scale
    WHEN @system_type_id = 62 AND ISNULL(@ODBCVer, 2) <> 3 THEN 15
    WHEN @system_type_id = 59 AND ISNULL(@ODBCVer, 2) <> 3 THEN 7
    ELSE t.column_size END) AS column_size,
  CONVERT(int, CASE
    WHEN @system_type_id IN (106, 108) THEN @precision + 2
    WHEN @system_type_id IN (165, 167, 231, 240) AND @max_length = -1 THEN CASE WHEN @version >= 90 THEN 0 WHEN @system_type_id = 231 THEN 2147483646 ELSE 2147483647 END
    WHEN @system_type_id = 241 AND @version < 90 THEN 2147483646
    WHEN @system_type_id IN (165, 167, 173, 175, 231, 239) THEN @max_length
    WHEN @version < 100 AND @system_type_id = 40 THEN 20
    WHEN @version < 100 AND @system_type_id = 41 THEN 2 * (8 + SIGN(@scale) + @scale)
    WHEN @version < 100 AND @system_type_id = 42 THEN 2 * (19 + SIGN(@scale) + @scale)
    WHEN @version < 100 AND @system_type_id = 43 THEN 2 * (26 + SIGN(@scale) + @scale)
    ELSE t.octets END) AS length,
  CONVERT(smallint, CASE
    WHEN @system_type_id IN (106, 108) THEN @scale
    WHEN @system_type_id IN (41, 42, 43) THEN CASE WHEN @version >= 100 THEN @scale END
    ELSE t.scale END) AS scale,
  CASE WHEN @system_type_id IN (59, 62) AND ISNULL(@ODBCVer, 2) <> 3 THEN CONVERT(smallint, 10) ELSE t.radix END AS radix,
  CASE
    WHEN @max_length = -1 AND @version < 90 THEN CONVERT(smallint, CASE @system_type_id WHEN 167 THEN -1 WHEN 231 THEN -10 WHEN 165 THEN -4 ELSE t.type_old END)
    WHEN t.type_old = -9 AND @version < 100 THEN t.type_old
    WHEN @system_type_id IN (240, 241) AND @version < 90 THEN t.type_old
    ELSE t.sql_type END AS sql_data_type,
  CASE WHEN t.type_old = -9 AND @version < 100 THEN NULL ELSE t.datetime_sub END AS datetime_sub,
  CONVERT(int, CASE
    WHEN @system_type_id IN (165, 167, 231) AND @max_length = -1 THEN CASE WHEN @version >= 90 THEN 0 WHEN @system_type_id = 231 THEN 2147483646 ELSE 2147483647 END
    WHEN @system_type_id IN (165, 167, 173, 175, 231, 239) THEN @max_length
    WHEN @system_type_id IN (34, 35) THEN 2147483647
    WHEN @system_type_id = 99 THEN 2147483646
    WHEN @system_type_id = 189 THEN 8
    WHEN @system_type_id = 241 THEN CASE WHEN @version >= 90 THEN 0 ELSE 2147483646 END
    WHEN @version < 100 AND @system_type_id = 40 THEN 20
    WHEN @version < 100 AND @system_type_id = 41 THEN 2 * (8 + SIGN(@scale) + @scale)
    WHEN @version < 100 AND @system_type_id = 42 THEN 2 * (19 + SIGN(@scale) + @scale)
    WHEN @version < 100 AND @system_type_id = 43 THEN 2 * (26 + SIGN(@scale) + @scale)
    END) AS octet_length,
  t.ss_type, t.ss_nullable
FROM sys.odbc_types t
WHERE t.system_type_id = @system_type_id
GO
CREATE PROCEDURE sys.odbc_table @qualifier sysname, @owner nvarchar(384), @name nvarchar(384), @object_id int OUTPUT, @is_pattern bit = 0 AS
IF @qualifier <> DB_NAME()
BEGIN
  RAISERROR(15250, -1, -1)
  RETURN 1
END
IF @is_pattern = 0 OR @name NOT LIKE N'%[%[_]%' AND (@owner IS NULL OR @owner NOT LIKE N'%[%[_]%')
  SET @object_id = OBJECT_ID(ISNULL(QUOTENAME(@owner), N'') + N'.' + QUOTENAME(@name))
RETURN 0
GO
-- table_type: of a table or view.
CREATE FUNCTION sys.odbc_objects(@owner nvarchar(384), @name nvarchar(384), @use_pattern bit)
RETURNS TABLE AS RETURN
SELECT o.object_id, o.type, CONVERT(sysname, DB_NAME()) AS qualifier, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS owner, CONVERT(sysname, o.name) AS name,
  CONVERT(varchar(32), CASE o.type WHEN 'S' THEN 'SYSTEM TABLE' WHEN 'U' THEN 'TABLE' ELSE 'VIEW' END) AS table_type
FROM sys.all_objects o
WHERE (@name IS NULL OR o.name = @name OR @use_pattern = 1 AND o.name LIKE @name)
  AND (@owner IS NULL OR SCHEMA_NAME(o.schema_id) = @owner OR @use_pattern = 1 AND SCHEMA_NAME(o.schema_id) LIKE @owner)
GO
CREATE VIEW sys.odbc_table_columns AS
SELECT c.object_id, c.column_id, CONVERT(sysname, DB_NAME()) AS TABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS TABLE_OWNER,
  CONVERT(sysname, o.name) AS TABLE_NAME, CONVERT(sysname, c.name) AS COLUMN_NAME
FROM sys.all_objects o
JOIN sys.all_columns c ON c.object_id = o.object_id
GO
-- What else a type is called by: one of the server's own assembly, an XML schema collection.
CREATE FUNCTION sys.odbc_named_type(@system_type_id int, @user_type_id int, @xml_collection_id int)
RETURNS TABLE AS RETURN
SELECT CONVERT(sysname, CASE WHEN @system_type_id = 240 THEN DB_NAME() END) AS SS_UDT_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN @system_type_id = 240 THEN N'sys' END) AS SS_UDT_SCHEMA_NAME,
  CONVERT(nvarchar(4000), CASE WHEN @system_type_id = 240
    THEN (SELECT a.assembly_qualified_name FROM sys.assembly_types a WHERE a.user_type_id = @user_type_id) END) AS SS_UDT_ASSEMBLY_TYPE_NAME,
  CONVERT(sysname, CASE WHEN @xml_collection_id > 0 THEN DB_NAME() END) AS SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN @xml_collection_id > 0
    THEN (SELECT SCHEMA_NAME(x.schema_id) FROM sys.xml_schema_collections x WHERE x.xml_collection_id = @xml_collection_id) END) AS SS_XML_SCHEMACOLLECTION_SCHEMA_NAME,
  CONVERT(sysname, CASE WHEN @xml_collection_id > 0
    THEN (SELECT x.name FROM sys.xml_schema_collections x WHERE x.xml_collection_id = @xml_collection_id) END) AS SS_XML_SCHEMACOLLECTION_NAME
GO
-- is_of_set: SELECT * shows it within the table's column set.
CREATE FUNCTION sys.odbc_columns(@version int, @ODBCVer int, @object_id int, @owner nvarchar(384), @name nvarchar(384), @column nvarchar(384), @use_pattern bit)
RETURNS TABLE AS RETURN
SELECT c.object_id, CONVERT(sysname, DB_NAME()) AS TABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS TABLE_OWNER,
  CONVERT(sysname, o.name) AS TABLE_NAME, CONVERT(sysname, c.name) AS COLUMN_NAME, t.data_type AS DATA_TYPE,
  CONVERT(sysname, u.name + CASE WHEN c.is_identity = 0 THEN N'' WHEN c.system_type_id IN (106, 108) THEN N'() identity' ELSE N' identity' END) AS TYPE_NAME,
  t.column_size AS PRECISION, t.length AS LENGTH, t.scale AS SCALE, t.radix AS RADIX, CONVERT(smallint, c.is_nullable) AS NULLABLE,
  CONVERT(varchar(254), NULL) AS REMARKS, CONVERT(nvarchar(4000), d.definition) AS COLUMN_DEF, t.sql_data_type AS SQL_DATA_TYPE,
  t.datetime_sub AS SQL_DATETIME_SUB, t.octet_length AS CHAR_OCTET_LENGTH, c.column_id AS ORDINAL_POSITION,
  CONVERT(varchar(254), CASE c.is_nullable WHEN 1 THEN 'YES' ELSE 'NO' END) AS IS_NULLABLE,
  CONVERT(smallint, c.is_sparse) AS SS_IS_SPARSE, CONVERT(smallint, c.is_column_set) AS SS_IS_COLUMN_SET,
  CONVERT(smallint, c.is_computed) AS SS_IS_COMPUTED, CONVERT(smallint, c.is_identity) AS SS_IS_IDENTITY,
  n.SS_UDT_CATALOG_NAME, n.SS_UDT_SCHEMA_NAME, n.SS_UDT_ASSEMBLY_TYPE_NAME, n.SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  n.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, n.SS_XML_SCHEMACOLLECTION_NAME,
  CASE WHEN c.is_nullable = 1 THEN t.ss_nullable ELSE t.ss_type END AS SS_DATA_TYPE,
  CASE WHEN c.is_sparse = 1 AND EXISTS (SELECT 1 FROM sys.all_columns s WHERE s.object_id = c.object_id AND s.is_column_set = 1) THEN 1 ELSE 0 END AS is_of_set
FROM sys.all_columns c
JOIN sys.all_objects o ON o.object_id = c.object_id
JOIN sys.types u ON u.user_type_id = c.user_type_id
LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
CROSS APPLY sys.odbc_type(c.system_type_id, c.max_length, c.precision, c.scale, @version, @ODBCVer) AS t
CROSS APPLY sys.odbc_named_type(c.system_type_id, c.user_type_id, c.xml_collection_id) AS n
WHERE o.type IN ('U', 'V', 'S', 'TF', 'IF', 'TT')
  AND (c.object_id = @object_id OR @object_id IS NULL AND @use_pattern = 1 AND o.name LIKE ISNULL(@name, N'%') AND SCHEMA_NAME(o.schema_id) LIKE ISNULL(@owner, N'%'))
  AND (@column IS NULL OR c.name = @column OR @use_pattern = 1 AND c.name LIKE @column)
GO
CREATE VIEW sys.odbc_primary_keys AS
SELECT i.object_id, CONVERT(sysname, DB_NAME()) AS TABLE_QUALIFIER, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS TABLE_OWNER,
  CONVERT(sysname, o.name) AS TABLE_NAME, CONVERT(sysname, c.name) AS COLUMN_NAME, k.key_ordinal, CONVERT(sysname, i.name) AS PK_NAME
FROM sys.indexes i
JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
JOIN sys.objects o ON o.object_id = i.object_id
WHERE i.is_primary_key = 1 AND o.type = 'U'
GO
CREATE PROCEDURE sys.check_special_columns @col_type char(1), @scope char(1), @nullable char(1) AS
DECLARE @parameter varchar(10) = CASE WHEN ISNULL(@col_type, '') NOT IN ('R', 'V') THEN 'col_type' WHEN ISNULL(@scope, '') NOT IN ('C', 'T') THEN 'scope'
  WHEN ISNULL(@nullable, '') NOT IN ('U', 'O') THEN 'nullable' END
IF @parameter IS NULL RETURN 0
DECLARE @values varchar(12) = CASE @parameter WHEN 'col_type' THEN '''R'' or ''V''' WHEN 'scope' THEN '''C'' or ''T''' ELSE '''U'' or ''O''' END
RAISERROR(15251, -1, -1, @parameter, @values)
RETURN 1
GO
CREATE FUNCTION sys.odbc_special_columns(@version int, @ODBCVer int, @object_id int, @col_type char(1), @scope char(1), @nullable char(1))
RETURNS TABLE AS RETURN
SELECT c.object_id, c.column_id,
  CONVERT(smallint, CASE WHEN @col_type = 'V' THEN NULL WHEN @scope = 'C' THEN 0 ELSE 1 END) AS SCOPE, CONVERT(sysname, c.name) AS COLUMN_NAME,
  t.data_type AS DATA_TYPE,
  CONVERT(sysname, u.name + CASE WHEN c.is_identity = 0 THEN N'' WHEN c.system_type_id IN (106, 108) THEN N'() identity' ELSE N' identity' END) AS TYPE_NAME,
  t.column_size AS PRECISION, t.length AS LENGTH, t.scale AS SCALE, CONVERT(smallint, 1) AS PSEUDO_COLUMN
FROM sys.columns c
JOIN sys.types u ON u.user_type_id = c.user_type_id
CROSS APPLY sys.odbc_type(c.system_type_id, c.max_length, c.precision, c.scale, @version, @ODBCVer) AS t
WHERE c.object_id = @object_id
  AND (@col_type = 'V' AND c.system_type_id = 189
    OR @col_type = 'R' AND c.column_id IN (
      SELECT k.column_id FROM sys.index_columns k
      WHERE k.object_id = @object_id AND k.key_ordinal > 0 AND k.index_id = (
        SELECT TOP (1) i.index_id FROM sys.indexes i
        WHERE i.object_id = @object_id AND i.is_unique = 1 AND i.has_filter = 0
          AND (@nullable = 'U' OR NOT EXISTS (
            SELECT 1 FROM sys.index_columns n JOIN sys.columns m ON m.object_id = n.object_id AND m.column_id = n.column_id
            WHERE n.object_id = @object_id AND n.index_id = i.index_id AND n.key_ordinal > 0 AND m.is_nullable = 1))
        ORDER BY i.is_primary_key DESC, i.index_id)))
GO
CREATE VIEW sys.odbc_parameters AS
SELECT q.object_id, CONVERT(sysname, CASE q.parameter_id WHEN 0 THEN N'@RETURN_VALUE' ELSE q.name END) AS name, q.parameter_id, q.system_type_id,
  q.user_type_id, q.max_length, q.precision, q.scale, q.is_output, q.xml_collection_id
FROM sys.all_parameters q
UNION ALL
SELECT r.object_id, CONVERT(sysname, N'@RETURN_VALUE'), CONVERT(int, 0), CONVERT(tinyint, 56), CONVERT(int, 56), CONVERT(smallint, 4), CONVERT(tinyint, 10),
  CONVERT(tinyint, 0), CONVERT(bit, 1), CONVERT(int, 0)
FROM sys.all_objects r WHERE r.type = 'P'
GO
CREATE FUNCTION sys.odbc_procedure_columns(@version int, @ODBCVer int, @owner nvarchar(384), @name nvarchar(390), @column nvarchar(384), @use_pattern bit)
RETURNS TABLE AS RETURN
SELECT o.qualifier AS PROCEDURE_QUALIFIER, o.owner AS PROCEDURE_OWNER,
  CONVERT(nvarchar(134), o.name + CASE WHEN o.type = 'P' THEN N';1' ELSE N';0' END) AS PROCEDURE_NAME,
  p.name AS COLUMN_NAME,
  CONVERT(smallint, CASE WHEN p.parameter_id = 0 THEN 5 WHEN p.is_output = 1 THEN 2 ELSE 1 END) AS COLUMN_TYPE,
  t.data_type AS DATA_TYPE, CONVERT(sysname, u.name) AS TYPE_NAME, t.column_size AS PRECISION, t.length AS LENGTH, t.scale AS SCALE,
  t.radix AS RADIX, CONVERT(smallint, CASE WHEN p.parameter_id = 0 AND o.type = 'P' THEN 0 ELSE 1 END) AS NULLABLE,
  CONVERT(varchar(254), NULL) AS REMARKS, CONVERT(nvarchar(4000), NULL) AS COLUMN_DEF, t.sql_data_type AS SQL_DATA_TYPE,
  t.datetime_sub AS SQL_DATETIME_SUB, t.octet_length AS CHAR_OCTET_LENGTH, CONVERT(int, p.parameter_id) AS ORDINAL_POSITION,
  CONVERT(varchar(254), CASE WHEN p.parameter_id = 0 AND o.type = 'P' THEN 'NO' ELSE 'YES' END) AS IS_NULLABLE,
  CONVERT(sysname, CASE WHEN p.system_type_id = 243 THEN DB_NAME() END) AS SS_TYPE_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN p.system_type_id = 243 THEN SCHEMA_NAME(u.schema_id) END) AS SS_TYPE_SCHEMA_NAME,
  n.SS_UDT_CATALOG_NAME, n.SS_UDT_SCHEMA_NAME, n.SS_UDT_ASSEMBLY_TYPE_NAME, n.SS_XML_SCHEMACOLLECTION_CATALOG_NAME,
  n.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME, n.SS_XML_SCHEMACOLLECTION_NAME,
  CASE WHEN p.parameter_id = 0 AND o.type = 'P' THEN t.ss_type ELSE t.ss_nullable END AS SS_DATA_TYPE
FROM sys.odbc_objects(@owner, @name, @use_pattern) AS o
JOIN sys.odbc_parameters AS p ON p.object_id = o.object_id
JOIN sys.types u ON u.user_type_id = p.user_type_id
CROSS APPLY sys.odbc_type(p.system_type_id, p.max_length, p.precision, p.scale, @version, @ODBCVer) AS t
CROSS APPLY sys.odbc_named_type(p.system_type_id, p.user_type_id, p.xml_collection_id) AS n
WHERE o.type IN ('P', 'FN', 'IF', 'TF') AND (@column IS NULL OR p.name = @column OR @use_pattern = 1 AND p.name LIKE @column)
UNION ALL
SELECT o.qualifier, o.owner, CONVERT(nvarchar(134), o.name + N';0'), CONVERT(sysname, N'@TABLE_RETURN_VALUE'), CONVERT(smallint, 3), CONVERT(smallint, 0),
  CONVERT(sysname, N'table'), CONVERT(int, 0), CONVERT(int, 0), CONVERT(smallint, 0), CONVERT(smallint, 0), CONVERT(smallint, 0),
  CONVERT(varchar(254), 'Result table returned by table valued function'), CONVERT(nvarchar(4000), NULL), CONVERT(smallint, 0), CONVERT(smallint, NULL),
  CONVERT(int, NULL), CONVERT(int, 0), CONVERT(varchar(254), 'NO'), CONVERT(sysname, NULL), CONVERT(sysname, NULL), CONVERT(sysname, NULL),
  CONVERT(sysname, NULL), CONVERT(nvarchar(4000), NULL), CONVERT(sysname, NULL), CONVERT(sysname, NULL), CONVERT(sysname, NULL), CONVERT(tinyint, 0)
FROM sys.odbc_objects(@owner, @name, @use_pattern) AS o
WHERE o.type IN ('IF', 'TF') AND (@column IS NULL OR N'@TABLE_RETURN_VALUE' LIKE @column)
GO
CREATE VIEW sys.odbc_type_list AS
SELECT CONVERT(sysname, v.name) AS TYPE_NAME, CONVERT(tinyint, v.xtype) AS system_type_id, CONVERT(varchar(32), v.prefix) AS LITERAL_PREFIX,
  CONVERT(varchar(32), v.suffix) AS LITERAL_SUFFIX, CONVERT(varchar(32), v.parameters) AS CREATE_PARAMS, CONVERT(smallint, v.nullable) AS NULLABLE,
  CONVERT(smallint, v.cased) AS CASE_SENSITIVE, CONVERT(smallint, v.searchable) AS SEARCHABLE, CONVERT(smallint, v.unsigned) AS UNSIGNED_ATTRIBUTE,
  CONVERT(smallint, v.money) AS MONEY, CONVERT(smallint, v.increments) AS AUTO_INCREMENT, CONVERT(smallint, v.scale_min) AS MINIMUM_SCALE,
  CONVERT(smallint, v.scale_max) AS MAXIMUM_SCALE, CONVERT(smallint, v.usertype) AS USERTYPE
FROM (VALUES
  (N'datetimeoffset', 43, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  (N'time', 41, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  (N'xml', 241, 'N''', '''', NULL, 1, 1, 0, NULL, 0, NULL, NULL, NULL, 0),
  (N'sql_variant', 98, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, 39),
  (N'uniqueidentifier', 36, '''', '''', NULL, 1, 0, 2, NULL, 0, NULL, NULL, NULL, 37),
  (N'ntext', 99, 'N''', '''', NULL, 1, 0, 1, NULL, 0, NULL, NULL, NULL, 0),
  (N'nvarchar', 231, 'N''', '''', 'max length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 0),
  (N'sysname', 231, 'N''', '''', NULL, 0, 0, 3, NULL, 0, NULL, NULL, NULL, 18),
  (N'nchar', 239, 'N''', '''', 'length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 0),
  (N'bit', 104, NULL, NULL, NULL, 1, 0, 2, NULL, 0, NULL, 0, 0, 16),
  (N'tinyint', 48, NULL, NULL, NULL, 1, 0, 2, 1, 0, 0, 0, 0, 5),
  (N'tinyint identity', 48, NULL, NULL, NULL, 0, 0, 2, 1, 0, 1, 0, 0, 5),
  (N'bigint', 127, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 0),
  (N'bigint identity', 127, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 0),
  (N'image', 34, '0x', NULL, NULL, 1, 0, 0, NULL, 0, NULL, NULL, NULL, 20),
  (N'varbinary', 165, '0x', NULL, 'max length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, 4),
  (N'binary', 173, '0x', NULL, 'length', 1, 0, 2, NULL, 0, NULL, NULL, NULL, 3),
  (N'timestamp', 189, '0x', NULL, NULL, 0, 0, 2, NULL, 0, NULL, NULL, NULL, 80),
  (N'text', 35, '''', '''', NULL, 1, 0, 1, NULL, 0, NULL, NULL, NULL, 19),
  (N'char', 175, '''', '''', 'length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 1),
  (N'numeric', 108, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 10),
  (N'numeric() identity', 108, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 10),
  (N'decimal', 106, NULL, NULL, 'precision,scale', 1, 0, 2, 0, 0, 0, 0, 38, 24),
  (N'money', 60, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 11),
  (N'smallmoney', 122, '$', NULL, NULL, 1, 0, 2, 0, 1, 0, 4, 4, 21),
  (N'decimal() identity', 106, NULL, NULL, 'precision', 0, 0, 2, 0, 0, 1, 0, 0, 24),
  (N'int', 56, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 7),
  (N'int identity', 56, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 7),
  (N'smallint', 52, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, 0, 0, 6),
  (N'smallint identity', 52, NULL, NULL, NULL, 0, 0, 2, 0, 0, 1, 0, 0, 6),
  (N'float', 62, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 8),
  (N'real', 59, NULL, NULL, NULL, 1, 0, 2, 0, 0, 0, NULL, NULL, 23),
  (N'varchar', 167, '''', '''', 'max length', 1, 0, 3, NULL, 0, NULL, NULL, NULL, 2),
  (N'date', 40, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, NULL, 0, 0),
  (N'datetime2', 42, '''', '''', 'scale', 1, 0, 3, NULL, 0, NULL, 0, 7, 0),
  (N'datetime', 61, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 3, 3, 12),
  (N'smalldatetime', 58, '''', '''', NULL, 1, 0, 3, NULL, 0, NULL, 0, 0, 22)
) AS v(name, xtype, prefix, suffix, parameters, nullable, cased, searchable, unsigned, money, increments, scale_min, scale_max, usertype)
GO
CREATE FUNCTION sys.odbc_data_types(@version int, @ODBCVer int, @data_type int)
RETURNS TABLE AS RETURN
SELECT l.TYPE_NAME, t.data_type AS DATA_TYPE, CASE WHEN l.TYPE_NAME = N'sysname' THEN 128 ELSE t.column_size END AS PRECISION, l.LITERAL_PREFIX,
  l.LITERAL_SUFFIX, l.CREATE_PARAMS, l.NULLABLE, l.CASE_SENSITIVE, l.SEARCHABLE, l.UNSIGNED_ATTRIBUTE, l.MONEY, l.AUTO_INCREMENT,
  l.TYPE_NAME AS LOCAL_TYPE_NAME, l.MINIMUM_SCALE, l.MAXIMUM_SCALE, t.sql_data_type AS SQL_DATA_TYPE, t.datetime_sub AS SQL_DATETIME_SUB,
  CONVERT(int, t.radix) AS NUM_PREC_RADIX, CONVERT(smallint, NULL) AS INTERVAL_PRECISION, l.USERTYPE
FROM sys.odbc_type_list l
JOIN sys.odbc_types b ON b.system_type_id = l.system_type_id
CROSS APPLY sys.odbc_type(l.system_type_id, CASE WHEN l.system_type_id IN (165, 167, 173, 175, 231, 239) THEN 8000 ELSE 0 END, 38, 7, @version, CASE WHEN @ODBCVer >= 3 THEN 3 END) AS t
WHERE @data_type = 0 OR t.data_type = @data_type
GO
CREATE VIEW sys.odbc_owner_privileges AS
SELECT CONVERT(sysname, N'dbo') AS GRANTOR, CONVERT(sysname, N'dbo') AS GRANTEE, CONVERT(varchar(32), v.name) AS PRIVILEGE, CONVERT(varchar(3), 'YES') AS IS_GRANTABLE
FROM (VALUES ('DELETE'), ('INSERT'), ('REFERENCES'), ('SELECT'), ('UPDATE')) AS v(name)
GO
CREATE VIEW sys.odbc_privileges AS
SELECT p.major_id AS object_id, p.minor_id AS column_id, CONVERT(sysname, USER_NAME(p.grantor_principal_id)) AS GRANTOR,
  CONVERT(sysname, USER_NAME(p.grantee_principal_id)) AS GRANTEE, CONVERT(varchar(32), p.permission_name) AS PRIVILEGE,
  CONVERT(varchar(3), CASE p.state WHEN 'W' THEN 'YES' ELSE 'NO' END) AS IS_GRANTABLE
FROM sys.database_permissions p
WHERE p.class = 1 AND p.state <> 'D' AND p.permission_name IN (N'DELETE', N'INSERT', N'REFERENCES', N'SELECT', N'UPDATE')
GO
