-- What modules without SCHEMABINDING read and change, column by column:
-- https://learn.microsoft.com/sql/relational-databases/system-information-schema-views/view-column-usage-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-dependencies-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-depends-transact-sql
CREATE TABLE dbo.uses_rows (id int CONSTRAINT uses_key PRIMARY KEY, word nvarchar(20), number int, other int)
CREATE TABLE dbo.uses_log (id int, word nvarchar(20))
CREATE SYNONYM dbo.uses_name FOR dbo.uses_log
GO
CREATE VIEW dbo.uses_view AS SELECT r.word, r.number * 2 AS twice FROM dbo.uses_rows r WHERE r.id > 0
GO
CREATE VIEW dbo.uses_view_of AS SELECT v.twice, l.id FROM dbo.uses_view v JOIN dbo.uses_log l ON l.word = v.word
GO
CREATE VIEW dbo.uses_count AS SELECT COUNT(*) AS many FROM dbo.uses_rows
GO
CREATE VIEW dbo.uses_synonym AS SELECT id FROM dbo.uses_name
GO
CREATE VIEW dbo.uses_bound WITH SCHEMABINDING AS SELECT word FROM dbo.uses_rows WHERE number > 1
GO
CREATE FUNCTION dbo.uses_twice (@a int) RETURNS int AS BEGIN RETURN @a * 2 END
GO
CREATE FUNCTION dbo.uses_table (@a int) RETURNS TABLE AS RETURN SELECT word FROM dbo.uses_rows WHERE id = @a
GO
CREATE PROCEDURE dbo.uses_called AS SELECT 1 AS one
GO
CREATE PROCEDURE dbo.uses_change @id int AS
UPDATE dbo.uses_rows SET word = N'x', number += 1 WHERE id = @id
INSERT dbo.uses_log (id) SELECT f.word + 1 FROM dbo.uses_table(dbo.uses_twice(@id)) f
EXEC dbo.uses_called
GO
CREATE TRIGGER dbo.uses_trigger ON dbo.uses_rows AFTER INSERT AS INSERT dbo.uses_log (id, word) SELECT id, word FROM inserted
GO
SELECT VIEW_SCHEMA, VIEW_NAME, TABLE_SCHEMA, TABLE_NAME FROM INFORMATION_SCHEMA.VIEW_TABLE_USAGE WHERE VIEW_NAME LIKE 'uses%' ORDER BY 2, 4
SELECT VIEW_NAME, TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.VIEW_COLUMN_USAGE WHERE VIEW_NAME LIKE 'uses%' ORDER BY 1, 2, 3
SELECT class, class_desc, OBJECT_NAME(object_id) AS module, OBJECT_NAME(referenced_major_id) AS used, COL_NAME(referenced_major_id, referenced_minor_id) AS part,
  is_selected, is_updated
FROM sys.sql_dependencies WHERE OBJECT_NAME(object_id) LIKE 'uses%' ORDER BY 3, 4, 5
SELECT OBJECT_NAME(id) AS module, OBJECT_NAME(depid) AS used, depnumber, deptype, resultobj, readobj FROM sys.sysdepends
WHERE id = OBJECT_ID('dbo.uses_change') ORDER BY 2, 3
GO
EXEC sp_depends 'dbo.uses_change'
EXEC sp_depends 'dbo.uses_rows'
EXEC sp_depends 'dbo.uses_view_of'
GO
-- One that names what is gone has no rows; the others stay.
DROP TABLE dbo.uses_log
SELECT VIEW_NAME, TABLE_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.VIEW_COLUMN_USAGE WHERE VIEW_NAME IN ('uses_view_of', 'uses_view') ORDER BY 1, 2, 3
GO
