-- Which side's columns a WHEN may name, and what a SET calls its target.
-- https://learn.microsoft.com/sql/t-sql/statements/merge-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql
create table t(id int primary key, v int);
create table s(id int primary key, v int);
insert t values (1, 10), (2, 20);
insert s values (2, 21), (3, 31);
go
merge t using s on t.id = s.id when not matched and t.v > 0 then insert values (s.id, s.v);
go
merge t using s on t.id = s.id when not matched and nosuch > 0 then insert values (s.id, s.v);
go
merge t using s on t.id = s.id when not matched by source and s.v > 0 then delete;
go
merge t using s on t.id = s.id when not matched by source and t.nosuch > 0 then delete;
go
merge t using s as t on t.id = 1 when matched then delete;
go
merge t as a using s on a.id = s.id when matched then update set t.v = 1;
go
merge t as a using s on a.id = s.id when matched and s.v > 0 then update set a.v = s.v when not matched and s.v > 0 then insert values (s.id, s.v)
    when not matched by source and a.v > 0 then delete output $action, deleted.id, inserted.id;
go
update t set x.v = 1 from t;
go
update a set t.v = 1 from t a;
go
update a set a.v = 1 from t a;
update t set dbo.t.v = 2;
update t set t.v = 3 from t a;
go
select 1 intersect all select 1;
go
select 1 except all select 1;
go
with r as (select 1 as n union all select n + 1 from r where n < 3 union all select 5) select * from r;
go
