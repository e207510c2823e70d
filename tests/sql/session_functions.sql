-- Functions that tell of the session: https://learn.microsoft.com/sql/t-sql/functions/context-info-transact-sql, applock-mode-,
-- applock-test-, trigger-nestlevel-, getansinull-transact-sql, is-objectsigned-transact-sql; sql/t-sql/functions/langid-transact-sql
SET NOCOUNT ON;
SELECT CONTEXT_INFO() AS unset;
SET CONTEXT_INFO 0x0102;
SELECT DATALENGTH(CONTEXT_INFO()) AS bytes, SUBSTRING(CONTEXT_INFO(), 1, 4) AS first, CAST(SUBSTRING(CONTEXT_INFO(), 1, 2) AS smallint) AS number;
SELECT context_info AS shown FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
DECLARE @info varbinary(128) = CAST(N'warp' AS varbinary(128));
SET CONTEXT_INFO @info;
SELECT REPLACE(CAST(CONTEXT_INFO() AS nvarchar(64)), NCHAR(0), N'') AS text;
SET CONTEXT_INFO 1234;
SELECT SUBSTRING(CONTEXT_INFO(), 1, 5) AS of_int, CAST(CONTEXT_INFO() AS int) AS last_bytes;
GO
-- A trigger reads what the batch has set.
CREATE TABLE dbo.woven (i int, info varbinary(128), nested int, own int, after int, instead int, ddl int);
GO
CREATE TRIGGER dbo.on_woven ON dbo.woven AFTER INSERT AS
  UPDATE w SET info = SUBSTRING(CONTEXT_INFO(), 1, 2), nested = TRIGGER_NESTLEVEL(), own = TRIGGER_NESTLEVEL(@@PROCID),
    after = TRIGGER_NESTLEVEL(@@PROCID, 'AFTER', 'DML'), instead = TRIGGER_NESTLEVEL(@@PROCID, 'IOT', 'DML'),
    ddl = TRIGGER_NESTLEVEL(@@PROCID, 'AFTER', 'DDL')
  FROM dbo.woven AS w JOIN inserted AS i ON i.i = w.i;
GO
CREATE TABLE dbo.warp (i int);
GO
CREATE TRIGGER dbo.on_warp ON dbo.warp INSTEAD OF INSERT AS INSERT dbo.woven (i) SELECT i FROM inserted;
GO
SET NOCOUNT ON;
SET CONTEXT_INFO 0x0A0B;
INSERT dbo.woven (i) VALUES (1);
INSERT dbo.warp VALUES (2);
SELECT * FROM dbo.woven ORDER BY i;
SELECT TRIGGER_NESTLEVEL() AS outside, TRIGGER_NESTLEVEL(OBJECT_ID('dbo.on_woven')) AS own, TRIGGER_NESTLEVEL(NULL) AS of_null,
  TRIGGER_NESTLEVEL(0, NULL, 'DML') AS no_type;
DROP TABLE dbo.woven, dbo.warp;
GO
-- Application locks.
SET NOCOUNT ON;
SELECT APPLOCK_MODE('public', 'loom', 'Session') AS none, APPLOCK_TEST('public', 'loom', 'Exclusive', 'Session') AS free;
EXEC sp_getapplock 'loom', 'Shared', 'Session';
SELECT APPLOCK_MODE('public', 'loom', 'Session') AS held, APPLOCK_TEST('public', 'loom', 'Exclusive', 'Session') AS converts;
EXEC sp_getapplock 'loom', 'IntentExclusive', 'Session';
SELECT APPLOCK_MODE('public', 'loom', 'Session') AS joined, APPLOCK_MODE('public', 'Loom', 'Session') AS other_case;
EXEC sp_getapplock 'loom', 'Exclusive', 'Session';
SELECT APPLOCK_MODE('public', 'loom', 'Session') AS exclusive;
BEGIN TRANSACTION;
SELECT APPLOCK_TEST('public', 'loom', 'Shared', 'Transaction') AS covered, APPLOCK_TEST('public', 'shuttle', 'Shared', 'Transaction') AS free,
  APPLOCK_MODE('public', 'shuttle', 'Transaction') AS none;
EXEC sp_getapplock 'shuttle', 'Update';
SELECT APPLOCK_MODE('public', 'shuttle', 'Transaction') AS held;
COMMIT;
SELECT APPLOCK_MODE('public', 'shuttle', 'Transaction');
GO
-- NULL or NOT NULL where a column says nothing.
SET NOCOUNT ON;
SELECT GETANSINULL() AS by_driver, GETANSINULL('tempdb') AS there, GETANSINULL('nowhere') AS nowhere;
SET ANSI_NULL_DFLT_ON OFF;
SELECT GETANSINULL() AS by_database;
CREATE TABLE dbo.plain (i int);
ALTER DATABASE CURRENT SET ANSI_NULL_DEFAULT ON;
SELECT GETANSINULL() AS by_database;
CREATE TABLE dbo.nullable (i int);
SET ANSI_NULL_DFLT_OFF ON;
SELECT GETANSINULL() AS by_session;
CREATE TABLE dbo.strict (i int);
ALTER DATABASE CURRENT SET ANSI_NULL_DEFAULT OFF;
ALTER TABLE dbo.strict ALTER COLUMN i bigint;
SELECT OBJECT_NAME(object_id) AS name, is_nullable FROM sys.columns WHERE object_id IN (OBJECT_ID('dbo.plain'), OBJECT_ID('dbo.nullable'), OBJECT_ID('dbo.strict')) ORDER BY 1;
SELECT IS_OBJECTSIGNED('OBJECT', OBJECT_ID('dbo.plain'), 'CERTIFICATE', 0x01) AS unsigned, IS_OBJECTSIGNED('OBJECT', 1, 'CERTIFICATE', 0x01) AS nothing;
DROP TABLE dbo.plain, dbo.nullable, dbo.strict;
SET ANSI_NULL_DFLT_ON ON;
GO
SET LANGUAGE Deutsch;
SELECT @@LANGID AS german, @@LANGUAGE AS language;
SET LANGUAGE us_english;
SELECT CASE WHEN @@IDLE > 0 THEN 1 ELSE 0 END AS idle, CASE WHEN @@TOTAL_WRITE >= 0 THEN 1 ELSE 0 END AS writes;
