-- What DMVs show of memory-optimized tables https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/memory-optimized-table-dynamic-management-views-transact-sql
SELECT COUNT(*) AS files FROM sys.dm_db_xtp_checkpoint_files;
SELECT COUNT(*) AS nothing FROM sys.dm_db_xtp_checkpoint_stats;
CREATE TABLE dbo.m (id int NOT NULL CONSTRAINT pk_m PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 100), v int NOT NULL, INDEX by_v NONCLUSTERED (v)) WITH (MEMORY_OPTIMIZED = ON);
SELECT * INTO #before FROM sys.dm_xtp_transaction_stats;
SELECT object_name, counter_name, cntr_value INTO #counters FROM sys.dm_os_performance_counters WHERE object_name LIKE '%XTP%';
GO
INSERT m VALUES (1, 1), (2, 2), (3, 3);
UPDATE m SET v = 20 WHERE id = 2;
DELETE m WHERE id = 3;
SELECT * FROM m WHERE v BETWEEN 0 AND 100 ORDER BY v;
GO
INSERT m VALUES (1, 1);
GO
BEGIN TRANSACTION;
INSERT m VALUES (4, 4);
SAVE TRANSACTION s;
SELECT session_id - @@SPID AS same_session, state_desc, result_desc, write_set_row_count, scan_set_count, end_tsn FROM sys.dm_db_xtp_transactions;
ROLLBACK TRANSACTION s;
ROLLBACK;
SELECT COUNT(*) AS none FROM sys.dm_db_xtp_transactions WHERE session_id = @@SPID;
GO
SELECT OBJECT_NAME(object_id) AS name, row_insert_attempts, row_update_attempts, row_delete_attempts, write_conflicts, unique_constraint_violations FROM sys.dm_db_xtp_object_stats;
SELECT i.name, s.scans_started, s.rows_returned FROM sys.dm_db_xtp_index_stats s JOIN sys.indexes i ON i.object_id = s.object_id AND i.index_id = s.index_id WHERE i.name = 'by_v';
SELECT memory_consumer_type_desc, memory_consumer_desc, OBJECT_NAME(object_id) AS name, index_id, IIF(allocated_bytes > 0, 'some', 'none') AS bytes FROM sys.dm_db_xtp_memory_consumers ORDER BY memory_consumer_id;
SELECT memory_consumer_desc, IIF(allocated_bytes >= used_bytes, 'some', 'wrong') AS bytes FROM sys.dm_xtp_system_memory_consumers;
SELECT IIF(rows_examined = parallel_assist_count + idle_worker_count, 'same', 'wrong') AS collected FROM sys.dm_xtp_gc_stats;
SELECT COUNT(*) AS cycles FROM sys.dm_db_xtp_gc_cycle_stats;
GO
-- Sessions of other databases may count at the same time: at least
SELECT IIF(a.total_count - b.total_count >= 6, 'right', 'wrong') AS transactions, IIF(a.total_aborts - b.total_aborts >= 2, 'right', 'wrong') AS aborts,
  IIF(a.savepoint_create > b.savepoint_create AND a.savepoint_rollbacks > b.savepoint_rollbacks, 'right', 'wrong') AS savepoints,
  IIF(a.log_bytes_written - b.log_bytes_written > 50 AND a.log_IO_count - b.log_IO_count >= 3, 'right', 'wrong') AS logged,
  IIF(a.rows_inserted - b.rows_inserted >= 5 AND a.rows_updated > b.rows_updated AND a.rows_deleted > b.rows_deleted, 'right', 'wrong') AS changes,
  IIF(a.unique_constraint_violations > b.unique_constraint_violations, 'right', 'wrong') AS violations
FROM sys.dm_xtp_transaction_stats a, #before b;
SELECT RTRIM(c.object_name) AS object, RTRIM(c.counter_name) AS counter, c.cntr_type
FROM sys.dm_os_performance_counters c JOIN #counters b ON b.object_name = c.object_name AND b.counter_name = c.counter_name
WHERE c.cntr_value > b.cntr_value AND c.counter_name IN ('Cursor inserts/sec', 'Cursor updates/sec', 'Cursor deletes/sec', 'Cursor scans started/sec',
  'Cursor unique violations/sec', 'Rows returned/sec', 'Log bytes written/sec', 'Transactions created/sec', 'Transactions aborted/sec')
ORDER BY object, counter;
SELECT COUNT(*) AS counters FROM #counters;
GO
CHECKPOINT;
SELECT file_type_desc, state_desc, logical_row_count, encryption_status_desc, IIF(file_size_used_in_bytes <= file_size_in_bytes, 'right', 'wrong') AS size,
  RIGHT(relative_file_path, 4) AS ending FROM sys.dm_db_xtp_checkpoint_files ORDER BY file_type;
SELECT COUNT(*) AS pairs FROM sys.dm_db_xtp_checkpoint_files a JOIN sys.dm_db_xtp_checkpoint_files b ON b.checkpoint_file_id = a.checkpoint_pair_file_id WHERE a.file_type = 0;
SELECT IIF(checkpoints_closed >= 1 AND bytes_to_end_of_log >= 0 AND end_of_log_lsn >= last_lsn_processed AND hardened_recovery_lsn = last_lsn_processed, 'right', 'wrong') AS checkpoint_stats FROM sys.dm_db_xtp_checkpoint_stats;
GO
-- What catalog views and OBJECTPROPERTY say
CREATE PROCEDURE dbo.p WITH NATIVE_COMPILATION, SCHEMABINDING AS BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') DELETE dbo.m WHERE id = 1; END
GO
CREATE PROCEDURE dbo.q AS SELECT 1;
GO
CREATE TABLE dbo.disk (a int);
SELECT OBJECT_NAME(object_id) AS name, uses_native_compilation FROM sys.sql_modules ORDER BY name;
SELECT OBJECT_NAME(object_id) AS name, uses_native_compilation FROM sys.all_sql_modules WHERE object_id IN (OBJECT_ID('p'), OBJECT_ID('q')) ORDER BY name;
SELECT OBJECTPROPERTY(OBJECT_ID('m'), 'TableIsMemoryOptimized') AS m, OBJECTPROPERTY(OBJECT_ID('disk'), 'TableIsMemoryOptimized') AS disk,
  OBJECTPROPERTY(OBJECT_ID('p'), 'TableIsMemoryOptimized') AS procedure_, OBJECTPROPERTY(OBJECT_ID('p'), 'ExecIsWithNativeCompilation') AS p,
  OBJECTPROPERTY(OBJECT_ID('q'), 'ExecIsWithNativeCompilation') AS q, OBJECTPROPERTYEX(OBJECT_ID('p'), 'ExecIsWithNativeCompilation') AS ex;
SELECT name, type_desc, bucket_count FROM sys.hash_indexes;
SELECT name, is_memory_optimized, durability, durability_desc FROM sys.tables ORDER BY name;
GO
-- Machine code is there once the module has run.
CREATE VIEW dbo.code AS SELECT REPLACE(REPLACE(name, OBJECT_ID('p'), 'object'), CONCAT('_', DB_ID(), '_'), '_database_') AS name, description
FROM sys.dm_os_loaded_modules WHERE description = 'XTP Native DLL' AND name LIKE CONCAT('xtp_p_', DB_ID(), '\_%') ESCAPE '\';
GO
SELECT * FROM code;
EXEC p;
SELECT * FROM code;
SELECT IIF(SUM(pages_kb) > 0, 'some', 'none') AS kb FROM sys.dm_os_memory_clerks WHERE type = 'MEMORYCLERK_XTP';
