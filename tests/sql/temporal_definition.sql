-- System-versioned tables: their definition, what is refused of it, and what the catalog says.
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/creating-a-system-versioned-temporal-table
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/system-consistency-checks
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-13000-to-13999
-- A name of the server's own for the history.
CREATE TABLE dbo.plain (id int PRIMARY KEY, v nvarchar(20) COLLATE Latin1_General_100_BIN2, n decimal(9, 2) NOT NULL DEFAULT 1,
  ValidFrom datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL, ValidTo datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL,
  PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)) WITH (SYSTEM_VERSIONING = ON);
GO
SELECT t.temporal_type, t.temporal_type_desc, CASE h.name WHEN CONCAT(N'MSSQL_TemporalHistoryFor_', t.object_id) THEN 'as documented' END AS history,
  t.history_retention_period, t.history_retention_period_unit, t.history_retention_period_unit_desc, h.temporal_type_desc AS other
FROM sys.tables t JOIN sys.tables h ON h.object_id = t.history_table_id WHERE t.name = 'plain';
SELECT c.name, c.generated_always_type, c.generated_always_type_desc, c.is_hidden, c.is_nullable, TYPE_NAME(c.user_type_id) AS ty, c.scale
FROM sys.columns c WHERE c.object_id = OBJECT_ID('plain') ORDER BY c.column_id;
SELECT c.name, c.generated_always_type, c.is_hidden, c.is_nullable, c.collation_name, c.default_object_id
FROM sys.columns c JOIN sys.tables t ON t.history_table_id = c.object_id WHERE t.name = 'plain' ORDER BY c.column_id;
SELECT REPLACE(i.name, CONVERT(varchar(20), t.object_id), '<id>') AS name, i.type_desc, i.is_unique, c.name AS column_name, k.key_ordinal
FROM sys.tables t JOIN sys.indexes i ON i.object_id = t.history_table_id
JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id
JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id WHERE t.name = 'plain' ORDER BY k.key_ordinal;
SELECT name, period_type, period_type_desc, OBJECT_NAME(object_id) AS of_table, COL_NAME(object_id, start_column_id) AS starts, COL_NAME(object_id, end_column_id) AS ends
FROM sys.periods;
SELECT OBJECTPROPERTY(OBJECT_ID('plain'), 'TableTemporalType') AS t, OBJECTPROPERTY((SELECT history_table_id FROM sys.tables WHERE name = 'plain'), 'TableTemporalType') AS h,
  COLUMNPROPERTY(OBJECT_ID('plain'), 'ValidFrom', 'GeneratedAlwaysType') AS s, COLUMNPROPERTY(OBJECT_ID('plain'), 'ValidTo', 'GeneratedAlwaysType') AS e,
  COLUMNPROPERTY(OBJECT_ID('plain'), 'id', 'GeneratedAlwaysType') AS o, COLUMNPROPERTY(OBJECT_ID('plain'), 'ValidTo', 'IsHidden') AS hidden;
GO
-- A name of the user's, and a period that is retained.
CREATE SCHEMA history;
GO
CREATE TABLE named (id int, a int, CONSTRAINT pk_named PRIMARY KEY (id),
  s datetime2(3) GENERATED ALWAYS AS ROW START, e datetime2(3) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = history.named_before, DATA_CONSISTENCY_CHECK = ON, HISTORY_RETENTION_PERIOD = 6 MONTHS));
GO
SELECT OBJECT_SCHEMA_NAME(history_table_id) AS s, OBJECT_NAME(history_table_id) AS n, history_retention_period, history_retention_period_unit, history_retention_period_unit_desc FROM sys.tables WHERE name = 'named';
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 2 WEEKS));
SELECT history_retention_period, history_retention_period_unit, history_retention_period_unit_desc FROM sys.tables WHERE name = 'named';
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = history.named_before, HISTORY_RETENTION_PERIOD = INFINITE));
SELECT history_retention_period, history_retention_period_unit, history_retention_period_unit_desc FROM sys.tables WHERE name = 'named';
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON);
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.none_such));
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.plain));
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = -3 DAYS));
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 3 HOURS));
GO
ALTER TABLE named SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 3000 YEARS));
GO
-- The period.
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END);
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 NOT NULL, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 NOT NULL, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (e, s));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, id));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START NULL, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2(3) GENERATED ALWAYS AS ROW START, e datetime2(4) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, t datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, t datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e), PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY, a int HIDDEN);
GO
-- SYSTEM_VERSIONING.
CREATE TABLE x (id int PRIMARY KEY) WITH (SYSTEM_VERSIONING = ON);
GO
CREATE TABLE x (id int, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON);
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = x_before));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = history.named_before));
GO
CREATE TABLE x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON, SYSTEM_VERSIONING = ON);
GO
CREATE TABLE #x (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH (SYSTEM_VERSIONING = ON);
GO
DECLARE @x table (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TYPE x AS TABLE (id int PRIMARY KEY, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
CREATE TABLE x (id int PRIMARY KEY NONCLUSTERED, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e))
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY, SYSTEM_VERSIONING = ON);
GO
SELECT name FROM sys.tables ORDER BY 1 OFFSET 1 ROWS;
GO
-- A table that becomes system-versioned, with a history that is there.
CREATE TABLE cur (id int PRIMARY KEY, a varchar(10) NOT NULL, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
GO
ALTER TABLE cur SET (SYSTEM_VERSIONING = OFF);
GO
CREATE TABLE h (id int, a varchar(10) NOT NULL, s datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, b varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(11) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(10) NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(10) NOT NULL, s datetime2 NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL PRIMARY KEY, a varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL IDENTITY, a varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL CHECK (id > 0), a varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL REFERENCES cur, a varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a AS CONVERT(varchar(10), id), s datetime2 NOT NULL, e datetime2 NOT NULL);
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(10) NOT NULL, s datetime2 GENERATED ALWAYS AS ROW START, e datetime2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e));
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
CREATE VIEW v AS SELECT 1 AS a;
GO
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.v));
GO
-- What its rows may be.
DROP TABLE h; CREATE TABLE h (id int NOT NULL, a varchar(10) NOT NULL, s datetime2 NOT NULL, e datetime2 NOT NULL);
INSERT h VALUES (1, 'a', '2020-01-02', '2020-01-01');
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DELETE h; INSERT h VALUES (1, 'a', '2020-01-02', '9020-01-01');
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
DELETE h; INSERT h VALUES (1, 'a', '2020-01-02', '2020-01-04'), (1, 'b', '2020-01-03', '2020-01-05'), (2, 'a', '2020-01-01', '2020-01-09');
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h, DATA_CONSISTENCY_CHECK = OFF));
SELECT id, a FROM cur FOR SYSTEM_TIME AS OF '2020-01-03T12:00:00' ORDER BY id, a;
ALTER TABLE cur SET (SYSTEM_VERSIONING = OFF);
UPDATE h SET s = '2020-01-04' WHERE a = 'b';
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
SELECT id, a FROM cur FOR SYSTEM_TIME AS OF '2020-01-03T12:00:00' ORDER BY id, a;
SELECT id, a FROM cur FOR SYSTEM_TIME AS OF '2020-01-04' ORDER BY id, a;
GO
ALTER TABLE cur SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h, HISTORY_RETENTION_PERIOD = 1 DAY));
GO
