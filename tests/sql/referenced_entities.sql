-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referenced-entities-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referencing-entities-transact-sql
CREATE TABLE dbo.a (id int PRIMARY KEY, v int, w int)
CREATE TABLE dbo.b (id int PRIMARY KEY, v int)
CREATE TYPE dbo.k FROM int
GO
CREATE VIEW dbo.w AS SELECT a.id, b.v FROM dbo.a a JOIN dbo.b b ON b.id = a.id
GO
CREATE FUNCTION dbo.f (@x int) RETURNS TABLE AS RETURN (SELECT v FROM dbo.a WHERE id = @x)
GO
CREATE PROCEDURE dbo.p @i dbo.k AS
UPDATE dbo.a SET v = (SELECT MAX(v) FROM dbo.w) WHERE id = @i
INSERT dbo.b (id, v) SELECT id, w FROM dbo.a
SELECT v FROM dbo.f(1)
EXEC q
SELECT * FROM dbo.missing
GO
CREATE TRIGGER dbo.g ON dbo.b AFTER INSERT AS DELETE dbo.a WHERE id IN (SELECT id FROM inserted)
GO
SELECT referenced_schema_name AS s, referenced_entity_name AS entity, referenced_minor_name AS minor, referenced_class_desc AS class, is_selected AS sel, is_updated AS upd,
  is_caller_dependent AS cd, is_all_columns_found AS found, is_incomplete AS inc
FROM sys.dm_sql_referenced_entities('dbo.p', 'OBJECT') ORDER BY referenced_class, referenced_entity_name, referenced_minor_id
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor, is_selected AS sel FROM sys.dm_sql_referenced_entities('dbo.w', 'OBJECT') ORDER BY 1, referenced_minor_id
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor, is_selected AS sel FROM sys.dm_sql_referenced_entities('dbo.f', 'OBJECT') ORDER BY 1, referenced_minor_id
SELECT referenced_entity_name AS entity, referenced_minor_name AS minor, is_selected AS sel, is_updated AS upd FROM sys.dm_sql_referenced_entities('dbo.g', 'OBJECT') ORDER BY 1, referenced_minor_id
SELECT referencing_schema_name AS s, referencing_entity_name AS entity, referencing_class_desc AS class, is_caller_dependent AS cd FROM sys.dm_sql_referencing_entities('dbo.a', 'OBJECT') ORDER BY entity
SELECT referencing_entity_name AS entity FROM sys.dm_sql_referencing_entities('dbo.k', 'TYPE')
SELECT COUNT(*) AS none FROM sys.dm_sql_referencing_entities('dbo.nothing', 'OBJECT')
GO
