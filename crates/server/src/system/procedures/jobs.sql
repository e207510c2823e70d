-- SQL Server Agent: what makes, changes, starts and ends jobs, and the categories and operators that these name.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sql-server-agent-stored-procedures-transact-sql

CREATE PROCEDURE msdb.sp_add_job @job_name sysname, @enabled tinyint = 1, @description nvarchar(512) = NULL, @start_step_id int = 1,
  @category_name sysname = NULL, @category_id int = NULL, @owner_login_name sysname = NULL, @notify_level_eventlog int = 2,
  @notify_level_email int = 0, @notify_level_netsend int = 0, @notify_level_page int = 0, @notify_email_operator_name sysname = NULL,
  @notify_netsend_operator_name sysname = NULL, @notify_page_operator_name sysname = NULL, @delete_level int = 0,
  @job_id uniqueidentifier = NULL OUTPUT, @originating_server sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @owner_sid varbinary(85), @email int = 0, @netsend int = 0, @page int = 0
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
SET @job_name = LTRIM(RTRIM(@job_name))
IF @job_name IS NULL OR @job_name = N''
BEGIN
  RAISERROR(14043, -1, -1, N'@job_name', N'sp_add_job')
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.sysjobs WHERE name = @job_name)
BEGIN
  RAISERROR(14261, -1, -1, N'@job_name', @job_name)
  RETURN 1
END
IF @enabled NOT IN (0, 1)
BEGIN
  RAISERROR(14266, -1, -1, N'@enabled', N'0, 1')
  RETURN 1
END
IF @start_step_id < 1
BEGIN
  RAISERROR(14266, -1, -1, N'@start_step_id', N'1..')
  RETURN 1
END
IF @category_id IS NULL
BEGIN
  EXEC @refused = sys.agent_find_category 1, @category_name, @category_id OUTPUT
  IF @refused = 1 RETURN 1
END
EXEC @refused = sys.agent_find_owner @owner_login_name, @owner_sid OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_email_operator_name', @notify_email_operator_name, @email OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_netsend_operator_name', @notify_netsend_operator_name, @netsend OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_page_operator_name', @notify_page_operator_name, @page OUTPUT
IF @refused = 1 RETURN 1
DECLARE @wrong sysname = CASE WHEN @notify_level_eventlog NOT IN (0, 1, 2, 3) THEN N'@notify_level_eventlog'
  WHEN @notify_level_email NOT IN (0, 1, 2, 3) THEN N'@notify_level_email' WHEN @notify_level_netsend NOT IN (0, 1, 2, 3) THEN N'@notify_level_netsend'
  WHEN @notify_level_page NOT IN (0, 1, 2, 3) THEN N'@notify_level_page' WHEN @delete_level NOT IN (0, 1, 2, 3) THEN N'@delete_level' END
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14266, -1, -1, @wrong, N'0, 1, 2, 3')
  RETURN 1
END
IF @job_id IS NULL SET @job_id = NEWID()
INSERT msdb.dbo.sysjobs (job_id, originating_server_id, name, enabled, description, start_step_id, category_id, owner_sid, notify_level_eventlog,
  notify_level_email, notify_level_netsend, notify_level_page, notify_email_operator_id, notify_netsend_operator_id, notify_page_operator_id,
  delete_level, date_created, date_modified, version_number)
VALUES (@job_id, 0, @job_name, @enabled, ISNULL(@description, N'No description available.'), @start_step_id, @category_id, @owner_sid,
  @notify_level_eventlog, @notify_level_email, @notify_level_netsend, @notify_level_page, @email, @netsend, @page, @delete_level,
  GETDATE(), GETDATE(), 1)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_update_job @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @new_name sysname = NULL, @enabled tinyint = NULL,
  @description nvarchar(512) = NULL, @start_step_id int = NULL, @category_name sysname = NULL, @owner_login_name sysname = NULL,
  @notify_level_eventlog int = NULL, @notify_level_email int = NULL, @notify_level_netsend int = NULL, @notify_level_page int = NULL,
  @notify_email_operator_name sysname = NULL, @notify_netsend_operator_name sysname = NULL, @notify_page_operator_name sysname = NULL,
  @delete_level int = NULL, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @owner_sid varbinary(85), @category_id int, @email int, @netsend int, @page int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
SET @new_name = LTRIM(RTRIM(@new_name))
IF @new_name = N''
BEGIN
  RAISERROR(14043, -1, -1, N'@new_name', N'sp_update_job')
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.sysjobs WHERE name = @new_name AND job_id <> @job_id)
BEGIN
  RAISERROR(14261, -1, -1, N'@new_name', @new_name)
  RETURN 1
END
IF @enabled NOT IN (0, 1)
BEGIN
  RAISERROR(14266, -1, -1, N'@enabled', N'0, 1')
  RETURN 1
END
IF @category_name IS NOT NULL EXEC @refused = sys.agent_find_category 1, @category_name, @category_id OUTPUT
IF @refused = 0 AND @owner_login_name IS NOT NULL EXEC @refused = sys.agent_find_owner @owner_login_name, @owner_sid OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_email_operator_name', @notify_email_operator_name, @email OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_netsend_operator_name', @notify_netsend_operator_name, @netsend OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@notify_page_operator_name', @notify_page_operator_name, @page OUTPUT
IF @refused = 1 RETURN 1
UPDATE msdb.dbo.sysjobs
SET name = ISNULL(@new_name, name), enabled = ISNULL(@enabled, enabled), description = ISNULL(@description, description),
  start_step_id = ISNULL(@start_step_id, start_step_id), category_id = ISNULL(@category_id, category_id), owner_sid = ISNULL(@owner_sid, owner_sid),
  notify_level_eventlog = ISNULL(@notify_level_eventlog, notify_level_eventlog), notify_level_email = ISNULL(@notify_level_email, notify_level_email),
  notify_level_netsend = ISNULL(@notify_level_netsend, notify_level_netsend), notify_level_page = ISNULL(@notify_level_page, notify_level_page),
  notify_email_operator_id = ISNULL(@email, notify_email_operator_id), notify_netsend_operator_id = ISNULL(@netsend, notify_netsend_operator_id),
  notify_page_operator_id = ISNULL(@page, notify_page_operator_id), delete_level = ISNULL(@delete_level, delete_level),
  date_modified = GETDATE(), version_number = version_number + 1
WHERE job_id = @job_id
UPDATE msdb.dbo.sysjobschedules SET next_run_date = 0, next_run_time = 0 WHERE job_id = @job_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_delete_job @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @originating_server sysname = NULL, @delete_history bit = 1,
  @delete_unused_schedule bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
EXEC sys.agent_stop @job_id
DECLARE @unused TABLE (schedule_id int NOT NULL)
INSERT @unused SELECT schedule_id FROM msdb.dbo.sysjobschedules WHERE job_id = @job_id
DELETE msdb.dbo.sysjobschedules WHERE job_id = @job_id
IF @delete_unused_schedule = 1
  DELETE msdb.dbo.sysschedules
  WHERE schedule_id IN (SELECT schedule_id FROM @unused) AND schedule_id NOT IN (SELECT schedule_id FROM msdb.dbo.sysjobschedules)
DELETE msdb.dbo.sysjobstepslogs WHERE step_uid IN (SELECT step_uid FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id)
DELETE msdb.dbo.sysjobsteps WHERE job_id = @job_id
DELETE msdb.dbo.sysjobservers WHERE job_id = @job_id
DELETE msdb.dbo.sysjobactivity WHERE job_id = @job_id
IF @delete_history = 1 DELETE msdb.dbo.sysjobhistory WHERE job_id = @job_id
DELETE msdb.dbo.sysjobs WHERE job_id = @job_id
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_add_jobstep @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @step_name sysname,
  @subsystem nvarchar(40) = N'TSQL', @command nvarchar(max) = NULL, @additional_parameters nvarchar(max) = NULL, @cmdexec_success_code int = 0,
  @on_success_action tinyint = 1, @on_success_step_id int = 0, @on_fail_action tinyint = 2, @on_fail_step_id int = 0, @server sysname = NULL,
  @database_name sysname = NULL, @database_user_name sysname = NULL, @retry_attempts int = 0, @retry_interval int = 0,
  @os_run_priority int = 0, @output_file_name nvarchar(200) = NULL, @flags int = 0, @proxy_id int = NULL, @proxy_name sysname = NULL,
  @step_uid uniqueidentifier = NULL OUTPUT AS
SET NOCOUNT ON
DECLARE @refused int, @last int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0
  EXEC @refused = sys.agent_check_step @job_id, NULL, @step_name, @subsystem, @on_success_action, @on_fail_action, @flags, @proxy_id, @proxy_name
IF @refused = 1 RETURN 1
SELECT @last = ISNULL(MAX(step_id), 0) FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id
IF @step_id IS NULL SET @step_id = @last + 1
IF @step_id NOT BETWEEN 1 AND @last + 1
BEGIN
  DECLARE @valid nvarchar(30) = N'1..' + CONVERT(nvarchar(10), @last + 1)
  RAISERROR(14266, -1, -1, N'@step_id', @valid)
  RETURN 1
END
-- Those that come after it move on, and what goes to them as well.
IF @step_id <= @last
BEGIN
  UPDATE msdb.dbo.sysjobsteps SET step_id = step_id + 1 WHERE job_id = @job_id AND step_id >= @step_id
  UPDATE msdb.dbo.sysjobsteps
  SET on_success_step_id = on_success_step_id + CASE WHEN on_success_action = 4 AND on_success_step_id >= @step_id THEN 1 ELSE 0 END,
    on_fail_step_id = on_fail_step_id + CASE WHEN on_fail_action = 4 AND on_fail_step_id >= @step_id THEN 1 ELSE 0 END
  WHERE job_id = @job_id
END
SET @step_uid = NEWID()
INSERT msdb.dbo.sysjobsteps (job_id, step_id, step_name, subsystem, command, flags, additional_parameters, cmdexec_success_code, on_success_action,
  on_success_step_id, on_fail_action, on_fail_step_id, server, database_name, database_user_name, retry_attempts, retry_interval,
  os_run_priority, output_file_name, last_run_outcome, last_run_duration, last_run_retries, last_run_date, last_run_time, proxy_id, step_uid)
VALUES (@job_id, @step_id, @step_name, N'TSQL', @command, @flags, @additional_parameters, @cmdexec_success_code, @on_success_action,
  @on_success_step_id, @on_fail_action, @on_fail_step_id, @server, ISNULL(@database_name, N'master'), @database_user_name, @retry_attempts,
  @retry_interval, @os_run_priority, @output_file_name, 0, 0, 0, 0, 0, NULL, @step_uid)
UPDATE msdb.dbo.sysjobs SET date_modified = GETDATE(), version_number = version_number + 1 WHERE job_id = @job_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_update_jobstep @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int, @step_name sysname = NULL,
  @subsystem nvarchar(40) = NULL, @command nvarchar(max) = NULL, @additional_parameters nvarchar(max) = NULL, @cmdexec_success_code int = NULL,
  @on_success_action tinyint = NULL, @on_success_step_id int = NULL, @on_fail_action tinyint = NULL, @on_fail_step_id int = NULL,
  @server sysname = NULL, @database_name sysname = NULL, @database_user_name sysname = NULL, @retry_attempts int = NULL,
  @retry_interval int = NULL, @os_run_priority int = NULL, @output_file_name nvarchar(200) = NULL, @flags int = NULL, @proxy_id int = NULL,
  @proxy_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @text nvarchar(36) = CONVERT(nvarchar(36), @step_id)
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 0
  EXEC @refused = sys.agent_check_step @job_id, @step_id, @step_name, @subsystem, @on_success_action, @on_fail_action, @flags, @proxy_id, @proxy_name
IF @refused = 1 RETURN 1
UPDATE msdb.dbo.sysjobsteps
SET step_name = ISNULL(@step_name, step_name), command = ISNULL(@command, command),
  additional_parameters = ISNULL(@additional_parameters, additional_parameters),
  cmdexec_success_code = ISNULL(@cmdexec_success_code, cmdexec_success_code), on_success_action = ISNULL(@on_success_action, on_success_action),
  on_success_step_id = ISNULL(@on_success_step_id, on_success_step_id), on_fail_action = ISNULL(@on_fail_action, on_fail_action),
  on_fail_step_id = ISNULL(@on_fail_step_id, on_fail_step_id), server = ISNULL(@server, server),
  database_name = ISNULL(@database_name, database_name), database_user_name = NULLIF(ISNULL(@database_user_name, database_user_name), N''),
  retry_attempts = ISNULL(@retry_attempts, retry_attempts), retry_interval = ISNULL(@retry_interval, retry_interval),
  os_run_priority = ISNULL(@os_run_priority, os_run_priority), output_file_name = NULLIF(ISNULL(@output_file_name, output_file_name), N''),
  flags = ISNULL(@flags, flags)
WHERE job_id = @job_id AND step_id = @step_id
IF @@ROWCOUNT = 0
BEGIN
  RAISERROR(14262, -1, -1, N'@step_id', @text)
  RETURN 1
END
UPDATE msdb.dbo.sysjobs SET date_modified = GETDATE(), version_number = version_number + 1 WHERE job_id = @job_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_delete_jobstep @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int AS
SET NOCOUNT ON
DECLARE @refused int, @text nvarchar(36) = CONVERT(nvarchar(36), @step_id)
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
-- 0: all of them.
IF @step_id <> 0 AND NOT EXISTS (SELECT * FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
BEGIN
  RAISERROR(14262, -1, -1, N'@step_id', @text)
  RETURN 1
END
DELETE msdb.dbo.sysjobstepslogs
WHERE step_uid IN (SELECT step_uid FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND @step_id IN (0, step_id))
DELETE msdb.dbo.sysjobsteps WHERE job_id = @job_id AND @step_id IN (0, step_id)
UPDATE msdb.dbo.sysjobsteps
SET step_id = step_id - CASE WHEN step_id > @step_id THEN 1 ELSE 0 END,
  on_success_step_id = on_success_step_id - CASE WHEN on_success_action = 4 AND on_success_step_id > @step_id THEN 1 ELSE 0 END,
  on_fail_step_id = on_fail_step_id - CASE WHEN on_fail_action = 4 AND on_fail_step_id > @step_id THEN 1 ELSE 0 END
WHERE job_id = @job_id
UPDATE msdb.dbo.sysjobs
SET start_step_id = CASE WHEN @step_id = 0 THEN 1 WHEN start_step_id > @step_id THEN start_step_id - 1 ELSE start_step_id END,
  date_modified = GETDATE(), version_number = version_number + 1
WHERE job_id = @job_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_add_jobserver @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @server_name sysname = NULL, @automatic_post bit = 1 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF @server_name IS NULL OR UPPER(@server_name) IN (N'(LOCAL)', N'.') SET @server_name = @@SERVERNAME
IF UPPER(@server_name) <> UPPER(@@SERVERNAME)
BEGIN
  RAISERROR(14262, -1, -1, N'@server_name', @server_name)
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.sysjobservers WHERE job_id = @job_id)
BEGIN
  RAISERROR(14269, -1, -1, @job_name, @server_name)
  RETURN 1
END
INSERT msdb.dbo.sysjobservers (job_id, server_id, last_run_outcome, last_outcome_message, last_run_date, last_run_time, last_run_duration)
VALUES (@job_id, 0, 5, NULL, 0, 0, 0)
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_delete_jobserver @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @server_name sysname AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF UPPER(@server_name) NOT IN (N'(LOCAL)', N'.', UPPER(@@SERVERNAME))
BEGIN
  RAISERROR(14262, -1, -1, N'@server_name', @server_name)
  RETURN 1
END
DELETE msdb.dbo.sysjobservers WHERE job_id = @job_id
IF @@ROWCOUNT = 0
BEGIN
  RAISERROR(14270, -1, -1, @job_name, @server_name)
  RETURN 1
END
EXEC sys.xp_sqlagent_notify
RETURN 0
GO
CREATE PROCEDURE msdb.sp_start_job @job_name sysname = NULL, @job_id uniqueidentifier = NULL, @error_flag int = 1, @server_name sysname = NULL,
  @step_name sysname = NULL, @output_flag int = 1 AS
SET NOCOUNT ON
DECLARE @refused int, @step_id int = 0, @text nvarchar(36), @login sysname = SUSER_SNAME()
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
SET @text = CONVERT(nvarchar(36), @job_id)
IF NOT EXISTS (SELECT * FROM msdb.dbo.sysjobservers WHERE job_id = @job_id)
BEGIN
  RAISERROR(14256, -1, -1, @job_name, @text)
  RETURN 1
END
IF @server_name IS NOT NULL AND UPPER(@server_name) NOT IN (N'(LOCAL)', N'.', UPPER(@@SERVERNAME))
BEGIN
  RAISERROR(14262, -1, -1, N'@server_name', @server_name)
  RETURN 1
END
IF @step_name IS NOT NULL
BEGIN
  SELECT @step_id = step_id FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name
  IF @@ROWCOUNT = 0
  BEGIN
    RAISERROR(14262, -1, -1, N'@step_name', @step_name)
    RETURN 1
  END
END
DECLARE @why nvarchar(1000) = CASE
  WHEN NOT EXISTS (SELECT * FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id)
    THEN N'Request to run job ' + @job_name + N' (from User ' + @login + N') refused because the job has no job steps'
  WHEN EXISTS (SELECT * FROM msdb.dbo.sysagentrequests WHERE job_id = @job_id AND operation_code = 4)
    THEN N'Request to run job ' + @job_name + N' (from User ' + @login + N') refused because the job already has a pending request'
  WHEN EXISTS (SELECT * FROM msdb.dbo.sysjobactivity WHERE job_id = @job_id AND session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions)
      AND start_execution_date IS NOT NULL AND stop_execution_date IS NULL)
    THEN N'Request to run job ' + @job_name + N' (from User ' + @login + N') refused because the job is already running' END
IF @why IS NOT NULL
BEGIN
  IF @error_flag <> 0 RAISERROR(22022, -1, -1, @why)
  RETURN 1
END
INSERT msdb.dbo.sysagentrequests (job_id, operation_code, step_id, login) VALUES (@job_id, 4, @step_id, @login)
EXEC sys.xp_sqlagent_notify
IF @output_flag = 1 RAISERROR(14243, 0, 1, @job_name)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_stop_job @job_name sysname = NULL, @job_id uniqueidentifier = NULL, @originating_server sysname = NULL, @server_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @login sysname = SUSER_SNAME(), @stopped int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
EXEC @stopped = sys.agent_stop @job_id
IF @stopped = 0
BEGIN
  DECLARE @why nvarchar(1000) = N'Request to stop job ' + @job_name + N' (from User ' + @login + N') refused because the job is not currently running'
  RAISERROR(22022, -1, -1, @why)
  RETURN 1
END
RAISERROR(14254, 0, 1, @job_name)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_purge_jobhistory @job_name sysname = NULL, @job_id uniqueidentifier = NULL, @oldest_date datetime = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @rows int
EXEC @refused = sys.agent_may_change
IF @refused = 0 AND (@job_name IS NOT NULL OR @job_id IS NOT NULL) EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
DELETE msdb.dbo.sysjobhistory
WHERE (@job_id IS NULL OR job_id = @job_id) AND (@oldest_date IS NULL OR sys.agent_moment(run_date, run_time) < @oldest_date)
SET @rows = @@ROWCOUNT
RAISERROR(14226, 0, 1, @rows)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_add_category @class varchar(8) = 'JOB', @type varchar(12) = 'LOCAL', @name sysname AS
SET NOCOUNT ON
DECLARE @refused int, @number int = CASE UPPER(@class) WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END,
  @kind int = CASE UPPER(@type) WHEN 'LOCAL' THEN 1 WHEN 'MULTI-SERVER' THEN 2 WHEN 'NONE' THEN 3 END
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
IF @number IS NULL
BEGIN
  RAISERROR(14266, -1, -1, N'@class', N'JOB, ALERT, OPERATOR')
  RETURN 1
END
IF @kind IS NULL OR (@number = 1 AND @kind = 3) OR (@number > 1 AND @kind <> 3)
BEGIN
  DECLARE @types nvarchar(40) = CASE @number WHEN 1 THEN N'LOCAL, MULTI-SERVER' ELSE N'NONE' END
  RAISERROR(14266, -1, -1, N'@type', @types)
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.syscategories WHERE category_class = @number AND name = @name)
BEGIN
  RAISERROR(14261, -1, -1, N'@name', @name)
  RETURN 1
END
INSERT msdb.dbo.syscategories (category_class, category_type, name) VALUES (@number, @kind, @name)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_update_category @class varchar(8), @name sysname, @new_name sysname AS
SET NOCOUNT ON
DECLARE @refused int, @number int = CASE UPPER(@class) WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
IF @number IS NULL
BEGIN
  RAISERROR(14266, -1, -1, N'@class', N'JOB, ALERT, OPERATOR')
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.syscategories WHERE category_class = @number AND name = @new_name)
BEGIN
  RAISERROR(14261, -1, -1, N'@new_name', @new_name)
  RETURN 1
END
-- What every server has keeps its name.
UPDATE msdb.dbo.syscategories SET name = @new_name WHERE category_class = @number AND name = @name AND category_id >= 100
IF @@ROWCOUNT = 1 RETURN 0
RAISERROR(14262, -1, -1, N'@name', @name)
RETURN 1
GO
CREATE PROCEDURE msdb.sp_delete_category @class varchar(8), @name sysname AS
SET NOCOUNT ON
DECLARE @refused int, @id int, @number int = CASE UPPER(@class) WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
IF @number IS NULL
BEGIN
  RAISERROR(14266, -1, -1, N'@class', N'JOB, ALERT, OPERATOR')
  RETURN 1
END
SELECT @id = category_id FROM msdb.dbo.syscategories WHERE category_class = @number AND name = @name AND category_id >= 100
IF @id IS NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@name', @name)
  RETURN 1
END
IF @number = 1 UPDATE msdb.dbo.sysjobs SET category_id = 0 WHERE category_id = @id
IF @number = 3 UPDATE msdb.dbo.sysoperators SET category_id = 99 WHERE category_id = @id
DELETE msdb.dbo.syscategories WHERE category_id = @id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_add_operator @name sysname, @enabled tinyint = 1, @email_address nvarchar(100) = NULL, @pager_address nvarchar(100) = NULL,
  @weekday_pager_start_time int = 090000, @weekday_pager_end_time int = 180000, @saturday_pager_start_time int = 090000,
  @saturday_pager_end_time int = 180000, @sunday_pager_start_time int = 090000, @sunday_pager_end_time int = 180000, @pager_days tinyint = 0,
  @netsend_address nvarchar(100) = NULL, @category_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @category_id int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_category 3, @category_name, @category_id OUTPUT
IF @refused = 1 RETURN 1
IF EXISTS (SELECT * FROM msdb.dbo.sysoperators WHERE name = @name)
BEGIN
  RAISERROR(14261, -1, -1, N'@name', @name)
  RETURN 1
END
IF @enabled NOT IN (0, 1)
BEGIN
  RAISERROR(14266, -1, -1, N'@enabled', N'0, 1')
  RETURN 1
END
IF @pager_days > 127
BEGIN
  RAISERROR(14266, -1, -1, N'@pager_days', N'0..127')
  RETURN 1
END
INSERT msdb.dbo.sysoperators (name, enabled, email_address, last_email_date, last_email_time, pager_address, last_pager_date, last_pager_time,
  weekday_pager_start_time, weekday_pager_end_time, saturday_pager_start_time, saturday_pager_end_time, sunday_pager_start_time,
  sunday_pager_end_time, pager_days, netsend_address, last_netsend_date, last_netsend_time, category_id)
VALUES (@name, @enabled, @email_address, 0, 0, @pager_address, 0, 0, @weekday_pager_start_time, @weekday_pager_end_time,
  @saturday_pager_start_time, @saturday_pager_end_time, @sunday_pager_start_time, @sunday_pager_end_time, @pager_days, @netsend_address, 0, 0,
  @category_id)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_update_operator @name sysname, @new_name sysname = NULL, @enabled tinyint = NULL, @email_address nvarchar(100) = NULL,
  @pager_address nvarchar(100) = NULL, @weekday_pager_start_time int = NULL, @weekday_pager_end_time int = NULL,
  @saturday_pager_start_time int = NULL, @saturday_pager_end_time int = NULL, @sunday_pager_start_time int = NULL,
  @sunday_pager_end_time int = NULL, @pager_days tinyint = NULL, @netsend_address nvarchar(100) = NULL, @category_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @category_id int
EXEC @refused = sys.agent_may_change
IF @refused = 0 AND @category_name IS NOT NULL EXEC @refused = sys.agent_find_category 3, @category_name, @category_id OUTPUT
IF @refused = 1 RETURN 1
IF EXISTS (SELECT * FROM msdb.dbo.sysoperators WHERE name = @new_name AND name <> @name)
BEGIN
  RAISERROR(14261, -1, -1, N'@new_name', @new_name)
  RETURN 1
END
UPDATE msdb.dbo.sysoperators
SET name = ISNULL(@new_name, name), enabled = ISNULL(@enabled, enabled), email_address = ISNULL(@email_address, email_address),
  pager_address = ISNULL(@pager_address, pager_address), weekday_pager_start_time = ISNULL(@weekday_pager_start_time, weekday_pager_start_time),
  weekday_pager_end_time = ISNULL(@weekday_pager_end_time, weekday_pager_end_time),
  saturday_pager_start_time = ISNULL(@saturday_pager_start_time, saturday_pager_start_time),
  saturday_pager_end_time = ISNULL(@saturday_pager_end_time, saturday_pager_end_time),
  sunday_pager_start_time = ISNULL(@sunday_pager_start_time, sunday_pager_start_time),
  sunday_pager_end_time = ISNULL(@sunday_pager_end_time, sunday_pager_end_time), pager_days = ISNULL(@pager_days, pager_days),
  netsend_address = ISNULL(@netsend_address, netsend_address), category_id = ISNULL(@category_id, category_id)
WHERE name = @name
IF @@ROWCOUNT = 1 RETURN 0
RAISERROR(14262, -1, -1, N'@name', @name)
RETURN 1
GO
CREATE PROCEDURE msdb.sp_delete_operator @name sysname, @reassign_to_operator sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int, @id int, @heir int = 0
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@name', @name, @id OUTPUT
IF @refused = 0 EXEC @refused = sys.agent_find_operator N'@reassign_to_operator', @reassign_to_operator, @heir OUTPUT
IF @refused = 1 RETURN 1
UPDATE msdb.dbo.sysjobs
SET notify_email_operator_id = CASE notify_email_operator_id WHEN @id THEN @heir ELSE notify_email_operator_id END,
  notify_netsend_operator_id = CASE notify_netsend_operator_id WHEN @id THEN @heir ELSE notify_netsend_operator_id END,
  notify_page_operator_id = CASE notify_page_operator_id WHEN @id THEN @heir ELSE notify_page_operator_id END
WHERE @id IN (notify_email_operator_id, notify_netsend_operator_id, notify_page_operator_id)
DELETE msdb.dbo.sysoperators WHERE id = @id
RETURN 0
GO
