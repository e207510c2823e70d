-- Indexes of a partitioned table that are not partitioned themselves, and tables that move to a partition scheme while their other indexes stay.
-- https://learn.microsoft.com/sql/relational-databases/partitions/partitioned-tables-and-indexes#nonaligned-index
-- https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql, https://learn.microsoft.com/sql/t-sql/statements/truncate-table-transact-sql
CREATE PARTITION FUNCTION by_year (date) AS RANGE RIGHT FOR VALUES ('2020-01-01', '2021-01-01');
CREATE PARTITION SCHEME years AS PARTITION by_year ALL TO ([PRIMARY]);
GO
CREATE VIEW dbo.places AS SELECT i.name, i.type_desc, s.name AS place, p.partition_number, p.rows
FROM sys.partitions p JOIN sys.indexes i ON i.object_id = p.object_id AND i.index_id = p.index_id JOIN sys.data_spaces s ON s.data_space_id = i.data_space_id
WHERE p.object_id = OBJECT_ID('sales');
GO
CREATE TABLE sales (d date NOT NULL, id int NOT NULL, v int, note varchar(max)) ON years (d);
CREATE CLUSTERED INDEX by_day ON sales (d) ON years (d);
INSERT sales VALUES ('2019-05-05', 1, 10, 'x'), ('2020-05-05', 2, 20, 'y'), ('2021-05-05', 3, 10, 'z');
CREATE INDEX by_value ON sales (v) INCLUDE (note) ON [PRIMARY];
CREATE UNIQUE INDEX one_id ON sales (id) ON [PRIMARY];
CREATE INDEX aligned ON sales (v);
SELECT * FROM dbo.places ORDER BY name, partition_number;
GO
-- Aligned, a unique index has the partitioning column in its key.
CREATE UNIQUE INDEX one_value ON sales (v);
GO
CREATE UNIQUE INDEX one_value ON sales (v) ON [PRIMARY];
GO
-- One key over all partitions.
INSERT sales VALUES ('2022-01-01', 1, 1, 'w');
GO
INSERT sales VALUES ('2022-01-01', 4, 1, 'w'), ('2018-01-01', 4, 1, 'w');
GO
UPDATE sales SET id = 3 WHERE id = 1;
GO
UPDATE sales SET d = '2019-01-01' WHERE id = 3;
UPDATE sales SET id = id + 1;
UPDATE sales SET id = 3 - id + 2 WHERE id IN (2, 3);
SELECT id, d, $PARTITION.by_year(d) AS part FROM sales ORDER BY id;
DELETE sales WHERE id = 4;
INSERT sales VALUES ('2020-12-31', 4, 40, 'again');
SELECT id, v, note FROM sales WITH (INDEX(by_value)) WHERE v >= 10 ORDER BY v, id;
SELECT id, d FROM sales WITH (INDEX(one_id)) WHERE id = 4;
SELECT * FROM dbo.places ORDER BY name, partition_number;
GO
-- What is asked for a partition alone.
CREATE TABLE stage (d date NOT NULL, id int NOT NULL, v int, note varchar(max));
CREATE CLUSTERED INDEX by_day ON stage (d);
CREATE INDEX aligned ON stage (v);
GO
ALTER TABLE sales SWITCH PARTITION 1 TO stage;
GO
TRUNCATE TABLE sales WITH (PARTITIONS (1));
GO
ALTER INDEX by_value ON sales REBUILD PARTITION = 1;
GO
ALTER INDEX ALL ON sales REBUILD PARTITION = 1;
GO
ALTER INDEX aligned ON sales REBUILD PARTITION = 1;
ALTER INDEX by_value ON sales REBUILD;
ALTER PARTITION FUNCTION by_year() SPLIT RANGE ('2019-03-01');
ALTER PARTITION FUNCTION by_year() MERGE RANGE ('2021-01-01');
SELECT id, v FROM sales WITH (INDEX(one_id)) ORDER BY id;
DBCC CHECKTABLE ('sales') WITH NO_INFOMSGS;
GO
-- Disabled ones are in nobody's way.
ALTER INDEX by_value ON sales DISABLE;
ALTER INDEX one_id ON sales DISABLE;
ALTER TABLE sales SWITCH PARTITION 2 TO stage;
SELECT COUNT(*) AS switched FROM stage;
INSERT sales SELECT TOP (1) d, id, v, note FROM sales;
GO
ALTER INDEX one_id ON sales REBUILD;
GO
DROP TABLE sales;
DROP TABLE stage;
GO
-- A table moves; its other indexes stay.
CREATE TABLE sales (id int NOT NULL CONSTRAINT pk_sales PRIMARY KEY NONCLUSTERED, d date NOT NULL, v int);
CREATE INDEX by_value ON sales (v);
INSERT sales VALUES (1, '2019-05-05', 10), (2, '2020-05-05', 20), (3, '2021-05-05', 10);
CREATE CLUSTERED INDEX by_day ON sales (d) ON years (d);
SELECT * FROM dbo.places ORDER BY name, partition_number;
INSERT sales VALUES (1, '2022-05-05', 10);
GO
CREATE CLUSTERED INDEX by_day ON sales (d) WITH (DROP_EXISTING = ON) ON [PRIMARY];
SELECT * FROM dbo.places ORDER BY name, partition_number;
INSERT sales VALUES (4, '2022-05-05', 10);
CREATE CLUSTERED INDEX by_day ON sales (d) WITH (DROP_EXISTING = ON) ON years (d);
DROP INDEX by_day ON sales WITH (MOVE TO [PRIMARY]);
SELECT * FROM sales WITH (INDEX(by_value)) WHERE v = 10 ORDER BY id;
GO
-- IGNORE_DUP_KEY passes over what another partition has.
CREATE CLUSTERED INDEX by_day ON sales (d) ON years (d);
ALTER TABLE sales DROP CONSTRAINT pk_sales;
CREATE UNIQUE INDEX one_id ON sales (id) WITH (IGNORE_DUP_KEY = ON) ON [PRIMARY];
INSERT sales VALUES (1, '2024-01-01', 1), (5, '2024-01-01', 1);
SELECT * FROM sales ORDER BY id;
GO
