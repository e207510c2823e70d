-- SET options take effect, or are refused. What has none is listed in docs/set-options.md.
-- https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
create table t (id int primary key, s varchar(3) null, n nvarchar(3) null, b varbinary(2) null, c char(3) null, x tinyint null, d decimal(4, 1) null);
insert t (id, s) values (1, 'abc'), (2, null);
go
-- CONCAT_NULL_YIELDS_NULL
set concat_null_yields_null off;
declare @null varchar(10), @s varchar(20) = 'x';
select 'a' + null as a, null + 'b' as b, 'a' + @null + N'c' as c, @null + 'd' as d, concat('a', null) as e, 0x01 + cast(null as varbinary(1)) as f;
set @s += null;
select @s as s, (select count(*) from t where 'q' + s = 'q') as rows, sessionproperty('CONCAT_NULL_YIELDS_NULL') as property;
select a.id, b.s + 'x' as joined from t a left join t b on b.id = a.id + 1 and b.id = 3 where b.s + 'x' = 'x' order by a.id;
go
set concat_null_yields_null on;
select 'abcd' + null as a;
go
-- ANSI_WARNINGS: what is too long is cut, and NULLs are passed over without a word.
set ansi_warnings off;
insert t (id, s, n, b, c) values (3, 'abcdef', N'abcdef', 0x010203, 'abcdef');
select @@rowcount as [rowcount], @@error as error;
update t set s = 'uvwxyz', n = replicate(N'n', 5000) where id = 3;
select s, n, b, c from t where id = 3;
create table utf8 (s varchar(4) collate Latin1_General_100_CI_AS_SC_UTF8);
insert utf8 values (N'aŽŽŽ');
select s, datalength(s) as bytes from utf8;
declare @v table (s varchar(2));
insert @v values ('long');
select s from @v;
select sum(x) as sum from t;
go
set ansi_warnings on;
insert t (id, s) values (4, 'abcdef');
go
-- ARITHABORT and ANSI_WARNINGS both off: NULL and a message. ARITHIGNORE: no message.
set ansi_warnings off;
set arithabort off;
select 1 / 0 as i, 1.5 / 0 as d, 1e0 / 0 as f, $1 / 0 as m, 5 % 0 as modulo;
select 2147483647 + 1 as i, cast(300 as tinyint) as narrow, -cast(-9223372036854775808 as bigint) as negated, cast(1e300 as real) as real, cast(99999 as decimal(3, 0)) as decimal, sqrt(-1) as domain;
declare @i int = 5;
set @i = 1 / 0;
select @i as variable;
if 1 / 0 is null print 'is NULL';
update t set x = 1000 / id where id <= 3;
go
insert t (id, x) select 5, 300;
select id, x from t where id in (1, 2, 3, 5) order by id;
select id / (id - 2) as q from t where id < 4 order by id;
insert t (id) values (1 / 0);
select cast('a' as int) as no_arithmetic;
go
set arithignore on;
select 1 / 0 as silent;
set arithignore off;
set arithabort on;
go
-- ARITHABORT on, ANSI_WARNINGS off: the batch ends and its transaction is rolled back.
begin tran;
insert t (id) values (6);
select 1 / 0 as aborted;
select 'not reached' as next;
go
select @@trancount as trancount, (select count(*) from t where id = 6) as rows;
set ansi_warnings on;
set arithabort off;
go
-- ANSI_WARNINGS on: the statement ends.
select 1 / 0 as failed;
select 'reached' as next;
set arithabort on;
go
-- ANSI_NULLS, also within a batch, in modules as it was when they were made.
create table nulls (a int null, b int null);
insert nulls values (1, 1), (2, null), (null, null);
go
set ansi_nulls off;
go
create procedure made_off as select count(*) as n from nulls where a = null;
go
set ansi_nulls on;
go
create procedure made_on as set ansi_nulls off; select count(*) as n from nulls where a = null;
go
declare @null int, @one int = 1;
set ansi_nulls off;
select (select count(*) from nulls where b = null) as equal, (select count(*) from nulls where b <> null) as different, (select count(*) from nulls where null = b) as swapped, (select count(*) from nulls where b = @null) as variable, (select count(*) from nulls where b <> @null) as variable_different, (select count(*) from nulls where b <> @one) as one_different;
select (select count(*) from nulls where a = b) as columns, (select count(*) from nulls where b in (null, 7)) as in_list, (select count(*) from nulls where b not in (null, 7)) as not_in_list, (select count(*) from nulls where not (b = null)) as negated, case @null when null then 'found' else 'other' end as [case], iif(@null = null, 1, 0) as [both];
if @null = null print 'equal';
if not (@null <> null) print 'not different';
set ansi_nulls on;
select count(*) as n from nulls where b = null;
if @null = null print 'never';
exec made_off;
exec made_on;
go
-- ANSI_NULL_DFLT_ON and ANSI_NULL_DFLT_OFF put each other out.
set ansi_null_dflt_off on;
create table not_null (a int);
set ansi_null_dflt_on on;
create table nullable (a int);
set ansi_null_dflt_on off;
create table neither (a int);
set ansi_null_dflt_on on;
select object_name(object_id) as [table], is_nullable from sys.columns where name = 'a' and object_id in (object_id('not_null'), object_id('nullable'), object_id('neither')) order by 1;
go
-- NOEXEC and PARSEONLY: nothing is executed but what sets them.
set noexec on;
insert nulls values (9, 9);
select 'not executed' as a;
go
create table never (a int);
go
set noexec off;
select count(*) as n, object_id('never') as never from nulls where a = 9;
go
if 1 = 1 set noexec on;
print 'not printed';
set noexec off;
print 'printed';
go
set parseonly on;
go
select 'not executed' as a;
go
set parseonly off;
go
-- Refused.
go
set statistics xml on; set statistics xml off;
go
set offsets select on;
go
set query_governor_cost_limit 100;
go
set query_governor_cost_limit 0;
set fips_flagger off;
set fips_flagger 'full';
go
set disable_def_cnst_chk on;
go
-- Nothing depends on them.
set ansi_padding off;
set ansi_padding on;
set no_browsetable on;
set forceplan on;
set forceplan off;
set remote_proc_transactions on;
go
-- A filtered index, and one on a computed column, need their options to change a row.
create table indexed (a int null, b int null, c as a + b);
create index filtered on indexed (a) where b is not null;
insert indexed values (1, 1);
go
set ansi_warnings off;
set concat_null_yields_null off;
insert indexed values (2, 2);
update indexed set b = 3;
delete indexed;
select count(*) as n from indexed;
set ansi_warnings on;
set concat_null_yields_null on;
update indexed set b = 3;
drop index filtered on indexed;
set ansi_padding off;
insert indexed values (4, 4);
set ansi_padding on;
go
