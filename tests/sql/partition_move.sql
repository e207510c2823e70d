-- A table moves to a partition scheme, to another and back with its clustered index, or when it loses it.
-- https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql#drop_existing---on--off-
-- https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql (MOVE TO), https://learn.microsoft.com/sql/t-sql/statements/drop-index-transact-sql
CREATE PARTITION FUNCTION by_year (date) AS RANGE RIGHT FOR VALUES ('2020-01-01', '2021-01-01');
CREATE PARTITION SCHEME years AS PARTITION by_year ALL TO ([PRIMARY]);
CREATE PARTITION FUNCTION by_number (int) AS RANGE LEFT FOR VALUES (1);
CREATE PARTITION SCHEME numbers AS PARTITION by_number ALL TO ([PRIMARY]);
GO
CREATE VIEW dbo.places AS SELECT OBJECT_NAME(p.object_id) AS name, i.type_desc, s.name AS place, p.partition_number, p.rows
FROM sys.partitions p JOIN sys.indexes i ON i.object_id = p.object_id AND i.index_id = p.index_id JOIN sys.data_spaces s ON s.data_space_id = i.data_space_id
WHERE p.object_id IN (OBJECT_ID('a'), OBJECT_ID('b'));
GO
CREATE TABLE a (d date NOT NULL, v int); CREATE CLUSTERED INDEX ca ON a (d);
INSERT a VALUES ('2019-05-05', 1), ('2020-05-05', 2), ('2021-05-05', 3);
GO
CREATE CLUSTERED INDEX ca ON a (d) WITH (DROP_EXISTING = ON) ON years (d);
SELECT * FROM dbo.places ORDER BY partition_number;
GO
CREATE CLUSTERED INDEX ca ON a (d) WITH (DROP_EXISTING = ON) ON [PRIMARY];
SELECT * FROM dbo.places ORDER BY partition_number;
GO
DROP INDEX ca ON a WITH (MOVE TO numbers (v));
SELECT * FROM dbo.places ORDER BY partition_number;
SELECT * FROM a WHERE v > 1 ORDER BY v;
GO
CREATE TABLE b (id int NOT NULL, d date NOT NULL, CONSTRAINT pk_b PRIMARY KEY (id, d));
INSERT b VALUES (1, '2019-05-05'), (2, '2020-05-05');
DROP TABLE a;
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO years (d));
SELECT * FROM dbo.places ORDER BY partition_number;
GO
ALTER TABLE b ADD CONSTRAINT pk_b PRIMARY KEY (id, d);
INSERT b VALUES (3, '2022-05-05');
SELECT * FROM dbo.places ORDER BY partition_number;
GO
-- It stays divided, or is not any more.
BEGIN TRANSACTION;
ALTER TABLE b DROP CONSTRAINT pk_b;
SELECT * FROM dbo.places ORDER BY partition_number;
ROLLBACK;
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO [PRIMARY]);
SELECT * FROM dbo.places ORDER BY partition_number;
SELECT * FROM b ORDER BY id;
GO
-- What cannot be.
ALTER TABLE b ADD CONSTRAINT pk_b PRIMARY KEY (id, d);
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO years);
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO years (id));
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO years (nothing));
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO nowhere);
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO nowhere (d));
GO
CREATE INDEX other ON b (d);
GO
ALTER TABLE b DROP CONSTRAINT pk_b WITH (MOVE TO years (d));
GO
SELECT * FROM dbo.places ORDER BY type_desc, partition_number;
