-- Partitioned tables and indexes.
-- https://learn.microsoft.com/sql/relational-databases/partitions/partitioned-tables-and-indexes
-- https://learn.microsoft.com/sql/relational-databases/partitions/create-partitioned-tables-and-indexes
CREATE DATABASE parted;
GO
USE parted;
GO
CREATE PARTITION FUNCTION l (int) AS RANGE LEFT FOR VALUES (1, 10, 100);
CREATE PARTITION SCHEME pl AS PARTITION l ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION years (date) AS RANGE RIGHT FOR VALUES ('20240101', '20250101');
CREATE PARTITION SCHEME py AS PARTITION years ALL TO ([PRIMARY]);
GO
CREATE VIEW parts AS SELECT OBJECT_NAME(object_id) AS t, index_id AS i, partition_number AS n, rows FROM sys.partitions WHERE object_id > 1000;
GO
-- A heap.
CREATE TABLE h (a int, b varchar(10)) ON pl(a);
INSERT h VALUES (0, 'x'), (1, 'x'), (5, 'x'), (50, 'x'), (500, 'x'), (NULL, 'x'), (600, 'y');
SELECT n, rows FROM parts WHERE t = 'h' ORDER BY n;
SELECT partition_number, row_count FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('h') ORDER BY 1;
SELECT COUNT(DISTINCT p.partition_id) AS partitions, COUNT(DISTINCT u.allocation_unit_id) AS units
FROM sys.partitions p JOIN sys.allocation_units u ON u.container_id = p.partition_id WHERE p.object_id = OBJECT_ID('h');
SELECT i.index_id, i.type_desc, d.name FROM sys.indexes i JOIN sys.data_spaces d ON d.data_space_id = i.data_space_id WHERE i.object_id = OBJECT_ID('h');
SELECT index_id, index_column_id, column_id, key_ordinal, partition_ordinal, is_included_column FROM sys.index_columns WHERE object_id = OBJECT_ID('h');
SELECT $PARTITION.l(a) AS p, COUNT(*) AS rows FROM h GROUP BY $PARTITION.l(a) ORDER BY 1;
SELECT a FROM h WHERE a = 5;
SELECT a FROM h WHERE a > 5 ORDER BY a DESC;
SELECT a FROM h WHERE a IN (1, 500, 7) ORDER BY a;
SELECT COUNT(*) AS nulls FROM h WHERE a IS NULL;
GO
-- A row whose partitioning column changes moves; it is changed once.
UPDATE h SET a = a * 10;
SELECT n, rows FROM parts WHERE t = 'h' ORDER BY n;
UPDATE h SET a = 7 WHERE a = 10;
DELETE h WHERE a > 5000;
SELECT a, b FROM h ORDER BY a;
SELECT n, rows FROM parts WHERE t = 'h' ORDER BY n;
GO
-- Clustered, with indexes: all lie with the table.
CREATE TABLE c (id int NOT NULL, d date NOT NULL, s varchar(20) NULL, CONSTRAINT pk PRIMARY KEY CLUSTERED (id, d), INDEX s (s)) ON py(d);
CREATE UNIQUE INDEX u ON c (d, id) INCLUDE (s);
INSERT c SELECT n, DATEADD(day, n * 11, '20230601'), CONCAT('s', n % 7) FROM (SELECT TOP (100) ROW_NUMBER() OVER (ORDER BY (SELECT 1)) AS n FROM sys.all_columns) x;
SELECT i, n, rows FROM parts WHERE t = 'c' ORDER BY i, n;
SELECT i.name, c.index_column_id, c.column_id, c.key_ordinal, c.partition_ordinal, c.is_included_column
FROM sys.index_columns c JOIN sys.indexes i ON i.object_id = c.object_id AND i.index_id = c.index_id WHERE c.object_id = OBJECT_ID('c') ORDER BY i.index_id, 2;
SELECT TOP (3) id FROM c ORDER BY id;
SELECT TOP (3) id FROM c ORDER BY id DESC, d;
SELECT TOP (3) d FROM c ORDER BY d DESC;
SELECT MIN(d) AS first, MAX(d) AS last, MIN(id) AS low, MAX(id) AS high FROM c;
SELECT s, COUNT(*) AS n FROM c GROUP BY s ORDER BY s;
SELECT id, d FROM c WHERE id = 42;
SELECT COUNT(*) AS n FROM c WHERE d >= '20240101' AND d < '20240201';
SELECT COUNT(*) AS n FROM c WHERE s = 's3' AND d BETWEEN '20231201' AND '20240131';
DECLARE @from date = '20250101', @to date = '20250301';
SELECT COUNT(*) AS n FROM c WHERE d >= @from AND d < @to;
SELECT COUNT(*) AS n FROM (VALUES (CONVERT(date, '20230612')), ('20240102'), ('20260101')) x(d) JOIN c ON c.d = x.d;
GO
INSERT c VALUES (1, '20230612', 'again');
GO
INSERT c VALUES (1, '20260101', 'another');
UPDATE c SET d = '20251231' WHERE id = 1;
GO
UPDATE c SET d = DATEADD(year, 1, d) WHERE id BETWEEN 10 AND 20;
SELECT i, n, rows FROM parts WHERE t = 'c' ORDER BY i, n;
SELECT SUM(id) AS ids, COUNT(*) AS n FROM c;
SELECT SUM(id) AS ids, COUNT(*) AS n FROM c WITH (INDEX (u)) WHERE d > '19000101';
MERGE c USING (VALUES (5, '20240601'), (5000, '20240601')) x(id, d) ON c.id = x.id
WHEN MATCHED THEN UPDATE SET d = x.d WHEN NOT MATCHED THEN INSERT (id, d, s) VALUES (x.id, x.d, 'merged') OUTPUT $action, inserted.id, inserted.d, deleted.d;
DBCC CHECKTABLE ('c') WITH NO_INFOMSGS;
GO
-- What is refused.
CREATE TABLE x (id int NOT NULL CONSTRAINT px PRIMARY KEY, a int NOT NULL) ON pl(a);
GO
CREATE UNIQUE INDEX x ON h (b);
GO
CREATE TABLE x (a int) ON pl(b);
GO
CREATE TABLE x (a bigint) ON pl(a);
GO
CREATE TABLE x (a int) ON pl;
GO
CREATE TABLE x (a int) ON nowhere(a);
GO
CREATE TABLE x (a int) ON l(a);
GO
CREATE TABLE x (a int, c AS a + 1) ON pl(c);
GO
CREATE TABLE x (a int, b varchar(max)) ON pl(a) TEXTIMAGE_ON [PRIMARY];
GO
CREATE PARTITION FUNCTION names (varchar(10)) AS RANGE RIGHT FOR VALUES ('m');
CREATE PARTITION SCHEME pn AS PARTITION names ALL TO ([PRIMARY]);
CREATE TABLE x (a varchar(10) COLLATE Latin1_General_BIN) ON pn(a);
GO
CREATE INDEX x ON h (b) ON [PRIMARY];
DROP INDEX x ON h;
GO
ALTER TABLE h DROP COLUMN a;
GO
ALTER TABLE h ALTER COLUMN a bigint;
GO
DROP PARTITION SCHEME pl;
GO
CREATE TABLE x (a int NOT NULL PRIMARY KEY NONCLUSTERED) ON pl(a) WITH (MEMORY_OPTIMIZED = ON);
GO
-- Columns and indexes come and go.
ALTER TABLE c ADD e int NOT NULL DEFAULT 7, f varchar(max) NULL;
GO
UPDATE c SET f = REPLICATE(CONVERT(varchar(max), 'x'), 20000) WHERE id = 3;
SELECT SUM(e) AS e, SUM(LEN(f)) AS f FROM c;
ALTER TABLE c ALTER COLUMN s varchar(30) NULL;
ALTER TABLE c DROP COLUMN f;
DROP INDEX u ON c;
ALTER TABLE c DROP CONSTRAINT pk;
SELECT i, n, rows FROM parts WHERE t = 'c' ORDER BY i, n;
CREATE CLUSTERED INDEX cl ON c (d DESC, id);
SELECT TOP (2) d FROM c ORDER BY d DESC;
SELECT TOP (2) d FROM c ORDER BY d;
SELECT COUNT(*) AS n FROM c WHERE d < '20240101';
SELECT COUNT(*) AS n FROM c WHERE d >= '20250101';
SELECT i.name, d.name AS space FROM sys.indexes i JOIN sys.data_spaces d ON d.data_space_id = i.data_space_id WHERE i.object_id = OBJECT_ID('c') ORDER BY i.index_id;
GO
-- A clustered index takes the table to the scheme, and back.
CREATE TABLE t (a int, b int);
INSERT t VALUES (1, 1), (20, 2), (30, 3);
CREATE CLUSTERED INDEX cx ON t (b) ON pl(a);
SELECT i, n, rows FROM parts WHERE t = 't' ORDER BY n;
CREATE INDEX nx ON t (b);
DROP INDEX nx ON t;
DROP INDEX cx ON t;
SELECT i, n, rows FROM parts WHERE t = 't' ORDER BY n;
CREATE CLUSTERED INDEX cx ON t (b) ON [PRIMARY];
SELECT i, n, rows FROM parts WHERE t = 't' ORDER BY n;
SELECT * FROM t ORDER BY a;
GO
-- Partitions are emptied and rebuilt.
TRUNCATE TABLE h WITH (PARTITIONS (1, 3 TO 4));
SELECT a FROM h ORDER BY a;
BEGIN TRAN;
DECLARE @p int = 2;
TRUNCATE TABLE h WITH (PARTITIONS (@p));
SELECT COUNT(*) AS n FROM h;
ROLLBACK;
SELECT COUNT(*) AS n FROM h;
GO
TRUNCATE TABLE h WITH (PARTITIONS (5));
GO
TRUNCATE TABLE h WITH (PARTITIONS (3 TO 1));
GO
TRUNCATE TABLE h WITH (PARTITIONS (1 TO 2, 2 TO 3));
GO
ALTER INDEX cl ON c REBUILD PARTITION = 2;
ALTER INDEX ALL ON c REBUILD PARTITION = ALL;
ALTER INDEX s ON c REORGANIZE PARTITION = 1;
ALTER TABLE c REBUILD PARTITION = 3;
ALTER TABLE h REBUILD PARTITION = 1;
SELECT COUNT(*) AS n, SUM(id) AS ids FROM c;
GO
ALTER INDEX cl ON c REBUILD PARTITION = 4;
GO
ALTER INDEX s ON c REORGANIZE PARTITION = 4;
GO
ALTER TABLE h REBUILD PARTITION = 9;
GO
-- Boundaries come and go under rows.
DECLARE @day datetime = '20240701';
ALTER PARTITION FUNCTION years() SPLIT RANGE (@day);
SELECT i, n, rows FROM parts WHERE t = 'c' ORDER BY i, n;
ALTER PARTITION FUNCTION years() MERGE RANGE ('20250101');
SELECT i, n, rows FROM parts WHERE t = 'c' ORDER BY i, n;
SELECT COUNT(*) AS n, SUM(id) AS ids FROM c;
BEGIN TRAN;
ALTER PARTITION FUNCTION years() MERGE RANGE ('20240101');
SELECT COUNT(*) AS n FROM c WHERE d < '20240101';
ROLLBACK;
SELECT $PARTITION.years(d) AS n, COUNT(*) AS rows FROM c GROUP BY $PARTITION.years(d) ORDER BY n;
DBCC CHECKTABLE ('c') WITH NO_INFOMSGS;
EXEC sp_helpindex 'c';
TRUNCATE TABLE c;
SELECT COUNT(*) AS n FROM c;
DROP TABLE c;
DROP PARTITION SCHEME py;
DROP PARTITION FUNCTION years;
GO
USE master;
DROP DATABASE parted;
GO
