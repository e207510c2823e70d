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
