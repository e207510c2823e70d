-- What msdb has as dbo's: the history of backups and restores.

CREATE VIEW msdb.backupmediaset AS
SELECT m.id AS media_set_id, CONVERT(uniqueidentifier, CONVERT(varbinary(16), m.guid)) AS media_uuid, CONVERT(tinyint, 1 + (SELECT COUNT(*) FROM master.sys.sysbackupstripes f WHERE f.media = m.id)) AS media_family_count,
  CONVERT(nvarchar(128), m.name) AS name, CONVERT(nvarchar(255), m.description) AS description, CONVERT(nvarchar(128), N'Heddle') AS software_name,
  CONVERT(int, 4608) AS software_vendor_id, CONVERT(tinyint, 1) AS MTF_major_version, CONVERT(tinyint, 1) AS mirror_count,
  CONVERT(bit, 0) AS is_password_protected, CONVERT(bit, m.status & 1) AS is_compressed, CONVERT(bit, m.status & 4) AS is_encrypted
FROM master.sys.sysbackupmedia m
GO
CREATE VIEW msdb.backupmediafamily AS
SELECT m.id AS media_set_id, f.number AS family_sequence_number,
  CONVERT(uniqueidentifier, CONVERT(varbinary(16), f.family)) AS media_family_id, CONVERT(int, 1) AS media_count,
  CONVERT(nvarchar(128), NULL) AS logical_device_name, CONVERT(nvarchar(260), f.path) AS physical_device_name,
  CONVERT(tinyint, CASE WHEN m.status & 2 = 2 THEN 9 ELSE 2 END) AS device_type,
  CONVERT(int, 4096) AS physical_block_size, CONVERT(tinyint, 0) AS mirror
FROM master.sys.sysbackupmedia m
JOIN (
  SELECT b.id AS media, CONVERT(tinyint, 1) AS number, b.family, b.path FROM master.sys.sysbackupmedia b
  UNION ALL SELECT s.media, s.number, s.family, s.path FROM master.sys.sysbackupstripes s
) f ON f.media = m.id
GO
CREATE VIEW msdb.backupset AS
SELECT s.id AS backup_set_id, CONVERT(uniqueidentifier, CONVERT(varbinary(16), s.guid)) AS backup_set_uuid, s.media AS media_set_id,
  CONVERT(tinyint, 1) AS first_family_number, CONVERT(smallint, 1) AS first_media_number, CONVERT(tinyint, 1 + (SELECT COUNT(*) FROM master.sys.sysbackupstripes f WHERE f.media = s.media)) AS last_family_number,
  CONVERT(smallint, 1) AS last_media_number, CONVERT(tinyint, 1) AS catalog_family_number, CONVERT(smallint, 1) AS catalog_media_number,
  s.position, s.expires AS expiration_date, CONVERT(int, 4608) AS software_vendor_id, CONVERT(nvarchar(128), s.name) AS name,
  CONVERT(nvarchar(255), s.description) AS description, CONVERT(nvarchar(128), s.[user]) AS user_name,
  CONVERT(tinyint, 16) AS software_major_version, CONVERT(tinyint, 0) AS software_minor_version,
  CONVERT(smallint, 4003) AS software_build_version, CONVERT(smallint, s.time_zone / 15) AS time_zone, CONVERT(tinyint, 0) AS mtf_minor_version,
  CONVERT(numeric(25, 0), s.first_lsn) AS first_lsn, CONVERT(numeric(25, 0), s.last_lsn) AS last_lsn,
  CONVERT(numeric(25, 0), s.checkpoint_lsn) AS checkpoint_lsn, CONVERT(numeric(25, 0), COALESCE(b.lsn, 0)) AS database_backup_lsn,
  s.database_created AS database_creation_date, s.started AS backup_start_date, s.finished AS backup_finish_date, CONVERT(char(1), CASE WHEN s.status & 16 <> 0 THEN 'L' WHEN s.status & 32 <> 0 THEN 'I' ELSE 'D' END) AS type,
  CONVERT(smallint, 0) AS sort_order, CONVERT(smallint, 0) AS code_page, s.compatibility_level, CONVERT(int, 957) AS database_version,
  CONVERT(numeric(20, 0), s.size) AS backup_size, CONVERT(nvarchar(128), s.[database]) AS database_name,
  CONVERT(nvarchar(128), s.server) AS server_name, CONVERT(nvarchar(128), s.machine) AS machine_name,
  CONVERT(int, 16 + (s.status & 12)) AS flags, CONVERT(int, 1033) AS unicode_locale, CONVERT(int, 196609) AS unicode_compare_style,
  CONVERT(nvarchar(128), s.collation) AS collation_name, CONVERT(bit, 0) AS is_password_protected,
  CONVERT(nvarchar(60), CASE s.recovery_model WHEN 1 THEN N'FULL' WHEN 2 THEN N'BULK-LOGGED' ELSE N'SIMPLE' END) AS recovery_model,
  CONVERT(bit, s.status & 128) AS has_bulk_logged_data, CONVERT(bit, 0) AS is_snapshot, CONVERT(bit, s.status & 4) AS is_readonly,
  CONVERT(bit, s.status & 8) AS is_single_user, CONVERT(bit, 1) AS has_backup_checksums, CONVERT(bit, 0) AS is_damaged,
  CONVERT(bit, s.status & 64) AS begins_log_chain, CONVERT(bit, s.status & 512) AS has_incomplete_metadata, CONVERT(bit, s.status & 256) AS is_force_offline,
  CONVERT(bit, s.status & 1) AS is_copy_only,
  CONVERT(uniqueidentifier, CONVERT(varbinary(16), s.database_guid)) AS first_recovery_fork_guid,
  CONVERT(uniqueidentifier, CONVERT(varbinary(16), s.database_guid)) AS last_recovery_fork_guid, CONVERT(numeric(25, 0), NULL) AS fork_point_lsn,
  CONVERT(uniqueidentifier, CONVERT(varbinary(16), s.database_guid)) AS database_guid,
  CONVERT(uniqueidentifier, CONVERT(varbinary(16), s.family_guid)) AS family_guid, CONVERT(numeric(25, 0), CASE WHEN s.status & 32 <> 0 THEN b.lsn END) AS differential_base_lsn,
  CONVERT(uniqueidentifier, CASE WHEN s.status & 32 <> 0 THEN CONVERT(varbinary(16), b.guid) END) AS differential_base_guid, CONVERT(numeric(20, 0), s.stored) AS compressed_backup_size,
  CONVERT(nvarchar(32), k.algorithm) AS key_algorithm, CONVERT(varbinary(20), k.thumbprint) AS encryptor_thumbprint,
  CONVERT(nvarchar(32), CASE WHEN k.thumbprint IS NOT NULL THEN N'CERTIFICATE' END) AS encryptor_type,
  s.finished AS last_valid_restore_time, CONVERT(nvarchar(32), CASE WHEN s.status & 2 <> 0 THEN N'DEFLATE' END) AS compression_algorithm
FROM master.sys.sysbackupsets s
LEFT JOIN master.sys.sysbackupbases b ON b.[set] = s.id
LEFT JOIN master.sys.sysbackupkeys k ON k.[set] = s.id
GO
CREATE VIEW msdb.backupfile AS
SELECT f.[set] AS backup_set_id, CONVERT(tinyint, 1) AS first_family_number, CONVERT(smallint, 1) AS first_media_number,
  CONVERT(nvarchar(128), f.filegroup) AS filegroup_name, CONVERT(int, 8192) AS page_size, CONVERT(numeric(10, 0), f.fileid) AS file_number,
  CONVERT(numeric(10, 0), f.pages) AS backed_up_page_count, CONVERT(char(1), CASE WHEN f.status & 2 <> 0 THEN 'L' ELSE 'D' END) AS file_type,
  CONVERT(numeric(10, 0), 512) AS source_file_block_size, CONVERT(numeric(20, 0), f.size) AS file_size,
  CONVERT(nvarchar(128), f.name) AS logical_name, CONVERT(nvarchar(260), NULL) AS physical_drive, CONVERT(nvarchar(260), f.path) AS physical_name,
  CONVERT(tinyint, 0) AS state, CONVERT(nvarchar(64), N'ONLINE') AS state_desc, CONVERT(numeric(25, 0), 0) AS create_lsn,
  CONVERT(numeric(25, 0), NULL) AS drop_lsn, CONVERT(uniqueidentifier, NULL) AS file_guid, CONVERT(numeric(25, 0), NULL) AS read_only_lsn,
  CONVERT(numeric(25, 0), NULL) AS read_write_lsn, CONVERT(numeric(25, 0), NULL) AS differential_base_lsn,
  CONVERT(uniqueidentifier, NULL) AS differential_base_guid, CONVERT(numeric(20, 0), f.pages * 8192) AS backup_size,
  CONVERT(uniqueidentifier, NULL) AS filegroup_guid, CONVERT(bit, s.status & 4) AS is_readonly, CONVERT(bit, 1) AS is_present
FROM master.sys.sysbackupfiles f
JOIN master.sys.sysbackupsets s ON s.id = f.[set]
GO
CREATE VIEW msdb.restorehistory AS
SELECT r.id AS restore_history_id, r.finished AS restore_date, CONVERT(nvarchar(128), r.[database]) AS destination_database_name,
  CONVERT(nvarchar(128), r.[user]) AS user_name, r.[set] AS backup_set_id, r.kind AS restore_type, CONVERT(bit, r.status & 1) AS [replace],
  CONVERT(bit, CASE WHEN r.status & 2 <> 0 THEN 0 ELSE 1 END) AS recovery, CONVERT(bit, 0) AS restart, p.at AS stop_at, CONVERT(tinyint, 1) AS device_count,
  CONVERT(nvarchar(128), p.mark) AS stop_at_mark_name, CASE WHEN p.mark IS NOT NULL THEN CONVERT(bit, p.status & 1) END AS stop_before
FROM master.sys.sysrestores r
LEFT JOIN master.sys.sysrestorestops p ON p.[restore] = r.id
GO
CREATE VIEW msdb.logmarkhistory AS
SELECT CONVERT(nvarchar(128), m.[database]) AS database_name, CONVERT(nvarchar(128), m.name) AS mark_name,
  CONVERT(nvarchar(255), m.description) AS description, CONVERT(nvarchar(128), m.[user]) AS user_name, CONVERT(numeric(25, 0), m.id) AS lsn,
  m.time AS mark_time
FROM master.sys.syslogmarks m
GO
CREATE VIEW msdb.suspect_pages AS
SELECT p.[database] AS database_id, p.[file] AS file_id, p.page AS page_id, p.kind AS event_type, p.errors AS error_count,
  p.updated AS last_update_date
FROM master.sys.syssuspectpages p
