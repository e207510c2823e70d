-- Logical devices: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addumpdevice-transact-sql
exec sp_addumpdevice 'disk', 'shelf', 'shelf.bak';
select name, type, type_desc, physical_name from sys.backup_devices;
exec sp_helpdevice 'shelf';
go
exec sp_addumpdevice 'disk', 'SHELF', 'other.bak';
go
exec sp_addumpdevice 'tape', 't', '/dev/tape';
go
exec sp_addumpdevice 'pigeon', 'p', 'p.bak';
go
exec sp_addumpdevice 'disk', null, 'p.bak';
go
exec sp_addumpdevice 'disk', 'p', null;
go
begin transaction;
exec sp_addumpdevice 'disk', 'p', 'p.bak';
exec sp_dropdevice 'shelf';
rollback;
go
create login no_keeper with password = 'Some-1-password';
go
execute as login = 'no_keeper';
exec sp_addumpdevice 'disk', 'p', 'p.bak';
exec sp_dropdevice 'shelf';
revert;
go
restore labelonly from shelf;
go
backup database tempdb to shelf;
go
exec sp_dropdevice 'nowhere';
go
exec sp_dropdevice 'shelf', 'everything';
go
exec sp_dropdevice 'shelf', 'delfile';
select count(*) from sys.backup_devices;
go
restore headeronly from shelf;
go
restore headeronly from disk = 'NUL';
go
drop login no_keeper;
