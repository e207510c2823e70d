-- What sp_help and its kin say of names that nothing has: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-15000-to-15999
create table t (a int primary key, b as a + 1, c int);
go
create view v as select 1 as a;
go
create trigger tr on t for insert as return;
go
exec sp_helptext 't', 'zz';
go
exec sp_helptext 't', 'a';
go
exec sp_helptext 'v', 'a';
go
exec sp_helptext 't', 'b';
go
exec sp_helptrigger 't', 'truncate';
go
exec sp_helptrigger 't', 'INSERT';
exec sp_helptrigger 't', 'delete';
go
exec sp_spaceused 't', 'false', 'x';
go
exec sp_spaceused 't', @mode = 'REMOTE_ONLY';
go
exec sp_spaceused @mode = 'remote_only';
go
exec sp_helpfile 'none';
go
-- Who names a file is not told its number.
declare @name sysname = file_name(2);
create table #file (name sysname, filename nvarchar(260), filegroup sysname null, size nvarchar(18), maxsize nvarchar(18), growth nvarchar(18), usage varchar(9));
insert #file exec sp_helpfile @name;
select usage from #file;
go
exec sp_helpfilegroup 'none';
go
exec sp_helplanguage 'klingon';
go
exec sp_helplanguage 'Brazilian';
go
exec sp_helpsort;
go
exec sp_helprole 'none';
go
exec sp_helprolemember 'none';
go
-- sp_helprotect: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-helprotect-transact-sql
create user one without login;
create user two without login;
go
grant select on t to one;
grant update (a) on t to one;
deny select (b) on t to one;
grant insert, delete on t to two with grant option;
grant select on v to two;
grant view definition on t to two;
grant create table, create procedure to two;
go
exec sp_helprotect;
exec sp_helprotect 'dbo.t', 'one';
exec sp_helprotect 'CREATE TABLE';
exec sp_helprotect null, 'two', 'dbo', 's';
go
exec sp_helprotect 'none';
go
exec sp_helprotect 't', 'none';
go
exec sp_helprotect 'master.dbo.t';
go
exec sp_helprotect '[t';
go
exec sp_helprotect @permissionarea = 'x';
go
exec sp_helprotect @permissionarea = null;
