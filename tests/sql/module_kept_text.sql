-- The text that is kept has CREATE where ALTER was written, and of CREATE OR ALTER what is left without the two words:
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-modules-transact-sql
create or alter procedure kept as select 1 as a;
go
select definition from sys.sql_modules where object_id = object_id('kept');
go
/* or */ Create  or	alter
view shown as select 1 as a;
go
select replace(replace(definition, char(9), '<tab>'), char(10), '<lf>') as definition from sys.sql_modules where object_id = object_id('shown');
go
create /* or alter */ or /* alter */ alter function given() returns int as begin return 1 end
go
select object_definition(object_id('given')) as definition;
select dbo.given() as given;
go
alter procedure kept as select 2 as a;
go
select definition from sys.sql_modules where object_id = object_id('kept');
exec kept;
go
