-- What built-in functions take: how many arguments, of which types, and what the others are refused by.
-- https://learn.microsoft.com/sql/t-sql/functions/functions
-- https://learn.microsoft.com/sql/t-sql/data-types/data-type-conversion-database-engine
select compress(1.5);
go
select compress(cast('a' as text));
go
select decompress('a');
go
select bit_count(1.5);
go
select bit_count('a');
go
select get_bit(5, 2.5);
go
select left_shift(1.5, 1);
go
select hashbytes('MD5', 1.5);
go
select isjson(1);
go
select json_value(0x41, '$.a');
go
select isnumeric(cast('2020-01-01' as date));
go
select isdate(cast('2020-01-01' as date));
go
select trim(1.5);
go
select charindex(1.5, 'a');
go
select charindex('a', cast('<a/>' as xml));
go
select patindex('%1%', 123);
go
select patindex('%a%', null);
go
select substring(null, 1, 1);
go
select substring('abcdef', 2, '2');
go
select stuff('abcdef', 1e0, 1, 'X');
go
select dateadd(day, 'x', '2020-01-01');
go
select len(cast('a' as text));
go
select replace('a', cast('a' as ntext), 'b');
go
select upper(cast(0x41 as image));
go
select abs(cast('2020-01-01' as date));
go
select sqrt(0x01);
go
select floor(cast(1 as sql_variant));
go
select left('a', cast('2020-01-01' as date));
go
select year(newid());
go
select eomonth(1e0);
go
select eomonth(cast('10:00' as time));
go
select datetrunc(day, 1.5);
go
select date_bucket(day, 1, 1);
go
select db_name(newid());
go
select checksum(null, 1, null);
go
select binary_checksum(null, null);
go
select substring('abcdef', 2.5, 2) as a, charindex('b', 'abcb', 3.0) as b, round(12.345, 2.7) as c, round(12.345, 1, 2e0) as d, day(cast(1 as money)) as e,
    datepart(hour, 1.5) as f, year(0x01) as g, patindex('%b%', cast('abc' as text)) as h, bit_count(0x0F01) as i, ltrim('a', 1.5) as j;
go
-- How many.
select choose(1);
go
select checksum();
go
select trim();
go
select trim('a', 'b');
go
select left();
go
select coalesce(1);
go
select count(distinct 1, 2);
go
select rank(1) over (order by (select 1));
go
select lag() over (order by (select 1));
go
select datename(day.x, getdate());
go
select cast(1);
go
select try_cast(1, int);
go
select parse();
go
select power(0, -1);
go
select power(-8, 0.5e0);
go
select -'1';
go
select -0x01;
go
