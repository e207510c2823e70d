-- Resource pools: what is asked for, what is in effect, and databases bound to them. https://learn.microsoft.com/sql/t-sql/statements/create-resource-pool-transact-sql
SELECT pool_id, name, min_cpu_percent, max_cpu_percent, cap_cpu_percent, min_memory_percent, max_memory_percent
FROM sys.resource_governor_resource_pools;
SELECT is_enabled FROM sys.resource_governor_configuration;
GO
CREATE RESOURCE POOL pool_small WITH (MIN_MEMORY_PERCENT = 1, MAX_MEMORY_PERCENT = 1);
CREATE RESOURCE POOL pool_large WITH (MIN_CPU_PERCENT = 0, MAX_CPU_PERCENT = 100, CAP_CPU_PERCENT = 100, AFFINITY SCHEDULER = AUTO,
    MAX_MEMORY_PERCENT = 50, MIN_IOPS_PER_VOLUME = 0, MAX_IOPS_PER_VOLUME = 0);
CREATE RESOURCE POOL [pool plain];
GO
SELECT * FROM sys.resource_governor_resource_pools ORDER BY pool_id;
-- Not before RECONFIGURE.
SELECT name, max_memory_percent FROM sys.dm_resource_governor_resource_pools;
SELECT is_reconfiguration_pending FROM sys.dm_resource_governor_configuration;
EXEC sys.sp_xtp_bind_db_resource_pool N'golden_resource_pools', N'pool_small';
GO
ALTER RESOURCE GOVERNOR RECONFIGURE;
SELECT pool_id, name, max_memory_percent, cap_cpu_percent, max_iops_per_volume, out_of_memory_count,
    CASE WHEN max_memory_kb > 0 THEN 'a limit' END AS max_memory_kb, CASE WHEN statistics_start_time <= SYSDATETIME() THEN 'a time' END AS since
FROM sys.dm_resource_governor_resource_pools WHERE pool_id >= 256;
SELECT is_reconfiguration_pending FROM sys.dm_resource_governor_configuration;
SELECT is_enabled FROM sys.resource_governor_configuration;
GO
-- What is refused.
CREATE RESOURCE POOL pool_small;
GO
CREATE RESOURCE POOL #pool;
GO
CREATE RESOURCE POOL pool_wrong WITH (MAX_MEMORY_PERCENT = 101);
GO
CREATE RESOURCE POOL pool_wrong WITH (MAX_MEMORY = 50);
GO
CREATE RESOURCE POOL pool_wrong WITH (MAX_CPU_PERCENT = 20, MAX_CPU_PERCENT = 30);
GO
CREATE RESOURCE POOL pool_wrong WITH (MIN_MEMORY_PERCENT = 60, MAX_MEMORY_PERCENT = 50);
GO
ALTER RESOURCE POOL pool_large WITH (MIN_MEMORY_PERCENT = 20);
GO
ALTER RESOURCE POOL pool_large WITH (MAX_MEMORY_PERCENT = 5);
GO
ALTER RESOURCE POOL pool_large WITH (MIN_MEMORY_PERCENT = 0);
GO
-- CPU time and I/O are not divided.
ALTER RESOURCE POOL pool_large WITH (MAX_CPU_PERCENT = 5);
GO
ALTER RESOURCE POOL pool_large WITH (MAX_IOPS_PER_VOLUME = 500);
GO
CREATE RESOURCE POOL pool_wrong WITH (MIN_MEMORY_PERCENT = 100);
GO
ALTER RESOURCE POOL pool_none WITH (MAX_MEMORY_PERCENT = 50);
GO
ALTER RESOURCE POOL internal WITH (MAX_MEMORY_PERCENT = 50);
GO
DROP RESOURCE POOL [default];
GO
DROP RESOURCE POOL pool_none;
GO
BEGIN TRANSACTION;
CREATE RESOURCE POOL pool_wrong;
GO
IF @@TRANCOUNT > 0 ROLLBACK;
GO
CREATE RESOURCE POOL;
GO
ALTER RESOURCE GOVERNOR RESET STATISTICS;
GO
SELECT COUNT(*) AS pools FROM sys.resource_governor_resource_pools;
GO
-- Binding.
EXEC sys.sp_xtp_bind_db_resource_pool N'no_such_database', N'pool_small';
GO
EXEC sys.sp_xtp_bind_db_resource_pool N'master', N'pool_small';
GO
EXEC sys.sp_xtp_bind_db_resource_pool N'golden_resource_pools', N'pool_none';
GO
EXEC sys.sp_xtp_bind_db_resource_pool N'golden_resource_pools', N'internal';
GO
EXEC sys.sp_xtp_unbind_db_resource_pool N'golden_resource_pools';
GO
EXEC sys.sp_xtp_unbind_db_resource_pool N'no_such_database';
GO
EXEC sys.sp_xtp_bind_db_resource_pool N'golden_resource_pools';
GO
SELECT resource_pool_id FROM sys.databases WHERE database_id = DB_ID();
EXEC sys.sp_xtp_bind_db_resource_pool @database_name = N'GOLDEN_RESOURCE_POOLS', @pool_name = N'POOL_SMALL';
SELECT resource_pool_id FROM sys.databases WHERE database_id = DB_ID();
GO
EXEC sys.sp_xtp_bind_db_resource_pool N'golden_resource_pools', N'pool_large';
GO
DROP RESOURCE POOL pool_small;
GO
-- The limit.
CREATE TABLE dbo.held (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1024), value varbinary(max))
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
CREATE TABLE dbo.small (id int NOT NULL PRIMARY KEY NONCLUSTERED, value int NOT NULL)
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
CREATE PROCEDURE dbo.hold @rows int NOT NULL WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @i int = 0;
    WHILE @i < @rows BEGIN INSERT dbo.small (id, value) VALUES (@i, @i); SET @i += 1; END
END
GO
SET NOCOUNT ON;
DECLARE @id int = 0;
BEGIN TRY
    WHILE @id < 100000
    BEGIN
        INSERT dbo.held VALUES (@id, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 100000)));
        SET @id += 1;
    END
END TRY
BEGIN CATCH
    THROW;
END CATCH
GO
DECLARE @rows int = (SELECT COUNT(*) FROM dbo.held);
BEGIN TRANSACTION;
BEGIN TRY
    DELETE dbo.held WITH (SNAPSHOT) WHERE id = 0;
    SELECT @@ROWCOUNT AS deleted;
    UPDATE dbo.held WITH (SNAPSHOT) SET value += 0x01 WHERE id = 1;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, XACT_STATE() AS state;
END CATCH
IF @@TRANCOUNT > 0 ROLLBACK;
SELECT CASE WHEN COUNT(*) = @rows AND @rows > 10 THEN 'all are there' END AS answer FROM dbo.held;
SELECT CASE WHEN used_memory_kb BETWEEN max_memory_kb - 300 AND max_memory_kb + 300 THEN 'full' END AS pool, out_of_memory_count
FROM sys.dm_resource_governor_resource_pools WHERE name = 'pool_small';
-- A natively compiled module says the same.
EXEC dbo.hold 100000;
GO
SELECT COUNT(*) AS rows FROM dbo.small;
GO
-- Other databases have their own pools.
CREATE DATABASE resource_pools_other;
GO
CREATE TABLE resource_pools_other.dbo.held (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1024), value varbinary(max))
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
INSERT resource_pools_other.dbo.held SELECT id, value FROM dbo.held;
SELECT CASE WHEN COUNT(*) > 10 THEN 'there is room' END AS answer FROM resource_pools_other.dbo.held;
SET NOCOUNT OFF;
GO
-- A table finds no room for its buckets.
CREATE TABLE dbo.wide (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 100000000))
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
SELECT OBJECT_ID('dbo.wide') AS wide;
GO
-- A higher limit holds from RECONFIGURE on.
ALTER RESOURCE POOL pool_small WITH (MAX_MEMORY_PERCENT = 5);
GO
INSERT dbo.held VALUES (-1, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 100000)));
GO
ALTER RESOURCE GOVERNOR RECONFIGURE;
INSERT dbo.held VALUES (-1, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 100000)));
SELECT COUNT(*) AS rows FROM dbo.held WHERE id = -1;
GO
-- A lower one holds as well, whatever there is, until there is none.
ALTER RESOURCE POOL pool_small WITH (MAX_MEMORY_PERCENT = 1);
ALTER RESOURCE GOVERNOR RECONFIGURE;
GO
INSERT dbo.held VALUES (-2, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 100000)));
GO
ALTER RESOURCE GOVERNOR DISABLE;
INSERT dbo.held VALUES (-2, 0x00);
SELECT name, max_memory_percent FROM sys.dm_resource_governor_resource_pools;
ALTER RESOURCE GOVERNOR RECONFIGURE;
GO
-- Deletes make room, as soon as what they leave behind is collected.
SET NOCOUNT ON;
DELETE dbo.held;
DECLARE @until datetime2 = DATEADD(second, 60, SYSDATETIME()), @done bit = 0;
WHILE @done = 0 AND SYSDATETIME() < @until
BEGIN
    BEGIN TRY
        INSERT dbo.held VALUES (-3, CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'x'), 100000)));
        SET @done = 1;
    END TRY
    BEGIN CATCH
        WAITFOR DELAY '00:00:00.050';
    END CATCH
END
SELECT id, @done AS done FROM dbo.held;
SET NOCOUNT OFF;
GO
-- What goes takes its binding with it.
EXEC sys.sp_xtp_unbind_db_resource_pool N'golden_resource_pools';
EXEC sys.sp_xtp_bind_db_resource_pool N'resource_pools_other', N'pool_large';
DROP DATABASE resource_pools_other;
DROP RESOURCE POOL pool_large;
DROP RESOURCE POOL pool_small;
DROP RESOURCE POOL [pool plain];
SELECT COUNT(*) AS pools FROM sys.resource_governor_resource_pools;
SELECT COUNT(*) AS pools FROM sys.dm_resource_governor_resource_pools;
ALTER RESOURCE GOVERNOR RECONFIGURE;
SELECT COUNT(*) AS pools FROM sys.dm_resource_governor_resource_pools;
ALTER RESOURCE GOVERNOR DISABLE;
GO
