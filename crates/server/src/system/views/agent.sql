-- What msdb has as dbo's beside Agent's tables (`agent/tables.sql`): of alerts, proxies, Database Mail, policies, packages and log shipping,
-- which this server does not have, no rows. Columns:
-- https://learn.microsoft.com/sql/relational-databases/system-tables/sql-server-agent-tables-transact-sql
-- Of restores and marks of the log, there is not told which files and marks they were.
-- And master's table of small numbers, by which scripts count.

CREATE VIEW msdb.sysjobs_view AS
SELECT j.job_id, CONVERT(sysname, @@SERVERNAME) AS originating_server, j.name, j.enabled, j.description, j.start_step_id, j.category_id, j.owner_sid,
  j.notify_level_eventlog, j.notify_level_email, j.notify_level_netsend, j.notify_level_page, j.notify_email_operator_id,
  j.notify_netsend_operator_id, j.notify_page_operator_id, j.delete_level, j.date_created, j.date_modified, j.version_number,
  j.originating_server_id, CONVERT(int, 0) AS master_server
FROM msdb.dbo.sysjobs j
WHERE j.owner_sid = SUSER_SID() OR IS_SRVROLEMEMBER(N'sysadmin') = 1
GO
CREATE VIEW msdb.sysschedules_localserver_view AS
SELECT s.schedule_id, s.schedule_uid, s.originating_server_id, s.name, s.owner_sid, s.enabled, s.freq_type, s.freq_interval, s.freq_subday_type,
  s.freq_subday_interval, s.freq_relative_interval, s.freq_recurrence_factor, s.active_start_date, s.active_end_date, s.active_start_time,
  s.active_end_time, s.date_created, s.date_modified, s.version_number, CONVERT(sysname, @@SERVERNAME) AS originating_server, CONVERT(int, 0) AS master_server
FROM msdb.dbo.sysschedules s
WHERE s.owner_sid = SUSER_SID() OR IS_SRVROLEMEMBER(N'sysadmin') = 1
GO
CREATE VIEW msdb.sysoriginatingservers_view AS
SELECT CONVERT(int, 0) AS originating_server_id, CONVERT(sysname, @@SERVERNAME) AS originating_server, CONVERT(bit, 0) AS master_server
GO
CREATE VIEW msdb.syssubsystems AS
SELECT CONVERT(int, 1) AS subsystem_id, CONVERT(nvarchar(40), N'TSQL') AS subsystem, CONVERT(int, 14556) AS description_id,
  CONVERT(nvarchar(255), N'[Internal]') AS subsystem_dll, CONVERT(nvarchar(255), N'[Internal]') AS agent_exe,
  CONVERT(nvarchar(30), N'[Internal]') AS start_entry_point, CONVERT(nvarchar(30), N'[Internal]') AS event_entry_point,
  CONVERT(nvarchar(30), N'[Internal]') AS stop_entry_point, CONVERT(int, 20) AS max_worker_threads
GO
CREATE VIEW msdb.sysalerts AS
SELECT CONVERT(int, NULL) AS id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(100), NULL) AS event_source, CONVERT(int, NULL) AS event_category_id,
  CONVERT(int, NULL) AS event_id, CONVERT(int, NULL) AS message_id, CONVERT(int, NULL) AS severity, CONVERT(tinyint, NULL) AS enabled,
  CONVERT(int, NULL) AS delay_between_responses, CONVERT(int, NULL) AS last_occurrence_date, CONVERT(int, NULL) AS last_occurrence_time,
  CONVERT(int, NULL) AS last_response_date, CONVERT(int, NULL) AS last_response_time, CONVERT(nvarchar(512), NULL) AS notification_message,
  CONVERT(tinyint, NULL) AS include_event_description, CONVERT(nvarchar(512), NULL) AS database_name, CONVERT(nvarchar(100), NULL) AS event_description_keyword,
  CONVERT(int, NULL) AS occurrence_count, CONVERT(int, NULL) AS count_reset_date, CONVERT(int, NULL) AS count_reset_time, CONVERT(uniqueidentifier, NULL) AS job_id,
  CONVERT(int, NULL) AS has_notification, CONVERT(int, NULL) AS flags, CONVERT(nvarchar(512), NULL) AS performance_condition, CONVERT(int, NULL) AS category_id
WHERE 1 = 0
GO
CREATE VIEW msdb.sysnotifications AS
SELECT CONVERT(int, NULL) AS alert_id, CONVERT(int, NULL) AS operator_id, CONVERT(tinyint, NULL) AS notification_method
WHERE 1 = 0
GO
CREATE VIEW msdb.sysproxies AS
SELECT CONVERT(int, NULL) AS proxy_id, CONVERT(sysname, NULL) AS name, CONVERT(int, NULL) AS credential_id, CONVERT(tinyint, NULL) AS enabled,
  CONVERT(nvarchar(512), NULL) AS description, CONVERT(varbinary(85), NULL) AS user_sid, CONVERT(datetime, NULL) AS credential_date_created
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmail_profile AS
SELECT CONVERT(int, NULL) AS profile_id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(256), NULL) AS description,
  CONVERT(datetime, NULL) AS last_mod_datetime, CONVERT(sysname, NULL) AS last_mod_user
WHERE 1 = 0
GO
CREATE VIEW msdb.syspolicy_policies AS
SELECT CONVERT(int, NULL) AS policy_id, CONVERT(sysname, NULL) AS name, CONVERT(int, NULL) AS condition_id, CONVERT(int, NULL) AS root_condition_id,
  CONVERT(datetime, NULL) AS date_created, CONVERT(int, NULL) AS execution_mode, CONVERT(int, NULL) AS policy_category_id,
  CONVERT(uniqueidentifier, NULL) AS schedule_uid, CONVERT(nvarchar(max), NULL) AS description, CONVERT(nvarchar(4000), NULL) AS help_text,
  CONVERT(nvarchar(2083), NULL) AS help_link, CONVERT(int, NULL) AS object_set_id, CONVERT(bit, NULL) AS is_enabled, CONVERT(uniqueidentifier, NULL) AS job_id,
  CONVERT(sysname, NULL) AS created_by, CONVERT(sysname, NULL) AS modified_by, CONVERT(datetime, NULL) AS date_modified
WHERE 1 = 0
GO
CREATE VIEW msdb.syspolicy_system_health_state AS
SELECT CONVERT(bigint, NULL) AS health_state_id, CONVERT(int, NULL) AS policy_id, CONVERT(datetime, NULL) AS last_run_date,
  CONVERT(nvarchar(400), NULL) AS target_query_expression_with_id, CONVERT(nvarchar(max), NULL) AS target_query_expression, CONVERT(bit, NULL) AS result
WHERE 1 = 0
GO
CREATE VIEW msdb.syspolicy_configuration AS
SELECT CONVERT(sysname, v.name) AS name, CONVERT(sql_variant, CONVERT(int, v.value)) AS current_value
FROM (VALUES (N'Enabled', 0), (N'HistoryRetentionInDays', 0), (N'LogOnSuccess', 0)) AS v(name, value)
GO
CREATE FUNCTION msdb.fn_syspolicy_is_automation_enabled()
RETURNS bit AS
BEGIN
  RETURN 0
END
GO
CREATE VIEW master_dbo.spt_values AS
SELECT CONVERT(nvarchar(35), NULL) AS name, CONVERT(int, a.n + 8 * b.n + 64 * c.n + 512 * d.n) AS number, CONVERT(nchar(3), N'P') AS type,
  CONVERT(int, 1 + b.n + 8 * c.n + 64 * d.n) AS low, CONVERT(int, a.bit) AS high, CONVERT(int, 0) AS status
FROM (VALUES (0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 64), (7, 128)) AS a(n, bit)
CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7)) AS b(n)
CROSS JOIN (VALUES (0), (1), (2), (3), (4), (5), (6), (7)) AS c(n)
CROSS JOIN (VALUES (0), (1), (2), (3)) AS d(n)
UNION ALL
SELECT CONVERT(nvarchar(35), v.name), CONVERT(int, v.number), CONVERT(nchar(3), v.type), CONVERT(int, v.low), CONVERT(int, NULL), CONVERT(int, 0)
FROM (VALUES
  (N'SQLSERVER HOST TYPE', 0, N'E', 0), (N'WINDOWS/NT', 1, N'E', 8192),
  (N'LOCK TYPES', 0, N'L', NULL), (N'NULL', 1, N'L', NULL), (N'Sch-S', 2, N'L', NULL), (N'Sch-M', 3, N'L', NULL), (N'S', 4, N'L', NULL), (N'U', 5, N'L', NULL),
  (N'X', 6, N'L', NULL), (N'IS', 7, N'L', NULL), (N'IU', 8, N'L', NULL), (N'IX', 9, N'L', NULL), (N'SIU', 10, N'L', NULL), (N'SIX', 11, N'L', NULL),
  (N'UIX', 12, N'L', NULL), (N'BU', 13, N'L', NULL), (N'RangeS-S', 14, N'L', NULL), (N'RangeS-U', 15, N'L', NULL), (N'RangeIn-Null', 16, N'L', NULL),
  (N'RangeIn-S', 17, N'L', NULL), (N'RangeIn-U', 18, N'L', NULL), (N'RangeIn-X', 19, N'L', NULL), (N'RangeX-S', 20, N'L', NULL),
  (N'RangeX-U', 21, N'L', NULL), (N'RangeX-X', 22, N'L', NULL),
  (N'LOCK RESOURCES', 0, N'LR', NULL), (N'NUL', 1, N'LR', NULL), (N'DB', 2, N'LR', NULL), (N'FIL', 3, N'LR', NULL), (N'IDX', 4, N'LR', NULL),
  (N'TAB', 5, N'LR', NULL), (N'PAG', 6, N'LR', NULL), (N'KEY', 7, N'LR', NULL), (N'EXT', 8, N'LR', NULL), (N'RID', 9, N'LR', NULL), (N'APP', 10, N'LR', NULL),
  (N'LOCK REQ STATUS', 0, N'LS', NULL), (N'GRANT', 1, N'LS', NULL), (N'CNVT', 2, N'LS', NULL), (N'WAIT', 3, N'LS', NULL)
) AS v(name, number, type, low)
GO
CREATE VIEW msdb.restorefile AS
SELECT CONVERT(int, NULL) AS restore_history_id, CONVERT(numeric(10, 0), NULL) AS file_number, CONVERT(nvarchar(260), NULL) AS destination_phys_drive,
  CONVERT(nvarchar(260), NULL) AS destination_phys_name
WHERE 1 = 0
GO
CREATE VIEW msdb.restorefilegroup AS
SELECT CONVERT(int, NULL) AS restore_history_id, CONVERT(nvarchar(128), NULL) AS filegroup_name
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmaintplan_plans AS
SELECT CONVERT(sysname, NULL) AS name, CONVERT(uniqueidentifier, NULL) AS id, CONVERT(nvarchar(512), NULL) AS description,
  CONVERT(datetime, NULL) AS create_date, CONVERT(sysname, NULL) AS owner, CONVERT(int, NULL) AS version_major, CONVERT(int, NULL) AS version_minor,
  CONVERT(int, NULL) AS version_build, CONVERT(nvarchar(512), NULL) AS version_comments, CONVERT(bit, NULL) AS from_msx,
  CONVERT(bit, NULL) AS has_targets
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmaintplan_subplans AS
SELECT CONVERT(uniqueidentifier, NULL) AS subplan_id, CONVERT(sysname, NULL) AS subplan_name, CONVERT(nvarchar(512), NULL) AS subplan_description,
  CONVERT(uniqueidentifier, NULL) AS plan_id, CONVERT(uniqueidentifier, NULL) AS job_id, CONVERT(uniqueidentifier, NULL) AS msx_job_id,
  CONVERT(int, NULL) AS schedule_id, CONVERT(bit, NULL) AS msx_plan
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmaintplan_log AS
SELECT CONVERT(uniqueidentifier, NULL) AS task_detail_id, CONVERT(uniqueidentifier, NULL) AS plan_id, CONVERT(uniqueidentifier, NULL) AS subplan_id,
  CONVERT(datetime, NULL) AS start_time, CONVERT(datetime, NULL) AS end_time, CONVERT(bit, NULL) AS succeeded, CONVERT(bit, NULL) AS logged_remotely,
  CONVERT(sysname, NULL) AS source_server_name, CONVERT(sysname, NULL) AS plan_name, CONVERT(sysname, NULL) AS subplan_name
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmaintplan_logdetail AS
SELECT CONVERT(uniqueidentifier, NULL) AS task_detail_id, CONVERT(nvarchar(256), NULL) AS line1, CONVERT(nvarchar(256), NULL) AS line2,
  CONVERT(nvarchar(256), NULL) AS line3, CONVERT(nvarchar(256), NULL) AS line4, CONVERT(nvarchar(256), NULL) AS line5,
  CONVERT(sysname, NULL) AS server_name, CONVERT(datetime, NULL) AS start_time, CONVERT(datetime, NULL) AS end_time,
  CONVERT(int, NULL) AS error_number, CONVERT(nvarchar(max), NULL) AS error_message, CONVERT(nvarchar(max), NULL) AS command,
  CONVERT(bit, NULL) AS succeeded
WHERE 1 = 0
GO
CREATE VIEW msdb.sysdbmaintplans AS
SELECT CONVERT(uniqueidentifier, NULL) AS plan_id, CONVERT(sysname, NULL) AS plan_name, CONVERT(datetime, NULL) AS date_created,
  CONVERT(sysname, NULL) AS owner, CONVERT(int, NULL) AS max_history_rows, CONVERT(sysname, NULL) AS remote_history_server,
  CONVERT(int, NULL) AS max_remote_history_rows, CONVERT(int, NULL) AS user_defined_1, CONVERT(nvarchar(100), NULL) AS user_defined_2,
  CONVERT(datetime, NULL) AS user_defined_3, CONVERT(uniqueidentifier, NULL) AS user_defined_4, CONVERT(bit, NULL) AS log_shipping
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmail_account AS
SELECT CONVERT(int, NULL) AS account_id, CONVERT(sysname, NULL) AS name, CONVERT(nvarchar(256), NULL) AS description,
  CONVERT(nvarchar(128), NULL) AS email_address, CONVERT(nvarchar(128), NULL) AS display_name, CONVERT(nvarchar(128), NULL) AS replyto_address,
  CONVERT(datetime, NULL) AS last_mod_datetime, CONVERT(sysname, NULL) AS last_mod_user
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmail_allitems AS
SELECT CONVERT(int, NULL) AS mailitem_id, CONVERT(int, NULL) AS profile_id, CONVERT(varchar(max), NULL) AS recipients,
  CONVERT(varchar(max), NULL) AS copy_recipients, CONVERT(varchar(max), NULL) AS blind_copy_recipients, CONVERT(nvarchar(255), NULL) AS subject,
  CONVERT(nvarchar(max), NULL) AS body, CONVERT(varchar(20), NULL) AS body_format, CONVERT(varchar(6), NULL) AS importance,
  CONVERT(varchar(12), NULL) AS sensitivity, CONVERT(nvarchar(max), NULL) AS file_attachments, CONVERT(varchar(20), NULL) AS attachment_encoding,
  CONVERT(nvarchar(max), NULL) AS query, CONVERT(sysname, NULL) AS execute_query_database, CONVERT(bit, NULL) AS attach_query_result_as_file,
  CONVERT(bit, NULL) AS query_result_header, CONVERT(int, NULL) AS query_result_width, CONVERT(char(1), NULL) AS query_result_separator,
  CONVERT(bit, NULL) AS exclude_query_output, CONVERT(bit, NULL) AS append_query_error, CONVERT(datetime, NULL) AS send_request_date,
  CONVERT(sysname, NULL) AS send_request_user, CONVERT(int, NULL) AS sent_account_id, CONVERT(varchar(8), NULL) AS sent_status,
  CONVERT(datetime, NULL) AS sent_date, CONVERT(datetime, NULL) AS last_mod_date, CONVERT(sysname, NULL) AS last_mod_user
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmail_faileditems AS
SELECT * FROM msdb.dbo.sysmail_allitems
GO
CREATE VIEW msdb.sysmail_sentitems AS
SELECT * FROM msdb.dbo.sysmail_allitems
GO
CREATE VIEW msdb.sysmail_unsentitems AS
SELECT * FROM msdb.dbo.sysmail_allitems
GO
CREATE VIEW msdb.sysmail_mailattachments AS
SELECT CONVERT(int, NULL) AS attachment_id, CONVERT(int, NULL) AS mailitem_id, CONVERT(nvarchar(520), NULL) AS filename,
  CONVERT(int, NULL) AS filesize, CONVERT(varbinary(max), NULL) AS attachment, CONVERT(datetime, NULL) AS last_mod_date,
  CONVERT(sysname, NULL) AS last_mod_user
WHERE 1 = 0
GO
CREATE VIEW msdb.sysmail_event_log AS
SELECT CONVERT(int, NULL) AS log_id, CONVERT(varchar(11), NULL) AS event_type, CONVERT(datetime, NULL) AS log_date,
  CONVERT(nvarchar(max), NULL) AS description, CONVERT(int, NULL) AS process_id, CONVERT(int, NULL) AS mailitem_id, CONVERT(int, NULL) AS account_id,
  CONVERT(datetime, NULL) AS last_mod_date, CONVERT(sysname, NULL) AS last_mod_user
WHERE 1 = 0
GO
CREATE VIEW msdb.sysalerts_performance_counters_view AS
SELECT CONVERT(nvarchar(128), NULL) AS object_name, CONVERT(nvarchar(128), NULL) AS counter_name, CONVERT(nvarchar(128), NULL) AS instance_name,
  CONVERT(bigint, NULL) AS cntr_value, CONVERT(int, NULL) AS cntr_type
WHERE 1 = 0
GO
CREATE VIEW msdb.sysssispackages AS
SELECT CONVERT(sysname, NULL) AS name, CONVERT(uniqueidentifier, NULL) AS id, CONVERT(nvarchar(1024), NULL) AS description,
  CONVERT(datetime, NULL) AS createdate, CONVERT(uniqueidentifier, NULL) AS folderid, CONVERT(varbinary(85), NULL) AS ownersid,
  CONVERT(varbinary(max), NULL) AS packagedata, CONVERT(int, NULL) AS packageformat, CONVERT(int, NULL) AS packagetype,
  CONVERT(int, NULL) AS vermajor, CONVERT(int, NULL) AS verminor, CONVERT(int, NULL) AS verbuild, CONVERT(nvarchar(1024), NULL) AS vercomments,
  CONVERT(uniqueidentifier, NULL) AS verid, CONVERT(bit, NULL) AS isencrypted, CONVERT(varbinary(85), NULL) AS readrolesid,
  CONVERT(varbinary(85), NULL) AS writerolesid
WHERE 1 = 0
GO
CREATE VIEW msdb.sysssispackagefolders AS
SELECT CONVERT(uniqueidentifier, NULL) AS folderid, CONVERT(uniqueidentifier, NULL) AS parentfolderid, CONVERT(sysname, NULL) AS foldername
WHERE 1 = 0
GO
CREATE VIEW msdb.sysssislog AS
SELECT CONVERT(int, NULL) AS id, CONVERT(sysname, NULL) AS event, CONVERT(nvarchar(128), NULL) AS computer, CONVERT(nvarchar(128), NULL) AS operator,
  CONVERT(nvarchar(1024), NULL) AS source, CONVERT(uniqueidentifier, NULL) AS sourceid, CONVERT(uniqueidentifier, NULL) AS executionid,
  CONVERT(datetime, NULL) AS starttime, CONVERT(datetime, NULL) AS endtime, CONVERT(int, NULL) AS datacode,
  CONVERT(varbinary(max), NULL) AS databytes, CONVERT(nvarchar(2048), NULL) AS message
WHERE 1 = 0
GO
CREATE VIEW msdb.log_shipping_primary_databases AS
SELECT CONVERT(uniqueidentifier, NULL) AS primary_id, CONVERT(sysname, NULL) AS primary_database, CONVERT(nvarchar(500), NULL) AS backup_directory,
  CONVERT(nvarchar(500), NULL) AS backup_share, CONVERT(int, NULL) AS backup_retention_period, CONVERT(uniqueidentifier, NULL) AS backup_job_id,
  CONVERT(sysname, NULL) AS monitor_server, CONVERT(bit, NULL) AS monitor_server_security_mode, CONVERT(nvarchar(500), NULL) AS last_backup_file,
  CONVERT(datetime, NULL) AS last_backup_date, CONVERT(bit, NULL) AS user_specified_monitor, CONVERT(tinyint, NULL) AS backup_compression
WHERE 1 = 0
GO
CREATE VIEW msdb.log_shipping_secondary_databases AS
SELECT CONVERT(sysname, NULL) AS secondary_database, CONVERT(uniqueidentifier, NULL) AS secondary_id, CONVERT(int, NULL) AS restore_delay,
  CONVERT(bit, NULL) AS restore_all, CONVERT(bit, NULL) AS restore_mode, CONVERT(bit, NULL) AS disconnect_users, CONVERT(int, NULL) AS block_size,
  CONVERT(int, NULL) AS buffer_count, CONVERT(int, NULL) AS max_transfer_size, CONVERT(nvarchar(500), NULL) AS last_restored_file,
  CONVERT(datetime, NULL) AS last_restored_date
WHERE 1 = 0
GO
