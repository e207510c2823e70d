-- STRING_AGG: the type of what it makes, separators, NULLs, results that are too long. As SQL Server 2025 does.
-- https://learn.microsoft.com/sql/t-sql/functions/string-agg-transact-sql
CREATE TABLE st (g int, k int, v varchar(10), n nvarchar(10), i int, d decimal(9,2), t datetime2(3), x varchar(max), y nvarchar(max), b varbinary(4));
INSERT st VALUES (1, 2, 'b', N'b', 2, 2.5, '2024-01-02 03:04:05.6', 'b', N'b', 0x01), (1, 1, 'a', N'a', 1, 1, '2024-01-01', 'a', N'a', 0x02), (1, 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (2, 4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, 5, 'c', N'c', 3, 3, '2024-01-03', 'c', N'c', 0x03), (3, NULL, 'd', N'd', 4, 4, '2024-01-04', 'd', N'd', 0x04);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(v, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(n, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(x, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(y, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(i, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(d, '','') AS a FROM st', NULL, 0);
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT STRING_AGG(t, '','') AS a FROM st', NULL, 0);
GO
SELECT g, STRING_AGG(v, ',') WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(n, ', ') WITHIN GROUP (ORDER BY k DESC) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(v, NULL) WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(n, CAST(NULL AS nvarchar(10))) WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(i, '-') WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(d, '-') WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
SELECT g, STRING_AGG(t, '|') WITHIN GROUP (ORDER BY k) AS a FROM st GROUP BY g ORDER BY g;
GO
DECLARE @s nvarchar(10) = N' + ', @z nvarchar(10); SELECT STRING_AGG(n, @s) WITHIN GROUP (ORDER BY k) AS a, STRING_AGG(n, @z) WITHIN GROUP (ORDER BY k) AS b FROM st WHERE g = 1;
GO
SELECT STRING_AGG(v, ',') AS a FROM st WHERE 1 = 0;
GO
DECLARE @s varchar(max) = ','; SELECT STRING_AGG(v, @s) AS a FROM st;
GO
DECLARE @s nvarchar(max) = N','; SELECT STRING_AGG(n, @s) AS a FROM st;
GO
SELECT STRING_AGG(v, 1) AS a FROM st;
GO
SELECT STRING_AGG(v, N',') AS a FROM st;
GO
SELECT STRING_AGG(b, ',') AS a FROM st;
GO
SELECT STRING_AGG(DISTINCT v, ',') AS a FROM st;
GO
SELECT STRING_AGG(v, ',') WITHIN GROUP (ORDER BY k) AS a, STRING_AGG(v, ',') WITHIN GROUP (ORDER BY v) AS b FROM st;
GO
SELECT STRING_AGG(REPLICATE('x', 5000), ',') AS a FROM st;
GO
SELECT STRING_AGG(REPLICATE(N'x', 3000), ',') AS a FROM st;
GO
SELECT (SELECT LEN(STRING_AGG(CAST(REPLICATE('x', 5000) AS varchar(max)), ',')) FROM st) AS a, (SELECT LEN(STRING_AGG(v, ',')) FROM (VALUES (REPLICATE('x', 3999)), (REPLICATE('y', 4000))) AS s(v)) AS b;
GO
