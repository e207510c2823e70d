-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-filegroups-transact-sql: FX holds memory-optimized data, and
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-files-transact-sql: its files are of type 2.
create database with_memory on primary (name = rows1, filename = '/tmp/rows1.mdf'), filegroup in_memory contains memory_optimized_data (name = memory1, filename = '/tmp/memory1'),
  filegroup other (name = other1, filename = '/tmp/other1.ndf') log on (name = log1, filename = '/tmp/log1.ldf');
create database added_memory;
alter database added_memory add filegroup in_memory contains memory_optimized_data;
alter database added_memory add file (name = memory2, filename = '/tmp/memory2') to filegroup in_memory;
go
use with_memory;
select name, data_space_id, type, type_desc, is_default from sys.filegroups order by data_space_id;
select name, type, type_desc from sys.data_spaces order by name;
select name, file_id, type, type_desc, data_space_id, case when size > 0 then 'some' else 'none' end as size from sys.database_files order by file_id;
go
use added_memory;
select name, type from sys.filegroups order by name;
select f.name, f.type, g.name as filegroup from sys.database_files f left join sys.filegroups g on g.data_space_id = f.data_space_id order by f.file_id;
select name, type_desc from sys.master_files where database_id = db_id() order by file_id;
-- As tools ask whether there is one.
select count(*) as found from sys.filegroups g join sys.database_files f on f.data_space_id = g.data_space_id where g.type = N'FX' and f.type = 2;
use master;
drop database with_memory;
drop database added_memory;
