-- sys.partitions.rows is right after what was rolled back, too.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-partitions-transact-sql
CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY, v int)
INSERT t SELECT value, value FROM GENERATE_SERIES(1, 100)
GO
BEGIN TRANSACTION
INSERT t SELECT value, value FROM GENERATE_SERIES(101, 200)
SAVE TRANSACTION s
DELETE t WHERE id <= 50
SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')
ROLLBACK TRANSACTION s
SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')
INSERT t VALUES (201, 1)
ROLLBACK
SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')
GO
-- A statement that fails.
INSERT t SELECT 300 - value, value FROM GENERATE_SERIES(1, 250)
GO
SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')
BEGIN TRANSACTION
INSERT t VALUES (1000, 1)
BEGIN TRY INSERT t VALUES (1001, 1), (1001, 1) END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH
DELETE t WHERE id = 1
COMMIT
SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('t')
SELECT row_count FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('t')
GO
