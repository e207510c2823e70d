-- https://learn.microsoft.com/sql/t-sql/functions/columnproperty-transact-sql and objectproperty-transact-sql: "NULL = Input isn't valid". For
-- which object or column each property is one, the pages leave open; these are SQL Server 2025's.
CREATE TABLE dbo.t (id int IDENTITY CONSTRAINT key_t PRIMARY KEY, n nvarchar(20), d decimal(10, 3) NOT NULL, f float, r real, x xml, doc varbinary(max), ext char(4), b binary(6), tm time(3), dto datetimeoffset(4),
  tx text, im image, v sql_variant, g uniqueidentifier ROWGUIDCOL, u int CONSTRAINT unique_t UNIQUE, c int CONSTRAINT check_t CHECK (c > 0), e int CONSTRAINT default_t DEFAULT 1, computed AS GETDATE())
GO
CREATE VIEW dbo.v AS SELECT id, n, d FROM dbo.t
GO
CREATE VIEW dbo.bound WITH SCHEMABINDING AS SELECT id, f FROM dbo.t
GO
CREATE PROCEDURE dbo.p @a int, @b varchar(10) OUTPUT, @c CURSOR VARYING OUTPUT AS SELECT 1 AS one
GO
CREATE FUNCTION dbo.f(@a int, @b decimal(5, 2)) RETURNS decimal(7, 2) AS BEGIN RETURN @a + @b END
GO
CREATE FUNCTION dbo.rows_of(@a int) RETURNS @r TABLE (k int NOT NULL, z varchar(5)) AS BEGIN RETURN END
GO
SELECT name, COLUMNPROPERTY(object_id, name, 'Precision') AS prec, COLUMNPROPERTY(object_id, name, 'Scale') AS scale, COLUMNPROPERTY(object_id, name, 'CharMaxLen') AS longest,
  COLUMNPROPERTY(object_id, name, 'UsesAnsiTrim') AS trims, COLUMNPROPERTY(object_id, name, 'IsIndexable') AS indexable, COLUMNPROPERTY(object_id, name, 'IsXmlIndexable') AS xml_indexable,
  COLUMNPROPERTY(object_id, name, 'IsDeterministic') AS deterministic
FROM sys.columns WHERE object_id = OBJECT_ID('dbo.t') ORDER BY column_id
SELECT o, c, COLUMNPROPERTY(OBJECT_ID(o), c, 'AllowsNull') AS nulls, COLUMNPROPERTY(OBJECT_ID(o), c, 'IsIndexable') AS indexable, COLUMNPROPERTY(OBJECT_ID(o), c, 'IsXmlIndexable') AS xml_indexable,
  COLUMNPROPERTY(OBJECT_ID(o), c, 'UserDataAccess') AS access, COLUMNPROPERTY(OBJECT_ID(o), c, 'IsIdentity') AS is_identity, COLUMNPROPERTY(OBJECT_ID(o), c, 'UsesAnsiTrim') AS trims,
  COLUMNPROPERTY(OBJECT_ID(o), c, 'ColumnId') AS number, COLUMNPROPERTY(OBJECT_ID(o), c, 'IsOutParam') AS is_output, COLUMNPROPERTY(OBJECT_ID(o), c, 'IsCursorType') AS is_cursor, COLUMNPROPERTY(OBJECT_ID(o), c, 'Precision') AS prec
FROM (VALUES ('v', 'id'), ('v', 'd'), ('rows_of', 'k'), ('rows_of', 'z'), ('rows_of', '@a'), ('p', '@b'), ('p', '@c'), ('f', ''), ('f', '@b')) AS asked (o, c)
SELECT o, OBJECTPROPERTY(OBJECT_ID(o), 'TableHasPrimaryKey') AS has_key, OBJECTPROPERTY(OBJECT_ID(o), 'IsQuotedIdentOn') AS quoted, OBJECTPROPERTY(OBJECT_ID(o), 'IsAnsiNullsOn') AS ansi_nulls,
  OBJECTPROPERTY(OBJECT_ID(o), 'IsSchemaBound') AS bound, OBJECTPROPERTY(OBJECT_ID(o), 'IsEncrypted') AS encrypted, OBJECTPROPERTY(OBJECT_ID(o), 'IsDeterministic') AS deterministic,
  OBJECTPROPERTYEX(OBJECT_ID(o), 'IsPrecise') AS precise, OBJECTPROPERTYEX(OBJECT_ID(o), 'SystemDataAccess') AS system_access,
  OBJECTPROPERTY(OBJECT_ID(o), 'ExecIsQuotedIdentOn') AS exec_quoted, OBJECTPROPERTY(OBJECT_ID(o), 'IsTable') AS is_table
FROM (VALUES ('t'), ('v'), ('bound'), ('p'), ('f'), ('key_t'), ('unique_t'), ('check_t'), ('default_t')) AS asked (o)
-- OBJECTPROPERTYEX alone has these.
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.t'), 'Cardinality') AS cardinality, OBJECTPROPERTY(OBJECT_ID('dbo.t'), 'BaseType') AS base, OBJECTPROPERTYEX(OBJECT_ID('dbo.t'), 'Cardinality') AS of_ex, OBJECTPROPERTYEX(OBJECT_ID('dbo.t'), 'BaseType') AS base_of_ex
GO
