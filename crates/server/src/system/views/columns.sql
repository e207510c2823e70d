-- Columns, parameters and types: views over syscolpars and sysscalartypes.

CREATE VIEW sys.columns AS
SELECT c.id AS object_id, c.name, c.colid AS column_id, c.xtype AS system_type_id, c.utype AS user_type_id, c.length AS max_length,
  CONVERT(tinyint, CASE WHEN c.xtype = 241 THEN 0 ELSE c.prec END) AS precision, c.scale,
  CONVERT(sysname, CASE WHEN c.xtype <> 241 THEN c.collation END) AS collation_name, CONVERT(bit, c.status & 1) AS is_nullable,
  CONVERT(bit, CASE WHEN c.xtype IN (167, 175, 165, 173, 231, 239) THEN 1 ELSE 0 END) AS is_ansi_padded,
  CONVERT(bit, c.status & 16) AS is_rowguidcol, CONVERT(bit, c.status & 2) AS is_identity,
  CONVERT(bit, CASE c.status & 2097156 WHEN 4 THEN 1 ELSE 0 END) AS is_computed,
  CONVERT(bit, 0) AS is_filestream, CONVERT(bit, 0) AS is_replicated, CONVERT(bit, 0) AS is_non_sql_subscribed,
  CONVERT(bit, 0) AS is_merge_published, CONVERT(bit, 0) AS is_dts_replicated,
  CONVERT(bit, CASE WHEN c.xtype = 241 AND c.prec = 1 THEN 1 ELSE 0 END) AS is_xml_document,
  CONVERT(int, CASE WHEN c.xtype = 241 AND c.collation IS NOT NULL THEN 65535 + CONVERT(int, c.collation) ELSE 0 END) AS xml_collection_id,
  c.dflt AS default_object_id,
  CONVERT(int, CASE WHEN c.status & 1048576 <> 0
    THEN (SELECT r.indepid FROM sys.syssingleobjrefs r WHERE r.depid = c.id AND r.class = 206 AND r.depsubid = c.colid) ELSE 0 END) AS rule_object_id,
  CONVERT(bit, c.status & 256) AS is_sparse, CONVERT(bit, c.status & 2097152) AS is_column_set,
  CONVERT(tinyint, CASE WHEN c.status & 131072 <> 0 THEN 1 WHEN c.status & 262144 <> 0 THEN 2 ELSE 0 END) AS generated_always_type,
  CONVERT(nvarchar(60), CASE WHEN c.status & 131072 <> 0 THEN N'AS_ROW_START' WHEN c.status & 262144 <> 0 THEN N'AS_ROW_END'
    ELSE N'NOT_APPLICABLE' END) AS generated_always_type_desc, CONVERT(int, NULL) AS encryption_type,
  CONVERT(nvarchar(64), NULL) AS encryption_type_desc, CONVERT(sysname, NULL) AS encryption_algorithm_name,
  CONVERT(int, NULL) AS column_encryption_key_id, CONVERT(sysname, NULL) AS column_encryption_key_database_name,
  CONVERT(bit, c.status & 65536) AS is_hidden, CONVERT(bit, c.status & 32768) AS is_masked, CONVERT(int, NULL) AS graph_type,
  CONVERT(nvarchar(60), NULL) AS graph_type_desc, CONVERT(bit, 0) AS is_data_deletion_filter_column,
  CONVERT(tinyint, NULL) AS ledger_view_column_type, CONVERT(nvarchar(60), NULL) AS ledger_view_column_type_desc,
  CONVERT(bit, 0) AS is_dropped_ledger_column
FROM sys.syscolpars c
WHERE c.number = 0
GO
CREATE VIEW sys.system_columns AS
SELECT c.object_id, c.name, c.column_id, c.system_type_id, c.user_type_id, c.max_length, c.precision, c.scale, c.collation_name,
  c.is_nullable, CONVERT(bit, CASE WHEN c.system_type_id IN (167, 175, 165, 173, 231, 239) THEN 1 ELSE 0 END) AS is_ansi_padded,
  CONVERT(bit, 0) AS is_rowguidcol, CONVERT(bit, 0) AS is_identity, CONVERT(bit, 0) AS is_computed, CONVERT(bit, 0) AS is_filestream,
  CONVERT(bit, 0) AS is_replicated, CONVERT(bit, 0) AS is_non_sql_subscribed, CONVERT(bit, 0) AS is_merge_published,
  CONVERT(bit, 0) AS is_dts_replicated, CONVERT(bit, 0) AS is_xml_document, CONVERT(int, 0) AS xml_collection_id,
  CONVERT(int, 0) AS default_object_id, CONVERT(int, 0) AS rule_object_id, CONVERT(bit, 0) AS is_sparse,
  CONVERT(bit, 0) AS is_column_set, CONVERT(tinyint, 0) AS generated_always_type,
  CONVERT(nvarchar(60), N'NOT_APPLICABLE') AS generated_always_type_desc, CONVERT(int, NULL) AS encryption_type,
  CONVERT(nvarchar(64), NULL) AS encryption_type_desc, CONVERT(sysname, NULL) AS encryption_algorithm_name,
  CONVERT(int, NULL) AS column_encryption_key_id, CONVERT(sysname, NULL) AS column_encryption_key_database_name,
  CONVERT(bit, 0) AS is_hidden, CONVERT(bit, 0) AS is_masked, CONVERT(int, NULL) AS graph_type,
  CONVERT(nvarchar(60), NULL) AS graph_type_desc, CONVERT(bit, 0) AS is_data_deletion_filter_column,
  CONVERT(tinyint, NULL) AS ledger_view_column_type, CONVERT(nvarchar(60), NULL) AS ledger_view_column_type_desc,
  CONVERT(bit, 0) AS is_dropped_ledger_column
FROM sys.syssystemcolumns c
GO
CREATE VIEW sys.all_columns AS
SELECT * FROM sys.columns
UNION ALL
SELECT * FROM sys.system_columns
GO
CREATE VIEW sys.identity_columns AS
SELECT c.object_id, c.name, c.column_id, c.system_type_id, c.user_type_id, c.max_length, c.precision, c.scale, c.collation_name,
  c.is_nullable, c.is_ansi_padded, c.is_rowguidcol, c.is_identity, c.is_computed, c.is_filestream, c.is_replicated,
  c.is_non_sql_subscribed, c.is_merge_published, c.is_dts_replicated, c.is_xml_document, c.xml_collection_id, c.default_object_id,
  c.rule_object_id, v.seed_value, v.increment_value, v.last_value, CONVERT(bit, p.status & 1024) AS is_not_for_replication,
  c.is_sparse, c.is_column_set, c.generated_always_type, c.generated_always_type_desc, c.encryption_type, c.encryption_type_desc,
  c.encryption_algorithm_name, c.column_encryption_key_id, c.column_encryption_key_database_name, c.is_hidden, c.is_masked,
  c.graph_type, c.graph_type_desc, c.is_data_deletion_filter_column, c.ledger_view_column_type, c.ledger_view_column_type_desc,
  c.is_dropped_ledger_column
FROM sys.columns c
JOIN sys.syscolpars p ON p.id = c.object_id AND p.number = 0 AND p.colid = c.column_id
LEFT JOIN sys.sysidentityvalues v ON v.object_id = c.object_id
WHERE c.is_identity = 1
GO
CREATE VIEW sys.computed_columns AS
SELECT c.object_id, c.name, c.column_id, c.system_type_id, c.user_type_id, c.max_length, c.precision, c.scale, c.collation_name,
  c.is_nullable, c.is_ansi_padded, c.is_rowguidcol, c.is_identity, c.is_computed, c.is_filestream, c.is_replicated,
  c.is_non_sql_subscribed, c.is_merge_published, c.is_dts_replicated, c.is_xml_document, c.xml_collection_id, c.default_object_id,
  c.rule_object_id, CASE WHEN HAS_ACCESS(1060, c.object_id) = 1 THEN p.definition END AS definition, CONVERT(bit, 1) AS uses_database_collation, CONVERT(bit, p.status & 8) AS is_persisted,
  c.is_sparse, c.is_column_set, c.generated_always_type, c.generated_always_type_desc, c.encryption_type, c.encryption_type_desc,
  c.encryption_algorithm_name, c.column_encryption_key_id, c.column_encryption_key_database_name, c.is_hidden, c.is_masked,
  c.graph_type, c.graph_type_desc, c.is_data_deletion_filter_column, c.ledger_view_column_type, c.ledger_view_column_type_desc,
  c.is_dropped_ledger_column
FROM sys.columns c
JOIN sys.syscolpars p ON p.id = c.object_id AND p.number = 0 AND p.colid = c.column_id
WHERE c.is_computed = 1
GO
CREATE VIEW sys.masked_columns AS
SELECT c.*, CONVERT(nvarchar(4000), p.definition) AS masking_function
FROM sys.columns c
JOIN sys.syscolpars p ON p.id = c.object_id AND p.number = 0 AND p.colid = c.column_id
WHERE c.is_masked = 1
GO
CREATE VIEW sys.parameters AS
SELECT c.id AS object_id, c.name, c.colid AS parameter_id, c.xtype AS system_type_id, c.utype AS user_type_id,
  c.length AS max_length, CONVERT(tinyint, CASE WHEN c.xtype = 241 THEN 0 ELSE c.prec END) AS precision, c.scale,
  CONVERT(bit, c.status & 32) AS is_output, CONVERT(bit, c.status & 2048) AS is_cursor_ref, CONVERT(bit, 0) AS has_default_value,
  CONVERT(bit, CASE WHEN c.xtype = 241 AND c.prec = 1 THEN 1 ELSE 0 END) AS is_xml_document, CONVERT(sql_variant, NULL) AS default_value,
  CONVERT(int, CASE WHEN c.xtype = 241 AND c.collation IS NOT NULL THEN 65535 + CONVERT(int, c.collation) ELSE 0 END) AS xml_collection_id,
  CONVERT(bit, c.status & 128) AS is_readonly,
  CONVERT(bit, CASE WHEN c.status & 8192 = 0 THEN 1 ELSE 0 END) AS is_nullable, CONVERT(int, NULL) AS encryption_type, CONVERT(nvarchar(64), NULL) AS encryption_type_desc,
  CONVERT(sysname, NULL) AS encryption_algorithm_name, CONVERT(int, NULL) AS column_encryption_key_id,
  CONVERT(sysname, NULL) AS column_encryption_key_database_name
FROM sys.syscolpars c
WHERE c.number = 1
GO
CREATE VIEW sys.system_parameters AS
SELECT p.object_id, p.name, p.parameter_id, p.system_type_id, p.user_type_id, p.max_length, p.precision, p.scale,
  CONVERT(bit, p.is_output) AS is_output, CONVERT(bit, 0) AS is_cursor_ref, CONVERT(bit, 0) AS has_default_value,
  CONVERT(bit, 0) AS is_xml_document, CONVERT(sql_variant, NULL) AS default_value, CONVERT(int, 0) AS xml_collection_id,
  CONVERT(bit, 0) AS is_readonly, CONVERT(bit, 1) AS is_nullable, CONVERT(int, NULL) AS encryption_type,
  CONVERT(nvarchar(64), NULL) AS encryption_type_desc, CONVERT(sysname, NULL) AS encryption_algorithm_name,
  CONVERT(int, NULL) AS column_encryption_key_id, CONVERT(sysname, NULL) AS column_encryption_key_database_name
FROM sys.syssystemparameters p
GO
CREATE VIEW sys.all_parameters AS
SELECT * FROM sys.parameters
UNION ALL
SELECT * FROM sys.system_parameters
GO
CREATE VIEW sys.types AS
SELECT t.name, t.xtype AS system_type_id, t.id AS user_type_id, t.schid AS schema_id, CONVERT(int, NULL) AS principal_id,
  t.length AS max_length, t.prec AS precision, t.scale, t.collation AS collation_name, CONVERT(bit, t.status & 1) AS is_nullable,
  CONVERT(bit, CASE WHEN t.id > 256 THEN 1 ELSE 0 END) AS is_user_defined, CONVERT(bit, t.status & 4) AS is_assembly_type,
  t.dflt AS default_object_id, t.chk AS rule_object_id, CONVERT(bit, t.status & 2) AS is_table_type
FROM sys.sysscalartypes t
GO
CREATE VIEW sys.table_types AS
SELECT t.name, t.xtype AS system_type_id, t.id AS user_type_id, t.schid AS schema_id, CONVERT(int, NULL) AS principal_id,
  t.length AS max_length, t.prec AS precision, t.scale, t.collation AS collation_name, CONVERT(bit, t.status & 1) AS is_nullable,
  CONVERT(bit, 1) AS is_user_defined, CONVERT(bit, 0) AS is_assembly_type, t.dflt AS default_object_id, t.chk AS rule_object_id,
  CONVERT(bit, 1) AS is_table_type, t.tableid AS type_table_object_id, CONVERT(bit, t.status & 8) AS is_memory_optimized
FROM sys.sysscalartypes t
WHERE t.status & 2 <> 0
GO
-- The one that every database has. https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-assemblies-transact-sql
CREATE VIEW sys.assemblies AS
SELECT CONVERT(sysname, N'Microsoft.SqlServer.Types') AS name, CONVERT(int, 4) AS principal_id, CONVERT(int, 1) AS assembly_id,
  CONVERT(nvarchar(4000), N'microsoft.sqlserver.types, version=16.0.0.0, culture=neutral, publickeytoken=89845dcd8080cc91, processorarchitecture=msil') AS clr_name,
  CONVERT(tinyint, 3) AS permission_set, CONVERT(nvarchar(60), N'UNSAFE_ACCESS') AS permission_set_desc, CONVERT(bit, 1) AS is_visible,
  d.create_date, d.create_date AS modify_date, CONVERT(bit, 0) AS is_user_defined
FROM sys.databases d
WHERE d.database_id = 1
GO
CREATE VIEW sys.assembly_types AS
SELECT t.name, t.xtype AS system_type_id, t.id AS user_type_id, t.schid AS schema_id, CONVERT(int, NULL) AS principal_id,
  t.length AS max_length, t.prec AS precision, t.scale, t.collation AS collation_name, CONVERT(bit, t.status & 1) AS is_nullable,
  CONVERT(bit, 0) AS is_user_defined, CONVERT(bit, 1) AS is_assembly_type, t.dflt AS default_object_id, t.chk AS rule_object_id,
  CONVERT(int, 1) AS assembly_id, k.class AS assembly_class, CONVERT(bit, CASE t.id WHEN 128 THEN 1 ELSE 0 END) AS is_binary_ordered,
  CONVERT(bit, 0) AS is_fixed_length, CONVERT(nvarchar(40), NULL) AS prog_id,
  CONVERT(nvarchar(4000), k.class + N', Microsoft.SqlServer.Types, Version=11.0.0.0, Culture=neutral, PublicKeyToken=89845dcd8080cc91') AS assembly_qualified_name,
  CONVERT(bit, 0) AS is_table_type
FROM sys.sysscalartypes t
CROSS APPLY (SELECT CONVERT(sysname, N'Microsoft.SqlServer.Types.' + CASE t.id WHEN 128 THEN N'SqlHierarchyId' WHEN 129 THEN N'SqlGeometry' ELSE N'SqlGeography' END) AS class) k
WHERE t.status & 4 <> 0
GO
CREATE VIEW sys.column_type_usages AS
SELECT c.id AS object_id, c.colid AS column_id, c.utype AS user_type_id
FROM sys.syscolpars c
WHERE c.number = 0 AND c.utype > 256
GO
CREATE VIEW sys.parameter_type_usages AS
SELECT c.id AS object_id, c.colid AS parameter_id, c.utype AS user_type_id
FROM sys.syscolpars c
WHERE c.number = 1 AND c.utype > 256
GO
CREATE VIEW sys.xml_schema_collections AS
SELECT CONVERT(int, 1) AS xml_collection_id, CONVERT(int, 4) AS schema_id, CONVERT(int, NULL) AS principal_id, CONVERT(sysname, N'sys') AS name,
  CONVERT(datetime, '2013-04-08T00:00:00') AS create_date, CONVERT(datetime, '2013-04-08T00:00:00') AS modify_date
UNION ALL
SELECT o.id, -o.nsid, o.owner, o.name, o.created, o.modified
FROM sys.sysschobjs o
WHERE o.kind = 'XS'
GO
CREATE VIEW sys.column_xml_schema_collection_usages AS
SELECT c.id AS object_id, c.colid AS column_id, 65535 + CONVERT(int, c.collation) AS xml_collection_id
FROM sys.syscolpars c
WHERE c.number = 0 AND c.xtype = 241 AND c.collation IS NOT NULL
GO
CREATE VIEW sys.parameter_xml_schema_collection_usages AS
SELECT c.id AS object_id, c.colid AS parameter_id, 65535 + CONVERT(int, c.collation) AS xml_collection_id
FROM sys.syscolpars c
WHERE c.number = 1 AND c.xtype = 241 AND c.collation IS NOT NULL
GO
