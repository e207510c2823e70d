-- Column sets: https://learn.microsoft.com/sql/relational-databases/tables/use-column-sets
create table t (id int primary key, title nvarchar(20), score int sparse, [a b] varchar(20) sparse null, bytes varbinary(4) sparse, moment datetime2(0) sparse, parts xml column_set for all_sparse_columns);
insert t (id, title, score) values (1, 'one', 27);
insert t values (2, 'two', '<score>5</score><a_x0020_b>x &amp; y</a_x0020_b>');
insert t (id, parts) values (3, '<bytes>AQI=</bytes><moment>2024-05-06T07:08:09</moment>'), (4, null);
select * from t order by id;
select id, score, [a b], bytes, moment from t order by id;
go
select name, is_sparse, is_column_set, is_computed from sys.columns where object_id = object_id('t') order by column_id;
go
-- What the assigned value does not name becomes NULL.
update t set parts = '<score>6</score>' output deleted.parts, inserted.score where id = 2;
update t set score = 7 where id = 1;
select id, score, [a b], parts from t where id < 3 order by id;
update t set parts = null where id = 2;
select id from t where parts is null order by id;
go
merge t using (values (1, '<score>8</score>'), (5, '<score>9</score>')) s (id, parts) on t.id = s.id
  when matched then update set parts = s.parts when not matched then insert (id, parts) values (s.id, s.parts);
select id, parts.value('(/score)[1]', 'int') as score from t where parts.exist('/score') = 1 order by id;
go
-- A sparse column that comes later is of the set; one that goes is no longer.
alter table t add extra bit sparse;
go
update t set extra = 1 where id = 5;
select parts from t where id = 5;
alter table t drop column score;
select parts from t where id = 5;
go
create view v as select * from t;
go
select name from sys.columns where object_id = object_id('v') order by column_id;
select * into copied from t;
select name, is_sparse, is_column_set from sys.columns where object_id = object_id('copied') order by column_id;
go
insert t (id, [a b], parts) values (6, 'x', null);
go
update t set parts = null, extra = 1;
go
insert t (id, parts) values (6, '<nothing>1</nothing>');
go
insert t (id, parts) values (6, '<extra>1</extra><extra>0</extra>');
go
insert t (id, parts) values (6, '<extra at="1">1</extra>');
go
insert t (id, parts) values (6, 'text');
go
create table two (a xml column_set for all_sparse_columns, b xml column_set for all_sparse_columns);
go
create table wrong (a xml column_set for all_sparse_columns not null);
go
create table wrong (a int column_set for all_sparse_columns);
go
create table late (a int sparse);
alter table late add c xml column_set for all_sparse_columns;
go
create table wrong (a geometry sparse);
go
