-- Cursors over memory-optimized tables are static, whatever they are declared as: they show the rows of when they were opened.
-- https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/accessing-memory-optimized-tables-using-interpreted-transact-sql
create table m(id int primary key nonclustered, v int not null) with (memory_optimized = on);
create table other(id int primary key, v int not null) ;
insert m values (1, 10), (2, 20), (3, 30);
insert other values (1, 1), (2, 2), (3, 3);
go
create procedure walk @kind varchar(20), @query varchar(100) as
begin
    set nocount on;
    exec ('declare c cursor global ' + @kind + ' for ' + @query);
    declare @id int, @v int, @seen varchar(100) = @kind + ':';
    open c;
    fetch next from c into @id, @v;
    while @@fetch_status <> -1
    begin
        set @seen += concat(' ', @id, '=', @v, iif(@@fetch_status = -2, ' gone', ''));
        -- Others commit between the rows.
        update m set v += 1 where id = 3;
        update other set v += 1 where id = 3;
        fetch next from c into @id, @v;
    end;
    close c;
    deallocate c;
    print @seen;
end;
go
exec walk '', 'select id, v from m';
exec walk 'keyset', 'select id, v from m';
exec walk 'dynamic', 'select id, v from m order by id';
exec walk 'fast_forward', 'select id, v from m';
exec walk 'static', 'select id, v from m';
exec walk 'keyset', 'select m.id, other.v from m join other on other.id = m.id';
exec walk 'keyset', 'select id, v from other';
select * from m;
go
declare c cursor for select id, v from m;
open c;
fetch next from c;
update m set v = 0 where current of c;
fetch next from c;
close c;
deallocate c;
