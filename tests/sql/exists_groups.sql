-- https://learn.microsoft.com/sql/t-sql/language-elements/exists-transact-sql: the select list of an EXISTS may be an asterisk, which stands for no column.
create table grouped (word varchar(10), number int);
insert grouped values ('a', 1), ('a', 2), ('b', 3);
go
if exists (select * from grouped group by word having count(*) > 1) select 'twice' as found;
if exists (select * from grouped group by word having count(*) > 2) select 'thrice' as found;
if not exists (select * from grouped where number > 3 group by word) select 'none' as found;
if exists (select * from grouped having count(*) = 3) select 'three' as found;
select case when exists (select * from grouped g where g.word = o.word group by g.word having sum(g.number) = 3) then 1 else 0 end as sums, o.number
from grouped o order by o.number;
select number from grouped o where exists (select * from grouped g group by g.word having max(g.number) = o.number) order by number;
go
-- A column that is named is one.
if exists (select number from grouped group by word) select 'not reached';
go
-- So is the asterisk of a query of its own.
select * from grouped group by word;
go
