-- What a session did, in its own rows: its requests that have ended, then the one that runs. https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-sessions-transact-sql
CREATE TABLE t (id int PRIMARY KEY, a int);
INSERT t VALUES (1, 1), (2, 2);
GO
WAITFOR DELAY '00:00:00.020';
GO
WAITFOR DELAY '00:00:00.030';
GO
SELECT wait_type, waiting_tasks_count,
  CASE WHEN wait_time_ms BETWEEN 50 AND 5000 THEN 'both' END AS waited,
  CASE WHEN max_wait_time_ms BETWEEN 30 AND wait_time_ms - 20 THEN 'the longer' END AS longest,
  CASE WHEN signal_wait_time_ms <= wait_time_ms THEN 'within' END AS signal
FROM sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND wait_type = N'WAITFOR';
GO
SELECT CASE WHEN logical_reads > 0 THEN 'reads' END AS logical_reads, CASE WHEN writes > 0 THEN 'writes' END AS writes,
  CASE WHEN total_elapsed_time >= 50 AND cpu_time < total_elapsed_time THEN 'mostly waits' END AS times
FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
GO
DECLARE @before bigint = (SELECT logical_reads FROM sys.dm_exec_requests WHERE session_id = @@SPID), @rows int;
SELECT @rows = COUNT(*) FROM t;
SELECT @rows AS rows_seen, CASE WHEN logical_reads > @before THEN 'more' END AS logical_reads FROM sys.dm_exec_requests WHERE session_id = @@SPID;
GO
BEGIN TRANSACTION;
UPDATE t SET a = 3;
SELECT CASE WHEN ABS(DATEDIFF(second, a.transaction_begin_time, GETDATE())) <= 5 THEN 'just now' END AS begun, a.name
FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id
WHERE s.session_id = @@SPID;
ROLLBACK;
GO
DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR);
SELECT CASE WHEN SUM(waiting_tasks_count) < 1000 THEN 'cleared' END AS waits FROM sys.dm_os_wait_stats WHERE wait_type = N'WAITFOR';
DBCC SQLPERF ('sys.dm_os_latch_stats', CLEAR) WITH NO_INFOMSGS;
DBCC SQLPERF ('sys.dm_os_spinlock_stats', CLEAR) WITH NO_INFOMSGS;
SELECT SUM(waiting_requests_count) AS latch_waits FROM sys.dm_os_latch_stats HAVING SUM(waiting_requests_count) > 1000;
DBCC SQLPERF ('sys.dm_os_no_stats', CLEAR);
