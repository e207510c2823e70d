-- A string that grows in its place: what is appended may be the string itself, NULL, or fail.
-- https://learn.microsoft.com/sql/t-sql/language-elements/string-concatenation-equal-transact-sql
declare @s varchar(max) = 'a', @n nvarchar(max) = N'é', @short varchar(10) = 'abcdefgh', @i int = 0, @null varchar(10);
set @s += 'b';
set @s += @s;
set @s = @s + '-' + @s + @short;
select @s as s;
set @n += 'x' + @s;
set @n += @n;
select @n as n, len(@n) as length;
while @i < 30000
begin
    set @s += 'abcdefghij';
    set @i += 1;
end;
select len(@s) as length, right(@s, 12) as ends, checksum(@s) - checksum('abab-abababcdefgh' + replicate(cast('abcdefghij' as varchar(max)), 30000)) as same;
set @short += 'ijklm';
select @short as short;
set @s = 'kept';
begin try
    set @s += cast(1 / (@i - 30000) as varchar(10));
end try
begin catch
    select error_number() as number, @s as s;
end catch;
set concat_null_yields_null off;
set @s += @null;
select @s as s;
set concat_null_yields_null on;
set @s += @null;
select @s as s;
set @s += 'more';
select @s as s;
declare @b varbinary(max) = 0x01;
set @b += 0x0203;
set @b = @b + @b;
select @b as b;
go
