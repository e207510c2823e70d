-- How often statements have used indexes.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-index-usage-stats-transact-sql
CREATE DATABASE used_indexes
GO
USE used_indexes
GO
CREATE TABLE keyed (id int NOT NULL CONSTRAINT pk_keyed PRIMARY KEY, a int NOT NULL, b int NOT NULL, INDEX ix_a NONCLUSTERED (a), INDEX ix_b (b))
CREATE TABLE heap (a int NOT NULL)
CREATE TABLE unused (a int NOT NULL)
GO
INSERT keyed VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300)
INSERT heap VALUES (1), (2)
GO
-- A seek of the clustered index, thrice.
SELECT b FROM keyed WHERE id = 2
GO 3
-- A seek of an index, and a lookup for the column that it has not.
SELECT b FROM keyed WITH (INDEX (ix_a), FORCESEEK) WHERE a = 30
GO
-- Scans.
SELECT a FROM keyed WITH (INDEX (ix_a)) ORDER BY a
SELECT a FROM heap
GO
-- What a subquery reads counts.
SELECT (SELECT TOP (1) a FROM heap) AS a
GO
-- An UPDATE finds its row by a seek, and changes the indexes that have the column.
UPDATE keyed SET b = 201 WHERE id = 2
GO
CREATE PROCEDURE p AS DELETE keyed WHERE id = 3
GO
EXEC p
GO
-- A statement that fails has completed nothing.
INSERT keyed VALUES (1, 1, 1)
GO
SELECT o.name, u.index_id, u.user_seeks, u.user_scans, u.user_lookups, u.user_updates, u.system_seeks,
  IIF(u.last_user_seek IS NULL, 0, 1) AS sought, IIF(DATEDIFF(hour, u.last_user_update, GETDATE()) BETWEEN 0 AND 1, 1, 0) AS updated
FROM sys.dm_db_index_usage_stats u JOIN sys.objects o ON o.object_id = u.object_id
WHERE u.database_id = DB_ID() ORDER BY o.name, u.index_id
GO
-- Plans that are forgotten have been counted.
DECLARE @here int = DB_ID()
DBCC FLUSHPROCINDB (@here) WITH NO_INFOMSGS
GO
SELECT o.name, u.index_id, u.user_seeks, u.user_updates FROM sys.dm_db_index_usage_stats u JOIN sys.objects o ON o.object_id = u.object_id
WHERE u.database_id = DB_ID() ORDER BY o.name, u.index_id
GO
-- By rows: a DELETE leaves ghosts in an index, but not in a heap; an UPDATE of what an index is sorted by moves an entry of it.
DELETE heap WHERE a = 2
GO
SELECT o.name, s.index_id, s.partition_number AS part, s.leaf_insert_count AS inserted, s.leaf_update_count AS updated, s.leaf_delete_count AS deleted,
  s.leaf_ghost_count AS ghosts, s.range_scan_count AS ranges, s.singleton_lookup_count AS singles, s.row_lock_count AS locks,
  IIF(s.hobt_id = p.hobt_id, 1, 0) AS joined
FROM sys.dm_db_index_operational_stats(DB_ID(), NULL, NULL, NULL) s JOIN sys.objects o ON o.object_id = s.object_id
  JOIN sys.partitions p ON p.object_id = s.object_id AND p.index_id = s.index_id AND p.partition_number = s.partition_number
WHERE o.is_ms_shipped = 0 ORDER BY o.name, s.index_id
GO
SELECT COUNT(*) AS of_one FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('keyed'), 2, 1)
SELECT COUNT(*) AS of_none FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('keyed'), 2, 2)
GO
-- What is gone has no row.
DROP TABLE heap
GO
SELECT COUNT(*) AS n FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID() AND index_id = 0
GO
-- Writes are of the file that was written to, and took their time.
CHECKPOINT
GO
SELECT file_id, IIF(num_of_writes > 0, 1, 0) AS wrote, num_of_bytes_written % 8192 AS odd, IIF(num_of_bytes_written >= num_of_writes * 8192, 1, 0) AS whole,
  IIF(io_stall = io_stall_read_ms + io_stall_write_ms, 1, 0) AS added, io_stall_queued_read_ms
FROM sys.dm_io_virtual_file_stats(DB_ID(), 1)
GO
USE master
GO
DROP DATABASE used_indexes
GO
