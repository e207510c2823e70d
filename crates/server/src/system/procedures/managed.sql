-- What SqlClient asks for GetSchema and DeriveParameters. Columns:
-- https://learn.microsoft.com/dotnet/framework/data/adonet/sql-server-schema-collections

CREATE PROCEDURE sys.sp_columns_managed @Catalog sysname = NULL, @Owner sysname = NULL, @Table sysname = NULL, @Column sysname = NULL,
  @SchemaType int = 0 AS
SET NOCOUNT ON
-- 0: columns, 1: those that a column set shows too, 2: those alone.
SELECT c.TABLE_CATALOG, c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.ORDINAL_POSITION, c.COLUMN_DEFAULT, c.IS_NULLABLE, c.DATA_TYPE,
  c.CHARACTER_MAXIMUM_LENGTH, c.CHARACTER_OCTET_LENGTH, c.NUMERIC_PRECISION, c.NUMERIC_PRECISION_RADIX, c.NUMERIC_SCALE, c.DATETIME_PRECISION,
  c.CHARACTER_SET_CATALOG, c.CHARACTER_SET_SCHEMA, c.CHARACTER_SET_NAME, c.COLLATION_CATALOG, s.is_sparse AS IS_SPARSE,
  s.is_column_set AS IS_COLUMN_SET, s.is_filestream AS IS_FILESTREAM
FROM INFORMATION_SCHEMA.COLUMNS c
JOIN sys.schemas o ON o.name = c.TABLE_SCHEMA
JOIN sys.objects t ON t.schema_id = o.schema_id AND t.name = c.TABLE_NAME
JOIN sys.columns s ON s.object_id = t.object_id AND s.column_id = c.ORDINAL_POSITION
WHERE (@Catalog IS NULL OR c.TABLE_CATALOG = @Catalog) AND (@Owner IS NULL OR c.TABLE_SCHEMA = @Owner) AND (@Table IS NULL OR c.TABLE_NAME = @Table)
  AND (@Column IS NULL OR c.COLUMN_NAME = @Column)
  AND (@SchemaType = 1 OR @SchemaType = CASE WHEN s.is_sparse = 1 AND EXISTS (
    SELECT 1 FROM sys.columns e WHERE e.object_id = s.object_id AND e.is_column_set = 1) THEN 2 ELSE 0 END)
ORDER BY c.TABLE_CATALOG, c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION
GO
CREATE PROCEDURE sys.sp_indexes_managed @Catalog sysname = NULL, @Owner sysname = NULL, @Table sysname = NULL, @Name sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, DB_NAME()) AS constraint_catalog, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS constraint_schema,
  CONVERT(sysname, i.name) AS constraint_name, CONVERT(sysname, DB_NAME()) AS table_catalog, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS table_schema,
  CONVERT(sysname, o.name) AS table_name, CONVERT(sysname, i.name) AS index_name, CONVERT(nvarchar(60), i.type_desc) AS type_desc
FROM sys.objects o
JOIN sys.indexes i ON i.object_id = o.object_id
WHERE o.type = 'U' AND i.index_id > 0 AND (@Catalog IS NULL OR DB_NAME() = @Catalog) AND (@Owner IS NULL OR SCHEMA_NAME(o.schema_id) = @Owner)
  AND (@Table IS NULL OR o.name = @Table) AND (@Name IS NULL OR i.name = @Name)
ORDER BY 6, 7
GO
CREATE PROCEDURE sys.sp_indexcolumns_managed @Catalog sysname = NULL, @Owner sysname = NULL, @Table sysname = NULL, @ConstraintName sysname = NULL,
  @Column sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, DB_NAME()) AS constraint_catalog, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS constraint_schema,
  CONVERT(sysname, i.name) AS constraint_name, CONVERT(sysname, DB_NAME()) AS table_catalog, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS table_schema,
  CONVERT(sysname, o.name) AS table_name, CONVERT(sysname, c.name) AS column_name, CONVERT(int, k.key_ordinal) AS ordinal_position,
  CONVERT(tinyint, c.system_type_id) AS KeyType, CONVERT(sysname, i.name) AS index_name
FROM sys.objects o
JOIN sys.indexes i ON i.object_id = o.object_id
JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
WHERE o.type = 'U' AND (@Catalog IS NULL OR DB_NAME() = @Catalog) AND (@Owner IS NULL OR SCHEMA_NAME(o.schema_id) = @Owner)
  AND (@Table IS NULL OR o.name = @Table) AND (@ConstraintName IS NULL OR i.name = @ConstraintName) AND (@Column IS NULL OR c.name = @Column)
ORDER BY 6, 10, 8
GO
-- MANAGED_DATA_TYPE: SqlDbType. PARAMETER_TYPE: 1 in, 2 in and out, 4 the value that RETURN gives.
CREATE PROCEDURE sys.sp_procedure_params_100_managed @procedure_name sysname, @group_number int = 1, @procedure_schema sysname = NULL,
  @parameter_name sysname = NULL AS
SET NOCOUNT ON
SELECT CONVERT(sysname, DB_NAME()) AS PROCEDURE_CATALOG, CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS PROCEDURE_SCHEMA,
  CONVERT(sysname, o.name) AS PROCEDURE_NAME, p.name AS PARAMETER_NAME, CONVERT(int, p.parameter_id) AS ORDINAL_POSITION,
  CONVERT(smallint, CASE WHEN p.parameter_id = 0 THEN 4 WHEN p.is_output = 1 THEN 2 ELSE 1 END) AS PARAMETER_TYPE,
  CONVERT(bit, 0) AS PARAMETER_HASDEFAULT, CONVERT(nvarchar(255), NULL) AS PARAMETER_DEFAULT,
  CONVERT(bit, CASE p.parameter_id WHEN 0 THEN 0 ELSE 1 END) AS IS_NULLABLE,
  CONVERT(smallint, m.managed) AS MANAGED_DATA_TYPE,
  CONVERT(int, CASE WHEN p.system_type_id IN (165, 167, 173, 175) THEN p.max_length
    WHEN p.system_type_id IN (231, 239) THEN CASE p.max_length WHEN -1 THEN -1 ELSE p.max_length / 2 END
    WHEN p.system_type_id IN (34, 35) THEN 2147483647 WHEN p.system_type_id = 99 THEN 1073741823 WHEN p.system_type_id = 241 THEN -1
    WHEN p.system_type_id = 189 THEN 8 END) AS CHARACTER_MAXIMUM_LENGTH,
  CONVERT(int, CASE WHEN p.system_type_id IN (165, 167, 173, 175, 231, 239) THEN p.max_length
    WHEN p.system_type_id IN (34, 35) THEN 2147483647 WHEN p.system_type_id = 99 THEN 2147483646 WHEN p.system_type_id = 241 THEN -1
    WHEN p.system_type_id = 189 THEN 8 END) AS CHARACTER_OCTET_LENGTH,
  CONVERT(smallint, CASE WHEN p.system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127) THEN p.precision END) AS NUMERIC_PRECISION,
  CONVERT(smallint, CASE WHEN p.system_type_id IN (106, 108) THEN p.scale WHEN p.system_type_id IN (60, 122) THEN 4 END) AS NUMERIC_SCALE,
  CONVERT(sysname, CASE WHEN p.system_type_id IN (240, 243) THEN DB_NAME() END) AS TYPE_CATALOG_NAME,
  CONVERT(sysname, CASE WHEN p.system_type_id IN (240, 243) THEN SCHEMA_NAME(u.schema_id) END) AS TYPE_SCHEMA_NAME,
  CONVERT(sysname, u.name) AS TYPE_NAME, CONVERT(sysname, NULL) AS XML_CATALOGNAME, CONVERT(sysname, NULL) AS XML_SCHEMANAME,
  CONVERT(sysname, NULL) AS XML_SCHEMACOLLECTIONNAME,
  CONVERT(int, CASE WHEN p.system_type_id IN (41, 42, 43) THEN p.scale WHEN p.system_type_id = 61 THEN 3 WHEN p.system_type_id IN (40, 58) THEN 0 END) AS SS_DATETIME_PRECISION
FROM sys.all_objects o
JOIN (
  SELECT q.object_id, CONVERT(sysname, CASE q.parameter_id WHEN 0 THEN N'@RETURN_VALUE' ELSE q.name END) AS name, q.parameter_id, q.system_type_id,
    q.user_type_id, q.max_length, q.precision, q.scale, q.is_output
  FROM sys.all_parameters q
  UNION ALL
  SELECT r.object_id, CONVERT(sysname, N'@RETURN_VALUE'), CONVERT(int, 0), CONVERT(tinyint, 56), CONVERT(int, 56), CONVERT(smallint, 4), CONVERT(tinyint, 10),
    CONVERT(tinyint, 0), CONVERT(bit, 1)
  FROM sys.all_objects r WHERE r.type = 'P'
) AS p ON p.object_id = o.object_id
JOIN sys.types u ON u.user_type_id = p.user_type_id
JOIN (VALUES (34, 7), (35, 18), (36, 14), (40, 31), (41, 32), (42, 33), (43, 34), (48, 20), (52, 16), (56, 8), (58, 15), (59, 13), (60, 9), (61, 4), (62, 6),
  (98, 23), (99, 11), (104, 2), (106, 5), (108, 5), (122, 17), (127, 0), (165, 21), (167, 22), (173, 1), (175, 3), (189, 19), (231, 12), (239, 10), (240, 29),
  (241, 25), (243, 30)) AS m(system_type_id, managed) ON m.system_type_id = p.system_type_id
WHERE o.name = @procedure_name AND o.type IN ('P', 'FN', 'IF', 'TF') AND ISNULL(@group_number, 1) = 1
  AND o.schema_id = ISNULL(SCHEMA_ID(@procedure_schema), CASE WHEN @procedure_schema IS NULL THEN
    (SELECT TOP (1) x.schema_id FROM sys.all_objects x WHERE x.name = @procedure_name AND x.type IN ('P', 'FN', 'IF', 'TF')
     ORDER BY CASE x.schema_id WHEN SCHEMA_ID() THEN 0 WHEN 1 THEN 1 ELSE 2 END) END)
  AND (@parameter_name IS NULL OR p.name = @parameter_name)
ORDER BY 5
GO
CREATE PROCEDURE sys.sp_procedure_params_managed @procedure_name sysname, @group_number int = 1, @procedure_schema sysname = NULL,
  @parameter_name sysname = NULL AS
DECLARE @status int
EXEC @status = sys.sp_procedure_params_100_managed @procedure_name, @group_number, @procedure_schema, @parameter_name
RETURN @status
GO
