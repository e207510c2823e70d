-- What a correlated subquery asks of a table without an index for it is put aside once, whatever stands between: aggregates, sorts, TOP, DISTINCT, strings put together. https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
create table a(id int primary key, y int null, g int not null, v decimal(9, 2) not null, s varchar(20) not null);
create table b(id int primary key, g int not null);
insert a select value, case when value % 50 = 7 then null else value * 31 % 3000 end, value % 10, value % 1000, concat('s', value * 13 % 3000) from generate_series(1, 3000);
insert b select value, value % 10 from generate_series(1, 3000);
go
select sum(q), count(q) from (select (select sum(a.v) from a where a.y = b.id) as q from b) as t;
select sum(q) from (select (select count(*) from a where a.y = b.id) as q from b) as t;
select count(q), min(q), max(q) from (select (select top (1) a.id from a where a.y = b.id order by a.v desc, a.id) as q from b) as t;
select count(*), sum(x.n) from b cross apply (select distinct a.g, count(*) over () as n from a where a.y = b.id) as x;
select count(*), max(len(x.all_of)) from b outer apply (select string_agg(a.s, ',') as all_of from a where a.y = b.id) as x;
select count(*) from b where (select max(a.v) from a where a.y = b.id and a.id > b.id) > 500;
select count(*) from a where v > (select avg(other.v) from a as other where other.g = a.g);
go
-- Rows that change between two executions are read anew.
declare @n int = 0;
while @n < 2
begin
    select sum(q) as total from (select (select sum(a.v) from a where a.y = b.id) as q from b where b.id < 100) as t;
    update a set v += 1 where y < 50;
    set @n += 1;
end;
update b set g = (select count(*) from a where a.y = b.id) where id <= 200;
select sum(g) from b where id <= 200;
declare c cursor local for select id, (select count(*) from a where a.y = b.id) from b where id in (1, 2, 3) order by id;
declare @id int, @count int;
open c;
fetch next from c into @id, @count;
while @@fetch_status = 0
begin
    print concat(@id, ' ', @count);
    fetch next from c into @id, @count;
end;
go
-- Long lists of strings, decimals and binaries, with NULL and without, blanks at the end, letters of both cases.
declare @list nvarchar(max) = (select string_agg(concat('''S', value, iif(value % 2 = 0, '  ', ''), ''''), ',') from generate_series(1, 600));
exec ('select count(*), min(id), max(id) from a where s in (' + @list + ')');
exec ('select count(*) from a where s not in (' + @list + ')');
exec ('select count(*) from a where s not in (null, ' + @list + ')');
exec ('select count(*) from a where s collate Latin1_General_BIN2 in (' + @list + ')');
select @list = string_agg(cast(concat(value, '.0', iif(value % 2 = 0, '0', '')) as nvarchar(max)), ',') from generate_series(1, 300);
exec ('select count(*), sum(v) from a where v in (' + @list + ')');
exec ('select count(*) from a where cast(v as float) in (' + @list + ')');
exec ('select case when null in (' + @list + ') then 1 when null not in (' + @list + ') then 0 end');
select @list = string_agg(cast(concat('0x', convert(varchar(10), cast(value as binary(3)), 2), iif(value % 2 = 0, '00', '')) as nvarchar(max)), ',') from generate_series(1, 300);
exec ('select count(*) from a where cast(id as binary(3)) in (' + @list + ')');
go
