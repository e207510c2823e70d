-- Values that are too many or too few for the columns, those of identity columns, and which refusal comes first.
-- https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/set-identity-insert-transact-sql
create table i(id int identity, v int, w int null);
create table p(a int, b int);
go
insert i values (1, 2, 3);
go
insert i select 1, 2, 3;
go
insert i values (1);
go
insert i(id, v) values (1, 2, 3);
go
insert i(id, v) values (1, 2);
go
insert i(id, v) values (default, 2);
go
insert p values (1, 2, 3);
go
insert p values (1), (2, 3);
go
set identity_insert i on;
insert i values (1, 2);
go
insert i values (1, 2, 3);
go
insert i(v) values (2);
go
insert i(id, v) values (null, 2);
go
insert i(id, v) values (7, 2);
set identity_insert i off;
select * from i;
go
insert p output inserted.a exec ('select 1, 2');
go
merge i using (values (1)) s(x) on 1 = 0 when not matched then insert (id, v) values (1, 2);
go
delete top (null) percent p;
go
