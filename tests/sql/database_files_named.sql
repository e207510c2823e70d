-- Names of files and filegroups are there once: "ALTER DATABASE (Transact-SQL) File and Filegroup Options",
-- https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-file-and-filegroup-options
create database named;
alter database named add filegroup more;
go
alter database named add filegroup MORE;
go
alter database named add filegroup [primary];
go
alter database named add file (name = f, filename = 'f.ndf') to filegroup more;
go
alter database named add file (name = F, filename = 'g.ndf') to filegroup more;
go
alter database named add file (name = named, filename = 'h.ndf');
go
alter database named modify file (name = f, newname = named);
go
create database twice on primary (name = a, filename = 'a.mdf') log on (name = a, filename = 'a.ldf');
go
select name from sys.master_files where database_id = db_id('named') order by file_id;
drop database named;
go
