-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql
create table measured (a int constraint measured_key primary key, b varchar(10), index measured_some (b) where b is not null);
create statistics measured_both on measured (b, a);
go
dbcc show_statistics ('measured', 'measured_key') with no_infomsgs;
dbcc show_statistics (measured, measured_some) with stat_header, no_infomsgs;
dbcc show_statistics ('dbo.measured', measured_both) with histogram, no_infomsgs;
dbcc show_statistics (measured, measured_both) with density_vector;
go
dbcc show_statistics (measured, no_statistics);
go
dbcc show_statistics (no_table, measured_key);
go
-- What scripts read of a database's first page.
create table #page (ParentObject varchar(255), [Object] varchar(255), Field varchar(255), [Value] varchar(255));
insert #page exec ('dbcc dbinfo with tableresults, no_infomsgs');
select Field, case when Field in ('dbi_crdate', 'dbi_dbid', 'dbi_dbname', 'dbi_dbccLastKnownGood') then case when [Value] is null then 'none' else 'there' end else [Value] end as value
from #page order by Field;
create table #log (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo bigint, Status bigint, Parity bigint, CreateLSN numeric(38, 0));
set nocount on;
insert #log exec ('dbcc loginfo with no_infomsgs');
set nocount off;
select case when count(*) > 0 and max(Status) = 2 then 'there' else 'none' end as parts from #log;
go
dbcc tracestatus (-1) with tableresults, no_infomsgs;
go
