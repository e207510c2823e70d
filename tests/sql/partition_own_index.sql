-- Indexes that are partitioned and lie otherwise than their table: on a table that is not partitioned, by another column, by another function.
-- https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql (ON partition_scheme_name (column_name))
-- https://learn.microsoft.com/sql/relational-databases/partitions/partitioned-tables-and-indexes#nonaligned-index
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-4000-to-4999 (4906 to 4915)
CREATE PARTITION FUNCTION by_ten (int) AS RANGE LEFT FOR VALUES (10, 20);
CREATE PARTITION SCHEME tens AS PARTITION by_ten ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION by_day (date) AS RANGE RIGHT FOR VALUES ('2020-01-01');
CREATE PARTITION SCHEME days AS PARTITION by_day ALL TO ([PRIMARY]);
GO
CREATE VIEW dbo.places AS SELECT i.name, s.name AS place, p.partition_number AS part, p.rows
FROM sys.partitions p JOIN sys.indexes i ON i.object_id = p.object_id AND i.index_id = p.index_id JOIN sys.data_spaces s ON s.data_space_id = i.data_space_id
WHERE p.object_id = OBJECT_ID('sales');
GO
CREATE VIEW dbo.parts AS SELECT i.name, c.index_column_id AS ordinal, COL_NAME(c.object_id, c.column_id) AS part, c.key_ordinal, c.partition_ordinal, c.is_included_column
FROM sys.index_columns c JOIN sys.indexes i ON i.object_id = c.object_id AND i.index_id = c.index_id WHERE c.object_id = OBJECT_ID('sales');
GO
CREATE TABLE sales (id int NOT NULL CONSTRAINT pk_sales PRIMARY KEY, n int NULL, d date NOT NULL, note varchar(20));
INSERT sales VALUES (1, 5, '2019-05-05', 'a'), (2, 15, '2020-05-05', 'b'), (3, NULL, '2021-05-05', 'c'), (4, 20, '2019-01-01', 'd'), (5, 21, '2020-01-01', 'e');
CREATE INDEX by_note ON sales (note) ON tens (n);
CREATE INDEX by_date ON sales (d, note) ON days (d);
-- The partitioning column is added as one that is neither of the key nor included.
SELECT * FROM dbo.parts ORDER BY name, ordinal;
SELECT * FROM dbo.places ORDER BY name, part;
SELECT COUNT(*) AS ids, COUNT(DISTINCT partition_id) AS distinct_ids, COUNT(DISTINCT hobt_id) AS trees FROM sys.partitions WHERE object_id = OBJECT_ID('sales');
GO
-- A unique index has its partitioning column in the key.
CREATE UNIQUE INDEX one_note ON sales (note) ON tens (n);
GO
CREATE UNIQUE INDEX one_note ON sales (note, n) ON tens (n);
ALTER TABLE sales ADD CONSTRAINT one_date UNIQUE NONCLUSTERED (d) ON days (d);
GO
INSERT sales VALUES (6, 5, '2022-01-01', 'a');
GO
INSERT sales VALUES (6, 6, '2021-05-05', 'z');
GO
-- Types, and columns that there are not.
CREATE INDEX wrong ON sales (note) ON tens (d);
GO
CREATE INDEX wrong ON sales (note) ON tens (nothing);
GO
CREATE INDEX wrong ON sales (note) ON tens;
GO
-- What is asked of a partition.
ALTER INDEX by_note ON sales REBUILD PARTITION = 3;
ALTER INDEX by_note ON sales REORGANIZE PARTITION = 1;
ALTER INDEX by_date ON sales REBUILD PARTITION = ALL;
GO
ALTER INDEX by_note ON sales REBUILD PARTITION = 4;
GO
ALTER INDEX by_date ON sales REBUILD PARTITION = 3;
GO
ALTER INDEX pk_sales ON sales REBUILD PARTITION = 1;
GO
ALTER INDEX ALL ON sales REBUILD PARTITION = 1;
GO
ALTER TABLE sales REBUILD PARTITION = 1;
GO
TRUNCATE TABLE sales WITH (PARTITIONS (1));
GO
-- The function changes: nothing moves, and the partitions are others.
ALTER PARTITION FUNCTION by_ten() SPLIT RANGE (15);
SELECT * FROM dbo.places WHERE name = 'by_note' ORDER BY part;
ALTER PARTITION FUNCTION by_ten() MERGE RANGE (10);
SELECT * FROM dbo.places WHERE name = 'by_note' ORDER BY part;
UPDATE sales SET n = 100 WHERE id = 1;
DELETE sales WHERE id = 4;
SELECT * FROM dbo.places WHERE name = 'by_note' ORDER BY part;
SELECT id, n FROM sales WITH (INDEX (by_note)) WHERE note >= 'b' ORDER BY note;
DBCC CHECKTABLE ('sales') WITH NO_INFOMSGS;
GO
DROP PARTITION SCHEME tens;
GO
ALTER TABLE sales DROP COLUMN n;
GO
DROP INDEX one_note ON sales;
GO
ALTER TABLE sales DROP COLUMN n;
GO
ALTER TABLE sales DROP CONSTRAINT one_date;
CREATE TABLE stage (id int NOT NULL CONSTRAINT pk_stage PRIMARY KEY, n int NULL, d date NOT NULL, note varchar(20));
GO
ALTER TABLE sales SWITCH TO stage;
GO
ALTER INDEX by_note ON sales DISABLE;
DROP INDEX by_date ON sales;
DROP TABLE stage;
DROP TABLE sales;
GO
-- A partitioned table with an index by another column, and with one by another function.
CREATE PARTITION FUNCTION by_same (int) AS RANGE LEFT FOR VALUES (15, 20);
CREATE PARTITION SCHEME sames AS PARTITION by_same ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION by_right (int) AS RANGE RIGHT FOR VALUES (15, 20);
CREATE PARTITION SCHEME rights AS PARTITION by_right ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION by_other (int) AS RANGE LEFT FOR VALUES (15, 30);
CREATE PARTITION SCHEME others AS PARTITION by_other ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION by_many (int) AS RANGE LEFT FOR VALUES (15, 20, 30);
CREATE PARTITION SCHEME many AS PARTITION by_many ALL TO ([PRIMARY]);
CREATE TABLE sales (n int NOT NULL, m int NOT NULL, v int) ON tens (n);
CREATE CLUSTERED INDEX c ON sales (n) ON tens (n);
INSERT sales VALUES (1, 40, 1), (16, 30, 2), (30, 20, 3), (31, 1, 4);
CREATE TABLE stage (n int NOT NULL, m int NOT NULL, v int);
CREATE CLUSTERED INDEX c ON stage (n);
CREATE INDEX i ON stage (v);
GO
CREATE INDEX i ON sales (v) ON tens (m);
SELECT * FROM dbo.places ORDER BY name, part;
GO
TRUNCATE TABLE sales WITH (PARTITIONS (1));
GO
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
GO
CREATE INDEX i ON sales (v) WITH (DROP_EXISTING = ON) ON rights (n);
GO
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
GO
CREATE INDEX i ON sales (v) WITH (DROP_EXISTING = ON) ON others (n);
SELECT * FROM dbo.places WHERE name = 'i' ORDER BY part;
GO
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
GO
CREATE INDEX i ON sales (v) WITH (DROP_EXISTING = ON) ON many (n);
GO
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
GO
ALTER INDEX ALL ON sales REBUILD PARTITION = 3;
GO
ALTER INDEX ALL ON sales REBUILD PARTITION = 4;
GO
-- By a function that divides as the table's does, it is aligned.
CREATE INDEX i ON sales (v) WITH (DROP_EXISTING = ON) ON sames (n);
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
TRUNCATE TABLE sales WITH (PARTITIONS (2));
SELECT * FROM sales ORDER BY n;
SELECT * FROM stage;
SELECT * FROM dbo.places ORDER BY name, part;
GO
-- A table moves, and its partitioned indexes stay.
CREATE CLUSTERED INDEX c ON sales (n) WITH (DROP_EXISTING = ON) ON [PRIMARY];
SELECT * FROM dbo.places ORDER BY name, part;
SELECT v FROM sales WITH (INDEX (i)) WHERE v > 3;
DROP TABLE sales;
DROP TABLE stage;
GO
