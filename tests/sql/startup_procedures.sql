-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-procoption-transact-sql
use master;
go
create procedure dbo.at_start as select 1 as one;
go
create procedure dbo.asks @a int as select @a as a;
go
exec sp_procoption N'at_start', 'startup', 'on';
select name, is_auto_executed from sys.procedures where name in ('at_start', 'asks') order by name;
select value from sys.configurations where name = 'scan for startup procs';
go
exec sp_procoption N'asks', 'startup', 'on';
go
exec sp_procoption N'none_such', 'startup', 'on';
go
exec sp_procoption N'at_start', 'other', 'on';
go
exec sp_procoption N'at_start', 'startup', 'perhaps';
go
exec sp_procoption N'at_start', 'startup', 'off';
select name, is_auto_executed from sys.procedures where name = 'at_start';
exec sp_configure 'show advanced options', 1; reconfigure;
exec sp_configure 'scan for startup procs', 0; exec sp_configure 'show advanced options', 0; reconfigure;
drop procedure at_start, asks;
go
use tempdb;
go
create procedure dbo.elsewhere as select 1 as one;
go
exec sp_procoption N'elsewhere', 'startup', 'on';
go
drop procedure elsewhere;
go
-- What is switched off, or not here.
exec xp_cmdshell 'dir';
go
exec sp_OACreate 'x', 1;
go
exec sp_addumpdevice 'tape', 'd', '/dev/tape';
go
exec xp_instance_regwrite N'HKEY_LOCAL_MACHINE', N'Software\x', N'y', N'REG_DWORD', 1;
go
exec msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = 'x';
go
exec xp_servicecontrol 'QUERYSTATE', 'SQLServerAGENT';
waitfor delay '00:00:00:010';
go
select file_exists, file_is_a_directory, parent_directory_exists from sys.dm_os_file_exists(N'/tmp');
select file_exists, file_is_a_directory, parent_directory_exists from sys.dm_os_file_exists(N'/none such');
select sql_variant_property(serverproperty('ResourceLastUpdateDateTime'), 'BaseType') as kind, serverproperty('IsXTPSupported') as xtp;
go
