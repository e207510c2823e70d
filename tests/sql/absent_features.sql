-- Query Store is off: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/query-store-stored-procedures-transact-sql
use tempdb;
go
exec sp_query_store_flush_db;
exec sys.sp_query_store_consistency_check;
exec sp_query_store_clear_message_queues;
go
exec sp_query_store_force_plan 1, 2;
go
exec sp_query_store_unforce_plan @plan_id = 2, @query_id = 1;
go
exec sp_query_store_remove_query 7;
go
exec sp_query_store_remove_plan 8;
go
exec sp_query_store_reset_exec_stats 9;
go
exec sp_query_store_set_hints 1, N'OPTION (RECOMPILE)';
go
exec sp_query_store_clear_hints 1;
go
exec sp_query_store_force_plan 1;
go
exec sp_query_store_remove_query null;
go
exec sp_query_store_set_hints 1, null;
go
-- Compression: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-estimate-data-compression-savings-transact-sql
create table estimated (a int not null primary key, b char(100));
insert estimated select value, 'x' from generate_series(1, 1000);
create index ib on estimated (b);
create table #estimate (object_name sysname, schema_name sysname, index_id int, partition_number int, now bigint, then_ bigint, sample_now bigint, sample_then bigint);
insert #estimate exec sp_estimate_data_compression_savings 'dbo', 'estimated', null, null, 'PAGE';
select object_name, schema_name, index_id, partition_number, case when now > 0 and now = then_ and sample_now = sample_then then 'nothing saved' end as saved
from #estimate order by index_id;
delete #estimate;
insert #estimate exec sp_estimate_data_compression_savings 'dbo', 'estimated', 2, 1, 'row';
select index_id from #estimate;
go
exec sp_estimate_data_compression_savings 'dbo', 'estimated', null, null, 'ZIP';
go
exec sp_estimate_data_compression_savings 'none', 'estimated', null, null, 'PAGE';
go
exec sp_estimate_data_compression_savings 'dbo', 'none', null, null, 'PAGE';
go
exec sp_estimate_data_compression_savings 'dbo', '#estimate', null, null, 'PAGE';
go
drop table estimated;
go
-- Change data capture, full-text search, replication, remote logins, traces, Database Mail.
exec sys.sp_cdc_disable_db;
go
exec sys.sp_cdc_add_job @job_type = N'cleanup', @start_job = 0, @retention = 5760;
go
exec sys.sp_cdc_start_job;
go
exec sys.sp_cdc_cleanup_change_table @capture_instance = 'dbo_t', @low_water_mark = 0x00;
go
exec sp_help_fulltext_catalogs;
exec sp_help_fulltext_tables;
go
exec sp_fulltext_service 'load_os_resources', 1;
go
exec sp_fulltext_catalog 'c', 'create';
go
exec sp_get_distributor;
create table #published (name sysname, id int, transpublish bit, mergepublish bit, dbowner bit, dbreadonly bit);
insert #published exec sp_helpreplicationdboption;
select max(convert(int, transpublish)) as published from #published;
exec sp_replcounters;
go
exec sp_helppublication;
go
exec sp_helparticle 'p';
go
exec sp_replicationdboption 'tempdb', 'publish', 'true';
go
exec sp_helpremotelogin;
go
exec sp_helpremotelogin 'far';
go
exec sp_addremotelogin 'far';
go
exec sp_dropalias 'sa';
go
exec sp_resetstatus 'none';
go
exec sp_resetstatus 'tempdb';
go
exec sp_trace_setstatus 1, 0;
go
exec msdb.dbo.sysmail_help_status_sp;
exec msdb.dbo.sysmail_help_queue_sp;
exec msdb.dbo.sp_syspolicy_purge_history;
go
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/xp-sprintf-transact-sql and xp-sscanf-transact-sql, with their examples
declare @ret_string varchar(255), @short char(10);
exec xp_sprintf @ret_string output, 'INSERT INTO %s VALUES (%s, %s)', 'table1', '1', '2';
exec master..xp_sprintf @short output, '%s and %s and %d', 'one';
print @ret_string;
print '[' + @short + ']';
declare @filename varchar(20), @message varchar(20), @none varchar(20) = 'as it was';
exec xp_sscanf 'sync -b -fproducts10.tmp -rrandom', 'sync -b -f%s -r%s', @filename output, @message output, @none output;
select @filename as filename, @message as message, @none as none;
go
exec xp_sprintf;
