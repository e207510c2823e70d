-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql
-- A call is described by what the procedure returns.
create procedure inner_one as print 'before' select 1 as a, convert(nvarchar(5), 'x') as b;
go
create procedure outer_one as declare @n int = 1 exec inner_one;
go
create procedure dynamic_one as exec ('select 1 as a');
go
select column_ordinal, name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec inner_one', null, 0);
select column_ordinal, name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec outer_one', null, 0);
select column_ordinal, name, system_type_name from sys.dm_exec_describe_first_result_set(N'print 1', null, 0);
go
exec sp_describe_first_result_set N'exec (''select 1'')';
go
exec sp_describe_first_result_set N'exec dynamic_one';
go
exec sp_describe_first_result_set N'exec missing_one';
go
-- Each parameter has the type of the column that it is compared with in its own query.
create table others (a varchar(10), b int, d datetime);
create table bigs (a bigint, b bigint);
create table #undeclared (ordinal int, name sysname, type_id int, type nvarchar(256), length smallint, precision tinyint, scale tinyint,
  user_type_id int, d1 sysname null, d2 sysname null, d3 sysname null, d4 nvarchar(4000), d5 int, d6 sysname null, d7 sysname null,
  d8 sysname null, d9 bit, d10 bit, d11 bit, d12 bit, d13 bit, d14 sysname null, d15 int, d16 int);
go
insert #undeclared exec sp_describe_undeclared_parameters
  N'select * from bigs where b in (select b from others where b = @p0 and d = @p1 and a = @p2) and a = @p3';
insert #undeclared exec sp_describe_undeclared_parameters
  N'select * from bigs x join others as y on x.b = y.b where y.a = @q0 and x.a = @q1 and y.d between @q2 and @q3';
select name, type from #undeclared;
go
