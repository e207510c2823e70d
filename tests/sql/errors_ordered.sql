-- Which errors of a statement are told, and in which order: what was found in FROM comes before what only the rest of the statement asks.
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (110, 120, 130, 147, 207, 213, 10709)
create table t (a int, b int, c varchar(10), dd datetime); create table u (a int, d int, x int)
GO
update t set x1 = x2 where x3 = 1
GO
update t set x1 = x2, b = x3
GO
update t set x1 = 1, x2 = 2
GO
update t set a = x1 where x2 = 1 and x3 = 1
GO
update t set a = x2, x5 = 1
from t join u on x3 = 1
where x4 = 1
GO
delete t from t join u on x1 = u.a where x2 = 1
GO
insert t (a, x1) select x2, x3 from u
GO
insert t (a, x1, x2) values (1, 2, x3)
GO
insert t (a, x1) select a from u
GO
insert t (a, x1) values (1, 2, 3)
GO
insert t (a, b) values (x1, 2, 3)
GO
insert t values (x1, 2, 3, 4, 5)
GO
insert t (a) values (x1), (x2, 3)
GO
merge t using u on x1 = u.a
when matched then update set x2 = x3
when not matched then insert (a, x4) values (x5, 1);
GO
select x1 from t where count(*) > 1 and x2 = 1
GO
select sum(count(*)), x1 from t
GO
create type dbo.Probe from int; declare @v dbo.Probe; set @v = 42; select @v
GO
update t set b = 2 output t.a
GO
update t set b = 2 output t.*
GO
update w set b = 2 output a from t w
GO
delete t output a
GO
