-- The system tables of SQL Server 2000, as views. Who may not see the state of the server finds nothing in those that show it.

CREATE VIEW sys.sysobjects AS
SELECT o.name, o.object_id AS id, o.type AS xtype, CONVERT(smallint, o.schema_id) AS uid, CONVERT(smallint, 0) AS info,
  CONVERT(int, 0) AS status, CONVERT(int, 0) AS base_schema_ver, CONVERT(int, 0) AS replinfo, o.parent_object_id AS parent_obj,
  o.create_date AS crdate, CONVERT(smallint, 0) AS ftcatid, CONVERT(int, 0) AS schema_ver, CONVERT(int, 0) AS stats_schema_ver,
  CONVERT(char(2), CASE o.type WHEN 'PK' THEN 'K' WHEN 'UQ' THEN 'K' WHEN 'IF' THEN 'FN' ELSE o.type END) AS type,
  CONVERT(smallint, 1) AS userstat, CONVERT(smallint, 1) AS sysstat, CONVERT(smallint, 0) AS indexdel, o.create_date AS refdate,
  CONVERT(int, 0) AS version, CONVERT(int, 0) AS deltrig, CONVERT(int, 0) AS instrig, CONVERT(int, 0) AS updtrig, CONVERT(int, 0) AS seltrig,
  CONVERT(int, 0) AS category, CONVERT(smallint, 0) AS cache
FROM sys.all_objects o
GO
CREATE VIEW sys.syscolumns AS
SELECT c.name, c.id, c.xtype, CONVERT(tinyint, 0) AS typestat, CONVERT(smallint, CASE WHEN c.utype > 32767 THEN -1 ELSE c.utype END) AS xusertype,
  c.length, CONVERT(tinyint, 0) AS xprec, CONVERT(tinyint, 0) AS xscale, CONVERT(smallint, c.colid) AS colid, CONVERT(smallint, 0) AS xoffset,
  CONVERT(tinyint, 0) AS bitpos, CONVERT(tinyint, 0) AS reserved, CONVERT(smallint, CASE WHEN c.status & 2 <> 0 THEN 1 WHEN c.status & 4 <> 0 THEN 4 ELSE 0 END) AS colstat, c.dflt AS cdefault, CONVERT(int, 0) AS domain,
  c.number, CONVERT(smallint, c.colid) AS colorder, CONVERT(varbinary(8000), NULL) AS autoval, CONVERT(smallint, c.colid) AS offset,
  CONVERT(int, NULL) AS collationid, CONVERT(int, 0) AS language,
  CONVERT(tinyint, CASE WHEN c.status & 1 <> 0 THEN 8 ELSE 0 END + CASE WHEN c.status & 2 <> 0 THEN 128 ELSE 0 END + CASE WHEN c.status & 32 <> 0 THEN 64 ELSE 0 END) AS status,
  c.xtype AS type, CONVERT(smallint, c.utype & 32767) AS usertype, CONVERT(varchar(255), NULL) AS printfmt,
  CONVERT(smallint, CASE WHEN c.length = -1 THEN -1 WHEN c.prec = 0 AND c.length > 0 THEN CASE WHEN c.xtype IN (231, 239) THEN c.length / 2 ELSE c.length END ELSE c.prec END) AS prec,
  CONVERT(int, CASE WHEN c.xtype NOT IN (34, 35, 36, 98, 99, 165, 167, 173, 175, 189, 231, 239, 240, 241, 243, 244) THEN c.scale END) AS scale, CONVERT(int, CASE WHEN c.status & 4 <> 0 THEN 1 ELSE 0 END) AS iscomputed,
  CONVERT(int, CASE WHEN c.status & 32 <> 0 THEN 1 ELSE 0 END) AS isoutparam,
  CONVERT(int, CASE WHEN c.number = 1 THEN 1 ELSE c.status & 1 END) AS isnullable,
  CONVERT(sysname, CASE WHEN c.xtype <> 241 THEN c.collation END) AS collation, CONVERT(binary(6), NULL) AS tdscollation
FROM sys.syscolpars c
GO
CREATE VIEW sys.sysindexes AS
SELECT i.id, CONVERT(int, CASE WHEN i.status & 16 <> 0 THEN 1 ELSE 0 END + CASE WHEN i.status & 1 <> 0 THEN 2 ELSE 0 END + CASE WHEN i.indid = 1 THEN 16 ELSE 0 END + CASE WHEN i.status & 2 <> 0 THEN 2048 ELSE 0 END
    + CASE WHEN i.status & 4 <> 0 THEN 4096 ELSE 0 END + CASE WHEN i.status & 256 <> 0 THEN 64 ELSE 0 END
    + CASE WHEN i.status & 1024 <> 0 THEN 16777216 ELSE 0 END) AS status,
  CONVERT(binary(6), NULL) AS first, CONVERT(smallint, i.indid) AS indid, CONVERT(binary(6), NULL) AS root, CONVERT(smallint, 0) AS minlen,
  CONVERT(smallint, (SELECT COUNT(*) FROM sys.sysiscols k WHERE k.id = i.id AND k.indid = i.indid AND k.keyord > 0)) AS keycnt,
  CONVERT(smallint, CASE WHEN i.dataspace < 32768 THEN i.dataspace END) AS groupid, CONVERT(int, ISNULL(r.pages, 0)) AS dpages, CONVERT(int, ISNULL(r.pages, 0)) AS reserved,
  CONVERT(int, ISNULL(r.pages, 0)) AS used, CONVERT(bigint, ISNULL(r.rows, 0)) AS rowcnt, CONVERT(int, 0) AS rowmodctr, CONVERT(tinyint, 0) AS reserved3,
  CONVERT(tinyint, 0) AS reserved4, CONVERT(smallint, 0) AS xmaxlen, CONVERT(smallint, 0) AS maxirow, i.fillfact AS OrigFillFactor,
  CONVERT(tinyint, 0) AS StatVersion, CONVERT(int, 0) AS reserved2, CONVERT(binary(6), NULL) AS FirstIAM, CONVERT(smallint, 0) AS impid,
  CONVERT(smallint, 0) AS lockflags, CONVERT(int, 0) AS pgmodctr, CONVERT(varbinary(1088), NULL) AS keys, CONVERT(sysname, i.name) AS name,
  CONVERT(image, NULL) AS statblob, CONVERT(int, 0) AS maxlen, CONVERT(int, ISNULL(r.rows, 0)) AS rows
FROM sys.sysidxstats i
LEFT JOIN (SELECT object_id, index_id, SUM(rows) AS rows, SUM(pages) AS pages FROM sys.systablerows GROUP BY object_id, index_id) r
  ON r.object_id = i.id AND r.index_id = i.indid
WHERE i.indid < 256000 AND i.kind NOT IN (3, 4)
GO
CREATE VIEW sys.sysindexkeys AS
SELECT c.id, CONVERT(smallint, c.indid) AS indid, CONVERT(smallint, c.colid) AS colid, CONVERT(smallint, c.keyord) AS keyno
FROM sys.sysiscols c
JOIN sys.sysidxstats i ON i.id = c.id AND i.indid = c.indid AND i.indid < 256000 AND i.kind NOT IN (3, 4)
GO
CREATE VIEW sys.systypes AS
SELECT t.name, t.xtype, CONVERT(tinyint, CASE WHEN t.status & 1 <> 0 THEN 0 ELSE 1 END) AS status, CONVERT(smallint, t.id & 32767) AS xusertype, t.length,
  t.prec AS xprec, t.scale AS xscale, t.dflt AS tdefault, t.chk AS domain, CONVERT(smallint, t.schid) AS uid, CONVERT(smallint, 0) AS reserved,
  CONVERT(int, NULL) AS collationid, CONVERT(smallint, t.id & 32767) AS usertype, CONVERT(bit, CASE WHEN t.xtype IN (167, 231, 165) THEN 1 ELSE 0 END) AS variable,
  CONVERT(bit, t.status & 1) AS allownulls, t.xtype AS type, CONVERT(varchar(255), NULL) AS printfmt,
  CONVERT(smallint, CASE WHEN t.length = -1 THEN -1 WHEN t.xtype IN (231, 239) THEN t.length / 2 WHEN t.prec = 0 THEN t.length ELSE t.prec END) AS prec,
  CASE WHEN t.xtype NOT IN (34, 35, 36, 98, 99, 165, 167, 173, 175, 189, 231, 239, 240, 241, 243, 244) THEN t.scale END AS scale, CONVERT(sysname, t.collation) AS collation
FROM sys.sysscalartypes t
GO
CREATE VIEW sys.sysusers AS
SELECT CONVERT(smallint, o.id) AS uid, CONVERT(smallint, 0) AS status, o.name, CONVERT(varbinary(85), o.sid) AS sid, CONVERT(varbinary(2048), NULL) AS roles,
  o.created AS createdate, o.modified AS updatedate, CONVERT(smallint, o.owner) AS altuid, CONVERT(varbinary(256), NULL) AS password,
  CONVERT(smallint, 0) AS gid, CONVERT(varchar(255), NULL) AS environ,
  CONVERT(int, CASE WHEN o.id = 1 OR EXISTS (SELECT 1 FROM sys.sysprivs p WHERE p.class = 0 AND p.grantee = o.id AND p.kind = 'CO' AND p.state <> 'D') THEN 1 ELSE 0 END) AS hasdbaccess,
  CONVERT(int, CASE WHEN o.kind = 'S' THEN 1 ELSE 0 END) AS islogin, CONVERT(int, 0) AS isntname, CONVERT(int, 0) AS isntgroup, CONVERT(int, 0) AS isntuser,
  CONVERT(int, CASE WHEN o.kind = 'S' THEN 1 ELSE 0 END) AS issqluser, CONVERT(int, 0) AS isaliased,
  CONVERT(int, CASE WHEN o.kind = 'R' THEN 1 ELSE 0 END) AS issqlrole, CONVERT(int, CASE WHEN o.kind = 'A' THEN 1 ELSE 0 END) AS isapprole
FROM sys.sysowners o
GO
CREATE VIEW sys.sysdatabases AS
SELECT d.name, CONVERT(smallint, d.id) AS dbid, CONVERT(varbinary(85), d.owner_sid) AS sid, CONVERT(smallint, 0) AS mode,
  CONVERT(int, CASE WHEN d.options & 2 <> 0 THEN 1 ELSE 0 END + CASE d.recovery_model WHEN 3 THEN 8 WHEN 2 THEN 4 ELSE 0 END + CASE d.page_verify WHEN 1 THEN 16 WHEN 2 THEN 65536 ELSE 0 END
    + CASE WHEN d.options & 8 <> 0 THEN 1024 ELSE 0 END + CASE d.user_access WHEN 1 THEN 4096 WHEN 2 THEN 2048 ELSE 0 END + CASE WHEN d.options & 4 <> 0 THEN 4194304 ELSE 0 END
    + CASE h.state WHEN 1 THEN 32 WHEN 4 THEN 256 WHEN 5 THEN 32768 WHEN 6 THEN 512 ELSE 0 END) AS status,
  CONVERT(int, CASE WHEN d.options & 128 <> 0 THEN 16384 ELSE 0 END + CASE WHEN d.options & 4096 <> 0 THEN 65536 ELSE 0 END + CASE WHEN d.options & 32768 <> 0 THEN 131072 ELSE 0 END
    + CASE WHEN d.options & 131072 <> 0 THEN 1048576 ELSE 0 END + CASE WHEN d.options & 16384 <> 0 THEN 8388608 ELSE 0 END + CASE WHEN d.options & 65536 <> 0 THEN 33554432 ELSE 0 END
    + CASE WHEN d.options & 256 <> 0 THEN 67108864 ELSE 0 END + CASE WHEN d.options & 1024 <> 0 THEN 268435456 ELSE 0 END) AS status2, d.created AS crdate,
  CONVERT(datetime, '19000101') AS reserved, CONVERT(int, 0) AS category, d.compatibility_level AS cmptlevel,
  CONVERT(nvarchar(260), f.path) AS filename, CONVERT(smallint, 957) AS version
FROM master.sys.sysdbreg d
LEFT JOIN master.sys.sysprufiles f ON f.dbid = d.id AND f.fileid = 1
LEFT JOIN sys.sysheld h ON h.database_id = d.id
GO
-- Whoever runs is told as 'runnable' here.
CREATE VIEW sys.sysprocesses AS
SELECT s.session_id AS spid, CONVERT(smallint, 0) AS kpid, ISNULL(r.blocking_session_id, 0) AS blocked,
  CONVERT(binary(2), 0x0000) AS waittype, CONVERT(bigint, ISNULL(r.wait_time, 0)) AS waittime, CONVERT(nchar(32), ISNULL(r.last_wait_type, N'MISCELLANEOUS')) AS lastwaittype,
  CONVERT(nchar(256), ISNULL(r.wait_resource, N'')) AS waitresource, CONVERT(smallint, s.database_id) AS dbid, CONVERT(smallint, 1) AS uid,
  CONVERT(int, s.cpu_time) AS cpu, CONVERT(bigint, s.reads + s.writes) AS physical_io, CONVERT(int, s.memory_usage) AS memusage, s.login_time,
  s.last_request_start_time AS last_batch, CONVERT(smallint, 0) AS ecid, CONVERT(smallint, s.open_transaction_count) AS open_tran, CONVERT(nchar(30), CASE ISNULL(r.status, s.status) WHEN N'running' THEN N'runnable' ELSE ISNULL(r.status, s.status) END) AS status,
  CONVERT(binary(86), s.security_id) AS sid, CONVERT(nchar(128), ISNULL(s.host_name, N'')) AS hostname, CONVERT(nchar(128), ISNULL(s.program_name, N'')) AS program_name,
  CONVERT(nchar(10), ISNULL(CONVERT(nvarchar(10), s.host_process_id), N'')) AS hostprocess, CONVERT(nchar(26), ISNULL(r.command, N'AWAITING COMMAND')) AS cmd,
  CONVERT(nchar(128), N'') AS nt_domain, CONVERT(nchar(128), N'') AS nt_username, CONVERT(nchar(12), N'') AS net_address, CONVERT(nchar(12), CASE s.endpoint_id WHEN 2 THEN N'LPC' ELSE N'TCP/IP' END) AS net_library,
  CONVERT(nchar(128), s.login_name) AS loginame, s.context_info,
  CONVERT(binary(20), COALESCE(r.sql_handle, c.most_recent_sql_handle, 0x00)) AS sql_handle, CONVERT(int, ISNULL(r.statement_start_offset, 0)) AS stmt_start,
  CONVERT(int, ISNULL(r.statement_end_offset, 0)) AS stmt_end,
  CONVERT(int, 0) AS request_id, CONVERT(binary(8), 0x00) AS page_resource
FROM sys.dm_exec_sessions s
LEFT JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
LEFT JOIN sys.dm_exec_connections c ON c.session_id = s.session_id
GO
CREATE VIEW sys.syscomments AS
SELECT t.objid AS id, CONVERT(smallint, 1) AS number, CONVERT(smallint, 1) AS colid, CONVERT(smallint, 2) AS status, CONVERT(varbinary(8000), NULL) AS ctext,
  CONVERT(smallint, 2) AS texttype, CONVERT(smallint, 0) AS language, CONVERT(bit, o.status & 1048576) AS encrypted, CONVERT(bit, 0) AS compressed,
  CONVERT(nvarchar(4000), CASE WHEN o.status & 1048576 = 0 AND HAS_ACCESS(1060, o.id) = 1 THEN t.value END) AS text
FROM sys.sysobjvalues t
JOIN sys.sysschobjs o ON o.id = t.objid
WHERE o.kind <> 'SN'
GO
CREATE VIEW sys.sysforeignkeys AS
SELECT constraint_object_id AS constid, parent_object_id AS fkeyid, referenced_object_id AS rkeyid, CONVERT(smallint, parent_column_id) AS fkey,
  CONVERT(smallint, referenced_column_id) AS rkey, CONVERT(smallint, constraint_column_id) AS keyno
FROM sys.foreign_key_columns
GO
CREATE VIEW sys.sysreferences AS
SELECT f.object_id AS constid, f.parent_object_id AS fkeyid, f.referenced_object_id AS rkeyid, CONVERT(smallint, f.key_index_id) AS rkeyindid,
  CONVERT(smallint, COUNT(*)) AS keycnt, CONVERT(varbinary(32), NULL) AS forkeys, CONVERT(varbinary(32), NULL) AS refkeys,
  CONVERT(smallint, 0) AS fkeydbid, CONVERT(smallint, 0) AS rkeydbid,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 1 THEN k.parent_column_id ELSE 0 END)) AS fkey1, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 2 THEN k.parent_column_id ELSE 0 END)) AS fkey2,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 3 THEN k.parent_column_id ELSE 0 END)) AS fkey3, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 4 THEN k.parent_column_id ELSE 0 END)) AS fkey4,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 5 THEN k.parent_column_id ELSE 0 END)) AS fkey5, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 6 THEN k.parent_column_id ELSE 0 END)) AS fkey6,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 7 THEN k.parent_column_id ELSE 0 END)) AS fkey7, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 8 THEN k.parent_column_id ELSE 0 END)) AS fkey8,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 9 THEN k.parent_column_id ELSE 0 END)) AS fkey9, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 10 THEN k.parent_column_id ELSE 0 END)) AS fkey10,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 11 THEN k.parent_column_id ELSE 0 END)) AS fkey11, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 12 THEN k.parent_column_id ELSE 0 END)) AS fkey12,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 13 THEN k.parent_column_id ELSE 0 END)) AS fkey13, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 14 THEN k.parent_column_id ELSE 0 END)) AS fkey14,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 15 THEN k.parent_column_id ELSE 0 END)) AS fkey15, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 16 THEN k.parent_column_id ELSE 0 END)) AS fkey16,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 1 THEN k.referenced_column_id ELSE 0 END)) AS rkey1, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 2 THEN k.referenced_column_id ELSE 0 END)) AS rkey2,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 3 THEN k.referenced_column_id ELSE 0 END)) AS rkey3, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 4 THEN k.referenced_column_id ELSE 0 END)) AS rkey4,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 5 THEN k.referenced_column_id ELSE 0 END)) AS rkey5, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 6 THEN k.referenced_column_id ELSE 0 END)) AS rkey6,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 7 THEN k.referenced_column_id ELSE 0 END)) AS rkey7, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 8 THEN k.referenced_column_id ELSE 0 END)) AS rkey8,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 9 THEN k.referenced_column_id ELSE 0 END)) AS rkey9, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 10 THEN k.referenced_column_id ELSE 0 END)) AS rkey10,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 11 THEN k.referenced_column_id ELSE 0 END)) AS rkey11, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 12 THEN k.referenced_column_id ELSE 0 END)) AS rkey12,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 13 THEN k.referenced_column_id ELSE 0 END)) AS rkey13, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 14 THEN k.referenced_column_id ELSE 0 END)) AS rkey14,
  CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 15 THEN k.referenced_column_id ELSE 0 END)) AS rkey15, CONVERT(smallint, MAX(CASE k.constraint_column_id WHEN 16 THEN k.referenced_column_id ELSE 0 END)) AS rkey16
FROM sys.foreign_keys f
JOIN sys.foreign_key_columns k ON k.constraint_object_id = f.object_id
GROUP BY f.object_id, f.parent_object_id, f.referenced_object_id, f.key_index_id
GO
CREATE VIEW sys.sysconstraints AS
SELECT o.id AS constid, o.pid AS id, CONVERT(smallint, CASE WHEN o.status & 32768 <> 0 THEN o.intprop ELSE 0 END) AS colid, CONVERT(tinyint, 0) AS spare1,
  CONVERT(int, CASE o.kind WHEN 'PK' THEN 1 WHEN 'UQ' THEN 2 WHEN 'F' THEN 3 WHEN 'C' THEN 4 ELSE 5 END + CASE WHEN o.status & 32768 <> 0 OR o.kind = 'D' THEN 16 ELSE 32 END) AS status, CONVERT(int, 0) AS actions, CONVERT(int, 0) AS error
FROM sys.sysschobjs o
WHERE o.kind IN ('PK', 'UQ', 'F', 'C', 'D') AND o.pid <> 0
GO
CREATE VIEW sys.sysfiles AS
SELECT CONVERT(smallint, file_id) AS fileid, CONVERT(smallint, data_space_id) AS groupid, size, max_size AS maxsize, growth, CONVERT(int, CASE type WHEN 1 THEN 66 ELSE 2 END + CASE is_percent_growth WHEN 1 THEN 1048576 ELSE 0 END) AS status,
  CONVERT(int, 0) AS perf, name, physical_name AS filename
FROM sys.database_files
GO
CREATE VIEW sys.sysaltfiles AS
SELECT CONVERT(smallint, file_id) AS fileid, CONVERT(smallint, data_space_id) AS groupid, size, max_size AS maxsize, growth, CONVERT(int, CASE type WHEN 1 THEN 66 ELSE 2 END + CASE is_percent_growth WHEN 1 THEN 1048576 ELSE 0 END) AS status,
  CONVERT(int, 0) AS perf, CONVERT(smallint, database_id) AS dbid, name, physical_name AS filename
FROM sys.master_files
GO
CREATE VIEW sys.sysfilegroups AS
SELECT CONVERT(smallint, data_space_id) AS groupid, CONVERT(smallint, 0) AS allocpolicy, CONVERT(int, CASE is_default WHEN 1 THEN 16 ELSE 0 END + CASE is_read_only WHEN 1 THEN 8 ELSE 0 END) AS status, name AS groupname FROM sys.filegroups
GO
CREATE VIEW sys.sysconfigures AS
SELECT CONVERT(int, value) AS value, configuration_id AS config, description AS comment, CONVERT(smallint, is_dynamic) AS status FROM sys.configurations
GO
CREATE VIEW sys.syscurconfigs AS
SELECT CONVERT(int, value_in_use) AS value, configuration_id AS config, description AS comment, CONVERT(smallint, is_dynamic) AS status FROM sys.configurations
GO
CREATE VIEW sys.syslogins AS
SELECT CONVERT(varbinary(85), l.sid) AS sid, CONVERT(smallint, 9) AS status, l.created AS createdate, l.modified AS updatedate, l.created AS accdate, CONVERT(int, 0) AS totcpu,
  CONVERT(int, 0) AS totio, CONVERT(int, 0) AS spacelimit, CONVERT(int, 0) AS timelimit, CONVERT(int, 0) AS resultlimit, l.name, l.default_database AS dbname,
  CONVERT(sysname, NULL) AS password, l.default_language AS language,
  CONVERT(int, CASE WHEN d.state = 'D' THEN 1 ELSE 0 END) AS denylogin, CONVERT(int, CASE WHEN d.state = 'D' OR d.state IS NULL THEN 0 ELSE 1 END) AS hasaccess, CONVERT(int, 0) AS isntname,
  CONVERT(int, 0) AS isntgroup, CONVERT(int, 0) AS isntuser, CONVERT(int, CASE WHEN m.indepid IS NULL THEN 0 ELSE 1 END) AS sysadmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 4 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS securityadmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 5 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS serveradmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 6 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS setupadmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 7 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS processadmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 8 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS diskadmin,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 9 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS dbcreator,
  CONVERT(int, CASE WHEN EXISTS (SELECT 1 FROM master.sys.syssingleobjrefs r WHERE r.class = 26 AND r.depid = 10 AND r.indepid = l.id) THEN 1 ELSE 0 END) AS bulkadmin, l.name AS loginname
FROM master.sys.sysxlgns l
LEFT JOIN master.sys.syssingleobjrefs m ON m.class = 26 AND m.depid = 3 AND m.indepid = l.id
LEFT JOIN master.sys.sysprivs d ON d.class = 100 AND d.grantee = l.id AND d.kind = 'COSQ'
WHERE l.kind <> 'R'
GO
CREATE VIEW sys.sysservers AS
SELECT CONVERT(smallint, s.server_id) AS srvid, CONVERT(smallint, 0) AS srvstatus, s.name AS srvname, s.product AS srvproduct, s.provider AS providername,
  s.data_source AS datasource, CONVERT(nvarchar(4000), NULL) AS location, CONVERT(nvarchar(4000), NULL) AS providerstring, s.modify_date AS schemadate,
  CONVERT(int, 0) AS topologyx, CONVERT(int, 0) AS topologyy, CONVERT(sysname, NULL) AS catalog, CONVERT(sysname, NULL) AS srvcollation,
  CONVERT(int, 0) AS connecttimeout, CONVERT(int, 0) AS querytimeout, CONVERT(char(30), s.name) AS srvnetname, CONVERT(bit, CASE s.server_id WHEN 0 THEN 1 ELSE 0 END) AS isremote,
  CONVERT(bit, 1) AS rpc, CONVERT(bit, 0) AS pub, CONVERT(bit, 0) AS sub, CONVERT(bit, 0) AS dist, CONVERT(bit, 0) AS dpub, CONVERT(bit, 1) AS rpcout,
  CONVERT(bit, 0) AS dataaccess, CONVERT(bit, 0) AS collationcompatible, CONVERT(bit, 0) AS system, CONVERT(bit, 1) AS useremotecollation,
  CONVERT(bit, 0) AS lazyschemavalidation, CONVERT(sysname, NULL) AS collation, CONVERT(bit, 0) AS nonsqlsub
FROM sys.servers s
GO
CREATE VIEW sys.sysmembers AS
SELECT CONVERT(smallint, r.indepid) AS memberuid, CONVERT(smallint, r.depid) AS groupuid FROM sys.syssingleobjrefs r WHERE r.class = 25
GO
CREATE VIEW sys.sysmessages AS
SELECT message_id AS error, severity, CONVERT(smallint, 0) AS dlevel, CONVERT(nvarchar(255), text) AS description, language_id AS msglangid FROM sys.messages
GO
CREATE VIEW sys.sysperfinfo AS
SELECT object_name, counter_name, instance_name, cntr_value, cntr_type FROM sys.dm_os_performance_counters
WHERE HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
GO
CREATE VIEW sys.syspermissions AS
SELECT p.id, CONVERT(smallint, p.grantee) AS grantee, CONVERT(smallint, p.grantor) AS grantor, CONVERT(smallint, 0) AS actadd, CONVERT(smallint, 0) AS actmod,
  CONVERT(varbinary(4000), NULL) AS seladd, CONVERT(varbinary(4000), NULL) AS selmod, CONVERT(varbinary(4000), NULL) AS updadd, CONVERT(varbinary(4000), NULL) AS updmod,
  CONVERT(varbinary(4000), NULL) AS refadd, CONVERT(varbinary(4000), NULL) AS refmod
FROM sys.sysprivs p WHERE p.class = 1
GO
CREATE VIEW sys.syslanguages AS
SELECT langid, dateformat, datefirst, upgrade, name, alias, months, shortmonths, days, lcid, msglangid FROM sys.syslanguagerows
GO
CREATE VIEW sys.syscharsets AS
SELECT CONVERT(smallint, 1001) AS type, CONVERT(tinyint, 1) AS id, CONVERT(tinyint, 0) AS csid, CONVERT(smallint, 0) AS status, CONVERT(sysname, N'iso_1') AS name,
  CONVERT(nvarchar(255), N'ISO 8859-1 (Latin-1) - Western European 8-bit character set.') AS description, CONVERT(varbinary(6000), NULL) AS binarydefinition, CONVERT(image, NULL) AS definition
GO
CREATE VIEW sys.syscacheobjects AS
SELECT p.bucketid, CONVERT(nvarchar(17), p.cacheobjtype) AS cacheobjtype, CONVERT(nvarchar(8), p.objtype) AS objtype,
  CONVERT(int, ISNULL(t.objectid, 0)) AS objid, CONVERT(smallint, ISNULL(t.dbid, 0)) AS dbid, CONVERT(smallint, 0) AS dbidexec,
  CONVERT(smallint, -2) AS uid, p.refcounts, p.usecounts, CONVERT(int, (p.size_in_bytes + 8191) / 8192) AS pagesused, CONVERT(int, 0) AS setopts,
  CONVERT(smallint, 0) AS langid, CONVERT(smallint, 1) AS dateformat, CONVERT(int, 0) AS status, CONVERT(bigint, 0) AS lasttime,
  CONVERT(bigint, 0) AS maxexectime, CONVERT(bigint, 0) AS avgexectime, CONVERT(bigint, 0) AS lastreads, CONVERT(bigint, 0) AS lastwrites,
  CONVERT(int, DATALENGTH(t.text)) AS sqlbytes, CONVERT(nvarchar(3900), t.text) AS sql
FROM sys.dm_exec_cached_plans p
OUTER APPLY sys.dm_exec_sql_text(p.plan_handle) t
WHERE HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
GO
CREATE VIEW sys.sysprotects AS
SELECT p.id, CONVERT(smallint, p.grantee) AS uid,
  CONVERT(tinyint, CASE p.kind WHEN 'RF' THEN 26 WHEN 'CRFN' THEN 178 WHEN 'SL' THEN 193 WHEN 'IN' THEN 195 WHEN 'DL' THEN 196 WHEN 'UP' THEN 197
    WHEN 'CRTB' THEN 198 WHEN 'CRDB' THEN 203 WHEN 'CRVW' THEN 207 WHEN 'CRPR' THEN 222 WHEN 'EX' THEN 224 WHEN 'BADB' THEN 228 WHEN 'CRDF' THEN 233
    WHEN 'BALO' THEN 235 WHEN 'CRRU' THEN 236 END) AS action,
  CONVERT(tinyint, CASE p.state WHEN 'W' THEN 204 WHEN 'G' THEN 205 ELSE 206 END) AS protecttype,
  CONVERT(varbinary(8000), CASE WHEN p.kind IN ('SL', 'UP', 'RF') THEN 0x01 END) AS columns, CONVERT(smallint, p.grantor) AS grantor
FROM sys.sysprivs p
WHERE p.class IN (0, 1) AND HAS_ACCESS(27, p.grantee) = 1
  AND p.kind IN ('RF', 'CRFN', 'SL', 'IN', 'DL', 'UP', 'CRTB', 'CRDB', 'CRVW', 'CRPR', 'EX', 'BADB', 'CRDF', 'BALO', 'CRRU')
GO
CREATE VIEW sys.syslockinfo AS
SELECT CONVERT(nchar(32), l.resource_description) AS rsc_text, CONVERT(binary(16), 0x00) AS rsc_bin, CONVERT(binary(16), 0x00) AS rsc_valblk,
  CONVERT(smallint, l.resource_database_id) AS rsc_dbid, CONVERT(smallint, 0) AS rsc_indid,
  CONVERT(int, CASE l.resource_type WHEN N'OBJECT' THEN l.resource_associated_entity_id WHEN N'KEY' THEN (l.resource_associated_entity_id - 72057594037927936) / 256 ELSE 0 END) AS rsc_objid,
  CONVERT(tinyint, CASE l.resource_type WHEN N'DATABASE' THEN 2 WHEN N'FILE' THEN 3 WHEN N'OBJECT' THEN 5 WHEN N'PAGE' THEN 6 WHEN N'KEY' THEN 7
    WHEN N'EXTENT' THEN 8 WHEN N'RID' THEN 9 WHEN N'APPLICATION' THEN 10 ELSE 1 END) AS rsc_type,
  CONVERT(tinyint, 0) AS rsc_flag,
  CONVERT(tinyint, CASE l.request_mode WHEN N'Sch-S' THEN 1 WHEN N'Sch-M' THEN 2 WHEN N'S' THEN 3 WHEN N'U' THEN 4 WHEN N'X' THEN 5 WHEN N'IS' THEN 6
    WHEN N'IU' THEN 7 WHEN N'IX' THEN 8 WHEN N'SIU' THEN 9 WHEN N'SIX' THEN 10 WHEN N'UIX' THEN 11 WHEN N'BU' THEN 12 ELSE 0 END) AS req_mode,
  CONVERT(tinyint, CASE l.request_status WHEN N'GRANT' THEN 1 WHEN N'CONVERT' THEN 2 ELSE 3 END) AS req_status,
  CONVERT(smallint, l.request_reference_count) AS req_refcnt, CONVERT(smallint, 0) AS req_cryrefcnt, CONVERT(int, 0) AS req_lifetime,
  CONVERT(int, l.request_session_id) AS req_spid, CONVERT(int, 0) AS req_ecid, CONVERT(smallint, 1) AS req_ownertype,
  CONVERT(bigint, l.request_owner_id) AS req_transactionID, CONVERT(uniqueidentifier, NULL) AS req_transactionUOW
FROM sys.dm_tran_locks l
WHERE HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
GO
