-- https://learn.microsoft.com/sql/relational-databases/statistics/statistics
-- https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql
create table sale (id int not null constraint sale_key primary key, city varchar(10) null, amount int not null, day date not null);
insert sale select value, case when value % 10 = 0 then null when value % 2 = 0 then 'even' else 'odd' end, value % 50, dateadd(day, value % 400, '2024-01-01')
from generate_series(1, 2000);
create index sale_amount on sale (amount);
go
-- An index that is made over rows has statistics; the others are not there yet.
select name, stats_id, auto_created, user_created, no_recompute, has_filter from sys.stats where object_id = object_id('sale') order by stats_id;
select case when stats_date(object_id('sale'), 2) is null then 'none' else 'made' end as amount_, stats_date(object_id('sale'), 1) as key_;
dbcc show_statistics ('sale', sale_amount) with density_vector, no_infomsgs;
select step_number, cast(range_high_key as int) as range_high_key, range_rows, equal_rows, distinct_range_rows, average_range_rows
from sys.dm_db_stats_histogram(object_id('sale'), 2) where step_number in (1, 2, 50, 51) order by step_number;
go
-- A plan with a choice makes those of its columns.
select count(*) as n from sale a join sale b on b.id = a.amount where a.city = 'even' and a.day < '2024-02-01';
select replace(name, convert(varchar(8), convert(varbinary(4), object_id('sale')), 2), '<table>') as name, auto_created, user_created
from sys.stats where object_id = object_id('sale') and auto_created = 1 order by name;
select c.name, s.stats_column_id from sys.stats_columns s join sys.columns c on c.object_id = s.object_id and c.column_id = s.column_id
join sys.stats t on t.object_id = s.object_id and t.stats_id = s.stats_id where t.auto_created = 1 and t.object_id = object_id('sale') order by c.name;
select rows, rows_sampled, steps, unfiltered_rows, modification_counter, persisted_sample_percent
from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) where s.object_id = object_id('sale') and s.name like '%[_]00000002[_]%';
-- NULL is a step of its own.
dbcc show_statistics (sale, city) with histogram, no_infomsgs;
go
-- Changes are counted, and UPDATE STATISTICS begins anew.
update sale set city = 'new' where id <= 100;
delete sale where id > 1990;
select modification_counter from sys.dm_db_stats_properties(object_id('sale'), 2);
update statistics sale with fullscan;
select rows, modification_counter from sys.dm_db_stats_properties(object_id('sale'), 2);
dbcc show_statistics (sale, city) with histogram, no_infomsgs;
go
create statistics sale_both on sale (city, amount) with fullscan, norecompute;
create statistics sale_few on sale (amount) where amount < 10;
select name, user_created, no_recompute, has_filter, filter_definition from sys.stats where user_created = 1 order by name;
dbcc show_statistics (sale, sale_both) with density_vector, no_infomsgs;
select rows, unfiltered_rows, steps from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) where s.name = 'sale_few';
exec sp_autostats 'sale', 'ON', 'sale_both';
select name, no_recompute from sys.stats where name = 'sale_both';
exec sp_autostats 'sale', 'OFF', 'sale_amount';
select name, no_recompute from sys.stats where name = 'sale_amount';
drop statistics sale.sale_both, sale.sale_few;
select count(*) as n from sys.stats where user_created = 1;
go
drop statistics sale.sale_amount;
go
drop statistics sale.no_such;
go
update statistics sale (no_such);
go
update statistics sale with sample 101 percent;
go
update statistics sale with wrong;
go
create statistics s on sale (id) with incremental = on;
go
create table #header (Name nvarchar(128), Updated nvarchar(20), [Rows] bigint, Sampled bigint, Steps smallint, Density real, KeyLength real, StringIndex nvarchar(3), Filter nvarchar(4000), Unfiltered bigint, Persisted float);
insert #header exec ('dbcc show_statistics (sale, sale_amount) with stat_header, no_infomsgs');
select Name, case when Updated is null then 'never' else 'made' end as Updated, [Rows], Sampled, Steps, Density, KeyLength, StringIndex, Filter, Unfiltered, Persisted from #header;
go
-- A plan that is kept is made again when the threshold of changes has passed: 500 of 600 rows and a fifth.
create table grows (id int not null constraint grows_key primary key, v int not null);
insert grows select value, value % 7 from generate_series(1, 600);
go
create procedure joined as select count(*) as n from grows a join grows b on b.v = a.v where a.v < 2;
go
create procedure known as select p.rows from sys.stats s cross apply sys.dm_db_stats_properties(s.object_id, s.stats_id) p where s.object_id = object_id('grows') and s.auto_created = 1;
go
exec joined;
exec known;
insert grows select value, value % 7 from generate_series(601, 1200);
exec joined;
exec known;
insert grows select value, value % 7 from generate_series(1201, 1300);
exec joined;
exec known;
go
-- Estimates: a value that many rows have, one that few have, ranges, lists, NULL, patterns.
create table fact (id int not null constraint fact_key primary key, kind int not null, code varchar(10) not null, seen int null);
insert fact select value, case when value <= 9000 then 1 else value end, concat(char(97 + value % 20), value), case when value % 4 = 0 then value end from generate_series(1, 10000);
create index fact_kind on fact (kind);
create index fact_code on fact (code);
go
set showplan_xml on;
go
select * from fact where kind = 1;
go
select * from fact where kind = 9500;
go
select kind from fact where kind > 9500;
go
select kind from fact where kind > 9500 and kind <= 9600;
go
select kind from fact where kind in (1, 9500, 9501);
go
select code from fact where code like 'c%';
go
select count(*) from fact f join fact g on g.id = f.id where f.seen is null;
go
select f.id from fact f join fact g on g.id = f.seen where f.kind = 1;
go
set showplan_xml off;
go
