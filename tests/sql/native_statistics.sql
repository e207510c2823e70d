-- Natively compiled modules are measured only if that was asked for. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-xtp-control-proc-exec-stats-transact-sql
CREATE TABLE dbo.m (id int NOT NULL CONSTRAINT pk_m PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.p @first int NOT NULL WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @v int = 0;
  INSERT dbo.m (id, v) VALUES (@first, 1);
  SELECT @v = v FROM dbo.m WHERE id = @first;
  SELECT @v = COUNT(*) FROM dbo.m WHERE id <= @first;
  UPDATE dbo.m SET v = 5 WHERE id = @first;
  SELECT id FROM dbo.m WHERE v = 7;
END
GO
CREATE PROCEDURE dbo.other AS SELECT COUNT(*) AS rows FROM dbo.m;
GO
CREATE VIEW dbo.calls AS SELECT OBJECT_NAME(object_id, database_id) AS name, execution_count FROM sys.dm_exec_procedure_stats WHERE database_id = DB_ID() AND OBJECT_NAME(object_id, database_id) IN ('p', 'other');
GO
CREATE VIEW dbo.queries AS SELECT SUBSTRING(t.text, s.statement_start_offset / 2 + 1, 18) AS statement, s.execution_count, s.total_rows
FROM sys.dm_exec_query_stats s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) t WHERE t.dbid = DB_ID() AND t.objectid = OBJECT_ID('p');
GO
EXEC p 1; EXEC other;
SELECT * FROM calls; SELECT * FROM queries;
GO
DECLARE @old bit, @code int;
EXEC @code = sys.sp_xtp_control_proc_exec_stats @new_collection_value = 1, @old_collection_value = @old OUTPUT;
SELECT @code AS code, @old AS old;
EXEC sp_xtp_control_proc_exec_stats @old_collection_value = @old OUTPUT;
SELECT @old AS old;
EXEC p 2; EXEC p 3;
SELECT * FROM calls ORDER BY name; SELECT * FROM queries;
GO
DECLARE @old bit, @db int = DB_ID(), @object int = OBJECT_ID('p');
EXEC sp_xtp_control_proc_exec_stats 0;
EXEC sp_xtp_control_query_exec_stats 1, @db, @object, @old OUTPUT;
SELECT @old AS old;
EXEC sp_xtp_control_query_exec_stats @database_id = @db, @xtp_object_id = @object, @old_collection_value = @old OUTPUT;
SELECT @old AS this_one;
EXEC sp_xtp_control_query_exec_stats @old_collection_value = @old OUTPUT;
SELECT @old AS all_of_them;
EXEC p 4;
SELECT * FROM calls ORDER BY name; SELECT * FROM queries ORDER BY 1;
EXEC sp_xtp_control_query_exec_stats 0, @db, @object;
EXEC p 5;
SELECT SUM(execution_count) AS executions FROM queries;
GO
DECLARE @code int, @db int = DB_ID(), @object int = OBJECT_ID('other');
EXEC @code = sp_xtp_control_query_exec_stats 1, @db, @object;
SELECT @code AS not_native;
EXEC sp_xtp_control_query_exec_stats 1, @db;
GO
EXEC sp_xtp_control_query_exec_stats 1;
EXEC p 6;
EXEC sp_xtp_control_query_exec_stats 0;
SELECT * FROM queries ORDER BY 1;
