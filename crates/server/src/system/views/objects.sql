-- Objects, tables, modules: views over sysschobjs and what hangs on it.

CREATE VIEW sys.objects AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id,
  o.kind AS type,
  CONVERT(nvarchar(60), CASE o.kind WHEN 'U' THEN N'USER_TABLE' WHEN 'S' THEN N'SYSTEM_TABLE' WHEN 'V' THEN N'VIEW'
    WHEN 'P' THEN N'SQL_STORED_PROCEDURE' WHEN 'FN' THEN N'SQL_SCALAR_FUNCTION' WHEN 'IF' THEN N'SQL_INLINE_TABLE_VALUED_FUNCTION'
    WHEN 'TF' THEN N'SQL_TABLE_VALUED_FUNCTION' WHEN 'TR' THEN N'SQL_TRIGGER' WHEN 'PK' THEN N'PRIMARY_KEY_CONSTRAINT'
    WHEN 'UQ' THEN N'UNIQUE_CONSTRAINT' WHEN 'F' THEN N'FOREIGN_KEY_CONSTRAINT' WHEN 'C' THEN N'CHECK_CONSTRAINT'
    WHEN 'D' THEN N'DEFAULT_CONSTRAINT' WHEN 'SO' THEN N'SEQUENCE_OBJECT' WHEN 'SN' THEN N'SYNONYM' WHEN 'TT' THEN N'TYPE_TABLE'
    WHEN 'SP' THEN N'SECURITY_POLICY' WHEN 'R' THEN N'RULE' WHEN 'IT' THEN N'INTERNAL_TABLE' WHEN 'SQ' THEN N'SERVICE_QUEUE' END) AS type_desc,
  o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, CASE WHEN o.nsid = 4 AND (o.pid <> 0 OR o.kind = 'TT') THEN 1 ELSE o.status & 1 END) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published
FROM sys.sysschobjs o
WHERE o.nsid > 0 AND o.kind <> 'XS'
GO
CREATE VIEW sys.system_objects AS
SELECT o.name, o.object_id, CONVERT(int, NULL) AS principal_id, o.schema_id, o.parent_object_id, o.type, o.type_desc,
  o.create_date, o.create_date AS modify_date, CONVERT(bit, 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published,
  CONVERT(bit, 0) AS is_schema_published
FROM sys.syssystemobjects o
GO
CREATE VIEW sys.all_objects AS
SELECT * FROM sys.objects
UNION ALL
SELECT * FROM sys.system_objects
GO
CREATE VIEW sys.tables AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'USER_TABLE') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(int, CASE WHEN o.status & 8192 = 0 AND EXISTS (SELECT 1 FROM sys.syscolpars c WHERE c.id = o.id AND c.number = 0 AND (c.xtype IN (34, 35, 99) OR c.length = -1))
    THEN ISNULL((SELECT i.dataspace FROM sys.sysidxstats i WHERE i.id = o.id AND i.indid < 2 AND i.dataspace > 65535), 1) ELSE 0 END) AS lob_data_space_id,
  CONVERT(int, NULL) AS filestream_data_space_id, o.intprop AS max_column_id_used,
  CONVERT(bit, 0) AS lock_on_bulk_load, CONVERT(bit, 1) AS uses_ansi_nulls, CONVERT(bit, 0) AS is_replicated,
  CONVERT(bit, 0) AS has_replication_filter, CONVERT(bit, 0) AS is_merge_published, CONVERT(bit, 0) AS is_sync_tran_subscribed,
  CONVERT(bit, 0) AS has_unchecked_assembly_data, CONVERT(int, 0) AS text_in_row_limit,
  CONVERT(bit, 0) AS large_value_types_out_of_row, CONVERT(bit, 0) AS is_tracked_by_cdc,
  CONVERT(tinyint, CASE WHEN o.status & 16777216 <> 0 THEN 1 WHEN o.status & 33554432 <> 0 THEN 2 ELSE 0 END) AS lock_escalation,
  CONVERT(nvarchar(60), CASE WHEN o.status & 16777216 <> 0 THEN N'DISABLE' WHEN o.status & 33554432 <> 0 THEN N'AUTO' ELSE N'TABLE' END) AS lock_escalation_desc, CONVERT(bit, 0) AS is_filetable,
  CONVERT(bit, o.status & 8192) AS is_memory_optimized, CONVERT(tinyint, CASE WHEN o.status & 16384 <> 0 THEN 1 ELSE 0 END) AS durability,
  CONVERT(nvarchar(60), CASE WHEN o.status & 16384 <> 0 THEN N'SCHEMA_ONLY' ELSE N'SCHEMA_AND_DATA' END) AS durability_desc,
  CONVERT(tinyint, CASE WHEN o.status & 2097152 <> 0 THEN 2 WHEN o.status & 4194304 <> 0 THEN 1 ELSE 0 END) AS temporal_type,
  CONVERT(nvarchar(60), CASE WHEN o.status & 2097152 <> 0 THEN N'SYSTEM_VERSIONED_TEMPORAL_TABLE'
    WHEN o.status & 4194304 <> 0 THEN N'HISTORY_TABLE' ELSE N'NON_TEMPORAL_TABLE' END) AS temporal_type_desc,
  r.indepid AS history_table_id, CONVERT(bit, 0) AS is_remote_data_archive_enabled, CONVERT(bit, 0) AS is_external,
  r.indepsubid AS history_retention_period, r.status AS history_retention_period_unit,
  CONVERT(nvarchar(10), CASE r.status WHEN -1 THEN N'INFINITE' WHEN 3 THEN N'DAY' WHEN 4 THEN N'WEEK' WHEN 5 THEN N'MONTH'
    WHEN 6 THEN N'YEAR' END) AS history_retention_period_unit_desc, CONVERT(bit, 0) AS is_node, CONVERT(bit, 0) AS is_edge,
  CONVERT(int, -1) AS data_retention_period, CONVERT(int, -1) AS data_retention_period_unit,
  CONVERT(nvarchar(10), N'INFINITE') AS data_retention_period_unit_desc, CONVERT(tinyint, 0) AS ledger_type,
  CONVERT(nvarchar(60), N'NON_LEDGER_TABLE') AS ledger_type_desc, CONVERT(int, NULL) AS ledger_view_id,
  CONVERT(bit, 0) AS is_dropped_ledger_table
FROM sys.sysschobjs o
LEFT JOIN sys.syssingleobjrefs r ON r.class = 205 AND r.depid = o.id AND r.depsubid = 0
WHERE o.kind = 'U'
GO
CREATE VIEW sys.periods AS
SELECT CONVERT(sysname, N'SYSTEM_TIME') AS name, CONVERT(tinyint, 1) AS period_type,
  CONVERT(nvarchar(60), N'SYSTEM_TIME_PERIOD') AS period_type_desc, s.id AS object_id, s.colid AS start_column_id,
  e.colid AS end_column_id
FROM sys.syscolpars s
JOIN sys.syscolpars e ON e.id = s.id AND e.number = 0 AND e.status & 262144 <> 0
WHERE s.number = 0 AND s.status & 131072 <> 0
GO
CREATE VIEW sys.views AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'VIEW') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(bit, 0) AS is_replicated, CONVERT(bit, 0) AS has_replication_filter, CONVERT(bit, o.status & 67108864) AS has_opaque_metadata,
  CONVERT(bit, 0) AS has_unchecked_assembly_data, CONVERT(bit, o.status & 65536) AS with_check_option,
  CONVERT(bit, 0) AS is_date_correlation_view, CONVERT(bit, 0) AS is_tracked_by_cdc, CONVERT(bit, 0) AS has_snapshot,
  CONVERT(tinyint, 0) AS ledger_view_type, CONVERT(nvarchar(60), N'NON_LEDGER_VIEW') AS ledger_view_type_desc,
  CONVERT(bit, 0) AS is_dropped_ledger_view
FROM sys.sysschobjs o
WHERE o.kind = 'V'
GO
CREATE VIEW sys.system_views AS
SELECT o.name, o.object_id, CONVERT(int, NULL) AS principal_id, o.schema_id, o.parent_object_id, o.type, o.type_desc,
  o.create_date, o.create_date AS modify_date, CONVERT(bit, 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published,
  CONVERT(bit, 0) AS is_schema_published, CONVERT(bit, 0) AS is_replicated, CONVERT(bit, 0) AS has_replication_filter,
  CONVERT(bit, 0) AS has_opaque_metadata, CONVERT(bit, 0) AS has_unchecked_assembly_data, CONVERT(bit, 0) AS with_check_option,
  CONVERT(bit, 0) AS is_date_correlation_view
FROM sys.syssystemobjects o
WHERE o.type = 'V'
GO
CREATE VIEW sys.all_views AS
SELECT name, object_id, principal_id, schema_id, parent_object_id, type, type_desc, create_date, modify_date, is_ms_shipped,
  is_published, is_schema_published, is_replicated, has_replication_filter, has_opaque_metadata, has_unchecked_assembly_data,
  with_check_option, is_date_correlation_view
FROM sys.views
UNION ALL
SELECT name, object_id, principal_id, schema_id, parent_object_id, type, type_desc, create_date, modify_date, is_ms_shipped,
  is_published, is_schema_published, is_replicated, has_replication_filter, has_opaque_metadata, has_unchecked_assembly_data,
  with_check_option, is_date_correlation_view
FROM sys.system_views
GO
CREATE VIEW sys.procedures AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'SQL_STORED_PROCEDURE') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(bit, o.status & 8388608) AS is_auto_executed, CONVERT(bit, 0) AS is_execution_replicated,
  CONVERT(bit, 0) AS is_repl_serializable_only, CONVERT(bit, 0) AS skips_repl_constraints
FROM sys.sysschobjs o
WHERE o.kind = 'P'
GO
CREATE VIEW sys.triggers AS
SELECT o.name, o.id AS object_id, CONVERT(tinyint, CASE WHEN o.pid = 0 THEN 0 ELSE 1 END) AS parent_class,
  CONVERT(nvarchar(60), CASE WHEN o.pid = 0 THEN N'DATABASE' ELSE N'OBJECT_OR_COLUMN' END) AS parent_class_desc,
  o.pid AS parent_id, o.kind AS type, CONVERT(nvarchar(60), N'SQL_TRIGGER') AS type_desc, o.created AS create_date,
  o.modified AS modify_date, CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, o.status & 4) AS is_disabled,
  CONVERT(bit, o.status & 16) AS is_not_for_replication, CONVERT(bit, o.status & 32) AS is_instead_of_trigger
FROM sys.sysschobjs o
WHERE o.kind = 'TR' AND o.nsid >= 0
GO
CREATE VIEW sys.trigger_events AS
SELECT o.id AS object_id, e.type, e.type_desc, CONVERT(bit, CASE WHEN r.status = 1 THEN 1 ELSE 0 END) AS is_first,
  CONVERT(bit, CASE WHEN r.status = 2 THEN 1 ELSE 0 END) AS is_last,
  CONVERT(int, NULL) AS event_group_type, CONVERT(nvarchar(60), NULL) AS event_group_type_desc, CONVERT(bit, 1) AS is_trigger_event
FROM sys.sysschobjs o
JOIN (VALUES (CONVERT(int, 1), CONVERT(nvarchar(60), N'INSERT'), 64), (2, N'UPDATE', 128), (3, N'DELETE', 256)) AS e(type, type_desc, bits)
  ON o.status & e.bits <> 0
LEFT JOIN sys.sysmultiobjrefs r ON r.class = 207 AND r.depid = o.id AND r.depsubid = e.type
WHERE o.kind = 'TR' AND o.nsid > 0
UNION ALL
SELECT o.id, r.depsubid, CONVERT(nvarchar(60), e.type_name), CONVERT(bit, CASE WHEN r.status = 1 THEN 1 ELSE 0 END),
  CONVERT(bit, CASE WHEN r.status = 2 THEN 1 ELSE 0 END), NULLIF(r.indepid, 0), CONVERT(nvarchar(60), g.type_name), CONVERT(bit, 1)
FROM sys.sysschobjs o
JOIN sys.sysmultiobjrefs r ON r.class = 207 AND r.depid = o.id
JOIN sys.trigger_event_types e ON e.type = r.depsubid
LEFT JOIN sys.trigger_event_types g ON g.type = r.indepid
WHERE o.kind = 'TR' AND o.nsid = 0
GO
CREATE VIEW sys.server_triggers AS
SELECT o.name, o.id AS object_id, CONVERT(tinyint, 100) AS parent_class, CONVERT(nvarchar(60), N'SERVER') AS parent_class_desc,
  CONVERT(int, 0) AS parent_id, o.kind AS type, CONVERT(nvarchar(60), N'SQL_TRIGGER') AS type_desc, o.created AS create_date,
  o.modified AS modify_date, CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, o.status & 4) AS is_disabled
FROM master.sys.sysschobjs o
WHERE o.kind = 'TR' AND o.nsid = -1
GO
CREATE VIEW sys.server_trigger_events AS
SELECT o.id AS object_id, r.depsubid AS type, CONVERT(nvarchar(60), ISNULL(e.type_name, N'LOGON')) AS type_desc,
  CONVERT(bit, CASE WHEN r.status = 1 THEN 1 ELSE 0 END) AS is_first, CONVERT(bit, CASE WHEN r.status = 2 THEN 1 ELSE 0 END) AS is_last,
  NULLIF(r.indepid, 0) AS event_group_type, CONVERT(nvarchar(60), g.type_name) AS event_group_type_desc,
  CONVERT(bit, 1) AS is_trigger_event
FROM master.sys.sysschobjs o
JOIN master.sys.sysmultiobjrefs r ON r.class = 207 AND r.depid = o.id
LEFT JOIN sys.trigger_event_types e ON e.type = r.depsubid
LEFT JOIN sys.trigger_event_types g ON g.type = r.indepid
WHERE o.kind = 'TR' AND o.nsid = -1
GO
CREATE VIEW sys.server_events AS
SELECT object_id, type, type_desc, event_group_type, event_group_type_desc FROM sys.server_trigger_events
GO
CREATE VIEW sys.server_sql_modules AS
SELECT o.id AS object_id, CASE WHEN o.status & 1048576 = 0 THEN t.value END AS definition, CONVERT(bit, o.status & 512) AS uses_ansi_nulls,
  CONVERT(bit, o.status & 1024) AS uses_quoted_identifier, CONVERT(int, x.indepid) AS execute_as_principal_id
FROM master.sys.sysschobjs o
JOIN master.sys.sysobjvalues t ON t.objid = o.id
LEFT JOIN master.sys.syssingleobjrefs x ON x.class = 203 AND x.depid = o.id
WHERE o.kind = 'TR' AND o.nsid = -1
GO
CREATE VIEW sys.events AS
SELECT object_id, type, type_desc, is_trigger_event, event_group_type, event_group_type_desc FROM sys.trigger_events
GO
CREATE VIEW sys.sql_modules AS
SELECT o.id AS object_id, CASE WHEN o.status & 1048576 = 0 AND HAS_ACCESS(1060, o.id) = 1 THEN t.value END AS definition,
  CONVERT(bit, o.status & 512) AS uses_ansi_nulls, CONVERT(bit, o.status & 1024) AS uses_quoted_identifier,
  CONVERT(bit, o.status & 2048) AS is_schema_bound, CONVERT(bit, o.status & 2048) AS uses_database_collation,
  CONVERT(bit, o.status & 131072) AS is_recompiled, CONVERT(bit, o.status & 262144) AS null_on_null_input,
  CONVERT(int, CASE WHEN o.status & 524288 <> 0 THEN -2 ELSE x.indepid END) AS execute_as_principal_id,
  CONVERT(bit, o.status & 4096) AS uses_native_compilation,
  CONVERT(bit, CASE WHEN o.kind = 'IF' OR o.status & 402653184 = 134217728 THEN 1 ELSE 0 END) AS inline_type,
  CONVERT(bit, CASE WHEN o.kind = 'IF' OR o.status & 134217728 <> 0 THEN 1 ELSE 0 END) AS is_inlineable
FROM sys.sysschobjs o
JOIN sys.sysobjvalues t ON t.objid = o.id
LEFT JOIN sys.syssingleobjrefs x ON x.class = 203 AND x.depid = o.id
WHERE (o.kind IN ('P', 'V', 'FN', 'IF', 'TF', 'TR', 'R') OR o.kind = 'D' AND o.pid = 0) AND o.nsid >= 0
GO
CREATE VIEW sys.system_sql_modules AS
SELECT o.object_id, o.definition, CONVERT(bit, 1) AS uses_ansi_nulls, CONVERT(bit, 1) AS uses_quoted_identifier,
  CONVERT(bit, 0) AS is_schema_bound, CONVERT(bit, 0) AS uses_database_collation, CONVERT(bit, 0) AS is_recompiled,
  CONVERT(bit, 0) AS null_on_null_input, CONVERT(int, NULL) AS execute_as_principal_id, CONVERT(bit, 0) AS uses_native_compilation,
  CONVERT(bit, 0) AS inline_type, CONVERT(bit, 0) AS is_inlineable
FROM sys.syssystemobjects o
WHERE o.definition IS NOT NULL
GO
CREATE VIEW sys.all_sql_modules AS
SELECT * FROM sys.sql_modules
UNION ALL
SELECT * FROM sys.system_sql_modules
GO
CREATE VIEW sys.synonyms AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'SYNONYM') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(nvarchar(1035), t.value) AS base_object_name
FROM sys.sysschobjs o
JOIN sys.sysobjvalues t ON t.objid = o.id
WHERE o.kind = 'SN'
GO
CREATE VIEW sys.sequences AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'SEQUENCE_OBJECT') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  c.start_value, c.increment, c.minimum_value, c.maximum_value, CONVERT(bit, q.status & 1) AS is_cycling,
  CONVERT(bit, q.status & 2) AS is_cached, q.cache_size, q.xtype AS system_type_id, q.utype AS user_type_id, q.prec AS precision,
  q.scale, c.current_value, CONVERT(bit, c.exhausted) AS is_exhausted, c.last_used_value
FROM sys.sysschobjs o
JOIN sys.sysseqobjs q ON q.id = o.id
JOIN sys.syssequencevalues c ON c.object_id = o.id
WHERE o.kind = 'SO'
GO
CREATE VIEW sys.security_policies AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'SECURITY_POLICY') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, o.status & 1) AS is_ms_shipped, CONVERT(bit, CASE WHEN o.status & 4 = 0 THEN 1 ELSE 0 END) AS is_enabled,
  CONVERT(bit, o.status & 16) AS is_not_for_replication, CONVERT(int, 0) AS uses_database_collation,
  CONVERT(bit, o.status & 2048) AS is_schema_bound
FROM sys.sysschobjs o
WHERE o.kind = 'SP'
GO
CREATE VIEW sys.security_predicates AS
SELECT o.id AS object_id, p.security_predicate_id, p.target_object_id, p.predicate_definition, p.predicate_type,
  CONVERT(nvarchar(128), CASE p.predicate_type WHEN 0 THEN N'FILTER' ELSE N'BLOCK' END) AS predicate_type_desc, p.operation,
  CONVERT(nvarchar(60), CASE p.operation WHEN 1 THEN N'AFTER INSERT' WHEN 2 THEN N'AFTER UPDATE' WHEN 3 THEN N'BEFORE UPDATE'
    WHEN 4 THEN N'BEFORE DELETE' END) AS operation_desc
FROM sys.sysschobjs o
JOIN sys.syspolicypredicates p ON p.object_id = o.id
WHERE o.kind = 'SP' AND HAS_ACCESS(1060, o.id, DB_ID()) = 1
GO
CREATE VIEW sys.schemas AS
SELECT name, id AS schema_id, owner AS principal_id FROM sys.sysclsobjs WHERE class = 50
GO
CREATE VIEW sys.extended_properties AS
SELECT p.class, CONVERT(nvarchar(60), CASE p.class WHEN 0 THEN N'DATABASE' WHEN 1 THEN N'OBJECT_OR_COLUMN' WHEN 2 THEN N'PARAMETER'
    WHEN 3 THEN N'SCHEMA' WHEN 4 THEN N'DATABASE_PRINCIPAL' WHEN 6 THEN N'TYPE' WHEN 7 THEN N'INDEX' WHEN 10 THEN N'XML_SCHEMA_COLLECTION' END) AS class_desc,
  p.id AS major_id, p.subid AS minor_id, p.name, p.value
FROM sys.sysxprops p
GO
CREATE VIEW sys.internal_tables AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'INTERNAL_TABLE') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, 1) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(tinyint, CASE WHEN o.intprop < 384000 THEN 202 ELSE 207 END) AS internal_type,
  CONVERT(nvarchar(60), CASE WHEN o.intprop < 384000 THEN N'XML_INDEX_NODES' ELSE N'EXTENDED_INDEXES' END) AS internal_type_desc, o.pid AS parent_id,
  o.intprop AS parent_minor_id, CONVERT(int, 0) AS lob_data_space_id, CONVERT(int, NULL) AS filestream_data_space_id
FROM sys.sysschobjs o
WHERE o.kind = 'IT'
GO
-- What is noted is what binds the definitions of others; of a module the whole refers, of a table a column.
CREATE VIEW sys.sql_expression_dependencies AS
SELECT r.depid AS referencing_id, CASE WHEN d.kind IN ('U', 'TT') THEN r.depsubid ELSE 0 END AS referencing_minor_id, CONVERT(tinyint, 1) AS referencing_class,
  CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN') AS referencing_class_desc, CONVERT(bit, 1) AS is_schema_bound_reference,
  CONVERT(tinyint, 1) AS referenced_class, CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN') AS referenced_class_desc,
  CONVERT(sysname, NULL) AS referenced_server_name, CONVERT(sysname, NULL) AS referenced_database_name,
  s.name AS referenced_schema_name, o.name AS referenced_entity_name, o.id AS referenced_id, r.indepsubid AS referenced_minor_id,
  CONVERT(bit, 0) AS is_caller_dependent, CONVERT(bit, 0) AS is_ambiguous
FROM sys.syssingleobjrefs r
JOIN sys.sysschobjs d ON d.id = r.depid
JOIN sys.sysschobjs o ON o.id = r.indepid
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = o.nsid
WHERE r.class = 1 AND HAS_ACCESS(1060, r.depid) = 1
UNION ALL
-- A name without a schema is one of the module's own schema, or of dbo; who calls decides where a procedure's is looked for.
SELECT m.referencing_id, m.minor_id, CONVERT(tinyint, 1), CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN'), m.is_bound,
  CONVERT(tinyint, CASE m.is_type WHEN 1 THEN 6 ELSE 1 END), CONVERT(nvarchar(60), CASE m.is_type WHEN 1 THEN N'TYPE' ELSE N'OBJECT_OR_COLUMN' END),
  m.server_name, m.database_name, m.schema_name, m.entity_name, COALESCE(t.id, own.id, dbo.id), 0,
  CONVERT(bit, CASE WHEN m.is_executed = 1 AND m.schema_name IS NULL AND m.database_name IS NULL THEN 1 ELSE 0 END),
  CONVERT(bit, CASE WHEN m.is_called = 1 AND own.id IS NULL AND m.database_name IS NULL THEN 1 ELSE 0 END)
FROM sys.sysmodulereferences m
JOIN sys.sysschobjs d ON d.id = m.referencing_id
LEFT JOIN sys.sysclsobjs s ON s.class = 50 AND s.name = m.schema_name
LEFT JOIN sys.sysscalartypes t ON m.is_type = 1 AND m.database_name IS NULL AND t.name = m.entity_name
  AND t.schid = CASE WHEN m.schema_name IS NULL THEN m.schema_id ELSE s.id END
LEFT JOIN sys.sysschobjs own ON m.is_type = 0 AND m.server_name IS NULL AND (m.database_name IS NULL OR m.database_name = DB_NAME())
  AND (m.is_executed = 0 OR m.schema_name IS NOT NULL) AND own.name = m.entity_name AND own.nsid = CASE WHEN m.schema_name IS NULL THEN m.schema_id ELSE s.id END
LEFT JOIN sys.sysschobjs dbo ON m.is_type = 0 AND m.is_executed = 0 AND m.schema_name IS NULL AND m.database_name IS NULL AND dbo.name = m.entity_name AND dbo.nsid = 1
WHERE HAS_ACCESS(1060, m.referencing_id) = 1
UNION ALL
SELECT e.referencing_id, e.minor_id, CONVERT(tinyint, e.class), CONVERT(nvarchar(60), CASE e.class WHEN 7 THEN N'INDEX' ELSE N'OBJECT_OR_COLUMN' END),
  CONVERT(bit, 1), CONVERT(tinyint, 1), CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN'), NULL, NULL, s.name, o.name, o.id, e.column_id, CONVERT(bit, 0), CONVERT(bit, 0)
FROM sys.sysexpressioncolumns e
JOIN sys.sysschobjs o ON o.id = e.referenced_id
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = o.nsid
WHERE HAS_ACCESS(1060, e.referencing_id) = 1
GO
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referencing-entities-transact-sql
CREATE FUNCTION sys.dm_sql_referencing_entities(@name nvarchar(517), @referenced_class nvarchar(60))
RETURNS TABLE AS RETURN
SELECT DISTINCT CONVERT(sysname, SCHEMA_NAME(o.schema_id)) AS referencing_schema_name, CONVERT(sysname, o.name) AS referencing_entity_name,
  o.object_id AS referencing_id, CONVERT(tinyint, 1) AS referencing_class, CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN') AS referencing_class_desc,
  d.is_caller_dependent
FROM sys.sql_expression_dependencies d
JOIN sys.objects o ON o.object_id = d.referencing_id
WHERE d.referenced_class = 1 AND d.referenced_minor_id = 0 AND @referenced_class = N'OBJECT' AND (d.referenced_id = OBJECT_ID(@name)
    OR d.is_caller_dependent = 1 AND OBJECT_ID(@name) IS NOT NULL AND d.referenced_entity_name = PARSENAME(@name, 1))
  OR d.referenced_class = 6 AND @referenced_class = N'TYPE' AND d.referenced_id = TYPE_ID(@name)
GO
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referenced-entities-transact-sql
CREATE FUNCTION sys.dm_sql_referenced_entities(@name nvarchar(517), @referencing_class nvarchar(60))
RETURNS TABLE AS RETURN
SELECT d.referencing_minor_id, d.referenced_server_name, d.referenced_database_name, d.referenced_schema_name, d.referenced_entity_name,
  CONVERT(sysname, COL_NAME(d.referenced_id, NULLIF(d.referenced_minor_id, 0))) AS referenced_minor_name, d.referenced_id, d.referenced_minor_id,
  d.referenced_class, d.referenced_class_desc, d.is_caller_dependent, d.is_ambiguous, CONVERT(bit, ISNULL(u.selected, 0)) AS is_selected,
  CONVERT(bit, ISNULL(u.updated, 0)) AS is_updated, CONVERT(bit, 0) AS is_select_all,
  CONVERT(bit, CASE WHEN d.referenced_class = 1 AND d.referenced_id IS NULL THEN 0 ELSE 1 END) AS is_all_columns_found, CONVERT(bit, 0) AS is_insert_all,
  CONVERT(bit, CASE WHEN d.referenced_id IS NULL AND d.referenced_database_name IS NULL AND d.is_caller_dependent = 0 THEN 1 ELSE 0 END) AS is_incomplete
FROM sys.sql_expression_dependencies d
JOIN sys.objects m ON m.object_id = d.referencing_id
LEFT JOIN (SELECT c.referenced_id, MAX(CONVERT(int, c.is_selected)) AS selected, MAX(CONVERT(int, c.is_updated)) AS updated
    FROM sys.sysmodulecolumns(OBJECT_ID(@name)) c GROUP BY c.referenced_id) u ON u.referenced_id = d.referenced_id AND d.referenced_class = 1
WHERE d.referencing_id = OBJECT_ID(@name) AND d.referencing_class = 1 AND @referencing_class = N'OBJECT' AND (d.referenced_minor_id = 0 OR m.type NOT IN ('P', 'V', 'FN', 'IF', 'TF', 'TR'))
UNION ALL
SELECT 0, NULL, NULL, CONVERT(sysname, SCHEMA_NAME(o.schema_id)), CONVERT(sysname, o.name), CONVERT(sysname, k.name), k.object_id, k.column_id,
  CONVERT(tinyint, 1), CONVERT(nvarchar(60), N'OBJECT_OR_COLUMN'), CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(bit, c.selected), CONVERT(bit, c.updated),
  CONVERT(bit, 0), CONVERT(bit, 1), CONVERT(bit, 0), CONVERT(bit, 0)
FROM (SELECT c.referenced_id, c.column_id, MAX(CONVERT(int, c.is_selected)) AS selected, MAX(CONVERT(int, c.is_updated)) AS updated
    FROM sys.sysmodulecolumns(OBJECT_ID(@name)) c WHERE c.column_id > 0 GROUP BY c.referenced_id, c.column_id) c
JOIN sys.columns k ON k.object_id = c.referenced_id AND k.column_id = c.column_id
JOIN sys.objects o ON o.object_id = k.object_id
WHERE @referencing_class = N'OBJECT'
GO
CREATE VIEW sys.sql_dependencies AS
SELECT CONVERT(tinyint, u.is_bound) AS class,
  CONVERT(nvarchar(60), CASE u.is_bound WHEN 1 THEN N'OBJECT_OR_COLUMN_REFERENCE_SCHEMA_BOUND' ELSE N'OBJECT_OR_COLUMN_REFERENCE_NON_SCHEMA_BOUND' END) AS class_desc,
  u.object_id, u.column_id, u.referenced_id AS referenced_major_id, u.referenced_column_id AS referenced_minor_id,
  CONVERT(bit, u.is_selected) AS is_selected, CONVERT(bit, u.is_updated) AS is_updated, CONVERT(bit, 0) AS is_select_all
FROM sys.used_columns u
GO
CREATE VIEW sys.sysdepends AS
SELECT u.object_id AS id, u.referenced_id AS depid, CONVERT(smallint, u.column_id) AS number, CONVERT(smallint, u.referenced_column_id) AS depnumber,
  CONVERT(smallint, u.is_selected * 8 + u.is_updated * 4) AS status, CONVERT(tinyint, u.is_bound) AS deptype, CONVERT(smallint, 0) AS depdbid, CONVERT(smallint, 0) AS depsiteid,
  CONVERT(bit, 0) AS selall, CONVERT(bit, u.is_updated) AS resultobj, CONVERT(bit, u.is_selected) AS readobj
FROM sys.used_columns u
GO
CREATE VIEW sys.numbered_procedures AS
SELECT o.id AS object_id, CONVERT(smallint, 1) AS procedure_number, t.value AS definition
FROM sys.sysschobjs o JOIN sys.sysobjvalues t ON t.objid = o.id WHERE 1 = 0
GO
CREATE VIEW sys.memory_optimized_tables_internal_attributes AS
SELECT o.id AS object_id, x.xtp_object_id, CONVERT(int, CASE WHEN x.column_id = 0 THEN 1 ELSE 5 END) AS type,
  CONVERT(nvarchar(60), CASE WHEN x.column_id = 0 THEN N'USER_TABLE' ELSE N'INTERNAL OFF-ROW DATA TABLE' END) AS type_desc,
  x.column_id AS minor_id
FROM sys.sysschobjs o JOIN sys.sysxtpobjects x ON x.object_id = o.id
GO
