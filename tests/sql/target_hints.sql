-- Hints of the table that a statement changes: MERGE reads its own, and may say by which index.
-- https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table, https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (650, 1047, 1069, 10724, 10745)
create table t (id int not null constraint pk_t primary key, a int null); create index ix_a on t (a); insert t values (1, 10), (2, 20), (3, 30);
GO
delete t with (forceseek)
GO
update t with (forceseek) set a = 1
GO
delete t with (forcescan)
GO
update t with (index(ix_a)) set a = 1
GO
merge t with (index(ix_a)) x using (select 1 k) s on s.k = x.id when matched then update set a = 11 when not matched by source and x.id = 3 then delete;
GO
select id, a from t order by id
GO
merge dbo.t with (index(nosuch)) x using (select 1 k) s on s.k = x.id when matched then delete;
GO
select count(*) from t with (readcommittedlock, readcommitted)
GO
select count(*) as n from t with (serializable, holdlock)
GO
select count(*) as n from t with (repeatableread, readpast)
GO
set transaction isolation level serializable; select count(*) as n from t with (readpast, readcommitted)
GO
