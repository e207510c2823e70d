-- https://learn.microsoft.com/sql/t-sql/functions/has-perms-by-name-transact-sql: system objects are securables, which public may read or run.
select has_perms_by_name(N'[sys].[sql_expression_dependencies]', N'OBJECT', N'SELECT') as reads, has_perms_by_name('sys.objects', 'object', 'any') as anything,
  has_perms_by_name('sys.sp_help', 'OBJECT', 'EXECUTE') as runs, has_perms_by_name('INFORMATION_SCHEMA.TABLES', 'OBJECT', 'SELECT') as iso,
  has_perms_by_name('sys.objects', 'OBJECT', 'UPDATE') as changes, has_perms_by_name('sys.no_view', 'OBJECT', 'SELECT') as nothing,
  has_perms_by_name('sys.objects', 'OBJECT', 'NO PERMISSION') as unknown;
go
create user reader_of_system without login;
go
execute as user = 'reader_of_system';
select has_perms_by_name('sys.objects', 'OBJECT', 'SELECT') as reads, has_perms_by_name('sys.sp_help', 'OBJECT', 'EXECUTE') as runs,
  has_perms_by_name('sys.objects', 'OBJECT', 'UPDATE') as changes, has_perms_by_name('sys.objects', 'OBJECT', 'ANY') as anything;
revert;
go
