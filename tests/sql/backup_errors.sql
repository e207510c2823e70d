-- BACKUP and RESTORE that are refused before a file is written.
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-3000-to-3999
CREATE DATABASE simple;
ALTER DATABASE simple SET RECOVERY SIMPLE;
GO
BACKUP DATABASE nowhere TO DISK = 'x.bak';
GO
BACKUP DATABASE tempdb TO DISK = 'x.bak';
GO
BACKUP LOG simple TO DISK = 'x.trn';
GO
BACKUP LOG master TO DISK = 'x.trn';
GO
BACKUP LOG model TO DISK = 'x.trn';
GO
BEGIN TRANSACTION;
BACKUP DATABASE simple TO DISK = 'x.bak';
ROLLBACK;
GO
BACKUP DATABASE simple TO DISK = '';
GO
BACKUP DATABASE simple TO DISK = 'a.bak', URL = 's3://here/shelf/b.bak';
GO
BACKUP DATABASE simple TO DISK = 'a.bak', DISK = 'a.bak';
GO
BACKUP DATABASE simple TO URL = 's3://here';
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak';
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak' WITH CREDENTIAL = 'none';
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak' WITH MAXTRANSFERSIZE = 65536;
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak' WITH BACKUP_OPTIONS = '{"s3": {"region": 1}}';
GO
BACKUP DATABASE simple TO URL = 'https://here/x.bak';
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH CREDENTIAL = 'c';
GO
CREATE CREDENTIAL [s3://here] WITH IDENTITY = 'somebody', SECRET = 'x';
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak';
GO
RESTORE LABELONLY FROM URL = 's3://here/shelf/x.bak' WITH RESTORE_OPTIONS = 'region';
GO
ALTER CREDENTIAL [s3://here] WITH IDENTITY = 'S3 Access Key';
GO
BACKUP DATABASE simple TO URL = 's3://here/shelf/x.bak';
GO
CREATE CREDENTIAL #c WITH IDENTITY = 'somebody';
GO
CREATE CREDENTIAL c WITH IDENTITY = 'somebody', SECRET = 'a', SECRET = 'b';
GO
CREATE CREDENTIAL c WITH IDENTITY = somebody;
GO
CREATE CREDENTIAL c;
GO
DROP CREDENTIAL [s3://here];
GO
BACKUP DATABASE simple TO shelf;
GO
BACKUP DATABASE simple TO DISK = '../x.bak';
GO
BACKUP DATABASE simple TO DISK = 'C:\backups\x.bak';
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH INIT, NOINIT;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH STATS = 101;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH BLOCKSIZE = 1000;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH BLOCKSIZE = 131072;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH MAXTRANSFERSIZE = 100000;
GO
RESTORE VERIFYONLY FROM DISK = 'x.bak' WITH MAXTRANSFERSIZE = 65537;
GO
BACKUP LOG simple TO DISK = 'x.bak' WITH MAXTRANSFERSIZE = 4259840;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH EXPIREDATE = 'some day';
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH FASTER;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH DIFFERENTIAL;
GO
BACKUP DATABASE simple TO DISK = 'x.bak' WITH COMPRESSION (ALGORITHM = MS_XPRESS);
GO
BACKUP DATABASE simple TO DISK = 'x.bak' MIRROR TO DISK = 'y.bak';
GO
BACKUP DATABASE simple TO DISK = @path;
GO
DECLARE @path nvarchar(100), @name nvarchar(200) = REPLICATE(N'n', 129);
BACKUP DATABASE simple TO DISK = @path;
BACKUP DATABASE simple TO DISK = 'x.bak' WITH NAME = @name;
GO
RESTORE DATABASE x FROM DISK = 'missing.bak';
GO
RESTORE HEADERONLY FROM DISK = 'missing.bak';
GO
RESTORE FILELISTONLY FROM DISK = 'missing.bak';
GO
RESTORE LABELONLY FROM DISK = 'missing.bak';
GO
RESTORE VERIFYONLY FROM DISK = 'missing.bak';
GO
RESTORE HEADERONLY FROM DISK = 'missing.bak' WITH REPLACE;
GO
RESTORE DATABASE x FROM DISK = 'missing.bak' WITH NORECOVERY;
GO
RESTORE DATABASE x FROM DISK = 'missing.bak' WITH STOPAT = '2020-01-01';
GO
RESTORE DATABASE x FROM URL = 'https://here/x.bak';
GO
RESTORE DATABASE simple WITH RECOVERY;
GO
RESTORE DATABASE master FROM DISK = 'missing.bak';
GO
RESTORE DATABASE tempdb FROM DISK = 'missing.bak';
GO
RESTORE LOG simple FROM DISK = 'missing.bak';
GO
RESTORE REWINDONLY FROM TAPE = 'x';
GO
CREATE DATABASE fresh;
GO
BACKUP LOG fresh TO DISK = 'x.trn';
GO
BACKUP DATABASE fresh TO DISK = 'x.bak' WITH DIFFERENTIAL;
GO
BACKUP DATABASE master TO DISK = 'x.bak' WITH DIFFERENTIAL;
GO
BACKUP LOG fresh TO DISK = 'x.trn' WITH DIFFERENTIAL;
GO
BACKUP LOG fresh TO DISK = 'x.trn' WITH NO_TRUNCATE;
GO
BACKUP LOG fresh TO DISK = 'x.trn' WITH STANDBY = 'undo';
GO
BACKUP DATABASE fresh TO DISK = 'x.bak' WITH NORECOVERY;
GO
RESTORE LOG fresh FROM DISK = 'missing.trn' WITH NORECOVERY, RECOVERY;
GO
RESTORE LOG fresh FROM DISK = 'missing.trn' WITH STANDBY = 'undo';
GO
RESTORE LOG fresh FROM DISK = 'missing.trn' WITH PARTIAL;
GO
RESTORE LOG fresh WITH RECOVERY;
GO
RESTORE LOG nowhere WITH RECOVERY;
GO
RESTORE DATABASE nowhere WITH RECOVERY;
GO
DROP DATABASE fresh;
GO
BEGIN TRY
  RESTORE DATABASE x FROM DISK = 'missing.bak';
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message, XACT_STATE() AS state;
END CATCH
GO
SELECT backup_set_id, database_name FROM msdb.dbo.backupset WHERE database_name = 'simple';
SELECT restore_history_id FROM msdb.dbo.restorehistory WHERE destination_database_name = 'x';
SELECT database_id FROM msdb.dbo.suspect_pages;
SELECT OBJECT_ID('msdb.dbo.backupset') - OBJECT_ID('msdb..backupset') AS same, OBJECT_ID('dbo.backupset') AS here;
