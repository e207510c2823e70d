-- EVENTDATA() of each kind of event: https://learn.microsoft.com/sql/relational-databases/triggers/ddl-events
CREATE TABLE log (n int IDENTITY, e xml);
GO
CREATE TRIGGER watch ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS AS
SET NOCOUNT ON;
DECLARE @e xml = EVENTDATA();
IF @e.value('string-length((//PostTime)[1])', 'int') <> 23 OR @e.value('(//SPID)[1]', 'int') <> @@SPID OR @e.value('(//ServerName)[1]', 'sysname') <> @@SERVERNAME
  PRINT 'the envelope is wrong';
SET @e.modify('delete (/EVENT_INSTANCE/PostTime, /EVENT_INSTANCE/SPID, /EVENT_INSTANCE/ServerName, /EVENT_INSTANCE/SID)');
INSERT log VALUES (@e);
GO
CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, a int, b varchar(10)) ;
/* whole */ CREATE INDEX ix ON t (a)
GO
SELECT e FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
ALTER TRIGGER watch ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS AS
SET NOCOUNT ON;
DECLARE @e xml = EVENTDATA();
SET @e.modify('delete (/EVENT_INSTANCE/PostTime, /EVENT_INSTANCE/SPID, /EVENT_INSTANCE/ServerName, /EVENT_INSTANCE/SID, /EVENT_INSTANCE/LoginName, /EVENT_INSTANCE/UserName,
  /EVENT_INSTANCE/DatabaseName, /EVENT_INSTANCE/TSQLCommand/SetOptions)');
INSERT log VALUES (@e);
GO
ALTER TABLE t ADD c int CONSTRAINT df DEFAULT 1, d int;
ALTER TABLE t ALTER COLUMN d bigint;
ALTER TABLE t DROP CONSTRAINT df, COLUMN d;
ALTER INDEX ix ON t REBUILD;
CREATE STATISTICS st ON t (b);
UPDATE STATISTICS t;
DROP STATISTICS t.st;
DROP INDEX ix ON t;
GO
CREATE VIEW v AS SELECT a FROM dbo.t
GO
  -- with its comment
CREATE OR ALTER VIEW v AS SELECT b FROM dbo.t -- and this
GO
CREATE PROCEDURE p WITH ENCRYPTION AS SELECT 1;
GO
CREATE FUNCTION f () RETURNS int AS BEGIN RETURN 1 END
GO
CREATE TRIGGER tr ON t FOR INSERT AS PRINT 1
GO
DROP TRIGGER tr;
DROP FUNCTION f;
DROP PROCEDURE p; DROP VIEW v
GO
CREATE SCHEMA s CREATE TABLE inside (i int)
GO
ALTER SCHEMA s TRANSFER dbo.t;
ALTER SCHEMA dbo TRANSFER s.t;
DROP TABLE s.inside;
DROP SCHEMA s; -- gone
CREATE TYPE ty FROM int;
DROP TYPE ty;
CREATE SEQUENCE sq;
ALTER SEQUENCE sq RESTART WITH 5;
DROP SEQUENCE sq;
CREATE SYNONYM sy FOR other.dbo.t;
DROP SYNONYM sy;
CREATE PARTITION FUNCTION pf (int) AS RANGE LEFT FOR VALUES (1);
CREATE PARTITION SCHEME ps AS PARTITION pf ALL TO ([PRIMARY]);
DROP PARTITION SCHEME ps;
DROP PARTITION FUNCTION pf;
GO
CREATE DEFAULT d1 AS 0
GO
EXEC sp_bindefault 'd1', 't.a';
EXEC sp_unbindefault 't.a';
DROP DEFAULT d1;
GO
CREATE USER u WITHOUT LOGIN WITH DEFAULT_SCHEMA = dbo;
CREATE ROLE r;
ALTER ROLE r ADD MEMBER u;
EXEC sp_droprolemember 'r', 'u';
GRANT SELECT, Update ON t TO u WITH GRANT OPTION;
DENY CREATE VIEW, CREATE PROCEDURE TO u, r;
REVOKE GRANT OPTION FOR SELECT ON t FROM u CASCADE;
GRANT SELECT ON SCHEMA::dbo TO u AS dbo;
CREATE APPLICATION ROLE ar WITH PASSWORD = 'P@ssw0rd1!x', DEFAULT_SCHEMA = dbo;
DROP APPLICATION ROLE ar;
DROP ROLE r;
DROP USER u;
GO
EXEC sp_addextendedproperty @name = N'c', @value = 'cv', @level0type = 'schema', @level0name = 'dbo', @level1type = 'table', @level1name = 't', @level2type = 'column', @level2name = 'a'
EXEC sp_addextendedproperty 'p', 'v'
EXEC sp_updateextendedproperty 'p', 'v2'
EXEC sp_dropextendedproperty 'p'
EXEC sp_rename 't.b', 'bb', 'COLUMN'
EXEC sp_rename 't', 'tt'
GO
CREATE XML SCHEMA COLLECTION xsc AS N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="n" type="xsd:int"/></xsd:schema>';
GO
ALTER XML SCHEMA COLLECTION xsc ADD N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="m" type="xsd:int"/></xsd:schema>';
DROP XML SCHEMA COLLECTION xsc;
GO
CREATE LOGIN of_server WITH PASSWORD = 'P@ssw0rd1!x';
DROP LOGIN of_server;
GO
DISABLE TRIGGER watch ON DATABASE;
SELECT e FROM log ORDER BY n;
GO
DECLARE @before int = (SELECT COUNT(*) FROM log);
ENABLE TRIGGER watch ON DATABASE;
EXEC ('CREATE TABLE #t (i int); DROP TABLE #t; TRUNCATE TABLE tt; DBCC CHECKTABLE (tt) WITH NO_INFOMSGS; SELECT 1 AS one;');
SELECT COUNT(*) - @before AS events FROM log;
GO
-- The groups.
SELECT (SELECT COUNT(*) FROM sys.trigger_event_types WHERE parent_type IS NULL) AS roots, (SELECT type FROM sys.trigger_event_types WHERE type_name = 'CREATE_TABLE') AS create_table,
  (SELECT parent_type FROM sys.trigger_event_types WHERE type_name = 'DDL_TABLE_EVENTS') AS above;
WITH below (type, name) AS (
  SELECT type, type_name FROM sys.trigger_event_types WHERE type_name = 'DDL_DATABASE_LEVEL_EVENTS'
  UNION ALL SELECT e.type, e.type_name FROM sys.trigger_event_types e JOIN below b ON e.parent_type = b.type)
SELECT COUNT(*) - (SELECT COUNT(*) FROM sys.trigger_events e JOIN sys.triggers t ON t.object_id = e.object_id WHERE t.name = 'watch') AS difference FROM below WHERE type < 10000;
SELECT DISTINCT event_group_type, event_group_type_desc FROM sys.trigger_events;
