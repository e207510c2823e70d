-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-indexes-transact-sql, and sys-index-columns-transact-sql: which
-- numbers there are. Which index gets which is not written anywhere; they are SQL Server 2025's: of one CREATE TABLE the inline indexes come
-- first, then its keys from the last one to the first, and columns of a clustered index in the table's order.
CREATE TABLE dbo.numbered (a int NOT NULL CONSTRAINT key_a UNIQUE, b int NOT NULL CONSTRAINT key_b PRIMARY KEY NONCLUSTERED, c int NOT NULL INDEX inline_c, d int NOT NULL CONSTRAINT key_d UNIQUE, INDEX inline_d (d))
CREATE TABLE dbo.ordered (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, CONSTRAINT key_ordered PRIMARY KEY CLUSTERED (c, a), CONSTRAINT unique_ordered UNIQUE (d, b))
CREATE TYPE dbo.numbered_type AS TABLE (k int PRIMARY KEY, u int UNIQUE, v nvarchar(10), INDEX inline_v (v))
ALTER TABLE dbo.numbered ADD CONSTRAINT key_later UNIQUE (a, b), CONSTRAINT key_last UNIQUE (b, c)
CREATE INDEX plain ON dbo.ordered (d DESC, b) INCLUDE (a)
GO
SELECT OBJECT_NAME(object_id) AS of_table, index_id, name FROM sys.indexes WHERE object_id IN (OBJECT_ID('dbo.numbered'), OBJECT_ID('dbo.ordered')) ORDER BY 1, 2
SELECT index_id, type_desc, is_primary_key, is_unique_constraint FROM sys.indexes
WHERE object_id = (SELECT type_table_object_id FROM sys.table_types WHERE name = 'numbered_type') ORDER BY index_id
SELECT i.name, COL_NAME(c.object_id, c.column_id) AS of_column, c.index_column_id, c.key_ordinal, c.is_included_column,
  (SELECT s.stats_column_id FROM sys.stats_columns s WHERE s.object_id = c.object_id AND s.stats_id = c.index_id AND s.column_id = c.column_id) AS stats_column_id
FROM sys.index_columns c JOIN sys.indexes i ON i.object_id = c.object_id AND i.index_id = c.index_id WHERE c.object_id = OBJECT_ID('dbo.ordered') ORDER BY c.index_id, c.index_column_id
GO
-- Inline indexes that are unique come behind those that are not, from the last one to the first.
CREATE TABLE dbo.inlined (a int, b int, c int, d int, INDEX unique_b UNIQUE (b), INDEX some_c UNIQUE (c) WHERE c > 7, INDEX of_a (a) INCLUDE (c) WITH (FILLFACTOR = 70), INDEX of_d (d))
SELECT index_id, name, is_unique, has_filter, filter_definition, fill_factor FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.inlined') ORDER BY index_id
GO
CREATE TABLE dbo.twice_clustered (a int, b int, INDEX one CLUSTERED (a), INDEX two CLUSTERED (b))
GO
