-- What a column of a table may not be: properties of other types, constraints twice, computed columns of computed columns.
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/alter-table-computed-column-definition-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/tables/use-sparse-columns
create table t(b int check (b > 0) check (b < 9));
go
create table t(b int default 1 constraint df_b default 2);
go
create table t(b int unique constraint uq_b unique);
go
create table t(b int primary key constraint uq_b unique);
go
declare @t table(b int unique primary key);
go
create table t(a int, c as a + 1 check (c > 0));
go
create table t(a int, c as a + 1 not null);
go
create table t(a int, c as a + 1, constraint ck_c check (c > 0));
go
create table t(a int, c as a + 1, d as c + 1);
go
create table t(a int rowguidcol);
go
create table t(a tinyint identity(300, 1));
go
create table t(a int collate Latin1_General_CI_AS);
go
create view v as select 1 as a, 2 as a;
go
create function f() returns table as return (select 1);
go
create table t(a int not null constraint pk_t primary key, b int identity, c as a + 1, d int constraint df_d default 3, e varchar(10) not null, f int, g uniqueidentifier,
    h uniqueidentifier, constraint ck_f check (f > 0));
go
alter table t add i as c * 2;
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
alter table t add constraint ck_c check (c > 0);
go
