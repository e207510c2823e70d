-- Each name of a list goes for itself: those that can be dropped are, and the errors tell of the others. learn.microsoft.com: DROP TABLE,
-- "multiple tables can be dropped in any database"; what a reader met: stackoverflow.com/questions/56622718.
CREATE TABLE t1 (i int CONSTRAINT pk1 PRIMARY KEY)
CREATE TABLE t2 (i int CONSTRAINT pk2 PRIMARY KEY)
CREATE TABLE t3 (i int CONSTRAINT pk3 PRIMARY KEY, two int CONSTRAINT fk3 REFERENCES t2 (i))
GO
DROP TABLE IF EXISTS t1, t2, t3
GO
SELECT name FROM sys.tables ORDER BY name
GO
CREATE TABLE t1 (i int)
GO
DROP TABLE t1, nope, nope_either, t2
GO
SELECT name FROM sys.tables ORDER BY name
GO
CREATE FUNCTION f1() RETURNS int AS BEGIN RETURN 1 END
GO
CREATE FUNCTION f2() RETURNS int AS BEGIN RETURN 1 END
GO
CREATE PROCEDURE p1 AS SELECT 1
GO
CREATE VIEW v1 AS SELECT 1 AS a
GO
DROP FUNCTION f1, nope, f2
DROP PROCEDURE nope, p1
DROP VIEW v1, p1
SELECT name FROM sys.objects WHERE name IN ('f1', 'f2', 'p1', 'v1')
GO
-- What TRY catches has done the same; a rollback takes all of it back.
CREATE TABLE t1 (i int)
CREATE TABLE t2 (i int)
BEGIN TRANSACTION
BEGIN TRY
  DROP TABLE t1, nope, t2
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message, XACT_STATE() AS state
END CATCH
SELECT OBJECT_ID('t1') AS one, OBJECT_ID('t2') AS two
ROLLBACK
SELECT name FROM sys.tables ORDER BY name
GO
-- Where none can be dropped nothing is done.
DROP TABLE nope, nope_either
GO
-- A trigger hears of each that was.
CREATE TRIGGER hears ON DATABASE FOR DROP_TABLE AS
  DECLARE @m sysname = EVENTDATA().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') PRINT @m
GO
DROP TABLE t1, nope, t2
GO
DROP TRIGGER hears, nope ON DATABASE
GO
SELECT name FROM sys.triggers WHERE name = 'hears'
GO
