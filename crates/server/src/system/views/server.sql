-- Databases, files, options, principals, permissions.

CREATE VIEW sys.databases AS
SELECT d.name, d.id AS database_id, (SELECT r.indepid FROM master.sys.syssingleobjrefs r WHERE r.class = 204 AND r.depid = d.id) AS source_database_id, CONVERT(varbinary(85), d.owner_sid) AS owner_sid,
  d.created AS create_date, d.compatibility_level, CONVERT(sysname, d.collation) AS collation_name, d.user_access,
  CONVERT(nvarchar(60), CASE d.user_access WHEN 0 THEN N'MULTI_USER' WHEN 1 THEN N'SINGLE_USER' ELSE N'RESTRICTED_USER' END) AS user_access_desc,
  CONVERT(bit, d.options & 8) AS is_read_only, CONVERT(bit, d.options & 2) AS is_auto_close_on, CONVERT(bit, d.options & 4) AS is_auto_shrink_on,
  CONVERT(tinyint, ISNULL(h.state, 0)) AS state, CONVERT(nvarchar(60), ISNULL(h.state_desc, N'ONLINE')) AS state_desc,
  CONVERT(bit, d.options & CONVERT(bigint, 8589934592)) AS is_in_standby, CONVERT(bit, 0) AS is_cleanly_shutdown, CONVERT(bit, 0) AS is_supplemental_logging_enabled,
  d.snapshot_isolation AS snapshot_isolation_state,
  CONVERT(nvarchar(60), CASE d.snapshot_isolation WHEN 1 THEN N'ON' ELSE N'OFF' END) AS snapshot_isolation_state_desc,
  CONVERT(bit, d.options & 1) AS is_read_committed_snapshot_on, d.recovery_model,
  CONVERT(nvarchar(60), CASE d.recovery_model WHEN 1 THEN N'FULL' WHEN 2 THEN N'BULK_LOGGED' ELSE N'SIMPLE' END) AS recovery_model_desc,
  d.page_verify AS page_verify_option,
  CONVERT(nvarchar(60), CASE d.page_verify WHEN 0 THEN N'NONE' WHEN 1 THEN N'TORN_PAGE_DETECTION' ELSE N'CHECKSUM' END) AS page_verify_option_desc,
  CONVERT(bit, d.options & 16) AS is_auto_create_stats_on, CONVERT(bit, 0) AS is_auto_create_stats_incremental_on,
  CONVERT(bit, d.options & 32) AS is_auto_update_stats_on, CONVERT(bit, d.options & 64) AS is_auto_update_stats_async_on,
  CONVERT(bit, d.options & 128) AS is_ansi_null_default_on, CONVERT(bit, d.options & 256) AS is_ansi_nulls_on,
  CONVERT(bit, d.options & 512) AS is_ansi_padding_on, CONVERT(bit, d.options & 1024) AS is_ansi_warnings_on,
  CONVERT(bit, d.options & 2048) AS is_arithabort_on, CONVERT(bit, d.options & 4096) AS is_concat_null_yields_null_on,
  CONVERT(bit, d.options & 8192) AS is_numeric_roundabort_on, CONVERT(bit, d.options & 16384) AS is_quoted_identifier_on,
  CONVERT(bit, d.options & 32768) AS is_recursive_triggers_on, CONVERT(bit, d.options & 65536) AS is_cursor_close_on_commit_on,
  CONVERT(bit, d.options & 131072) AS is_local_cursor_default, CONVERT(bit, 0) AS is_fulltext_enabled,
  CONVERT(bit, d.options & 262144) AS is_trustworthy_on, CONVERT(bit, d.options & 524288) AS is_db_chaining_on,
  CONVERT(bit, d.options & 1048576) AS is_parameterization_forced, CONVERT(bit, (SELECT COUNT(*) FROM master.sys.sysmasterkeys mk WHERE mk.[database] = d.id AND mk.by_service IS NOT NULL)) AS is_master_key_encrypted_by_server,
  CONVERT(bit, d.options & 16777216) AS is_query_store_on, CONVERT(bit, 0) AS is_published, CONVERT(bit, 0) AS is_subscribed,
  CONVERT(bit, 0) AS is_merge_published, CONVERT(bit, 0) AS is_distributor, CONVERT(bit, 0) AS is_sync_with_backup,
  CONVERT(uniqueidentifier, '00000000-0000-0000-0000-000000000000') AS service_broker_guid,
  CONVERT(bit, d.options & 2097152) AS is_broker_enabled, (SELECT l.reuse_wait FROM sys.syslogspace l WHERE l.database_id = d.id) AS log_reuse_wait,
  (SELECT l.reuse_wait_desc FROM sys.syslogspace l WHERE l.database_id = d.id) AS log_reuse_wait_desc, CONVERT(bit, d.options & 4194304) AS is_date_correlation_on,
  CONVERT(bit, 0) AS is_cdc_enabled, CONVERT(bit, d.options & 134217728) AS is_encrypted, CONVERT(bit, 0) AS is_honor_broker_priority_on,
  CONVERT(uniqueidentifier, NULL) AS replica_id, CONVERT(uniqueidentifier, NULL) AS group_database_id,
  (SELECT r.indepid FROM master.sys.syssingleobjrefs r WHERE r.class = 202 AND r.depid = d.id) AS resource_pool_id, CONVERT(smallint, NULL) AS default_language_lcid, CONVERT(nvarchar(128), NULL) AS default_language_name,
  CONVERT(int, NULL) AS default_fulltext_language_lcid, CONVERT(nvarchar(128), NULL) AS default_fulltext_language_name,
  CONVERT(bit, NULL) AS is_nested_triggers_on, CONVERT(bit, NULL) AS is_transform_noise_words_on, CONVERT(smallint, NULL) AS two_digit_year_cutoff,
  CONVERT(tinyint, 0) AS containment, CONVERT(nvarchar(60), N'NONE') AS containment_desc,
  d.target_recovery_time AS target_recovery_time_in_seconds, CONVERT(int, d.delayed_durability) AS delayed_durability,
  CONVERT(nvarchar(60), CASE d.delayed_durability WHEN 0 THEN N'DISABLED' WHEN 1 THEN N'ALLOWED' ELSE N'FORCED' END) AS delayed_durability_desc,
  CONVERT(bit, d.options & 8388608) AS is_memory_optimized_elevate_to_snapshot_on, CONVERT(bit, 0) AS is_federation_member,
  CONVERT(bit, 0) AS is_remote_data_archive_enabled, CONVERT(bit, d.options & 268435456) AS is_mixed_page_allocation_on,
  CONVERT(bit, CASE WHEN d.options & 1073741824 = 0 THEN 1 ELSE 0 END) AS is_temporal_history_retention_enabled, CONVERT(int, 0) AS catalog_collation_type,
  CONVERT(nvarchar(60), N'DATABASE_DEFAULT') AS catalog_collation_type_desc, CONVERT(nvarchar(128), d.name) AS physical_database_name,
  CONVERT(bit, 0) AS is_result_set_caching_on, CONVERT(bit, d.options & 67108864) AS is_accelerated_database_recovery_on,
  CONVERT(bit, 0) AS is_tempdb_spill_to_remote_store, CONVERT(bit, 0) AS is_stale_page_detection_on,
  CONVERT(bit, 1) AS is_memory_optimized_enabled, CONVERT(bit, 0) AS is_data_retention_enabled, CONVERT(bit, 0) AS is_ledger_on,
  CONVERT(bit, 0) AS is_change_feed_enabled
FROM master.sys.sysdbreg d
LEFT JOIN sys.sysheld h ON h.database_id = d.id
GO
CREATE VIEW sys.master_files AS
SELECT f.dbid AS database_id, f.fileid AS file_id, CONVERT(uniqueidentifier, NULL) AS file_guid,
  CONVERT(tinyint, CASE WHEN f.status & 2 <> 0 THEN 1 WHEN f.status & 4 <> 0 THEN 2 ELSE 0 END) AS type,
  CONVERT(nvarchar(60), CASE WHEN f.status & 2 <> 0 THEN N'LOG' WHEN f.status & 4 <> 0 THEN N'FILESTREAM' ELSE N'ROWS' END) AS type_desc, f.filegroup AS data_space_id, f.name,
  CONVERT(nvarchar(260), f.path) AS physical_name, CONVERT(tinyint, ISNULL(h.state, 0)) AS state, CONVERT(nvarchar(60), ISNULL(h.state_desc, N'ONLINE')) AS state_desc,
  CASE WHEN f.status & 4 <> 0 THEN 0 WHEN g.pages > f.size THEN CONVERT(int, g.pages) ELSE f.size END AS size, CASE WHEN f.status & 2 <> 0 AND f.size_max = -1 THEN 268435456 ELSE f.size_max END AS max_size, f.growth, CONVERT(bit, 0) AS is_media_read_only, CONVERT(bit, 0) AS is_read_only,
  CONVERT(bit, 0) AS is_sparse, CONVERT(bit, f.status & 1) AS is_percent_growth, CONVERT(bit, 0) AS is_name_reserved,
  CONVERT(bit, 0) AS is_persistent_log_buffer, CONVERT(numeric(25, 0), NULL) AS create_lsn, CONVERT(numeric(25, 0), NULL) AS drop_lsn,
  CONVERT(numeric(25, 0), NULL) AS read_only_lsn, CONVERT(numeric(25, 0), NULL) AS read_write_lsn,
  b.lsn AS differential_base_lsn, b.guid AS differential_base_guid, b.time AS differential_base_time, CONVERT(numeric(25, 0), NULL) AS redo_start_lsn,
  CONVERT(uniqueidentifier, NULL) AS redo_start_fork_guid, CONVERT(numeric(25, 0), NULL) AS redo_target_lsn,
  CONVERT(uniqueidentifier, NULL) AS redo_target_fork_guid, CONVERT(numeric(25, 0), NULL) AS backup_lsn, CONVERT(int, NULL) AS credential_id
FROM master.sys.sysprufiles f
LEFT JOIN sys.sysfilepages g ON g.database_id = f.dbid AND g.file_id = f.fileid
LEFT JOIN sys.sysheld h ON h.database_id = f.dbid
LEFT JOIN sys.sysbackupbase b ON b.database_id = f.dbid AND b.file_id = f.fileid
WHERE HAS_PERMS_BY_NAME(NULL, NULL, 'CREATE ANY DATABASE') = 1 OR HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY DATABASE') = 1
  OR HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW ANY DEFINITION') = 1 OR HAS_PERMS_BY_NAME(N'master', 'DATABASE', 'CREATE DATABASE') = 1
GO
CREATE VIEW sys.database_files AS
SELECT f.fileid AS file_id, CONVERT(uniqueidentifier, NULL) AS file_guid,
  CONVERT(tinyint, CASE WHEN f.status & 2 <> 0 THEN 1 WHEN f.status & 4 <> 0 THEN 2 ELSE 0 END) AS type,
  CONVERT(nvarchar(60), CASE WHEN f.status & 2 <> 0 THEN N'LOG' WHEN f.status & 4 <> 0 THEN N'FILESTREAM' ELSE N'ROWS' END) AS type_desc, f.filegroup AS data_space_id, f.name,
  CONVERT(nvarchar(260), f.path) AS physical_name, CONVERT(tinyint, ISNULL(h.state, 0)) AS state, CONVERT(nvarchar(60), ISNULL(h.state_desc, N'ONLINE')) AS state_desc,
  CASE WHEN f.status & 4 <> 0 THEN 0 WHEN g.pages > f.size THEN CONVERT(int, g.pages) ELSE f.size END AS size, CASE WHEN f.status & 2 <> 0 AND f.size_max = -1 THEN 268435456 ELSE f.size_max END AS max_size, f.growth, CONVERT(bit, 0) AS is_media_read_only, CONVERT(bit, 0) AS is_read_only,
  CONVERT(bit, 0) AS is_sparse, CONVERT(bit, f.status & 1) AS is_percent_growth, CONVERT(bit, 0) AS is_name_reserved,
  CONVERT(bit, 0) AS is_persistent_log_buffer, CONVERT(numeric(25, 0), NULL) AS create_lsn, CONVERT(numeric(25, 0), NULL) AS drop_lsn,
  CONVERT(numeric(25, 0), NULL) AS read_only_lsn, CONVERT(numeric(25, 0), NULL) AS read_write_lsn,
  b.lsn AS differential_base_lsn, b.guid AS differential_base_guid, b.time AS differential_base_time, CONVERT(numeric(25, 0), NULL) AS redo_start_lsn,
  CONVERT(uniqueidentifier, NULL) AS redo_start_fork_guid, CONVERT(numeric(25, 0), NULL) AS redo_target_lsn,
  CONVERT(uniqueidentifier, NULL) AS redo_target_fork_guid, CONVERT(numeric(25, 0), NULL) AS backup_lsn
FROM master.sys.sysprufiles f
JOIN sys.systhisdatabase t ON t.database_id = f.dbid
LEFT JOIN sys.sysfilepages g ON g.database_id = f.dbid AND g.file_id = f.fileid
LEFT JOIN sys.sysheld h ON h.database_id = f.dbid
LEFT JOIN sys.sysbackupbase b ON b.database_id = f.dbid AND b.file_id = f.fileid
GO
CREATE VIEW sys.configurations AS
SELECT configuration_id, name, value, minimum, maximum, value_in_use, description, is_dynamic, is_advanced
FROM sys.sysconfigurationrows
GO
CREATE VIEW sys.servers AS
SELECT s.id AS server_id, CONVERT(sysname, CASE WHEN s.id = 0 THEN @@SERVERNAME ELSE s.name END) AS name, s.product, s.provider,
  CONVERT(nvarchar(4000), CASE WHEN s.id = 0 THEN @@SERVERNAME ELSE s.source END) AS data_source, CONVERT(nvarchar(4000), NULL) AS location,
  CONVERT(nvarchar(4000), NULL) AS provider_string, CONVERT(sysname, NULL) AS catalog, CONVERT(int, 0) AS connect_timeout,
  CONVERT(int, 0) AS query_timeout, CONVERT(bit, CASE WHEN s.id = 0 THEN 0 ELSE 1 END) AS is_linked, CONVERT(bit, CASE WHEN s.id = 0 THEN 1 ELSE 0 END) AS is_remote_login_enabled,
  CONVERT(bit, 1) AS is_rpc_out_enabled, CONVERT(bit, 0) AS is_data_access_enabled, CONVERT(bit, 0) AS is_collation_compatible,
  CONVERT(bit, 1) AS uses_remote_collation, CONVERT(sysname, NULL) AS collation_name, CONVERT(bit, 0) AS lazy_schema_validation,
  CONVERT(bit, 0) AS is_system, CONVERT(bit, 0) AS is_publisher, CONVERT(bit, 0) AS is_subscriber, CONVERT(bit, 0) AS is_distributor,
  CONVERT(bit, 0) AS is_nonsql_subscriber, CONVERT(bit, 1) AS is_remote_proc_transaction_promotion_enabled, s.modified AS modify_date,
  CONVERT(bit, 0) AS is_rda_server
FROM master.sys.sysxsrvs s
GO
CREATE VIEW sys.backup_devices AS
SELECT d.name, CONVERT(tinyint, d.status) AS type, CONVERT(nvarchar(60), N'DISK') AS type_desc, CONVERT(nvarchar(260), d.value) AS physical_name
FROM master.sys.sysclsobjs d
WHERE d.class = 222
GO
CREATE VIEW sys.credentials AS
SELECT c.id AS credential_id, c.name, CONVERT(nvarchar(4000), c.[identity]) AS credential_identity, c.created AS create_date,
  c.modified AS modify_date, CONVERT(nvarchar(100), NULL) AS target_type, CONVERT(int, NULL) AS target_id
FROM master.sys.syscredentials c
WHERE HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW ANY SECURITY DEFINITION') = 1 OR HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY CREDENTIAL') = 1
GO
CREATE VIEW sys.certificates AS
SELECT c.name, c.id AS certificate_id, CONVERT(int, 1) AS principal_id,
  CONVERT(char(2), CASE WHEN c.secret IS NULL THEN 'NA' ELSE 'MK' END) AS pvt_key_encryption_type,
  CONVERT(nvarchar(60), CASE WHEN c.secret IS NULL THEN N'NO_PRIVATE_KEY' ELSE N'ENCRYPTED_BY_MASTER_KEY' END) AS pvt_key_encryption_type_desc,
  CONVERT(bit, 1) AS is_active_for_begin_dialog, CONVERT(nvarchar(442), c.issuer) AS issuer_name,
  CONVERT(nvarchar(64), c.serial) AS cert_serial_number, CONVERT(varbinary(85), NULL) AS sid, CONVERT(nvarchar(128), NULL) AS string_sid,
  CONVERT(nvarchar(4000), c.subject) AS subject, c.ends AS expiry_date, c.starts AS start_date,
  CONVERT(varbinary(32), c.thumbprint) AS thumbprint, CONVERT(nvarchar(260), NULL) AS attested_by, c.saved AS pvt_key_last_backup_date,
  c.key_bits AS key_length
FROM master.sys.syscertificates c
WHERE DB_ID() = 1 AND HAS_ACCESS(115, c.id, 1) = 1
GO
CREATE VIEW sys.symmetric_keys AS
SELECT CONVERT(sysname, N'##MS_DatabaseMasterKey##') AS name, CONVERT(int, 1) AS principal_id, CONVERT(int, 101) AS symmetric_key_id,
  CONVERT(int, 256) AS key_length, CONVERT(char(2), 'A3') AS key_algorithm, CONVERT(nvarchar(60), N'AES_256') AS algorithm_desc,
  k.created AS create_date, k.modified AS modify_date, CONVERT(uniqueidentifier, CONVERT(varbinary(16), k.guid)) AS key_guid,
  CONVERT(sql_variant, NULL) AS key_thumbprint, CONVERT(nvarchar(120), NULL) AS provider_type,
  CONVERT(uniqueidentifier, NULL) AS cryptographic_provider_guid, CONVERT(sql_variant, NULL) AS cryptographic_provider_algid
FROM master.sys.sysmasterkeys k
WHERE k.[database] = DB_ID() AND HAS_PERMS_BY_NAME(DB_NAME(k.[database]), 'DATABASE', 'VIEW DEFINITION') = 1
GO
CREATE VIEW sys.key_encryptions AS
SELECT CONVERT(int, 101) AS key_id, CONVERT(varbinary(32), NULL) AS thumbprint, CONVERT(char(4), e.kind) AS crypt_type,
  CONVERT(nvarchar(60), e.described) AS crypt_type_desc, CONVERT(varbinary(max), NULL) AS crypt_property
FROM master.sys.sysmasterkeys k
JOIN (VALUES ('ESKM', N'ENCRYPTION_BY_MASTER_KEY'), ('ESP2', N'ENCRYPTION_BY_PASSWORD')) e (kind, described) ON e.kind = 'ESP2' OR k.by_service IS NOT NULL
WHERE k.[database] = DB_ID() AND HAS_PERMS_BY_NAME(DB_NAME(k.[database]), 'DATABASE', 'VIEW DEFINITION') = 1
GO
CREATE VIEW sys.server_principals AS
SELECT l.name, l.id AS principal_id, CONVERT(varbinary(85), l.sid) AS sid, l.kind AS type,
  CONVERT(nvarchar(60), CASE l.kind WHEN 'S' THEN N'SQL_LOGIN' WHEN 'R' THEN N'SERVER_ROLE' WHEN 'U' THEN N'WINDOWS_LOGIN'
    WHEN 'G' THEN N'WINDOWS_GROUP' WHEN 'C' THEN N'CERTIFICATE_MAPPED_LOGIN' ELSE N'ASYMMETRIC_KEY_MAPPED_LOGIN' END) AS type_desc,
  CONVERT(bit, CASE WHEN l.kind = 'R' THEN 0 ELSE l.status & 1 END) AS is_disabled, l.created AS create_date, l.modified AS modify_date,
  l.default_database AS default_database_name, l.default_language AS default_language_name, CONVERT(int, NULL) AS credential_id,
  CONVERT(int, CASE WHEN l.kind = 'R' THEN 1 END) AS owning_principal_id, CONVERT(bit, l.status & 8) AS is_fixed_role,
  CONVERT(uniqueidentifier, NULL) AS tenant_id
FROM master.sys.sysxlgns l
GO
CREATE VIEW sys.sql_logins AS
SELECT l.name, l.id AS principal_id, CONVERT(varbinary(85), l.sid) AS sid, l.kind AS type, CONVERT(nvarchar(60), N'SQL_LOGIN') AS type_desc,
  CONVERT(bit, l.status & 1) AS is_disabled, l.created AS create_date, l.modified AS modify_date, l.default_database AS default_database_name,
  l.default_language AS default_language_name, CONVERT(int, NULL) AS credential_id, CONVERT(bit, l.status & 2) AS is_policy_checked,
  CONVERT(bit, l.status & 4) AS is_expiration_checked, CASE WHEN HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') = 1 THEN CONVERT(varbinary(256), l.password) END AS password_hash
FROM master.sys.sysxlgns l
WHERE l.kind = 'S'
GO
CREATE VIEW sys.server_role_members AS
SELECT r.depid AS role_principal_id, r.indepid AS member_principal_id FROM master.sys.syssingleobjrefs r WHERE r.class = 26
GO
CREATE VIEW sys.server_permissions AS
SELECT p.class, CONVERT(nvarchar(60), CASE p.class WHEN 100 THEN N'SERVER' WHEN 105 THEN N'ENDPOINT' ELSE N'SERVER_PRINCIPAL' END) AS class_desc, p.id AS major_id,
  p.subid AS minor_id, p.grantee AS grantee_principal_id, p.grantor AS grantor_principal_id, p.kind AS type, CONVERT(nvarchar(128), p.name) AS permission_name,
  p.state, CONVERT(nvarchar(60), CASE p.state WHEN 'G' THEN N'GRANT' WHEN 'W' THEN N'GRANT_WITH_GRANT_OPTION' WHEN 'R' THEN N'REVOKE' ELSE N'DENY' END) AS state_desc
FROM master.sys.sysprivs p
WHERE p.class >= 100 AND HAS_ACCESS(42, p.grantee, 1) = 1
GO
CREATE VIEW sys.database_principals AS
SELECT o.name, o.id AS principal_id, CONVERT(char(1), o.kind) AS type,
  CONVERT(nvarchar(60), CASE o.kind WHEN 'S' THEN N'SQL_USER' WHEN 'R' THEN N'DATABASE_ROLE' WHEN 'A' THEN N'APPLICATION_ROLE' ELSE N'WINDOWS_USER' END) AS type_desc,
  o.default_schema AS default_schema_name, o.created AS create_date, o.modified AS modify_date,
  CONVERT(int, CASE WHEN o.kind = 'R' THEN o.owner END) AS owning_principal_id, CONVERT(varbinary(85), o.sid) AS sid, CONVERT(bit, o.status & 1) AS is_fixed_role,
  CONVERT(int, CASE WHEN o.kind = 'S' AND DATALENGTH(o.sid) <= 16 AND o.sid <> 0x00 THEN 1 ELSE 0 END) AS authentication_type,
  CONVERT(nvarchar(60), CASE WHEN o.kind = 'S' AND DATALENGTH(o.sid) <= 16 AND o.sid <> 0x00 THEN N'INSTANCE' ELSE N'NONE' END) AS authentication_type_desc,
  CONVERT(sysname, NULL) AS default_language_name, CONVERT(int, NULL) AS default_language_lcid,
  CONVERT(bit, 0) AS allow_encrypted_value_modifications, CONVERT(uniqueidentifier, NULL) AS tenant_id
FROM sys.sysowners o
GO
CREATE VIEW sys.database_role_members AS
SELECT r.depid AS role_principal_id, r.indepid AS member_principal_id FROM sys.syssingleobjrefs r WHERE r.class = 25
GO
CREATE VIEW sys.database_permissions AS
SELECT p.class, CONVERT(nvarchar(60), CASE p.class WHEN 0 THEN N'DATABASE' WHEN 1 THEN N'OBJECT_OR_COLUMN' WHEN 3 THEN N'SCHEMA'
    WHEN 4 THEN N'DATABASE_PRINCIPAL' WHEN 6 THEN N'TYPE' WHEN 10 THEN N'XML_SCHEMA_COLLECTION' WHEN 25 THEN N'CERTIFICATE' END) AS class_desc, p.id AS major_id, p.subid AS minor_id,
  p.grantee AS grantee_principal_id, p.grantor AS grantor_principal_id, p.kind AS type, CONVERT(nvarchar(128), p.name) AS permission_name, p.state,
  CONVERT(nvarchar(60), CASE p.state WHEN 'G' THEN N'GRANT' WHEN 'W' THEN N'GRANT_WITH_GRANT_OPTION' WHEN 'R' THEN N'REVOKE' ELSE N'DENY' END) AS state_desc
FROM sys.sysprivs p
WHERE p.class < 100 AND HAS_ACCESS(27, p.grantee) = 1
GO
CREATE VIEW sys.login_token AS
SELECT l.id AS principal_id, CONVERT(varbinary(85), l.sid) AS sid, l.name, CONVERT(nvarchar(128), N'SQL LOGIN') AS type, CONVERT(nvarchar(128), N'GRANT OR DENY') AS usage
FROM master.sys.sysxlgns l WHERE l.name = SUSER_SNAME()
UNION ALL
SELECT r.id, CONVERT(varbinary(85), r.sid), r.name, CONVERT(nvarchar(128), N'SERVER ROLE'), CONVERT(nvarchar(128), N'GRANT OR DENY')
FROM master.sys.sysxlgns r WHERE r.kind = 'R' AND (r.id = 2 OR EXISTS (SELECT 1 FROM sys.held_server_roles h WHERE h.role_id = r.id))
GO
CREATE VIEW sys.user_token AS
SELECT o.id AS principal_id, CONVERT(varbinary(85), o.sid) AS sid, o.name, CONVERT(nvarchar(128), N'SQL USER') AS type, CONVERT(nvarchar(128), N'GRANT OR DENY') AS usage
FROM sys.sysowners o WHERE o.name = USER_NAME()
UNION ALL
SELECT r.id, CONVERT(varbinary(85), r.sid), r.name, CONVERT(nvarchar(128), N'ROLE'), CONVERT(nvarchar(128), N'GRANT OR DENY')
FROM sys.sysowners r WHERE r.kind = 'R' AND (r.id = 0 OR EXISTS (SELECT 1 FROM sys.held_roles h WHERE h.role_id = r.id))
GO
CREATE VIEW sys.messages AS
SELECT message_id, language_id, severity, is_event_logged, text FROM sys.syssystemmessages
UNION ALL
SELECT m.id, m.language, m.severity, CONVERT(bit, m.status & 1), CONVERT(nvarchar(2048), m.text) FROM master.sys.sysusermsgs m
GO
CREATE VIEW sys.database_filestream_options AS
SELECT d.id AS database_id, CONVERT(nvarchar(255), NULL) AS directory_name, CONVERT(tinyint, 0) AS non_transacted_access,
  CONVERT(nvarchar(60), N'OFF') AS non_transacted_access_desc
FROM master.sys.sysdbreg d
GO
CREATE VIEW sys.tcp_endpoints AS
SELECT e.name, e.endpoint_id, e.principal_id, e.protocol, e.protocol_desc, e.type, e.type_desc, e.state, e.state_desc, e.is_admin_endpoint,
  CONVERT(int, 0) AS port, CONVERT(bit, e.is_admin_endpoint) AS is_dynamic_port, CONVERT(nvarchar(45), NULL) AS ip_address
FROM sys.endpoints e
WHERE e.protocol = 2
GO
CREATE VIEW sys.securable_classes AS
SELECT CONVERT(sysname, v.name) AS class_desc, CONVERT(int, v.class) AS class
FROM (VALUES (N'DATABASE', 0), (N'OBJECT', 1), (N'SCHEMA', 3), (N'USER', 4), (N'ROLE', 4), (N'APPLICATION ROLE', 4), (N'ASSEMBLY', 5), (N'TYPE', 6),
  (N'XML SCHEMA COLLECTION', 10), (N'MESSAGE TYPE', 15), (N'CONTRACT', 16), (N'SERVICE', 17), (N'REMOTE SERVICE BINDING', 18), (N'ROUTE', 19),
  (N'FULLTEXT CATALOG', 23), (N'SYMMETRIC KEY', 24), (N'CERTIFICATE', 25), (N'ASYMMETRIC KEY', 26), (N'FULLTEXT STOPLIST', 29),
  (N'SEARCH PROPERTY LIST', 31), (N'DATABASE SCOPED CREDENTIAL', 32), (N'EXTERNAL LANGUAGE', 34), (N'SERVER', 100), (N'LOGIN', 101),
  (N'SERVER ROLE', 101), (N'ENDPOINT', 105), (N'AVAILABILITY GROUP', 108)) AS v(name, class)
GO
CREATE FUNCTION sys.dm_exec_query_statistics_xml(@session_id smallint)
RETURNS TABLE AS RETURN
SELECT r.session_id, r.request_id, r.sql_handle, r.plan_handle, p.query_plan
FROM sys.dm_exec_requests r
CROSS APPLY sys.dm_exec_query_plan(r.plan_handle) p
WHERE r.session_id = @session_id AND HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
GO
