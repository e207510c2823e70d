-- GREATEST and LEAST: NULLs, equal values, and the type of the result over arguments of several types, as SQL Server 2025 has them.
-- https://learn.microsoft.com/sql/t-sql/functions/logical-functions-greatest-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/logical-functions-least-transact-sql
SELECT GREATEST(1, NULL, 3) AS a, LEAST(1, NULL, 3) AS b, GREATEST(NULL, NULL) AS c, GREATEST('a', 'A') AS d, GREATEST('A', 'a') AS e, LEAST('A', 'a') AS f, GREATEST(5, '10') AS g, LEAST(5, '10') AS h;
GO
SELECT LEAST(CAST(99999999999999999999999999999999999999 AS decimal(38, 0)), CAST(0.5 AS decimal(38, 10))) AS a, GREATEST(CAST('ab' AS char(3)), CAST('a' AS varchar(5))) + '.' AS b, GREATEST(CAST('a' AS char(3)), CAST('b' AS char(5))) + '.' AS c, SQL_VARIANT_PROPERTY(GREATEST(CAST('a' AS varchar(10)), CAST(N'b' AS nvarchar(3))), 'MaxLength') AS d;
GO
SELECT GREATEST('a' COLLATE Latin1_General_BIN, 'B') AS a, GREATEST('a' COLLATE Latin1_General_CS_AS, 'B') AS b, GREATEST(CAST(1 AS sql_variant), CAST('a' AS sql_variant), CAST(2.5 AS sql_variant)) AS c, LEAST(CAST(1 AS sql_variant), CAST('a' AS sql_variant), CAST(2.5 AS sql_variant)) AS d;
GO
SELECT GREATEST(1, 1 / 0) AS a;
GO
SELECT GREATEST(5, 'abc') AS a;
GO
SELECT GREATEST(CAST('2024-01-02' AS date), 1) AS a;
GO
SELECT LEAST(CAST('10:00' AS time), CAST('2024-01-02' AS date)) AS a;
GO
SELECT GREATEST(1, CAST('<a/>' AS xml)) AS a;
GO
SELECT LEAST(CAST('a' AS text), 'b') AS a;
GO
SELECT GREATEST() AS a;
GO
