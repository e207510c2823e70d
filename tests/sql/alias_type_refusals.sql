-- What an alias type may be of, and where it may not be named; what a table variable may not have.
-- https://learn.microsoft.com/sql/t-sql/statements/create-type-transact-sql, cast-and-convert-transact-sql and declare-local-variable-transact-sql
create type at1 from int;
go
create type at2 from nvarchar(10) not null;
go
create type at3 from at1
go
create type at3 from nosuch
go
create type at3 from rowversion
go
create type at3 from sysname
go
create type at3 from hierarchyid
go
create type at3 from geometry
go
create type at3 from xml
go
create type at1 from bigint
go
create table ax (c at2(10))
go
declare @v at2(10)
go
create table #ax (c at1)
go
select cast(1 as at1)
go
select convert(at1, 1)
go
drop type at1
go
declare @a table (a int), @b table (a int)
go
declare @t int; declare @t table (a int)
go
declare @t table (a int); declare @x int; set @x = @t
go
declare @t table (a int); select @t
go
declare @t table (a int); create table @t (b int)
go
declare @t table (a int); alter table @t add b int
go
declare @t table (a int); drop table @t
go
declare @t table (a int); truncate table @t
go
declare @t table (a int); select 1 a into @t
go
declare @t table (a int null primary key)
go
declare @t table (a int primary key, b int primary key)
go
declare @t table (a int, b int check (a > 0))
go
declare @t table (a rowversion, b rowversion)
go
declare @t table (a int check (a > 0) check (a < 9));
go
declare @t table (a int,);
go
create type tt8 as table (a int,);
go
create table tc1 (a int,);
go
