-- What OPENJSON opens, options of FOR JSON that exclude each other, and WITH behind a table that begins another statement.
-- https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/select-for-clause-transact-sql
select * from openjson(N'{"a":1}', 'strict $.a');
go
select * from openjson(N'{"a":null}', 'strict $.a');
go
select * from openjson(N'{"a":"x"}', 'strict $.a') with (v int '$');
go
select * from openjson(N'{"b":1}', 'strict $.a');
go
select * from openjson(N'{"a":1}', 'lax $.a');
select * from openjson(N'{"a":"x"}', '$.a') with (v int '$');
go
select 1 as a for json path, root('r'), without_array_wrapper;
go
select t.*;
go
select * from sys.objects with c as (select 1 as a) select * from c;
go
