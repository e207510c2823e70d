-- What drivers and tools ask of the catalog. https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
CREATE DATABASE tools
GO
USE tools
GO
CREATE TYPE dbo.code FROM varchar(12) NOT NULL
CREATE TYPE dbo.pairs AS TABLE (a int NOT NULL, b dbo.code NULL)
CREATE TABLE dbo.orders (id int IDENTITY(5, 5) NOT NULL CONSTRAINT pk_orders PRIMARY KEY, code dbo.code, amount decimal(9, 2) NULL CONSTRAINT df_amount DEFAULT (0),
  CONSTRAINT ck_both CHECK (amount > 0 AND code <> '[id]'), CONSTRAINT uq_code UNIQUE (code DESC))
CREATE TABLE dbo.lines (order_id int NOT NULL CONSTRAINT fk_lines REFERENCES dbo.orders (id) ON DELETE CASCADE, place int NOT NULL, note nvarchar(max) NULL,
  CONSTRAINT pk_lines PRIMARY KEY NONCLUSTERED (order_id, place))
GO
CREATE VIEW dbo.shown AS SELECT id, code, amount, id + 1 AS next_id FROM dbo.orders
GO
CREATE PROCEDURE dbo.add_order @code dbo.code, @amount decimal(9, 2) = 1, @id int OUTPUT, @rows dbo.pairs READONLY, @at datetime2(3) = NULL AS SET @id = 1
GO
CREATE FUNCTION dbo.lines_of (@id int) RETURNS TABLE AS RETURN SELECT place FROM dbo.lines WHERE order_id = @id
GO
CREATE FUNCTION dbo.copied (@id int) RETURNS @r TABLE (place int) AS BEGIN RETURN END
GO
SET QUOTED_IDENTIFIER OFF
SET ANSI_NULLS OFF
GO
CREATE PROCEDURE dbo.old_style AS SELECT 1
GO
SET QUOTED_IDENTIFIER ON
SET ANSI_NULLS ON
GO
CREATE TRIGGER dbo.changed ON dbo.lines AFTER INSERT, UPDATE AS RETURN
GO
-- JDBC sends @NameScope 2, every column; a table type's columns are asked with 1; 3 is a column set's alone.
EXEC sp_columns_100 N'orders', N'dbo', NULL, NULL, 2, 3
EXEC sp_columns_100 N'pairs', N'dbo', NULL, NULL, 1, 3
EXEC sp_columns_100 N'orders', N'dbo', NULL, NULL, 3, 3
GO
EXEC sp_columns_100 N'orders', N'dbo', NULL, NULL, 4, 3
GO
-- No schema is asked for.
EXEC sp_fkeys N'orders', N''
EXEC sp_pkeys N'orders', N''
GO
-- A function's table is a result of it.
EXEC sp_sproc_columns_100 N'lines_of', N'dbo', NULL, NULL, 3
EXEC sp_sproc_columns N'copied'
GO
EXEC sp_catalogs N'no such server'
GO
-- SqlClient's GetSchema and DeriveParameters.
EXEC sys.sp_columns_managed NULL, N'dbo', N'orders', NULL, 0
EXEC sys.sp_indexes_managed NULL, N'dbo', NULL, NULL
EXEC sys.sp_indexcolumns_managed NULL, NULL, N'lines', NULL, NULL
EXEC [tools].[sys].[sp_procedure_params_100_managed] N'add_order', 1, N'dbo'
GO
SELECT c.name, ODBCPREC(c.xtype, c.length, c.prec) AS prec, ODBCSCALE(c.xtype, c.scale) AS scale FROM sys.syscolumns c WHERE c.id = OBJECT_ID('dbo.orders') ORDER BY c.colid
SELECT CASE WHEN SID_BINARY(N'sa') = SUSER_SID(N'sa') THEN 'same' END AS sid
GO
SELECT XML_SCHEMA_NAMESPACE(N'dbo', N'none')
GO
-- A module keeps what it was made with.
SELECT o.name, OBJECTPROPERTY(o.object_id, 'ExecIsQuotedIdentOn') AS quoted, OBJECTPROPERTY(o.object_id, 'ExecIsAnsiNullsOn') AS nulls,
  OBJECTPROPERTY(o.object_id, 'ExecIsStartup') AS startup, OBJECTPROPERTYEX(o.object_id, 'BaseType') AS base
FROM sys.objects o WHERE o.object_id > 1000 AND o.type IN ('P', 'V', 'U', 'TR', 'IF') ORDER BY o.name
SELECT o.name, OBJECTPROPERTY(o.object_id, 'CnstIsClustKey') AS is_clustered, OBJECTPROPERTY(o.object_id, 'CnstIsNonclustKey') AS is_nonclustered,
  OBJECTPROPERTY(o.object_id, 'CnstIsColumn') AS of_column, OBJECTPROPERTY(o.object_id, 'CnstIsDeleteCascade') AS on_delete,
  OBJECTPROPERTY(o.object_id, 'CnstIsDisabled') AS disabled, OBJECTPROPERTY(o.object_id, 'CnstIsNotTrusted') AS not_trusted
FROM sys.objects o WHERE o.object_id > 1000 AND o.type IN ('PK', 'UQ', 'F', 'C', 'D', 'U') ORDER BY o.name
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'HasAfterTrigger') AS has_after, OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'HasDeleteTrigger') AS has_delete,
  OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'TableInsertTriggerCount') AS inserts, OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'TableDeleteTrigger') AS no_delete,
  OBJECTPROPERTY(OBJECT_ID('dbo.changed'), 'ExecIsUpdateTrigger') AS on_update, OBJECTPROPERTY(OBJECT_ID('dbo.changed'), 'ExecIsInsteadOfTrigger') AS instead_of,
  OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'TableHasTextImage') AS has_text, OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'IsAnsiNullsOn') AS nulls,
  OBJECTPROPERTY(OBJECT_ID('dbo.lines'), 'NoSuchProperty') AS unknown
GO
-- Columns of views and parameters have properties too.
SELECT COL_LENGTH('dbo.shown', 'code') AS length, COL_NAME(OBJECT_ID('dbo.shown'), 4) AS name, COLUMNPROPERTY(OBJECT_ID('dbo.shown'), 'next_id', 'AllowsNull') AS nullable,
  COLUMNPROPERTY(OBJECT_ID('dbo.add_order'), '@id', 'IsOutParam') AS is_out, COLUMNPROPERTY(OBJECT_ID('dbo.add_order'), '@amount', 'Precision') AS prec,
  COLUMNPROPERTY(OBJECT_ID('dbo.orders'), 'amount', 'Scale') AS scale, COLUMNPROPERTY(OBJECT_ID('dbo.orders'), 'code', 'IsIndexed') AS indexed
SELECT TYPEPROPERTY('dbo.code', 'Precision') AS characters, TYPEPROPERTY('int', 'AllowsNull') AS nullable, TYPEPROPERTY('dbo.none', 'AllowsNull') AS unknown,
  INDEXKEY_PROPERTY(OBJECT_ID('dbo.lines'), 2, 2, 'ColumnId') AS place, INDEXKEY_PROPERTY(OBJECT_ID('dbo.orders'), 2, 1, 'IsDescending') AS descending,
  FILEPROPERTY('tools', 'IsPrimaryFile') AS is_primary, FILEPROPERTY('tools_log', 'IsLogFile') AS is_log, FILEGROUPPROPERTY('PRIMARY', 'IsDefault') AS is_default
SELECT name, is_identity, TYPE_NAME(user_type_id) AS type FROM sys.columns WHERE object_id = OBJECT_ID('dbo.shown') ORDER BY column_id
SELECT name, seed_value FROM sys.identity_columns
GO
-- Each column of a CHECK, and no other that its text has in a string.
SELECT TABLE_NAME, COLUMN_NAME, CONSTRAINT_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE ORDER BY CONSTRAINT_NAME, COLUMN_NAME
SELECT OBJECT_NAME(object_id) AS object, TYPE_NAME(user_type_id) AS type FROM sys.column_type_usages ORDER BY 1
GO
-- Names and ids within the transaction that makes them.
BEGIN TRANSACTION
GO
CREATE SCHEMA made
GO
CREATE TYPE made.word FROM nvarchar(20)
CREATE USER maker WITHOUT LOGIN
CREATE ROLE makers
ALTER ROLE makers ADD MEMBER maker
CREATE TABLE made.things (a made.word, CONSTRAINT ck_a CHECK (a <> ''))
SELECT SCHEMA_NAME(SCHEMA_ID('made')) AS schema_name, TYPE_NAME(TYPE_ID('made.word')) AS type_name, USER_NAME(USER_ID('maker')) AS user_name,
  OBJECT_SCHEMA_NAME(OBJECT_ID('made.things')) AS object_schema, COL_LENGTH('made.things', 'a') AS length, IS_ROLEMEMBER('makers', 'maker') AS is_member,
  DATABASE_PRINCIPAL_ID('makers') - USER_ID('maker') AS apart, OBJECT_DEFINITION(OBJECT_ID('made.ck_a')) AS definition
ROLLBACK
SELECT SCHEMA_ID('made') AS schema_id, USER_ID('maker') AS user_id
GO
SELECT name, CONVERT(varchar(10), value) AS value, SQL_VARIANT_PROPERTY(value, 'BaseType') AS type FROM sys.database_scoped_configurations ORDER BY configuration_id
GO
RAISERROR(15097, -1, -1)
GO
-- What the server does not have: the columns, and no rows.
SELECT level_1_grid, cells_per_object FROM sys.spatial_index_tessellations
SELECT reject_type, reject_value, distribution_desc, sharding_col_id, remote_object_name FROM sys.external_tables
SELECT cluster_name FROM sys.dm_hadr_cluster
SELECT directory_name, non_transacted_access_desc FROM sys.database_filestream_options WHERE database_id = DB_ID()
SELECT name FROM msdb.dbo.sysjobs_view
SELECT msdb.dbo.fn_syspolicy_is_automation_enabled() AS enabled
EXEC master.sys.xp_regread N'HKEY_LOCAL_MACHINE', N'SOFTWARE\Microsoft\MSSQLServer\Setup', N'SQLPath'
GO
-- Scripts count by these.
SELECT COUNT(*) AS numbers, MIN(number) AS first, MAX(number) AS last FROM master.dbo.spt_values WHERE type = 'P'
SELECT low AS page_bytes FROM master..spt_values WHERE number = 1 AND type = 'E'
GO
-- Sizes are of each index.
INSERT dbo.orders (code, amount) SELECT TOP (400) CONVERT(varchar(12), number), 1 FROM master.dbo.spt_values WHERE type = 'P'
SELECT i.name, p.rows, CASE WHEN s.page_count > 0 THEN 'pages' END AS has_pages, s.index_type_desc, s.record_count
FROM sys.indexes i JOIN sys.partitions p ON p.object_id = i.object_id AND p.index_id = i.index_id
CROSS APPLY sys.dm_db_index_physical_stats(DB_ID(), i.object_id, i.index_id, NULL, 'DETAILED') s
WHERE i.object_id = OBJECT_ID('dbo.orders') AND s.index_level = 0 ORDER BY i.index_id
SELECT object_id - OBJECT_ID('dbo.orders') AS same, stats_id, rows FROM sys.dm_db_stats_properties(OBJECT_ID('dbo.orders'), 1)
GO
USE master
DROP DATABASE tools
GO
