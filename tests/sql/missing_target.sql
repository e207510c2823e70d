-- A row that an outer join made without one of the target: there is nothing to change, and nothing to say.
-- https://learn.microsoft.com/sql/t-sql/statements/delete-transact-sql (the FROM extension) and update-transact-sql
create table t1(a int); create table t2(a int); create table t3(a int); create table t4(a int); create table p1(a int constraint pk_p1 primary key, b varchar(max));
insert t3 values(1),(2); insert t1 values(1),(5); insert t2 values(1); insert t4 values (1),(2); insert p1 values(1, 'x'),(5, null)
GO
begin tran; delete t1 from t3 left join t1 on t1.a = t3.a; select @@rowcount as gone; select a from t1; rollback
GO
begin tran; delete t1 from t1 right join t3 on t1.a = t3.a; select @@rowcount as gone; select a from t1; rollback
GO
begin tran; delete t1 from t3 left join (t1 join t2 on t1.a = t2.a) on t3.a = t1.a; select a from t1; rollback
GO
begin tran; update t1 set a = t1.a + 10 from t3 left join (t1 join t2 on t1.a = t2.a) on t3.a = t1.a; select a from t1 order by a; rollback
GO
begin tran; delete t1 from (t3 left join (t1 join t2 on t1.a = t2.a) on t3.a = t1.a) join t4 on t3.a = t4.a; select a from t1; rollback
GO
begin tran; delete t1 output deleted.a, t3.a from t3 full join t1 on t1.a = t3.a; select a from t1; rollback
GO
begin tran; update t1 set a = 7 output deleted.a, inserted.a, t3.a from t3 left join t1 on t1.a = t3.a left join t4 on t4.a = t1.a; select a from t1 order by a; rollback
GO
begin tran; delete t1 from t3 outer apply (select * from t2 where t2.a = t3.a) x left join t1 on t1.a = x.a; select a from t1; rollback
GO
begin tran; delete x from t3 outer apply (select * from t1 where t1.a = t3.a) x; select a from t1; rollback
GO
begin tran; delete p1 from (t3 left join (p1 join t2 on p1.a = t2.a) on t3.a = p1.a) join t4 on t3.a = t4.a; select a, b from p1; rollback
GO
begin tran; update p1 set b = 'changed' from t3 left join p1 on p1.a = t3.a where p1.b is null; select a, b from p1; rollback
GO
begin tran; update p1 set a = p1.a + 10, b = concat(b, t3.a) from t3 left join p1 on p1.a = t3.a; select a, b from p1 order by a; rollback
GO
declare @t table(a int); insert @t values(1),(5)
delete x from t3 left join @t x on t3.a = x.a
select a from @t
GO
declare @t table(a int primary key, b int); insert @t (a) values(1),(5)
update x set b = t3.a from t3 full join @t x on t3.a = x.a
select a, b from @t order by a
GO
create view shown as select t3.a, t1.a as b from t3 left join t1 on t1.a = t3.a
GO
begin tran; update shown set b = 9; select @@rowcount as changed; select a from t1 order by a; rollback
GO
merge shown as s using t4 on s.a = t4.a when matched then update set b = 3;
GO
with found as (select top (5) t1.a, t3.a as b from t3 left join t1 on t1.a = t3.a order by t3.a) delete found where b < 3
GO
select a from t1
GO
