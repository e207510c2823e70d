-- EXISTS that asks nothing of the row outside: one row is looked for, once. What an inner side has given is not asked for again, also where nobody
-- read it to its end. https://learn.microsoft.com/sql/t-sql/language-elements/exists-transact-sql
create table b1 (a int); create table b2 (a int); create table b3 (a int);
insert b1 select value from generate_series(1, 3000);
insert b2 select a from b1;
insert b3 select a from b1;
go
set showplan_text on
go
select count(*) as n from b1 where exists (select 1 from b2 where exists (select 1 from b3));
select count(*) as n from b1 where not exists (select top 1 a from b2 where a < 0);
select count(*) as n from b1 where a < 10 and exists (select 1 from b2 where not exists (select 1 from b3 where b3.a > b2.a));
go
set showplan_text off
go
select count(*) as n from b1 where exists (select 1 from b2 where exists (select 1 from b3));
select count(*) as n from b1 where not exists (select top 1 a from b2 where a < 0);
select count(*) as n from b1 where exists (select 1 from b2 where not exists (select 1 from b3 where b3.a > b2.a));
select count(*) as n from b1 where exists (select 1 from b2 where a < 0) or not exists (select 1 from b3);
select count(*) as n from b1 where exists (select top 0 a from b2);
-- Each row finds its partner at another place of what was read so far.
select count(*) as n, sum(b1.a) as s from b1 where exists (select 1 from b2 where b2.a > b1.a and b2.a < b1.a + 2);
select count(*) as n from b1 where not exists (select 1 from b2 where b2.a > b1.a + 2990);
select count(*) as n from b1 where exists (select 1 from b2 where b2.a between 3001 - b1.a and 3001 - b1.a);
go
