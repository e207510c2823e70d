-- System-versioned memory-optimized tables: the rows are in memory, their history is a table on pages, new or one that is there.
-- https://learn.microsoft.com/sql/relational-databases/tables/system-versioned-temporal-tables-with-memory-optimized-tables
-- https://learn.microsoft.com/sql/relational-databases/tables/creating-a-memory-optimized-system-versioned-temporal-table
CREATE DATABASE td; ALTER DATABASE td SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON;
GO
USE td;
GO
CREATE SCHEMA past;
GO
CREATE TABLE dbo.department (
    number char(10) NOT NULL PRIMARY KEY NONCLUSTERED, name varchar(50) NOT NULL, manager int NULL, INDEX by_manager NONCLUSTERED (manager),
    valid_from datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL, valid_to datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL,
    PERIOD FOR SYSTEM_TIME (valid_from, valid_to)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA, SYSTEM_VERSIONING = ON (HISTORY_TABLE = past.department));
GO
SELECT SCHEMA_NAME(schema_id) AS place, name, temporal_type_desc, is_memory_optimized, durability_desc FROM sys.tables ORDER BY temporal_type;
SELECT name, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('past.department');
GO
INSERT dbo.department (number, name, manager) VALUES ('a', 'one', 1), ('b', 'two', 2), ('c', 'three', 3);
UPDATE dbo.department SET name = 'deux' WHERE number = 'b';
DELETE dbo.department WHERE number = 'c';
SELECT number, name, manager FROM dbo.department ORDER BY number;
SELECT number, name, manager, CASE WHEN valid_from < valid_to AND valid_to <= SYSUTCDATETIME() THEN 'past' END AS period FROM past.department ORDER BY number;
SELECT number, name, CASE WHEN valid_to > '9999-01-01' THEN 'now' ELSE 'past' END AS is_it FROM dbo.department FOR SYSTEM_TIME ALL ORDER BY number, valid_from;
GO
-- A transaction has one time, and both tables are rolled back.
BEGIN TRANSACTION;
UPDATE dbo.department SET manager = 20 WHERE number = 'b';
UPDATE dbo.department SET manager = 30 WHERE number = 'b';
SELECT COUNT(*) AS versions FROM past.department;
ROLLBACK;
SELECT COUNT(*) AS versions FROM past.department;
SELECT number, manager FROM dbo.department WHERE number = 'b';
GO
-- SNAPSHOT says how rows in memory are read, and nothing of those of the history.
ALTER DATABASE td SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT OFF;
GO
BEGIN TRANSACTION;
SELECT number, name FROM dbo.department FOR SYSTEM_TIME ALL WITH (SNAPSHOT) ORDER BY number, valid_from;
COMMIT;
GO
BEGIN TRANSACTION;
SELECT COUNT(*) FROM dbo.department FOR SYSTEM_TIME ALL;
GO
IF @@TRANCOUNT > 0 ROLLBACK;
ALTER DATABASE td SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON;
GO
-- A natively compiled module changes it as any statement does; FOR SYSTEM_TIME is for others.
CREATE PROCEDURE dbo.rename @number char(10) NOT NULL, @name varchar(50) NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    UPDATE dbo.department SET name = @name WHERE number = @number;
    INSERT dbo.department (number, name) VALUES ('n', @name);
    DELETE dbo.department WHERE number = 'n';
END
GO
EXEC dbo.rename 'a', 'un';
SELECT number, name FROM dbo.department ORDER BY number;
SELECT number, name FROM past.department ORDER BY number, name;
GO
-- Nobody writes the history but the table, and nobody needs to have it flushed.
INSERT past.department (number, name, valid_from, valid_to) VALUES ('x', 'x', '2020-01-01', '2020-01-02');
GO
DECLARE @status int;
EXEC @status = sys.sp_xtp_flush_temporal_history N'dbo', N'department';
SELECT @status AS flushed;
EXEC sys.sp_xtp_flush_temporal_history N'dbo', N'nothing';
GO
EXEC sys.sp_xtp_flush_temporal_history N'past', N'department';
GO
-- A column that is added is its history's, too.
ALTER TABLE dbo.department ADD floor int NOT NULL CONSTRAINT ground DEFAULT 0 WITH VALUES;
GO
UPDATE dbo.department SET floor = 7 WHERE number = 'a';
SELECT number, name, floor FROM dbo.department FOR SYSTEM_TIME ALL ORDER BY number, valid_from;
GO
ALTER TABLE dbo.department SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE dbo.department DROP PERIOD FOR SYSTEM_TIME;
SELECT name, temporal_type FROM sys.tables ORDER BY schema_id;
UPDATE dbo.department SET valid_from = '2020-01-01';
ALTER TABLE dbo.department ADD PERIOD FOR SYSTEM_TIME (valid_from, valid_to);
ALTER TABLE dbo.department SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = past.department, DATA_CONSISTENCY_CHECK = OFF));
DELETE dbo.department WHERE number = 'b';
SELECT number, name, CONVERT(date, valid_from) AS since FROM past.department WHERE valid_from = '2020-01-01';
GO
-- The rows of a history stay, so those of its table must; and it is a table on pages.
CREATE TABLE dbo.gone (id int NOT NULL PRIMARY KEY NONCLUSTERED, f datetime2 GENERATED ALWAYS AS ROW START NOT NULL, u datetime2 GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (f, u)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY, SYSTEM_VERSIONING = ON);
GO
CREATE TABLE dbo.before (id int NOT NULL, f datetime2 NOT NULL, u datetime2 NOT NULL, INDEX a NONCLUSTERED (id)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
CREATE TABLE dbo.kept (id int NOT NULL PRIMARY KEY NONCLUSTERED, f datetime2 GENERATED ALWAYS AS ROW START NOT NULL, u datetime2 GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (f, u)) WITH (MEMORY_OPTIMIZED = ON, SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.before));
GO
-- A period alone, and a history of its own name.
CREATE TABLE dbo.kept (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16), f datetime2 GENERATED ALWAYS AS ROW START NOT NULL,
    u datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (f, u)) WITH (MEMORY_OPTIMIZED = ON);
INSERT dbo.kept (id) VALUES (1);
SELECT id, CASE WHEN f <= SYSUTCDATETIME() THEN 'begun' END AS f, u FROM dbo.kept;
ALTER TABLE dbo.kept SET (SYSTEM_VERSIONING = ON);
DELETE dbo.kept;
SELECT COUNT(*) AS versions FROM dbo.kept FOR SYSTEM_TIME ALL;
DROP TABLE dbo.kept;
GO
USE master;
DROP DATABASE td;
