-- Statements of very many parts: answered, or refused with an error within a second; the server stays.
-- ELSE IF after ELSE IF, as generated code has them: each lies within the one before it.
declare @s nvarchar(max) = replicate(cast(N'if 1 = 0 select 1 else ' as nvarchar(max)), 100) + N'select 2'; exec (@s);
go
declare @s nvarchar(max) = replicate(cast(N'if 1 = 0 select 1 else ' as nvarchar(max)), 60000) + N'select 2'; exec (@s);
go
-- Many names, and many groups, are looked at once each.
declare @s nvarchar(max) = N'with c0 as (select 1 a)';
select @s += string_agg(cast(concat(N', c', value, N' as (select 1 a)') as nvarchar(max)), N'') from generate_series(1, 20000);
set @s += N' select * from c20000'; exec (@s);
go
declare @s nvarchar(max) = N'select count(*) from (select 1 a) t group by ' + (select string_agg(cast(concat(N'a + ', value) as nvarchar(max)), N',') from generate_series(1, 20000)); exec (@s);
go
SELECT 'alive' AS a;
GO
