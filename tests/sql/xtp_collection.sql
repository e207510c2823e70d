-- What is no longer needed of memory-optimized tables goes at once, rows and files. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/in-memory-oltp-garbage-collection
CREATE TABLE dbo.g (id int NOT NULL PRIMARY KEY NONCLUSTERED, pad char(200) NOT NULL DEFAULT '') WITH (MEMORY_OPTIMIZED = ON);
INSERT dbo.g (id) SELECT value FROM GENERATE_SERIES(1, 2000);
GO
CREATE VIEW dbo.kilobytes AS SELECT memory_used_by_table_kb AS kb FROM sys.dm_db_xtp_table_memory_stats WHERE object_id = OBJECT_ID('dbo.g');
GO
DELETE dbo.g WHERE id > 100;
DECLARE @status int;
EXEC @status = sys.sp_xtp_force_gc;
SELECT @status AS status, CASE WHEN kb < 100 THEN 'few' END AS kilobytes FROM dbo.kilobytes;
GO
DECLARE @here sysname = DB_NAME();
EXEC sys.sp_xtp_force_gc @dbname = @here;
EXEC sys.sp_xtp_force_gc N'nowhere';
GO
-- Its figures are the files that went; none is only marked, and the log is needed from ever later on.
CREATE TABLE #files (collected bigint, marked bigint, seqno bigint);
DECLARE @turn int = 0, @status int;
WHILE @turn < 4 BEGIN
  INSERT dbo.g (id) SELECT value FROM GENERATE_SERIES(1000 * (@turn + 1), 1000 * (@turn + 1) + 500);
  CHECKPOINT;
  DELETE dbo.g WHERE id >= 1000 * (@turn + 1);
  INSERT #files EXEC @status = sys.sp_xtp_checkpoint_force_garbage_collection;
  IF @status <> 0 SELECT @status AS failed;
  SET @turn += 1;
END;
SELECT COUNT(*) AS runs, CASE WHEN SUM(collected) > 0 THEN 'some' END AS files, MAX(marked) AS marked, CASE WHEN COUNT(DISTINCT seqno) = 4 THEN 'grow' END AS seqnos FROM #files;
SELECT COUNT(*) AS rows FROM dbo.g;
GO
EXEC sys.sp_xtp_checkpoint_force_garbage_collection N'nowhere';
EXEC sys.sp_xtp_checkpoint_force_garbage_collection @database = N'master';
GO
