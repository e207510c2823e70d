-- How pages lie and what is on them, by mode: leaves are not read in LIMITED mode, and DETAILED tells of each level.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-index-physical-stats-transact-sql
create table t (id int not null constraint pk primary key, g uniqueidentifier not null default newid(), filler char(400) not null default 'x', index by_g (g));
create table h (a int, filler char(700) default 'y');
insert t (id) select value from generate_series(1, 5000);
insert h (a) select value from generate_series(1, 500);
go
select index_id, index_type_desc, alloc_unit_type_desc, index_level, iif(avg_fragmentation_in_percent between 0 and 100, 'told', 'not') as lies, iif(fragment_count * avg_fragment_size_in_pages = page_count, 'all', 'others') as of_pages, avg_page_space_used_in_percent, record_count, ghost_record_count, min_record_size_in_bytes
from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 1, null, 'LIMITED');
select index_id, index_depth, index_level, iif(avg_fragmentation_in_percent between 0 and 100, 'told', 'not') as lies, record_count, ghost_record_count, forwarded_record_count, iif(avg_page_space_used_in_percent > 85, 'full', 'half') as fill, iif(avg_record_size_in_bytes between 400 and 460, 'right', 'wrong') as size
from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 1, null, 'DETAILED') where index_level = 0;
select index_id, count(*) as levels, max(index_depth) as depth, sum(iif(index_level > 0, page_count, 0)) as inner_pages, max(iif(index_level = 1, record_count, 0)) - max(iif(index_level = 0, page_count, 0)) as missing
from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 1, null, 'DETAILED') group by index_id;
select index_id, record_count, iif(avg_page_space_used_in_percent between 40 and 90, 'half', 'full') as fill
from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 2, null, 'SAMPLED');
select index_type_desc, record_count, forwarded_record_count, iif(avg_record_size_in_bytes between 700 and 760, 'right', 'wrong') as size from sys.dm_db_index_physical_stats(db_id(), object_id('h'), null, null, 'DETAILED') where index_level = 0;
go
alter index by_g on t rebuild;
select index_id, record_count, iif(avg_page_space_used_in_percent between 40 and 90, 'half', 'full') as fill
from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 2, null, 'DETAILED') where index_level = 0;
delete t where id % 2 = 0;
select record_count from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 1, null, 'DETAILED') where index_level = 0;
go
