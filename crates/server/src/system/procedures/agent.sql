-- What Agent's and Database Mail's procedures in msdb tell, which this server does not have: no rows, and what is named does not exist.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sql-server-agent-stored-procedures-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/database-mail-stored-procedures-transact-sql

CREATE PROCEDURE msdb.sp_help_job @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @job_aspect varchar(9) = NULL, @job_type varchar(12) = NULL,
  @owner_login_name sysname = NULL, @subsystem nvarchar(40) = NULL, @category_name sysname = NULL, @enabled tinyint = NULL,
  @execution_status int = NULL, @date_comparator char(1) = NULL, @date_created datetime = NULL, @date_last_modified datetime = NULL,
  @description nvarchar(512) = NULL AS
SET NOCOUNT ON
IF @job_id IS NOT NULL
BEGIN
  DECLARE @job_id_text nvarchar(36) = CONVERT(nvarchar(36), @job_id)
  RAISERROR(14262, -1, -1, N'@job_id', @job_id_text)
  RETURN 1
END
IF @job_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@job_name', @job_name)
  RETURN 1
END
SELECT CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(nvarchar(30), NULL) AS originating_server, CONVERT(sysname, NULL) AS name,
  CONVERT(tinyint, NULL) AS enabled, CONVERT(nvarchar(512), NULL) AS description, CONVERT(int, NULL) AS start_step_id,
  CONVERT(sysname, NULL) AS category, CONVERT(sysname, NULL) AS owner, CONVERT(int, NULL) AS notify_level_eventlog,
  CONVERT(int, NULL) AS notify_level_email, CONVERT(int, NULL) AS notify_level_netsend, CONVERT(int, NULL) AS notify_level_page,
  CONVERT(sysname, NULL) AS notify_email_operator, CONVERT(sysname, NULL) AS notify_netsend_operator, CONVERT(sysname, NULL) AS notify_page_operator,
  CONVERT(int, NULL) AS delete_level, CONVERT(datetime, NULL) AS date_created, CONVERT(datetime, NULL) AS date_modified,
  CONVERT(int, NULL) AS version_number, CONVERT(int, NULL) AS last_run_date, CONVERT(int, NULL) AS last_run_time,
  CONVERT(int, NULL) AS last_run_outcome, CONVERT(int, NULL) AS next_run_date, CONVERT(int, NULL) AS next_run_time,
  CONVERT(int, NULL) AS next_run_schedule_id, CONVERT(int, NULL) AS current_execution_status, CONVERT(sysname, NULL) AS current_execution_step,
  CONVERT(int, NULL) AS current_retry_attempt, CONVERT(int, NULL) AS has_step, CONVERT(int, NULL) AS has_schedule, CONVERT(int, NULL) AS has_target,
  CONVERT(int, NULL) AS type
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobhistory @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @step_id int = NULL, @sql_message_id int = NULL,
  @sql_severity int = NULL, @start_run_date int = NULL, @end_run_date int = NULL, @start_run_time int = NULL, @end_run_time int = NULL,
  @minimum_run_duration int = NULL, @run_status int = NULL, @minimum_retries int = NULL, @oldest_first int = 0, @server sysname = NULL,
  @mode varchar(7) = 'SUMMARY' AS
SET NOCOUNT ON
IF @job_id IS NOT NULL
BEGIN
  DECLARE @job_id_text nvarchar(36) = CONVERT(nvarchar(36), @job_id)
  RAISERROR(14262, -1, -1, N'@job_id', @job_id_text)
  RETURN 1
END
IF @job_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@job_name', @job_name)
  RETURN 1
END
IF UPPER(@mode) = 'FULL'
SELECT CONVERT(int, NULL) AS instance_id, CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(sysname, NULL) AS job_name, CONVERT(int, NULL) AS step_id,
  CONVERT(sysname, NULL) AS step_name, CONVERT(int, NULL) AS sql_message_id, CONVERT(int, NULL) AS sql_severity,
  CONVERT(nvarchar(4000), NULL) AS message, CONVERT(int, NULL) AS run_status, CONVERT(int, NULL) AS run_date, CONVERT(int, NULL) AS run_time,
  CONVERT(int, NULL) AS run_duration, CONVERT(nvarchar(20), NULL) AS operator_emailed, CONVERT(nvarchar(20), NULL) AS operator_netsent,
  CONVERT(nvarchar(20), NULL) AS operator_paged, CONVERT(int, NULL) AS retries_attempted, CONVERT(nvarchar(30), NULL) AS server
WHERE 1 = 0
ELSE
SELECT CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(sysname, NULL) AS job_name, CONVERT(int, NULL) AS run_status, CONVERT(int, NULL) AS run_date,
  CONVERT(int, NULL) AS run_time, CONVERT(int, NULL) AS run_duration, CONVERT(nvarchar(20), NULL) AS operator_emailed,
  CONVERT(nvarchar(20), NULL) AS operator_netsent, CONVERT(nvarchar(20), NULL) AS operator_paged, CONVERT(int, NULL) AS retries_attempted,
  CONVERT(nvarchar(30), NULL) AS server
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_jobactivity @job_id uniqueidentifier = NULL, @job_name sysname = NULL, @session_id int = NULL AS
SET NOCOUNT ON
IF @job_id IS NOT NULL
BEGIN
  DECLARE @job_id_text nvarchar(36) = CONVERT(nvarchar(36), @job_id)
  RAISERROR(14262, -1, -1, N'@job_id', @job_id_text)
  RETURN 1
END
IF @job_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@job_name', @job_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS session_id, CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(sysname, NULL) AS job_name,
  CONVERT(datetime, NULL) AS run_requested_date, CONVERT(sysname, NULL) AS run_requested_source, CONVERT(datetime, NULL) AS queued_date,
  CONVERT(datetime, NULL) AS start_execution_date, CONVERT(int, NULL) AS last_executed_step_id, CONVERT(datetime, NULL) AS last_exectued_step_date,
  CONVERT(datetime, NULL) AS stop_execution_date, CONVERT(datetime, NULL) AS next_scheduled_run_date, CONVERT(int, NULL) AS job_history_id,
  CONVERT(nvarchar(1024), NULL) AS message, CONVERT(int, NULL) AS run_status, CONVERT(int, NULL) AS operator_id_emailed,
  CONVERT(int, NULL) AS operator_id_netsent, CONVERT(int, NULL) AS operator_id_paged
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_schedule @schedule_id int = NULL, @schedule_name sysname = NULL, @attached_schedules_only bit = NULL, @include_description bit = 0 AS
SET NOCOUNT ON
IF @schedule_id IS NOT NULL
BEGIN
  DECLARE @schedule_id_text nvarchar(36) = CONVERT(nvarchar(36), @schedule_id)
  RAISERROR(14262, -1, -1, N'@schedule_id', @schedule_id_text)
  RETURN 1
END
IF @schedule_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@schedule_name', @schedule_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS schedule_id, CONVERT(uniqueidentifier, NULL) AS schedule_uid, CONVERT(sysname, NULL) AS schedule_name,
  CONVERT(int, NULL) AS enabled, CONVERT(int, NULL) AS freq_type, CONVERT(int, NULL) AS freq_interval, CONVERT(int, NULL) AS freq_subday_type,
  CONVERT(int, NULL) AS freq_subday_interval, CONVERT(int, NULL) AS freq_relative_interval, CONVERT(int, NULL) AS freq_recurrence_factor,
  CONVERT(int, NULL) AS active_start_date, CONVERT(int, NULL) AS active_end_date, CONVERT(int, NULL) AS active_start_time,
  CONVERT(int, NULL) AS active_end_time, CONVERT(datetime, NULL) AS date_created, CONVERT(nvarchar(4000), NULL) AS schedule_description,
  CONVERT(int, NULL) AS job_count
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_alert @alert_name sysname = NULL, @order_by sysname = N'name', @alert_id int = NULL, @category_name sysname = NULL, @legacy_format bit = 0 AS
SET NOCOUNT ON
IF @alert_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@alert_name', @alert_name)
  RETURN 1
END
IF @alert_id IS NOT NULL
BEGIN
  DECLARE @alert_id_text nvarchar(36) = CONVERT(nvarchar(36), @alert_id)
  RAISERROR(14262, -1, -1, N'@alert_id', @alert_id_text)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(100), NULL) AS event_source, CONVERT(int, NULL) AS event_category_id,
  CONVERT(int, NULL) AS event_id, CONVERT(int, NULL) AS message_id, CONVERT(int, NULL) AS severity, CONVERT(tinyint, NULL) AS enabled,
  CONVERT(int, NULL) AS delay_between_responses, CONVERT(int, NULL) AS last_occurrence_date, CONVERT(int, NULL) AS last_occurrence_time,
  CONVERT(int, NULL) AS last_response_date, CONVERT(int, NULL) AS last_response_time, CONVERT(nvarchar(512), NULL) AS notification_message,
  CONVERT(tinyint, NULL) AS include_event_description, CONVERT(sysname, NULL) AS database_name,
  CONVERT(nvarchar(100), NULL) AS event_description_keyword, CONVERT(int, NULL) AS occurrence_count, CONVERT(int, NULL) AS count_reset_date,
  CONVERT(int, NULL) AS count_reset_time, CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(sysname, NULL) AS job_name,
  CONVERT(int, NULL) AS has_notification, CONVERT(int, NULL) AS flags, CONVERT(nvarchar(512), NULL) AS performance_condition,
  CONVERT(sysname, NULL) AS category_name, CONVERT(sysname, NULL) AS wmi_namespace, CONVERT(nvarchar(512), NULL) AS wmi_query,
  CONVERT(int, NULL) AS type
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_operator @operator_name sysname = NULL, @operator_id int = NULL AS
SET NOCOUNT ON
IF @operator_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@operator_name', @operator_name)
  RETURN 1
END
IF @operator_id IS NOT NULL
BEGIN
  DECLARE @operator_id_text nvarchar(36) = CONVERT(nvarchar(36), @operator_id)
  RAISERROR(14262, -1, -1, N'@operator_id', @operator_id_text)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS id, CONVERT(sysname, NULL) AS name, CONVERT(tinyint, NULL) AS enabled, CONVERT(nvarchar(100), NULL) AS email_address,
  CONVERT(int, NULL) AS last_email_date, CONVERT(int, NULL) AS last_email_time, CONVERT(nvarchar(100), NULL) AS pager_address,
  CONVERT(int, NULL) AS last_pager_date, CONVERT(int, NULL) AS last_pager_time, CONVERT(int, NULL) AS weekday_pager_start_time,
  CONVERT(int, NULL) AS weekday_pager_end_time, CONVERT(int, NULL) AS saturday_pager_start_time, CONVERT(int, NULL) AS saturday_pager_end_time,
  CONVERT(int, NULL) AS sunday_pager_start_time, CONVERT(int, NULL) AS sunday_pager_end_time, CONVERT(tinyint, NULL) AS pager_days,
  CONVERT(nvarchar(100), NULL) AS netsend_address, CONVERT(int, NULL) AS last_netsend_date, CONVERT(int, NULL) AS last_netsend_time,
  CONVERT(sysname, NULL) AS category_name
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_category @class varchar(8) = 'JOB', @type varchar(12) = NULL, @name sysname = NULL, @suffix bit = 0 AS
SET NOCOUNT ON
IF @name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@name', @name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS category_id, CONVERT(tinyint, NULL) AS category_type, CONVERT(sysname, NULL) AS name
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_proxy @proxy_id int = NULL, @proxy_name sysname = NULL, @subsystem_name sysname = NULL, @name nvarchar(256) = NULL AS
SET NOCOUNT ON
IF @proxy_id IS NOT NULL
BEGIN
  DECLARE @proxy_id_text nvarchar(36) = CONVERT(nvarchar(36), @proxy_id)
  RAISERROR(14262, -1, -1, N'@proxy_id', @proxy_id_text)
  RETURN 1
END
IF @proxy_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@proxy_name', @proxy_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS proxy_id, CONVERT(sysname, NULL) AS name, CONVERT(sysname, NULL) AS credential_identity, CONVERT(tinyint, NULL) AS enabled,
  CONVERT(nvarchar(1024), NULL) AS description, CONVERT(varbinary(85), NULL) AS user_sid, CONVERT(int, NULL) AS credential_id,
  CONVERT(int, NULL) AS credential_identity_exists
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_enum_login_for_proxy @name nvarchar(256) = NULL, @proxy_id int = NULL, @proxy_name sysname = NULL AS
SET NOCOUNT ON
IF @proxy_id IS NOT NULL
BEGIN
  DECLARE @proxy_id_text nvarchar(36) = CONVERT(nvarchar(36), @proxy_id)
  RAISERROR(14262, -1, -1, N'@proxy_id', @proxy_id_text)
  RETURN 1
END
IF @proxy_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@proxy_name', @proxy_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS proxy_id, CONVERT(sysname, NULL) AS proxy_name, CONVERT(int, NULL) AS flags, CONVERT(sysname, NULL) AS name,
  CONVERT(varbinary(85), NULL) AS sid, CONVERT(int, NULL) AS principal_id
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_targetserver @server_name sysname = NULL AS
SET NOCOUNT ON
IF @server_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@server_name', @server_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS server_id, CONVERT(sysname, NULL) AS server_name, CONVERT(nvarchar(200), NULL) AS location,
  CONVERT(int, NULL) AS time_zone_adjustment, CONVERT(datetime, NULL) AS enlist_date, CONVERT(datetime, NULL) AS last_poll_date,
  CONVERT(int, NULL) AS status, CONVERT(int, NULL) AS unread_instructions, CONVERT(datetime, NULL) AS local_time,
  CONVERT(nvarchar(100), NULL) AS enlisted_by_nt_user, CONVERT(int, NULL) AS poll_interval
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_help_targetservergroup @name sysname = NULL AS
SET NOCOUNT ON
IF @name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@name', @name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS servergroup_id, CONVERT(sysname, NULL) AS name
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_enum_sqlagent_subsystems AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(40), NULL) AS subsystem, CONVERT(nvarchar(80), NULL) AS description, CONVERT(nvarchar(255), NULL) AS subsystem_dll,
  CONVERT(nvarchar(80), NULL) AS agent_exe, CONVERT(nvarchar(30), NULL) AS start_entry_point, CONVERT(nvarchar(30), NULL) AS event_entry_point,
  CONVERT(nvarchar(30), NULL) AS stop_entry_point, CONVERT(int, NULL) AS max_worker_threads, CONVERT(int, NULL) AS subsystem_id
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_get_sqlagent_properties AS
SET NOCOUNT ON
SELECT CONVERT(int, NULL) AS auto_start, CONVERT(sysname, NULL) AS msx_server_name, CONVERT(int, NULL) AS sqlagent_type,
  CONVERT(nvarchar(255), NULL) AS startup_account, CONVERT(int, NULL) AS sqlserver_restart, CONVERT(int, NULL) AS jobhistory_max_rows,
  CONVERT(int, NULL) AS jobhistory_max_rows_per_job, CONVERT(nvarchar(255), NULL) AS errorlog_file, CONVERT(int, NULL) AS errorlogging_level,
  CONVERT(nvarchar(30), NULL) AS error_recipient, CONVERT(int, NULL) AS monitor_autostart, CONVERT(sysname, NULL) AS local_host_server,
  CONVERT(int, NULL) AS job_shutdown_timeout, CONVERT(varbinary(64), NULL) AS cmdexec_account, CONVERT(int, NULL) AS regular_connections,
  CONVERT(sysname, NULL) AS host_login_name, CONVERT(varbinary(512), NULL) AS host_login_password, CONVERT(int, NULL) AS login_timeout,
  CONVERT(int, NULL) AS idle_cpu_percent, CONVERT(int, NULL) AS idle_cpu_duration, CONVERT(int, NULL) AS oem_errorlog,
  CONVERT(int, NULL) AS sysadmin_only, CONVERT(nvarchar(64), NULL) AS email_profile, CONVERT(int, NULL) AS email_save_in_sent_folder,
  CONVERT(int, NULL) AS cpu_poller_enabled, CONVERT(int, NULL) AS alert_replace_runtime_tokens
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sp_msx_get_account AS
SET NOCOUNT ON
SELECT CONVERT(int, NULL) AS msx_connection, CONVERT(int, NULL) AS msx_credential_id, CONVERT(nvarchar(300), NULL) AS msx_credential_name,
  CONVERT(nvarchar(300), NULL) AS msx_login_name
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_account_sp @account_id int = NULL, @account_name sysname = NULL AS
SET NOCOUNT ON
IF @account_id IS NOT NULL
BEGIN
  DECLARE @account_id_text nvarchar(36) = CONVERT(nvarchar(36), @account_id)
  RAISERROR(14262, -1, -1, N'@account_id', @account_id_text)
  RETURN 1
END
IF @account_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@account_name', @account_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS account_id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(256), NULL) AS description,
  CONVERT(nvarchar(128), NULL) AS email_address, CONVERT(nvarchar(128), NULL) AS display_name, CONVERT(nvarchar(128), NULL) AS replyto_address,
  CONVERT(sysname, NULL) AS servertype, CONVERT(sysname, NULL) AS servername, CONVERT(int, NULL) AS port, CONVERT(nvarchar(128), NULL) AS username,
  CONVERT(bit, NULL) AS use_default_credentials, CONVERT(bit, NULL) AS enable_ssl
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_profile_sp @profile_id int = NULL, @profile_name sysname = NULL AS
SET NOCOUNT ON
IF @profile_id IS NOT NULL
BEGIN
  DECLARE @profile_id_text nvarchar(36) = CONVERT(nvarchar(36), @profile_id)
  RAISERROR(14262, -1, -1, N'@profile_id', @profile_id_text)
  RETURN 1
END
IF @profile_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@profile_name', @profile_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS profile_id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(256), NULL) AS description
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_profileaccount_sp @profile_id int = NULL, @profile_name sysname = NULL, @account_id int = NULL, @account_name sysname = NULL AS
SET NOCOUNT ON
IF @profile_id IS NOT NULL
BEGIN
  DECLARE @profile_id_text nvarchar(36) = CONVERT(nvarchar(36), @profile_id)
  RAISERROR(14262, -1, -1, N'@profile_id', @profile_id_text)
  RETURN 1
END
IF @profile_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@profile_name', @profile_name)
  RETURN 1
END
IF @account_id IS NOT NULL
BEGIN
  DECLARE @account_id_text nvarchar(36) = CONVERT(nvarchar(36), @account_id)
  RAISERROR(14262, -1, -1, N'@account_id', @account_id_text)
  RETURN 1
END
IF @account_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@account_name', @account_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS profile_id, CONVERT(sysname, NULL) AS profile_name, CONVERT(int, NULL) AS account_id, CONVERT(sysname, NULL) AS account_name,
  CONVERT(int, NULL) AS sequence_number
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_principalprofile_sp @principal_id int = NULL, @principal_name sysname = NULL, @profile_id int = NULL, @profile_name sysname = NULL AS
SET NOCOUNT ON
IF @profile_id IS NOT NULL
BEGIN
  DECLARE @profile_id_text nvarchar(36) = CONVERT(nvarchar(36), @profile_id)
  RAISERROR(14262, -1, -1, N'@profile_id', @profile_id_text)
  RETURN 1
END
IF @profile_name IS NOT NULL
BEGIN
  RAISERROR(14262, -1, -1, N'@profile_name', @profile_name)
  RETURN 1
END
SELECT CONVERT(int, NULL) AS principal_id, CONVERT(sysname, NULL) AS principal_name, CONVERT(int, NULL) AS profile_id,
  CONVERT(sysname, NULL) AS profile_name, CONVERT(bit, NULL) AS is_default
WHERE 1 = 0
RETURN 0
GO
CREATE PROCEDURE msdb.sysmail_help_configure_sp @parameter_name nvarchar(256) = NULL AS
SET NOCOUNT ON
SELECT CONVERT(nvarchar(256), NULL) AS paramname, CONVERT(nvarchar(256), NULL) AS paramvalue, CONVERT(nvarchar(256), NULL) AS description
WHERE 1 = 0
RETURN 0
GO
