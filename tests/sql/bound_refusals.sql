-- CREATE DEFAULT and CREATE RULE: no columns, no queries, one variable; what is bound keeps its column.
-- https://learn.microsoft.com/sql/t-sql/statements/create-rule-transact-sql and create-default-transact-sql
create table tg (id int identity, a int);
go
create default df1 as zz
go
create default df1 as (select 1)
go
create rule r1 as 1 > 1
go
create rule r1 as @x > @y
go
create default df1 as 5
go
create rule r1 as @x > 1
go
drop rule df1
go
drop default r1
go
exec sp_bindefault 'df1', 'nosuch'
go
exec sp_bindefault 'df1', 'tg.a'
go
drop default df1
go
exec sp_bindefault 'df1', 'tg.id'
go
