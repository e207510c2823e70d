-- SET SHOWPLAN_XML: plans of what would run, in one document a batch https://learn.microsoft.com/sql/t-sql/statements/set-showplan-xml-transact-sql
CREATE TABLE dbo.m (id int NOT NULL CONSTRAINT pk_m PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.disk (a int NOT NULL CONSTRAINT pk_disk PRIMARY KEY, b varchar(10) NULL);
INSERT m VALUES (1, 10);
GO
CREATE PROCEDURE dbo.native @id int NOT NULL WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @v int = 0;
  WHILE @v < 3 BEGIN INSERT dbo.m (id, v) VALUES (@id + @v, 1); SET @v += 1; END
  UPDATE dbo.m SET v = 5 WHERE id = @id;
  IF @v > 5 DELETE dbo.m WHERE id = 7; ELSE SELECT id FROM dbo.m WHERE v < 7 AND id > 0;
END
GO
CREATE PROCEDURE dbo.outer_one @again int AS
IF EXISTS (SELECT 1 FROM dbo.disk WHERE a = @again) EXEC dbo.native @again;
EXEC dbo.native 5;
IF @again > 0 EXEC dbo.outer_one 0;
GO
SET SHOWPLAN_XML ON;
GO
EXEC dbo.native 1;
GO
EXEC outer_one 3;
GO
SELECT b FROM disk WHERE a = 2 AND b < 'x & "y"'; DELETE m; INSERT disk VALUES (1, 'a');
DECLARE @x int = 1; PRINT 'not said'; CREATE TABLE dbo.never (a int);
GO
SELECT * FROM nothing_there;
GO
EXEC ('DELETE dbo.m'); EXEC sp_flush_log;
GO
SET SHOWPLAN_XML OFF;
GO
SELECT (SELECT COUNT(*) FROM m) AS m, (SELECT COUNT(*) FROM disk) AS disk, OBJECT_ID('never') AS never;
