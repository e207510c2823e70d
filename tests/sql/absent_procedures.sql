-- Linked servers: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addlinkedserver-transact-sql
exec sp_addlinkedserver 'far';
go
exec sp_addlinkedserver @server = N'far', @srvproduct = N'', @provider = N'SQLNCLI', @datasrc = N'far.example';
go
exec sp_dropserver 'far', 'droplogins';
go
exec sp_addlinkedsrvlogin 'far', 'false', null, 'a', 'b';
go
exec sp_droplinkedsrvlogin 'far', null;
go
exec sp_testlinkedserver far;
go
exec sp_tables_ex 'far';
exec sp_columns_ex @table_server = 'far', @table_name = 't';
go
exec sp_helplinkedsrvlogin;
go
-- Change data capture: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
exec sys.sp_cdc_help_change_data_capture;
go
exec sys.sp_cdc_enable_table @source_schema = N'dbo', @source_name = N't', @role_name = null;
go
exec sys.sp_cdc_enable_db;
go
-- Database Mail and other servers: no rows, in tables of the documented columns.
create table #profile (profile_id int, name sysname, description nvarchar(256));
insert #profile exec msdb.dbo.sysmail_help_profile_sp;
create table #group (id int, name sysname);
insert #group exec msdb..sp_help_targetservergroup;
select (select count(*) from #group) + (select count(*) from #profile) as found;
go
exec msdb.dbo.sp_help_job @job_name = N'none such';
go
exec msdb.dbo.sysmail_help_account_sp @account_id = 3;
go
-- Extended procedures take what callers name as they come.
declare @value nvarchar(255) = N'before', @name sysname, @there int;
exec master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE', N'SOFTWARE\Microsoft\MSSQLServer\SQLServerAgent', N'DatabaseMailProfile',
  @param = @value output, @no_output = N'no_output';
exec master.dbo.xp_getnetname @name output, 1;
exec master.dbo.xp_fileexist N'/no/such/file', @there output;
select @value as value, case when @name = convert(sysname, serverproperty('MachineName')) then 'this machine' end as name, @there as there;
exec master.dbo.xp_fileexist N'/';
go
set nocount on;
create table #tree (name nvarchar(512), depth int, is_file int);
insert #tree exec master.dbo.xp_dirtree N'/proc/self/fdinfo', 1, 1;
insert #tree exec master.dbo.xp_dirtree N'/no/such/directory', 1, 1;
select case when count(*) > 0 then 'some' else 'none' end as files, max(depth) as depth, min(is_file) as is_file from #tree;
create table #below (name nvarchar(512), depth int);
insert #below exec master.sys.xp_dirtree N'/proc/self', 1;
select count(*) as found from #below where name in (N'fdinfo', N'ns', N'maps');
go
create table #drive (name sysname, size int);
insert #drive exec master.dbo.xp_fixeddrives;
insert #drive exec master.dbo.xp_fixeddrives 3;
create table #account ([account name] sysname null, type char(8) null, privilege char(9) null, mapped sysname null, path sysname null);
insert #account exec master..xp_logininfo;
create table #usage (value int);
insert #usage exec msdb.sys.sp_getProcessorUsage;
select (select count(*) from #drive) as drives, (select count(*) from #account) as accounts,
  (select case when value between 0 and 100 then 'percent' end from #usage) as usage;
go
create user looker without login;
go
execute as user = 'looker';
exec master.dbo.xp_dirtree N'/', 1, 1;
revert;
go
select sys.fn_varbintohexstr(0x0AFF) as whole, master.dbo.fn_varbintohexstr(0x) as none, master.sys.fn_varbintohexsubstring(0, 0x01020304, 2, 2) as part,
  sys.fn_varbintohexsubstring(1, 0x0102, 3, 1) as beyond;
go
-- Ledgers: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sys-sp-verify-database-ledger-transact-sql
exec sys.sp_verify_database_ledger N'[]';
exec sp_verify_database_ledger_from_digest_storage @locations = N'[]', @table_name = N'dbo.t';
exec sys.sp_generate_database_ledger_digest;
go
-- Event sessions: https://learn.microsoft.com/sql/t-sql/statements/drop-event-session-transact-sql, alter-event-session-transact-sql
drop event session none_such on server;
go
alter event session [none such] on server state = start;
go
create event session kept on server add event sqlserver.error_reported add target package0.ring_buffer with (startup_state = on);
go
if exists (select * from sys.server_event_sessions where name = 'kept') drop event session kept on server;
if exists (select * from sys.dm_xe_sessions where name = 'kept') alter event session kept on server state = stop;
select count(*) as sessions from sys.server_event_sessions where name = 'kept';
go
-- Query Store, and tuning by it: https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
alter database current set query_store clear;
alter database current set query_store clear all;
alter database current set query_store = off;
alter database current set query_store = off (forced);
alter database current set automatic_tuning (force_last_good_plan = off);
alter database current set automatic_tuning (force_last_good_plan = default);
select desired_state_desc, actual_state_desc from sys.database_query_store_options;
select count(*) as queries from sys.query_store_query;
go
alter database current set query_store = on;
go
alter database current set query_store (operation_mode = read_write);
go
alter database current set automatic_tuning (force_last_good_plan = on);
go
alter database current set automatic_tuning (force_last_good_plan = default, create_index = on);
go
