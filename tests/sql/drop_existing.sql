-- https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql: DROP_EXISTING
create table t (a int not null, b int null, c int null);
create unique clustered index ix on t(a);
create index iy on t(b);
insert t values (1, 2, 3), (2, 1, 3);
go
create unique clustered index ix on t(b, a) with (drop_existing = on);
select i.name, i.type_desc, i.is_unique, col_name(c.object_id, c.column_id) as c from sys.indexes i join sys.index_columns c on c.object_id = i.object_id and c.index_id = i.index_id
where i.object_id = object_id('t') order by i.index_id, c.key_ordinal;
select a, b from t;
go
create index ix on t(a) with (drop_existing = on);
go
-- The one to be replaced is not the clustered one.
create clustered index iy on t(c) with (drop_existing = on);
go
create index iy on t(c) with (drop_existing = on);
create index iz on t(c) with (drop_existing = on);
go
drop index ix on t;
create clustered index iy on t(c) with (drop_existing = on);
select name, type_desc from sys.indexes where object_id = object_id('t');
go
-- The index of a constraint stays what it is.
create table u (a int not null constraint pk primary key nonclustered, b int not null constraint uq unique, c int constraint fk references u(a));
insert u values (1, 1, 1);
go
create unique index pk on u(b) with (drop_existing = on);
go
create index pk on u(a) with (drop_existing = on);
go
create unique clustered index pk on u(a) with (drop_existing = on);
go
create unique index pk on u(a) with (drop_existing = on, fillfactor = 70);
create unique index uq on u(b) with (drop_existing = on);
select i.name, i.is_primary_key, i.is_unique_constraint, i.fill_factor, k.type from sys.indexes i left join sys.key_constraints k on k.parent_object_id = i.object_id and k.unique_index_id = i.index_id
where i.object_id = object_id('u') order by i.name;
insert u values (1, 2, 1);
go
insert u values (2, 1, 1);
go
insert u values (3, 3, 9);
go
drop table u, t;
go
