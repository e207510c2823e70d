-- What a function may not do is told behind what its body names; a RETURN without a value before all else.
-- https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql
create table f1 (a int, b int);
go
create function fa() returns int as begin return end
go
create function fa() returns int as begin declare @x int end
go
create function fa(@x int) returns int as begin if @x = 1 return 1 else return 2 end
go
create function fa(@x int) returns int as begin begin return 1 end end
go
create function fb(@x int) returns int as begin select 1 end
go
create function fb(@x int) returns int as begin select 1 return 1 end
go
create function fb(@x int) returns int as begin select a from f1 return 1 end
go
create function fb(@x int) returns int as begin insert f1 values (1,1) return 1 end
go
create function fb(@x int) returns int as begin print 'a' return 1 end
go
create function fb(@x int) returns int as begin set nocount on return 1 end
go
create function fb(@x int) returns int as begin return (select 1 where newid() is null) end
go
create function fb(@x int) returns float as begin return rand() end
go
create function fb(@x int) returns int as begin begin try set @x = 1 end try begin catch set @x = 2 end catch return 1 end
go
create function fb(@x int) returns int as begin exec('select 1') return 1 end
go
create function fb(@x int) returns int as begin select 1 a into #t return 1 end
go
create function fb(@x int) returns int as begin print 'a' set @x = (select zz from f1) end
go
create function fb() returns @r table (a int) as begin return 1 end
go
create function fb() returns table as return select 1
go
create function fb() returns table as return select 1 a, 2 a
go
create function fb() returns int with recompile as begin return 1 end
go
