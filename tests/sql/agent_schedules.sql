-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-schedule-transact-sql
use msdb;
go
declare @id int, @r int;
exec @r = sp_add_schedule @schedule_name = 'nightly', @freq_type = 4, @freq_interval = 1, @active_start_date = 20300101, @active_start_time = 013000,
  @schedule_id = @id output;
select @r as r, name, enabled, freq_type, freq_interval, active_start_date, active_end_date, active_start_time, active_end_time, version_number
from dbo.sysschedules where schedule_id = @id;
go
exec sp_add_schedule 'x', @freq_type = 3;
go
exec sp_add_schedule 'x', @freq_type = 8, @freq_interval = 128, @freq_recurrence_factor = 1;
go
exec sp_add_schedule 'x', @freq_type = 8, @freq_interval = 1;
go
exec sp_add_schedule 'x', @freq_type = 4, @freq_interval = 1, @freq_subday_type = 2, @freq_subday_interval = 5;
go
exec sp_add_schedule 'x', @freq_type = 1, @active_start_date = 20240230;
go
exec sp_add_schedule 'x', @freq_type = 1, @active_start_date = 20240201, @active_end_date = 20240101;
go
exec sp_add_schedule 'x', @freq_type = 1, @active_start_time = 246000;
go
exec sp_add_job 'job';
exec sp_attach_schedule @job_name = 'job', @schedule_name = 'nightly';
exec sp_attach_schedule @job_name = 'job', @schedule_name = 'nightly';
select count(*) as attached from dbo.sysjobschedules;
go
exec sp_attach_schedule @job_name = 'job', @schedule_name = 'none such';
go
exec sp_delete_schedule @schedule_name = 'nightly';
go
exec sp_add_jobschedule @job_name = 'job', @name = 'weekly', @freq_type = 8, @freq_interval = 65, @freq_recurrence_factor = 2, @active_start_time = 220000,
  @active_start_date = 20300101;
exec sp_update_jobschedule @job_name = 'job', @name = 'weekly', @new_name = 'fortnightly', @freq_interval = 2;
exec sp_update_jobschedule @job_name = 'job', @name = 'weekly', @enabled = 0;
go
create table #s (schedule_id int, schedule_uid uniqueidentifier, schedule_name sysname, enabled int, freq_type int, freq_interval int, freq_subday_type int,
  freq_subday_interval int, freq_relative_interval int, freq_recurrence_factor int, active_start_date int, active_end_date int, active_start_time int,
  active_end_time int, date_created datetime, schedule_description nvarchar(4000), job_count int);
exec sp_add_schedule 'a', @freq_type = 32, @freq_interval = 9, @freq_relative_interval = 16, @freq_recurrence_factor = 3, @freq_subday_type = 8, @freq_subday_interval = 6;
exec sp_add_schedule 'b', @freq_type = 16, @freq_interval = 31, @freq_recurrence_factor = 1;
exec sp_add_schedule 'c', @freq_type = 64;
exec sp_add_schedule 'd', @freq_type = 1, @active_start_date = 20300203, @active_start_time = 40506;
insert #s exec sp_help_schedule @include_description = 1;
select schedule_name, schedule_description, job_count from #s order by schedule_id;
go
exec sp_help_jobcount @schedule_name = 'fortnightly';
exec sp_detach_schedule @job_name = 'job', @schedule_name = 'nightly';
exec sp_detach_schedule @job_name = 'job', @schedule_name = 'nightly';
go
exec sp_delete_jobschedule @job_name = 'job', @name = 'fortnightly';
exec sp_delete_schedule @schedule_name = 'nightly';
exec sp_delete_schedule @schedule_name = 'a';
exec sp_delete_schedule @schedule_name = 'b';
exec sp_add_schedule 'd', @freq_type = 64;
exec sp_delete_schedule @schedule_name = 'd';
go
exec sp_delete_job @job_name = 'job';
delete dbo.sysschedules;
select dbo.agent_datetime(20240229, 93005) as moment;
-- The next moments after one, as a schedule has them.
select v.what, n.run_date, n.run_time
from (values ('daily', 4, 1, 1, 0, 0, 0), ('every other Monday', 8, 2, 1, 0, 0, 2), ('last day', 32, 8, 1, 0, 16, 1)) v(what, type, interval, sub, subi, rel, factor)
cross apply sys.sysagentnextrun(v.type, v.interval, v.sub, v.subi, v.rel, v.factor, 20240101, 99991231, 10000, 235959, 20240110, 20000) n;
go
