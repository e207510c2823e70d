-- What Agent's procedures tell of alerts, proxies and other servers, and Database Mail's, which this server does not have: no rows, and
-- what is named does not exist.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sql-server-agent-stored-procedures-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/database-mail-stored-procedures-transact-sql

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
CREATE PROCEDURE msdb.sp_get_sqlagent_properties AS
SET NOCOUNT ON
SELECT CONVERT(int, 1) AS auto_start, CONVERT(sysname, NULL) AS msx_server_name, CONVERT(int, 1) AS sqlagent_type,
  CONVERT(nvarchar(255), NULL) AS startup_account, CONVERT(int, 0) AS sqlserver_restart, p.history_max AS jobhistory_max_rows,
  p.history_of_job_max AS jobhistory_max_rows_per_job, CONVERT(nvarchar(255), NULL) AS errorlog_file, CONVERT(int, 3) AS errorlogging_level,
  CONVERT(nvarchar(30), NULL) AS error_recipient, CONVERT(int, 0) AS monitor_autostart, CONVERT(sysname, NULL) AS local_host_server,
  CONVERT(int, 15) AS job_shutdown_timeout, CONVERT(varbinary(64), NULL) AS cmdexec_account, CONVERT(int, 1) AS regular_connections,
  CONVERT(sysname, NULL) AS host_login_name, CONVERT(varbinary(512), NULL) AS host_login_password, CONVERT(int, 30) AS login_timeout,
  CONVERT(int, 10) AS idle_cpu_percent, CONVERT(int, 600) AS idle_cpu_duration, CONVERT(int, 0) AS oem_errorlog,
  CONVERT(int, 1) AS sysadmin_only, CONVERT(nvarchar(64), NULL) AS email_profile, CONVERT(int, 0) AS email_save_in_sent_folder,
  CONVERT(int, 0) AS cpu_poller_enabled, CONVERT(int, 0) AS alert_replace_runtime_tokens
FROM msdb.dbo.sysagentproperties p
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
CREATE PROCEDURE msdb.sysmail_add_account_sp @account_name sysname, @email_address nvarchar(128), @display_name nvarchar(128) = NULL, @replyto_address nvarchar(128) = NULL, @description nvarchar(256) = NULL,
  @mailserver_name sysname = NULL, @mailserver_type sysname = N'SMTP', @port int = 25, @username nvarchar(128) = NULL, @password nvarchar(128) = NULL,
  @use_default_credentials bit = 0, @enable_ssl bit = 0, @account_id int = NULL OUTPUT AS
RAISERROR(40510, 16, 1, N'sysmail_add_account_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_add_profile_sp @profile_name sysname, @description nvarchar(256) = NULL, @profile_id int = NULL OUTPUT AS
RAISERROR(40510, 16, 1, N'sysmail_add_profile_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_add_profileaccount_sp @profile_id int = NULL, @profile_name sysname = NULL, @account_id int = NULL, @account_name sysname = NULL, @sequence_number int = NULL AS
RAISERROR(40510, 16, 1, N'sysmail_add_profileaccount_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_add_principalprofile_sp @principal_id int = NULL, @principal_name sysname = NULL, @profile_id int = NULL, @profile_name sysname = NULL, @is_default bit = 0 AS
RAISERROR(40510, 16, 1, N'sysmail_add_principalprofile_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_configure_sp @parameter_name nvarchar(256), @parameter_value nvarchar(256), @description nvarchar(256) = NULL AS
RAISERROR(40510, 16, 1, N'sysmail_configure_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_start_sp AS
RAISERROR(40510, 16, 1, N'sysmail_start_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sysmail_stop_sp AS
RAISERROR(40510, 16, 1, N'sysmail_stop_sp')
RETURN 1
GO
CREATE PROCEDURE msdb.sp_send_dbmail @profile_name sysname = NULL, @recipients varchar(max) = NULL, @copy_recipients varchar(max) = NULL, @blind_copy_recipients varchar(max) = NULL,
  @subject nvarchar(255) = NULL, @body nvarchar(max) = NULL, @body_format varchar(20) = NULL, @importance varchar(6) = 'NORMAL',
  @sensitivity varchar(12) = 'NORMAL', @file_attachments nvarchar(max) = NULL, @query nvarchar(max) = NULL, @execute_query_database sysname = NULL,
  @attach_query_result_as_file bit = 0, @query_attachment_filename nvarchar(260) = NULL, @query_result_header bit = 1,
  @query_result_width int = 256, @query_result_separator char(1) = ' ', @exclude_query_output bit = 0, @append_query_error bit = 0,
  @query_no_truncate bit = 0, @query_result_no_padding bit = 0, @mailitem_id int = NULL OUTPUT, @from_address varchar(max) = NULL,
  @reply_to varchar(max) = NULL AS
RAISERROR(40510, 16, 1, N'sp_send_dbmail')
RETURN 1
GO
