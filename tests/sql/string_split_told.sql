-- STRING_SPLIT and STRING_AGG: empty parts, separators, ordinals, lengths and what they refuse, as SQL Server 2025 has it.
-- https://learn.microsoft.com/sql/t-sql/functions/string-split-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/string-agg-transact-sql
SELECT value, ordinal FROM STRING_SPLIT(',a,,b,', ',', 1) ORDER BY ordinal;
GO
SELECT value, ordinal FROM STRING_SPLIT('', ',', 1);
GO
SELECT value FROM STRING_SPLIT(CAST(NULL AS varchar(5)), ',');
GO
SELECT value FROM STRING_SPLIT('a b', ' ', 0) ORDER BY value;
GO
SELECT v.i, s.value FROM (VALUES (1, 'a,b'), (2, NULL)) v(i, t) OUTER APPLY STRING_SPLIT(v.t, ',') s ORDER BY v.i, s.value;
GO
SELECT value FROM STRING_SPLIT('a,b', '');
GO
SELECT value FROM STRING_SPLIT('a,b', 'ab');
GO
SELECT value FROM STRING_SPLIT('a,b', CAST(NULL AS varchar(1)));
GO
SELECT value FROM STRING_SPLIT('a', ',', 2);
GO
CREATE TABLE sa (g int, v nvarchar(10), n int);
INSERT sa VALUES (1, N'b', 2), (1, N'a', 1), (1, NULL, 3), (2, NULL, 1), (3, N'', 5);
GO
SELECT g, STRING_AGG(v, ',') WITHIN GROUP (ORDER BY v) AS a FROM sa GROUP BY g ORDER BY g;
GO
SELECT STRING_AGG(n, '-') WITHIN GROUP (ORDER BY n DESC) AS a FROM sa;
GO
SELECT STRING_AGG(CAST(n AS decimal(5, 2)), '|') WITHIN GROUP (ORDER BY n) AS a FROM sa WHERE g = 1;
GO
SELECT STRING_AGG(v, CAST(NULL AS nvarchar(10))) WITHIN GROUP (ORDER BY v) AS a FROM sa WHERE g = 1;
GO
SELECT STRING_AGG(v, ',') AS a FROM sa WHERE g > 9;
GO
SELECT STRING_AGG(REPLICATE('a', 5000), ',') AS a FROM (VALUES (1), (2)) t(n);
GO
SELECT STRING_AGG(REPLICATE(N'a', 3000), N',') AS a FROM (VALUES (1), (2)) t(n);
GO
SELECT LEN(STRING_AGG(CAST(REPLICATE('a', 5000) AS varchar(max)), ',')) AS a FROM (VALUES (1), (2)) t(n);
GO
SELECT STRING_AGG('a', N',') AS a FROM sa;
GO
SELECT STRING_AGG(v, 1) AS a FROM sa;
GO
SELECT STRING_AGG(0x01, ',') AS a FROM sa;
GO
SELECT STRING_AGG(v, ',') WITHIN GROUP (ORDER BY v) AS a, STRING_AGG(v, ',') WITHIN GROUP (ORDER BY n) AS b FROM sa;
GO
