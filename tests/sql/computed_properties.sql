-- What COLUMNPROPERTY tells of a computed column's definition, persisted or not.
-- https://learn.microsoft.com/sql/t-sql/functions/columnproperty-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/indexes/indexes-on-computed-columns
CREATE FUNCTION dbo.bound(@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a + 1 END
GO
CREATE FUNCTION dbo.free(@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
CREATE TABLE dbo.computed (
  a int NOT NULL, f float NOT NULL, s varchar(30) NOT NULL,
  c_plain AS a * 2, c_kept AS a * 2 PERSISTED, c_float AS f * 2, c_float_kept AS f * 2 PERSISTED, c_rounded AS CONVERT(int, f),
  c_now AS GETDATE(), c_text AS CONVERT(datetime, s), c_styled AS CONVERT(datetime, s, 120),
  c_weekday AS DATEPART(weekday, CONVERT(date, '20200101', 112)), c_bound AS dbo.bound(a), c_free AS dbo.free(a),
  c_long AS CONVERT(varchar(max), s), c_xml AS CONVERT(xml, s), c_null AS NULLIF(a, 1))
GO
SELECT name, COLUMNPROPERTY(object_id, name, 'IsComputed') AS computed, COLUMNPROPERTY(object_id, name, 'IsDeterministic') AS deterministic,
  COLUMNPROPERTY(object_id, name, 'IsPrecise') AS precise, COLUMNPROPERTY(object_id, name, 'IsIndexable') AS indexable,
  COLUMNPROPERTY(object_id, name, 'IsPersisted') AS persisted
FROM sys.columns WHERE object_id = OBJECT_ID('dbo.computed') ORDER BY column_id
GO
-- What is said to be fit for an index is.
CREATE INDEX ix_plain ON dbo.computed (c_plain)
CREATE INDEX ix_float_kept ON dbo.computed (c_float_kept)
CREATE INDEX ix_bound ON dbo.computed (c_bound)
GO
CREATE INDEX ix_float ON dbo.computed (c_float)
GO
CREATE INDEX ix_now ON dbo.computed (c_now)
GO
CREATE INDEX ix_free ON dbo.computed (c_free)
