-- Files that a database cannot have, and what ALTER DATABASE says of those that it has:
-- https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-file-and-filegroup-options
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-5000-to-5999
create database first on (name = first, filename = '/d/first.mdf') log on (name = first_log, filename = '/d/first.ldf');
go
create database second on (name = a, filename = '/d/a.mdf'), (name = A, filename = '/d/b.ndf');
go
create database second on (name = a, filename = '/d/a.mdf'), (name = b, filename = '/d/a.mdf');
go
create database second on (name = a, filename = '/d/first.mdf');
go
create database second on (name = a, filename = '/d/a.mdf') log on (name = l, filename = '/d/first.mdf');
go
create database second on (name = a, filename = '/d/a.mdf', size = 256KB);
go
select name from sys.databases where name = 'second';
go
alter database first add file (name = first, filename = '/d/c.ndf');
go
alter database first add file (name = c, filename = '/d/c.ndf'), (name = C, filename = '/d/d.ndf');
go
alter database first add file (name = c, filename = '/d/c.ndf'), (name = d, filename = '/d/c.ndf');
go
alter database first add file (name = c, filename = '/d/first.ldf');
go
alter database first add file (name = c, filename = '/d/c.ndf', size = 511KB);
go
alter database first add file (name = c);
go
alter database first add log file (filename = '/d/c.ldf');
go
select name, physical_name from first.sys.database_files order by file_id;
go
alter database first add file (name = c, filename = '/d/c.ndf', size = 16MB, filegrowth = 10%);
alter database first add log file (name = l2, filename = '/d/l2.ldf', filegrowth = 1MB);
select name, size, growth, is_percent_growth from first.sys.database_files where file_id > 2 order by file_id;
go
alter database first modify file (name = nowhere, newname = x);
go
alter database first modify file (name = c);
go
alter database first modify file (name = c, newname = first);
go
alter database first modify file (name = c, newname = c);
go
alter database first modify file (name = c, filename = '/d/first.mdf');
go
alter database first modify file (name = c, size = 16MB);
go
alter database first modify file (name = c, size = 17MB, filename = '/d/moved.ndf', newname = moved);
go
select name, physical_name, size from first.sys.database_files where file_id = 3;
go
alter database first remove file nowhere;
go
alter database first remove file first;
go
alter database first remove file first_log;
go
alter database first remove file moved;
alter database first remove file l2;
go
alter database first add filegroup more;
alter database first modify filegroup more name = other;
go
alter database first modify filegroup nowhere name = x;
go
alter database first modify filegroup [primary] name = x;
go
alter database first modify filegroup other name = [primary];
go
alter database first modify filegroup [primary] read_only;
go
alter database first modify filegroup [primary] default;
go
alter database first remove filegroup other;
go
drop database first;
