-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-expression-dependencies-transact-sql: a module refers as a
-- whole (referencing_minor_id 0), to columns by their ids, and what binds definitions says so.
create table dependency_rows (id int not null, word varchar(10), number int);
go
create view dependency_view with schemabinding as select word, id from dbo.dependency_rows where number > 1;
go
create function dependency_function (@id int) returns int with schemabinding as begin return (select count(*) from dbo.dependency_view where id = @id) end;
go
select object_name(referencing_id) as who, referencing_minor_id, referencing_class_desc, is_schema_bound_reference, referenced_schema_name,
  referenced_entity_name, object_name(referenced_id) as whom, col_name(referenced_id, nullif(referenced_minor_id, 0)) as what, is_caller_dependent, is_ambiguous
from sys.sql_expression_dependencies where object_name(referencing_id) like 'dependency%' order by who, what;
select object_name(object_id) as who, column_id, class, class_desc, object_name(referenced_major_id) as whom, referenced_minor_id
from sys.sql_dependencies where object_name(object_id) like 'dependency%' order by who, referenced_minor_id;
-- Each table of a view once: https://learn.microsoft.com/sql/relational-databases/system-information-schema-views/view-table-usage-transact-sql
select view_name, table_name from information_schema.view_table_usage order by view_name;
select view_name, table_name, column_name from information_schema.view_column_usage order by column_name;
go
GO
-- CHECK, DEFAULT and computed columns are bound to the functions that they call; of a computed column it is the table that says so.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-expression-dependencies-transact-sql
CREATE FUNCTION dbo.called(@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
CREATE TABLE dbo.calling (a int, b AS dbo.called(a), c int CONSTRAINT df_calling DEFAULT dbo.called(3), d AS a + 1,
  CONSTRAINT ck_calling CHECK (dbo.called(a) > dbo.called(1)), CONSTRAINT ck_plain CHECK (a > 0))
GO
SELECT OBJECT_NAME(referencing_id) AS referencing, referencing_minor_id AS minor, referencing_class_desc, is_schema_bound_reference AS bound,
  referenced_schema_name, referenced_entity_name, is_caller_dependent AS caller, is_ambiguous AS ambiguous,
  CASE referenced_id WHEN OBJECT_ID('dbo.called') THEN 'that function' END AS referenced
FROM sys.sql_expression_dependencies WHERE referenced_entity_name = 'called' ORDER BY 1, 2
SELECT referencing_schema_name, referencing_entity_name, referencing_class_desc FROM sys.dm_sql_referencing_entities('dbo.called', 'OBJECT')
ORDER BY 2
EXEC sp_depends 'dbo.called'
GO
DROP TABLE dbo.calling
SELECT COUNT(*) AS dependencies FROM sys.sql_expression_dependencies WHERE referenced_entity_name = 'called'
DROP FUNCTION dbo.called
