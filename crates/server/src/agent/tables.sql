-- The tables of SQL Server Agent, dbo's in msdb.
-- https://learn.microsoft.com/sql/relational-databases/system-tables/sql-server-agent-tables-transact-sql

CREATE TABLE dbo.syscategories (
  category_id int IDENTITY(104, 1) NOT NULL PRIMARY KEY, category_class int NOT NULL, category_type tinyint NOT NULL, name sysname NOT NULL,
  UNIQUE (name, category_class)
);
SET IDENTITY_INSERT dbo.syscategories ON;
INSERT dbo.syscategories (category_id, category_class, category_type, name) VALUES
  (0, 1, 1, N'[Uncategorized (Local)]'), (1, 1, 1, N'Jobs from MSX'), (2, 1, 2, N'[Uncategorized (Multi-Server)]'),
  (3, 1, 1, N'Database Maintenance'), (4, 1, 1, N'Web Assistant'), (5, 1, 1, N'Full-Text'), (6, 1, 1, N'Log Shipping'),
  (7, 1, 1, N'Database Engine Tuning Advisor'), (8, 1, 1, N'Data Collector'), (10, 1, 1, N'REPL-Distribution'),
  (11, 1, 1, N'REPL-Distribution Cleanup'), (12, 1, 1, N'REPL-History Cleanup'), (13, 1, 1, N'REPL-LogReader'), (14, 1, 1, N'REPL-Merge'),
  (15, 1, 1, N'REPL-Snapshot'), (16, 1, 1, N'REPL-Checkup'), (17, 1, 1, N'REPL-Subscription Cleanup'), (18, 1, 1, N'REPL-Alert Response'),
  (19, 1, 1, N'REPL-QueueReader'), (20, 2, 3, N'Replication'), (98, 2, 3, N'[Uncategorized]'), (99, 3, 3, N'[Uncategorized]');
SET IDENTITY_INSERT dbo.syscategories OFF;

CREATE TABLE dbo.sysoperators (
  id int IDENTITY NOT NULL PRIMARY KEY, name sysname NOT NULL UNIQUE, enabled tinyint NOT NULL, email_address nvarchar(100) NULL,
  last_email_date int NOT NULL, last_email_time int NOT NULL, pager_address nvarchar(100) NULL, last_pager_date int NOT NULL,
  last_pager_time int NOT NULL, weekday_pager_start_time int NOT NULL, weekday_pager_end_time int NOT NULL,
  saturday_pager_start_time int NOT NULL, saturday_pager_end_time int NOT NULL, sunday_pager_start_time int NOT NULL,
  sunday_pager_end_time int NOT NULL, pager_days tinyint NOT NULL, netsend_address nvarchar(100) NULL, last_netsend_date int NOT NULL,
  last_netsend_time int NOT NULL, category_id int NOT NULL
);

CREATE TABLE dbo.sysjobs (
  job_id uniqueidentifier NOT NULL PRIMARY KEY, originating_server_id int NOT NULL, name sysname NOT NULL, enabled tinyint NOT NULL,
  description nvarchar(512) NULL, start_step_id int NOT NULL, category_id int NOT NULL, owner_sid varbinary(85) NOT NULL,
  notify_level_eventlog int NOT NULL, notify_level_email int NOT NULL, notify_level_netsend int NOT NULL, notify_level_page int NOT NULL,
  notify_email_operator_id int NOT NULL, notify_netsend_operator_id int NOT NULL, notify_page_operator_id int NOT NULL,
  delete_level int NOT NULL, date_created datetime NOT NULL, date_modified datetime NOT NULL, version_number int NOT NULL,
  INDEX nc1 (name), INDEX nc3 (category_id), INDEX nc4 (owner_sid)
);

CREATE TABLE dbo.sysjobsteps (
  job_id uniqueidentifier NOT NULL, step_id int NOT NULL, step_name sysname NOT NULL, subsystem nvarchar(40) NOT NULL,
  command nvarchar(max) NULL, flags int NOT NULL, additional_parameters nvarchar(max) NULL, cmdexec_success_code int NOT NULL,
  on_success_action tinyint NOT NULL, on_success_step_id int NOT NULL, on_fail_action tinyint NOT NULL, on_fail_step_id int NOT NULL,
  server sysname NULL, database_name sysname NULL, database_user_name sysname NULL, retry_attempts int NOT NULL,
  retry_interval int NOT NULL, os_run_priority int NOT NULL, output_file_name nvarchar(200) NULL, last_run_outcome int NOT NULL,
  last_run_duration int NOT NULL, last_run_retries int NOT NULL, last_run_date int NOT NULL, last_run_time int NOT NULL, proxy_id int NULL,
  step_uid uniqueidentifier NULL, PRIMARY KEY (job_id, step_id)
);

CREATE TABLE dbo.sysschedules (
  schedule_id int IDENTITY NOT NULL PRIMARY KEY, schedule_uid uniqueidentifier NOT NULL, originating_server_id int NOT NULL,
  name sysname NOT NULL, owner_sid varbinary(85) NOT NULL, enabled int NOT NULL, freq_type int NOT NULL, freq_interval int NOT NULL,
  freq_subday_type int NOT NULL, freq_subday_interval int NOT NULL, freq_relative_interval int NOT NULL, freq_recurrence_factor int NOT NULL,
  active_start_date int NOT NULL, active_end_date int NOT NULL, active_start_time int NOT NULL, active_end_time int NOT NULL,
  date_created datetime NOT NULL, date_modified datetime NOT NULL, version_number int NOT NULL
);

CREATE TABLE dbo.sysjobschedules (
  schedule_id int NOT NULL, job_id uniqueidentifier NOT NULL, next_run_date int NOT NULL, next_run_time int NOT NULL,
  PRIMARY KEY (job_id, schedule_id)
);

CREATE TABLE dbo.sysjobservers (
  job_id uniqueidentifier NOT NULL, server_id int NOT NULL, last_run_outcome tinyint NOT NULL, last_outcome_message nvarchar(4000) NULL,
  last_run_date int NOT NULL, last_run_time int NOT NULL, last_run_duration int NOT NULL, PRIMARY KEY (job_id, server_id)
);

CREATE TABLE dbo.sysjobhistory (
  instance_id int IDENTITY NOT NULL PRIMARY KEY, job_id uniqueidentifier NOT NULL, step_id int NOT NULL, step_name sysname NOT NULL,
  sql_message_id int NOT NULL, sql_severity int NOT NULL, message nvarchar(4000) NULL, run_status int NOT NULL, run_date int NOT NULL,
  run_time int NOT NULL, run_duration int NOT NULL, operator_id_emailed int NOT NULL, operator_id_netsent int NOT NULL,
  operator_id_paged int NOT NULL, retries_attempted int NOT NULL, server sysname NOT NULL,
  INDEX nc1 (job_id)
);

CREATE TABLE dbo.syssessions (session_id int IDENTITY NOT NULL PRIMARY KEY, agent_start_date datetime NOT NULL);

CREATE TABLE dbo.sysjobactivity (
  session_id int NOT NULL, job_id uniqueidentifier NOT NULL, run_requested_date datetime NULL, run_requested_source sysname NULL,
  queued_date datetime NULL, start_execution_date datetime NULL, last_executed_step_id int NULL, last_executed_step_date datetime NULL,
  stop_execution_date datetime NULL, job_history_id int NULL, next_scheduled_run_date datetime NULL, PRIMARY KEY (session_id, job_id)
);

CREATE TABLE dbo.sysjobstepslogs (
  log_id int IDENTITY NOT NULL PRIMARY KEY, log nvarchar(max) NOT NULL, date_created datetime NOT NULL, date_modified datetime NOT NULL,
  log_size bigint NOT NULL, step_uid uniqueidentifier NOT NULL
);

-- So many rows of the history are kept, of all jobs and of each; -1: all.
CREATE TABLE dbo.sysagentproperties (history_max int NOT NULL, history_of_job_max int NOT NULL);
INSERT dbo.sysagentproperties (history_max, history_of_job_max) VALUES (1000, 100);

-- What is asked of the part that runs jobs: 4 begin one, 5 end one. As sp_start_job and sp_stop_job left it, until it is done.
CREATE TABLE dbo.sysagentrequests (
  request_id int IDENTITY NOT NULL PRIMARY KEY, job_id uniqueidentifier NOT NULL, operation_code tinyint NOT NULL, step_id int NOT NULL,
  login sysname NOT NULL
);
