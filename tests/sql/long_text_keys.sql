-- Keys of more than a few bytes are looked up by their hash, and values tell them apart: equal by the collation, not by their bytes.
-- https://learn.microsoft.com/sql/t-sql/statements/collations
-- https://learn.microsoft.com/sql/t-sql/language-elements/string-comparison-assignment
create table a (id int, t varchar(200), n nvarchar(200), c char(100), b varbinary(200));
create table b (id int, t varchar(200), n nvarchar(200), c char(100), b varbinary(200));
insert a select value, replicate('x', 80) + char(65 + value % 3), replicate(N'é', 80) + nchar(97 + value % 3), concat('c', value % 2), cast(replicate('y', 90) + char(65 + value % 2) as varbinary(200)) from generate_series(1, 6);
insert b select value, replicate('X', 80) + char(97 + value % 4) + '  ', replicate(N'É', 80) + nchar(65 + value % 2), concat('C', value % 3, ' '), cast(replicate('y', 90) + char(65 + value % 3) as varbinary(200)) from generate_series(1, 6);
insert a values (7, null, null, null, null);
insert b values (7, null, null, null, null);
go
select a.id, b.id from a join b on a.t = b.t order by a.id, b.id option (hash join);
select a.id, b.id from a left join b on a.n = b.n order by a.id, b.id option (hash join);
select a.id, b.id from a full join b on a.b = b.b and a.c = b.c order by a.id, b.id option (hash join);
select a.id, b.id from a join b on a.t = b.c order by a.id, b.id option (hash join);
select a.id, b.id from a join b on a.t = b.n order by a.id, b.id option (hash join);
select id from a where exists (select * from b where b.t = a.t) order by id option (hash join);
select id from a where not exists (select * from b where b.t = a.t) order by id option (hash join);
select id from a where exists (select * from b where b.t = a.t and b.id > a.id) order by id option (hash join);
go
select count(*) as n, min(id) as first, len(t) as l from (select id, t from a union all select id, t from b) x group by t order by first, n option (hash group);
select count(*) as n from (select t, c from a union select t, c from b) x;
select count(*) as n from (select t from a intersect select t from b) x;
select count(*) as n from (select n from b except select n from a) x;
select count(distinct t) as t, count(distinct n) as n, count(distinct b) as b from (select * from a union all select * from b) x;
go
create table s (id int, t varchar(200) collate Latin1_General_CS_AS);
insert s select id, t from a where id < 4 union all select id, upper(t) from a where id < 4;
select count(*) as n, t from s group by t order by t option (hash group);
select count(*) as n from s x join s y on x.t = y.t option (hash join);
select count(*) as n from s join b on s.t = b.t collate Latin1_General_CS_AS option (hash join);
go
