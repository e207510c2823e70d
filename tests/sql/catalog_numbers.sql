-- Numbers of indexes, statistics, XML and spatial indexes: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-indexes-transact-sql
-- What is seen of an index by its number in views of 16 bits: https://learn.microsoft.com/sql/relational-databases/system-compatibility-views/sys-sysindexes-transact-sql
create table numbered (id int constraint pk_numbered primary key, a int, x xml, g geometry);
go
create primary xml index px on numbered (x);
create xml index sx on numbered (x) using xml index px for path;
create spatial index si on numbered (g) with (bounding_box = (0, 0, 1, 1));
create index ia on numbered (a);
create statistics st on numbered (a, id);
create index ib on numbered (a desc);
go
select name, index_id, type_desc from sys.indexes where object_id = object_id('numbered') order by index_id;
select name, stats_id from sys.stats where object_id = object_id('numbered') order by stats_id;
select name, indid, keycnt from sysindexes where id = object_id('numbered') order by indid;
select indid, colid, keyno from sysindexkeys where id = object_id('numbered') order by indid, keyno;
select indexproperty(object_id('numbered'), 'st', 'IndexID') as st, indexproperty(object_id('numbered'), 'sx', 'IndexID') as sx;
go
drop index sx on numbered;
drop index px on numbered;
create index ic on numbered (a, id);
create primary xml index px on numbered (x);
select name, index_id from sys.indexes where object_id = object_id('numbered') and name in ('ic', 'px') order by name;
go
-- VIEW_METADATA: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-views-transact-sql
create view plain as select id from numbered;
go
create view told with view_metadata as select id from numbered;
go
select name, has_opaque_metadata from sys.views where name in ('plain', 'told') order by name;
go
alter view told as select id from numbered;
go
select name, has_opaque_metadata from sys.all_views where name = 'told';
go
-- The key of a function's table is not null.
create function keyed() returns @r table (a int primary key, b int unique, c int null, d int not null) as begin return; end;
go
create function keyed_by_two() returns @r table (a int, b int, primary key (a, b)) as begin return; end;
go
select object_name(object_id) as function_name, name, is_nullable from sys.columns where object_id in (object_id('keyed'), object_id('keyed_by_two'))
order by object_id, column_id;
