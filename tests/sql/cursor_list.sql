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
