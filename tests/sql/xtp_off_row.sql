-- Values out of the rows of memory-optimized tables: catalog views, all ways to change and to read them, definitions that change. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/table-and-row-size-in-memory-optimized-tables
CREATE TABLE dbo.large (id int NOT NULL CONSTRAINT pk_large PRIMARY KEY NONCLUSTERED, n int NOT NULL, c1 nvarchar(2000) NULL, c2 nvarchar(1500) NULL, c3 varchar(40) NULL,
  m varchar(max) NULL, INDEX by_n NONCLUSTERED (n)) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.small (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 8), v varchar(8000) NULL) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
CREATE TABLE dbo.wide (id int NOT NULL PRIMARY KEY NONCLUSTERED, a varchar(5000) NULL, b varchar(6000) NULL, c varchar(100) NULL, d AS id + 1 PERSISTED, e varbinary(max) NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE VIEW dbo.off_row AS
SELECT OBJECT_NAME(a.object_id) AS name, a.type, a.type_desc, c.name AS column_name,
  DENSE_RANK() OVER (PARTITION BY a.object_id ORDER BY a.xtp_object_id) AS object_number, a.minor_id
FROM sys.memory_optimized_tables_internal_attributes a LEFT JOIN sys.columns c ON c.object_id = a.object_id AND c.column_id = a.minor_id;
GO
CREATE VIEW dbo.consumers AS
SELECT OBJECT_NAME(m.object_id) AS name, a.type_desc, m.memory_consumer_desc, m.allocation_count AS versions, IIF(m.allocated_bytes > 2000000, 'much', 'little') AS bytes
FROM sys.dm_db_xtp_memory_consumers m JOIN (SELECT DISTINCT object_id, xtp_object_id, type_desc FROM sys.memory_optimized_tables_internal_attributes) a
  ON a.object_id = m.object_id AND a.xtp_object_id = m.xtp_object_id;
GO
SELECT * FROM dbo.off_row ORDER BY name, minor_id;
GO
INSERT dbo.large VALUES (1, 1, NULL, NULL, 'one', REPLICATE(CAST('0123456789' AS varchar(max)), 200000)), (2, 2, N'two', NULL, NULL, 'short'), (3, 3, NULL, NULL, NULL, NULL);
SELECT * FROM dbo.consumers WHERE name = 'large' AND memory_consumer_desc = 'Table heap' ORDER BY type_desc;
SELECT OBJECT_NAME(object_id) AS name, IIF(memory_used_by_table_kb > 1900, 'much', 'little') AS kb FROM sys.dm_db_xtp_table_memory_stats ORDER BY name;
SELECT OBJECT_NAME(object_id) AS name, row_insert_attempts FROM sys.dm_db_xtp_object_stats WHERE OBJECT_NAME(object_id) = 'large';
GO
-- What stays is neither copied nor logged.
SELECT log_bytes_written INTO #before FROM sys.dm_xtp_transaction_stats;
GO
UPDATE dbo.large SET n += 10;
UPDATE dbo.large SET n += 10 WHERE m LIKE '%789';
UPDATE dbo.large SET m = m, c3 = 'same' WHERE id = 1;
UPDATE dbo.large SET n += 1 OUTPUT deleted.n, inserted.n AS n, LEN(inserted.m) AS m WHERE id = 1;
DECLARE @length int;
UPDATE dbo.large SET @length = LEN(m), n += 1 WHERE id = 1;
UPDATE dbo.large SET c3 = RIGHT(m, 3) WHERE id = 1;
UPDATE dbo.large SET id = 5 WHERE id = 1;
UPDATE dbo.large SET id = id - 4 WHERE id IN (5, 6);
SELECT @length AS length, IIF(s.log_bytes_written - b.log_bytes_written < 100000, 'little', 'much') AS logged FROM sys.dm_xtp_transaction_stats s, #before b;
SELECT id, n, c1, c3, LEN(m) AS m, RIGHT(m, 5) AS ends FROM dbo.large ORDER BY id;
GO
DECLARE @id int, @m varchar(max);
DECLARE rows_of CURSOR LOCAL FOR SELECT id, m FROM dbo.large WHERE id = 1;
OPEN rows_of;
FETCH rows_of INTO @id, @m;
SELECT @id AS id, LEN(@m) AS m;
CLOSE rows_of;
SELECT l.id, LEN(x.m) AS m FROM dbo.large l JOIN dbo.large x ON x.m = l.m ORDER BY l.id;
SELECT LEN(m) AS m, COUNT(*) AS rows FROM dbo.large GROUP BY m ORDER BY 1;
SELECT id FROM dbo.large ORDER BY m DESC;
GO
-- Long and short and long again, and back.
BEGIN TRANSACTION;
UPDATE dbo.large WITH (SNAPSHOT) SET m = 'x' WHERE id = 1;
UPDATE dbo.large WITH (SNAPSHOT) SET m = REPLICATE('y', 5000), n = 0 WHERE id = 2;
SAVE TRANSACTION here;
UPDATE dbo.large WITH (SNAPSHOT) SET m = REPLICATE('z', 6000) WHERE id < 3;
DELETE dbo.large WITH (SNAPSHOT) WHERE id = 2;
SELECT id, LEFT(m, 3) AS m, LEN(m) AS length FROM dbo.large WITH (SNAPSHOT) ORDER BY id;
ROLLBACK TRANSACTION here;
SELECT id, LEFT(m, 3) AS m, LEN(m) AS length FROM dbo.large WITH (SNAPSHOT) ORDER BY id;
ROLLBACK;
SELECT id, LEFT(m, 3) AS m, LEN(m) AS length FROM dbo.large ORDER BY id;
GO
INSERT dbo.large VALUES (1, 0, NULL, NULL, NULL, REPLICATE('q', 3000));
GO
-- Triggers see them.
CREATE TABLE dbo.seen (id int NOT NULL, old int NULL, new int NULL);
GO
CREATE TRIGGER dbo.watch ON dbo.large WITH NATIVE_COMPILATION, SCHEMABINDING AFTER UPDATE AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @id int, @old int, @new int;
  SELECT @id = i.id, @old = LEN(d.m), @new = LEN(i.m) FROM inserted i JOIN deleted d ON d.id = i.id WHERE i.id = 1;
  IF @new <> @old THROW 50001, N'the length has changed', 1;
END
GO
UPDATE dbo.large SET n += 1;
UPDATE dbo.large SET m = 'too short' WHERE id = 1;
GO
DROP TRIGGER dbo.watch;
SELECT id, n, LEN(m) AS m FROM dbo.large ORDER BY id;
GO
-- Machine code: rows change without them, and results have them.
CREATE PROCEDURE dbo.change @id int NOT NULL, @by int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  UPDATE dbo.large SET n += @by WHERE id = @id;
  UPDATE dbo.large SET n += @by WHERE n > 0;
  SELECT id, n, c3, m FROM dbo.large WHERE id = @id;
END
GO
CREATE TABLE #result (id int, n int, c3 varchar(40), m varchar(max));
INSERT #result EXEC dbo.change 1, 100;
SELECT r.id, r.n, r.c3, LEN(r.m) AS length, IIF(r.m = l.m, 'same', 'other') AS m FROM #result r JOIN dbo.large l ON l.id = r.id;
SELECT id, n, LEN(m) AS m FROM dbo.large ORDER BY id;
DROP PROCEDURE dbo.change;
GO
-- Definitions that change take them along.
ALTER TABLE dbo.large ADD INDEX by_c2 NONCLUSTERED (c2);
ALTER TABLE dbo.large ADD more nvarchar(max) NULL;
ALTER TABLE dbo.large ADD rest int NOT NULL DEFAULT 7 WITH VALUES;
GO
UPDATE dbo.large SET more = REPLICATE(N'm', 2000) WHERE id = 2;
SELECT id, LEN(m) AS m, LEN(more) AS more, rest FROM dbo.large ORDER BY id;
ALTER TABLE dbo.large DROP INDEX by_c2;
GO
ALTER TABLE dbo.large DROP COLUMN c3;
GO
ALTER TABLE dbo.large ALTER COLUMN c2 nvarchar(1600) NULL;
GO
SELECT id, LEN(m) AS m, LEN(more) AS more, rest FROM dbo.large ORDER BY id;
SELECT * FROM dbo.off_row WHERE name = 'large' ORDER BY minor_id;
SELECT * FROM dbo.consumers WHERE name = 'large' AND memory_consumer_desc = 'Table heap' AND type_desc <> 'USER_TABLE' ORDER BY type_desc;
GO
-- Columns that are too long for a row together.
INSERT dbo.wide (id, a, b, c, e) VALUES (1, REPLICATE('a', 5000), REPLICATE('b', 6000), 'c', CAST(REPLICATE('e', 2000) AS varbinary(max))), (2, 'a', 'b', 'c', 0x);
UPDATE dbo.wide SET c += 'x', b = a;
UPDATE dbo.wide SET a = REPLICATE('A', 4999) WHERE id = 1;
SELECT id, LEN(a) AS a, LEN(b) AS b, c, d, DATALENGTH(e) AS e FROM dbo.wide ORDER BY id;
SELECT * FROM dbo.off_row WHERE name = 'wide' ORDER BY minor_id;
SELECT type_desc, versions FROM dbo.consumers WHERE name = 'wide' AND memory_consumer_desc = 'Table heap' AND versions = 0;
DELETE dbo.wide;
DROP TABLE dbo.large;
SELECT * FROM dbo.off_row ORDER BY name, minor_id;
