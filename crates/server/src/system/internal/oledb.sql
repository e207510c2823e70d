-- How OLE DB sees tables, types, columns and parameters: what the procedures of procedures/oledb.sql have in common.
-- @version as in odbc.sql. Numbers of types (DBTYPE) and flags (DBCOLUMNFLAGS) are OLE DB's:
-- https://learn.microsoft.com/sql/connect/oledb/ole-db-data-types/data-type-mapping-in-rowsets-and-parameters
-- https://learn.microsoft.com/sql/connect/oledb/ole-db-date-time/metadata-date-and-time-and-schema-rowsets

CREATE VIEW sys.oledb_types AS
SELECT CONVERT(tinyint, v.xtype) AS system_type_id, CONVERT(smallint, v.dbtype) AS dbtype, v.is_fixed, v.is_long, CONVERT(smallint, v.digits) AS digits,
  CONVERT(int, v.fraction) AS fraction
FROM (VALUES
  (34, 128, 0, 1, NULL, NULL), (35, 129, 0, 1, NULL, NULL), (36, 72, 1, 0, NULL, NULL), (40, 133, 1, 0, NULL, 0), (41, 145, 1, 0, NULL, 7),
  (42, 135, 1, 0, NULL, 7), (43, 146, 1, 0, NULL, 7), (48, 17, 1, 0, 3, NULL), (52, 2, 1, 0, 5, NULL), (56, 3, 1, 0, 10, NULL), (58, 135, 1, 0, NULL, 0),
  (59, 4, 1, 0, 7, NULL), (60, 6, 1, 0, 19, NULL), (61, 135, 1, 0, NULL, 3), (62, 5, 1, 0, 15, NULL), (98, 12, 1, 0, NULL, NULL), (99, 130, 0, 1, NULL, NULL),
  (104, 11, 1, 0, NULL, NULL), (106, 131, 1, 0, 38, NULL), (108, 131, 1, 0, 38, NULL), (122, 6, 1, 0, 10, NULL), (127, 20, 1, 0, 19, NULL),
  (165, 128, 0, 0, NULL, NULL), (167, 129, 0, 0, NULL, NULL), (173, 128, 1, 0, NULL, NULL), (175, 129, 1, 0, NULL, NULL), (189, 128, 1, 0, NULL, NULL),
  (231, 130, 0, 0, NULL, NULL), (239, 130, 1, 0, NULL, NULL), (240, 132, 0, 1, NULL, NULL), (241, 141, 0, 1, NULL, NULL), (243, 143, 0, 0, NULL, NULL)
) AS v(xtype, dbtype, is_fixed, is_long, digits, fraction)
GO
-- A client of before 2008 sees that version's types of dates and times as text, one of before 2005 also xml, and types of assemblies as bytes.
-- flags: fixed length, long and deferred, row version, variable scale.
CREATE FUNCTION sys.oledb_type(@system_type_id tinyint, @max_length smallint, @precision tinyint, @scale tinyint, @version int)
RETURNS TABLE AS RETURN
SELECT CONVERT(smallint, CASE WHEN k.is_text = 1 THEN 130 WHEN @system_type_id = 240 AND @version < 90 THEN 128 ELSE t.dbtype END) AS DATA_TYPE,
  CASE WHEN k.is_text = 0 AND t.is_fixed = 1 THEN 16 ELSE 0 END + CASE WHEN t.is_long = 1 OR k.is_max = 1 THEN 130 ELSE 0 END
    + CASE WHEN @system_type_id = 189 THEN 512 ELSE 0 END + CASE WHEN k.is_text = 0 AND @system_type_id IN (41, 42, 43) THEN 1073741824 ELSE 0 END AS flags,
  CONVERT(int, CASE
    WHEN k.is_max = 1 OR @system_type_id = 241 THEN CASE WHEN @version >= 90 THEN 0 WHEN @system_type_id IN (231, 241) THEN 1073741823 ELSE 2147483647 END
    WHEN @system_type_id IN (34, 35) THEN 2147483647 WHEN @system_type_id = 99 THEN 1073741823
    WHEN @system_type_id IN (231, 239) THEN @max_length / 2 WHEN @system_type_id IN (165, 167, 173, 175, 189) THEN @max_length
    WHEN k.is_text = 1 THEN o.column_size END) AS CHARACTER_MAXIMUM_LENGTH,
  CONVERT(int, CASE
    WHEN k.is_max = 1 OR @system_type_id = 241 THEN CASE WHEN @version >= 90 THEN 0 WHEN @system_type_id IN (231, 241) THEN 2147483646 ELSE 2147483647 END
    WHEN @system_type_id IN (34, 35) THEN 2147483647 WHEN @system_type_id = 99 THEN 2147483646
    WHEN @system_type_id IN (165, 167, 173, 175, 189, 231, 239) THEN @max_length
    WHEN k.is_text = 1 THEN o.octet_length END) AS CHARACTER_OCTET_LENGTH,
  CASE WHEN @system_type_id IN (106, 108) THEN CONVERT(smallint, @precision) ELSE t.digits END AS NUMERIC_PRECISION,
  CASE WHEN @system_type_id IN (106, 108) THEN CONVERT(smallint, @scale) END AS NUMERIC_SCALE,
  CASE WHEN k.is_text = 1 THEN NULL WHEN @system_type_id IN (41, 42, 43) THEN CONVERT(int, @scale) ELSE t.fraction END AS DATETIME_PRECISION,
  CONVERT(bit, CASE WHEN t.is_long = 1 OR k.is_max = 1 THEN 1 ELSE 0 END) AS is_long, CONVERT(bit, CASE WHEN k.is_text = 0 THEN t.is_fixed ELSE 0 END) AS is_fixed
FROM sys.oledb_types t
CROSS APPLY (SELECT CASE WHEN @version < 100 AND @system_type_id IN (40, 41, 42, 43) OR @version < 90 AND @system_type_id = 241 THEN 1 ELSE 0 END AS is_text,
  CASE WHEN @max_length = -1 AND @system_type_id IN (165, 167, 231, 240) THEN 1 ELSE 0 END AS is_max) AS k
CROSS APPLY sys.odbc_type(@system_type_id, @max_length, @precision, @scale, @version, 3) AS o
WHERE t.system_type_id = @system_type_id
GO
CREATE FUNCTION sys.oledb_tables(@name sysname, @schema sysname, @type nvarchar(255))
RETURNS TABLE AS RETURN
SELECT o.object_id, CONVERT(sysname, DB_NAME()) AS TABLE_CATALOG, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS TABLE_SCHEMA,
  CONVERT(sysname, o.name) AS TABLE_NAME, CONVERT(nvarchar(30), k.kind) AS TABLE_TYPE, CONVERT(uniqueidentifier, NULL) AS TABLE_GUID,
  CONVERT(nvarchar(1), NULL) AS DESCRIPTION, CONVERT(int, NULL) AS TABLE_PROPID, o.create_date
FROM sys.all_objects o
CROSS APPLY (SELECT CASE WHEN o.type = 'S' THEN N'SYSTEM TABLE' WHEN o.type = 'U' THEN N'TABLE'
  WHEN SCHEMA_NAME(o.schema_id) IN (N'sys', N'INFORMATION_SCHEMA') THEN N'SYSTEM VIEW' ELSE N'VIEW' END AS kind) AS k
WHERE o.type IN ('S', 'U', 'V') AND (@name IS NULL OR o.name = @name) AND (@schema IS NULL OR SCHEMA_NAME(o.schema_id) = @schema)
  AND (@type IS NULL OR k.kind = @type)
GO
CREATE FUNCTION sys.oledb_tables_info(@name sysname, @schema sysname, @type nvarchar(255))
RETURNS TABLE AS RETURN
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.TABLE_GUID, CONVERT(bit, 0) AS BOOKMARKS, CONVERT(int, NULL) AS BOOKMARK_TYPE,
  CONVERT(smallint, NULL) AS BOOKMARK_DATATYPE, CONVERT(int, NULL) AS BOOKMARK_MAXIMUM_LENGTH, CONVERT(int, NULL) AS BOOKMARK_INFORMATION,
  CONVERT(bigint, NULL) AS TABLE_VERSION, CONVERT(int, s.row_count) AS CARDINALITY, t.DESCRIPTION, t.TABLE_PROPID
FROM sys.oledb_tables(@name, @schema, @type) AS t
LEFT JOIN (SELECT object_id, SUM(row_count) AS row_count FROM sys.dm_db_partition_stats WHERE index_id < 2 GROUP BY object_id) s ON s.object_id = t.object_id
GO
CREATE FUNCTION sys.oledb_columns(@version int, @name sysname, @schema sysname, @column sysname)
RETURNS TABLE AS RETURN
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, CONVERT(sysname, c.name) AS COLUMN_NAME, CONVERT(uniqueidentifier, NULL) AS COLUMN_GUID,
  CONVERT(int, NULL) AS COLUMN_PROPID, c.column_id AS ORDINAL_POSITION, CONVERT(bit, CASE WHEN c.default_object_id <> 0 THEN 1 ELSE 0 END) AS COLUMN_HASDEFAULT,
  CONVERT(nvarchar(2000), d.definition) AS COLUMN_DEFAULT,
  y.flags + CASE c.is_nullable WHEN 1 THEN 96 ELSE 0 END
    + CASE WHEN c.is_identity = 1 OR c.is_computed = 1 OR c.system_type_id = 189 THEN 0 ELSE 8 END AS COLUMN_FLAGS,
  c.is_nullable AS IS_NULLABLE, y.DATA_TYPE, CONVERT(uniqueidentifier, NULL) AS TYPE_GUID, y.CHARACTER_MAXIMUM_LENGTH, y.CHARACTER_OCTET_LENGTH,
  y.NUMERIC_PRECISION, y.NUMERIC_SCALE, y.DATETIME_PRECISION, CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA,
  CONVERT(sysname, NULL) AS CHARACTER_SET_NAME, CONVERT(sysname, NULL) AS COLLATION_CATALOG, CONVERT(sysname, NULL) AS COLLATION_SCHEMA,
  CONVERT(sysname, c.collation_name) AS COLLATION_NAME, CONVERT(sysname, CASE u.is_user_defined WHEN 1 THEN DB_NAME() END) AS DOMAIN_CATALOG,
  CONVERT(sysname, CASE u.is_user_defined WHEN 1 THEN SCHEMA_NAME(u.schema_id) END) AS DOMAIN_SCHEMA,
  CONVERT(sysname, CASE u.is_user_defined WHEN 1 THEN u.name END) AS DOMAIN_NAME, CONVERT(nvarchar(1), NULL) AS DESCRIPTION,
  CONVERT(int, COLLATIONPROPERTY(c.collation_name, 'LCID')) AS COLUMN_LCID,
  CONVERT(int, COLLATIONPROPERTY(c.collation_name, 'ComparisonStyle')) AS COLUMN_COMPFLAGS,
  CONVERT(int, SUBSTRING(CONVERT(binary(5), COLLATIONPROPERTY(c.collation_name, 'TDSCollation')), 5, 1)) AS COLUMN_SORTID,
  CONVERT(binary(5), COLLATIONPROPERTY(c.collation_name, 'TDSCollation')) AS COLUMN_TDSCOLLATION, c.is_computed AS IS_COMPUTED,
  n.SS_XML_SCHEMACOLLECTION_CATALOG_NAME AS SS_XML_SCHEMACOLLECTION_CATALOGNAME, n.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME AS SS_XML_SCHEMACOLLECTION_SCHEMANAME,
  n.SS_XML_SCHEMACOLLECTION_NAME AS SS_XML_SCHEMACOLLECTIONNAME, n.SS_UDT_CATALOG_NAME AS SS_UDT_CATALOGNAME, n.SS_UDT_SCHEMA_NAME AS SS_UDT_SCHEMANAME,
  CONVERT(sysname, CASE c.system_type_id WHEN 240 THEN u.name END) AS SS_UDT_NAME, n.SS_UDT_ASSEMBLY_TYPE_NAME AS SS_UDT_ASSEMBLY_TYPENAME,
  c.is_sparse AS SS_IS_SPARSE, c.is_column_set AS SS_IS_COLUMN_SET
FROM sys.oledb_tables(@name, @schema, NULL) AS t
JOIN sys.all_columns c ON c.object_id = t.object_id
JOIN sys.types u ON u.user_type_id = c.user_type_id
LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
CROSS APPLY sys.oledb_type(c.system_type_id, c.max_length, c.precision, c.scale, @version) AS y
CROSS APPLY sys.odbc_named_type(c.system_type_id, c.user_type_id, c.xml_collection_id) AS n
WHERE @column IS NULL OR c.name = @column
GO
-- PARAMETER_TYPE: 1 in, 2 in and out, 4 the value that RETURN gives.
CREATE FUNCTION sys.oledb_parameters(@version int, @name nvarchar(134), @group_number int, @schema sysname, @parameter sysname)
RETURNS TABLE AS RETURN
SELECT CONVERT(sysname, DB_NAME()) AS PROCEDURE_CATALOG, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS PROCEDURE_SCHEMA,
  CONVERT(nvarchar(134), o.name + N';1') AS PROCEDURE_NAME, p.name AS PARAMETER_NAME, CONVERT(smallint, p.parameter_id) AS ORDINAL_POSITION,
  CONVERT(smallint, CASE WHEN p.parameter_id = 0 THEN 4 WHEN p.is_output = 1 THEN 2 ELSE 1 END) AS PARAMETER_TYPE, CONVERT(tinyint, 0) AS PARAMETER_HASDEFAULT,
  CONVERT(nvarchar(255), NULL) AS PARAMETER_DEFAULT, CONVERT(bit, CASE p.parameter_id WHEN 0 THEN 0 ELSE 1 END) AS IS_NULLABLE, y.DATA_TYPE,
  y.CHARACTER_MAXIMUM_LENGTH, y.CHARACTER_OCTET_LENGTH, y.NUMERIC_PRECISION, y.NUMERIC_SCALE, CONVERT(nvarchar(50), NULL) AS DESCRIPTION,
  CONVERT(sysname, u.name) AS TYPE_NAME, CONVERT(sysname, u.name) AS LOCAL_TYPE_NAME,
  n.SS_XML_SCHEMACOLLECTION_CATALOG_NAME AS SS_XML_SCHEMACOLLECTION_CATALOGNAME, n.SS_XML_SCHEMACOLLECTION_SCHEMA_NAME AS SS_XML_SCHEMACOLLECTION_SCHEMANAME,
  n.SS_XML_SCHEMACOLLECTION_NAME AS SS_XML_SCHEMACOLLECTIONNAME, n.SS_UDT_CATALOG_NAME AS SS_UDT_CATALOGNAME, n.SS_UDT_SCHEMA_NAME AS SS_UDT_SCHEMANAME,
  CONVERT(sysname, CASE p.system_type_id WHEN 240 THEN u.name END) AS SS_UDT_NAME, n.SS_UDT_ASSEMBLY_TYPE_NAME AS SS_UDT_ASSEMBLY_TYPENAME,
  CONVERT(sysname, CASE p.system_type_id WHEN 243 THEN DB_NAME() END) AS SS_TYPE_CATALOG_NAME,
  CONVERT(sysname, CASE p.system_type_id WHEN 243 THEN SCHEMA_NAME(u.schema_id) END) AS SS_TYPE_SCHEMANAME, y.DATETIME_PRECISION AS SS_DATETIME_PRECISION
FROM sys.all_objects o
JOIN sys.odbc_parameters AS p ON p.object_id = o.object_id
JOIN sys.types u ON u.user_type_id = p.user_type_id
CROSS APPLY sys.oledb_type(p.system_type_id, p.max_length, p.precision, p.scale, @version) AS y
CROSS APPLY sys.odbc_named_type(p.system_type_id, p.user_type_id, p.xml_collection_id) AS n
WHERE o.type IN ('P', 'FN', 'IF', 'TF') AND (@name IS NULL OR o.name = @name) AND ISNULL(@group_number, 1) = 1
  AND (@schema IS NULL OR SCHEMA_NAME(o.schema_id) = @schema) AND (@parameter IS NULL OR p.name = @parameter)
GO
CREATE FUNCTION sys.oledb_indexes(@table sysname, @index sysname, @schema sysname)
RETURNS TABLE AS RETURN
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_CATALOG AS INDEX_CATALOG, t.TABLE_SCHEMA AS INDEX_SCHEMA, CONVERT(sysname, i.name) AS INDEX_NAME,
  i.is_primary_key AS PRIMARY_KEY, i.is_unique AS [UNIQUE], CONVERT(bit, CASE i.type WHEN 1 THEN 1 ELSE 0 END) AS [CLUSTERED],
  CONVERT(smallint, CASE i.type WHEN 7 THEN 2 ELSE 1 END) AS TYPE, CONVERT(int, i.fill_factor) AS FILL_FACTOR, CONVERT(int, NULL) AS INITIAL_SIZE,
  CONVERT(int, NULL) AS NULLS, CONVERT(bit, 0) AS SORT_BOOKMARKS, CONVERT(bit, 1) AS AUTO_UPDATE, CONVERT(int, 4) AS NULL_COLLATION,
  CONVERT(int, k.key_ordinal) AS ORDINAL_POSITION, CONVERT(sysname, c.name) AS COLUMN_NAME, CONVERT(uniqueidentifier, NULL) AS COLUMN_GUID,
  CONVERT(int, NULL) AS COLUMN_PROPID, CONVERT(smallint, CASE k.is_descending_key WHEN 1 THEN 2 ELSE 1 END) AS COLLATION,
  CONVERT(int, s.row_count) AS CARDINALITY, CONVERT(int, s.used_page_count) AS PAGES, CONVERT(nvarchar(max), i.filter_definition) AS FILTER_CONDITION,
  CONVERT(bit, CASE i.type WHEN 1 THEN 1 ELSE 0 END) AS INTEGRATED, CONVERT(int, NULL) AS STATUS
FROM sys.oledb_tables(@table, @schema, NULL) AS t
JOIN sys.indexes i ON i.object_id = t.object_id AND i.index_id > 0
JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
LEFT JOIN (SELECT object_id, index_id, SUM(row_count) AS row_count, SUM(used_page_count) AS used_page_count
  FROM sys.dm_db_partition_stats GROUP BY object_id, index_id) s ON s.object_id = i.object_id AND s.index_id = i.index_id
WHERE @index IS NULL OR i.name = @index
GO
CREATE FUNCTION sys.oledb_foreign_keys(@pk_name sysname, @pk_schema sysname, @fk_name sysname, @fk_schema sysname)
RETURNS TABLE AS RETURN
SELECT CONVERT(sysname, DB_NAME()) AS PK_TABLE_CATALOG, CONVERT(sysname, SCHEMA_NAME(p.schema_id)) AS PK_TABLE_SCHEMA, CONVERT(sysname, p.name) AS PK_TABLE_NAME,
  CONVERT(sysname, COL_NAME(k.referenced_object_id, k.referenced_column_id)) AS PK_COLUMN_NAME, CONVERT(uniqueidentifier, NULL) AS PK_COLUMN_GUID,
  CONVERT(int, NULL) AS PK_COLUMN_PROPID, CONVERT(sysname, DB_NAME()) AS FK_TABLE_CATALOG, CONVERT(sysname, SCHEMA_NAME(f.schema_id)) AS FK_TABLE_SCHEMA,
  CONVERT(sysname, f.name) AS FK_TABLE_NAME, CONVERT(sysname, COL_NAME(k.parent_object_id, k.parent_column_id)) AS FK_COLUMN_NAME,
  CONVERT(uniqueidentifier, NULL) AS FK_COLUMN_GUID, CONVERT(int, NULL) AS FK_COLUMN_PROPID, k.constraint_column_id AS ORDINAL,
  CONVERT(nvarchar(11), REPLACE(r.update_referential_action_desc, N'_', N' ')) AS UPDATE_RULE,
  CONVERT(nvarchar(11), REPLACE(r.delete_referential_action_desc, N'_', N' ')) AS DELETE_RULE, CONVERT(sysname, i.name) AS PK_NAME,
  CONVERT(sysname, r.name) AS FK_NAME, CONVERT(smallint, 3) AS DEFERRABILITY
FROM sys.foreign_keys r
JOIN sys.foreign_key_columns k ON k.constraint_object_id = r.object_id
JOIN sys.objects p ON p.object_id = r.referenced_object_id
JOIN sys.objects f ON f.object_id = r.parent_object_id
LEFT JOIN sys.indexes i ON i.object_id = r.referenced_object_id AND i.index_id = r.key_index_id
WHERE (@pk_name IS NULL OR p.name = @pk_name) AND (@pk_schema IS NULL OR SCHEMA_NAME(p.schema_id) = @pk_schema)
  AND (@fk_name IS NULL OR f.name = @fk_name) AND (@fk_schema IS NULL OR SCHEMA_NAME(f.schema_id) = @fk_schema)
GO
-- Of whole tables (column_id 0) and of columns: what the owner may, and what was granted.
CREATE VIEW sys.oledb_privileges AS
SELECT p.GRANTOR, p.GRANTEE, o.object_id, 0 AS column_id, CONVERT(nvarchar(30), p.PRIVILEGE) AS PRIVILEGE_TYPE,
  CONVERT(bit, CASE p.IS_GRANTABLE WHEN 'YES' THEN 1 ELSE 0 END) AS IS_GRANTABLE
FROM sys.all_objects o
CROSS JOIN sys.odbc_owner_privileges p
UNION ALL
SELECT p.GRANTOR, p.GRANTEE, p.object_id, p.column_id, CONVERT(nvarchar(30), p.PRIVILEGE), CONVERT(bit, CASE p.IS_GRANTABLE WHEN 'YES' THEN 1 ELSE 0 END)
FROM sys.odbc_privileges p
GO
CREATE FUNCTION sys.oledb_provider_types(@version int, @data_type smallint, @best_match bit)
RETURNS TABLE AS RETURN
SELECT l.TYPE_NAME, y.DATA_TYPE, COALESCE(y.CHARACTER_MAXIMUM_LENGTH, CONVERT(int, y.NUMERIC_PRECISION), o.column_size) AS COLUMN_SIZE,
  CONVERT(nvarchar(32), l.LITERAL_PREFIX) AS LITERAL_PREFIX, CONVERT(nvarchar(32), l.LITERAL_SUFFIX) AS LITERAL_SUFFIX,
  CONVERT(nvarchar(32), l.CREATE_PARAMS) AS CREATE_PARAMS, CONVERT(bit, l.NULLABLE) AS IS_NULLABLE, CONVERT(bit, l.CASE_SENSITIVE) AS CASE_SENSITIVE,
  CONVERT(int, l.SEARCHABLE + 1) AS SEARCHABLE, CONVERT(tinyint, l.UNSIGNED_ATTRIBUTE) AS UNSIGNED_ATTRIBUTE, CONVERT(bit, l.MONEY) AS FIXED_PREC_SCALE,
  CONVERT(tinyint, 0) AS AUTO_UNIQUE_VALUE, l.TYPE_NAME AS LOCAL_TYPE_NAME,
  CASE WHEN l.system_type_id IN (41, 42, 43, 106, 108) THEN l.MINIMUM_SCALE END AS MINIMUM_SCALE,
  CASE WHEN l.system_type_id IN (41, 42, 43, 106, 108) THEN l.MAXIMUM_SCALE END AS MAXIMUM_SCALE, CONVERT(uniqueidentifier, NULL) AS GUID,
  CONVERT(nvarchar(1), NULL) AS TYPELIB, CONVERT(nvarchar(1), NULL) AS VERSION, y.is_long AS IS_LONG, b.BEST_MATCH, y.is_fixed AS IS_FIXEDLENGTH
FROM sys.odbc_type_list l
JOIN sys.odbc_types o ON o.system_type_id = l.system_type_id
CROSS APPLY sys.oledb_type(l.system_type_id, CASE WHEN l.system_type_id IN (165, 167, 173, 175, 231, 239) THEN 8000 WHEN l.system_type_id = 189 THEN 8 ELSE 0 END, 38, 7, @version) AS y
CROSS APPLY (SELECT CONVERT(bit, CASE WHEN l.system_type_id IN (34, 35, 99, 106, 122, 173, 175, 189, 239) THEN 0 ELSE 1 END) AS BEST_MATCH) AS b
WHERE ISNULL(l.AUTO_INCREMENT, 0) = 0 AND l.TYPE_NAME <> N'sysname'
  AND (@version >= 90 OR l.system_type_id NOT IN (240, 241)) AND (@version >= 100 OR l.system_type_id NOT IN (40, 41, 42, 43))
  AND (@data_type IS NULL OR y.DATA_TYPE = @data_type)
  AND (@best_match IS NULL OR b.BEST_MATCH = @best_match)
GO
