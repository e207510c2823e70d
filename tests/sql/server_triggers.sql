-- Triggers ON ALL SERVER: https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql
CREATE TABLE log (n int IDENTITY, e nvarchar(max));
GO
CREATE TRIGGER golden_all ON ALL SERVER FOR CREATE_TABLE AS
DECLARE @m varchar(200) = CONCAT('server in ', DB_NAME(), ', of golden ', IIF(EVENTDATA().value('(//DatabaseName)[1]', 'sysname') LIKE 'golden%', 'yes', 'no')); PRINT @m;
GO
CREATE TRIGGER own ON DATABASE FOR CREATE_TABLE AS PRINT 'database';
GO
CREATE TABLE a (i int);
SELECT name, parent_class, parent_class_desc, parent_id, type, type_desc, is_ms_shipped, is_disabled FROM sys.server_triggers;
SELECT e.type, e.type_desc, e.is_first, e.is_last, e.event_group_type, e.is_trigger_event FROM sys.server_trigger_events e;
SELECT type, type_desc, event_group_type, event_group_type_desc FROM sys.server_events;
SELECT definition, uses_ansi_nulls, uses_quoted_identifier, execute_as_principal_id FROM sys.server_sql_modules;
SELECT COUNT(*) AS here FROM sys.triggers WHERE name = 'golden_all';
GO
CREATE TRIGGER golden_all ON ALL SERVER FOR CREATE_TABLE AS PRINT 1;
GO
CREATE TRIGGER x ON ALL SERVER FOR INSERT AS PRINT 1;
GO
CREATE TRIGGER x ON ALL SERVER FOR no_such_event AS PRINT 1;
GO
CREATE TRIGGER dbo.x ON ALL SERVER FOR LOGON AS PRINT 1;
GO
CREATE TRIGGER x ON ALL SERVER WITH EXECUTE AS 'nobody_of_this_name' FOR LOGON AS PRINT 1;
GO
ALTER TRIGGER x ON ALL SERVER FOR LOGON AS PRINT 1;
GO
DROP TRIGGER golden_all;
GO
DROP TRIGGER x ON ALL SERVER;
GO
DISABLE TRIGGER x ON ALL SERVER;
GO
DISABLE TRIGGER golden_all ON ALL SERVER;
CREATE TABLE b (i int);
DROP TRIGGER golden_all ON ALL SERVER;
DROP TRIGGER own ON DATABASE;
GO
-- Logins and databases.
CREATE TRIGGER golden_login ON ALL SERVER WITH EXECUTE AS SELF FOR DDL_LOGIN_EVENTS, DDL_SERVER_SECURITY_EVENTS, DDL_DATABASE_EVENTS AS
DECLARE @e xml = EVENTDATA();
SET @e.modify('delete (/EVENT_INSTANCE/PostTime, /EVENT_INSTANCE/SPID, /EVENT_INSTANCE/ServerName, /EVENT_INSTANCE/SID, /EVENT_INSTANCE/TSQLCommand/SetOptions)');
PRINT CONVERT(nvarchar(max), @e);
GO
CREATE LOGIN golden_triggered WITH PASSWORD = 'P@ssw0rd1!x', CHECK_POLICY = OFF;
ALTER LOGIN golden_triggered WITH PASSWORD = N'P@ssw0rd2!x';
ALTER SERVER ROLE processadmin ADD MEMBER golden_triggered;
DROP LOGIN golden_triggered;
CREATE DATABASE golden_triggered;
ALTER DATABASE golden_triggered SET RECURSIVE_TRIGGERS ON;
DROP DATABASE golden_triggered;
GO
ALTER TRIGGER golden_login ON ALL SERVER FOR CREATE_LOGIN AS
PRINT 'no';
ROLLBACK;
GO
CREATE LOGIN golden_triggered WITH PASSWORD = 'P@ssw0rd1!x';
PRINT 'never';
GO
SELECT COUNT(*) AS logins FROM sys.server_principals WHERE name = 'golden_triggered';
DROP TRIGGER golden_login ON ALL SERVER;
CREATE LOGIN golden_triggered WITH PASSWORD = 'P@ssw0rd1!x';
USE master;
EXECUTE AS LOGIN = 'golden_triggered';
GO
CREATE TRIGGER x ON ALL SERVER FOR LOGON AS PRINT 1;
GO
REVERT;
DROP LOGIN golden_triggered;
SELECT COUNT(*) AS triggers FROM sys.server_triggers;
