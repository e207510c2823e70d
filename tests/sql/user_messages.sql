-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addmessage-transact-sql, with its examples
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-dropmessage-transact-sql, sp-altermessage-transact-sql
set language us_english;
go
exec sp_addmessage 50001, 16, N'x', 'nonsense';
go
exec sp_addmessage 50001, 16, N'x', @with_log = 'maybe';
go
exec sp_addmessage 50001, 16, N'x', @replace = 'please';
go
exec sp_addmessage 50000, 16, N'x';
go
exec sp_addmessage 50001, 26, N'x';
go
exec sp_addmessage 50001, 16;
go
-- A version in another language comes after us_english, and has its severity.
exec sp_addmessage @msgnum = 60000, @severity = 16, @msgtext = N'L''élément nommé %1! existe déjà dans %2!', @lang = 'French';
go
exec sp_addmessage @msgnum = 60000, @severity = 16, @msgtext = N'The item named %s already exists in %s.', @lang = 'us_english';
exec sp_addmessage @msgnum = 60000, @severity = 16, @msgtext = N'L''élément nommé %1! existe déjà dans %2!', @lang = 'French';
exec sp_addmessage 60001, 16, N'This is a test message with one numeric parameter (%d), one string parameter (%s), and another string parameter (%s).';
exec sp_addmessage 60001, 16, N'Ceci est un message de test: %3!, %1!, %2!.', 'Français', @with_log = 'true';
go
exec sp_addmessage 60000, 11, N'Schon da: %1!', 'German';
go
exec sp_addmessage 60000, 16, N'once more';
go
select message_id, language_id, severity, is_event_logged, text from sys.messages where message_id > 50000 order by message_id, language_id;
go
raiserror(60000, -1, 2, 'a', 'b');
raiserror(60001, 10, 3, 15, 'one', 'two');
print formatmessage(60001, 15, 'one', 'two');
go
set language French;
raiserror(60000, -1, 2, 'a', 'b');
raiserror(60001, 10, 3, 15, 'one', 'two');
print formatmessage(60001, 15, 'one', 'two');
go
-- The language of the session is what is meant without one.
exec sp_addmessage 60002, 12, N'que voici';
go
set language German;
raiserror(60000, -1, 2, 'a', 'b');
set language us_english;
go
-- With us_english the others change, too.
exec sp_addmessage 60000, 12, N'Another %s text %s.', @with_log = 'TRUE', @replace = 'replace';
select language_id, severity, is_event_logged, text from sys.messages where message_id = 60000 order by language_id;
exec sp_altermessage 60000, 'WITH_LOG', 'false';
select language_id, is_event_logged from sys.messages where message_id = 60000 order by language_id;
go
exec sp_altermessage 60000, 'SEVERITY', 'true';
go
exec sp_altermessage 60000, 'WITH_LOG', 'yes';
go
exec sp_altermessage 60009, 'WITH_LOG', 'true';
go
exec sp_dropmessage 60000;
go
exec sp_dropmessage 60000, 'klingon';
go
exec sp_dropmessage 60000, 'German';
go
exec sp_dropmessage;
go
exec sp_dropmessage 50000;
go
exec sp_dropmessage 60000, 'French';
exec sp_dropmessage 60000;
exec sp_dropmessage 60001, 'all';
select count(*) as left_over from sys.messages where message_id > 50000;
go
-- Logins have a language that there is, called by either of its names.
create login speaks with password = 'Pass_word_1', default_language = klingon;
go
create login speaks with password = 'Pass_word_1', check_policy = off, default_language = german;
select default_language_name from sys.server_principals where name = 'speaks';
alter login speaks with default_language = [Italian];
select default_language_name from sys.server_principals where name = 'speaks';
go
alter login speaks with default_language = klingon;
go
exec sp_defaultlanguage 'speaks', 'klingon';
go
exec sp_addlogin 'other', 'Pass_word_1', 'master', 'klingon';
go
drop login speaks;
go
-- Messages of the system's procedures, as scripts raise them.
raiserror(15325, -1, -1, 'file', 'x');
raiserror(15330, -1, -1);
raiserror(15469, -1, -1, 't');
print formatmessage(15404, 'x', 5);
