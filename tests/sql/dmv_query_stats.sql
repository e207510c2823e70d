-- What statements and modules cost: counted where they ran, found by their handles, gone with their plans. https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-query-stats-transact-sql
CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY, a int);
CREATE TABLE log (id int);
GO
CREATE PROCEDURE counted @n int AS
INSERT t VALUES (@n, @n * 2);
SELECT a FROM t WHERE id <= @n;
GO
CREATE FUNCTION dbo.largest(@n int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN (SELECT MAX(a) FROM t WHERE id <= @n) END
GO
CREATE TRIGGER logged ON t AFTER INSERT AS INSERT log SELECT id FROM inserted;
GO
DBCC FREEPROCCACHE WITH NO_INFOMSGS;
GO
EXEC counted 1;
EXEC counted 2;
EXEC counted 3;
GO
-- A statement that fails is not an execution that completed.
EXEC counted 3;
GO
SELECT dbo.largest(id) AS largest FROM t ORDER BY id;
GO 2
EXEC sp_executesql N'SELECT COUNT(*) AS c FROM t WHERE id > @p', N'@p int', 1;
EXEC sp_executesql N'SELECT COUNT(*) AS c FROM t WHERE id > @p', N'@p int', 2;
GO
-- One word that both texts have, so that this query itself is not found.
DECLARE @own nvarchar(20) = N'%' + NCHAR(70) + N'ROM t%';
SELECT SUBSTRING(x.text, s.statement_start_offset / 2 + 1,
    (CASE s.statement_end_offset WHEN -1 THEN DATALENGTH(x.text) ELSE s.statement_end_offset END - s.statement_start_offset) / 2 + 1) AS statement,
  s.execution_count, s.total_rows, s.last_rows, s.min_rows, s.max_rows,
  CASE WHEN s.total_logical_reads > 0 AND s.min_logical_reads <= s.max_logical_reads THEN 'reads' END AS reads,
  CASE WHEN s.total_logical_writes > 0 THEN 'writes' END AS writes,
  CASE WHEN s.total_elapsed_time >= s.total_worker_time AND s.max_elapsed_time <= s.total_elapsed_time THEN 'elapsed' END AS elapsed,
  CASE WHEN s.last_execution_time >= s.creation_time AND s.last_execution_time <= DATEADD(second, 1, GETDATE()) THEN 'in time' END AS in_time,
  x.dbid - DB_ID() AS dbid, OBJECT_NAME(x.objectid) AS object
FROM sys.dm_exec_query_stats s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) x
WHERE x.text LIKE @own AND (x.dbid = DB_ID() OR x.text LIKE N'SELECT COUNT%' OR x.text LIKE N'SELECT dbo.largest%')
ORDER BY 1;
GO
SELECT OBJECT_NAME(s.object_id) AS name, s.type, s.type_desc, s.execution_count, DATALENGTH(s.sql_handle) AS sql_handle,
  CASE WHEN s.total_logical_reads > 0 THEN 'reads' END AS reads
FROM sys.dm_exec_procedure_stats s WHERE s.database_id = DB_ID() ORDER BY 1;
SELECT OBJECT_NAME(s.object_id) AS name, s.type, s.type_desc, s.execution_count FROM sys.dm_exec_function_stats s WHERE s.database_id = DB_ID();
SELECT OBJECT_NAME(s.object_id) AS name, s.type, s.type_desc, s.execution_count FROM sys.dm_exec_trigger_stats s WHERE s.database_id = DB_ID();
GO
SELECT p.cacheobjtype, p.objtype, CONVERT(nvarchar(60), REPLACE(x.text, NCHAR(10), N' ')) AS text
FROM sys.dm_exec_cached_plans p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) x
WHERE x.dbid = DB_ID() OR x.text LIKE N'SELECT COUNT(*) AS c' + NCHAR(32) + N'%'
ORDER BY 2, 3;
GO
SELECT COUNT(*) AS plans, COUNT(DISTINCT s.plan_handle) AS handles,
  SUM(CASE WHEN CONVERT(nvarchar(max), q.query_plan) LIKE N'<ShowPlanXML %PhysicalOp=%</ShowPlanXML>' THEN 1 END) AS shown
FROM sys.dm_exec_procedure_stats s CROSS APPLY sys.dm_exec_query_plan(s.plan_handle) q WHERE s.database_id = DB_ID();
SELECT COUNT(*) AS found FROM sys.dm_exec_sql_text(0x02000000000000000000000000000000000000FF);
SELECT COUNT(*) AS found FROM sys.dm_exec_query_plan(0x0102);
GO
-- Two literals are one shape of query.
GO
SELECT a FROM t WHERE id = 1;
GO
SELECT a FROM t WHERE id =  2;
GO
SELECT COUNT(*) AS texts, COUNT(DISTINCT s.query_hash) AS hashes, COUNT(DISTINCT s.query_plan_hash) AS plan_hashes
FROM sys.dm_exec_query_stats s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) x WHERE x.text LIKE N'SELECT a FR_M t WHERE id = %';
GO
-- A query that runs has the hashes of its statistics.
GO
SELECT IIF(r.query_hash = s.query_hash AND r.query_plan_hash = s.query_plan_hash, 'same', 'others') AS hashes
FROM sys.dm_exec_requests r JOIN sys.dm_exec_query_stats s ON s.sql_handle = r.sql_handle AND s.statement_start_offset = r.statement_start_offset
WHERE r.session_id = @@SPID;
GO 2
-- Statistics are gone with the plan.
GO
ALTER PROCEDURE counted @n int AS SELECT @n AS n;
GO
EXEC counted 7;
SELECT s.execution_count FROM sys.dm_exec_procedure_stats s WHERE s.object_id = OBJECT_ID('counted') AND s.database_id = DB_ID();
DROP PROCEDURE counted;
SELECT COUNT(*) AS left_over FROM sys.dm_exec_procedure_stats WHERE database_id = DB_ID();
DBCC FREEPROCCACHE WITH NO_INFOMSGS;
GO
SELECT COUNT(*) AS left_over FROM sys.dm_exec_procedure_stats WHERE database_id = DB_ID();
