-- Trace flags of the session and of all: https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-tracestatus-transact-sql
dbcc traceon (3604) with no_infomsgs;
dbcc traceon (1222, 3605, -1) with no_infomsgs;
dbcc tracestatus with no_infomsgs;
dbcc tracestatus (-1) with no_infomsgs;
dbcc tracestatus (1222, 3604, 9481) with no_infomsgs;
dbcc traceoff (1222) with no_infomsgs;
dbcc traceon (1222) with no_infomsgs;
dbcc tracestatus (1222, -1) with no_infomsgs;
dbcc traceoff (1222, 3605, -1) with no_infomsgs;
dbcc tracestatus (1222) with no_infomsgs;
dbcc traceoff (1222, 3604) with no_infomsgs;
dbcc tracestatus;
go
dbcc traceon (0);
go
dbcc traceon (3604, 'x');
go
