-- What statistics tell of values is for who may read these: DBCC SHOW_STATISTICS, "Permissions",
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql, and
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-stats-histogram-transact-sql
create database told_values;
go
use told_values;
create table t (a int constraint pk_t primary key, secret int, masked int masked with (function = 'default()'));
insert t values (1, 42, 7), (2, 43, 8);
create statistics of_a on t (a);
create statistics of_secret on t (secret);
create statistics of_both on t (a, secret);
create statistics of_some on t (a) where secret > 1;
create statistics of_masked on t (masked);
create table ruled (a int constraint pk_ruled primary key);
insert ruled values (1);
create statistics of_ruled on ruled (a);
create user reader without login; create user definer without login; create user owner without login;
grant select to reader; deny select on t (secret) to reader;
grant select to definer; alter role db_ddladmin add member definer;
grant control on t to owner;
go
create function rule_of (@a int) returns table with schemabinding as return select 1 as one where @a = 1;
go
create security policy ruling add filter predicate dbo.rule_of(a) on dbo.ruled;
go
execute as user = 'reader';
go
dbcc show_statistics ('t', 'of_a') with histogram, no_infomsgs;
go
dbcc show_statistics ('t', 'of_secret') with histogram;
go
dbcc show_statistics ('t', 'of_both') with density_vector;
go
dbcc show_statistics ('t', 'of_some') with stat_header;
go
dbcc show_statistics ('t', 'of_masked') with histogram;
go
dbcc show_statistics ('ruled', 'of_ruled') with histogram;
go
select s.name, h.range_high_key from sys.stats s cross apply sys.dm_db_stats_histogram(s.object_id, s.stats_id) h
where s.object_id in (object_id('t'), object_id('ruled')) and s.name like 'of[_]%' order by s.name, h.step_number;
go
revert;
grant unmask on t (masked) to reader;
execute as user = 'reader';
dbcc show_statistics ('t', 'of_masked') with histogram, no_infomsgs;
revert;
go
execute as user = 'definer';
dbcc show_statistics ('t', 'of_secret') with histogram, no_infomsgs;
dbcc show_statistics ('ruled', 'of_ruled') with histogram, no_infomsgs;
revert;
execute as user = 'owner';
dbcc show_statistics ('t', 'of_secret') with histogram, no_infomsgs;
select count(*) from sys.stats s cross apply sys.dm_db_stats_histogram(s.object_id, s.stats_id) h where s.object_id = object_id('t') and s.name = 'of_secret';
revert;
go
use master;
drop database told_values;
