-- INFORMATION_SCHEMA, as SQL Server has it (its column types are the ones of its own views).

CREATE VIEW INFORMATION_SCHEMA.SCHEMATA AS
SELECT CONVERT(nvarchar(128), d.name) AS CATALOG_NAME, s.name AS SCHEMA_NAME, CONVERT(nvarchar(128), o.name) AS SCHEMA_OWNER,
  CONVERT(varchar(6), NULL) AS DEFAULT_CHARACTER_SET_CATALOG, CONVERT(varchar(3), NULL) AS DEFAULT_CHARACTER_SET_SCHEMA,
  CONVERT(sysname, N'iso_1') AS DEFAULT_CHARACTER_SET_NAME
FROM sys.schemas s CROSS JOIN sys.systhisdatabase d LEFT JOIN sys.sysowners o ON o.id = s.principal_id
GO
CREATE VIEW INFORMATION_SCHEMA.TABLES AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, o.schema_name AS TABLE_SCHEMA, o.name AS TABLE_NAME,
  CONVERT(varchar(10), CASE o.kind WHEN 'U' THEN 'BASE TABLE' ELSE 'VIEW' END) AS TABLE_TYPE
FROM sys.iso_objects o CROSS JOIN sys.systhisdatabase d
WHERE o.kind IN ('U', 'V')
GO
CREATE VIEW INFORMATION_SCHEMA.VIEWS AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, o.schema_name AS TABLE_SCHEMA, o.name AS TABLE_NAME,
  CONVERT(nvarchar(4000), CASE WHEN o.status & 1048576 = 0 AND HAS_ACCESS(1060, o.id) = 1 THEN t.value END) AS VIEW_DEFINITION,
  CONVERT(varchar(7), CASE WHEN o.status & 65536 <> 0 THEN 'CASCADE' ELSE 'NONE' END) AS CHECK_OPTION, CONVERT(varchar(2), 'NO') AS IS_UPDATABLE
FROM sys.iso_objects o CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysobjvalues t ON t.objid = o.id
WHERE o.kind = 'V'
GO
CREATE VIEW INFORMATION_SCHEMA.COLUMNS AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, CONVERT(nvarchar(128), o.schema_name) AS TABLE_SCHEMA, CONVERT(sysname, o.name) AS TABLE_NAME, c.name AS COLUMN_NAME, c.colid AS ORDINAL_POSITION,
  CONVERT(nvarchar(4000), CASE WHEN c.dflt <> 0 AND HAS_ACCESS(1060, o.id) = 1 THEN f.value END) AS COLUMN_DEFAULT, CONVERT(varchar(3), CASE WHEN c.status & 1 <> 0 THEN 'YES' ELSE 'NO' END) AS IS_NULLABLE,
  CONVERT(nvarchar(128), ISNULL(y.name, ut.name)) AS DATA_TYPE,
  c.CHARACTER_MAXIMUM_LENGTH,
  c.CHARACTER_OCTET_LENGTH,
  c.NUMERIC_PRECISION,
  c.NUMERIC_PRECISION_RADIX,
  c.NUMERIC_SCALE,
  c.DATETIME_PRECISION,
  CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA,
  c.CHARACTER_SET_NAME,
  CONVERT(sysname, NULL) AS COLLATION_CATALOG, CONVERT(sysname, NULL) AS COLLATION_SCHEMA, CONVERT(sysname, CASE WHEN c.xtype <> 241 THEN c.collation END) AS COLLATION_NAME,
  CONVERT(sysname, CASE WHEN c.utype > 256 THEN d.name END) AS DOMAIN_CATALOG, CONVERT(sysname, CASE WHEN c.utype > 256 THEN us.name END) AS DOMAIN_SCHEMA,
  CONVERT(sysname, CASE WHEN c.utype > 256 THEN ut.name END) AS DOMAIN_NAME
FROM sys.iso_objects o
JOIN sys.iso_columns c ON c.id = o.id AND c.number = 0
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysscalartypes y ON y.id = c.xtype
LEFT JOIN sys.sysscalartypes ut ON ut.id = c.utype
LEFT JOIN sys.sysclsobjs us ON us.class = 50 AND us.id = ut.schid
LEFT JOIN sys.sysobjvalues f ON f.objid = c.dflt
WHERE o.kind IN ('U', 'V')
GO
CREATE VIEW INFORMATION_SCHEMA.TABLE_CONSTRAINTS AS
SELECT CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, o.schema_name AS CONSTRAINT_SCHEMA, o.name AS CONSTRAINT_NAME, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG,
  t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME,
  CONVERT(varchar(11), CASE o.kind WHEN 'PK' THEN 'PRIMARY KEY' WHEN 'UQ' THEN 'UNIQUE' WHEN 'F' THEN 'FOREIGN KEY' WHEN 'C' THEN 'CHECK' END) AS CONSTRAINT_TYPE,
  CONVERT(varchar(2), 'NO') AS IS_DEFERRABLE, CONVERT(varchar(2), 'NO') AS INITIALLY_DEFERRED
FROM sys.iso_objects o
JOIN sys.iso_objects t ON t.id = o.pid
CROSS JOIN sys.systhisdatabase d
WHERE o.kind IN ('PK', 'UQ', 'F', 'C') AND t.kind = 'U'
GO
CREATE VIEW INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS AS
SELECT CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, s.name AS CONSTRAINT_SCHEMA, f.name AS CONSTRAINT_NAME, CONVERT(nvarchar(128), d.name) AS UNIQUE_CONSTRAINT_CATALOG,
  CONVERT(nvarchar(128), t.schema_name) AS UNIQUE_CONSTRAINT_SCHEMA, CONVERT(sysname, i.name) AS UNIQUE_CONSTRAINT_NAME, CONVERT(varchar(7), 'SIMPLE') AS MATCH_OPTION,
  CONVERT(varchar(11), CASE f.update_referential_action WHEN 0 THEN 'NO ACTION' WHEN 1 THEN 'CASCADE' WHEN 2 THEN 'SET NULL' ELSE 'SET DEFAULT' END) AS UPDATE_RULE,
  CONVERT(varchar(11), CASE f.delete_referential_action WHEN 0 THEN 'NO ACTION' WHEN 1 THEN 'CASCADE' WHEN 2 THEN 'SET NULL' ELSE 'SET DEFAULT' END) AS DELETE_RULE
FROM sys.foreign_keys f
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = f.schema_id
JOIN sys.iso_objects t ON t.id = f.referenced_object_id
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysidxstats i ON i.id = f.referenced_object_id AND i.indid = f.key_index_id
GO
CREATE VIEW INFORMATION_SCHEMA.KEY_COLUMN_USAGE AS
SELECT CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, o.schema_name AS CONSTRAINT_SCHEMA, o.name AS CONSTRAINT_NAME, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG,
  t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME, c.name AS COLUMN_NAME, k.ordinal AS ORDINAL_POSITION
FROM (SELECT i.constraint_id AS id, x.colid, x.keyord AS ordinal FROM sys.sysidxstats i JOIN sys.sysiscols x ON x.id = i.id AND x.indid = i.indid
      WHERE i.constraint_id <> 0 AND x.keyord > 0
      UNION ALL
      SELECT r.depid, r.indepid, r.depsubid FROM sys.sysmultiobjrefs r WHERE r.class = 27) k
JOIN sys.iso_objects o ON o.id = k.id
JOIN sys.iso_objects t ON t.id = o.pid
JOIN sys.syscolpars c ON c.id = t.id AND c.number = 0 AND c.colid = k.colid
CROSS JOIN sys.systhisdatabase d
WHERE t.kind = 'U'
GO
CREATE VIEW INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME, c.name AS COLUMN_NAME,
  CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, o.schema_name AS CONSTRAINT_SCHEMA, o.name AS CONSTRAINT_NAME
FROM (SELECT i.constraint_id AS id, x.colid FROM sys.sysidxstats i JOIN sys.sysiscols x ON x.id = i.id AND x.indid = i.indid
      WHERE i.constraint_id <> 0 AND x.keyord > 0
      UNION ALL
      SELECT r.depid, r.indepid FROM sys.sysmultiobjrefs r WHERE r.class = 27
      UNION ALL
      SELECT q.referencing_id, q.column_id FROM sys.sysexpressioncolumns q WHERE q.minor_id = 0) k
JOIN sys.iso_objects o ON o.id = k.id
JOIN sys.iso_objects t ON t.id = o.pid
JOIN sys.syscolpars c ON c.id = t.id AND c.number = 0 AND c.colid = k.colid
CROSS JOIN sys.systhisdatabase d
WHERE t.kind = 'U'
GO
CREATE VIEW INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME, CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG,
  o.schema_name AS CONSTRAINT_SCHEMA, o.name AS CONSTRAINT_NAME
FROM sys.iso_objects o
JOIN sys.iso_objects t ON t.id = o.pid
CROSS JOIN sys.systhisdatabase d
WHERE o.kind IN ('PK', 'UQ', 'F', 'C') AND t.kind = 'U'
GO
CREATE VIEW INFORMATION_SCHEMA.CHECK_CONSTRAINTS AS
SELECT CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, o.schema_name AS CONSTRAINT_SCHEMA, o.name AS CONSTRAINT_NAME,
  CONVERT(nvarchar(4000), CASE WHEN HAS_ACCESS(1060, o.id) = 1 THEN v.value END) AS CHECK_CLAUSE
FROM sys.iso_objects o
JOIN sys.sysobjvalues v ON v.objid = o.id
CROSS JOIN sys.systhisdatabase d
WHERE o.kind = 'C'
GO
CREATE VIEW INFORMATION_SCHEMA.ROUTINES AS
SELECT CONVERT(nvarchar(128), d.name) AS SPECIFIC_CATALOG, o.schema_name AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, CONVERT(nvarchar(128), d.name) AS ROUTINE_CATALOG,
  o.schema_name AS ROUTINE_SCHEMA, o.name AS ROUTINE_NAME, CONVERT(nvarchar(20), CASE o.kind WHEN 'P' THEN N'PROCEDURE' ELSE N'FUNCTION' END) AS ROUTINE_TYPE,
  CONVERT(sysname, NULL) AS MODULE_CATALOG, CONVERT(sysname, NULL) AS MODULE_SCHEMA, CONVERT(sysname, NULL) AS MODULE_NAME, CONVERT(sysname, NULL) AS UDT_CATALOG,
  CONVERT(sysname, NULL) AS UDT_SCHEMA, CONVERT(sysname, NULL) AS UDT_NAME,
  CONVERT(sysname, CASE WHEN o.kind IN ('IF', 'TF') THEN N'TABLE' ELSE y.name END) AS DATA_TYPE,
  p.CHARACTER_MAXIMUM_LENGTH,
  p.CHARACTER_OCTET_LENGTH, CONVERT(sysname, NULL) AS COLLATION_CATALOG,
  CONVERT(sysname, NULL) AS COLLATION_SCHEMA, CONVERT(sysname, CASE WHEN p.xtype <> 241 THEN p.collation END) AS COLLATION_NAME, CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA,
  p.CHARACTER_SET_NAME,
  p.NUMERIC_PRECISION,
  p.NUMERIC_PRECISION_RADIX,
  p.NUMERIC_SCALE,
  p.DATETIME_PRECISION,
  CONVERT(nvarchar(30), NULL) AS INTERVAL_TYPE, CONVERT(smallint, NULL) AS INTERVAL_PRECISION, CONVERT(sysname, NULL) AS TYPE_UDT_CATALOG,
  CONVERT(sysname, NULL) AS TYPE_UDT_SCHEMA, CONVERT(sysname, NULL) AS TYPE_UDT_NAME, CONVERT(sysname, NULL) AS SCOPE_CATALOG, CONVERT(sysname, NULL) AS SCOPE_SCHEMA,
  CONVERT(sysname, NULL) AS SCOPE_NAME, CONVERT(bigint, NULL) AS MAXIMUM_CARDINALITY, CONVERT(sysname, NULL) AS DTD_IDENTIFIER, CONVERT(nvarchar(30), N'SQL') AS ROUTINE_BODY,
  CONVERT(nvarchar(4000), CASE WHEN o.status & 1048576 = 0 AND HAS_ACCESS(1060, o.id) = 1 THEN v.value END) AS ROUTINE_DEFINITION, CONVERT(sysname, NULL) AS EXTERNAL_NAME, CONVERT(nvarchar(30), NULL) AS EXTERNAL_LANGUAGE,
  CONVERT(nvarchar(30), NULL) AS PARAMETER_STYLE, CONVERT(nvarchar(10), CASE OBJECTPROPERTY(o.id, 'IsDeterministic') WHEN 1 THEN N'YES' ELSE N'NO' END) AS IS_DETERMINISTIC,
  CONVERT(nvarchar(30), CASE o.kind WHEN 'P' THEN N'MODIFIES' ELSE N'READS' END) AS SQL_DATA_ACCESS, CONVERT(nvarchar(10), CASE WHEN o.kind <> 'P' THEN CASE WHEN o.status & 262144 <> 0 THEN N'YES' ELSE N'NO' END END) AS IS_NULL_CALL,
  CONVERT(sysname, NULL) AS SQL_PATH, CONVERT(nvarchar(10), N'YES') AS SCHEMA_LEVEL_ROUTINE,
  CONVERT(smallint, CASE o.kind WHEN 'P' THEN -1 ELSE 0 END) AS MAX_DYNAMIC_RESULT_SETS, CONVERT(nvarchar(10), N'NO') AS IS_USER_DEFINED_CAST,
  CONVERT(nvarchar(10), N'NO') AS IS_IMPLICITLY_INVOCABLE, o.created AS CREATED, o.modified AS LAST_ALTERED
FROM sys.iso_objects o
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysobjvalues v ON v.objid = o.id
LEFT JOIN sys.iso_columns p ON p.id = o.id AND p.number = 1 AND p.colid = 0
LEFT JOIN sys.sysscalartypes y ON y.id = p.xtype
WHERE o.kind IN ('P', 'FN', 'IF', 'TF')
GO
CREATE VIEW INFORMATION_SCHEMA.PARAMETERS AS
SELECT CONVERT(nvarchar(128), d.name) AS SPECIFIC_CATALOG, CONVERT(nvarchar(128), o.schema_name) AS SPECIFIC_SCHEMA, o.name AS SPECIFIC_NAME, p.colid AS ORDINAL_POSITION,
  CONVERT(nvarchar(10), CASE WHEN p.colid = 0 THEN N'OUT' WHEN p.status & 32 <> 0 THEN N'INOUT' ELSE N'IN' END) AS PARAMETER_MODE,
  CONVERT(nvarchar(10), CASE WHEN p.colid = 0 THEN N'YES' ELSE N'NO' END) AS IS_RESULT, CONVERT(nvarchar(10), N'NO') AS AS_LOCATOR, p.name AS PARAMETER_NAME,
  CONVERT(nvarchar(128), ISNULL(y.name, N'table type')) AS DATA_TYPE,
  p.CHARACTER_MAXIMUM_LENGTH,
  p.CHARACTER_OCTET_LENGTH, CONVERT(sysname, NULL) AS COLLATION_CATALOG,
  CONVERT(sysname, NULL) AS COLLATION_SCHEMA, CONVERT(sysname, CASE WHEN p.xtype <> 241 THEN p.collation END) AS COLLATION_NAME, CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA,
  p.CHARACTER_SET_NAME,
  p.NUMERIC_PRECISION,
  p.NUMERIC_PRECISION_RADIX,
  p.NUMERIC_SCALE,
  p.DATETIME_PRECISION,
  CONVERT(nvarchar(30), NULL) AS INTERVAL_TYPE, CONVERT(smallint, NULL) AS INTERVAL_PRECISION,
  CONVERT(sysname, CASE WHEN p.utype > 256 THEN d.name END) AS USER_DEFINED_TYPE_CATALOG, CONVERT(sysname, CASE WHEN p.utype > 256 THEN us.name END) AS USER_DEFINED_TYPE_SCHEMA,
  CONVERT(sysname, CASE WHEN p.utype > 256 THEN ut.name END) AS USER_DEFINED_TYPE_NAME, CONVERT(sysname, NULL) AS SCOPE_CATALOG, CONVERT(sysname, NULL) AS SCOPE_SCHEMA,
  CONVERT(sysname, NULL) AS SCOPE_NAME
FROM sys.iso_objects o
JOIN sys.iso_columns p ON p.id = o.id AND p.number = 1
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysscalartypes y ON y.id = p.xtype
LEFT JOIN sys.sysscalartypes ut ON ut.id = p.utype
LEFT JOIN sys.sysclsobjs us ON us.class = 50 AND us.id = ut.schid
WHERE o.kind IN ('P', 'FN', 'IF', 'TF')
GO
CREATE VIEW INFORMATION_SCHEMA.ROUTINE_COLUMNS AS
SELECT CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, o.schema_name AS TABLE_SCHEMA, o.name AS TABLE_NAME, c.name AS COLUMN_NAME, c.colid AS ORDINAL_POSITION,
  CONVERT(nvarchar(4000), NULL) AS COLUMN_DEFAULT, CONVERT(varchar(3), CASE WHEN c.status & 1 <> 0 THEN 'YES' ELSE 'NO' END) AS IS_NULLABLE,
  CONVERT(nvarchar(128), ISNULL(y.name, ut.name)) AS DATA_TYPE, c.CHARACTER_MAXIMUM_LENGTH, c.CHARACTER_OCTET_LENGTH, c.NUMERIC_PRECISION,
  c.NUMERIC_PRECISION_RADIX, c.NUMERIC_SCALE, c.DATETIME_PRECISION, CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG,
  CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA, c.CHARACTER_SET_NAME, CONVERT(sysname, NULL) AS COLLATION_CATALOG,
  CONVERT(sysname, NULL) AS COLLATION_SCHEMA, CONVERT(sysname, CASE WHEN c.xtype <> 241 THEN c.collation END) AS COLLATION_NAME, CONVERT(sysname, CASE WHEN c.utype > 256 THEN d.name END) AS DOMAIN_CATALOG,
  CONVERT(sysname, CASE WHEN c.utype > 256 THEN us.name END) AS DOMAIN_SCHEMA, CONVERT(sysname, CASE WHEN c.utype > 256 THEN ut.name END) AS DOMAIN_NAME
FROM sys.iso_objects o
JOIN sys.iso_columns c ON c.id = o.id AND c.number = 0
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysscalartypes y ON y.id = c.xtype
LEFT JOIN sys.sysscalartypes ut ON ut.id = c.utype
LEFT JOIN sys.sysclsobjs us ON us.class = 50 AND us.id = ut.schid
WHERE o.kind IN ('IF', 'TF')
GO
CREATE VIEW INFORMATION_SCHEMA.SEQUENCES AS
SELECT CONVERT(nvarchar(128), d.name) AS SEQUENCE_CATALOG, CONVERT(nvarchar(128), o.schema_name) AS SEQUENCE_SCHEMA, o.name AS SEQUENCE_NAME, CONVERT(nvarchar(128), y.name) AS DATA_TYPE,
  q.prec AS NUMERIC_PRECISION, CONVERT(smallint, 10) AS NUMERIC_PRECISION_RADIX, CONVERT(int, q.scale) AS NUMERIC_SCALE, c.start_value AS START_VALUE,
  c.minimum_value AS MINIMUM_VALUE, c.maximum_value AS MAXIMUM_VALUE, c.increment AS INCREMENT, CONVERT(int, q.status & 1) AS CYCLE_OPTION,
  CONVERT(sysname, y.name) AS DECLARED_DATA_TYPE, CONVERT(tinyint, q.prec) AS DECLARED_NUMERIC_PRECISION, CONVERT(tinyint, q.scale) AS DECLARED_NUMERIC_SCALE
FROM sys.iso_objects o
JOIN sys.sysseqobjs q ON q.id = o.id
JOIN sys.syssequencevalues c ON c.object_id = o.id
LEFT JOIN sys.sysscalartypes y ON y.id = q.xtype
CROSS JOIN sys.systhisdatabase d
WHERE o.kind = 'SO'
GO
CREATE VIEW INFORMATION_SCHEMA.DOMAINS AS
SELECT CONVERT(nvarchar(128), d.name) AS DOMAIN_CATALOG, s.name AS DOMAIN_SCHEMA, t.name AS DOMAIN_NAME, CONVERT(sysname, y.name) AS DATA_TYPE,
  CONVERT(int, CASE WHEN t.xtype IN (167, 175, 165, 173) THEN t.length WHEN t.xtype IN (231, 239) THEN CASE t.length WHEN -1 THEN -1 ELSE t.length / 2 END
    WHEN t.xtype IN (35, 34) THEN 2147483647 WHEN t.xtype = 99 THEN 1073741823 WHEN t.xtype IN (241, 244) THEN -1 WHEN t.xtype = 98 THEN 0 END) AS CHARACTER_MAXIMUM_LENGTH,
  CONVERT(int, CASE WHEN t.xtype IN (167, 175, 165, 173, 231, 239) THEN t.length WHEN t.xtype IN (35, 34) THEN 2147483647 WHEN t.xtype = 99 THEN 2147483646
    WHEN t.xtype IN (241, 244) THEN -1 WHEN t.xtype = 98 THEN 0 END) AS CHARACTER_OCTET_LENGTH, CONVERT(sysname, NULL) AS COLLATION_CATALOG,
  CONVERT(sysname, NULL) AS COLLATION_SCHEMA, t.collation AS COLLATION_NAME, CONVERT(sysname, NULL) AS CHARACTER_SET_CATALOG, CONVERT(sysname, NULL) AS CHARACTER_SET_SCHEMA,
  CONVERT(sysname, CASE WHEN t.xtype IN (167, 175, 35) THEN N'iso_1' WHEN t.xtype IN (231, 239, 99) THEN N'UNICODE' END) AS CHARACTER_SET_NAME,
  CONVERT(tinyint, CASE WHEN t.xtype IN (48, 52, 56, 127, 106, 108, 60, 122, 62, 59) THEN t.prec END) AS NUMERIC_PRECISION,
  CONVERT(smallint, CASE WHEN t.xtype IN (48, 52, 56, 127, 106, 108, 60, 122) THEN 10 WHEN t.xtype IN (62, 59) THEN 2 END) AS NUMERIC_PRECISION_RADIX,
  CONVERT(int, CASE WHEN t.xtype IN (48, 52, 56, 127, 106, 108, 60, 122) THEN t.scale END) AS NUMERIC_SCALE,
  CONVERT(smallint, CASE WHEN t.xtype = 40 THEN 0 WHEN t.xtype IN (41, 42, 43) THEN t.scale WHEN t.xtype = 61 THEN 3 WHEN t.xtype = 58 THEN 0 END) AS DATETIME_PRECISION,
  CONVERT(nvarchar(4000), v.value) AS DOMAIN_DEFAULT
FROM sys.sysscalartypes t
LEFT JOIN sys.sysobjvalues v ON v.objid = t.dflt
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = t.schid
CROSS JOIN sys.systhisdatabase d
LEFT JOIN sys.sysscalartypes y ON y.id = t.xtype
WHERE t.id > 256 AND t.status & 6 = 0
GO
-- Rules, which alone are constraints of a domain, are not to be had.
CREATE VIEW INFORMATION_SCHEMA.DOMAIN_CONSTRAINTS AS
SELECT CONVERT(nvarchar(128), d.name) AS CONSTRAINT_CATALOG, s.name AS CONSTRAINT_SCHEMA, r.name AS CONSTRAINT_NAME,
  CONVERT(nvarchar(128), d.name) AS DOMAIN_CATALOG, ts.name AS DOMAIN_SCHEMA, t.name AS DOMAIN_NAME, CONVERT(varchar(2), 'NO') AS IS_DEFERRABLE,
  CONVERT(varchar(2), 'NO') AS INITIALLY_DEFERRED
FROM sys.sysscalartypes t
JOIN sys.sysschobjs r ON r.id = t.chk AND r.kind = 'R'
JOIN sys.sysclsobjs s ON s.class = 50 AND s.id = r.nsid
JOIN sys.sysclsobjs ts ON ts.class = 50 AND ts.id = t.schid
CROSS JOIN sys.systhisdatabase d
GO
CREATE VIEW INFORMATION_SCHEMA.COLUMN_DOMAIN_USAGE AS
SELECT CONVERT(nvarchar(128), d.name) AS DOMAIN_CATALOG, us.name AS DOMAIN_SCHEMA, ut.name AS DOMAIN_NAME, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG,
  o.schema_name AS TABLE_SCHEMA, o.name AS TABLE_NAME, c.name AS COLUMN_NAME
FROM sys.iso_objects o
JOIN sys.syscolpars c ON c.id = o.id AND c.number = 0
JOIN sys.sysscalartypes ut ON ut.id = c.utype
JOIN sys.sysclsobjs us ON us.class = 50 AND us.id = ut.schid
CROSS JOIN sys.systhisdatabase d
WHERE o.kind IN ('U', 'V') AND c.utype > 256
GO
CREATE VIEW INFORMATION_SCHEMA.TABLE_PRIVILEGES AS
SELECT CONVERT(nvarchar(128), gr.name) AS GRANTOR, CONVERT(nvarchar(128), ge.name) AS GRANTEE, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, o.schema_name AS TABLE_SCHEMA,
  o.name AS TABLE_NAME, CONVERT(varchar(10), p.name) AS PRIVILEGE_TYPE, CONVERT(varchar(3), CASE p.state WHEN 'W' THEN 'YES' ELSE 'NO' END) AS IS_GRANTABLE
FROM sys.sysprivs p
JOIN sys.iso_objects o ON o.id = p.id
JOIN sys.sysowners ge ON ge.id = p.grantee
JOIN sys.sysowners gr ON gr.id = p.grantor
CROSS JOIN sys.systhisdatabase d
WHERE p.class = 1 AND p.subid = 0 AND p.state <> 'D' AND p.kind IN ('SL', 'IN', 'DL', 'UP', 'RF') AND o.kind IN ('U', 'V')
GO
CREATE VIEW INFORMATION_SCHEMA.COLUMN_PRIVILEGES AS
SELECT CONVERT(nvarchar(128), gr.name) AS GRANTOR, CONVERT(nvarchar(128), ge.name) AS GRANTEE, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, o.schema_name AS TABLE_SCHEMA,
  o.name AS TABLE_NAME, c.name AS COLUMN_NAME, CONVERT(varchar(10), p.name) AS PRIVILEGE_TYPE, CONVERT(varchar(3), CASE p.state WHEN 'W' THEN 'YES' ELSE 'NO' END) AS IS_GRANTABLE
FROM sys.sysprivs p
JOIN sys.iso_objects o ON o.id = p.id
JOIN sys.syscolpars c ON c.id = o.id AND c.number = 0 AND (c.colid = p.subid OR p.subid = 0)
JOIN sys.sysowners ge ON ge.id = p.grantee
JOIN sys.sysowners gr ON gr.id = p.grantor
CROSS JOIN sys.systhisdatabase d
WHERE p.class = 1 AND p.state IN ('G', 'W') AND p.kind IN ('SL', 'UP', 'RF') AND o.kind IN ('U', 'V')
GO
CREATE VIEW INFORMATION_SCHEMA.VIEW_TABLE_USAGE AS
SELECT DISTINCT CONVERT(nvarchar(128), d.name) AS VIEW_CATALOG, v.schema_name AS VIEW_SCHEMA, v.name AS VIEW_NAME, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME
FROM sys.iso_objects v
CROSS APPLY sys.sysmodulecolumns(v.id) r
JOIN sys.iso_objects t ON t.id = r.referenced_id
CROSS JOIN sys.systhisdatabase d
WHERE v.kind = 'V' AND t.kind IN ('U', 'V')
GO
CREATE VIEW INFORMATION_SCHEMA.VIEW_COLUMN_USAGE AS
SELECT CONVERT(nvarchar(128), d.name) AS VIEW_CATALOG, v.schema_name AS VIEW_SCHEMA, v.name AS VIEW_NAME, CONVERT(nvarchar(128), d.name) AS TABLE_CATALOG, t.schema_name AS TABLE_SCHEMA, t.name AS TABLE_NAME, c.name AS COLUMN_NAME
FROM sys.iso_objects v
CROSS APPLY sys.sysmodulecolumns(v.id) r
JOIN sys.iso_objects t ON t.id = r.referenced_id
JOIN sys.syscolpars c ON c.id = t.id AND c.number = 0 AND c.colid = r.column_id
CROSS JOIN sys.systhisdatabase d
WHERE v.kind = 'V'
GO
