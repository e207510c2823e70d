-- Which blanks may stand around the text of a number: spaces; other white space before a float and behind money only.
-- https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
select v.t, try_cast(char(9) + v.t as int) as tab, try_cast(v.t + char(13) as int) as cr, try_cast('  ' + v.t + '  ' as int) as spaces from (values ('1')) v(t);
select try_cast(char(13) + '1' as bigint) as a, try_cast(char(9) + '1.5' as decimal(5, 1)) as b, try_cast('1' + char(9) as bit) as c, try_cast('1.5' + char(9) as float) as d,
    try_cast(char(9) as float) as e, try_cast(char(9) + '1.5' as money) as f, try_cast(nchar(160) + N'1' as int) as g;
select cast(char(9) + char(10) + '1.5' as float) as a, cast(char(160) + '1.5' as real) as b, cast(nchar(160) + N'1.5' as float) as c, cast('1.5' + char(9) + char(160) as money) as d,
    cast('  ' as float) as e, cast('' as int) as f, cast(' -1 ' as smallint) as g;
go
select cast('7' + char(10) as int);
go
