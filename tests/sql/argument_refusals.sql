-- What operators and functions refuse by the types of what they are given.
-- https://learn.microsoft.com/sql/t-sql/language-elements/bitwise-operators-transact-sql
select 1.5 & 1;
go
select 0x0f & 0xf0;
go
select 'a' | 'b';
go
select 1 ^ 2.0;
go
select cast(1 as float) & cast(2 as float);
go
select 0x0f & 3 as binary_and_int, 6 & 3 as ints, cast(1 as bit) ^ cast(1 as bit) as bits;
go
-- https://learn.microsoft.com/sql/t-sql/functions/generate-series-transact-sql
select count(*) from generate_series(1, 5.5);
go
select count(*) from generate_series(1.5, 3.5, 1);
go
select count(*) from generate_series(1, 3, cast(1 as bigint));
go
declare @n int = 4;
select count(*) as n from generate_series(1, @n) where value < (select count(*) from generate_series(1.0, 3.5, 0.5));
select count(*) as n from generate_series(1, null);
go
-- https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
select * from openjson('{"n":{"a":1}}') with (n nvarchar(10) as json);
go
select * from openjson('{"n":{"a":1}}') with (n int as json);
go
select * from openjson('{"n":{"a":1}}') with (n nvarchar(max) as json);
go
-- https://learn.microsoft.com/sql/t-sql/statements/drop-index-transact-sql
drop index ixx;
go
drop index if exists ixx, iyy;
go
drop index if exists ixx on nowhere;
go
