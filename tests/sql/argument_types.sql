-- Arguments of the server's own procedures are of their parameters' types: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-setapprole-transact-sql
create application role worn with password = 'Kept-First-1';
go
declare @cookie varbinary(8000);
exec sys.sp_setapprole @rolename = N'worn', @password = N'Kept-First-1', @fCreateCookie = true, @cookie = @cookie output;
select user_name() as as_role;
exec sys.sp_unsetapprole @cookie;
select user_name() as as_before;
go
exec sp_set_session_context 'k', 1, @read_only = 'true';
exec sp_set_session_context 'k', 2;
go
exec sp_set_session_context 'j', 1, @read_only = 'maybe';
go
declare @r int; exec @r = sp_getapplock 'a', 'Exclusive', 'Session', 'soon'; select @r as r;
go
declare @r int; exec @r = sp_getapplock 'a', 'Exclusive', 'Session', '0'; select @r as r; exec sp_releaseapplock 'a', 'Session';
go
