-- XML indexes: https://learn.microsoft.com/sql/t-sql/statements/create-xml-index-transact-sql
create table t (id int not null constraint pk primary key, x xml, y xml, n int, c as cast('<a/>' as xml));
create primary xml index px on t (x);
create xml index sx on t (x) using xml index px for path;
create xml index vx on t (x) using xml index px for value with (fillfactor = 80);
create xml index rx on t (x) using xml index px for property;
select name, type, type_desc, is_primary_key, is_unique, has_filter from sys.indexes where object_id = object_id('t') order by index_id;
select name, type_desc, xml_index_type_description, secondary_type, secondary_type_desc, (select name from sys.xml_indexes p where p.object_id = i.object_id and p.index_id = i.using_xml_index_id) as over_index, is_disabled from sys.xml_indexes i where object_id = object_id('t') order by index_id;
select i.name, c.name as [column] from sys.index_columns k join sys.indexes i on i.object_id = k.object_id and i.index_id = k.index_id join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id where k.object_id = object_id('t') order by i.index_id;
select name from sys.stats where object_id = object_id('t') order by name;
go
create primary xml index other on t (x);
go
create primary xml index px on t (y);
go
create primary xml index pn on t (n);
go
create primary xml index pc on t (c);
go
create primary xml index pz on t (z);
go
create xml index sy on t (y) using xml index px for path;
go
create table h (id int primary key nonclustered, x xml);
create primary xml index ph on h (x);
go
create view v as select x from t;
go
create primary xml index pv on v (x);
go
create primary xml index pq on nowhere (x);
go
insert t (id, x) values (1, '<a><b>1</b></a>');
select id from t where x.exist('/a[b = 1]') = 1;
alter index px on t disable;
select name, is_disabled from sys.xml_indexes where name = 'px';
alter index px on t rebuild;
alter index all on t rebuild;
alter index sx on t reorganize;
select name, is_disabled from sys.xml_indexes where name = 'px';
go
drop index sx on t;
drop index px on t;
select count(*) as n from sys.xml_indexes;
go
drop index px on t;
go
drop view v;
drop table t, h;
