-- The arguments of DBCC may be variables. https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-transact-sql
CREATE TABLE st (a INT, b INT IDENTITY)
INSERT st (a) VALUES (1), (2)
CREATE STATISTICS s1 ON st (a)
GO
DECLARE @statistics SYSNAME = 's1', @table SYSNAME = 'dbo.st', @value INT = 10, @none SYSNAME
DBCC SHOW_STATISTICS ('dbo.st', @statistics) WITH DENSITY_VECTOR
DBCC SHOW_STATISTICS (@table, @statistics) WITH DENSITY_VECTOR
DBCC CHECKIDENT (@table, RESEED, @value)
INSERT st (a) VALUES (3)
SELECT MAX(b) AS b FROM st
DBCC CHECKTABLE (@table) WITH NO_INFOMSGS
GO
DECLARE @database SYSNAME = DB_NAME(), @id INT = DB_ID()
DBCC CHECKDB (@database) WITH NO_INFOMSGS
DBCC CHECKALLOC (@id) WITH NO_INFOMSGS
DBCC OPENTRAN (@database)
GO
DECLARE @flag INT = 3604
DBCC TRACEON (@flag)
DBCC TRACESTATUS (@flag)
DBCC TRACEOFF (@flag)
GO
DBCC CHECKDB (@undeclared)
GO
DROP TABLE st
