-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-expression-dependencies-transact-sql: "column-level dependencies on
-- schema-bound entities". The expressions of a table are schema-bound: a row for each column that a CHECK, a computed column or the filter of an index
-- (class 7, INDEX) names, and one for the function that is called. A foreign key and an index without a filter have none.
CREATE FUNCTION dbo.enough (@quantity int) RETURNS varchar(10) AS BEGIN RETURN CASE WHEN @quantity >= 1 THEN 'TRUE' ELSE 'FALSE' END END
GO
CREATE SCHEMA depot
GO
CREATE TABLE depot.line (OrderID int, ProductID int, Quantity int, UnitPrice money,
  CONSTRAINT chk_id CHECK (OrderID <> ProductID), CONSTRAINT chk_quantity CHECK (dbo.enough(Quantity) = 'TRUE'),
  TotalValue AS (UnitPrice * Quantity), TotalValue2 AS (dbo.enough(Quantity)))
CREATE INDEX filtered ON depot.line (OrderID) WHERE ProductID = 1
CREATE INDEX plain ON depot.line (ProductID)
CREATE STATISTICS some_rows ON depot.line (Quantity) WHERE OrderID > 5
GO
SELECT OBJECT_NAME(referencing_id) AS referencing, referencing_minor_id AS minor, referencing_class AS class, referencing_class_desc, is_schema_bound_reference AS bound,
  referenced_schema_name, referenced_entity_name, OBJECT_NAME(referenced_id) AS referenced, referenced_minor_id, is_caller_dependent, is_ambiguous
FROM sys.sql_expression_dependencies ORDER BY 1, 2, 3, referenced_entity_name, referenced_minor_id
GO
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referenced-entities-transact-sql, "Returning column-level
-- dependencies": of a table, what its computed columns name.
CREATE TABLE dbo.Table1 (a int, b int, c AS a + b)
GO
SELECT referenced_schema_name AS schema_name, referenced_entity_name AS table_name, referenced_minor_name AS referenced_column,
  COALESCE(COL_NAME(OBJECT_ID(N'dbo.Table1'), referencing_minor_id), 'N/A') AS referencing_column_name
FROM sys.dm_sql_referenced_entities('dbo.Table1', 'OBJECT') ORDER BY referenced_minor_id
SELECT referencing_entity_name FROM sys.dm_sql_referencing_entities('dbo.enough', 'OBJECT') ORDER BY 1
-- INFORMATION_SCHEMA tells of the CHECKs alone.
SELECT CONSTRAINT_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE WHERE TABLE_NAME = 'line' ORDER BY 1, 2
GO
