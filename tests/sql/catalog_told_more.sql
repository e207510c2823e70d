-- What the catalog tells of columns, types, table types, identities, sequences, parameters and computed columns of every kind.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/object-catalog-views-transact-sql
create type dbo.al from nvarchar(50) not null;
create type dbo.tt as table (id int not null primary key, s varchar(10) collate Latin1_General_BIN2 null, c as id * 2, d int default 5);
go
create table dbo.lob_vmax (a varchar(max)); create table dbo.lob_text (a text); create table dbo.lob_xml (a xml); create table dbo.lob_geo (a geography);
create table dbo.lob_none (a varchar(8000), h hierarchyid, v sql_variant);
create table dbo.cols (i int not null, s sysname, t time(0), t3 time(3), dt2 datetime2(0), dt27 datetime2, dto datetimeoffset(0), dto7 datetimeoffset, f float(24), f53 float, n numeric(38,10), m smallmoney, x xml, tx text, nt ntext, im image, v sql_variant, h hierarchyid, g geometry, rv rowversion, al dbo.al, b binary(7), vb varbinary(max), bi bit, ug uniqueidentifier rowguidcol, c char(3) null, sp int sparse, d date, nc nchar(4));
go
-- 1 lob_data_space_id: max, text, xml, geography 1; others 0
select name, lob_data_space_id, max_column_id_used from sys.tables where name like 'lob%' order by name;
-- 2 columns: precision of time 8/12, datetime2 19/27, datetimeoffset 26/34; real 24; sysname 256
select name, system_type_id st, user_type_id ut, max_length ml, precision p, scale s, is_nullable n, is_ansi_padded ap, collation_name, is_rowguidcol rg, is_sparse sp from sys.columns where object_id = object_id('dbo.cols') order by column_id;
-- 3 types
select name, system_type_id, user_type_id, schema_id, max_length, precision, scale, collation_name, is_nullable, is_user_defined, is_assembly_type, default_object_id, rule_object_id, is_table_type from sys.types order by user_type_id;
-- 4 table_types
select name, system_type_id, max_length, precision, scale, collation_name, is_nullable, is_user_defined, is_assembly_type, is_table_type, principal_id, is_memory_optimized from sys.table_types;
-- 5 TT row in sys.objects
select o.type, o.type_desc, schema_name(o.schema_id) s, o.is_ms_shipped, o.parent_object_id, case when o.name = 'TT_tt_' + convert(varchar(8), convert(binary(4), o.object_id), 2) then 1 else 0 end ok, case when object_name(t.type_table_object_id) = o.name then 1 else 0 end n, object_id('dbo.tt', 'TT') idd, object_id('tt') from sys.objects o join sys.table_types t on t.type_table_object_id = o.object_id;
select name, type, is_system_named from sys.objects o cross apply (select 1) x(is_system_named) where parent_object_id = (select type_table_object_id from sys.table_types) and 1 = 0;
select type, count(*) from sys.objects where parent_object_id = (select type_table_object_id from sys.table_types) group by type order by type;
-- 6 assembly types
select name, system_type_id, user_type_id, schema_id, max_length, is_nullable, is_user_defined, is_assembly_type, assembly_id, assembly_class, is_binary_ordered, is_fixed_length, prog_id, is_table_type from sys.assembly_types order by user_type_id;
select name, principal_id, assembly_id, permission_set, permission_set_desc, is_visible, is_user_defined from sys.assemblies;
-- 7 scoped configs
select name, sql_variant_property(value, 'BaseType') b, value, is_value_default from sys.database_scoped_configurations where configuration_id <= 4 order by configuration_id;
-- 8 identity variants
create table dbo.id1 (a bigint identity(5,2)); create table dbo.id2 (a numeric(9,0) identity not for replication); create table dbo.id3 (a tinyint identity);
insert dbo.id1 default values; insert dbo.id3 default values;
select object_name(object_id) t, sql_variant_property(seed_value,'BaseType') b, seed_value, increment_value, last_value, is_not_for_replication from sys.identity_columns where object_name(object_id) like 'id_' order by 1;
-- 9 sequences
create sequence dbo.s1 as tinyint start with 3 cycle; create sequence dbo.s2 as decimal(9,0) no cache; create sequence dbo.s3;
select name, sql_variant_property(start_value,'BaseType') b, start_value, increment, minimum_value, maximum_value, is_cycling, is_cached, cache_size, system_type_id, precision, scale, current_value, is_exhausted, last_used_value from sys.sequences order by name;
declare @v tinyint = next value for dbo.s1; select current_value, last_used_value from sys.sequences where name='s1';
go
create procedure dbo.pp @a int, @b varchar(20) = 'x' output, @c dbo.tt readonly, @d dbo.al = N'q', @e varbinary(20) = null, @f decimal(10,3) = 1.5 as return 1;
go
create function dbo.ff (@a int, @b varbinary(20) = 0x01) returns nvarchar(30) as begin return N'x' end;
go
create function dbo.itf (@a int) returns table as return select @a a, cast('x' as varchar(3)) b;
go
create function dbo.mtf (@a int) returns @r table (i int not null primary key, s varchar(5) default 'q') as begin return end;
go
-- 10 parameters
select object_name(object_id) o, parameter_id, name, type_name(user_type_id) t, max_length, precision, scale, is_output, is_cursor_ref, has_default_value, default_value, is_readonly, is_nullable, xml_collection_id from sys.parameters where object_name(object_id) in ('pp','ff','itf','mtf') order by 1, 2;
-- 11 IS.PARAMETERS
select specific_name, ordinal_position, parameter_mode, is_result, as_locator, parameter_name, data_type, character_maximum_length cml, character_octet_length col, collation_name, character_set_name csn, numeric_precision np, numeric_precision_radix npr, numeric_scale ns, datetime_precision dp, user_defined_type_schema uts, user_defined_type_name utn from information_schema.parameters order by 1, 2;
-- 12 IS.ROUTINES
select routine_name, routine_type, data_type, character_maximum_length, is_deterministic, sql_data_access, is_null_call, schema_level_routine, max_dynamic_result_sets, is_user_defined_cast, is_implicitly_invocable, routine_body from information_schema.routines order by 1;
select table_name, column_name, ordinal_position, data_type, character_maximum_length from information_schema.routine_columns order by 1, 3;
-- 13 IS.COLUMNS
select column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length cml, character_octet_length col, numeric_precision np, numeric_precision_radix npr, numeric_scale ns, datetime_precision dp, character_set_name, collation_name, domain_schema, domain_name from information_schema.columns where table_name = 'cols' order by 2;
-- 14 column ids stable
create table dbo.st (a int, b int, c int); alter table dbo.st drop column b; alter table dbo.st add d int; 
select c.name, c.column_id, i.ordinal_position, columnproperty(c.object_id, c.name, 'ColumnId') cp from sys.columns c join information_schema.columns i on i.column_name = c.name and i.table_name = 'st' where object_id = object_id('st') order by 2;
select max_column_id_used from sys.tables where name = 'st';
-- 15 computed nullability
create table dbo.cn (a int not null, b int null, s nvarchar(5) not null, u nvarchar(5) null, c1 as a, c2 as 1, c3 as s + s, c4 as isnull(b, 0), c5 as case when a = 1 then 1 else 2 end, c6 as getdate(), c7 as concat(s, u), c8 as b, c9 as a + b, c10 as s + u, c11 as len(s), c12 as cast(a as bigint), c13 as coalesce(b, 0), c14 as abs(a), c15 as a * 2, c16 as a persisted not null);
select name, is_nullable from sys.columns where object_id = object_id('cn') and name like 'c%' order by column_id;
-- 16 computed columns view
select name, definition, is_persisted, uses_database_collation, is_nullable from sys.computed_columns where object_id = object_id('cn') order by column_id;
go
