-- An XML index and a spatial one have internal tables, by which tools find their statistics and partitions.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-internal-tables-transact-sql
create schema app;
go
create table app.doc (id int not null constraint pk_doc primary key, body xml null, place geometry null);
create primary xml index px on app.doc (body);
create xml index sx on app.doc (body) using xml index px for value;
create spatial index gx on app.doc (place) using geometry_grid with (bounding_box = (0, 0, 10, 10));
go
create view dbo.internals as
select replace(i.name, convert(varchar(12), i.parent_object_id), 'ID') as name, schema_name(i.schema_id) as [schema], object_name(i.parent_object_id) as parent, i.type,
  i.internal_type, i.internal_type_desc, object_name(i.parent_id) as of_table, i.parent_minor_id, i.is_ms_shipped
from sys.internal_tables i;
go
select * from dbo.internals order by name;
select o.type, s.name, s.stats_id, p.index_id, p.partition_number from sys.objects o join sys.stats s on s.object_id = o.object_id
  join sys.partitions p on p.object_id = o.object_id where o.parent_object_id = object_id('app.doc') order by s.name;
go
alter schema dbo transfer app.doc;
select * from dbo.internals order by name;
drop index px on dbo.doc;
select * from dbo.internals order by name;
drop index gx on dbo.doc;
select * from dbo.internals order by name;
create primary xml index px on dbo.doc (body);
drop table dbo.doc;
select * from dbo.internals order by name;
go
select name, principal_id, assembly_id, permission_set_desc, is_visible, is_user_defined from sys.assemblies;
select t.name, a.name as assembly from sys.assembly_types t join sys.assemblies a on a.assembly_id = t.assembly_id order by t.user_type_id;
go
