-- The statement cache: what is found, what is compiled, what is kept, how much of it; ASE's counters, and DBCC. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
CREATE TABLE before (name nvarchar(40) PRIMARY KEY, value bigint);
CREATE TABLE t (id int PRIMARY KEY, a int);
GO
CREATE PROCEDURE since @text nvarchar(40) AS
SET NOCOUNT ON;
IF @text IS NULL BEGIN
  DELETE before;
  INSERT before SELECT RTRIM(counter_name), cntr_value FROM sys.dm_os_performance_counters WHERE object_name LIKE N'%Statement Cache%';
END
ELSE SELECT @text AS since, SUM(c.cntr_value - b.value) AS more
  FROM sys.dm_os_performance_counters c JOIN before b ON b.name = c.counter_name AND c.counter_name = @text
  WHERE c.object_name LIKE N'%Statement Cache%';
GO
-- Each of the three texts is searched three times.
DBCC PURGESQLCACHE WITH NO_INFOMSGS;
EXEC since NULL;
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC sp_executesql N'SELECT a FROM t WHERE id = @id', N'@id int', 1;
EXEC sp_executesql N'SELECT a FROM t WHERE id = @id', N'@id int', 2;
EXEC since N'Statements Cached';
EXEC since N'Statements Found';
EXEC since N'Statements Not Found';
EXEC since N'Statements Dropped';
EXEC since N'Statements Not Cached';
GO
-- A plan whose table has changed is dropped for a new one.
ALTER TABLE t ADD b int;
EXEC since NULL;
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC since N'Statements Cached';
EXEC since N'Statements Found';
EXEC since N'Statements Dropped';
GO
-- What is cached and not dropped is there; sizes are of the plans, not of the texts only.
SELECT CASE WHEN (SELECT SUM(CASE RTRIM(counter_name) WHEN N'Statements Cached' THEN cntr_value WHEN N'Statements Dropped' THEN -cntr_value ELSE 0 END)
    FROM sys.dm_os_performance_counters WHERE object_name LIKE N'%Statement Cache%')
  = (SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = N'Cache Object Counts' AND instance_name = N'SQL Plans')
  THEN 'cached - dropped = entries' END AS counts;
SELECT COUNT(*) AS plans, MIN(CASE WHEN p.size_in_bytes > 1000 THEN 'real' ELSE 'small' END) AS size
FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x
WHERE x.text LIKE N'SELECT a FROM' + NCHAR(32) + N't WHERE id = %';
SELECT CASE WHEN pages_kb > 0 THEN 'counted' END AS memory, type FROM sys.dm_os_memory_clerks WHERE type IN (N'CACHESTORE_SQLCP', N'CACHESTORE_OBJCP') ORDER BY type;
GO
-- DBCC: one plan by its handle, those of a database, those of a kind.
DECLARE @dbcc nvarchar(200) = (SELECT N'DBCC FREEPROCCACHE (' + CONVERT(nvarchar(100), p.plan_handle, 1) + N') WITH NO_INFOMSGS'
  FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.text = N'SELECT a FROM' + NCHAR(32) + N't WHERE id = 1');
EXEC (@dbcc);
SELECT COUNT(*) AS plans FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.text LIKE N'SELECT a FROM' + NCHAR(32) + N't WHERE id = %';
SET @dbcc = N'DBCC FLUSHPROCINDB (' + CONVERT(nvarchar(10), DB_ID()) + N') WITH NO_INFOMSGS';
EXEC (@dbcc);
SELECT COUNT(*) AS plans FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.dbid = DB_ID();
GO
DBCC FREESYSTEMCACHE ('SQL Plans') WITH NO_INFOMSGS;
SELECT objtype, CASE WHEN COUNT(*) < 3 THEN 'few' ELSE 'many' END AS plans FROM sys.dm_exec_cached_plans WHERE objtype = N'Adhoc' GROUP BY objtype;
SELECT COUNT(*) AS plans FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.dbid = DB_ID() AND p.objtype = N'Proc';
DBCC FREESYSTEMCACHE ('Object Plans') WITH NO_INFOMSGS;
SELECT COUNT(*) AS plans FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.dbid = DB_ID() AND p.objtype = N'Proc';
GO
DBCC FREEPROCCACHE (0x0102);
GO
DBCC FLUSHPROCINDB;
GO
-- Its size, in pages of 2 KB: the cache stays within it, and without one nothing is kept.
EXEC sp_configure 'statement cache size', 100;
EXEC sp_configure 'procedure cache size', 100;
RECONFIGURE;
GO
DECLARE @i int = 0, @text nvarchar(200);
WHILE @i < 300 BEGIN
  SET @text = N'SET @n = (SELECT COUNT(*) FROM t WHERE id = ' + CONVERT(nvarchar(10), @i) + N')';
  EXEC sp_executesql @text, N'@n int', 0;
  SET @i += 1;
END
SELECT CASE WHEN SUM(CONVERT(bigint, size_in_bytes)) <= 100 * 2048 THEN 'within' END AS bytes,
  CASE WHEN COUNT(*) BETWEEN 2 AND 200 THEN 'some' END AS plans
FROM sys.dm_exec_cached_plans WHERE objtype <> N'Proc';
GO
EXEC sp_configure 'statement cache size', 0;
RECONFIGURE;
GO
SELECT COUNT(*) AS plans FROM sys.dm_exec_cached_plans WHERE objtype <> N'Proc';
EXEC since NULL;
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC (N'SELECT a FROM t WHERE id = 1');
EXEC since N'Statements Not Cached';
EXEC since N'Statements Not Found';
GO
EXEC sp_configure 'statement cache size', 65536;
EXEC sp_configure 'statement cache size';
RECONFIGURE;
GO
-- Without plan sharing a session does not find what all share, only what it has compiled itself since.
EXEC (N'SELECT a FROM t WHERE id = 2');
EXEC sp_configure 'enable plan sharing', 0;
RECONFIGURE;
GO
EXEC since NULL;
EXEC (N'SELECT a FROM t WHERE id = 2');
EXEC (N'SELECT a FROM t WHERE id = 2');
EXEC since N'Statements Cached';
EXEC since N'Statements Found';
EXEC since N'Statements Not Found';
SELECT COUNT(*) AS plans, COUNT(DISTINCT plan_handle) AS handles
FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x WHERE x.text = N'SELECT a FROM' + NCHAR(32) + N't WHERE id = 2';
EXEC sp_configure 'enable plan sharing', 1;
RECONFIGURE;
GO
-- What is prepared is found again; without streamlined dynamic SQL it is compiled for each handle.
DECLARE @h int;
EXEC since NULL;
EXEC sp_prepexec @h OUTPUT, N'@id int', N'SELECT b FROM t WHERE id = @id', 1;
EXEC sp_prepexec @h OUTPUT, N'@id int', N'SELECT b FROM t WHERE id = @id', 1;
EXEC since N'Statements Cached';
EXEC since N'Statements Found';
EXEC since N'Statements Not Cached';
EXEC sp_configure 'streamlined dynamic SQL', 0;
RECONFIGURE;
EXEC since NULL;
EXEC sp_prepexec @h OUTPUT, N'@id int', N'SELECT b FROM t WHERE id = @id', 1;
EXEC sp_prepare @h OUTPUT, N'@id int', N'SELECT b FROM t WHERE id = @id';
EXEC sp_execute @h, 1;
EXEC since N'Statements Found';
EXEC since N'Statements Not Found';
EXEC since N'Statements Not Cached';
EXEC sp_configure 'streamlined dynamic SQL', 1;
RECONFIGURE;
GO
DROP PROCEDURE since;
DROP TABLE before, t;
GO
