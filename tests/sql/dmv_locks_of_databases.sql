-- A session holds a shared lock on the database that it is in, but master and tempdb; what is the same for every lock is told, too:
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql
CREATE DATABASE lock_of_db
GO
USE master
SELECT COUNT(*) AS of_master FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'DATABASE'
GO
USE lock_of_db
SELECT resource_type, resource_subtype, DB_NAME(resource_database_id) AS db, resource_description, resource_associated_entity_id AS entity, resource_lock_partition AS part,
  request_mode, request_type, request_status, request_reference_count AS refs, request_lifetime AS life, request_exec_context_id AS ecid, request_request_id AS request,
  request_owner_type, request_owner_id, request_owner_guid
FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'DATABASE'
GO
EXEC sp_executesql N'CREATE TABLE #lock (spid int, dbid int, ObjId int, IndId int, Type nvarchar(4), Resource nvarchar(32), Mode nvarchar(8), Status nvarchar(5))
INSERT #lock EXEC sp_lock @@SPID
SELECT DB_NAME(dbid) AS db, ObjId, IndId, Type, Resource, Mode, Status FROM #lock WHERE Type = ''DB'''
GO
CREATE TABLE t (a int PRIMARY KEY)
BEGIN TRANSACTION
INSERT t VALUES (1)
SELECT DISTINCT resource_type, request_mode, resource_lock_partition AS part, request_lifetime AS life, request_exec_context_id AS ecid, request_owner_type, request_owner_guid
FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type IN ('DATABASE', 'OBJECT') AND resource_database_id = DB_ID()
ROLLBACK
GO
USE master
DROP DATABASE lock_of_db
GO
-- Pages that were looked at and were in memory, with their base: https://learn.microsoft.com/sql/relational-databases/performance-monitor/sql-server-buffer-manager-object
SELECT RTRIM(b.counter_name) AS counter, RTRIM(b.object_name) AS object, RTRIM(b.instance_name) AS instance, b.cntr_type, CASE WHEN b.cntr_value >= 0 THEN 1 END AS known
FROM sys.dm_os_performance_counters b
WHERE b.counter_name IN ('Buffer cache hit ratio', 'Buffer cache hit ratio base', 'Page life expectancy', 'Page lookups/sec')
ORDER BY b.object_name, b.counter_name
SELECT CASE WHEN SUM((1 - is_base) * cntr_value) * 100.0 / SUM(is_base * cntr_value) BETWEEN 1 AND 100 THEN 'a ratio' END AS ratio
FROM (SELECT cntr_value, CASE WHEN RTRIM(counter_name) LIKE '% base' THEN 1 ELSE 0 END AS is_base FROM sys.dm_os_performance_counters WHERE counter_name LIKE 'Buffer cache hit ratio%') c
GO
-- What is asked of that is not there.
EXEC sp_helpdbfixedrole 'db_nothing'
GO
EXEC sp_helpsrvrole 'nothing'
GO
EXEC sp_helpsrvrolemember 'nothing'
GO
EXEC sp_helpserver 'nothing'
GO
