-- What the catalog tells of tables, keys, modules and their parts, by views and by functions.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/object-catalog-views-transact-sql
CREATE TABLE makers (number int IDENTITY(100,20) NOT NULL CONSTRAINT makers_key PRIMARY KEY NONCLUSTERED, name nvarchar(30) NOT NULL
  CONSTRAINT makers_name UNIQUE CLUSTERED, story varchar(max) NULL, weight numeric(11,3) NULL, twice AS number * 2)
CREATE TABLE parts (number int NOT NULL, maker int NULL CONSTRAINT parts_maker REFERENCES makers (number) ON DELETE CASCADE,
  size smallint NULL CONSTRAINT parts_size DEFAULT 3 CONSTRAINT parts_sized CHECK (size >= 1))
CREATE INDEX parts_by_size ON parts (size DESC, maker) INCLUDE (number) WHERE size IS NOT NULL
GO
CREATE VIEW sized AS SELECT number, size FROM parts WHERE size > 2 WITH CHECK OPTION
GO
CREATE PROCEDURE find_part @number int = 8, @size smallint OUTPUT, @note varchar(max) = NULL AS SELECT @size = size FROM parts WHERE number = @number
GO
CREATE FUNCTION half (@of int, @text nchar(4) = N'none') RETURNS decimal(9,1) AS BEGIN RETURN @of / 2 END
GO
CREATE TRIGGER part_added ON parts AFTER INSERT AS SET NOCOUNT ON
GO
INSERT makers (name) VALUES (N'first'), (N'second')
GO
SELECT OBJECTPROPERTY(OBJECT_ID('makers'), 'IsTable') AS is_table, OBJECTPROPERTY(OBJECT_ID('makers'), 'TableHasIdentity') AS has_identity,
  OBJECTPROPERTY(OBJECT_ID('makers'), 'TableHasClustIndex') AS has_clustered, OBJECTPROPERTY(OBJECT_ID('makers'), 'TableHasForeignRef') AS referenced,
  OBJECTPROPERTY(OBJECT_ID('makers'), 'IsPrimaryKey') AS no_key, OBJECTPROPERTY(OBJECT_ID('makers_key'), 'IsPrimaryKey') AS a_key,
  OBJECTPROPERTY(OBJECT_ID('makers_name'), 'IsConstraint') AS is_constraint, OBJECTPROPERTY(OBJECT_ID('sized'), 'IsView') AS is_view,
  OBJECTPROPERTY(OBJECT_ID('half'), 'IsScalarFunction') AS is_function, OBJECTPROPERTY(OBJECT_ID('part_added'), 'IsTrigger') AS is_trigger,
  OBJECTPROPERTY(OBJECT_ID('makers'), 'nothing') AS no_property, OBJECTPROPERTY(77, 'IsTable') AS no_object
GO
SELECT COLUMNPROPERTY(OBJECT_ID('makers'), 'number', 'IsIdentity') AS is_identity, COLUMNPROPERTY(OBJECT_ID('makers'), 'twice', 'IsComputed') AS computed,
  COLUMNPROPERTY(OBJECT_ID('makers'), 'name', 'Precision') AS length, COLUMNPROPERTY(OBJECT_ID('makers'), 'weight', 'Scale') AS scale,
  COLUMNPROPERTY(OBJECT_ID('makers'), 'story', 'AllowsNull') AS nullable, COLUMNPROPERTY(OBJECT_ID('makers'), 'none', 'AllowsNull') AS no_column,
  COLUMNPROPERTY(OBJECT_ID('makers'), 'number', 'nothing') AS no_property, COL_LENGTH('makers', 'name') AS bytes, COL_LENGTH('makers', 'story') AS of_max,
  COL_LENGTH('makers', 'weight') AS of_numeric, COL_NAME(OBJECT_ID('makers'), 3) AS third, COL_NAME(OBJECT_ID('makers'), 33) AS none
GO
SELECT INDEXPROPERTY(OBJECT_ID('parts'), 'parts_by_size', 'IndexID') AS id, INDEXPROPERTY(OBJECT_ID('parts'), 'parts_by_size', 'IsClustered') AS is_clustered,
  INDEXPROPERTY(OBJECT_ID('makers'), 'makers_name', 'IsUnique') AS is_unique, INDEXPROPERTY(OBJECT_ID('parts'), 'none', 'IsUnique') AS no_index,
  IDENT_SEED('makers') AS seed, IDENT_INCR('makers') AS step, IDENT_CURRENT('makers') AS reached, IDENT_CURRENT('parts') AS no_identity
GO
SELECT OBJECT_ID('makers', 'V') AS no_view, OBJECT_ID(' makers') AS blank_before, IIF(OBJECT_ID('makers', 'U ') = OBJECT_ID('[dbo].[MAKERS]'), 1, 0) AS same,
  OBJECT_ID('a.b.c.makers') AS of_a_server, IIF(OBJECT_ID('makers_key', 'PK') > 0, 1, 0) AS key_id, OBJECT_SCHEMA_NAME(OBJECT_ID('half')) AS its_schema,
  OBJECT_DEFINITION(OBJECT_ID('makers')) AS no_text, TYPE_NAME(TYPE_ID('smallint')) AS its_type, TYPE_NAME(8888) AS no_type
GO
SELECT name, index_id, type_desc, is_unique, is_primary_key, is_unique_constraint, fill_factor, has_filter, filter_definition FROM sys.indexes
  WHERE object_id IN (OBJECT_ID('makers'), OBJECT_ID('parts')) ORDER BY object_id, index_id
SELECT c.index_id, c.index_column_id, COL_NAME(c.object_id, c.column_id) AS col, c.key_ordinal, c.is_descending_key, c.is_included_column
  FROM sys.index_columns AS c WHERE c.object_id IN (OBJECT_ID('makers'), OBJECT_ID('parts')) ORDER BY c.object_id, c.index_id, c.index_column_id
SELECT name, type, unique_index_id FROM sys.key_constraints ORDER BY name
GO
SELECT name, key_index_id, is_disabled, is_not_trusted, delete_referential_action_desc, update_referential_action, is_system_named FROM sys.foreign_keys
SELECT name, parent_column_id, definition, is_not_trusted, is_system_named FROM sys.check_constraints
SELECT CONSTRAINT_NAME, UNIQUE_CONSTRAINT_NAME, MATCH_OPTION, UPDATE_RULE, DELETE_RULE FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS
GO
SELECT name, max_column_id_used, lob_data_space_id, uses_ansi_nulls, lock_escalation_desc, durability_desc, temporal_type_desc FROM sys.tables ORDER BY name
SELECT name, column_id, system_type_id, max_length, precision, scale, IIF(collation_name IS NULL, 0, 1) AS collated, is_nullable, is_ansi_padded, is_identity, is_computed
  FROM sys.columns WHERE object_id = OBJECT_ID('makers') ORDER BY column_id
SELECT name, with_check_option FROM sys.views
SELECT TABLE_NAME, VIEW_DEFINITION, CHECK_OPTION, IS_UPDATABLE FROM INFORMATION_SCHEMA.VIEWS
GO
SELECT OBJECT_NAME(object_id) AS module, name, parameter_id, system_type_id, max_length, precision, scale, is_output, has_default_value, default_value, is_nullable
  FROM sys.parameters WHERE object_id IN (OBJECT_ID('find_part'), OBJECT_ID('half')) ORDER BY module, parameter_id
SELECT ROUTINE_NAME, ROUTINE_TYPE, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, ROUTINE_BODY, IS_DETERMINISTIC, SQL_DATA_ACCESS, IS_NULL_CALL, SCHEMA_LEVEL_ROUTINE,
  MAX_DYNAMIC_RESULT_SETS FROM INFORMATION_SCHEMA.ROUTINES ORDER BY ROUTINE_NAME
SELECT OBJECT_NAME(object_id) AS module, uses_ansi_nulls, is_schema_bound, null_on_null_input FROM sys.sql_modules ORDER BY module
SELECT name, OBJECT_NAME(parent_id) AS parent, type, type_desc, is_disabled, is_instead_of_trigger FROM sys.triggers
GO
CREATE TABLE quite_a_long_name (a_long_column int DEFAULT 1, k int DEFAULT 2 CHECK (k > 0), maker int REFERENCES makers (number), CHECK (a_long_column > k))
GO
SELECT type, LEFT(name, LEN(name) - 8) AS made, LEN(name) AS length FROM sys.objects WHERE parent_object_id = OBJECT_ID('quite_a_long_name') ORDER BY type, made
GO
SELECT name, is_nullable, definition, is_persisted FROM sys.computed_columns ORDER BY name
GO
CREATE TABLE worked (a int NOT NULL, b int NULL, t varchar(5) NULL, sum_of AS a + b, cast_of AS CAST(a AS bigint), negative AS -a, own AS a, constant AS 7,
  filled AS ISNULL(b, 0), first_of AS COALESCE(b, 0), chosen AS CASE WHEN a > 2 THEN a ELSE 0 END, divided AS a / 3, lower_of AS LOWER(t), joined AS t + 'z',
  kept AS ISNULL(b, a) PERSISTED NOT NULL)
GO
SELECT name, system_type_id, max_length, precision, scale, is_nullable, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('worked') ORDER BY column_id
GO
-- A default stands against another type, and against a value without a limit.
CREATE TABLE defaulted (t varchar(9) NULL CONSTRAINT defaulted_t DEFAULT 'x', n decimal(6,2) NULL CONSTRAINT defaulted_n DEFAULT 2)
ALTER TABLE defaulted ALTER COLUMN t varchar(30) NOT NULL
ALTER TABLE defaulted ALTER COLUMN n decimal(8,3) NULL
GO
ALTER TABLE defaulted ALTER COLUMN t varchar(max) NULL
GO
ALTER TABLE defaulted ALTER COLUMN t nvarchar(30) NULL
GO
SELECT SCHEMA_NAME(7777) AS no_schema, ODBCSCALE(40, 0) AS of_date, ODBCSCALE(60, 3) AS of_money, ODBCSCALE(56, 2) AS of_int, ODBCSCALE(62, 2) AS of_float
GO
SELECT ODBCSCALE(106, 256) AS too_large
GO
