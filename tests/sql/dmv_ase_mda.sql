-- ASE's monitoring tables: one engine a scheduler, from the same counters as the dynamic management views.
CREATE TABLE t (id int PRIMARY KEY, a int);
INSERT t VALUES (1, 1), (2, 2);
GO
CREATE PROCEDURE called AS RETURN 0;
GO
EXEC sp_configure 'enable spinlock monitoring', 1;
RECONFIGURE;
EXEC called;
GO
SELECT name, database_id - 32766 AS id, is_read_only, state_desc, recovery_model_desc FROM sys.databases WHERE name = N'ase_mda';
SELECT c.name AS [table], COUNT(*) AS columns FROM ase_mda.sys.all_objects c JOIN ase_mda.sys.all_columns k ON k.object_id = c.object_id
WHERE c.name LIKE N'mon%' AND c.schema_id = 1 GROUP BY c.name ORDER BY c.name;
SELECT COUNT(*) AS here FROM sys.all_objects WHERE name = N'monEngine';
SELECT OBJECT_SCHEMA_NAME(OBJECT_ID(N'ase_mda..monThread'), DB_ID(N'ase_mda')) AS [schema];
GO
SELECT * FROM monEngine;
GO
USE ase_mda;
GO
-- Engines and schedulers are the same, by another name.
SELECT CASE WHEN COUNT(*) = SUM(CASE WHEN s.scheduler_id IS NOT NULL THEN 1 ELSE 0 END) AND COUNT(*) > 0 THEN 'each' END AS engines,
  CASE WHEN SUM(e.Connections) > 0 THEN 'connected' END AS connections, CASE WHEN SUM(e.ContextSwitches) > 0 THEN 'switched' END AS switches,
  MIN(e.Status) AS status, CASE WHEN MIN(e.OSPID) > 0 AND MIN(e.ThreadID) > 0 THEN 'known' END AS processes,
  CASE WHEN COUNT(DISTINCT e.OSPID) = CASE @@KERNEL_MODE WHEN 'process' THEN COUNT(*) ELSE 1 END THEN 'right' END AS pids,
  CASE WHEN MAX(e.StartTime) <= GETDATE() THEN 'before now' END AS started, COUNT(e.StopTime) AS stopped
FROM monEngine e LEFT JOIN sys.dm_os_schedulers s ON s.scheduler_id = e.EngineNumber AND s.status = N'VISIBLE ONLINE';
SELECT CASE WHEN COUNT(*) > 0 AND COUNT(*) = COUNT(DISTINCT OSThreadID) THEN 'one each' END AS threads, MIN(ThreadPoolName) AS pool,
  CASE WHEN MIN(TotalTicks) >= 0 AND MIN(TotalTicks - SleepTicks) >= 0 THEN 'ticks' END AS ticks,
  CASE WHEN SUM(VoluntaryCtxtSwitches) > 0 THEN 'switched' END AS switches, CASE WHEN SUM(MinorFaults) > 0 THEN 'faults' END AS faults
FROM dbo.monThread;
SELECT CASE WHEN COUNT(*) > 0 AND MIN(kernel_time) >= 0 AND SUM(kernel_time + usermode_time) > 0 AND MAX(creation_time) <= GETDATE() THEN 'counted' END AS threads
FROM sys.dm_os_threads;
GO
-- Found and not found are all searches; inserts without removals are what is there.
SELECT CASE WHEN NumSearches = c.found + c.missing AND HitCount = c.found THEN 'searches' END AS searches,
  CASE WHEN NumInserts - NumRemovals = NumStatements AND NumInserts = c.cached THEN 'statements' END AS statements,
  TotalSizeKB, CASE WHEN UsedSizeKB BETWEEN NumStatements AND TotalSizeKB THEN 'used' END AS used, NumRecompilesPlanFlushes
FROM monStatementCache CROSS JOIN (
  SELECT SUM(CASE RTRIM(counter_name) WHEN N'Statements Found' THEN cntr_value ELSE 0 END) AS found,
    SUM(CASE RTRIM(counter_name) WHEN N'Statements Not Found' THEN cntr_value ELSE 0 END) AS missing,
    SUM(CASE RTRIM(counter_name) WHEN N'Statements Cached' THEN cntr_value ELSE 0 END) AS cached
  FROM sys.dm_os_performance_counters WHERE object_name = N'SQLServer:Statement Cache') c;
GO
SELECT SpinlockName, CASE WHEN Grabs > 0 AND Waits <= Grabs AND Contention BETWEEN 0 AND 100 THEN 'grabbed' END AS grabs
FROM monSpinlockActivity WHERE SpinlockName IN (N'SSQLCACHE_SPIN', N'rproccache_spin') ORDER BY SpinlockName;
SELECT COUNT(*) AS slots FROM monSpinlockActivity WHERE SpinlockSlotID IS NOT NULL OR OwnerPID IS NOT NULL OR InstanceID <> 0;
GO
EXEC sp_configure 'enable spinlock monitoring', 0;
RECONFIGURE;
DBCC SQLPERF ('sys.dm_os_spinlock_stats', CLEAR) WITH NO_INFOMSGS;
SELECT COUNT(*) AS counted FROM monSpinlockActivity WHERE Grabs > 0;
GO
-- The load is looked at twice a second.
WAITFOR DELAY '00:00:01.2';
SELECT StatisticID, Statistic, CASE WHEN COUNT(*) = (SELECT COUNT(*) FROM monEngine) THEN 'each engine' END AS engines,
  CASE WHEN MIN(Avg_1min) >= 0 AND MAX(Sample) <= MAX(Peak) AND MAX(Avg_15min) <= MAX(Max_15min) THEN 'in order' END AS averages,
  CASE WHEN MAX(ISNULL(Peak_Time, GETDATE())) <= GETDATE() THEN 'before now' END AS peaks
FROM monSysLoad GROUP BY StatisticID, Statistic ORDER BY StatisticID;
SELECT CASE WHEN SUM(Peak) > 0 AND MAX(SteadyState) BETWEEN 0 AND 100 THEN 'busy' END AS cpu FROM monSysLoad WHERE StatisticID = 0;
GO
CREATE TABLE mine (id int);
GO
DROP DATABASE ase_mda;
GO
CREATE DATABASE ase_mda;
GO
