-- The first result of a text on whatever way it takes: what all ways have in common, and what cannot be told.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql ("Remarks", "Examples of problems")
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-11000-to-12999
create table w1 (a int null, b varchar(10) null, c nvarchar(10) null);
create table w2 (a smallint not null, d varchar(20) not null, e int not null);
create table w3 (id int identity constraint pk_w3 primary key, v varchar(max) not null, n numeric(5, 2) null, c as id * 2, x xml null);
go
-- Another number of columns, other types.
exec sp_describe_first_result_set N'if (1 = 1) select a from w1; else select a, b from w1; select * from w2';
go
exec sp_describe_first_result_set N'if (1 = 1) select a from w1; else select a from w2;';
go
exec sp_describe_first_result_set N'if (1 = 1) select b from w1; else select c from w1;';
go
select name, is_nullable, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) select b from w1; else select d from w2;', null, 0);
select name, is_nullable, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) select b from w1; else select d as b from w2;', null, 0);
select name, is_nullable, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) select d from w2 else select v as d from w3', null, 0);
-- Ways without a result, and ways that end in an error.
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) raiserror(''Some error'', 16, 1) else select a from w1; select e from w2', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) return; select a from w1', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'if (1 = 1) select * from missing else select a from w1', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'goto there; select a from w1; there: select e from w2', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'return; select a from w1', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'while 1 = 1 begin select a from w1 end', null, 0);
select error_number, error_type_desc from sys.dm_exec_describe_first_result_set(N'begin try select a from w1 end try begin catch select b from w1 end catch', null, 0);
-- Dynamic SQL that is a constant is known.
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec (N''select a from w1'')', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec sp_executesql N''select @p as p, e from w2'', N''@p money'', 1', null, 0);
select error_number, error_type, error_type_desc, error_message from sys.dm_exec_describe_first_result_set(N'declare @t nvarchar(max) = N''select 1''; exec (@t)', null, 0);
select error_number, error_type_desc from sys.dm_exec_describe_first_result_set(N'declare @t nvarchar(max) = N''select 1''; exec sp_executesql @t', null, 0);
select name, is_nullable, system_type_name from sys.dm_exec_describe_first_result_set(N'declare @t nvarchar(max) = N''select 1''; exec (@t) with result sets ((one bigint not null, two char(3)))', null, 0);
select count(*) from sys.dm_exec_describe_first_result_set(N'exec (N''select a from w1'') with result sets none', null, 0);
go
-- Through procedures.
create procedure first_way @x int as if @x = 1 select a from w1 else exec second_way;
go
create procedure second_way as select b from w1;
go
create procedure temporary_way as create table #made (i int); insert #made values (1); select * from #made;
go
create procedure own_call as exec own_call; select e from w2;
go
create procedure around_a as exec around_b; select 1 as a;
go
create procedure around_b as exec around_a;
go
create procedure returns_early as return 3;
go
exec sp_describe_first_result_set N'exec first_way 1';
go
exec sp_describe_first_result_set N'if (1 = 1) select e from w2 else exec second_way';
go
exec sp_describe_first_result_set N'exec temporary_way';
go
select error_number, error_type, error_type_desc from sys.dm_exec_describe_first_result_set_for_object(object_id('temporary_way'), 0);
select error_number, error_type_desc from sys.dm_exec_describe_first_result_set(N'exec around_a', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec own_call', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'exec returns_early; select e from w2', null, 0);
select error_number, error_type_desc from sys.dm_exec_describe_first_result_set(N'exec xp_cmdshell ''dir''', null, 0);
go
-- Temporary tables: only where nothing else is in the text.
create table #own (i int);
go
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'select * from #own', null, 0);
exec sp_describe_first_result_set N'print 1; select * from #own';
go
exec sp_describe_first_result_set N'create table #t (i int); select * from #t';
go
exec sp_describe_first_result_set N'select a into #u from w1; select 1 as b';
go
-- What cannot be compiled; what is not there.
exec sp_describe_first_result_set N'select nosuch from w1';
go
exec sp_describe_first_result_set N'select from';
go
exec sp_describe_first_result_set N'select * from missing';
go
exec sp_describe_first_result_set N'create table made (i int); select * from made';
go
exec sp_describe_first_result_set N'select 1', N'@p';
go
exec sp_describe_first_result_set N'select 1', null, 3;
go
select column_ordinal, error_number, error_severity, error_state, error_type_desc, error_message, name from sys.dm_exec_describe_first_result_set(N'select nosuch from w1', null, 0);
select column_ordinal, error_number, error_severity, error_state, error_type_desc, error_message, name from sys.dm_exec_describe_first_result_set(N'select * from missing', null, 0);
select column_ordinal, error_number, error_severity, error_state, error_type_desc, error_message, name from sys.dm_exec_describe_first_result_set(N'select from', null, 0);
go
-- Parameters that nobody has declared, as drivers send them before they run a text.
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'select a, b from w1 where a = @P1 and b like @P2 or c = @P3', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'select b from w1 where a = @P1 or a + 1 > @P1', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'select cast(@P1 as date) as d, e from w2', null, 0);
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'insert w2 output inserted.a values (@P1, @P2, @P3)', null, 0);
select error_number, error_type, error_type_desc from sys.dm_exec_describe_first_result_set(N'select @P1 + 1 as s from w1', null, 0);
exec sp_describe_first_result_set N'select @P1';
go
-- Columns: what may be NULL, what is computed, which token a value comes with, where it stands in ORDER BY.
create table #told (h bit, o int, name sysname null, nullable bit, t int, type nvarchar(256), len smallint, p tinyint, s tinyint, coll sysname null,
  ut int, d1 sysname null, d2 sysname null, d3 sysname null, d4 nvarchar(4000), xi int, x1 sysname null, x2 sysname null, x3 sysname null, xd bit, cs bit,
  clr bit, s1 sysname null, s2 sysname null, s3 sysname null, s4 sysname null, s5 sysname null, ident bit, uniq bit, upd bit, computed bit, sparse bit,
  by_at smallint, by_of smallint, by_desc smallint, tds int, tds_len int, tc int, ts tinyint);
go
insert #told exec sp_describe_first_result_set N'select id, v, n, c, x from w3 order by n desc, id, len(v)';
insert #told exec sp_describe_first_result_set N'select 1 as one, ''x'' as s, null as nothing, 1.5 as d, cast(1 as bigint) + 1 as added, isnull(n, 0) as filled, coalesce(n, 0) as coalesced, -id as negated, case when id = 1 then 1 else 2 end as chosen, getdate() as now from w3';
insert #told exec sp_describe_first_result_set N'select id, count(*) as counted, max(v) as longest from w3 group by id';
insert #told exec sp_describe_first_result_set N'select row_number() over (order by id) as numbered, id + 1 as next, cast(0 as bit) as flag, cast(id as bigint) as wide from w3';
insert #told exec sp_describe_first_result_set N'select v from w3 for xml auto';
insert #told exec sp_describe_first_result_set N'select v from w3 for xml auto, type';
insert #told exec sp_describe_first_result_set N'select v from w3 for json path';
insert #told exec sp_describe_first_result_set N'select * from (select id * 2 as twice, id from w3) d';
select name, nullable n, type, len, ident, upd, computed, cs, by_at, by_of, by_desc, tds, tds_len from #told;
go
select count(*) as counted, id + 1 as next, id, row_number() over (order by id) as numbered into w4 from w3 group by id;
select name, is_nullable from sys.columns where object_id = object_id('w4') order by column_id;
go
