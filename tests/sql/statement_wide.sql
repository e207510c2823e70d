-- Statements of very many parts: answered, or refused with an error within a second; the server stays.
-- ELSE IF after ELSE IF, as generated code has them: each lies within the one before it. https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
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
-- Tables of a FROM, orders of windows and tests by EXISTS lie one above the other: too many are refused, or asked for each row.
CREATE TABLE narrow (a int, b int);
INSERT narrow VALUES (1, 1), (2, 3);
GO
DECLARE @s nvarchar(max) = N'SELECT COUNT(*) AS n FROM narrow AS t' + (SELECT STRING_AGG(CAST(CONCAT(N', narrow AS t', value) AS nvarchar(max)), N'') FROM GENERATE_SERIES(1, 400)); EXEC (@s);
GO
DECLARE @s nvarchar(max) = N'SELECT ' + (SELECT STRING_AGG(CAST(CONCAT(N'SUM(a) OVER (PARTITION BY a + ', value, N' ORDER BY b)') AS nvarchar(max)), N',') FROM GENERATE_SERIES(1, 600)) + N' FROM narrow'; EXEC (@s);
GO
DECLARE @s nvarchar(max) = N'SELECT a FROM narrow AS t WHERE ' + (SELECT STRING_AGG(CAST(CONCAT(N'EXISTS (SELECT * FROM narrow WHERE a = t.b AND b < ', value + 10, N')') AS nvarchar(max)), N' AND ') FROM GENERATE_SERIES(1, 1000)); EXEC (@s);
GO
DECLARE @s nvarchar(max) = N'SELECT a FROM narrow AS t WHERE ' + (SELECT STRING_AGG(CAST(CONCAT(N'a NOT IN (SELECT b + ', value, N' FROM narrow)') AS nvarchar(max)), N' AND ') FROM GENERATE_SERIES(1, 300)); EXEC (@s);
GO
-- OUTPUT has no more columns than a select list.
DECLARE @s nvarchar(max) = N'UPDATE narrow SET b = 5 OUTPUT ' + (SELECT STRING_AGG(CAST(N'inserted.a' AS nvarchar(max)), N',') FROM GENERATE_SERIES(1, 4097)); EXEC (@s);
GO
DROP TABLE narrow;
SELECT 'alive' AS a;
GO
