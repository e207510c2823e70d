-- sp_cursor_list and sp_describe_cursor tell of the cursors of the module that calls them, and of those with a global name.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cursor-list-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-cursor-transact-sql
create table letters (id int primary key, text char(1));
insert letters values (1, 'a'), (2, 'b'), (3, 'c');
go
declare Every cursor global static for select id, text from letters;
open Every;
fetch next from Every;
declare own cursor local keyset for select id from letters for update;
declare @v cursor;
set @v = cursor forward_only dynamic scroll_locks for select id from letters;
open @v;
declare @report cursor, @reference sysname, @name sysname, @scope int, @status int, @model int, @concurrency int, @scrolls int, @open int, @rows int,
  @fetch int, @columns int, @count int, @last int, @handle int;
exec sp_cursor_list @cursor_return = @report output, @cursor_scope = 3;
while 1 = 1
begin
  fetch next from @report into @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last, @handle;
  if @@fetch_status <> 0 break;
  print concat_ws(' | ', @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last);
end
close @report;
deallocate @report;
exec sp_describe_cursor @report output, N'global', N'every';
fetch next from @report into @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last, @handle;
print concat_ws(' | ', @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last);
deallocate @report;
exec sp_describe_cursor @report output, N'variable', N'@v';
fetch next from @report into @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last, @handle;
print concat_ws(' | ', @reference, @name, @scope, @status, @model, @concurrency, @scrolls, @open, @rows, @fetch, @columns, @count, @last);
deallocate @report;
go
declare @report cursor, @reference sysname;
close Every;
exec sp_describe_cursor @report output, N'local', N'own';
go
declare @report cursor;
exec sp_describe_cursor @report output, N'variable', N'@v';
go
declare @report cursor;
exec sp_describe_cursor @report output, N'elsewhere', N'Every';
go
declare @report cursor;
exec sp_cursor_list @report output, 4;
go
deallocate Every;
go
-- The columns of an open cursor, and the tables that it reads.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-cursor-columns-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-cursor-tables-transact-sql
create table stamped (id int primary key, amount decimal(10, 2) null, note nvarchar(20) not null, stamp rowversion);
go
declare told cursor global scroll_locks for select note, amount, id, stamp, amount * 2 from stamped order by id desc, note;
open told;
declare @report cursor, @name sysname, @at int, @flags int, @size int, @type smallint, @precision tinyint, @scale tinyint, @order int, @direction varchar(1),
  @hidden smallint, @column int, @object int, @database int, @dbname sysname;
exec sp_describe_cursor_columns @cursor_return = @report output, @cursor_source = N'global', @cursor_identity = N'told';
while 1 = 1
begin
  fetch next from @report into @name, @at, @flags, @size, @type, @precision, @scale, @order, @direction, @hidden, @column, @object, @database, @dbname;
  if @@fetch_status <> 0 break;
  print concat_ws(' | ', isnull(@name, 'NULL'), @at, @flags, @size, @type, @precision, @scale, @order, isnull(cast(@direction as varchar(9)), 'NULL'), @hidden, @column,
    isnull(object_name(nullif(@object, -1)), @object), iif(@database = db_id(), 'here', cast(@database as varchar)), iif(@dbname = db_name(), 'here', 'NULL'));
end
deallocate @report;
declare @owner sysname, @hints smallint, @lock smallint, @server sysname;
exec sp_describe_cursor_tables @report output, N'global', N'told';
fetch next from @report into @owner, @name, @hints, @lock, @server, @object, @database, @dbname;
print concat_ws(' | ', @@fetch_status, @owner, @name, @lock, iif(@server = @@servername, 'here', @server), object_name(@object), iif(@database = db_id(), 'here', ''),
  iif(@dbname = db_name(), 'here', ''));
fetch next from @report into @owner, @name, @hints, @lock, @server, @object, @database, @dbname;
print @@fetch_status;
deallocate @report;
deallocate told;
go
declare @report cursor;
exec sp_describe_cursor_columns @report output, N'global', N'told';
go
declare @report cursor;
exec sp_describe_cursor_tables @report output, N'nowhere', N'told';
go
