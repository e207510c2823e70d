-- Indexes, constraints, space: views over sysidxstats, sysiscols and the references.

CREATE VIEW sys.indexes AS
SELECT i.id AS object_id, i.name, i.indid AS index_id, i.kind AS type,
  CONVERT(nvarchar(60), CASE i.kind WHEN 0 THEN N'HEAP' WHEN 1 THEN N'CLUSTERED' WHEN 2 THEN N'NONCLUSTERED' WHEN 3 THEN N'XML' WHEN 5 THEN N'CLUSTERED COLUMNSTORE'
    WHEN 4 THEN N'SPATIAL' WHEN 6 THEN N'NONCLUSTERED COLUMNSTORE' WHEN 7 THEN N'NONCLUSTERED HASH' END) AS type_desc,
  CONVERT(bit, i.status & 1) AS is_unique, CASE WHEN EXISTS (SELECT 1 FROM sys.sysschobjs m WHERE m.id = i.id AND m.status & 8192 <> 0) THEN 0 ELSE i.dataspace END AS data_space_id,
  CONVERT(bit, i.status & 16) AS ignore_dup_key,
  CONVERT(bit, i.status & 2) AS is_primary_key, CONVERT(bit, i.status & 4) AS is_unique_constraint, i.fillfact AS fill_factor,
  CONVERT(bit, i.status & 32) AS is_padded, CONVERT(bit, i.status & 8) AS is_disabled, CONVERT(bit, 0) AS is_hypothetical,
  CONVERT(bit, 0) AS is_ignored_in_optimization, CONVERT(bit, CASE WHEN i.status & 64 <> 0 THEN 0 ELSE 1 END) AS allow_row_locks,
  CONVERT(bit, CASE WHEN i.status & 128 <> 0 THEN 0 ELSE 1 END) AS allow_page_locks,
  CONVERT(bit, CASE WHEN i.filter IS NULL OR i.kind IN (3, 4) THEN 0 ELSE 1 END) AS has_filter, CASE WHEN i.kind NOT IN (3, 4) THEN i.filter END AS filter_definition,
  CONVERT(int, NULL) AS compression_delay, CONVERT(bit, 0) AS suppress_dup_key_messages, CONVERT(bit, 0) AS auto_created,
  CONVERT(bit, 0) AS optimize_for_sequential_key
FROM sys.sysidxstats i
WHERE i.status & 256 = 0 OR i.kind IN (3, 4)
GO
CREATE VIEW sys.hash_indexes AS
SELECT i.id AS object_id, i.name, i.indid AS index_id, i.kind AS type, CONVERT(nvarchar(60), N'NONCLUSTERED HASH') AS type_desc,
  CONVERT(bit, i.status & 1) AS is_unique, CONVERT(int, 0) AS data_space_id, CONVERT(bit, 0) AS ignore_dup_key,
  CONVERT(bit, i.status & 2) AS is_primary_key, CONVERT(bit, i.status & 4) AS is_unique_constraint, i.fillfact AS fill_factor,
  CONVERT(bit, 0) AS is_padded, CONVERT(bit, i.status & 8) AS is_disabled, CONVERT(bit, 0) AS is_hypothetical,
  CONVERT(bit, 0) AS is_ignored_in_optimization, CONVERT(bit, 0) AS allow_row_locks, CONVERT(bit, 0) AS allow_page_locks,
  CONVERT(bit, 0) AS has_filter, i.filter AS filter_definition, CONVERT(int, i.buckets) AS bucket_count, CONVERT(bit, 0) AS auto_created
FROM sys.sysidxstats i
WHERE i.kind = 7
GO
CREATE VIEW sys.spatial_indexes AS
SELECT i.id AS object_id, i.name, i.indid AS index_id, i.kind AS type, CONVERT(nvarchar(60), N'SPATIAL') AS type_desc, CONVERT(bit, 0) AS is_unique,
  i.dataspace AS data_space_id, CONVERT(bit, 0) AS ignore_dup_key, CONVERT(bit, 0) AS is_primary_key, CONVERT(bit, 0) AS is_unique_constraint,
  i.fillfact AS fill_factor, CONVERT(bit, 0) AS is_padded, CONVERT(bit, 0) AS is_disabled, CONVERT(bit, 0) AS is_hypothetical,
  CONVERT(bit, 1) AS allow_row_locks, CONVERT(bit, 1) AS allow_page_locks, CONVERT(tinyint, JSON_VALUE(i.filter, '$.type')) AS spatial_index_type,
  CONVERT(nvarchar(60), CASE JSON_VALUE(i.filter, '$.type') WHEN N'1' THEN N'GEOMETRY' ELSE N'GEOGRAPHY' END) AS spatial_index_type_desc,
  CONVERT(sysname, JSON_VALUE(i.filter, '$.scheme')) AS tessellation_scheme, CONVERT(bit, 0) AS has_filter, CONVERT(nvarchar(max), NULL) AS filter_definition,
  CONVERT(bit, 0) AS auto_created
FROM sys.sysidxstats i
WHERE i.kind = 4
GO
CREATE VIEW sys.spatial_index_tessellations AS
SELECT i.id AS object_id, i.indid AS index_id, CONVERT(sysname, JSON_VALUE(i.filter, '$.scheme')) AS tessellation_scheme,
  CONVERT(float, JSON_VALUE(i.filter, '$.xmin')) AS bounding_box_xmin, CONVERT(float, JSON_VALUE(i.filter, '$.ymin')) AS bounding_box_ymin,
  CONVERT(float, JSON_VALUE(i.filter, '$.xmax')) AS bounding_box_xmax, CONVERT(float, JSON_VALUE(i.filter, '$.ymax')) AS bounding_box_ymax,
  CONVERT(smallint, JSON_VALUE(i.filter, '$.level1')) AS level_1_grid, CONVERT(nvarchar(60), JSON_VALUE(i.filter, '$.level1_desc')) AS level_1_grid_desc,
  CONVERT(smallint, JSON_VALUE(i.filter, '$.level2')) AS level_2_grid, CONVERT(nvarchar(60), JSON_VALUE(i.filter, '$.level2_desc')) AS level_2_grid_desc,
  CONVERT(smallint, JSON_VALUE(i.filter, '$.level3')) AS level_3_grid, CONVERT(nvarchar(60), JSON_VALUE(i.filter, '$.level3_desc')) AS level_3_grid_desc,
  CONVERT(smallint, JSON_VALUE(i.filter, '$.level4')) AS level_4_grid, CONVERT(nvarchar(60), JSON_VALUE(i.filter, '$.level4_desc')) AS level_4_grid_desc,
  CONVERT(int, JSON_VALUE(i.filter, '$.cells')) AS cells_per_object
FROM sys.sysidxstats i
WHERE i.kind = 4
GO
-- A clustered index numbers its columns in the table's order, whatever the key's is.
CREATE VIEW sys.index_columns AS
SELECT c.id AS object_id, c.indid AS index_id,
  CASE c.indid WHEN 1 THEN (SELECT COUNT(*) FROM sys.sysiscols b WHERE b.id = c.id AND b.indid = 1 AND b.colid <= c.colid) ELSE c.subid END AS index_column_id,
  c.colid AS column_id,
  CONVERT(tinyint, CASE WHEN i.kind IN (3, 4) THEN 0 ELSE c.keyord END) AS key_ordinal, CONVERT(tinyint, CASE WHEN c.status & 4 <> 0 THEN 1 ELSE 0 END) AS partition_ordinal, CONVERT(bit, c.status & 1) AS is_descending_key,
  CONVERT(bit, c.status & 2) AS is_included_column, CONVERT(tinyint, 0) AS column_store_order_ordinal
FROM sys.sysiscols c
JOIN sys.sysidxstats i ON i.id = c.id AND i.indid = c.indid
WHERE i.status & 256 = 0 OR i.kind IN (3, 4)
GO
CREATE VIEW sys.stats AS
SELECT i.id AS object_id, i.name, i.indid AS stats_id, CONVERT(bit, 0) AS auto_created,
  CONVERT(bit, CASE WHEN i.status & 256 <> 0 THEN 1 ELSE 0 END) AS user_created, CONVERT(bit, i.status & 1024) AS no_recompute,
  CONVERT(bit, CASE WHEN i.filter IS NULL THEN 0 ELSE 1 END) AS has_filter, i.filter AS filter_definition,
  CONVERT(bit, 0) AS is_temporary, CONVERT(bit, 0) AS is_incremental, CONVERT(bit, 0) AS has_persisted_sample,
  CONVERT(int, 0) AS stats_generation_method, CONVERT(varchar(80), 'Sort based statistics') AS stats_generation_method_desc,
  CONVERT(bit, 0) AS auto_drop
FROM sys.sysidxstats i
WHERE i.indid > 0 AND i.kind NOT IN (3, 4)
UNION ALL
SELECT k.object_id, k.name, k.stats_id, CONVERT(bit, 1), CONVERT(bit, 0), k.no_recompute, CONVERT(bit, 0), NULL,
  CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(int, 0), CONVERT(varchar(80), 'Sort based statistics'), CONVERT(bit, 0)
FROM sys.sysstatisticsrows k
JOIN sys.sysschobjs o ON o.id = k.object_id
WHERE k.column_id > 0
UNION ALL
-- XML and spatial indexes are those of their internal tables: the clustered one a primary XML index or a spatial one, the others secondary XML indexes.
SELECT o.id, i.name, CASE WHEN i.buckets > 0 THEN i.indid - CONVERT(int, i.buckets) + 1 ELSE 1 END, CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(bit, i.status & 1024),
  CONVERT(bit, 0), NULL, CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(bit, 0), CONVERT(int, 0), CONVERT(varchar(80), 'Sort based statistics'), CONVERT(bit, 0)
FROM sys.sysidxstats i
JOIN sys.sysschobjs o ON o.pid = i.id AND o.kind = 'IT' AND o.intprop = CASE WHEN i.buckets > 0 THEN i.buckets ELSE i.indid END
WHERE i.kind IN (3, 4)
GO
CREATE VIEW sys.stats_columns AS
SELECT c.id AS object_id, c.indid AS stats_id,
  CASE c.indid WHEN 1 THEN (SELECT COUNT(*) FROM sys.sysiscols b WHERE b.id = c.id AND b.indid = 1 AND b.colid <= c.colid) ELSE c.subid END AS stats_column_id,
  c.colid AS column_id
FROM sys.sysiscols c
JOIN sys.sysidxstats i ON i.id = c.id AND i.indid = c.indid AND i.kind NOT IN (3, 4)
WHERE c.keyord > 0
UNION ALL
SELECT k.object_id, k.stats_id, CONVERT(int, 1), k.column_id
FROM sys.sysstatisticsrows k
JOIN sys.sysschobjs o ON o.id = k.object_id
WHERE k.column_id > 0
GO
CREATE VIEW sys.key_constraints AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), CASE o.kind WHEN 'PK' THEN N'PRIMARY_KEY_CONSTRAINT' ELSE N'UNIQUE_CONSTRAINT' END) AS type_desc,
  o.created AS create_date, o.modified AS modify_date, CONVERT(bit, CASE WHEN o.nsid = 4 THEN 1 ELSE o.status & 1 END) AS is_ms_shipped, CONVERT(bit, 0) AS is_published,
  CONVERT(bit, 0) AS is_schema_published, i.indid AS unique_index_id, CONVERT(bit, o.status & 2) AS is_system_named,
  CONVERT(bit, 1) AS is_enforced
FROM sys.sysschobjs o
JOIN sys.sysidxstats i ON i.id = o.pid AND i.constraint_id = o.id
WHERE o.kind IN ('PK', 'UQ')
GO
CREATE VIEW sys.check_constraints AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'CHECK_CONSTRAINT') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, CASE WHEN o.nsid = 4 THEN 1 ELSE o.status & 1 END) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  CONVERT(bit, o.status & 4) AS is_disabled, CONVERT(bit, o.status & 16) AS is_not_for_replication,
  CONVERT(bit, o.status & 8) AS is_not_trusted, CONVERT(int, CASE WHEN o.status & 32768 <> 0 THEN o.intprop ELSE 0 END) AS parent_column_id,
  CASE WHEN HAS_ACCESS(1060, o.id) = 1 THEN t.value END AS definition, CONVERT(bit, 1) AS uses_database_collation, CONVERT(bit, o.status & 2) AS is_system_named
FROM sys.sysschobjs o
JOIN sys.sysobjvalues t ON t.objid = o.id
WHERE o.kind = 'C'
GO
CREATE VIEW sys.default_constraints AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'DEFAULT_CONSTRAINT') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, CASE WHEN o.nsid = 4 THEN 1 ELSE o.status & 1 END) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  o.intprop AS parent_column_id, CASE WHEN HAS_ACCESS(1060, o.id) = 1 THEN t.value END AS definition, CONVERT(bit, o.status & 2) AS is_system_named
FROM sys.sysschobjs o
JOIN sys.sysobjvalues t ON t.objid = o.id
WHERE o.kind = 'D' AND o.pid <> 0
GO
CREATE VIEW sys.foreign_keys AS
SELECT o.name, o.id AS object_id, o.owner AS principal_id, o.nsid AS schema_id, o.pid AS parent_object_id, o.kind AS type,
  CONVERT(nvarchar(60), N'FOREIGN_KEY_CONSTRAINT') AS type_desc, o.created AS create_date, o.modified AS modify_date,
  CONVERT(bit, CASE WHEN o.nsid = 4 THEN 1 ELSE o.status & 1 END) AS is_ms_shipped, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_schema_published,
  r.indepid AS referenced_object_id, CONVERT(int, r.status / 256) AS key_index_id, CONVERT(bit, o.status & 4) AS is_disabled,
  CONVERT(bit, o.status & 16) AS is_not_for_replication, CONVERT(bit, o.status & 8) AS is_not_trusted,
  CONVERT(tinyint, r.status & 15) AS delete_referential_action,
  CONVERT(nvarchar(60), CASE r.status & 15 WHEN 0 THEN N'NO_ACTION' WHEN 1 THEN N'CASCADE' WHEN 2 THEN N'SET_NULL' ELSE N'SET_DEFAULT' END) AS delete_referential_action_desc,
  CONVERT(tinyint, r.status / 16 & 15) AS update_referential_action,
  CONVERT(nvarchar(60), CASE r.status / 16 & 15 WHEN 0 THEN N'NO_ACTION' WHEN 1 THEN N'CASCADE' WHEN 2 THEN N'SET_NULL' ELSE N'SET_DEFAULT' END) AS update_referential_action_desc,
  CONVERT(bit, o.status & 2) AS is_system_named
FROM sys.sysschobjs o
JOIN sys.syssingleobjrefs r ON r.depid = o.id AND r.class = 27
WHERE o.kind = 'F'
GO
CREATE VIEW sys.foreign_key_columns AS
SELECT c.depid AS constraint_object_id, c.depsubid AS constraint_column_id, o.pid AS parent_object_id, c.indepid AS parent_column_id,
  r.indepid AS referenced_object_id, c.indepsubid AS referenced_column_id
FROM sys.sysmultiobjrefs c
JOIN sys.sysschobjs o ON o.id = c.depid
JOIN sys.syssingleobjrefs r ON r.depid = c.depid AND r.class = 27
WHERE c.class = 27
GO
-- A nonclustered index that is disabled has neither rows nor pages.
CREATE VIEW sys.partitions AS
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid AS partition_id, i.id AS object_id,
  i.indid AS index_id, ISNULL(r.partition_number, 1) AS partition_number,
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid AS hobt_id, ISNULL(r.rows, 0) AS rows,
  CONVERT(smallint, 0) AS filestream_filegroup_id, CONVERT(tinyint, 0) AS data_compression,
  CONVERT(nvarchar(60), N'NONE') AS data_compression_desc, CONVERT(bit, 0) AS xml_compression,
  CONVERT(varchar(3), 'OFF') AS xml_compression_desc
FROM sys.sysidxstats i
LEFT JOIN sys.systablerows r ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.status & 256 = 0 AND (i.status & 8 = 0 OR i.indid < 2)
UNION ALL
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, s.object_id) * 256 + 1, s.object_id, 1, 1,
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, s.object_id) * 256 + 1, s.rows, CONVERT(smallint, 0), CONVERT(tinyint, 0),
  CONVERT(nvarchar(60), N'NONE'), CONVERT(bit, 0), CONVERT(varchar(3), 'OFF')
FROM sys.syssystemtablerows s
UNION ALL
-- Internal tables, which have no rows here.
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, o.id) * 256 + 1, o.id, 1, 1,
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, o.id) * 256 + 1, CONVERT(bigint, 0), CONVERT(smallint, 0), CONVERT(tinyint, 0),
  CONVERT(nvarchar(60), N'NONE'), CONVERT(bit, 0), CONVERT(varchar(3), 'OFF')
FROM sys.sysschobjs o
WHERE o.kind = 'IT'
GO
CREATE VIEW sys.system_internals_partitions AS
SELECT partition_id, object_id, index_id, partition_number, rows, data_compression FROM sys.partitions
GO
CREATE VIEW sys.allocation_units AS
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid AS allocation_unit_id, CONVERT(tinyint, 1) AS type,
  CONVERT(nvarchar(60), N'IN_ROW_DATA') AS type_desc,
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid AS container_id, ISNULL(r.data_space_id, i.dataspace) AS data_space_id,
  CONVERT(bigint, ISNULL(r.pages, 0)) AS total_pages, CONVERT(bigint, ISNULL(r.pages, 0)) AS used_pages,
  CONVERT(bigint, ISNULL(r.leaf_pages, 0)) AS data_pages
FROM sys.sysidxstats i
LEFT JOIN sys.systablerows r ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.status & 256 = 0 AND (i.status & 8 = 0 OR i.indid < 2)
UNION ALL
-- What is too long for its row lies with the long types, where the table has such, else as overflow. A table has what its columns may want.
SELECT CONVERT(bigint, 144115188075855872) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid,
  CONVERT(tinyint, CASE WHEN i.indid > 1 OR w.long_types > 0 THEN 2 ELSE 3 END),
  CONVERT(nvarchar(60), CASE WHEN i.indid > 1 OR w.long_types > 0 THEN N'LOB_DATA' ELSE N'ROW_OVERFLOW_DATA' END),
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid, ISNULL(r.data_space_id, i.dataspace),
  ISNULL(r.long_value_pages, 0), ISNULL(r.long_value_pages, 0), ISNULL(r.long_value_pages, 0)
FROM sys.sysidxstats i
JOIN sys.column_widths w ON w.id = i.id
LEFT JOIN sys.systablerows r ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.status & 256 = 0 AND (i.status & 8 = 0 OR i.indid < 2)
  AND (r.long_value_pages > 0 OR i.indid < 2 AND (w.long_types > 0 OR w.width > 8060))
UNION ALL
SELECT CONVERT(bigint, 216172782113783808) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid, CONVERT(tinyint, 3),
  CONVERT(nvarchar(60), N'ROW_OVERFLOW_DATA'), CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid,
  ISNULL(r.data_space_id, i.dataspace), CONVERT(bigint, 0), CONVERT(bigint, 0), CONVERT(bigint, 0)
FROM sys.sysidxstats i
JOIN sys.column_widths w ON w.id = i.id
LEFT JOIN sys.systablerows r ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.status & 256 = 0 AND i.indid < 2 AND w.long_types > 0 AND w.width > 8060
UNION ALL
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, s.object_id) * 256 + 1, CONVERT(tinyint, 1), CONVERT(nvarchar(60), N'IN_ROW_DATA'),
  CONVERT(bigint, 72057594037927936) + CONVERT(bigint, s.object_id) * 256 + 1, 1, s.pages, s.pages, s.pages
FROM sys.syssystemtablerows s
GO
CREATE VIEW sys.system_internals_allocation_units AS
SELECT allocation_unit_id, type, type_desc, container_id, CONVERT(int, data_space_id) AS filegroup_id, total_pages, used_pages, data_pages
FROM sys.allocation_units
GO
CREATE VIEW sys.dm_db_partition_stats AS
SELECT CONVERT(bigint, 72057594037927936) + CONVERT(bigint, ISNULL(r.rowset_id, i.id)) * 256 + i.indid AS partition_id, i.id AS object_id, i.indid AS index_id,
  ISNULL(r.partition_number, 1) AS partition_number, CONVERT(bigint, ISNULL(r.leaf_pages, 0)) AS in_row_data_page_count,
  CONVERT(bigint, ISNULL(r.pages, 0)) AS in_row_used_page_count, CONVERT(bigint, ISNULL(r.pages, 0)) AS in_row_reserved_page_count,
  CONVERT(bigint, ISNULL(r.long_value_pages, 0)) AS lob_used_page_count, CONVERT(bigint, ISNULL(r.long_value_pages, 0)) AS lob_reserved_page_count,
  CONVERT(bigint, 0) AS row_overflow_used_page_count, CONVERT(bigint, 0) AS row_overflow_reserved_page_count,
  CONVERT(bigint, ISNULL(r.pages + r.long_value_pages, 0)) AS used_page_count,
  CONVERT(bigint, ISNULL(r.pages + r.long_value_pages, 0)) AS reserved_page_count,
  CONVERT(bigint, ISNULL(r.rows, 0)) AS row_count
FROM sys.sysidxstats i
LEFT JOIN sys.systablerows r ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.status & 256 = 0 AND (i.status & 8 = 0 OR i.indid < 2)
GO
CREATE VIEW sys.data_spaces AS
SELECT name, id AS data_space_id, CONVERT(char(2), CASE WHEN class = 68 THEN 'PS' WHEN status & 2 <> 0 THEN 'FX' ELSE 'FG' END) AS type,
  CONVERT(nvarchar(60), CASE WHEN class = 68 THEN N'PARTITION_SCHEME' WHEN status & 2 <> 0 THEN N'MEMORY_OPTIMIZED_DATA_FILEGROUP' ELSE N'ROWS_FILEGROUP' END) AS type_desc,
  CONVERT(bit, CASE WHEN class = 68 THEN 0 ELSE status & 1 END) AS is_default, CONVERT(bit, 0) AS is_system
FROM sys.sysclsobjs
WHERE class IN (65, 68)
GO
CREATE VIEW sys.filegroups AS
SELECT name, id AS data_space_id, CONVERT(char(2), CASE WHEN status & 2 <> 0 THEN 'FX' ELSE 'FG' END) AS type,
  CONVERT(nvarchar(60), CASE WHEN status & 2 <> 0 THEN N'MEMORY_OPTIMIZED_DATA_FILEGROUP' ELSE N'ROWS_FILEGROUP' END) AS type_desc,
  CONVERT(bit, status & 1) AS is_default, CONVERT(bit, 0) AS is_system, CONVERT(uniqueidentifier, CONVERT(binary(16), value, 2)) AS filegroup_guid,
  CONVERT(int, NULL) AS log_filegroup_id, CONVERT(bit, 0) AS is_read_only, CONVERT(bit, 0) AS is_autogrow_all_files
FROM sys.sysclsobjs
WHERE class = 65
GO
-- Of statistics that nothing has wanted yet, nothing is known but that they are there, as of SQL Server's that were never filled.
CREATE FUNCTION sys.dm_db_stats_properties(@object_id int, @stats_id int)
RETURNS TABLE AS RETURN
SELECT s.object_id, s.stats_id, CONVERT(datetime2(7), k.last_updated) AS last_updated, k.rows, k.rows_sampled, k.steps, k.unfiltered_rows,
  k.modification_counter, CONVERT(float, CASE WHEN k.rows IS NULL THEN NULL ELSE 0 END) AS persisted_sample_percent
FROM sys.stats s
LEFT JOIN sys.sysstatisticsrows k ON k.object_id = s.object_id AND k.stats_id = s.stats_id
WHERE s.object_id = @object_id AND s.stats_id = @stats_id
GO
CREATE FUNCTION sys.dm_db_stats_histogram(@object_id int, @stats_id int)
RETURNS TABLE AS RETURN
SELECT h.object_id, h.stats_id, h.step_number, h.range_high_key, h.range_rows, h.equal_rows, h.distinct_range_rows, h.average_range_rows
FROM sys.sysstatisticssteps(@object_id, @stats_id) h
JOIN sys.stats s ON s.object_id = h.object_id AND s.stats_id = h.stats_id
CROSS APPLY (SELECT QUOTENAME(OBJECT_SCHEMA_NAME(@object_id)) + N'.' + QUOTENAME(OBJECT_NAME(@object_id)) AS shown) n
WHERE HAS_PERMS_BY_NAME(n.shown, 'OBJECT', 'CONTROL') = 1 OR IS_MEMBER('db_ddladmin') = 1
  OR HAS_PERMS_BY_NAME(n.shown, 'OBJECT', 'SELECT') = 1
    AND NOT EXISTS (SELECT 1 FROM sys.syssingleobjrefs p WHERE p.class = 204 AND p.indepid = @object_id)
    AND NOT EXISTS (SELECT 1 FROM sys.columns c
      WHERE c.object_id = @object_id
        AND (c.column_id IN (SELECT k.column_id FROM sys.stats_columns k WHERE k.object_id = h.object_id AND k.stats_id = h.stats_id)
          OR CHARINDEX(QUOTENAME(c.name), s.filter_definition) > 0)
        AND (ISNULL(HAS_PERMS_BY_NAME(n.shown, 'OBJECT', 'SELECT', c.name, 'COLUMN'), 0) = 0
          OR c.is_masked = 1 AND ISNULL(HAS_PERMS_BY_NAME(n.shown, 'OBJECT', 'UNMASK', c.name, 'COLUMN'), 0) = 0))
GO
CREATE VIEW sys.xml_indexes AS
SELECT i.id AS object_id, i.name, i.indid AS index_id, i.kind AS type, CONVERT(nvarchar(60), N'XML') AS type_desc, CONVERT(bit, 0) AS is_unique,
  i.dataspace AS data_space_id, CONVERT(bit, 0) AS ignore_dup_key, CONVERT(bit, 0) AS is_primary_key, CONVERT(bit, 0) AS is_unique_constraint,
  i.fillfact AS fill_factor, CONVERT(bit, 0) AS is_padded, CONVERT(bit, i.status & 8) AS is_disabled, CONVERT(bit, 0) AS is_hypothetical,
  CONVERT(bit, 0) AS is_ignored_in_optimization, CONVERT(bit, 1) AS allow_row_locks, CONVERT(bit, 1) AS allow_page_locks,
  CONVERT(int, CASE WHEN i.buckets > 0 THEN i.buckets END) AS using_xml_index_id, CONVERT(char(1), i.filter) AS secondary_type,
  CONVERT(nvarchar(60), CASE CONVERT(char(1), i.filter) WHEN 'P' THEN N'PATH' WHEN 'R' THEN N'PROPERTY' WHEN 'V' THEN N'VALUE' END) AS secondary_type_desc,
  CONVERT(bit, 0) AS has_filter, CONVERT(nvarchar(max), NULL) AS filter_definition,
  CONVERT(tinyint, CASE WHEN i.buckets > 0 THEN 1 ELSE 0 END) AS xml_index_type,
  CONVERT(nvarchar(60), CASE WHEN i.buckets > 0 THEN N'SECONDARY_XML' ELSE N'PRIMARY_XML' END) AS xml_index_type_description,
  CONVERT(int, NULL) AS path_id, CONVERT(bit, 0) AS auto_created
FROM sys.sysidxstats i
WHERE i.kind = 3
GO
