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
