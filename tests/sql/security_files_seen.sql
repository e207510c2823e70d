-- Files, logins and databases that a login without rights sees: "Permissions" of sys.master_files, sp_databases, sp_helplogins, sp_helpdb.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-master-files-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helplogins-transact-sql
use master;
go
create database closed_to_him;
create login sees_little with password = 'Some-1-password';
go
execute as login = 'sees_little';
go
select count(*) from sys.master_files;
select count(*) from master.sys.sysaltfiles;
exec sp_databases;
go
exec sp_helplogins;
go
exec sp_helpdb 'closed_to_him';
go
revert;
grant view any definition to sees_little;
execute as login = 'sees_little';
select count(*) from sys.master_files where database_id = db_id('closed_to_him');
revert;
revoke view any definition from sees_little;
go
drop database closed_to_him;
drop login sees_little;
