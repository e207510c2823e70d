-- Messages on types that do not go together tell varchar(max) from varchar; DATALENGTH is bigint of the three (max) types alone: DacFx, which
-- asks for the length of a geometry before its value, takes it for missing unless it is an int.
-- https://learn.microsoft.com/sql/t-sql/functions/datalength-transact-sql
select sum(cast('a' as nvarchar(max)));
go
select cast('a' as nvarchar(max)) - cast('b' as varchar(5));
go
select cast('a' as nvarchar(max)) - cast('b' as nvarchar(max));
go
declare @t table (a varchar(max), b ntext, c varbinary(max), d image);
select 1 from @t where a = b;
go
declare @t table (a varchar(max), b ntext, c varbinary(max), d image);
select 1 from @t where c = d;
go
declare @b varbinary(max) = 'x';
go
declare @n nvarchar(5) = N'x', @b varbinary(max);
set @b = @n;
go
declare @v sql_variant, @m varchar(max);
set @v = @m;
go
select cast(cast('a' as varbinary(max)) as float);
go
select cast('1' as varchar(max)) % cast(1 as float);
go
select -cast('1' as varchar(max));
go
select decompress(cast('x' as varchar(max)));
go
select upper(cast('<a/>' as xml));
go
create table lengths (geo geometry, geog geography, hid hierarchyid, x xml, m varchar(max), n nvarchar(max), b varbinary(max), t text, v varchar(9));
select name, system_type_name from sys.dm_exec_describe_first_result_set(N'select datalength(geo) geo, datalength(geog) geog, datalength(hid) hid,
    datalength(x) x, datalength(m) m, datalength(n) n, datalength(b) b, datalength(t) t, datalength(v) v from lengths', null, 0);
go
