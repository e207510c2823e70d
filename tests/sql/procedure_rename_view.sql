-- sp_rename of a view's column: the column has the new name, the text of the view stays as it is written.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-rename-transact-sql
create table t (a int, c int);
insert t values (1, 2);
go
create view v as select a, c from t;
go
create view listed (x, y) as select a, c from t;
go
create view above as select a, c from v;
go
exec sp_rename 'v.a', 'b', 'COLUMN';
go
select b from v;
select * from v;
select v.b, v.c from v where b = 1;
insert v (b, c) values (3, 4);
update v set b = 5 where b = 3;
select a, c from t order by a;
select name from sys.columns where object_id = object_id('v') order by column_id;
select definition from sys.sql_modules where object_id = object_id('v');
go
select a from v;
go
select * from above;
go
exec sp_rename 'dbo.listed.y', 'z', 'COLUMN';
exec sp_rename 'listed.z', 'again', 'COLUMN';
go
select x, again from listed order by x;
exec sp_rename 'v.nothing', 'n', 'COLUMN';
go
exec sp_rename 'v.b', 'c', 'COLUMN';
go
begin tran;
exec sp_rename 'v.c', 'd', 'COLUMN';
go
select b, d from v where d = 2;
rollback;
go
select b, c from v where c = 2;
go
-- The text counts again after a refresh, and after ALTER VIEW.
exec sp_refreshview 'v';
go
select a from v order by a;
exec sp_rename 'v.a', 'b', 'COLUMN';
go
alter view v as select a, c from t;
go
select a from v order by a;
go
