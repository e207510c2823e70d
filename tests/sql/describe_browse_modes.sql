-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql, "Browse Mode Examples"
create table dbo.t (a int primary key, b1 int);
go
create table #told (is_hidden bit, column_ordinal int, name sysname null, is_nullable bit, system_type_id int, system_type_name nvarchar(256) null, max_length smallint,
  precision tinyint, scale tinyint, collation_name sysname null, user_type_id int null, user_type_database sysname null, user_type_schema sysname null,
  user_type_name sysname null, assembly_qualified_type_name nvarchar(4000) null, xml_collection_id int null, xml_collection_database sysname null,
  xml_collection_schema sysname null, xml_collection_name sysname null, is_xml_document bit, is_case_sensitive bit, is_fixed_length_clr_type bit, source_server sysname null,
  source_database sysname null, source_schema sysname null, source_table sysname null, source_column sysname null, is_identity_column bit null,
  is_part_of_unique_key bit null, is_updateable bit null, is_computed_column bit null, is_sparse_column_set bit null, ordinal_in_order_by_list smallint null,
  order_by_list_length smallint null, order_by_is_descending smallint null, tds_type_id int, tds_length int, tds_collation_id int null, tds_collation_sort_id tinyint null);
declare @mode int = 0;
while @mode < 3
begin
  delete #told;
  insert #told exec sp_describe_first_result_set N'SELECT b1 AS b3 FROM dbo.t', null, @mode;
  select @mode as mode, is_hidden, column_ordinal, name, source_schema, source_table, source_column, is_part_of_unique_key, tds_type_id from #told order by column_ordinal;
  set @mode += 1;
end
-- A cursor's text may end with a clause of its own; a text without a result has no rows to look at again.
exec sp_describe_first_result_set N'print 1', null, 2;
go
exec sp_describe_first_result_set N'select a from dbo.t', null, 3;
