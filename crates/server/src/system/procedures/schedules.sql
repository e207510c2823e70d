-- SQL Server Agent: when jobs run.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sql-server-agent-stored-procedures-transact-sql

CREATE PROCEDURE msdb.sp_add_schedule @schedule_name sysname, @enabled tinyint = 1, @freq_type int = 0, @freq_interval int = 0,
  @freq_subday_type int = 0, @freq_subday_interval int = 0, @freq_relative_interval int = 0, @freq_recurrence_factor int = 0,
  @active_start_date int = NULL, @active_end_date int = 99991231, @active_start_time int = 000000, @active_end_time int = 235959,
  @owner_login_name sysname = NULL, @schedule_uid uniqueidentifier = NULL OUTPUT, @schedule_id int = NULL OUTPUT,
  @originating_server sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @owner_sid varbinary(85)
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_owner @owner_login_name, @owner_sid OUTPUT
SET @active_start_date = ISNULL(NULLIF(@active_start_date, 0), CONVERT(int, CONVERT(char(8), GETDATE(), 112)))
SET @active_end_date = ISNULL(NULLIF(@active_end_date, 0), 99991231)
IF @refused = 0
  EXEC @refused = sys.agent_check_schedule @enabled, @freq_type, @freq_interval, @freq_subday_type, @freq_subday_interval, @freq_relative_interval,
    @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time, @active_end_time
IF @refused = 1 RETURN 1
IF @schedule_uid IS NULL SET @schedule_uid = NEWID()
INSERT msdb.dbo.sysschedules (schedule_uid, originating_server_id, name, owner_sid, enabled, freq_type, freq_interval, freq_subday_type,
  freq_subday_interval, freq_relative_interval, freq_recurrence_factor, active_start_date, active_end_date, active_start_time, active_end_time,
  date_created, date_modified, version_number)
VALUES (@schedule_uid, 0, LTRIM(RTRIM(@schedule_name)), @owner_sid, @enabled, @freq_type, @freq_interval, @freq_subday_type, @freq_subday_interval,
  @freq_relative_interval, @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time, @active_end_time,
  GETDATE(), GETDATE(), 1)
SET @schedule_id = SCOPE_IDENTITY()
RETURN 0
GO
CREATE PROCEDURE msdb.sp_update_schedule @schedule_id int = NULL, @name sysname = NULL, @new_name sysname = NULL, @enabled tinyint = NULL,
  @freq_type int = NULL, @freq_interval int = NULL, @freq_subday_type int = NULL, @freq_subday_interval int = NULL,
  @freq_relative_interval int = NULL, @freq_recurrence_factor int = NULL, @active_start_date int = NULL, @active_end_date int = NULL,
  @active_start_time int = NULL, @active_end_time int = NULL, @owner_login_name sysname = NULL, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @owner_sid varbinary(85)
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @name OUTPUT
IF @refused = 0 AND @owner_login_name IS NOT NULL EXEC @refused = sys.agent_find_owner @owner_login_name, @owner_sid OUTPUT
IF @refused = 1 RETURN 1
SELECT @enabled = ISNULL(@enabled, enabled), @freq_type = ISNULL(@freq_type, freq_type), @freq_interval = ISNULL(@freq_interval, freq_interval),
  @freq_subday_type = ISNULL(@freq_subday_type, freq_subday_type), @freq_subday_interval = ISNULL(@freq_subday_interval, freq_subday_interval),
  @freq_relative_interval = ISNULL(@freq_relative_interval, freq_relative_interval),
  @freq_recurrence_factor = ISNULL(@freq_recurrence_factor, freq_recurrence_factor),
  @active_start_date = ISNULL(@active_start_date, active_start_date), @active_end_date = ISNULL(@active_end_date, active_end_date),
  @active_start_time = ISNULL(@active_start_time, active_start_time), @active_end_time = ISNULL(@active_end_time, active_end_time)
FROM msdb.dbo.sysschedules
WHERE schedule_id = @schedule_id
EXEC @refused = sys.agent_check_schedule @enabled, @freq_type, @freq_interval, @freq_subday_type, @freq_subday_interval, @freq_relative_interval,
  @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time, @active_end_time
IF @refused = 1 RETURN 1
UPDATE msdb.dbo.sysschedules
SET name = ISNULL(@new_name, name), owner_sid = ISNULL(@owner_sid, owner_sid), enabled = @enabled, freq_type = @freq_type, freq_interval = @freq_interval,
  freq_subday_type = @freq_subday_type, freq_subday_interval = @freq_subday_interval, freq_relative_interval = @freq_relative_interval,
  freq_recurrence_factor = @freq_recurrence_factor, active_start_date = @active_start_date, active_end_date = @active_end_date,
  active_start_time = @active_start_time, active_end_time = @active_end_time, date_modified = GETDATE(), version_number = version_number + 1
WHERE schedule_id = @schedule_id
UPDATE msdb.dbo.sysjobschedules SET next_run_date = 0, next_run_time = 0 WHERE schedule_id = @schedule_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_delete_schedule @schedule_id int = NULL, @schedule_name sysname = NULL, @force_delete bit = 0, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
IF @force_delete = 0 AND EXISTS (SELECT * FROM msdb.dbo.sysjobschedules WHERE schedule_id = @schedule_id)
BEGIN
  RAISERROR(14372, -1, -1)
  RETURN 1
END
DELETE msdb.dbo.sysjobschedules WHERE schedule_id = @schedule_id
DELETE msdb.dbo.sysschedules WHERE schedule_id = @schedule_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_attach_schedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @schedule_id int = NULL, @schedule_name sysname = NULL,
  @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
IF EXISTS (SELECT * FROM msdb.dbo.sysjobschedules WHERE job_id = @job_id AND schedule_id = @schedule_id) RETURN 0
INSERT msdb.dbo.sysjobschedules (schedule_id, job_id, next_run_date, next_run_time) VALUES (@schedule_id, @job_id, 0, 0)
UPDATE msdb.dbo.sysjobs SET date_modified = GETDATE(), version_number = version_number + 1 WHERE job_id = @job_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_detach_schedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @schedule_id int = NULL, @schedule_name sysname = NULL,
  @delete_unused_schedule bit = 0, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
DELETE msdb.dbo.sysjobschedules WHERE job_id = @job_id AND schedule_id = @schedule_id
IF @@ROWCOUNT = 0
BEGIN
  RAISERROR(14374, -1, -1, @schedule_name, @job_name)
  RETURN 1
END
IF @delete_unused_schedule = 1
  DELETE msdb.dbo.sysschedules WHERE schedule_id = @schedule_id AND schedule_id NOT IN (SELECT schedule_id FROM msdb.dbo.sysjobschedules)
UPDATE msdb.dbo.sysjobs SET date_modified = GETDATE(), version_number = version_number + 1 WHERE job_id = @job_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_add_jobschedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @name sysname, @enabled tinyint = 1, @freq_type int = 1,
  @freq_interval int = 0, @freq_subday_type int = 0, @freq_subday_interval int = 0, @freq_relative_interval int = 0,
  @freq_recurrence_factor int = 0, @active_start_date int = NULL, @active_end_date int = 99991231, @active_start_time int = 000000,
  @active_end_time int = 235959, @schedule_id int = NULL OUTPUT, @automatic_post bit = 1, @schedule_uid uniqueidentifier = NULL OUTPUT AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0
  EXEC @refused = msdb.dbo.sp_add_schedule @name, @enabled, @freq_type, @freq_interval, @freq_subday_type, @freq_subday_interval,
    @freq_relative_interval, @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time, @active_end_time, NULL,
    @schedule_uid OUTPUT, @schedule_id OUTPUT
IF @refused = 0 EXEC @refused = msdb.dbo.sp_attach_schedule @job_id = @job_id, @schedule_id = @schedule_id
RETURN @refused
GO
CREATE PROCEDURE msdb.sp_update_jobschedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @name sysname, @new_name sysname = NULL,
  @enabled tinyint = NULL, @freq_type int = NULL, @freq_interval int = NULL, @freq_subday_type int = NULL, @freq_subday_interval int = NULL,
  @freq_relative_interval int = NULL, @freq_recurrence_factor int = NULL, @active_start_date int = NULL, @active_end_date int = NULL,
  @active_start_time int = NULL, @active_end_time int = NULL, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @schedule_id int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_schedule_of_job @job_id, @name, @schedule_id OUTPUT
IF @refused = 0
  EXEC @refused = msdb.dbo.sp_update_schedule @schedule_id, NULL, @new_name, @enabled, @freq_type, @freq_interval, @freq_subday_type,
    @freq_subday_interval, @freq_relative_interval, @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time,
    @active_end_time
RETURN @refused
GO
CREATE PROCEDURE msdb.sp_delete_jobschedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @name sysname, @keep_schedule int = 0,
  @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @schedule_id int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_schedule_of_job @job_id, @name, @schedule_id OUTPUT
IF @refused = 0
BEGIN
  DECLARE @unused bit = CASE WHEN @keep_schedule = 0 THEN 1 ELSE 0 END
  EXEC @refused = msdb.dbo.sp_detach_schedule @job_id = @job_id, @schedule_id = @schedule_id, @delete_unused_schedule = @unused
END
RETURN @refused
GO
