-- What administers databases, in states that are not the usual one: a name that BEGIN TRANSACTION gave in the views, KILL in a transaction, the
-- log of a snapshot, options of a database that is in use by nobody else, an option that there is none of.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-active-transactions-transact-sql
-- https://learn.microsoft.com/sql/t-sql/language-elements/kill-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY)
GO
-- Its name is the transaction's until it ends, and the next one has none.
BEGIN TRANSACTION release
INSERT t VALUES (1)
SELECT a.name, a.transaction_type FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID
BEGIN TRANSACTION inner_one
SELECT a.name FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID
ROLLBACK
BEGIN TRANSACTION
INSERT t VALUES (1)
SELECT a.name FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID
ROLLBACK
GO
DECLARE @long varchar(60) = 'a name of more than thirty-two characters counts as far'
BEGIN TRANSACTION @long
INSERT t VALUES (1)
SELECT a.name, LEN(a.name) AS length FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID
ROLLBACK TRANSACTION @long
SELECT @@TRANCOUNT AS open_transactions
GO
-- A name of before is not an implicit transaction's.
BEGIN TRANSACTION named
COMMIT
SET IMPLICIT_TRANSACTIONS ON
INSERT t VALUES (2)
ROLLBACK TRANSACTION named
SELECT @@TRANCOUNT AS open_transactions
ROLLBACK
SET IMPLICIT_TRANSACTIONS OFF
GO
BEGIN TRANSACTION
KILL 32000
GO
SELECT @@TRANCOUNT AS open_transactions
ROLLBACK
KILL 32000
GO
-- Nothing of the batch has run.
PRINT 'not told'
ALTER DATABASE CURRENT SET FAST_AND_GOOD ON
GO
ALTER DATABASE CURRENT SET RECOVERY SIMPLE, FAST_AND_GOOD ON
GO
ALTER DATABASE CURRENT SET SUSPEND_FOR_SNAPSHOT_BACKUP = ON
GO
-- Nobody else is in it.
ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON
ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH NO_WAIT
SELECT is_read_committed_snapshot_on FROM sys.databases WHERE database_id = DB_ID()
ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT OFF
GO
CREATE DATABASE admin_states_source
GO
CREATE DATABASE admin_states_then ON (NAME = admin_states_source, FILENAME = 'admin_states_then.ss') AS SNAPSHOT OF admin_states_source
GO
-- A snapshot has no log.
CREATE TABLE #space (name sysname, size real, used real, status int)
SET NOCOUNT ON
INSERT #space EXEC ('DBCC SQLPERF (LOGSPACE) WITH NO_INFOMSGS')
SELECT name, CASE WHEN used BETWEEN 0 AND 100 THEN 'percent' END AS used FROM #space WHERE name LIKE 'admin[_]states%'
DROP TABLE #space
SET NOCOUNT OFF
EXEC ('USE admin_states_then; SELECT total_log_size_in_bytes, used_log_space_in_bytes, used_log_space_in_percent FROM sys.dm_db_log_space_usage')
GO
DROP DATABASE admin_states_then
DROP DATABASE admin_states_source
DROP TABLE t
GO
