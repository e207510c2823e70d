-- Columns and functions that monitoring and maintenance scripts name in one query with others.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-sessions-transact-sql
select case when contained_availability_group_id is null then 'none' end as of_group from sys.dm_exec_sessions where session_id = @@spid;
-- https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-trace-gettable-transact-sql: the columns of sp_trace_setevent.
select t.TextData, t.StartTime, t.EndTime, t.Duration, t.Severity, t.SPID, t.NTUserName, t.NTDomainName, t.HostName, t.ApplicationName, t.LoginName,
  t.DBUserName, t.DatabaseName, t.ObjectName, t.EventClass, t.EventSubClass, t.IntegerData, t.FileName, t.Error, t.SessionLoginName
from sys.fn_trace_gettable(N'/no/such.trc', 1) t where t.EventClass in (22, 92);
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-hadr-availability-replica-states-transact-sql
select role_desc, operational_state, operational_state_desc, recovery_health, synchronization_health from sys.dm_hadr_availability_replica_states;
select database_id, persistent_version_store_size_kb from sys.dm_tran_persistent_version_store_stats;
select a.name, f.retention_days from sys.server_audits a join sys.server_file_audits f on f.audit_id = a.audit_id;
-- https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-hadr-backup-is-preferred-replica-transact-sql
select sys.fn_hadr_backup_is_preferred_replica(N'master') as here, sys.fn_hadr_backup_is_preferred_replica(N'no_database') as nowhere,
  sys.fn_hadr_is_primary_replica(N'master') as is_primary, master.sys.fn_hadr_backup_is_preferred_replica(db_name()) as own;
go
GO
-- Sizes of long values: https://learn.microsoft.com/sql/t-sql/functions/datalength-transact-sql, "Return types".
CREATE TABLE sizes (i image, t text, n ntext, x xml, vm varchar(max), nm nvarchar(max), bm varbinary(max), c char(3))
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT DATALENGTH(i) i, DATALENGTH(t) t, DATALENGTH(n) n, DATALENGTH(x) x,
  DATALENGTH(vm) vm, DATALENGTH(nm) nm, DATALENGTH(bm) bm, DATALENGTH(c) c FROM sizes', NULL, 0)
GO
-- What tools ask of an index, and of a DEFAULT constraint, which is no default of CREATE DEFAULT.
CREATE TABLE indexed (a int CONSTRAINT df_indexed DEFAULT 1, b int)
CREATE UNIQUE INDEX ix_indexed ON indexed (a) WITH (PAD_INDEX = ON, FILLFACTOR = 70, ALLOW_PAGE_LOCKS = OFF)
SELECT INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IsPadIndex') AS padded, INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IndexFillFactor') AS fill,
  INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IsPageLockDisallowed') AS no_page_locks, INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IsRowLockDisallowed') AS no_row_locks,
  INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IsUnique') AS is_unique, INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IsClustered') AS is_clustered,
  INDEXPROPERTY(OBJECT_ID('indexed'), 'ix_indexed', 'IndexDepth') AS depth, INDEXPROPERTY(OBJECT_ID('indexed'), 'none', 'IndexDepth') AS none,
  OBJECTPROPERTY(OBJECT_ID('df_indexed'), 'IsDefault') AS is_default, OBJECTPROPERTY(OBJECT_ID('df_indexed'), 'IsDefaultCnst') AS is_default_constraint
-- Every database takes space, if only for the system's tables.
SELECT CASE WHEN SUM(a.used_pages) > 0 THEN 1 END AS used FROM model.sys.allocation_units a JOIN model.sys.partitions p ON p.partition_id = a.container_id
SELECT container_type, container_type_desc FROM sys.dm_os_sys_info
GO
-- Options of the Query Store that are as they are, as scripts of a whole database have them; it is not to be had.
ALTER DATABASE CURRENT SET QUERY_STORE (QUERY_CAPTURE_MODE = AUTO, DATA_FLUSH_INTERVAL_SECONDS = 900, INTERVAL_LENGTH_MINUTES = 60,
  MAX_PLANS_PER_QUERY = 200, CLEANUP_POLICY = (STALE_QUERY_THRESHOLD_DAYS = 30), MAX_STORAGE_SIZE_MB = 1000)
GO
ALTER DATABASE CURRENT SET QUERY_STORE (MAX_STORAGE_SIZE_MB = 500)
GO
ALTER DATABASE CURRENT SET QUERY_STORE (OPERATION_MODE = READ_WRITE)
