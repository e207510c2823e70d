-- What a procedure returns without a value in RETURN: 0, or after an error 10 less its severity.
-- https://stackoverflow.com/questions/1035789/return-value-from-a-stored-proc-on-error, knowledge base article Q96237 https://learn.microsoft.com/sql/t-sql/language-elements/return-transact-sql
create table us (a int constraint pk_us primary key constraint small_us check (a < 10));
insert us values (1);
go
create procedure us_divides as select 1 / 0 as a;
go
create procedure us_goes_on as select 1 / 0 as a; select 2 as b;
go
create procedure us_doubles as insert us values (1);
go
create procedure us_checks as insert us values (99);
go
create procedure us_raises @severity int as raiserror ('raised', @severity, 1);
go
create procedure us_says as select 1 / 0 as a; return 3;
go
create procedure us_returns as insert us values (1); return;
go
create procedure us_catches as begin try select 1 / 0 as a end try begin catch print 'caught' end catch;
go
create procedure us_calls as exec us_divides; return 0;
go
create procedure us_well as select 1 as a;
go
declare @r int; exec @r = us_divides; select @r as status;
declare @s int; exec @s = us_goes_on; select @s as status;
declare @t int; exec @t = us_doubles; select @t as status;
declare @u int; exec @u = us_checks; select @u as status;
go
declare @r int; exec @r = us_raises 16; select @r as status;
declare @s int; exec @s = us_raises 11; select @s as status;
declare @t int; exec @t = us_raises 10; select @t as status;
go
declare @r int; exec @r = us_says; select @r as status;
declare @s int; exec @s = us_returns; select @s as status;
declare @t int; exec @t = us_catches; select @t as status;
declare @u int; exec @u = us_calls; select @u as status;
declare @v int; exec @v = us_well; select @v as status;
go
-- A batch has no such status, nor has a text.
declare @r int; exec @r = sp_executesql N'select 1 / 0 as a'; select @r as status;
go
