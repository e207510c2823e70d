-- https://learn.microsoft.com/sql/t-sql/language-elements/declare-cursor-transact-sql: READ ONLY is the cursor's, of both syntaxes.
create table read_only_rows (id int primary key, word varchar(10));
insert read_only_rows values (1, 'a'), (2, 'b');
go
declare of_iso insensitive cursor for (select id from read_only_rows) for read only;
declare @id int;
open of_iso;
fetch of_iso into @id;
select @id as id, @@fetch_status as status;
deallocate of_iso;
go
declare plain cursor for select id from read_only_rows order by id desc for read only;
declare @id int;
open plain;
fetch plain into @id;
select @id as id;
update read_only_rows set word = 'c' where current of plain;
deallocate plain;
go
declare both_parts scroll cursor for (select id from read_only_rows) union all (select 3) for read only;
declare @id int;
open both_parts;
fetch last from both_parts into @id;
select @id as id;
deallocate both_parts;
go
create procedure read_only_cursor as
declare @id int, @sum int = 0;
declare inner_rows cursor local for select id from read_only_rows for read only;
open inner_rows;
fetch inner_rows into @id;
while @@fetch_status = 0 begin set @sum += @id; fetch inner_rows into @id; end
select @sum as total;
go
exec read_only_cursor;
exec read_only_cursor;
go
-- A query that is no cursor's has no such clause.
select id from read_only_rows for read only;
go
