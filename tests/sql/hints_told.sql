-- Hints of tables that exclude one another, or that what they stand at does not take.
-- https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table and update-transact-sql
create table hp(id int not null constraint pkhp primary key, v int, k int); insert hp values (1, 1, 1)
GO
select * from hp with (nolock, holdlock)
GO
select * from hp with (rowlock, tablock)
GO
select * from hp with (updlock, xlock)
GO
select * from hp with (nolock, rowlock)
GO
select * from hp with (nolock, updlock)
GO
select * from hp with (tablock, updlock)
GO
select * from hp with (snapshot)
GO
select * from hp with (ignore_triggers)
GO
select * from hp with (readpast, nolock)
GO
select * from hp with (readpast, holdlock)
GO
select * from hp (nolock, readpast)
GO
select * from hp (a, b)
GO
select * from dbo.hp (a)
GO
select * from hp (index(0))
GO
select * from hp h (NOLOCK, readpast)
GO
declare @t table(a int); select * from @t with (nolock)
GO
declare @t table(a int); delete from @t with (rowlock)
GO
insert hp with (readpast) values(1,1,1)
GO
insert hp (id) with (tablock) values (1)
GO
set transaction isolation level read uncommitted; select id from hp with (readpast)
GO
set transaction isolation level snapshot; select id from hp with (readpast)
GO
set transaction isolation level read committed; select id from hp with (readpast)
GO
declare @n int; select top (@n) id from hp
GO
merge hp using (select 1 a) s on hp.id = s.a when matched then update set v = 1 when matched then update set v = 2;
GO
merge hp using (select 1 a) s on hp.id = s.a when matched then update set v = 1 when matched and 1=1 then delete;
GO
select sum(id) over w from hp window w as (rows unbounded preceding)
GO
select sum(id) over x from hp window w as (order by id)
GO
create sequence s
GO
select next value for s over (order by id) as a, next value for s over (order by id desc) as b from hp
GO
select next value for s over (order by id) as a, next value for s as b from hp
GO
select next value for s over (partition by v order by id) from hp
GO
select next value for s over () from hp
GO
select next value for s over (order by id rows unbounded preceding) from hp
GO
update hp set v = next value for s over (order by id)
GO
select n'x' from (select 5 as n) d
GO
select n'x'
GO
create schema audit; create schema staging
GO
declare @x int = 1; create view v as select 1 as x
GO
if 1 = 1 begin create proc p2 as select 1 end
GO
create schema s2
GO
alter schema s2 transfer type::nosuch
GO
alter schema s2 transfer pkhp
GO
create table t (i int identity(1.5, 1))
GO
create table t (i int identity(3000000000, 1))
GO
create table t (i tinyint identity(-1, 1))
GO
create table t (i int identity(1, 0))
GO
begin try select 1 / 0 end try begin catch select error_number() as number end catch select @@rowcount as rows
GO
