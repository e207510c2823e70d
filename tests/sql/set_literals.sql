-- Values of SET options as the statements' grammar has them: https://learn.microsoft.com/sql/t-sql/statements/set-rowcount-transact-sql and set-deadlock-priority-transact-sql
set rowcount 2.5;
go
set rowcount 3000000000;
go
declare @n decimal(5, 2) = 1.5; set rowcount @n;
go
declare @n bigint = 1; set rowcount @n; select a from (values (1), (2)) v(a); set rowcount 0;
go
declare @p varchar(10) = '-7'; set deadlock_priority @p;
select deadlock_priority from sys.dm_exec_sessions where session_id = @@spid;
set deadlock_priority '3';
select deadlock_priority from sys.dm_exec_sessions where session_id = @@spid;
set deadlock_priority normal;
go
declare @p varchar(10) = '11'; set deadlock_priority @p;
go
create table counts (a int);
go
set identity_insert dbo.counts on;
go
-- Nothing of a table type or a table variable has a name.
create type named as table (a int constraint pk_named primary key);
go
create type named as table (a int, constraint ck_named check (a > 0));
go
declare @t table (a int constraint pk_named primary key);
go
create function made() returns @t table (a int constraint pk_named primary key) as begin return end
go
-- A column that is only included may be imprecise.
create table prices (a int, text varchar(20), price as cast(text as float));
create index by_a on prices (a) include (price);
insert prices (a, text) values (1, '2.5');
select price from prices with (index = by_a) where a = 1;
go
-- A comment without an end goes to the end of the text.
select 1
/* abc

go
