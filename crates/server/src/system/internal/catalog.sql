-- What procedures have in common that are told names, or describe objects, types and files.
--
-- Modules of this folder are not shown to users (`registry::Entry::internal`), and a procedure among them raises its errors in its
-- caller's name. None begins with sp_, xp_, fn_ or sys: such names are found before a user's object of the same name.
-- check_*: 1 if the argument was refused with the error that belongs to it, else 0.

CREATE PROCEDURE sys.check_database @qualifier sysname AS
IF @qualifier <> DB_NAME()
BEGIN
  RAISERROR(15250, -1, -1)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.check_object @name nvarchar(776), @object_id int OUTPUT AS
DECLARE @database sysname = DB_NAME()
IF PARSENAME(@name, 3) <> @database
BEGIN
  RAISERROR(15250, -1, -1)
  RETURN 1
END
SET @object_id = OBJECT_ID(@name)
IF @object_id IS NULL
BEGIN
  RAISERROR(15009, -1, -1, @name, @database)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.check_database_exists @name sysname AS
IF DB_ID(@name) IS NULL
BEGIN
  RAISERROR(15010, -1, -1, @name)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.check_linked_server @name sysname AS
DECLARE @text nvarchar(max) = N'DECLARE @there int SELECT @there = 1 FROM ' + QUOTENAME(@name) + N'.master.sys.databases'
EXEC (@text)
RETURN 0
GO
CREATE PROCEDURE sys.check_login @name sysname AS
IF NOT EXISTS (SELECT 1 FROM sys.server_principals WHERE name = @name AND type <> 'R')
BEGIN
  RAISERROR(15007, -1, -1, @name)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.check_server_role @name sysname AS
IF NOT EXISTS (SELECT 1 FROM sys.server_principals WHERE name = @name AND type = 'R')
BEGIN
  RAISERROR(15412, -1, -1, @name)
  RETURN 1
END
RETURN 0
GO
CREATE PROCEDURE sys.check_role @name sysname AS
IF NOT EXISTS (SELECT 1 FROM sys.database_principals WHERE name = @name AND type = 'R')
BEGIN
  RAISERROR(15014, -1, -1, @name)
  RETURN 1
END
RETURN 0
GO
-- What sp_describe_cursor and its kin tell of: a cursor that their caller knows by a local or global name, or has in a variable.
CREATE FUNCTION sys.described_cursor(@source nvarchar(30), @identity nvarchar(128))
RETURNS TABLE AS RETURN
SELECT * FROM sys.syscursorrefs
WHERE cursor_scope = CASE LOWER(@source) WHEN N'global' THEN 2 ELSE 1 END AND reference_name = @identity
  AND CASE WHEN reference_name LIKE N'@%' THEN 1 ELSE 0 END = CASE LOWER(@source) WHEN N'variable' THEN 1 ELSE 0 END
GO
-- The roles that the session has, those in which its roles are too.
CREATE VIEW sys.held_roles AS
WITH held(role_id) AS (
  SELECT r.depid FROM sys.syssingleobjrefs r WHERE r.class = 25 AND r.indepid = USER_ID()
  UNION ALL
  SELECT r.depid FROM sys.syssingleobjrefs r JOIN held h ON r.indepid = h.role_id WHERE r.class = 25)
SELECT DISTINCT role_id FROM held
GO
CREATE VIEW sys.held_server_roles AS
WITH held(role_id) AS (
  SELECT r.depid FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.indepid = SUSER_ID()
  UNION ALL
  SELECT r.depid FROM master.sys.syssingleobjrefs r JOIN held h ON r.indepid = h.role_id WHERE r.class = 26)
SELECT DISTINCT role_id FROM held
GO
CREATE VIEW sys.described_objects AS
SELECT o.object_id, o.schema_id, o.principal_id, o.create_date, CONVERT(sysname, o.name) AS Name,
  CONVERT(nvarchar(31), CASE o.type WHEN 'U' THEN N'user table' WHEN 'V' THEN N'view' WHEN 'P' THEN N'stored procedure' WHEN 'TR' THEN N'trigger'
    WHEN 'PK' THEN N'primary key cns' WHEN 'UQ' THEN N'unique cns' WHEN 'F' THEN N'foreign key cns' WHEN 'C' THEN N'check cns' WHEN 'D' THEN N'default (maybe cns)'
    WHEN 'FN' THEN N'scalar function' WHEN 'IF' THEN N'inline function' WHEN 'TF' THEN N'table function' WHEN 'SN' THEN N'synonym' WHEN 'SO' THEN N'sequence object'
    WHEN 'S' THEN N'system table' WHEN 'X' THEN N'extended stored proc' ELSE LOWER(REPLACE(o.type_desc, N'_', N' ')) END) AS kind
FROM sys.all_objects o
GO
CREATE VIEW sys.described_types AS
SELECT t.user_type_id, t.is_user_defined, t.is_table_type, CONVERT(sysname, t.name) AS name, CONVERT(sysname, TYPE_NAME(t.system_type_id)) AS Storage_type,
  CONVERT(smallint, t.max_length) AS Length, CONVERT(int, TYPEPROPERTY(QUOTENAME(SCHEMA_NAME(t.schema_id)) + N'.' + QUOTENAME(t.name), 'precision')) AS Prec,
  CONVERT(int, TYPEPROPERTY(QUOTENAME(SCHEMA_NAME(t.schema_id)) + N'.' + QUOTENAME(t.name), 'scale')) AS Scale,
  CONVERT(varchar(35), CASE t.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END) AS Nullable, CONVERT(sysname, ISNULL(OBJECT_NAME(t.default_object_id), N'none')) AS Default_name,
  CONVERT(sysname, ISNULL(OBJECT_NAME(t.rule_object_id), N'none')) AS Rule_name, CONVERT(sysname, t.collation_name) AS Collation
FROM sys.types t
GO
CREATE VIEW sys.described_files AS
SELECT f.database_id, CONVERT(sysname, f.name) AS name, CONVERT(smallint, f.file_id) AS fileid, CONVERT(nvarchar(260), f.physical_name) AS filename,
  CONVERT(sysname, CASE WHEN f.type <> 1 THEN CASE WHEN f.database_id = DB_ID() THEN FILEGROUP_NAME(f.data_space_id) WHEN f.data_space_id = 1 THEN N'PRIMARY' END END) AS filegroup, CONVERT(nvarchar(18), CONVERT(nvarchar(15), CONVERT(bigint, f.size) * 8) + N' KB') AS size,
  CONVERT(nvarchar(18), CASE f.max_size WHEN -1 THEN N'Unlimited' ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.max_size) * 8) + N' KB' END) AS maxsize,
  CONVERT(nvarchar(18), CASE f.is_percent_growth WHEN 1 THEN CONVERT(nvarchar(15), f.growth) + N'%' ELSE CONVERT(nvarchar(15), CONVERT(bigint, f.growth) * 8) + N' KB' END) AS growth,
  CONVERT(varchar(9), CASE f.type WHEN 0 THEN 'data only' ELSE 'log only' END) AS usage
FROM sys.master_files f
GO
-- What modules do with columns, or with a whole object where they name no column of it, as an INSERT does; what they call; and the columns
-- that definitions of tables are bound to.
CREATE VIEW sys.used_columns AS
SELECT g.object_id, 0 AS column_id, g.referenced_id, g.referenced_column_id, g.is_selected, g.is_updated, g.is_bound
FROM (SELECT o.id AS object_id, u.referenced_id, u.column_id AS referenced_column_id, MAX(CONVERT(int, u.is_selected)) AS is_selected,
    MAX(CONVERT(int, u.is_updated)) AS is_updated, CASE WHEN o.status & 2048 <> 0 THEN 1 ELSE 0 END AS is_bound,
    COUNT(*) OVER (PARTITION BY o.id, u.referenced_id) AS parts,
    MAX(MAX(CASE WHEN u.column_id > 0 THEN CONVERT(int, u.is_updated) ELSE 0 END)) OVER (PARTITION BY o.id, u.referenced_id) AS updates_columns
  FROM sys.sysschobjs o
  CROSS APPLY sys.sysmodulecolumns(o.id) u
  WHERE o.kind IN ('P', 'V', 'FN', 'IF', 'TF', 'TR')
  GROUP BY o.id, o.status, u.referenced_id, u.column_id) g
WHERE g.referenced_column_id > 0 OR g.parts = 1 OR g.is_updated > g.updates_columns
UNION ALL
SELECT d.referencing_id, d.referencing_minor_id, o.id, 0, 0, 0, CONVERT(int, d.is_schema_bound_reference)
FROM sys.sql_expression_dependencies d
JOIN sys.sysschobjs o ON o.id = ISNULL(d.referenced_id, OBJECT_ID(QUOTENAME(d.referenced_entity_name))) AND o.kind IN ('P', 'FN', 'SO')
WHERE d.referenced_class = 1 AND d.referenced_minor_id = 0
UNION ALL
SELECT r.depid, CASE WHEN d.kind IN ('U', 'TT') THEN r.depsubid ELSE 0 END, r.indepid, r.indepsubid, 1, 0, 1
FROM sys.syssingleobjrefs r
JOIN sys.sysschobjs d ON d.id = r.depid AND d.kind NOT IN ('P', 'V', 'FN', 'IF', 'TF', 'TR')
WHERE r.class = 1
GO
CREATE VIEW sys.iso_objects AS
SELECT o.id, o.kind, o.name, s.name AS schema_name, o.pid, o.status, o.intprop, o.created, o.modified
FROM sys.sysschobjs o
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = o.nsid
GO
CREATE VIEW sys.iso_columns AS
SELECT c.id, c.number, c.colid, c.name, c.xtype, c.utype, c.status, c.collation, c.dflt,
  CONVERT(int, CASE WHEN c.xtype IN (167, 175, 165, 173) THEN c.length WHEN c.xtype IN (231, 239) THEN CASE c.length WHEN -1 THEN -1 ELSE c.length / 2 END
    WHEN c.xtype IN (35, 34) THEN 2147483647 WHEN c.xtype = 99 THEN 1073741823 WHEN c.xtype = 241 THEN -1 WHEN c.xtype = 98 THEN 0 WHEN c.xtype = 240 THEN c.length END) AS CHARACTER_MAXIMUM_LENGTH,
  CONVERT(int, CASE WHEN c.xtype IN (167, 175, 165, 173, 231, 239) THEN c.length WHEN c.xtype IN (35, 34) THEN 2147483647 WHEN c.xtype = 99 THEN 2147483646
    WHEN c.xtype = 241 THEN -1 WHEN c.xtype = 98 THEN 0 WHEN c.xtype = 240 THEN c.length END) AS CHARACTER_OCTET_LENGTH,
  CONVERT(tinyint, CASE WHEN c.xtype IN (48, 52, 56, 127, 106, 108, 60, 122, 62, 59) THEN c.prec END) AS NUMERIC_PRECISION,
  CONVERT(smallint, CASE WHEN c.xtype IN (48, 52, 56, 127, 106, 108, 60, 122) THEN 10 WHEN c.xtype IN (62, 59) THEN 2 END) AS NUMERIC_PRECISION_RADIX,
  CONVERT(int, CASE WHEN c.xtype IN (48, 52, 56, 127, 106, 108, 60, 122) THEN c.scale END) AS NUMERIC_SCALE,
  CONVERT(smallint, CASE WHEN c.xtype = 40 THEN 0 WHEN c.xtype IN (41, 42, 43) THEN c.scale WHEN c.xtype = 61 THEN 3 WHEN c.xtype = 58 THEN 0 END) AS DATETIME_PRECISION,
  CONVERT(sysname, CASE WHEN c.xtype IN (167, 175, 35) THEN N'iso_1' WHEN c.xtype IN (231, 239, 99) THEN N'UNICODE' END) AS CHARACTER_SET_NAME
FROM sys.syscolpars c
GO
-- What the rows of a table may have: columns of long types, which lie beside them, and how wide the others may be together.
CREATE VIEW sys.column_widths AS
SELECT c.id, SUM(CASE WHEN c.length = -1 OR c.xtype IN (34, 35, 99) THEN 1 ELSE 0 END) AS long_types,
  SUM(CASE WHEN c.length > 0 THEN CONVERT(int, c.length) ELSE 24 END) AS width
FROM sys.syscolpars c
WHERE c.number = 0 AND (c.status & 4 = 0 OR c.status & 8 <> 0)
GROUP BY c.id
GO
