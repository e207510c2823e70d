-- What people ask of objects at a prompt, and what they are told of names that are not here. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helptext-transact-sql
CREATE SCHEMA app;
GO
CREATE TYPE dbo.code FROM varchar(12) NOT NULL;
CREATE TABLE dbo.parent (id int IDENTITY(5, 2) NOT NULL CONSTRAINT pk_parent PRIMARY KEY, code dbo.code CONSTRAINT uq_parent UNIQUE,
  a int NULL CONSTRAINT df_a DEFAULT 3, twice AS (a * 2), CONSTRAINT ck_both CHECK (a > id));
CREATE TABLE app.child (parent_id int NULL CONSTRAINT fk_parent REFERENCES dbo.parent (id) ON DELETE CASCADE ON UPDATE SET NULL, note nvarchar(40) NULL);
CREATE INDEX by_note ON app.child (note);
CREATE STATISTICS of_parent ON app.child (parent_id);
GO
CREATE VIEW dbo.seen AS SELECT id, code FROM dbo.parent;
GO
CREATE PROCEDURE dbo.looks AS SELECT id FROM dbo.parent;
GO
CREATE TRIGGER dbo.watched ON dbo.parent AFTER INSERT, UPDATE AS RETURN;
GO
CREATE TRIGGER dbo.replaced ON dbo.seen INSTEAD OF DELETE AS RETURN;
GO
EXEC sp_helptext 'dbo.parent', 'twice';
EXEC sp_helptext 'dbo.parent', 'a';
EXEC sp_helptext 'nothing';
EXEC sp_helptext 'master.dbo.nothing';
EXEC sp_helptext 'golden_procedure_catalog.dbo.seen';
GO
EXEC sp_helpindex 'dbo.seen';
EXEC sp_helpindex 'app.child';
EXEC sp_helpindex 'nothing';
EXEC sp_helpindex 'master.dbo.nothing';
GO
EXEC sp_helpconstraint 'dbo.parent';
EXEC sp_helpconstraint 'app.child';
EXEC sp_helpconstraint 'dbo.seen';
EXEC sp_helpconstraint 'nothing';
GO
EXEC sp_helptrigger 'dbo.parent';
EXEC sp_helptrigger 'dbo.parent', 'DELETE';
EXEC sp_helptrigger 'dbo.seen', 'delete';
EXEC sp_helptrigger 'nothing';
GO
EXEC sp_help 'dbo.code';
EXEC sp_help 'nothing';
EXEC sp_help 'master.dbo.nothing';
DECLARE @parts TABLE (name sysname, owner sysname, type nvarchar(31), created datetime);
INSERT @parts EXEC sp_help 'dbo.pk_parent';
INSERT @parts EXEC sp_help 'dbo.ck_both';
INSERT @parts EXEC sp_help 'dbo.df_a';
INSERT @parts EXEC sp_help 'app.fk_parent';
INSERT @parts EXEC sp_help 'dbo.looks';
INSERT @parts EXEC sp_help 'dbo.watched';
INSERT @parts EXEC sp_help 'sys.sp_executesql';
SELECT name, owner, type FROM @parts;
GO
-- What the system's own procedures share is in no list.
SELECT name FROM sys.all_objects WHERE name LIKE 'odbc[_]%' OR name LIKE 'check[_]%' OR name LIKE 'described[_]%' OR name LIKE 'iso[_]%';
GO
EXEC sp_depends 'dbo.seen';
EXEC sp_depends 'dbo.parent';
EXEC sp_depends 'app.child';
EXEC sp_depends 'nothing';
GO
EXEC sp_helpstats 'app.child';
EXEC sp_helpstats 'app.child', 'ALL';
EXEC sp_helpstats 'nothing';
GO
EXEC sp_spaceused 'dbo.seen';
EXEC sp_spaceused 'nothing';
EXEC sp_spaceused 'master.dbo.nothing';
GO
EXEC sp_helpdb 'nothing';
DECLARE @databases TABLE (name sysname, size nvarchar(13), owner sysname NULL, id smallint, created nvarchar(11), status nvarchar(600), level tinyint);
SET NOCOUNT ON;
INSERT @databases EXEC sp_helpdb;
SET NOCOUNT OFF;
SELECT name, owner, level FROM @databases WHERE name = 'golden_procedure_catalog';
SELECT name, type FROM sys.all_views WHERE object_id > 0 OR name = 'all_views' ORDER BY name;
EXEC sp_helpfilegroup;
EXEC sp_helpfile 'nothing';
DECLARE @files TABLE (name sysname, fileid smallint, filename nvarchar(260) NULL, filegroup sysname NULL, size nvarchar(18), maxsize nvarchar(18), growth nvarchar(18), usage varchar(9));
INSERT @files EXEC sp_helpfile;
SELECT fileid, filegroup, RIGHT(size, 3) AS size, maxsize, growth, usage FROM @files;
GO
EXEC sp_autostats 'app.child', @indname = 'nothing';
EXEC sp_autostats 'nothing';
EXEC sp_tableoption 'nothing', 'insert row lock', 'true';
EXEC sp_tableoption 'dbo.parent', 'no such option', 'true';
EXEC sp_indexoption 'nothing', 'AllowRowLocks', 'true';
EXEC sp_indexoption 'app.child.by_note', 'no such option', 'true';
EXEC sp_indexoption 'app.child.by_note', 'DisallowRowLocks', 'true';
SELECT name, allow_row_locks, allow_page_locks FROM sys.indexes WHERE name = 'by_note';
EXEC sp_changeobjectowner 'nothing', 'app';
EXEC sp_validname '';
EXEC sp_serveroption 'nothing', 'rpc', 'on';
GO
EXEC sp_dboption 'nothing', 'read only';
EXEC sp_dboption 'golden_procedure_catalog', 'no such option';
EXEC sp_dboption 'golden_procedure_catalog', 'read only', 'maybe';
EXEC sp_dboption 'golden_procedure_catalog', 'arithabort', 'true';
EXEC sp_dboption 'golden_procedure_catalog', 'arithabort';
EXEC sp_dboption 'golden_procedure_catalog', 'arithabort', 'off';
EXEC sp_dbcmptlevel 'nothing';
EXEC sp_dbcmptlevel 'golden_procedure_catalog';
EXEC sp_configure 'min';
EXEC sp_configure 'kernel mode', @configtext = 'nothing';
EXEC sp_who 'nobody';
EXEC sp_who2 'nobody';
EXEC sp_who 'active, or not';
GO
-- A name of another database, where there is such an object.
CREATE TABLE tempdb.dbo.elsewhere (a int);
EXEC sp_helpconstraint 'tempdb.dbo.elsewhere';
EXEC sp_helptrigger 'tempdb.dbo.elsewhere';
EXEC sp_depends 'tempdb.dbo.elsewhere';
EXEC sp_helpstats 'tempdb.dbo.elsewhere';
EXEC sp_autostats 'tempdb.dbo.elsewhere';
DROP TABLE tempdb.dbo.elsewhere;
BEGIN TRY
  EXEC sp_helpindex 'nothing';
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure];
END CATCH;
GO
