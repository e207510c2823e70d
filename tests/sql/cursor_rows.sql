-- sys.dm_exec_cursors: the open cursors of a session. https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-cursors-transact-sql
SET NOCOUNT ON
GO
CREATE TABLE t (a int PRIMARY KEY)
INSERT t VALUES (1), (2)
DECLARE c CURSOR STATIC READ_ONLY FOR SELECT a FROM t
DECLARE d CURSOR LOCAL FAST_FORWARD FOR SELECT a FROM t
DECLARE @v CURSOR
SET @v = CURSOR KEYSET SCROLL_LOCKS FOR SELECT a FROM t
SELECT name, properties, is_open, fetch_status FROM sys.dm_exec_cursors(@@SPID) ORDER BY cursor_id
OPEN c
DECLARE @a int
FETCH NEXT FROM c INTO @a
SELECT name, is_open, fetch_status FROM sys.dm_exec_cursors(0) WHERE session_id = @@SPID ORDER BY cursor_id
SELECT LEFT(s.text, 14) AS text FROM sys.dm_exec_cursors(@@SPID) x CROSS APPLY sys.dm_exec_sql_text(x.sql_handle) s WHERE x.name = 'c'
GO
-- What was local is gone, what is global stays.
SELECT name, is_open FROM sys.dm_exec_cursors(@@SPID)
DEALLOCATE c
SELECT COUNT(*) AS cursors FROM sys.dm_exec_cursors(@@SPID)
GO
