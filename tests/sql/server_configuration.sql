-- sp_configure: what is set, what runs, what is hidden, what is refused. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-configure-transact-sql
SELECT name, CONVERT(int, value) AS value, CONVERT(int, value_in_use) AS value_in_use, is_dynamic, is_advanced
FROM sys.configurations WHERE name IN (N'nested triggers', N'show advanced options', N'max degree of parallelism', N'locks')
ORDER BY name;
EXEC sp_configure 'nested triggers';
EXEC sp_configure 'nested';
EXEC sp_configure 'max degree of parallelism';
EXEC sp_configure 'no such option', 1;
EXEC sp_configure 'remote';
GO
EXEC sp_configure 'show advanced options', 1;
EXEC sp_configure 'max degree';
GO
RECONFIGURE;
EXEC sp_configure 'max degree';
EXEC sp_configure 'affinity';
GO
-- Set, but not running before RECONFIGURE.
EXEC sp_configure 'cost threshold', 9;
SELECT CONVERT(int, value) AS value, CONVERT(int, value_in_use) AS value_in_use FROM sys.configurations WHERE name = N'cost threshold for parallelism';
RECONFIGURE WITH OVERRIDE;
SELECT CONVERT(int, value) AS value, CONVERT(int, value_in_use) AS value_in_use FROM sys.configurations WHERE name = N'cost threshold for parallelism';
EXEC sp_configure 'cost threshold', 5;
RECONFIGURE;
GO
-- Only after a restart.
EXEC sp_configure 'locks', 6000;
EXEC sp_configure 'locks';
RECONFIGURE;
EXEC sp_configure 'locks';
EXEC sp_configure 'locks', 0;
GO
-- The form with a word, which ASE has.
EXEC sp_configure 'kernel mode', 0, 'process';
SELECT name, CONVERT(int, value) AS value FROM sys.configurations WHERE name = N'kernel mode';
EXEC sp_configure 'kernel mode', 0, 'THREADED';
EXEC sp_configure 'kernel mode', 0, 'magic';
EXEC sp_configure 'nested triggers', 0, 'threaded';
SELECT name, CONVERT(int, value) AS value FROM sys.configurations WHERE name = N'kernel mode';
GO
-- Bounds; 0 is "automatic" where it is below the minimum.
DECLARE @status int;
EXEC @status = sp_configure 'nested triggers', 2;
SELECT @status AS status;
GO
EXEC sp_configure 'max worker threads', 127;
EXEC sp_configure 'max worker threads', 0;
EXEC sp_configure 'default language', 99;
GO
-- RECONFIGURE judges all of what is set, and refuses all of it.
EXEC sp_configure 'recovery interval', 61;
EXEC sp_configure 'nested triggers', 0;
RECONFIGURE;
SELECT name, CONVERT(int, value_in_use) AS value_in_use FROM sys.configurations WHERE name IN (N'nested triggers', N'recovery interval (min)') ORDER BY name;
RECONFIGURE WITH OVERRIDE;
SELECT name, CONVERT(int, value_in_use) AS value_in_use FROM sys.configurations WHERE name IN (N'nested triggers', N'recovery interval (min)') ORDER BY name;
EXEC sp_configure 'recovery interval', 0;
EXEC sp_configure 'nested triggers', 1;
RECONFIGURE;
GO
EXEC sp_configure 'min server memory', 2000;
EXEC sp_configure 'max server memory', 1000;
RECONFIGURE WITH OVERRIDE;
EXEC sp_configure 'min server memory', 0;
EXEC sp_configure 'max server memory', 2147483647;
EXEC sp_configure 'user options', 3072;
RECONFIGURE;
EXEC sp_configure 'user options', 0;
EXEC sp_configure 'allow updates', 1;
RECONFIGURE;
EXEC sp_configure 'allow updates', 0;
RECONFIGURE;
GO
BEGIN TRANSACTION;
RECONFIGURE;
SELECT @@TRANCOUNT AS trancount;
IF @@TRANCOUNT > 0 ROLLBACK;
GO
-- Options with something behind them.
CREATE DATABASE configured;
GO
USE configured;
GO
CREATE TABLE outer_table (id int);
CREATE TABLE inner_table (id int);
CREATE TABLE inner_log (id int);
GO
CREATE TRIGGER outer_trigger ON outer_table AFTER INSERT AS INSERT inner_table SELECT id FROM inserted;
GO
CREATE TRIGGER inner_trigger ON inner_table AFTER INSERT AS INSERT inner_log SELECT id FROM inserted;
GO
INSERT outer_table VALUES (1);
EXEC sp_configure 'nested triggers', 0;
RECONFIGURE;
INSERT outer_table VALUES (2);
INSERT inner_table VALUES (3);
EXEC sp_configure 'nested triggers', 1;
RECONFIGURE;
INSERT outer_table VALUES (4);
SELECT id FROM inner_table ORDER BY id;
SELECT id FROM inner_log ORDER BY id;
GO
EXEC sp_configure 'two digit year cutoff', 2030;
RECONFIGURE;
DECLARE @text varchar(20) = '1.2.30', @later varchar(20) = '1.2.31';
SELECT YEAR(CONVERT(datetime, @text, 4)) AS y30, YEAR(CONVERT(datetime, @later, 4)) AS y31;
EXEC sp_configure 'two digit year cutoff', 2049;
RECONFIGURE;
SELECT YEAR(CONVERT(datetime, @text, 4)) AS y30, YEAR(CONVERT(datetime, @later, 4)) AS y31;
GO
EXEC sp_configure 'show advanced options', 0;
RECONFIGURE;
EXEC sp_configure 'two digit';
GO
USE master;
DROP DATABASE configured;
