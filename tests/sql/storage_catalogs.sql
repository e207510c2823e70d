-- What lies where: rows and pages of tables and their indexes, of which one that is disabled has none; long values and rows that overflow.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-allocation-units-transact-sql
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-updateusage-transact-sql
CREATE TABLE dbo.items(id int NOT NULL PRIMARY KEY, name nvarchar(50) NULL, f int NULL, INDEX ix_name (name));
CREATE INDEX ix_f ON dbo.items (f) WHERE f IS NOT NULL;
CREATE TABLE dbo.heap(id int, v varchar(max));
CREATE TABLE dbo.ov(id int NOT NULL, a varchar(8000), b varchar(8000));
CREATE TABLE dbo.e(id int NOT NULL PRIMARY KEY);
CREATE TABLE dbo.dis(id int NOT NULL PRIMARY KEY, v int, INDEX ixv (v));
CREATE TABLE dbo.both_(a varchar(8000), b varchar(8000), c varchar(max));
INSERT INTO dbo.items VALUES (1, N'a', NULL), (2, N'b', 5);
INSERT INTO dbo.heap VALUES (1, 'x');
INSERT INTO dbo.ov VALUES (1, REPLICATE('a', 100), 'b');
INSERT INTO dbo.ov VALUES (2, REPLICATE('a', 8000), REPLICATE('b', 8000));
INSERT INTO dbo.dis VALUES (1, 1);
ALTER INDEX ixv ON dbo.dis DISABLE;
go
SELECT OBJECT_NAME(object_id) AS t, index_id, partition_number, rows, CASE WHEN partition_id = hobt_id THEN 1 ELSE 0 END AS same_id FROM sys.partitions WHERE object_id IN (OBJECT_ID(N'dbo.items'), OBJECT_ID(N'dbo.heap'), OBJECT_ID(N'dbo.ov'), OBJECT_ID(N'dbo.e'), OBJECT_ID(N'dbo.dis')) ORDER BY t, index_id;
SELECT OBJECT_NAME(p.object_id) AS t, p.index_id, au.type, au.type_desc, au.data_space_id, au.total_pages, au.used_pages, au.data_pages
FROM sys.allocation_units AS au JOIN sys.partitions AS p ON au.container_id = CASE WHEN au.type IN (1, 3) THEN p.hobt_id ELSE p.partition_id END
WHERE p.object_id IN (OBJECT_ID(N'dbo.items'), OBJECT_ID(N'dbo.heap'), OBJECT_ID(N'dbo.ov'), OBJECT_ID(N'dbo.e'), OBJECT_ID(N'dbo.dis'), object_id('both_')) ORDER BY t, p.index_id, au.type;
select object_name(object_id) t, index_id, row_count from sys.dm_db_partition_stats where object_id = object_id('dis');
CREATE TABLE #tt(id int); INSERT #tt VALUES (1);
SELECT index_id, rows FROM tempdb.sys.partitions WHERE object_id = OBJECT_ID(N'tempdb..#tt');
SELECT index_id, rows FROM sys.partitions WHERE object_id = OBJECT_ID(N'tempdb..#tt');
alter index ixv on dbo.dis rebuild; select index_id, rows from sys.partitions where object_id = object_id('dis');
dbcc updateusage(0) with count_rows; dbcc updateusage(0, 'dbo.items', ix_name) with no_infomsgs, count_rows; dbcc updateusage(0, nothing) with count_rows;
go
-- Types that cannot be, and indexes that are not there.
CREATE TABLE dbo.x2(a INT, b INT, bad DECIMAL(39))
go
CREATE TABLE dbo.x3(a INT, bad FLOAT(0))
go
CREATE TABLE dbo.x4(a INT, b INT, bad FLOAT(54))
go
CREATE TABLE dbo.x5(bad DECIMAL(0))
go
CREATE TABLE dbo.x6(bad VARCHAR(0))
go
CREATE TABLE dbo.x7([Ä] INT, [ä] INT)
go
CREATE TABLE dbo.x8(a INT, [A] INT)
go
CREATE TYPE dbo.[varchar] AS TABLE (x INT)
go
CREATE TYPE dbo.[sysname] FROM INT
go
CREATE TYPE [int] FROM INT
go
CREATE TABLE dbo.x9(a INT, bad TIME(8))
go
DROP INDEX nope; 
go
DROP INDEX ix ON dbo.nope;
go
DROP INDEX nope ON dbo.items;
go
DROP INDEX ix_name ON dbo.items, nope ON dbo.items;
go
-- A variable's identity column takes no value.
declare @t table (id int identity, a int); insert @t (id, a) values (1, 1);
go
-- sp_helptext ends a line where carriage return and line feed are together.
declare @s nvarchar(max) = N'create procedure dbo.lines as' + char(13) + char(10) + N'select 1 as one' + char(10) + N'select 2 as two'; exec (@s);
exec sp_helptext 'lines';
go
