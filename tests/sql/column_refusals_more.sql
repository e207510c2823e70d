-- What a column of a table may not be: properties that ALTER COLUMN adds, and the names of the columns of views and functions.
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/alter-table-computed-column-definition-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/tables/use-sparse-columns
create view v as select 1 as a, 2 as a;
go
create function f() returns table as return (select 1);
go
create table t(a int not null constraint pk_t primary key, b int identity, c as a + 1, d int constraint df_d default 3, e varchar(10) not null, f int, g uniqueidentifier,
    h uniqueidentifier, constraint ck_f check (f > 0));
go
alter table t alter column g add rowguidcol;
alter table t alter column h add rowguidcol;
go
alter table t alter column g drop rowguidcol;
alter table t alter column g drop rowguidcol;
go
alter table t alter column f add rowguidcol;
go
alter table t alter column b add sparse;
go
alter table t alter column c add sparse;
go
alter table t alter column d add sparse;
go
alter table t alter column e add sparse;
go
alter table t alter column f add sparse;
go
