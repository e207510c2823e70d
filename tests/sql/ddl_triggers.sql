-- Triggers ON DATABASE: https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql
CREATE TABLE seen (n int IDENTITY, event sysname, name sysname NULL, text nvarchar(max));
GO
CREATE TRIGGER watch ON DATABASE FOR DDL_TABLE_EVENTS, CREATE_VIEW AS
SET NOCOUNT ON;
DECLARE @e xml = EVENTDATA();
INSERT seen VALUES (@e.value('(/EVENT_INSTANCE/EventType)[1]', 'sysname'), @e.value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname'),
  @e.value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(max)'));
PRINT CONCAT('level ', TRIGGER_NESTLEVEL(), ' of DDL ', TRIGGER_NESTLEVEL(0, 'AFTER', 'DDL'), ' transactions ', @@TRANCOUNT,
  ' there ', IIF(OBJECT_ID('a') IS NULL, 'no', 'yes'));
GO
CREATE TABLE a (i int);
ALTER TABLE a ADD j int;
GO
CREATE VIEW v AS SELECT i FROM a;
GO
DROP VIEW v;
CREATE TABLE #t (i int);
SELECT i INTO b FROM a;
SELECT i INTO #u FROM a;
DROP TABLE a, b;
SELECT * FROM seen ORDER BY n;
SELECT EVENTDATA() AS outside;
GO
-- What fails is no event.
CREATE TABLE seen (i int);
GO
SELECT COUNT(*) AS events FROM seen;
GO
-- ROLLBACK undoes what the statement did: 3609.
CREATE TRIGGER refuse ON DATABASE AFTER DROP_TABLE AS
PRINT 'not this one';
ROLLBACK;
GO
CREATE TABLE c (i int);
GO
DROP TABLE c;
PRINT 'never';
GO
SELECT OBJECT_NAME(OBJECT_ID('c')) AS c, @@TRANCOUNT AS transactions, (SELECT COUNT(*) FROM seen WHERE event = 'DROP_TABLE' AND name = 'c') AS seen;
BEGIN TRAN;
INSERT seen VALUES ('own', NULL, '');
DROP TABLE c;
GO
SELECT @@TRANCOUNT AS transactions, (SELECT COUNT(*) FROM seen WHERE event = 'own') AS own;
GO
BEGIN TRY
  DROP TABLE c;
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS source, XACT_STATE() AS state;
END CATCH
IF @@TRANCOUNT > 0 ROLLBACK;
GO
ALTER TRIGGER refuse ON DATABASE FOR DROP_TABLE AS
THROW 50001, 'thrown', 1;
GO
BEGIN TRY
  DROP TABLE c;
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS source, XACT_STATE() AS state;
  IF @@TRANCOUNT > 0 ROLLBACK;
END CATCH
GO
DROP TABLE c;
GO
DISABLE TRIGGER refuse ON DATABASE;
DROP TABLE c;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
ENABLE TRIGGER ALL ON DATABASE;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
DISABLE TRIGGER ALL ON DATABASE;
SELECT COUNT(*) AS disabled FROM sys.triggers WHERE is_disabled = 1;
ENABLE TRIGGER watch ON DATABASE;
GO
-- What the catalog says.
SELECT name, parent_class, parent_class_desc, parent_id, type, type_desc, is_ms_shipped, is_disabled, is_not_for_replication, is_instead_of_trigger
FROM sys.triggers ORDER BY name;
SELECT t.name, e.type, e.type_desc, e.is_first, e.is_last, e.event_group_type, e.event_group_type_desc, e.is_trigger_event
FROM sys.trigger_events e JOIN sys.triggers t ON t.object_id = e.object_id ORDER BY t.name, e.type;
SELECT OBJECT_ID('watch') AS id, (SELECT COUNT(*) FROM sys.objects WHERE name = 'watch') AS objects, OBJECT_NAME((SELECT object_id FROM sys.triggers WHERE name = 'watch')) AS name;
SELECT m.definition, OBJECT_DEFINITION(m.object_id) AS same FROM sys.sql_modules m JOIN sys.triggers t ON t.object_id = m.object_id WHERE t.name = 'refuse';
GO
-- Names of these triggers are their own; each kind of error.
CREATE TABLE watch (i int);
DROP TABLE watch;
GO
CREATE TRIGGER watch ON DATABASE FOR CREATE_TABLE AS PRINT 1;
GO
CREATE TRIGGER dbo.x ON DATABASE FOR CREATE_TABLE AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR no_such_event AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_LOGIN AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR LOGON AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR INSERT AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_TABLE, create_table AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE INSTEAD OF CREATE_TABLE AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE WITH EXECUTE AS OWNER FOR CREATE_TABLE AS PRINT 1;
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_TABLE AS SELECT nothing FROM seen;
GO
ALTER TRIGGER x ON DATABASE FOR CREATE_TABLE AS PRINT 1;
GO
DROP TRIGGER x ON DATABASE;
GO
DROP TRIGGER watch;
GO
DROP TRIGGER IF EXISTS x ON DATABASE;
DISABLE TRIGGER x ON DATABASE;
GO
DROP TRIGGER watch, refuse ON DATABASE;
SELECT COUNT(*) AS triggers FROM sys.triggers;
GO
-- A trigger does not see its own CREATE, but its ALTER, and others' triggers.
CREATE TRIGGER one ON DATABASE FOR DDL_TRIGGER_EVENTS AS
DECLARE @e xml = EVENTDATA();
DECLARE @m nvarchar(400) = CONCAT('one: ', @e.value('(//EventType)[1]', 'sysname'), ' ', @e.value('(//ObjectName)[1]', 'sysname'), ' ', @e.value('(//TargetObjectType)[1]', 'sysname')); PRINT @m;
GO
CREATE OR ALTER TRIGGER one ON DATABASE FOR DDL_TRIGGER_EVENTS AS
DECLARE @e xml = EVENTDATA();
DECLARE @m nvarchar(400) = CONCAT('one again: ', @e.value('(//EventType)[1]', 'sysname'), ' ', @e.value('(//ObjectName)[1]', 'sysname')); PRINT @m;
GO
CREATE OR ALTER TRIGGER two ON DATABASE FOR CREATE_TABLE AS PRINT 'two';
GO
DROP TRIGGER one ON DATABASE;
GO
-- The order, nesting, and recursion, which is off unless RECURSIVE_TRIGGERS is on.
CREATE TRIGGER three ON DATABASE FOR CREATE_TABLE AS
PRINT CONCAT('three at ', TRIGGER_NESTLEVEL());
IF TRIGGER_NESTLEVEL() < 3 EXEC ('CREATE VIEW v AS SELECT 1 AS a; ');
GO
CREATE TRIGGER four ON DATABASE FOR CREATE_VIEW AS
PRINT CONCAT('four at ', TRIGGER_NESTLEVEL());
DROP VIEW v;
GO
CREATE TABLE d (i int);
EXEC sp_settriggerorder 'three', 'First', 'CREATE_TABLE', 'DATABASE';
EXEC sp_settriggerorder @triggername = 'two', @order = 'last', @stmttype = 'create_table', @namespace = 'database';
DROP TABLE d;
CREATE TABLE d (i int);
SELECT t.name, e.is_first, e.is_last FROM sys.trigger_events e JOIN sys.triggers t ON t.object_id = e.object_id ORDER BY t.name;
GO
EXEC sp_settriggerorder 'two', 'First', 'CREATE_TABLE', 'DATABASE';
GO
EXEC sp_settriggerorder 'two', 'First', 'CREATE_VIEW', 'DATABASE';
GO
EXEC sp_settriggerorder 'two', 'First', 'DDL_TABLE_EVENTS', 'DATABASE';
GO
EXEC sp_settriggerorder 'two', 'First', 'CREATE_TABLE';
GO
DROP TRIGGER two, three, four ON DATABASE;
CREATE TABLE e (i int);
GO
CREATE TRIGGER again ON DATABASE FOR CREATE_TABLE AS
PRINT CONCAT('again at ', TRIGGER_NESTLEVEL());
IF OBJECT_ID('f') IS NULL CREATE TABLE f (i int);
GO
CREATE TABLE g (i int);
DROP TABLE f, g;
ALTER DATABASE CURRENT SET RECURSIVE_TRIGGERS ON;
CREATE TABLE g (i int);
GO
-- In what a trigger calls EVENTDATA() is NULL.
CREATE PROCEDURE p AS SELECT EVENTDATA() AS called;
GO
ALTER TRIGGER again ON DATABASE FOR CREATE_TABLE AS EXEC p;
GO
CREATE TABLE h (i int);
GO
-- As another; an encrypted one.
CREATE USER low WITHOUT LOGIN;
GO
ALTER TRIGGER again ON DATABASE WITH EXECUTE AS 'low', ENCRYPTION FOR CREATE_TABLE AS
DECLARE @m nvarchar(400) = CONCAT(USER_NAME(), ' of ', EVENTDATA().value('(//UserName)[1]', 'sysname')); PRINT @m;
GO
CREATE TABLE k (i int);
SELECT definition, execute_as_principal_id - USER_ID('low') AS low FROM sys.sql_modules WHERE object_id = (SELECT object_id FROM sys.triggers WHERE name = 'again');
DROP TRIGGER again ON DATABASE;
GO
-- Who may: ALTER ANY DATABASE DDL TRIGGER.
GRANT CREATE TABLE TO low;
EXECUTE AS USER = 'low';
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_TABLE AS PRINT 1;
GO
REVERT;
GRANT ALTER ANY DATABASE DDL TRIGGER TO low;
EXECUTE AS USER = 'low';
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_TABLE AS PRINT 1;
GO
DROP TRIGGER x ON DATABASE;
REVERT;
GO
-- Made and undone with a transaction.
BEGIN TRAN;
GO
CREATE TRIGGER x ON DATABASE FOR CREATE_TABLE AS PRINT 'x';
GO
CREATE TABLE l (i int);
ROLLBACK;
CREATE TABLE l (i int);
SELECT COUNT(*) AS triggers FROM sys.triggers;
GO
-- Of a table's triggers.
CREATE TRIGGER t1 ON l FOR INSERT, UPDATE AS PRINT 't1';
GO
CREATE TRIGGER t2 ON l FOR INSERT AS PRINT 't2';
GO
CREATE TRIGGER t3 ON l FOR INSERT AS PRINT 't3';
GO
EXEC sp_settriggerorder 't3', 'First', 'INSERT';
EXEC sp_settriggerorder 't1', 'Last', 'INSERT';
INSERT l VALUES (1);
SELECT OBJECTPROPERTY(OBJECT_ID('t3'), 'ExecIsFirstInsertTrigger') AS first, OBJECTPROPERTY(OBJECT_ID('t1'), 'ExecIsLastInsertTrigger') AS last, OBJECTPROPERTY(OBJECT_ID('t2'), 'ExecIsLastInsertTrigger') AS neither;
EXEC sp_settriggerorder 't2', 'First', 'INSERT';
GO
EXEC sp_settriggerorder 't2', 'First', 'DELETE';
GO
EXEC sp_settriggerorder 't3', 'None', 'INSERT';
EXEC sp_settriggerorder 'dbo.t2', 'First', 'INSERT';
INSERT l VALUES (2);
GO
ALTER TRIGGER t2 ON l FOR INSERT AS PRINT 't2 altered';
GO
INSERT l VALUES (3);
