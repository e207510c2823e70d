-- What sp_columns and sp_sproc_columns say of types of the server's own assembly and of XML schema collections:
-- https://learn.microsoft.com/sql/relational-databases/native-client-odbc-date-time/metadata-catalog and
-- https://learn.microsoft.com/sql/relational-databases/native-client/features/using-user-defined-types ("SQLColumns and SQLProcedureColumns")
CREATE SCHEMA app
GO
CREATE XML SCHEMA COLLECTION app.notes AS N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:int"/></xs:schema>'
GO
CREATE TABLE nt_t (i int, x xml(app.notes), d xml(DOCUMENT app.notes), u xml, h hierarchyid, g geometry, y geography)
GO
CREATE PROCEDURE nt_p @x xml(app.notes), @h hierarchyid OUTPUT, @i int AS RETURN 0
GO
CREATE TABLE #c (q sysname, o sysname, t sysname, c sysname, data_type smallint, type_name sysname, p int, l int, s smallint NULL, r smallint NULL, n smallint,
  remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint, sub smallint NULL, octets int NULL, ordinal int, nullable varchar(254),
  s1 smallint, s2 smallint, s3 smallint, s4 smallint, udt_catalog sysname NULL, udt_schema sysname NULL, udt_assembly nvarchar(4000) NULL,
  xml_catalog sysname NULL, xml_schema sysname NULL, xml_name sysname NULL, ss tinyint)
INSERT #c EXEC sp_columns_100 'nt_t', @ODBCVer = 3
SELECT c, type_name, CASE WHEN udt_catalog = DB_NAME() THEN 'here' END AS udt_catalog, udt_schema, udt_assembly,
  CASE WHEN xml_catalog = DB_NAME() THEN 'here' END AS xml_catalog, xml_schema, xml_name FROM #c ORDER BY ordinal
GO
CREATE TABLE #p (q sysname, o sysname, t nvarchar(134), c sysname, column_type smallint, data_type smallint, type_name sysname, p int, l int, s smallint NULL,
  r smallint NULL, n smallint, remarks varchar(254) NULL, def nvarchar(4000) NULL, sql_type smallint, sub smallint NULL, octets int NULL, ordinal int,
  nullable varchar(254), type_catalog sysname NULL, type_schema sysname NULL, udt_catalog sysname NULL, udt_schema sysname NULL,
  udt_assembly nvarchar(4000) NULL, xml_catalog sysname NULL, xml_schema sysname NULL, xml_name sysname NULL, ss tinyint)
INSERT #p EXEC sp_sproc_columns_100 'nt_p', @ODBCVer = 3
SELECT c, type_name, udt_schema, udt_assembly, xml_schema, xml_name FROM #p ORDER BY ordinal
GO
