SET NOCOUNT ON;
DECLARE @r int;
EXEC @r = sp_getapplock 'x', 'Exclusive', 'Session';
SELECT @r AS granted;
EXEC @r = sp_releaseapplock 'x', 'Session';
SELECT @r AS released;
EXEC sp_releaseapplock 'x', 'Session';
EXEC sp_getapplock 'x', 'Shared';
EXEC sp_getapplock 'x', 'Strange', 'Session';
BEGIN TRANSACTION;
EXEC @r = sp_getapplock @Resource = 'x', @LockMode = 'Shared', @LockTimeout = 0;
SELECT @r AS granted;
COMMIT;
GO
CREATE TABLE dbo.child (a int NOT NULL, b int NULL);
GO
EXEC sp_rename 'dbo.child', 'kid';
EXEC sp_rename 'dbo.kid.b', 'c', 'COLUMN';
EXEC sp_rename 'dbo.kid', 'x', 'THING';
GO
SELECT a, c FROM kid;
GO
EXEC sp_addextendedproperty 'MS_Description', N'the kid', 'SCHEMA', 'dbo', 'TABLE', 'kid';
EXEC sp_addextendedproperty 'MS_Description', N'column a', 'SCHEMA', 'dbo', 'TABLE', 'kid', 'COLUMN', 'a';
EXEC sp_addextendedproperty 'MS_Description', N'again', 'SCHEMA', 'dbo', 'TABLE', 'kid';
GO
EXEC sp_updateextendedproperty 'MS_Description', N'a kid', 'SCHEMA', 'dbo', 'TABLE', 'kid';
SELECT class, OBJECT_NAME(major_id) AS object, minor_id, name, CONVERT(nvarchar(20), value) AS value FROM sys.extended_properties ORDER BY minor_id;
EXEC sp_dropextendedproperty 'MS_Description', 'SCHEMA', 'dbo', 'TABLE', 'kid';
EXEC sp_dropextendedproperty 'MS_Description', 'SCHEMA', 'dbo', 'TABLE', 'kid';
GO
EXEC sp_set_session_context 'key', N'value', 1;
SELECT CONVERT(nvarchar(20), SESSION_CONTEXT(N'key')) AS value;
EXEC sp_set_session_context 'key', 2;
GO
EXEC sp_recompile 'dbo.kid';
EXEC sp_recompile 'dbo.nothing';
EXEC sp_flush_log;
EXEC xp_msver 'ProductName';
GO
DECLARE @u TABLE (place int, name sysname, type_id int, type nvarchar(256), length smallint, p tinyint, s tinyint, u int NULL, u1 sysname NULL, u2 sysname NULL,
  u3 sysname NULL, u4 nvarchar(4000) NULL, x int NULL, x1 sysname NULL, x2 sysname NULL, x3 sysname NULL, b1 bit, b2 bit, b3 bit, b4 bit, b5 bit,
  formal sysname NULL, tds int, tds_length int);
INSERT @u EXEC sp_describe_undeclared_parameters N'SELECT a FROM kid WHERE a = @one AND c IN (@two) AND @three < a';
SELECT place, name, type, tds, tds_length FROM @u;
GO
DECLARE @cursor int, @rows int, @scroll int = 8, @concurrency int = 1;
INSERT kid VALUES (1, 10), (2, 20), (3, 30);
EXEC sp_cursoropen @cursor OUTPUT, N'SELECT a, c FROM kid ORDER BY a', @scroll OUTPUT, @concurrency OUTPUT, @rows OUTPUT;
SELECT @scroll AS scroll, @concurrency AS concurrency, @rows AS rows;
EXEC sp_cursorfetch @cursor, 2, 0, 2;
EXEC sp_cursorfetch @cursor, 8, 0, 1;
EXEC sp_cursorclose @cursor;
EXEC sp_cursorclose @cursor;
GO
-- https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/natively-compiled-stored-procedures
