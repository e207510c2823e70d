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
-- SQL_SOPT_SS_NAME_SCOPE: a table's columns without what its column set shows, all of them, those of the set alone.
-- https://learn.microsoft.com/sql/relational-databases/native-client-odbc-api/sqlsetstmtattr
create table scoped (id int not null, a int sparse null, b nvarchar(10) sparse null, cs xml column_set for all_sparse_columns);
create table loose (id int not null, a int sparse null);
go
create procedure names_of @table sysname, @scope int as
declare @c table (q sysname null, o sysname null, t sysname null, name sysname, data_type smallint, type_name sysname, prec int, len int, scale smallint null, radix smallint null,
  nullable smallint, remarks varchar(254) null, def nvarchar(4000) null, sql_type smallint, sub smallint null, octets int null, place int, is_nullable varchar(254),
  sparse smallint, cs smallint, computed smallint, ident smallint, u1 sysname null, u2 sysname null, u3 nvarchar(4000) null, x1 sysname null, x2 sysname null, x3 sysname null, ss tinyint);
insert @c exec sp_columns_100 @table, @NameScope = @scope, @ODBCVer = 3;
select name, place, sparse, cs from @c order by place;
go
exec names_of 'scoped', 0;
exec names_of 'scoped', 2;
exec names_of 'scoped', 3;
exec names_of 'loose', 0;
exec names_of 'loose', 3;
go
declare @m table (c sysname null, o sysname null, t sysname null, name sysname, place int, def nvarchar(4000) null, is_nullable varchar(3) null, type nvarchar(128) null,
  chars int null, octets int null, prec tinyint null, radix smallint null, scale int null, dprec smallint null, c1 sysname null, c2 sysname null, c3 sysname null, c4 sysname null,
  sparse bit, cs bit, fs bit);
insert @m exec sp_columns_managed null, null, 'scoped', null, 0;
select 0 as type, string_agg(name, ' ') within group (order by place) as names from @m;
delete @m;
insert @m exec sp_columns_managed null, null, 'scoped', null, 1;
select 1 as type, string_agg(name, ' ') within group (order by place) as names from @m;
delete @m;
insert @m exec sp_columns_managed null, null, 'scoped', null, 2;
select 2 as type, string_agg(name, ' ') within group (order by place) as names from @m;
go
