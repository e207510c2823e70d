-- DBCC CLONEDATABASE: all definitions of a database, and none of its rows.
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-clonedatabase-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-12000-to-12999
CREATE DATABASE clone_source;
GO
ALTER DATABASE clone_source SET TRUSTWORTHY ON;
ALTER DATABASE clone_source SET DB_CHAINING ON;
ALTER DATABASE clone_source ADD FILEGROUP second;
GO
USE clone_source;
GO
CREATE SCHEMA store;
GO
CREATE TYPE dbo.price FROM decimal(9, 2) NOT NULL;
CREATE SEQUENCE dbo.numbers AS int START WITH 5 INCREMENT BY 5;
CREATE PARTITION FUNCTION by_year (int) AS RANGE RIGHT FOR VALUES (2024, 2025);
CREATE PARTITION SCHEME years AS PARTITION by_year ALL TO ([PRIMARY]);
CREATE USER reader WITHOUT LOGIN;
CREATE ROLE readers;
ALTER ROLE readers ADD MEMBER reader;
GO
CREATE TABLE store.item (id int IDENTITY(10, 10) PRIMARY KEY, name nvarchar(50) NOT NULL UNIQUE, cost dbo.price DEFAULT 1.5, note varchar(max), twice AS cost * 2,
    CONSTRAINT cheap CHECK (cost < 1000));
CREATE INDEX by_cost ON store.item (cost) INCLUDE (name) WHERE cost > 10;
CREATE TABLE store.sold (year int NOT NULL, item int NOT NULL CONSTRAINT of_item REFERENCES store.item (id), n int, INDEX by_item NONCLUSTERED (item)) ON years (year);
CREATE STATISTICS named ON store.item (name, cost);
GRANT SELECT ON SCHEMA::store TO readers;
GO
CREATE VIEW store.costs WITH SCHEMABINDING AS SELECT id, cost FROM store.item;
GO
CREATE UNIQUE CLUSTERED INDEX first ON store.costs (id);
GO
CREATE PROCEDURE store.count_items AS SELECT COUNT(*) AS items FROM store.item;
GO
CREATE TRIGGER store.told ON store.item AFTER INSERT AS PRINT 'inserted';
GO
INSERT store.item (name, cost, note) SELECT CONCAT('item ', value), value, REPLICATE(CAST('n' AS varchar(max)), value * 1000) FROM GENERATE_SERIES(1, 20);
INSERT store.sold SELECT 2023 + value % 4, 10, value FROM GENERATE_SERIES(1, 100);
SELECT NEXT VALUE FOR dbo.numbers AS number;
GO
USE master;
GO
-- Statistics are made of rows, and a clone has none.
DBCC CLONEDATABASE (clone_source, clone_of);
DBCC CLONEDATABASE (clone_source, clone_of) WITH NO_QUERYSTORE;
GO
DBCC CLONEDATABASE (clone_source, clone_of) WITH NO_STATISTICS, NO_QUERYSTORE;
GO
SELECT DATABASEPROPERTYEX('clone_of', 'IsClone') AS clone, DATABASEPROPERTYEX('clone_of', 'IsVerifiedClone') AS verified, DATABASEPROPERTYEX('clone_of', 'Updateability') AS updateability,
    DATABASEPROPERTYEX('clone_source', 'IsClone') AS source_clone;
SELECT is_read_only, is_trustworthy_on, is_db_chaining_on, recovery_model_desc FROM sys.databases WHERE name = 'clone_of';
SELECT file_id, type_desc, name, CASE WHEN physical_name LIKE '%clone[_]source[_][0-9]%.mdf' OR physical_name LIKE '%clone[_]source[_]log[_][0-9]%.ldf' THEN 'as documented' ELSE physical_name END AS place
    FROM sys.master_files WHERE database_id = DB_ID('clone_of') ORDER BY file_id;
GO
-- What it defines is what the source defines.
SELECT COUNT(*) AS objects, SUM(CASE WHEN c.object_id IS NULL THEN 1 ELSE 0 END) AS missing FROM clone_source.sys.objects s LEFT JOIN clone_of.sys.objects c
    ON c.object_id = s.object_id AND c.name = s.name AND c.type = s.type WHERE s.is_ms_shipped = 0;
SELECT 'columns' AS what, COUNT(*) AS differ FROM (SELECT object_id, column_id, name, system_type_id, max_length, is_nullable, is_computed FROM clone_source.sys.columns
    EXCEPT SELECT object_id, column_id, name, system_type_id, max_length, is_nullable, is_computed FROM clone_of.sys.columns) d
UNION ALL SELECT 'indexes', COUNT(*) FROM (SELECT object_id, index_id, name, type, is_unique, filter_definition FROM clone_source.sys.indexes
    EXCEPT SELECT object_id, index_id, name, type, is_unique, filter_definition FROM clone_of.sys.indexes) d
UNION ALL SELECT 'modules', COUNT(*) FROM (SELECT object_id, definition FROM clone_source.sys.sql_modules EXCEPT SELECT object_id, definition FROM clone_of.sys.sql_modules) d
UNION ALL SELECT 'permissions', COUNT(*) FROM (SELECT class, major_id, grantee_principal_id, type, state FROM clone_source.sys.database_permissions
    EXCEPT SELECT class, major_id, grantee_principal_id, type, state FROM clone_of.sys.database_permissions) d
UNION ALL SELECT 'principals', COUNT(*) FROM (SELECT name, principal_id, type FROM clone_source.sys.database_principals EXCEPT SELECT name, principal_id, type FROM clone_of.sys.database_principals) d
UNION ALL SELECT 'filegroups', COUNT(*) FROM (SELECT name, data_space_id, type FROM clone_source.sys.data_spaces EXCEPT SELECT name, data_space_id, type FROM clone_of.sys.data_spaces) d
UNION ALL SELECT 'statistics', COUNT(*) FROM (SELECT object_id, name, stats_id FROM clone_source.sys.stats WHERE auto_created = 0 EXCEPT SELECT object_id, name, stats_id FROM clone_of.sys.stats) d;
GO
USE clone_of;
GO
SELECT (SELECT COUNT(*) FROM store.item) AS items, (SELECT COUNT(*) FROM store.sold) AS sold, (SELECT COUNT(*) FROM store.costs WITH (NOEXPAND)) AS costs;
SELECT partition_number, rows FROM sys.partitions WHERE object_id = OBJECT_ID('store.sold') AND index_id = 0 ORDER BY partition_number;
EXECUTE store.count_items;
INSERT store.item (name) VALUES ('refused');
GO
-- It may be changed once it is said so, and goes on where the source was.
ALTER DATABASE clone_of SET READ_WRITE;
GO
INSERT store.item (name) VALUES ('first');
INSERT store.item (name, cost) VALUES ('dear', 2000);
INSERT store.sold VALUES (2025, 210, 1), (2026, 210, 1);
INSERT store.sold VALUES (2025, 10, 1);
GO
SELECT id, name, cost, twice FROM store.item;
SELECT id, cost FROM store.costs WITH (NOEXPAND);
SELECT NEXT VALUE FOR dbo.numbers AS number;
SELECT $PARTITION.by_year(year) AS partition, COUNT(*) AS rows FROM store.sold GROUP BY $PARTITION.by_year(year) ORDER BY 1;
EXECUTE AS USER = 'reader';
SELECT COUNT(*) AS seen FROM store.item;
REVERT;
GO
USE master;
GO
DBCC CHECKDB ('clone_of') WITH NO_INFOMSGS;
SELECT COUNT(*) AS items FROM clone_source.store.item;
GO
DROP DATABASE clone_of;
GO
-- VERIFY_CLONEDB implies NO_STATISTICS and NO_QUERYSTORE.
DBCC CLONEDATABASE (clone_source, 'clone of') WITH VERIFY_CLONEDB;
GO
SELECT DATABASEPROPERTYEX('clone of', 'IsClone') AS clone, DATABASEPROPERTYEX('clone of', 'IsVerifiedClone') AS verified;
GO
-- A clone may be cloned; what is verified is one database.
DBCC CLONEDATABASE ([clone of], third) WITH NO_STATISTICS, SERVICEBROKER, NO_INFOMSGS;
GO
SELECT DATABASEPROPERTYEX('third', 'IsClone') AS clone, DATABASEPROPERTYEX('third', 'IsVerifiedClone') AS verified;
SELECT COUNT(*) AS objects FROM third.sys.objects WHERE is_ms_shipped = 0;
GO
DROP DATABASE third;
GO
-- What is refused makes nothing.
DBCC CLONEDATABASE (master, refused) WITH NO_STATISTICS;
DBCC CLONEDATABASE (tempdb, refused) WITH NO_STATISTICS;
DBCC CLONEDATABASE (nowhere, refused) WITH NO_STATISTICS;
DBCC CLONEDATABASE (clone_source, [clone of]) WITH NO_STATISTICS;
DBCC CLONEDATABASE (clone_source, refused) WITH VERIFY_CLONEDB, SERVICEBROKER;
DBCC CLONEDATABASE (clone_source, refused) WITH TABLERESULTS;
DBCC CLONEDATABASE (clone_source) WITH NO_STATISTICS;
DBCC CLONEDATABASE WITH NO_STATISTICS;
GO
BEGIN TRANSACTION;
DBCC CLONEDATABASE (clone_source, refused) WITH NO_STATISTICS;
ROLLBACK;
GO
ALTER DATABASE clone_source SET OFFLINE;
GO
DBCC CLONEDATABASE (clone_source, refused) WITH NO_STATISTICS;
GO
ALTER DATABASE clone_source SET ONLINE;
GO
DECLARE @long nvarchar(200) = REPLICATE(N'l', 129);
DBCC CLONEDATABASE (clone_source, @long) WITH NO_STATISTICS;
SELECT COUNT(*) AS refused FROM sys.databases WHERE name LIKE 'refused%' OR name LIKE 'lll%';
GO
CREATE LOGIN clone_low WITH PASSWORD = 'Long-enough-1';
GO
EXECUTE AS LOGIN = 'clone_low';
DBCC CLONEDATABASE (clone_source, refused) WITH NO_STATISTICS;
REVERT;
GO
DROP LOGIN clone_low;
DROP DATABASE [clone of];
DROP DATABASE clone_source;
