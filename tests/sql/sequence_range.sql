-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-sequence-get-range-transact-sql
create sequence few as int start with 1 increment by 1 minvalue 1 maxvalue 25 cycle cache 10;
create sequence down as decimal(18, 0) start with 100 increment by -30 minvalue -100 maxvalue 100 no cycle;
create synonym few_too for few;
go
declare @first sql_variant, @last sql_variant, @cycles int, @step sql_variant, @least sql_variant, @most sql_variant;
exec sys.sp_sequence_get_range @sequence_name = N'few', @range_size = 4, @range_first_value = @first output;
select @first as first, sql_variant_property(@first, 'BaseType') as type, next value for few as next;
exec sp_sequence_get_range N'dbo.few', 5, @first output, @last output, @cycles output, @step output, @least output, @most output;
select @first as first, @last as last, @cycles as cycles, @step as step, @least as least, @most as most;
exec sp_sequence_get_range N'few', 20, @first output, @last output, @cycles output;
select @first as first, @last as last, @cycles as cycles, next value for few as next;
exec sp_sequence_get_range N'few_too', 100, @first output, @last output, @cycles output;
select @first as first, @last as last, @cycles as cycles;
exec sp_sequence_get_range N'down', 7, @first output, @last output, @cycles output;
select @first as first, @last as last, @cycles as cycles, sql_variant_property(@last, 'Precision') as precision;
go
-- Nothing is taken where there is not enough.
declare @first sql_variant;
exec sp_sequence_get_range N'down', 1, @first output;
go
alter sequence down restart with 100;
go
declare @first sql_variant;
exec sp_sequence_get_range N'down', 8, @first output;
select @first as first, next value for down as next;
go
-- A rollback gives nothing back.
declare @first sql_variant;
alter sequence few restart with 1;
begin transaction;
exec sp_sequence_get_range N'few', 3, @first output;
rollback;
select next value for few as next;
go
declare @first sql_variant;
exec sp_sequence_get_range N'few', 0, @first output;
exec sp_sequence_get_range N'few', -1, @first output;
go
declare @first sql_variant;
exec sp_sequence_get_range N'no_sequence', 1, @first output;
go
declare @first sql_variant;
exec sp_sequence_get_range N'sys.objects', 1, @first output;
go
-- UPDATE on the sequence is asked for.
create user taker without login;
go
execute as user = 'taker';
declare @first sql_variant;
exec sp_sequence_get_range N'few', 1, @first output;
revert;
go
grant update on few to taker;
go
execute as user = 'taker';
declare @first sql_variant;
exec sp_sequence_get_range N'few', 1, @first output;
select @first as first;
revert;
