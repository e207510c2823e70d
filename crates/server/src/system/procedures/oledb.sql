-- What OLE DB's providers (ADO, linked servers) ask of the catalog: a procedure for each of OLE DB's schema rowsets. Those that end with 2 are of all
-- tables or procedures; the others of one, and a name of NULL is any. How OLE DB sees them is in internal/oledb.sql.
-- https://learn.microsoft.com/previous-versions/windows/desktop/ms712921(v=vs.85)

CREATE PROCEDURE sys.sp_tables_rowset @table_name sysname, @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
SET NOCOUNT ON
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.TABLE_GUID, t.DESCRIPTION, t.TABLE_PROPID, t.create_date AS DATE_CREATED,
  CONVERT(datetime, NULL) AS DATE_MODIFIED
FROM sys.oledb_tables(@table_name, @table_schema, @table_type) AS t
ORDER BY 4, 2, 3
GO
CREATE PROCEDURE sys.sp_tables_rowset2 @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_rowset NULL, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_rowset @table_name sysname, @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
SET NOCOUNT ON
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE, t.TABLE_GUID, t.BOOKMARKS, t.BOOKMARK_TYPE, t.BOOKMARK_DATATYPE,
  t.BOOKMARK_MAXIMUM_LENGTH, t.BOOKMARK_INFORMATION, t.TABLE_VERSION, t.CARDINALITY, t.DESCRIPTION, t.TABLE_PROPID
FROM sys.oledb_tables_info(@table_name, @table_schema, @table_type) AS t
ORDER BY 4, 2, 3
GO
CREATE PROCEDURE sys.sp_tables_info_90_rowset @table_name sysname, @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
SET NOCOUNT ON
SELECT t.*, CONVERT(int, NULL) AS TABLE_FLAGS
FROM sys.oledb_tables_info(@table_name, @table_schema, @table_type) AS t
ORDER BY 4, 2, 3
GO
CREATE PROCEDURE sys.sp_tables_info_rowset_64 @table_name sysname, @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_rowset @table_name, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_rowset2 @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_rowset NULL, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_rowset2_64 @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_rowset NULL, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_90_rowset_64 @table_name sysname, @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_90_rowset @table_name, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_90_rowset2 @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_90_rowset NULL, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_tables_info_90_rowset2_64 @table_schema sysname = NULL, @table_type nvarchar(255) = NULL AS
EXEC sys.sp_tables_info_90_rowset NULL, @table_schema, @table_type
GO
CREATE PROCEDURE sys.sp_columns_rowset @table_name sysname, @table_schema sysname = NULL, @column_name sysname = NULL AS
SET NOCOUNT ON
SELECT c.TABLE_CATALOG, c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_GUID, c.COLUMN_PROPID, c.ORDINAL_POSITION, c.COLUMN_HASDEFAULT, c.COLUMN_DEFAULT,
  c.COLUMN_FLAGS, c.IS_NULLABLE, c.DATA_TYPE, c.TYPE_GUID, c.CHARACTER_MAXIMUM_LENGTH, c.CHARACTER_OCTET_LENGTH, c.NUMERIC_PRECISION, c.NUMERIC_SCALE,
  c.DATETIME_PRECISION, c.CHARACTER_SET_CATALOG, c.CHARACTER_SET_SCHEMA, c.CHARACTER_SET_NAME, c.COLLATION_CATALOG, c.COLLATION_SCHEMA, c.COLLATION_NAME,
  c.DOMAIN_CATALOG, c.DOMAIN_SCHEMA, c.DOMAIN_NAME, c.DESCRIPTION, c.COLUMN_LCID, c.COLUMN_COMPFLAGS, c.COLUMN_SORTID, c.COLUMN_TDSCOLLATION, c.IS_COMPUTED
FROM sys.oledb_columns(80, @table_name, @table_schema, @column_name) AS c
ORDER BY 2, 3, 7
GO
CREATE PROCEDURE sys.sp_columns_rowset2 @table_schema sysname = NULL, @column_name sysname = NULL AS
EXEC sys.sp_columns_rowset NULL, @table_schema, @column_name
GO
CREATE PROCEDURE sys.sp_columns_90_rowset @table_name sysname, @table_schema sysname = NULL, @column_name sysname = NULL AS
SET NOCOUNT ON
SELECT c.TABLE_CATALOG, c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_GUID, c.COLUMN_PROPID, c.ORDINAL_POSITION, c.COLUMN_HASDEFAULT, c.COLUMN_DEFAULT,
  c.COLUMN_FLAGS, c.IS_NULLABLE, c.DATA_TYPE, c.TYPE_GUID, c.CHARACTER_MAXIMUM_LENGTH, c.CHARACTER_OCTET_LENGTH, c.NUMERIC_PRECISION, c.NUMERIC_SCALE,
  c.DATETIME_PRECISION, c.CHARACTER_SET_CATALOG, c.CHARACTER_SET_SCHEMA, c.CHARACTER_SET_NAME, c.COLLATION_CATALOG, c.COLLATION_SCHEMA, c.COLLATION_NAME,
  c.DOMAIN_CATALOG, c.DOMAIN_SCHEMA, c.DOMAIN_NAME, c.DESCRIPTION, c.COLUMN_LCID, c.COLUMN_COMPFLAGS, c.COLUMN_SORTID, c.COLUMN_TDSCOLLATION, c.IS_COMPUTED,
  c.SS_XML_SCHEMACOLLECTION_CATALOGNAME, c.SS_XML_SCHEMACOLLECTION_SCHEMANAME, c.SS_XML_SCHEMACOLLECTIONNAME, c.SS_UDT_CATALOGNAME, c.SS_UDT_SCHEMANAME,
  c.SS_UDT_NAME, c.SS_UDT_ASSEMBLY_TYPENAME
FROM sys.oledb_columns(90, @table_name, @table_schema, @column_name) AS c
ORDER BY 2, 3, 7
GO
CREATE PROCEDURE sys.sp_columns_90_rowset2 @table_schema sysname = NULL, @column_name sysname = NULL AS
EXEC sys.sp_columns_90_rowset NULL, @table_schema, @column_name
GO
CREATE PROCEDURE sys.sp_columns_100_rowset @table_name sysname, @table_schema sysname = NULL, @column_name sysname = NULL AS
SET NOCOUNT ON
SELECT *
FROM sys.oledb_columns(100, @table_name, @table_schema, @column_name) AS c
ORDER BY 2, 3, 7
GO
CREATE PROCEDURE sys.sp_columns_100_rowset2 @table_schema sysname = NULL, @column_name sysname = NULL AS
EXEC sys.sp_columns_100_rowset NULL, @table_schema, @column_name
GO
CREATE PROCEDURE sys.sp_indexes_rowset @table_name sysname, @index_name sysname = NULL, @table_schema sysname = NULL AS
SET NOCOUNT ON
SELECT * FROM sys.oledb_indexes(@table_name, @index_name, @table_schema) AS i ORDER BY 8 DESC, 10, 5, 6, 17
GO
CREATE PROCEDURE sys.sp_indexes_rowset2 @index_name sysname = NULL, @table_schema sysname = NULL AS
EXEC sys.sp_indexes_rowset NULL, @index_name, @table_schema
GO
CREATE PROCEDURE sys.sp_indexes_90_rowset @table_name sysname, @index_name sysname = NULL, @table_schema sysname = NULL AS
EXEC sys.sp_indexes_rowset @table_name, @index_name, @table_schema
GO
CREATE PROCEDURE sys.sp_indexes_90_rowset2 @index_name sysname = NULL, @table_schema sysname = NULL AS
EXEC sys.sp_indexes_rowset NULL, @index_name, @table_schema
GO
CREATE PROCEDURE sys.sp_indexes_100_rowset @table_name sysname, @index_name sysname = NULL, @table_schema sysname = NULL AS
EXEC sys.sp_indexes_rowset @table_name, @index_name, @table_schema
GO
CREATE PROCEDURE sys.sp_indexes_100_rowset2 @index_name sysname = NULL, @table_schema sysname = NULL AS
EXEC sys.sp_indexes_rowset NULL, @index_name, @table_schema
GO
CREATE PROCEDURE sys.sp_primary_keys_rowset @table_name sysname, @table_schema sysname = NULL AS
SET NOCOUNT ON
SELECT k.TABLE_QUALIFIER AS TABLE_CATALOG, k.TABLE_OWNER AS TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME,
  CONVERT(uniqueidentifier, NULL) AS COLUMN_GUID, CONVERT(int, NULL) AS COLUMN_PROPID, CONVERT(int, k.key_ordinal) AS ORDINAL, k.PK_NAME
FROM sys.odbc_primary_keys k
WHERE (@table_name IS NULL OR k.TABLE_NAME = @table_name) AND (@table_schema IS NULL OR k.TABLE_OWNER = @table_schema)
ORDER BY 2, 3, 7
GO
CREATE PROCEDURE sys.sp_primary_keys_rowset2 @table_schema sysname = NULL AS
EXEC sys.sp_primary_keys_rowset NULL, @table_schema
GO
CREATE PROCEDURE sys.sp_foreign_keys_rowset @pk_table_name sysname = NULL, @pk_table_schema sysname = NULL, @foreignkey_tab_name sysname = NULL,
  @foreignkey_tab_schema sysname = NULL, @foreignkey_tab_catalog sysname = NULL AS
SET NOCOUNT ON
SELECT * FROM sys.oledb_foreign_keys(@pk_table_name, @pk_table_schema, @foreignkey_tab_name, @foreignkey_tab_schema) AS f
WHERE @foreignkey_tab_catalog IS NULL OR f.FK_TABLE_CATALOG = @foreignkey_tab_catalog
ORDER BY 8, 9, 17, 13
GO
CREATE PROCEDURE sys.sp_foreign_keys_rowset2 @foreignkey_tab_name sysname, @foreignkey_tab_schema sysname = NULL, @pk_table_name sysname = NULL,
  @pk_table_schema sysname = NULL, @pk_table_catalog sysname = NULL AS
SET NOCOUNT ON
SELECT * FROM sys.oledb_foreign_keys(@pk_table_name, @pk_table_schema, @foreignkey_tab_name, @foreignkey_tab_schema) AS f
WHERE @pk_table_catalog IS NULL OR f.PK_TABLE_CATALOG = @pk_table_catalog
ORDER BY 8, 9, 17, 13
GO
CREATE PROCEDURE sys.sp_foreign_keys_rowset3 @pk_table_schema sysname = NULL, @pk_table_catalog sysname = NULL,
  @foreignkey_tab_schema sysname = NULL, @foreignkey_tab_catalog sysname = NULL AS
SET NOCOUNT ON
SELECT * FROM sys.oledb_foreign_keys(NULL, @pk_table_schema, NULL, @foreignkey_tab_schema) AS f
WHERE (@pk_table_catalog IS NULL OR f.PK_TABLE_CATALOG = @pk_table_catalog) AND (@foreignkey_tab_catalog IS NULL OR f.FK_TABLE_CATALOG = @foreignkey_tab_catalog)
ORDER BY 8, 9, 17, 13
GO
CREATE PROCEDURE sys.sp_schemata_rowset @schema_name sysname = NULL, @schema_owner sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, DB_NAME()) AS CATALOG_NAME, CONVERT(sysname, s.name) AS SCHEMA_NAME, CONVERT(sysname, USER_NAME(s.principal_id)) AS SCHEMA_OWNER,
  CONVERT(sysname, NULL) AS DEFAULT_CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS DEFAULT_CHARACTER_SET_SCHEMA,
  CONVERT(sysname, NULL) AS DEFAULT_CHARACTER_SET_NAME
FROM sys.schemas s
WHERE (@schema_name IS NULL OR s.name = @schema_name) AND (@schema_owner IS NULL OR USER_NAME(s.principal_id) = @schema_owner)
ORDER BY 2, 3
GO
CREATE PROCEDURE sys.sp_catalogs_rowset @catalog_name sysname AS
SET NOCOUNT ON
SELECT CONVERT(sysname, d.name) AS CATALOG_NAME, CONVERT(nvarchar(4000), NULL) AS DESCRIPTION
FROM sys.databases d
WHERE HAS_DBACCESS(d.name) = 1 AND (@catalog_name IS NULL OR d.name = @catalog_name)
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_catalogs_rowset2 @catalog_name sysname = NULL AS
EXEC sys.sp_catalogs_rowset @catalog_name
GO
CREATE PROCEDURE sys.sp_views_rowset @view_name sysname, @view_schema sysname = NULL AS
SET NOCOUNT ON
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, CONVERT(nvarchar(4000), m.definition) AS VIEW_DEFINITION, v.with_check_option AS CHECK_OPTION,
  CONVERT(bit, 0) AS IS_UPDATABLE, CONVERT(nvarchar(4000), NULL) AS DESCRIPTION, v.create_date AS DATE_CREATED, CONVERT(datetime, NULL) AS DATE_MODIFIED
FROM sys.oledb_tables(@view_name, @view_schema, NULL) AS t
JOIN sys.all_views v ON v.object_id = t.object_id
LEFT JOIN sys.all_sql_modules m ON m.object_id = t.object_id
ORDER BY 2, 3
GO
CREATE PROCEDURE sys.sp_views_rowset2 @view_schema sysname = NULL AS
EXEC sys.sp_views_rowset NULL, @view_schema
GO
CREATE PROCEDURE sys.sp_procedures_rowset @procedure_name nvarchar(134), @group_number int = 1, @procedure_schema sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, DB_NAME()) AS PROCEDURE_CATALOG, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS PROCEDURE_SCHEMA,
  CONVERT(nvarchar(134), o.name + N';1') AS PROCEDURE_NAME, CONVERT(smallint, 3) AS PROCEDURE_TYPE, CONVERT(nvarchar(1), NULL) AS PROCEDURE_DEFINITION,
  CONVERT(nvarchar(1), NULL) AS DESCRIPTION, o.create_date AS DATE_CREATED, CONVERT(datetime, NULL) AS DATE_MODIFIED
FROM sys.all_objects o
WHERE o.type IN ('P', 'FN', 'IF', 'TF') AND (@procedure_name IS NULL OR o.name = @procedure_name) AND ISNULL(@group_number, 1) = 1
  AND (@procedure_schema IS NULL OR SCHEMA_NAME(o.schema_id) = @procedure_schema)
ORDER BY 2, 3
GO
CREATE PROCEDURE sys.sp_procedures_rowset2 @procedure_schema sysname = NULL AS
EXEC sys.sp_procedures_rowset NULL, NULL, @procedure_schema
GO
CREATE PROCEDURE sys.sp_procedure_params_rowset @procedure_name nvarchar(134), @group_number int = 1, @procedure_schema sysname = NULL,
  @parameter_name sysname = NULL AS
SET NOCOUNT ON
SELECT p.PROCEDURE_CATALOG, p.PROCEDURE_SCHEMA, p.PROCEDURE_NAME, p.PARAMETER_NAME, p.ORDINAL_POSITION, p.PARAMETER_TYPE, p.PARAMETER_HASDEFAULT,
  p.PARAMETER_DEFAULT, p.IS_NULLABLE, p.DATA_TYPE, p.CHARACTER_MAXIMUM_LENGTH, p.CHARACTER_OCTET_LENGTH, p.NUMERIC_PRECISION, p.NUMERIC_SCALE, p.DESCRIPTION,
  p.TYPE_NAME, p.LOCAL_TYPE_NAME
FROM sys.oledb_parameters(80, @procedure_name, @group_number, @procedure_schema, @parameter_name) AS p
ORDER BY 2, 3, 5
GO
CREATE PROCEDURE sys.sp_procedure_params_rowset2 @procedure_schema sysname = NULL, @parameter_name sysname = NULL AS
EXEC sys.sp_procedure_params_rowset NULL, NULL, @procedure_schema, @parameter_name
GO
CREATE PROCEDURE sys.sp_procedure_params_90_rowset @procedure_name nvarchar(134), @group_number int = 1, @procedure_schema sysname = NULL,
  @parameter_name sysname = NULL AS
SET NOCOUNT ON
SELECT p.PROCEDURE_CATALOG, p.PROCEDURE_SCHEMA, p.PROCEDURE_NAME, p.PARAMETER_NAME, p.ORDINAL_POSITION, p.PARAMETER_TYPE, p.PARAMETER_HASDEFAULT,
  p.PARAMETER_DEFAULT, p.IS_NULLABLE, p.DATA_TYPE, p.CHARACTER_MAXIMUM_LENGTH, p.CHARACTER_OCTET_LENGTH, p.NUMERIC_PRECISION, p.NUMERIC_SCALE, p.DESCRIPTION,
  p.TYPE_NAME, p.LOCAL_TYPE_NAME, p.SS_XML_SCHEMACOLLECTION_CATALOGNAME, p.SS_XML_SCHEMACOLLECTION_SCHEMANAME, p.SS_XML_SCHEMACOLLECTIONNAME, p.SS_UDT_CATALOGNAME,
  p.SS_UDT_SCHEMANAME, p.SS_UDT_NAME, p.SS_UDT_ASSEMBLY_TYPENAME
FROM sys.oledb_parameters(90, @procedure_name, @group_number, @procedure_schema, @parameter_name) AS p
ORDER BY 2, 3, 5
GO
CREATE PROCEDURE sys.sp_procedure_params_90_rowset2 @procedure_schema sysname = NULL, @parameter_name sysname = NULL AS
EXEC sys.sp_procedure_params_90_rowset NULL, NULL, @procedure_schema, @parameter_name
GO
CREATE PROCEDURE sys.sp_procedure_params_100_rowset @procedure_name nvarchar(134), @group_number int = 1, @procedure_schema sysname = NULL,
  @parameter_name sysname = NULL AS
SET NOCOUNT ON
SELECT *
FROM sys.oledb_parameters(100, @procedure_name, @group_number, @procedure_schema, @parameter_name) AS p
ORDER BY 2, 3, 5
GO
CREATE PROCEDURE sys.sp_procedure_params_100_rowset2 @procedure_schema sysname = NULL, @parameter_name sysname = NULL AS
EXEC sys.sp_procedure_params_100_rowset NULL, NULL, @procedure_schema, @parameter_name
GO
CREATE PROCEDURE sys.sp_provider_types_rowset @data_type smallint = NULL, @best_match bit = NULL AS
SET NOCOUNT ON
SELECT p.* FROM sys.oledb_provider_types(80, @data_type, @best_match) AS p
ORDER BY 2, 20 DESC, 1
GO
CREATE PROCEDURE sys.sp_provider_types_90_rowset @data_type smallint = NULL, @best_match bit = NULL AS
SET NOCOUNT ON
SELECT p.* FROM sys.oledb_provider_types(90, @data_type, @best_match) AS p
ORDER BY 2, 20 DESC, 1
GO
CREATE PROCEDURE sys.sp_provider_types_100_rowset @data_type smallint = NULL, @best_match bit = NULL AS
SET NOCOUNT ON
SELECT p.* FROM sys.oledb_provider_types(100, @data_type, @best_match) AS p
ORDER BY 2, 20 DESC, 1
GO
CREATE PROCEDURE sys.sp_statistics_rowset @table_name sysname, @table_schema sysname = NULL AS
SET NOCOUNT ON
SELECT t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, CONVERT(int, s.row_count) AS CARDINALITY
FROM sys.oledb_tables(@table_name, @table_schema, NULL) AS t
JOIN (SELECT object_id, SUM(row_count) AS row_count FROM sys.dm_db_partition_stats WHERE index_id < 2 GROUP BY object_id) s ON s.object_id = t.object_id
ORDER BY 2, 3
GO
CREATE PROCEDURE sys.sp_statistics_rowset2 @table_schema sysname = NULL AS
EXEC sys.sp_statistics_rowset NULL, @table_schema
GO
CREATE PROCEDURE sys.sp_table_privileges_rowset @table_name sysname, @table_schema sysname = NULL, @grantor sysname = NULL, @grantee sysname = NULL AS
SET NOCOUNT ON
SELECT p.GRANTOR, p.GRANTEE, t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, p.PRIVILEGE_TYPE, p.IS_GRANTABLE
FROM sys.oledb_tables(@table_name, @table_schema, NULL) AS t
JOIN sys.oledb_privileges p ON p.object_id = t.object_id AND p.column_id = 0
WHERE (@grantor IS NULL OR p.GRANTOR = @grantor) AND (@grantee IS NULL OR p.GRANTEE = @grantee)
ORDER BY 4, 5, 6
GO
CREATE PROCEDURE sys.sp_table_privileges_rowset2 @table_schema sysname = NULL, @grantor sysname = NULL, @grantee sysname = NULL AS
EXEC sys.sp_table_privileges_rowset NULL, @table_schema, @grantor, @grantee
GO
CREATE PROCEDURE sys.sp_column_privileges_rowset @table_name sysname, @table_schema sysname = NULL, @column_name sysname = NULL,
  @grantor sysname = NULL, @grantee sysname = NULL AS
SET NOCOUNT ON
SELECT p.GRANTOR, p.GRANTEE, t.TABLE_CATALOG, t.TABLE_SCHEMA, t.TABLE_NAME, CONVERT(sysname, c.name) AS COLUMN_NAME, CONVERT(uniqueidentifier, NULL) AS COLUMN_GUID,
  CONVERT(int, NULL) AS COLUMN_PROPID, p.PRIVILEGE_TYPE, p.IS_GRANTABLE
FROM sys.oledb_tables(@table_name, @table_schema, NULL) AS t
JOIN sys.all_columns c ON c.object_id = t.object_id
JOIN sys.oledb_privileges p ON p.object_id = t.object_id AND p.column_id IN (0, c.column_id)
WHERE p.PRIVILEGE_TYPE <> N'DELETE' AND (@column_name IS NULL OR c.name = @column_name) AND (@grantor IS NULL OR p.GRANTOR = @grantor)
  AND (@grantee IS NULL OR p.GRANTEE = @grantee)
ORDER BY 4, 5, 6, 9
GO
CREATE PROCEDURE sys.sp_column_privileges_rowset2 @table_schema sysname = NULL, @column_name sysname = NULL, @grantor sysname = NULL,
  @grantee sysname = NULL AS
EXEC sys.sp_column_privileges_rowset NULL, @table_schema, @column_name, @grantor, @grantee
GO
CREATE PROCEDURE sys.sp_table_constraints_rowset @table_name sysname, @table_schema sysname = NULL, @table_catalog sysname = NULL,
  @constraint_name sysname = NULL, @constraint_schema sysname = NULL, @constraint_catalog sysname = NULL, @constraint_type nvarchar(255) = NULL AS
SET NOCOUNT ON
SELECT c.CONSTRAINT_CATALOG, c.CONSTRAINT_SCHEMA, c.CONSTRAINT_NAME, c.TABLE_CATALOG, c.TABLE_SCHEMA, c.TABLE_NAME, CONVERT(nvarchar(11), c.CONSTRAINT_TYPE) AS CONSTRAINT_TYPE,
  CONVERT(bit, 0) AS IS_DEFERRABLE, CONVERT(bit, 0) AS INITIALLY_DEFERRED, CONVERT(nvarchar(1), NULL) AS DESCRIPTION
FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS c
WHERE (@table_name IS NULL OR c.TABLE_NAME = @table_name) AND (@table_schema IS NULL OR c.TABLE_SCHEMA = @table_schema)
  AND (@table_catalog IS NULL OR c.TABLE_CATALOG = @table_catalog) AND (@constraint_name IS NULL OR c.CONSTRAINT_NAME = @constraint_name)
  AND (@constraint_schema IS NULL OR c.CONSTRAINT_SCHEMA = @constraint_schema) AND (@constraint_catalog IS NULL OR c.CONSTRAINT_CATALOG = @constraint_catalog)
  AND (@constraint_type IS NULL OR c.CONSTRAINT_TYPE = @constraint_type)
ORDER BY 2, 3, 5, 6, 7
GO
CREATE PROCEDURE sys.sp_table_constraints_rowset2 @table_schema sysname = NULL, @table_catalog sysname = NULL, @constraint_name sysname = NULL,
  @constraint_schema sysname = NULL, @constraint_catalog sysname = NULL, @constraint_type nvarchar(255) = NULL AS
EXEC sys.sp_table_constraints_rowset NULL, @table_schema, @table_catalog, @constraint_name, @constraint_schema, @constraint_catalog,
  @constraint_type
GO
CREATE PROCEDURE sys.sp_check_constraints_rowset @constraint_name sysname, @constraint_schema sysname = NULL AS
SET NOCOUNT ON
SELECT c.CONSTRAINT_CATALOG, c.CONSTRAINT_SCHEMA, c.CONSTRAINT_NAME, CONVERT(nvarchar(4000), c.CHECK_CLAUSE) AS CHECK_CLAUSE, CONVERT(nvarchar(1), NULL) AS DESCRIPTION
FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS c
WHERE (@constraint_name IS NULL OR c.CONSTRAINT_NAME = @constraint_name) AND (@constraint_schema IS NULL OR c.CONSTRAINT_SCHEMA = @constraint_schema)
ORDER BY 2, 3
GO
CREATE PROCEDURE sys.sp_check_constraints_rowset2 @constraint_schema sysname = NULL AS
EXEC sys.sp_check_constraints_rowset NULL, @constraint_schema
GO
CREATE PROCEDURE sys.sp_linkedservers_rowset @srvname sysname AS
SET NOCOUNT ON
SELECT CONVERT(sysname, s.name) AS SVR_NAME, CONVERT(nvarchar(128), s.product) AS SVR_PRODUCT, CONVERT(nvarchar(128), s.provider) AS SVR_PROVIDERNAME,
  CONVERT(nvarchar(4000), s.data_source) AS SVR_DATASOURCE, CONVERT(nvarchar(4000), s.provider_string) AS SVR_PROVIDERSTRING,
  CONVERT(nvarchar(4000), s.location) AS SVR_LOCATION, CONVERT(sysname, s.catalog) AS SVR_CATALOG
FROM sys.servers s
WHERE s.is_linked = 1 AND (@srvname IS NULL OR s.name = @srvname)
ORDER BY 1
GO
CREATE PROCEDURE sys.sp_linkedservers_rowset2 AS
EXEC sys.sp_linkedservers_rowset NULL
GO
-- Whether the database can only be read, and who the user is: what a provider asks first.
CREATE PROCEDURE sys.sp_oledb_ro_usrname AS
SET NOCOUNT ON
SELECT CONVERT(char(1), CASE DATABASEPROPERTYEX(DB_NAME(), 'Updateability') WHEN N'READ_ONLY' THEN 'Y' ELSE 'N' END), USER_NAME()
GO
