-- GREATEST and LEAST: NULLs, equal values, and the type of the result over arguments of several types, as SQL Server 2025 has them.
-- https://learn.microsoft.com/sql/t-sql/functions/logical-functions-greatest-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/logical-functions-least-transact-sql
SELECT GREATEST(1, NULL, 3) AS a, LEAST(1, NULL, 3) AS b, GREATEST(NULL, NULL) AS c, GREATEST('a', 'A') AS d, GREATEST('A', 'a') AS e, LEAST('A', 'a') AS f, GREATEST(5, '10') AS g, LEAST(5, '10') AS h;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS tinyint), CAST(1 AS smallint)), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS tinyint), CAST(1 AS smallint)), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS tinyint), CAST(1 AS smallint)), 'Scale'), ')') AS a, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bit), CAST(0 AS bit)), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bit), CAST(0 AS bit)), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bit), CAST(0 AS bit)), 'Scale'), ')') AS b, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(1, CAST(1 AS bigint)), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(1, CAST(1 AS bigint)), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(1, CAST(1 AS bigint)), 'Scale'), ')') AS c;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(GREATEST(1.5, 2.25), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(1.5, 2.25), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(1.5, 2.25), 'Scale'), ')') AS a, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(7, CAST(1 AS decimal(5, 2))), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(7, CAST(1 AS decimal(5, 2))), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(7, CAST(1 AS decimal(5, 2))), 'Scale'), ')') AS b, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS int), CAST(1 AS decimal(10, 2))), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS int), CAST(1 AS decimal(10, 2))), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS int), CAST(1 AS decimal(10, 2))), 'Scale'), ')') AS c, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bigint), CAST(1 AS decimal(5, 2))), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bigint), CAST(1 AS decimal(5, 2))), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS bigint), CAST(1 AS decimal(5, 2))), 'Scale'), ')') AS d, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS decimal(38, 0)), CAST(1 AS decimal(38, 10))), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS decimal(38, 0)), CAST(1 AS decimal(38, 10))), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS decimal(38, 0)), CAST(1 AS decimal(38, 10))), 'Scale'), ')') AS e;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1), 'Scale'), ')') AS a, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1e0), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1e0), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS real), 1e0), 'Scale'), ')') AS b, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS smallmoney), 1), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS smallmoney), 1), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS smallmoney), 1), 'Scale'), ')') AS c, CONCAT(SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS money), CAST(1 AS decimal(10, 2))), 'BaseType'), '(', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS money), CAST(1 AS decimal(10, 2))), 'Precision'), ',', SQL_VARIANT_PROPERTY(GREATEST(CAST(1 AS money), CAST(1 AS decimal(10, 2))), 'Scale'), ')') AS d;
GO
SELECT LEAST(CAST(99999999999999999999999999999999999999 AS decimal(38, 0)), CAST(0.5 AS decimal(38, 10))) AS a, GREATEST(CAST('ab' AS char(3)), CAST('a' AS varchar(5))) + '.' AS b, GREATEST(CAST('a' AS char(3)), CAST('b' AS char(5))) + '.' AS c, SQL_VARIANT_PROPERTY(GREATEST(CAST('a' AS varchar(10)), CAST(N'b' AS nvarchar(3))), 'MaxLength') AS d;
GO
SELECT GREATEST(CAST('2024-01-02' AS date), '2024-01-03') AS a, GREATEST(CAST('2024-01-02' AS datetime), 1) AS b, LEAST(CAST('2024-01-02' AS datetime), 1) AS c, GREATEST(CAST('00000000-0000-0000-0000-000000000002' AS uniqueidentifier), CAST('01000000-0000-0000-0000-000000000000' AS uniqueidentifier)) AS d, GREATEST(0x01, 0x0100) AS e;
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
SELECT GREATEST('a' COLLATE Latin1_General_BIN, 'b' COLLATE Latin1_General_CS_AS) AS a;
GO
