-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-job-transact-sql
use msdb;
go
declare @id binary(16), @r int;
exec @r = msdb.dbo.sp_add_job @job_name = N'nightly', @enabled = 1, @description = N'what it is for', @category_name = N'Database Maintenance',
  @owner_login_name = N'sa', @job_id = @id output;
select @r as r, case when @id = (select convert(binary(16), job_id) from dbo.sysjobs) then 1 else 0 end as known;
select name, enabled, description, start_step_id, category_id, suser_sname(owner_sid) as owner, notify_level_eventlog, delete_level, version_number from dbo.sysjobs;
go
exec sp_add_job 'nightly';
go
exec sp_add_job '';
go
exec sp_add_job 'other', @category_name = 'none such';
go
exec sp_add_job 'other', @owner_login_name = 'nobody';
go
exec sp_add_job 'other', @notify_email_operator_name = 'nobody';
go
exec sp_add_job 'other', @enabled = 2;
go
exec sp_add_job 'other', @delete_level = 4;
go
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-jobstep-transact-sql
exec sp_add_jobstep @job_name = 'nightly', @step_name = 'b', @command = 'select 2', @on_success_action = 4, @on_success_step_id = 1;
exec sp_add_jobstep @job_name = 'nightly', @step_id = 1, @step_name = 'a', @command = 'select 1', @database_name = 'tempdb', @on_success_action = 3;
select step_id, step_name, subsystem, command, on_success_action, on_success_step_id, on_fail_action, database_name from dbo.sysjobsteps order by step_id;
go
exec sp_add_jobstep @job_name = 'nightly', @step_name = 'a', @command = 'select 1';
go
exec sp_add_jobstep @job_name = 'nightly', @step_name = 'c', @subsystem = 'CmdExec', @command = 'dir';
go
exec sp_add_jobstep @job_name = 'nightly', @step_name = 'c', @step_id = 9;
go
exec sp_add_jobstep @job_name = 'nightly', @step_name = 'c', @on_fail_action = 5;
go
exec sp_add_jobstep @job_name = 'none such', @step_name = 'c';
go
exec sp_add_jobstep @step_name = 'c';
go
exec sp_update_jobstep @job_name = 'nightly', @step_id = 2, @step_name = 'bb', @retry_attempts = 3, @retry_interval = 5;
exec sp_update_jobstep @job_name = 'nightly', @step_id = 7, @step_name = 'z';
go
exec sp_help_jobstep @job_name = 'nightly', @step_name = 'bb';
go
exec sp_delete_jobstep @job_name = 'nightly', @step_id = 1;
select step_id, step_name, on_success_action, on_success_step_id from dbo.sysjobsteps;
go
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-start-job-transact-sql
begin try exec sp_start_job 'nightly' end try begin catch select error_number() as number, error_severity() as severity end catch;
go
exec sp_add_jobserver @job_name = 'nightly', @server_name = N'(local)';
begin try exec sp_add_jobserver @job_name = 'nightly' end try begin catch select error_number() as number, error_severity() as severity end catch;
go
exec sp_add_jobserver @job_name = 'nightly', @server_name = 'far away';
go
exec sp_stop_job 'nightly';
go
exec sp_start_job 'nightly', @step_name = 'none such';
go
exec sp_update_job @job_name = 'nightly', @new_name = 'weekly', @enabled = 0, @category_name = N'[Uncategorized (Local)]';
select name, enabled, category_id, version_number from dbo.sysjobs_view;
go
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-operator-transact-sql
exec sp_add_operator 'dba', @email_address = 'dba@example.com', @pager_days = 62;
exec sp_update_job @job_name = 'weekly', @notify_level_email = 2, @notify_email_operator_name = 'dba';
exec sp_add_operator 'dba';
go
exec sp_update_operator 'dba', @email_address = 'other@example.com';
exec sp_help_operator 'dba';
go
exec sp_delete_operator 'dba';
select notify_level_email, notify_email_operator_id from dbo.sysjobs;
go
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-category-transact-sql
exec sp_add_category 'JOB', 'LOCAL', 'mine';
exec sp_add_category 'JOB', 'LOCAL', 'mine';
go
exec sp_add_category 'JOB', 'NONE', 'x';
go
exec sp_update_category 'JOB', 'mine', 'ours';
exec sp_update_category 'JOB', 'Database Maintenance', 'theirs';
go
exec sp_help_category 'JOB', 'LOCAL', 'ours', 1;
exec sp_delete_category 'JOB', 'ours';
exec sp_help_category 'OPERATOR';
go
exec sp_add_alert 'severe', @severity = 20;
go
exec sp_set_sqlagent_properties @jobhistory_max_rows = 500, @jobhistory_max_rows_per_job = 50;
exec sp_set_sqlagent_properties @databasemail_profile = 'x';
go
select history_max, history_of_job_max from dbo.sysagentproperties;
exec sp_purge_jobhistory;
exec sp_enum_sqlagent_subsystems;
go
create login small with password = 'Small-2-loom', check_policy = off;
go
execute as login = 'small';
go
exec sp_add_job 'theirs';
go
exec sp_start_job 'weekly';
go
exec sp_help_job @job_name = 'weekly';
go
select count(*) as jobs from msdb.dbo.sysjobs_view;
go
select count(*) as jobs from msdb.dbo.sysjobs;
go
revert;
drop login small;
go
begin transaction;
exec sp_add_job 'undone';
rollback;
exec sp_delete_job @job_name = 'weekly';
select count(*) as jobs from dbo.sysjobs;
select count(*) as steps from dbo.sysjobsteps;
select count(*) as own from sys.tables where is_ms_shipped = 0;
go
