-- The procedures behind OLE DB's schema rowsets, as MSOLEDBSQL calls them: each rowset's columns, and what they say of every kind of column.
-- https://learn.microsoft.com/previous-versions/windows/desktop/ms712921(v=vs.85)
-- https://learn.microsoft.com/sql/connect/oledb/ole-db-data-types/data-type-mapping-in-rowsets-and-parameters
-- https://learn.microsoft.com/sql/connect/oledb/ole-db-date-time/metadata-date-and-time-and-schema-rowsets
CREATE SCHEMA ole
GO
CREATE TYPE ole.phone FROM varchar(20)
CREATE TYPE ole.ids AS TABLE (id int NOT NULL PRIMARY KEY)
GO
CREATE TABLE ole.parent (a int CONSTRAINT pk_parent PRIMARY KEY, b nvarchar(10) NOT NULL CONSTRAINT uq_parent UNIQUE)
CREATE TABLE ole.every (i int IDENTITY CONSTRAINT pk_every PRIMARY KEY, n numeric(12,3) NOT NULL, f float, r real, m money, t tinyint, b bit, c char(5) NOT NULL,
  v varchar(20) DEFAULT 'x', l nvarchar(max), x xml, g uniqueidentifier, d date, ti time(3), dt datetime, d2 datetime2(5), o datetimeoffset, s smalldatetime,
  rv rowversion, y AS i + 1, p ole.phone, va sql_variant, bi varbinary(8), sp int SPARSE,
  a int CONSTRAINT fk_every REFERENCES ole.parent(a) ON DELETE CASCADE, CONSTRAINT ck_every CHECK (t > 1))
CREATE INDEX ix_every ON ole.every(n DESC, t) WHERE t > 5
GO
CREATE VIEW ole.v AS SELECT a FROM ole.parent WITH CHECK OPTION
GO
CREATE PROCEDURE ole.p @a int, @t ole.ids READONLY, @d time(2) OUTPUT AS RETURN 3
GO
CREATE TABLE #r (cat sysname, sch sysname, tab sysname, kind nvarchar(30), guid uniqueidentifier, des nvarchar(1), prop int, made datetime, changed datetime)
INSERT #r EXEC sp_tables_rowset2 N'ole'
SELECT sch, tab, kind, IIF(made IS NULL, 'no', 'made') AS made FROM #r
TRUNCATE TABLE #r
INSERT #r EXEC sys.sp_tables_rowset N'every', N'ole', N'VIEW'
SELECT COUNT(*) AS views_of_that_name FROM #r
DROP TABLE #r
GO
CREATE TABLE #c (cat sysname, sch sysname, tab sysname, col sysname, guid uniqueidentifier NULL, prop int NULL, position int, has bit, def nvarchar(2000) NULL,
  flags int, nullable bit, dbtype smallint, tguid uniqueidentifier NULL, chars int NULL, octets int NULL, prec smallint NULL, scale smallint NULL, frac int NULL,
  c1 sysname NULL, c2 sysname NULL, c3 sysname NULL, c4 sysname NULL, c5 sysname NULL, coll sysname NULL, d1 sysname NULL, d2 sysname NULL, d3 sysname NULL,
  des nvarchar(1) NULL, lcid int NULL, comp int NULL, sort int NULL, tds binary(5) NULL, computed bit, x1 sysname NULL, x2 sysname NULL, x3 sysname NULL,
  u1 sysname NULL, u2 sysname NULL, u3 sysname NULL, u4 nvarchar(4000) NULL, sparse bit, cset bit)
INSERT #c EXEC sys.sp_columns_100_rowset N'every', N'ole'
SELECT col, position, has, def, flags, nullable, dbtype, chars, octets, prec, scale, frac, d2, d3, computed, sparse FROM #c ORDER BY position
DROP TABLE #c
GO
EXEC sp_columns_rowset N'every', N'ole', N'ti'
EXEC sp_columns_90_rowset N'every', N'ole', N'x'
EXEC sp_indexes_100_rowset N'every', NULL, N'ole'
EXEC sp_primary_keys_rowset2 N'ole'
EXEC sp_foreign_keys_rowset2 N'every', N'ole'
EXEC sp_schemata_rowset N'ole'
EXEC sp_catalogs_rowset N'msdb'
EXEC sp_procedure_params_100_rowset N'p', 1, N'ole', NULL
EXEC sp_procedure_params_rowset2 N'ole', N'@d'
EXEC sp_provider_types_100_rowset
EXEC sp_statistics_rowset N'every', N'ole'
EXEC sp_table_privileges_rowset N'parent', N'ole'
EXEC sp_column_privileges_rowset N'parent', N'ole', N'a'
EXEC sp_table_constraints_rowset N'every', N'ole'
EXEC sp_check_constraints_rowset N'ck_every', N'ole'
EXEC sp_tables_info_90_rowset2_64 N'ole', N'TABLE'
EXEC sp_linkedservers_rowset2
EXEC sp_oledb_ro_usrname
GO
DROP PROCEDURE ole.p
DROP VIEW ole.v
DROP TABLE ole.every, ole.parent
DROP TYPE ole.ids
DROP TYPE ole.phone
DROP SCHEMA ole
