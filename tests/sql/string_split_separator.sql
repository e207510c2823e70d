-- A separator is one character, and whether there is an ordinal is 0 or 1.
-- https://learn.microsoft.com/sql/t-sql/functions/string-split-transact-sql
select value from string_split('a,b', ',');
select value from string_split('abcbcd', 'bc');
select value from string_split('abc', '');
select value from string_split('abc', null);
select value from string_split(null, ',');
declare @s nvarchar(10) = N'xy', @one nvarchar(10) = N'x';
select value from string_split('axyb', @s);
select value from string_split('axbx', @one);
select value, ordinal from string_split(N'a→b→', N'→', 1);
select value from string_split(cast(N'a→b→é' as varchar(20)) collate Latin1_General_100_CI_AS_SC_UTF8, cast(N'→' as varchar(10)) collate Latin1_General_100_CI_AS_SC_UTF8);
select value from string_split('a b', ' ');
go
select value from string_split('a,b', ',', 2);
go
select value from string_split('a,b', ',', null);
select value, ordinal from string_split('a,b', ',', 1);
go
