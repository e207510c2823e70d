-- Names inside strings: a part without brackets may be any word and hold anything but a dot.
create schema [my schema];
go
create table [order] (id int identity(3, 2), note varchar(17));
create table [user] (id int); create table [group] (id int); create table [key] (id int); create table [plan] (id int); create table [values] (id int);
create table [a b] (id int, constraint [pk a-b] primary key (id)); create table [d-e] (id int); create table [it's] (id int); create table [x.y] (id int); create table [q"r] (id int); create table [s]]t] (id int); create table [1st] (id int);
create table [my schema].[select] (id int, [from] int);
insert [order] default values;
create type [my type] from int;
go
create procedure [do it] as select 'done' as [do it];
go
create view [a view] as select id from [order];
go
select name, iif(object_id(name) is null, 'missing', 'found') as bare, iif(object_id('dbo.' + name) is null, 'missing', 'found') as qualified, iif(object_id(quotename(name)) is null, 'missing', 'found') as bracketed, iif(object_id('"' + name + '"', 'U') is null, 'missing', 'found') as quoted
from sys.tables where schema_id = 1 and name not like '%[].]%' and name not like '%"%' order by name;
select iif(object_id('x.y') is null, 'missing', 'found') as two_parts, iif(object_id('[x.y]') is null, 'missing', 'found') as one_part, iif(object_id('s]t') is null, 'missing', 'found') as plain, iif(object_id('[s]]t]') is null, 'missing', 'found') as doubled, iif(object_id('q"r') is null, 'missing', 'found') as quote, iif(object_id('"q""r"') is null, 'missing', 'found') as quotes;
select iif(object_id('my schema.select') is null, 'missing', 'found') as a, iif(object_id('[my schema].select') is null, 'missing', 'found') as b, iif(object_id(db_name() + '.my schema.select') is null, 'missing', 'found') as c, iif(object_id(db_name() + '..order') is null, 'missing', 'found') as d, iif(object_id(' dbo . order ') is null, 'missing', 'found') as blanks;
select object_id('[order') as unclosed, object_id('[order]x') as behind, object_id('a.b.c.d.order') as too_many, object_id('') as empty, object_id('dbo.') as no_object;
select col_length('order', 'note') as [length], ident_current('order') as [current], ident_seed('dbo.order') as seed, ident_incr('order') as increment, index_col('a b', 1, 1) as [index], iif(type_id('my type') is null, 'missing', 'found') as type, iif(type_id('dbo.my type') is null, 'missing', 'found') as of_schema, col_length('my schema.select', 'from') as other_schema;
go
-- The usual guard of scripts.
if object_id('order') is not null print 'drop it';
if object_id('dbo.group', 'U') is null print 'create it';
go
-- Procedures that take a name.
exec sp_helpconstraint 'dbo.d-e', 'nomsg';
exec sp_helpindex 'd-e';
exec sp_helpindex 'a b';
exec sp_helptext 'do it';
exec sp_rename 'd-e', 'f-g';
exec sp_rename 'dbo.order.note', 'where', 'COLUMN';
exec sp_rename 'dbo.a b.pk a-b', 'pk', 'INDEX';
select iif(object_id('f-g') is null, 'missing', 'found') as renamed, col_length('order', 'where') as renamed_column, index_col('dbo.a b', 1, 1) as of_renamed_index;
exec sp_recompile 'order';
exec sp_refreshview 'a view';
exec sp_autostats 'order';
dbcc checkident ('order', noreseed);
dbcc checkident ('my schema.select');
dbcc checktable ('dbo.values');
declare @name nvarchar(100) = N'do it';
exec @name;
set @name = N'dbo.do it';
exec @name;
exec sp_rename '[unclosed', 'x';
go
-- PARSENAME: https://learn.microsoft.com/sql/t-sql/functions/parsename-transact-sql
select parsename('a.b.c.d', 1) as one, parsename('a.b.c.d', 2) as two, parsename('a.b.c.d', 3) as three, parsename('a.b.c.d', 4) as four, parsename('a.b.c.d', 0) as zero, parsename('a.b.c.d', 5) as five, parsename('a.b.c.d.e', 1) as too_many;
select parsename('dbo.t', 1) as object, parsename('dbo.t', 2) as [schema], parsename('dbo.t', 3) as none, parsename('t', 1) as single, parsename('a..t', 2) as empty, parsename('a..t', 3) as before_empty, parsename('.t', 2) as first_empty, parsename('t.', 1) as last_empty, parsename('', 1) as nothing;
select parsename('[a.b].[c]]d]', 2) as bracketed, parsename('[a.b].[c]]d]', 1) as doubled, parsename('"a.b"."c""d"', 2) as quoted, parsename('"a.b"."c""d"', 1) as quotes, parsename('[a.b', 1) as unclosed, parsename('[a]b.c', 2) as behind;
select parsename('10.0.255.1', 4) as ip, parsename('my table.it''s a-b', 1) as blanks, parsename('select.from', 2) as reserved, parsename(N'Příliš.žluťoučký', 1) as wide, parsename(null, 1) as no_name, parsename('a.b', null) as no_part;
select len(parsename(replicate('a', 128), 1)) as longest, parsename(replicate('a', 129), 1) as too_long;
create table ip (address varchar(15));
insert ip values ('10.0.0.12'), ('9.255.1.1'), ('10.0.0.2');
select address from ip order by cast(parsename(address, 4) as int), cast(parsename(address, 3) as int), cast(parsename(address, 2) as int), cast(parsename(address, 1) as int);
go
