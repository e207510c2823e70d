-- What functions and views say of themselves; one that is not schema-bound may read anything, and one that reads tables is not the same at any time.
-- https://learn.microsoft.com/sql/t-sql/functions/objectpropertyex-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/user-defined-functions/deterministic-and-nondeterministic-functions
CREATE TABLE dbo.nature_rows (id int, number int, part float)
GO
CREATE FUNCTION dbo.nature_free (@a int) RETURNS int AS BEGIN RETURN @a * 2 END
GO
CREATE FUNCTION dbo.nature_bound (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN DECLARE @b int = @a IF @b > 1 SET @b += 1 RETURN @b * 2 END
GO
CREATE FUNCTION dbo.nature_float (@a float) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a * 2 END
GO
CREATE FUNCTION dbo.nature_clock () RETURNS datetime WITH SCHEMABINDING AS BEGIN RETURN GETDATE() END
GO
CREATE FUNCTION dbo.nature_niladic () RETURNS datetime WITH SCHEMABINDING AS BEGIN RETURN CURRENT_TIMESTAMP END
GO
CREATE FUNCTION dbo.nature_global () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @@SPID END
GO
CREATE FUNCTION dbo.nature_text (@d datetime) RETURNS varchar(30) WITH SCHEMABINDING AS BEGIN RETURN CONVERT(varchar(30), @d) END
GO
CREATE FUNCTION dbo.nature_style (@d datetime) RETURNS varchar(30) WITH SCHEMABINDING AS BEGIN RETURN CONVERT(varchar(30), @d, 126) END
GO
CREATE FUNCTION dbo.nature_calls (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN dbo.nature_bound(@a) END
GO
CREATE FUNCTION dbo.nature_calls_clock () RETURNS datetime WITH SCHEMABINDING AS BEGIN RETURN dbo.nature_clock() END
GO
CREATE FUNCTION dbo.nature_reads (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(number) FROM dbo.nature_rows WHERE id = @a) END
GO
CREATE FUNCTION dbo.nature_inline (@a int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT @a + 1 AS one
GO
CREATE FUNCTION dbo.nature_inline_clock () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT CURRENT_TIMESTAMP AS one
GO
CREATE FUNCTION dbo.nature_variable (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN
  DECLARE @t TABLE (a int) INSERT @t VALUES (@a), (3) RETURN (SELECT MAX(a) FROM @t) END
GO
CREATE VIEW dbo.nature_view WITH SCHEMABINDING AS SELECT id, number + 1 AS next FROM dbo.nature_rows
GO
CREATE VIEW dbo.nature_view_float WITH SCHEMABINDING AS SELECT part FROM dbo.nature_rows
GO
CREATE VIEW dbo.nature_view_free AS SELECT id FROM dbo.nature_rows
GO
SELECT o.name, o.type, OBJECTPROPERTY(o.object_id, 'IsDeterministic') AS deterministic, OBJECTPROPERTYEX(o.object_id, 'IsPrecise') AS precise,
  OBJECTPROPERTYEX(o.object_id, 'IsSystemVerified') AS verified, OBJECTPROPERTYEX(o.object_id, 'UserDataAccess') AS user_data,
  OBJECTPROPERTYEX(o.object_id, 'SystemDataAccess') AS system_data
FROM sys.objects o WHERE o.name LIKE 'nature%' AND o.type <> 'U' ORDER BY o.name
SELECT ROUTINE_NAME, IS_DETERMINISTIC, SQL_DATA_ACCESS FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME IN ('nature_bound', 'nature_clock', 'nature_free') ORDER BY 1
GO
-- What a stored or indexed column keeps has to be the same whenever it is computed, so also of a function that calls such a one, or reads tables:
-- 4934, 4936, 2709, 2729.
CREATE TABLE dbo.nature_kept (a int, b AS dbo.nature_clock() PERSISTED)
GO
CREATE TABLE dbo.nature_kept (a int, b AS dbo.nature_calls_clock() PERSISTED)
GO
CREATE TABLE dbo.nature_kept (a int, b AS dbo.nature_reads(a) PERSISTED)
GO
CREATE TABLE dbo.nature_kept (a int, b AS dbo.nature_free(a) PERSISTED)
GO
CREATE TABLE dbo.nature_kept (a int, b AS dbo.nature_calls(a) PERSISTED, c AS dbo.nature_reads(a), d AS dbo.nature_clock())
INSERT dbo.nature_kept (a) VALUES (1), (2)
SELECT a, b FROM dbo.nature_kept ORDER BY a
SELECT name, COLUMNPROPERTY(object_id, name, 'IsDeterministic') AS deterministic, COLUMNPROPERTY(object_id, name, 'UserDataAccess') AS user_data,
  COLUMNPROPERTY(object_id, name, 'IsSystemVerified') AS verified
FROM sys.columns WHERE object_id = OBJECT_ID('dbo.nature_kept') ORDER BY column_id
GO
CREATE INDEX nature_read ON dbo.nature_kept (c)
GO
CREATE INDEX nature_now ON dbo.nature_kept (d)
GO
CREATE INDEX nature_is_kept ON dbo.nature_kept (b)
GO
