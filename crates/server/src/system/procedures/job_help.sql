-- SQL Server Agent: what tells of jobs, steps, schedules, categories and operators.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sql-server-agent-stored-procedures-transact-sql

CREATE PROCEDURE msdb.sp_help_job @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @job_aspect varchar(9) = NULL, @job_type varchar(12) = NULL,
  @owner_login_name sysname = NULL, @subsystem nvarchar(40) = NULL, @category_name sysname = NULL, @enabled tinyint = NULL,
  @execution_status int = NULL, @date_comparator char(1) = NULL, @date_created datetime = NULL, @date_last_modified datetime = NULL,
  @description nvarchar(512) = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0, @aspect varchar(9) = UPPER(@job_aspect), @one bit = CASE WHEN @job_id IS NULL AND @job_name IS NULL THEN 0 ELSE 1 END
IF @one = 1 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF @aspect NOT IN ('ALL', 'JOB', 'STEPS', 'SCHEDULES', 'TARGETS')
BEGIN
  RAISERROR(14266, -1, -1, N'@job_aspect', N'ALL, JOB, STEPS, SCHEDULES, TARGETS')
  RETURN 1
END
IF UPPER(@job_type) NOT IN ('LOCAL', 'MULTI-SERVER')
BEGIN
  RAISERROR(14266, -1, -1, N'@job_type', N'LOCAL, MULTI-SERVER')
  RETURN 1
END
IF ISNULL(@aspect, 'JOB') IN ('ALL', 'JOB')
  SELECT j.job_id, CONVERT(nvarchar(30), @@SERVERNAME) AS originating_server, j.name, j.enabled, j.description, j.start_step_id,
    CONVERT(sysname, ISNULL(c.name, FORMATMESSAGE(14205))) AS category, CONVERT(sysname, SUSER_SNAME(j.owner_sid)) AS owner, j.notify_level_eventlog,
    j.notify_level_email, j.notify_level_netsend, j.notify_level_page, CONVERT(sysname, ISNULL(e.name, FORMATMESSAGE(14205))) AS notify_email_operator,
    CONVERT(sysname, ISNULL(n.name, FORMATMESSAGE(14205))) AS notify_netsend_operator, CONVERT(sysname, ISNULL(p.name, FORMATMESSAGE(14205))) AS notify_page_operator,
    j.delete_level, j.date_created, j.date_modified, j.version_number, CONVERT(int, ISNULL(v.last_run_date, 0)) AS last_run_date,
    CONVERT(int, ISNULL(v.last_run_time, 0)) AS last_run_time, CONVERT(int, ISNULL(v.last_run_outcome, 5)) AS last_run_outcome,
    CONVERT(int, ISNULL(x.next_run_date, 0)) AS next_run_date, CONVERT(int, ISNULL(x.next_run_time, 0)) AS next_run_time,
    CONVERT(int, ISNULL(x.schedule_id, 0)) AS next_run_schedule_id,
    CONVERT(int, CASE WHEN a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL THEN 1 ELSE 4 END) AS current_execution_status,
    CONVERT(sysname, CASE WHEN a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL AND t.step_id IS NOT NULL
      THEN CONVERT(nvarchar(10), t.step_id) + N' (' + t.step_name + N')' ELSE N'0 ' + FORMATMESSAGE(14205) END) AS current_execution_step,
    CONVERT(int, 0) AS current_retry_attempt, CONVERT(int, (SELECT COUNT(*) FROM msdb.dbo.sysjobsteps k WHERE k.job_id = j.job_id)) AS has_step,
    CONVERT(int, (SELECT COUNT(*) FROM msdb.dbo.sysjobschedules k WHERE k.job_id = j.job_id)) AS has_schedule,
    CONVERT(int, (SELECT COUNT(*) FROM msdb.dbo.sysjobservers k WHERE k.job_id = j.job_id)) AS has_target,
    CONVERT(int, CASE WHEN v.job_id IS NULL THEN 0 ELSE 1 END) AS type
  FROM msdb.dbo.sysjobs_view j
  LEFT JOIN msdb.dbo.syscategories c ON c.category_id = j.category_id
  LEFT JOIN msdb.dbo.sysoperators e ON e.id = j.notify_email_operator_id
  LEFT JOIN msdb.dbo.sysoperators n ON n.id = j.notify_netsend_operator_id
  LEFT JOIN msdb.dbo.sysoperators p ON p.id = j.notify_page_operator_id
  LEFT JOIN msdb.dbo.sysjobservers v ON v.job_id = j.job_id
  LEFT JOIN msdb.dbo.sysjobactivity a ON a.job_id = j.job_id AND a.session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions)
  LEFT JOIN msdb.dbo.sysjobsteps t ON t.job_id = j.job_id AND t.step_id = ISNULL(a.last_executed_step_id + 1, j.start_step_id)
  OUTER APPLY (
    SELECT TOP (1) s.next_run_date, s.next_run_time, s.schedule_id
    FROM msdb.dbo.sysjobschedules s
    WHERE s.job_id = j.job_id AND s.next_run_date > 0
    ORDER BY s.next_run_date, s.next_run_time
  ) x
  WHERE (@one = 0 OR j.job_id = @job_id) AND (@owner_login_name IS NULL OR j.owner_sid = SUSER_SID(@owner_login_name))
    AND (@category_name IS NULL OR c.name = @category_name) AND (@enabled IS NULL OR j.enabled = @enabled)
    AND (@subsystem IS NULL OR EXISTS (SELECT * FROM msdb.dbo.sysjobsteps k WHERE k.job_id = j.job_id AND k.subsystem = @subsystem))
    AND (@description IS NULL OR j.description LIKE @description) AND (@job_type IS NULL OR UPPER(@job_type) = 'LOCAL')
    AND (@date_created IS NULL OR CASE @date_comparator WHEN '<' THEN IIF(j.date_created < @date_created, 1, 0)
      WHEN '>' THEN IIF(j.date_created > @date_created, 1, 0) ELSE IIF(j.date_created = @date_created, 1, 0) END = 1)
    AND (@date_last_modified IS NULL OR CASE @date_comparator WHEN '<' THEN IIF(j.date_modified < @date_last_modified, 1, 0)
      WHEN '>' THEN IIF(j.date_modified > @date_last_modified, 1, 0) ELSE IIF(j.date_modified = @date_last_modified, 1, 0) END = 1)
    AND (@execution_status IS NULL OR @execution_status = CASE WHEN a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL THEN 1 ELSE 4 END
      OR @execution_status = 0 AND (a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL))
  ORDER BY j.job_id
IF @one = 1 AND ISNULL(@aspect, 'ALL') IN ('ALL', 'STEPS') EXEC msdb.dbo.sp_help_jobstep @job_id = @job_id
IF @one = 1 AND ISNULL(@aspect, 'ALL') IN ('ALL', 'SCHEDULES') EXEC msdb.dbo.sp_help_jobschedule @job_id = @job_id
IF @one = 1 AND ISNULL(@aspect, 'ALL') IN ('ALL', 'TARGETS') EXEC msdb.dbo.sp_help_jobserver @job_id = @job_id, @show_last_run_details = 1
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobstep @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @step_name sysname = NULL,
  @suffix bit = 0 AS
SET NOCOUNT ON
DECLARE @refused int, @text nvarchar(36) = CONVERT(nvarchar(36), @step_id)
EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF @step_id IS NOT NULL AND NOT EXISTS (SELECT * FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
BEGIN
  RAISERROR(14262, -1, -1, N'@step_id', @text)
  RETURN 1
END
IF @step_name IS NOT NULL AND NOT EXISTS (SELECT * FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name)
BEGIN
  RAISERROR(14262, -1, -1, N'@step_name', @step_name)
  RETURN 1
END
SELECT s.step_id, s.step_name, s.subsystem, s.command, s.flags, s.cmdexec_success_code, s.on_success_action, s.on_success_step_id,
  s.on_fail_action, s.on_fail_step_id, s.server, s.database_name, s.database_user_name, s.retry_attempts, s.retry_interval,
  s.os_run_priority, s.output_file_name, s.last_run_outcome, s.last_run_duration, s.last_run_retries, s.last_run_date, s.last_run_time,
  s.proxy_id
FROM msdb.dbo.sysjobsteps s
WHERE s.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id) AND (@step_name IS NULL OR s.step_name = @step_name)
ORDER BY s.step_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobsteplog @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @step_name sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
SELECT @job_id AS job_id, @job_name AS job_name, s.step_id, s.step_name, s.step_uid, l.date_created, l.date_modified, l.log_size, l.log
FROM msdb.dbo.sysjobsteps s
JOIN msdb.dbo.sysjobstepslogs l ON l.step_uid = s.step_uid
WHERE s.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id) AND (@step_name IS NULL OR s.step_name = @step_name)
ORDER BY s.step_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_delete_jobsteplog @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @step_name sysname = NULL,
  @older_than datetime = NULL, @larger_than int = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 0 EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
DELETE msdb.dbo.sysjobstepslogs
WHERE (@older_than IS NULL OR date_modified < @older_than) AND (@larger_than IS NULL OR log_size > @larger_than)
  AND step_uid IN (SELECT step_uid FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND (@step_id IS NULL OR step_id = @step_id)
    AND (@step_name IS NULL OR step_name = @step_name))
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobschedule @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @schedule_name sysname = NULL, @schedule_id int = NULL,
  @include_description bit = 0 AS
SET NOCOUNT ON
DECLARE @refused int = 0, @one bit = CASE WHEN @job_id IS NULL AND @job_name IS NULL THEN 0 ELSE 1 END
IF @one = 1 OR @schedule_id IS NULL EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
SELECT s.schedule_id, s.name AS schedule_name, s.enabled, s.freq_type, s.freq_interval, s.freq_subday_type, s.freq_subday_interval,
  s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date, s.active_end_date, s.active_start_time, s.active_end_time,
  s.date_created, CONVERT(nvarchar(4000), CASE WHEN @include_description = 0 THEN FORMATMESSAGE(14549) ELSE sys.agent_describe(s.freq_type,
    s.freq_interval, s.freq_subday_type, s.freq_subday_interval, s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date,
    s.active_start_time, s.active_end_time) END) AS schedule_description, a.next_run_date, a.next_run_time, s.schedule_uid,
  CONVERT(int, (SELECT COUNT(*) FROM msdb.dbo.sysjobschedules k WHERE k.schedule_id = s.schedule_id)) AS job_count
FROM msdb.dbo.sysjobschedules a
JOIN msdb.dbo.sysschedules s ON s.schedule_id = a.schedule_id
JOIN msdb.dbo.sysjobs_view j ON j.job_id = a.job_id
WHERE (@one = 0 OR a.job_id = @job_id) AND (@schedule_name IS NULL OR s.name = @schedule_name) AND (@schedule_id IS NULL OR s.schedule_id = @schedule_id)
ORDER BY s.schedule_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_schedule @schedule_id int = NULL, @schedule_name sysname = NULL, @attached_schedules_only bit = NULL, @include_description bit = 0 AS
SET NOCOUNT ON
DECLARE @refused int = 0, @one bit = CASE WHEN @schedule_id IS NULL AND @schedule_name IS NULL THEN 0 ELSE 1 END
IF @one = 1 EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
SELECT s.schedule_id, s.schedule_uid, s.name AS schedule_name, s.enabled, s.freq_type, s.freq_interval, s.freq_subday_type, s.freq_subday_interval,
  s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date, s.active_end_date, s.active_start_time, s.active_end_time,
  s.date_created, CONVERT(nvarchar(4000), CASE WHEN @include_description = 0 THEN FORMATMESSAGE(14549) ELSE sys.agent_describe(s.freq_type,
    s.freq_interval, s.freq_subday_type, s.freq_subday_interval, s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date,
    s.active_start_time, s.active_end_time) END) AS schedule_description, CONVERT(int, c.jobs) AS job_count
FROM msdb.dbo.sysschedules_localserver_view s
CROSS APPLY (SELECT COUNT(*) AS jobs FROM msdb.dbo.sysjobschedules k WHERE k.schedule_id = s.schedule_id) c
WHERE (@one = 0 OR s.schedule_id = @schedule_id) AND (ISNULL(@attached_schedules_only, 0) = 0 OR c.jobs > 0)
ORDER BY s.schedule_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobs_in_schedule @schedule_name sysname = NULL, @schedule_id int = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
SELECT j.job_id, j.originating_server, j.name, j.enabled, j.description, j.start_step_id, c.name AS category, CONVERT(sysname, SUSER_SNAME(j.owner_sid)) AS owner,
  j.notify_level_eventlog, j.notify_level_email, j.notify_level_netsend, j.notify_level_page, j.delete_level, j.date_created, j.date_modified,
  j.version_number
FROM msdb.dbo.sysjobschedules s
JOIN msdb.dbo.sysjobs_view j ON j.job_id = s.job_id
LEFT JOIN msdb.dbo.syscategories c ON c.category_id = j.category_id
WHERE s.schedule_id = @schedule_id
ORDER BY j.name
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobcount @schedule_name sysname = NULL, @schedule_id int = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_find_schedule @schedule_id OUTPUT, @schedule_name OUTPUT
IF @refused = 1 RETURN 1
SELECT COUNT(*) AS JobCount FROM msdb.dbo.sysjobschedules WHERE schedule_id = @schedule_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobserver @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @show_last_run_details tinyint = 0 AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF @show_last_run_details = 1
  SELECT v.server_id, CONVERT(sysname, @@SERVERNAME) AS server_name, CONVERT(datetime, NULL) AS enlist_date, CONVERT(datetime, NULL) AS last_poll_date,
    v.last_run_date, v.last_run_time, v.last_run_duration, v.last_run_outcome, v.last_outcome_message
  FROM msdb.dbo.sysjobservers v WHERE v.job_id = @job_id
ELSE
  SELECT v.server_id, CONVERT(sysname, @@SERVERNAME) AS server_name, CONVERT(datetime, NULL) AS enlist_date, CONVERT(datetime, NULL) AS last_poll_date
  FROM msdb.dbo.sysjobservers v WHERE v.job_id = @job_id
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobhistory @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @sql_message_id int = NULL,
  @sql_severity int = NULL, @start_run_date int = NULL, @end_run_date int = NULL, @start_run_time int = NULL, @end_run_time int = NULL,
  @minimum_run_duration int = NULL, @run_status int = NULL, @minimum_retries int = NULL, @oldest_first int = 0, @server sysname = NULL,
  @mode varchar(7) = 'SUMMARY' AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @job_id IS NOT NULL OR @job_name IS NOT NULL EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF UPPER(@mode) NOT IN ('FULL', 'SUMMARY')
BEGIN
  RAISERROR(14266, -1, -1, N'@mode', N'FULL, SUMMARY')
  RETURN 1
END
DECLARE @found TABLE (instance_id int NOT NULL PRIMARY KEY)
INSERT @found
SELECT h.instance_id
FROM msdb.dbo.sysjobhistory h
JOIN msdb.dbo.sysjobs_view j ON j.job_id = h.job_id
WHERE (@job_id IS NULL OR h.job_id = @job_id) AND (@step_id IS NULL OR h.step_id = @step_id) AND (@sql_message_id IS NULL OR h.sql_message_id = @sql_message_id)
  AND (@sql_severity IS NULL OR h.sql_severity = @sql_severity) AND (@start_run_date IS NULL OR h.run_date >= @start_run_date)
  AND (@end_run_date IS NULL OR h.run_date <= @end_run_date) AND (@start_run_time IS NULL OR h.run_time >= @start_run_time)
  AND (@end_run_time IS NULL OR h.run_time <= @end_run_time) AND (@minimum_run_duration IS NULL OR h.run_duration >= @minimum_run_duration)
  AND (@run_status IS NULL OR h.run_status = @run_status) AND (@minimum_retries IS NULL OR h.retries_attempted >= @minimum_retries)
  AND (@server IS NULL OR h.server = @server)
IF UPPER(@mode) = 'FULL'
  SELECT h.instance_id, h.job_id, j.name AS job_name, h.step_id, h.step_name, h.sql_message_id, h.sql_severity, h.message, h.run_status, h.run_date,
    h.run_time, h.run_duration, CONVERT(nvarchar(20), e.name) AS operator_emailed, CONVERT(nvarchar(20), n.name) AS operator_netsent,
    CONVERT(nvarchar(20), p.name) AS operator_paged, h.retries_attempted, CONVERT(nvarchar(30), h.server) AS server
  FROM @found f
  JOIN msdb.dbo.sysjobhistory h ON h.instance_id = f.instance_id
  JOIN msdb.dbo.sysjobs j ON j.job_id = h.job_id
  LEFT JOIN msdb.dbo.sysoperators e ON e.id = h.operator_id_emailed
  LEFT JOIN msdb.dbo.sysoperators n ON n.id = h.operator_id_netsent
  LEFT JOIN msdb.dbo.sysoperators p ON p.id = h.operator_id_paged
  ORDER BY CASE WHEN @oldest_first = 1 THEN h.instance_id ELSE -h.instance_id END
ELSE
  SELECT h.job_id, j.name AS job_name, h.run_status, h.run_date, h.run_time, h.run_duration, CONVERT(nvarchar(20), e.name) AS operator_emailed,
    CONVERT(nvarchar(20), n.name) AS operator_netsent, CONVERT(nvarchar(20), p.name) AS operator_paged, h.retries_attempted,
    CONVERT(nvarchar(30), h.server) AS server
  FROM @found f
  JOIN msdb.dbo.sysjobhistory h ON h.instance_id = f.instance_id
  JOIN msdb.dbo.sysjobs j ON j.job_id = h.job_id
  LEFT JOIN msdb.dbo.sysoperators e ON e.id = h.operator_id_emailed
  LEFT JOIN msdb.dbo.sysoperators n ON n.id = h.operator_id_netsent
  LEFT JOIN msdb.dbo.sysoperators p ON p.id = h.operator_id_paged
  ORDER BY CASE WHEN @oldest_first = 1 THEN h.instance_id ELSE -h.instance_id END
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobactivity @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @session_id int = NULL AS
SET NOCOUNT ON
DECLARE @refused int = 0
IF @job_id IS NOT NULL OR @job_name IS NOT NULL EXEC @refused = sys.agent_find_job @job_id OUTPUT, @job_name OUTPUT
IF @refused = 1 RETURN 1
IF @session_id IS NULL SELECT @session_id = MAX(session_id) FROM msdb.dbo.syssessions
SELECT a.session_id, a.job_id, j.name AS job_name, a.run_requested_date, a.run_requested_source, a.queued_date, a.start_execution_date,
  a.last_executed_step_id, a.last_executed_step_date AS last_exectued_step_date, a.stop_execution_date, a.next_scheduled_run_date, a.job_history_id,
  CONVERT(nvarchar(1024), h.message) AS message, h.run_status, h.operator_id_emailed, h.operator_id_netsent, h.operator_id_paged
FROM msdb.dbo.sysjobactivity a
JOIN msdb.dbo.sysjobs_view j ON j.job_id = a.job_id
LEFT JOIN msdb.dbo.sysjobhistory h ON h.instance_id = a.job_history_id
WHERE a.session_id = @session_id AND (@job_id IS NULL OR a.job_id = @job_id)
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_operator @operator_name sysname = NULL, @operator_id int = NULL AS
SET NOCOUNT ON
IF @operator_name IS NOT NULL AND NOT EXISTS (SELECT * FROM msdb.dbo.sysoperators WHERE name = @operator_name)
BEGIN
  RAISERROR(14262, -1, -1, N'@operator_name', @operator_name)
  RETURN 1
END
IF @operator_id IS NOT NULL AND NOT EXISTS (SELECT * FROM msdb.dbo.sysoperators WHERE id = @operator_id)
BEGIN
  DECLARE @operator_id_text nvarchar(36) = CONVERT(nvarchar(36), @operator_id)
  RAISERROR(14262, -1, -1, N'@operator_id', @operator_id_text)
  RETURN 1
END
SELECT o.id, o.name, o.enabled, o.email_address, o.last_email_date, o.last_email_time, o.pager_address, o.last_pager_date, o.last_pager_time,
  o.weekday_pager_start_time, o.weekday_pager_end_time, o.saturday_pager_start_time, o.saturday_pager_end_time, o.sunday_pager_start_time,
  o.sunday_pager_end_time, o.pager_days, o.netsend_address, o.last_netsend_date, o.last_netsend_time, c.name AS category_name
FROM msdb.dbo.sysoperators o
LEFT JOIN msdb.dbo.syscategories c ON c.category_id = o.category_id
WHERE (@operator_name IS NULL OR o.name = @operator_name) AND (@operator_id IS NULL OR o.id = @operator_id)
ORDER BY o.name
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_category @class varchar(8) = 'JOB', @type varchar(12) = NULL, @name sysname = NULL, @suffix bit = 0 AS
SET NOCOUNT ON
DECLARE @number int = CASE UPPER(@class) WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END,
  @kind int = CASE UPPER(@type) WHEN 'LOCAL' THEN 1 WHEN 'MULTI-SERVER' THEN 2 WHEN 'NONE' THEN 3 END
IF @number IS NULL
BEGIN
  RAISERROR(14266, -1, -1, N'@class', N'JOB, ALERT, OPERATOR')
  RETURN 1
END
IF @type IS NOT NULL AND @kind IS NULL
BEGIN
  RAISERROR(14266, -1, -1, N'@type', N'LOCAL, MULTI-SERVER, NONE')
  RETURN 1
END
IF @name IS NOT NULL AND NOT EXISTS (SELECT * FROM msdb.dbo.syscategories WHERE category_class = @number AND name = @name)
BEGIN
  RAISERROR(14262, -1, -1, N'@name', @name)
  RETURN 1
END
IF @suffix = 1
  SELECT category_id, CONVERT(sysname, CASE category_type WHEN 1 THEN N'LOCAL' WHEN 2 THEN N'MULTI-SERVER' ELSE N'NONE' END) AS category_type, name
  FROM msdb.dbo.syscategories
  WHERE category_class = @number AND (@name IS NULL OR name = @name) AND (@kind IS NULL OR category_type = @kind)
  ORDER BY category_type, name
ELSE
  SELECT category_id, category_type, name
  FROM msdb.dbo.syscategories
  WHERE category_class = @number AND (@name IS NULL OR name = @name) AND (@kind IS NULL OR category_type = @kind)
  ORDER BY category_type, name
RETURN 0
GO
CREATE PROCEDURE msdb.sp_enum_sqlagent_subsystems AS
SET NOCOUNT ON
SELECT s.subsystem, CONVERT(nvarchar(80), N'Transact-SQL Subsystem') AS description, s.subsystem_dll, CONVERT(nvarchar(80), s.agent_exe) AS agent_exe,
  s.start_entry_point, s.event_entry_point, s.stop_entry_point, s.max_worker_threads, s.subsystem_id
FROM msdb.dbo.syssubsystems s
RETURN 0
GO
-- Alerts are raised by events that are written to the log: nothing here watches for them.
CREATE PROCEDURE msdb.sp_add_alert @name sysname, @message_id int = 0, @severity int = 0, @enabled tinyint = 1, @delay_between_responses int = 0,
  @notification_message nvarchar(512) = NULL, @include_event_description_in tinyint = 5, @database_name sysname = NULL,
  @event_description_keyword nvarchar(100) = NULL, @job_id uniqueidentifier = NULL, @job_name sysname = NULL,
  @raise_snmp_trap tinyint = 0, @performance_condition nvarchar(512) = NULL, @category_name sysname = NULL, @wmi_namespace nvarchar(512) = NULL,
  @wmi_query nvarchar(512) = NULL AS
RAISERROR(40510, 16, 1, N'sp_add_alert')
RETURN 1
GO
CREATE PROCEDURE msdb.sp_update_alert @name sysname AS
IF @name IS NOT NULL RAISERROR(14262, -1, -1, N'@name', @name)
RETURN 1
GO
CREATE PROCEDURE msdb.sp_delete_alert @name sysname AS
IF @name IS NOT NULL RAISERROR(14262, -1, -1, N'@name', @name)
RETURN 1
GO
CREATE PROCEDURE msdb.sp_add_notification @alert_name sysname, @operator_name sysname, @notification_method tinyint AS
IF @alert_name IS NOT NULL RAISERROR(14262, -1, -1, N'@alert_name', @alert_name)
RETURN 1
GO
CREATE PROCEDURE msdb.sp_add_proxy @proxy_name sysname, @enabled tinyint = 1, @description nvarchar(512) = NULL, @credential_name sysname = NULL,
  @credential_id int = NULL, @proxy_id int = NULL OUTPUT AS
RAISERROR(40510, 16, 1, N'sp_add_proxy')
RETURN 1
GO
-- How much history is kept is what may be set; the rest is as it is.
CREATE PROCEDURE msdb.sp_set_sqlagent_properties @auto_start int = NULL, @sqlserver_restart int = NULL, @jobhistory_max_rows int = NULL,
  @jobhistory_max_rows_per_job int = NULL, @errorlog_file nvarchar(255) = NULL, @errorlogging_level int = NULL,
  @error_recipient nvarchar(30) = NULL, @monitor_autostart int = NULL, @local_host_server sysname = NULL, @job_shutdown_timeout int = NULL,
  @cmdexec_account varbinary(64) = NULL, @regular_connections int = NULL, @host_login_name sysname = NULL,
  @host_login_password varbinary(512) = NULL, @login_timeout int = NULL, @idle_cpu_percent int = NULL, @idle_cpu_duration int = NULL,
  @oem_errorlog int = NULL, @email_profile nvarchar(64) = NULL, @email_save_in_sent_folder int = NULL, @cpu_poller_enabled int = NULL,
  @alert_replace_runtime_tokens int = NULL, @use_databasemail int = NULL, @databasemail_profile sysname = NULL AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
DECLARE @wrong sysname = CASE WHEN @jobhistory_max_rows < -1 OR @jobhistory_max_rows IN (0, 1) THEN N'@jobhistory_max_rows'
  WHEN @jobhistory_max_rows_per_job < -1 OR @jobhistory_max_rows_per_job > 999999 THEN N'@jobhistory_max_rows_per_job' END
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14266, -1, -1, @wrong, N'-1, 2..999999')
  RETURN 1
END
IF COALESCE(NULLIF(@errorlog_file, N''), @error_recipient, CONVERT(nvarchar(10), NULLIF(@use_databasemail, 0)), @databasemail_profile, @email_profile,
  CONVERT(nvarchar(10), NULLIF(@cpu_poller_enabled, 0)), CONVERT(nvarchar(10), NULLIF(@alert_replace_runtime_tokens, 0)), @host_login_name) IS NOT NULL
BEGIN
  RAISERROR(40510, 16, 1, N'sp_set_sqlagent_properties')
  RETURN 1
END
UPDATE msdb.dbo.sysagentproperties
SET history_max = ISNULL(@jobhistory_max_rows, history_max), history_of_job_max = ISNULL(@jobhistory_max_rows_per_job, history_of_job_max)
RETURN 0
GO
-- Nobody is told when no operator is.
CREATE PROCEDURE sys.sp_MSgetalertinfo @includeaddresses bit = 0 AS
SET NOCOUNT ON
SELECT CONVERT(sysname, NULL) AS AlertFailSafeOperator, CONVERT(int, 1) AS AlertNotificationMethod, CONVERT(sysname, NULL) AS AlertForwardingServer,
  CONVERT(int, 25) AS AlertForwardingSeverity, CONVERT(nvarchar(255), NULL) AS AlertPagerToTemplate, CONVERT(nvarchar(255), NULL) AS AlertPagerCCTemplate,
  CONVERT(nvarchar(255), NULL) AS AlertPagerSubjectTemplate, CONVERT(int, 1) AS AlertPagerSendSubjectOnly, CONVERT(int, 0) AS AlertForwardAlways
RETURN 0
GO
CREATE PROCEDURE sys.sp_MSsetalertinfo @failsafeoperator sysname = NULL, @notificationmethod int = NULL, @forwardingserver sysname = NULL,
  @forwardingseverity int = NULL, @pagertotemplate nvarchar(255) = NULL, @pagercctemplate nvarchar(255) = NULL,
  @pagersubjecttemplate nvarchar(255) = NULL, @pagersendsubjectonly int = NULL, @failsafeemailaddress nvarchar(255) = NULL,
  @failsafepageraddress nvarchar(255) = NULL, @failsafenetsendaddress nvarchar(255) = NULL, @forwardalways int = NULL AS
RAISERROR(40510, 16, 1, N'sp_MSsetalertinfo')
RETURN 1
GO
CREATE PROCEDURE sys.xp_servicecontrol @action varchar(20), @service sysname AS
SET NOCOUNT ON
IF UPPER(@action) = 'QUERYSTATE'
BEGIN
  SELECT CONVERT(nvarchar(30), CASE WHEN UPPER(@service) LIKE N'SQLSERVERAGENT%' OR UPPER(@service) LIKE N'SQLAGENT%' OR UPPER(@service) LIKE N'MSSQL%'
    THEN N'Running.' ELSE N'Stopped.' END) AS [Current Service State]
  RETURN 0
END
RAISERROR(40510, 16, 1, N'xp_servicecontrol')
RETURN 1
GO
CREATE PROCEDURE sys.xp_sqlagent_enum_jobs @is_sysadmin int, @job_owner sysname, @job_id uniqueidentifier = NULL AS
SET NOCOUNT ON
SELECT CONVERT(varbinary(16), j.job_id) AS [Job ID], CONVERT(int, ISNULL(v.last_run_date, 0)) AS [Last Run Date],
  CONVERT(int, ISNULL(v.last_run_time, 0)) AS [Last Run Time], CONVERT(int, ISNULL(x.next_run_date, 0)) AS [Next Run Date],
  CONVERT(int, ISNULL(x.next_run_time, 0)) AS [Next Run Time], CONVERT(int, ISNULL(x.schedule_id, 0)) AS [Next Run Schedule ID],
  CONVERT(int, CASE WHEN q.job_id IS NULL THEN 0 ELSE 1 END) AS [Requested To Run],
  CONVERT(int, CASE WHEN q.job_id IS NULL THEN ISNULL(a.run_requested_source, N'0') ELSE N'4' END) AS [Request Source],
  CONVERT(sysname, q.login) AS [Request Source ID], CONVERT(int, r.running) AS Running,
  CONVERT(int, CASE r.running WHEN 1 THEN ISNULL(a.last_executed_step_id + 1, j.start_step_id) ELSE 0 END) AS [Current Step],
  CONVERT(int, 0) AS [Current Retry Attempt], CONVERT(int, CASE r.running WHEN 1 THEN 1 ELSE 4 END) AS State
FROM msdb.dbo.sysjobs_view j
LEFT JOIN msdb.dbo.sysjobservers v ON v.job_id = j.job_id
LEFT JOIN msdb.dbo.sysjobactivity a ON a.job_id = j.job_id AND a.session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions)
LEFT JOIN msdb.dbo.sysagentrequests q ON q.job_id = j.job_id AND q.operation_code = 4
CROSS APPLY (SELECT CASE WHEN a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL THEN 1 ELSE 0 END AS running) r
OUTER APPLY (
  SELECT TOP (1) s.next_run_date, s.next_run_time, s.schedule_id
  FROM msdb.dbo.sysjobschedules s
  WHERE s.job_id = j.job_id AND s.next_run_date > 0
  ORDER BY s.next_run_date, s.next_run_time
) x
WHERE (@is_sysadmin = 1 OR j.owner_sid = SUSER_SID(@job_owner)) AND (@job_id IS NULL OR j.job_id = @job_id)
ORDER BY j.job_id
RETURN 0
GO
CREATE FUNCTION msdb.agent_datetime(@date int, @time int)
RETURNS datetime AS
BEGIN
  RETURN sys.agent_moment(@date, @time)
END
GO
