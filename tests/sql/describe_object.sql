-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-describe-first-result-set-for-object-transact-sql
create table described (id int not null identity primary key, word nvarchar(20) not null, amount decimal(9, 2), twice as amount * 2);
go
create view described_view as select id from described;
go
create procedure describe_rows @least int as
print 'rows follow';
select id, word, amount, twice, amount + 1 as more from described where id > @least;
select 1 as second;
go
create procedure describe_nothing as print 'nothing';
go
create procedure describe_dynamic as exec ('select 1 as a');
go
create procedure describe_broken as select no_column from made_later;
go
create table made_later (a int);
go
create trigger describe_trigger on described after insert as select word from inserted;
go
create procedure describe_call as exec describe_rows 1;
go
select is_hidden, column_ordinal, name, is_nullable, system_type_name, max_length, precision, scale, is_identity_column, is_updateable, is_computed_column,
  source_table, source_column, error_number
from sys.dm_exec_describe_first_result_set_for_object(object_id('describe_rows'), 0);
-- With the tables and the key that FOR BROWSE tells.
select is_hidden, column_ordinal, name, source_schema, source_table, source_column, is_part_of_unique_key
from sys.dm_exec_describe_first_result_set_for_object(object_id('describe_rows'), 1);
select count(*) as columns_of_none from sys.dm_exec_describe_first_result_set_for_object(object_id('describe_nothing'), 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set_for_object(object_id('describe_call'), 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set_for_object(object_id('describe_trigger'), 0);
go
-- What cannot be described is one row with the error.
select p.name, d.column_ordinal, d.error_number, d.error_severity, d.error_type, d.error_type_desc,
  replace(d.error_message, convert(varchar(12), p.object_id), '#') as error_message
from sys.objects p
cross apply sys.dm_exec_describe_first_result_set_for_object(p.object_id, 0) d
where p.name in ('describe_dynamic', 'describe_broken', 'described_view') or p.name = 'described'
order by p.name;
select column_ordinal, name, error_number, error_type, error_type_desc, error_message
from sys.dm_exec_describe_first_result_set_for_object(123, 0)
union all
select column_ordinal, name, error_number, error_type, error_type_desc, error_message
from sys.dm_exec_describe_first_result_set_for_object(null, 0);
select error_number, error_type, error_type_desc from sys.dm_exec_describe_first_result_set(N'select * frm x', null, 0)
union all
select error_number, error_type, error_type_desc from sys.dm_exec_describe_first_result_set(N'select * from no_table', null, 0)
union all
select error_number, error_type, error_type_desc from sys.dm_exec_describe_first_result_set(N'exec (''select 1'')', null, 0);
