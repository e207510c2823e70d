-- Arithmetic: how signs group, what type and value each pair of numbers gives, and what overflows. The values are SQL Server 2025's.
-- https://learn.microsoft.com/sql/t-sql/language-elements/operator-precedence-transact-sql,
-- https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
-- A sign takes the whole product behind it; ~ takes one operand.
SELECT 100 / -10 / 2 AS a, 8 / - 2 * 4 AS b, 100 / - 20 % 7 AS c, - 6 + 2 AS d, - 6 & 3 AS e, - 2 << 3 AS f, 100 / -(10) / 2 AS g, 100 / (-10) / 2 AS h, ~ 2 * 3 AS i, ~ - 2 * 3 AS j, 2 * 3 << 1 AS k, 4 | 1 << 2 AS l, 5 / -0 * CAST(NULL AS int) AS m;
GO
SELECT -91 / - 0 * - 45 AS a;
GO
-- real wins over all but float, and is computed as float.
SELECT SQL_VARIANT_PROPERTY(CAST(1 AS real) + 1, 'BaseType') AS a, SQL_VARIANT_PROPERTY(CAST(1 AS real) * CAST(1 AS decimal(10, 2)), 'BaseType') AS b, SQL_VARIANT_PROPERTY(CAST(1 AS real) / CAST(1 AS money), 'BaseType') AS c, SQL_VARIANT_PROPERTY(CAST(1 AS real) - CAST(1 AS bit), 'BaseType') AS d, SQL_VARIANT_PROPERTY(CAST(1 AS bigint) + CAST(1 AS real), 'BaseType') AS e, SQL_VARIANT_PROPERTY(CAST(1 AS real) + 1e0, 'BaseType') AS f, CAST(CAST(16777216 AS real) + CAST(1 AS bigint) AS binary(4)) AS g;
GO
SELECT CAST(1 AS real) % CAST(2 AS real) AS a;
GO
SELECT CAST(1 AS real) % CAST(2 AS float) AS a;
GO
SELECT CAST(1 AS float) % CAST(2 AS real) AS a;
GO
SELECT CAST(1 AS real) % 2 AS a;
GO
SELECT 0x02 % CAST(2 AS real) AS a;
GO
SELECT 0x02 + CAST(2 AS real) AS a;
GO
-- Zero of a float has a sign, which exact numbers and FORMAT do not have.
SELECT CAST(-CAST(0 AS float) AS varchar(5)) AS a, CAST(0e0 * -1 AS varchar(5)) AS b, CAST(-CAST(0 AS float) + 0 AS varchar(5)) AS c, CAST(CAST(-0.0 AS float) AS varchar(5)) AS d, CAST(CAST(0.0 * -1 AS float) AS varchar(5)) AS e, FORMAT(-CAST(0 AS float), 'N2') AS f, IIF(-CAST(0 AS float) = 0, 'equal', 'other') AS g, CAST(SIGN(-CAST(0 AS float)) AS varchar(5)) AS h;
GO
-- Whole numbers keep their width.
SELECT CAST(255 AS tinyint) + CAST(1 AS tinyint) AS a;
GO
SELECT CAST(0 AS tinyint) - CAST(1 AS tinyint) AS a;
GO
SELECT CAST(32767 AS smallint) + CAST(1 AS smallint) AS a;
GO
SELECT 2147483647 + 1 AS a;
GO
SELECT CAST(-2147483648 AS int) / -1 AS a;
GO
SELECT CAST(-2147483648 AS int) % -1 AS a;
GO
SELECT CAST(-32768 AS smallint) % CAST(-1 AS smallint) AS a;
GO
SELECT CAST(9223372036854775807 AS bigint) + 1 AS a;
GO
SELECT CAST(-9223372036854775808 AS bigint) / -1 AS a;
GO
SELECT ABS(CAST(-2147483648 AS int)) AS a;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS smallint) + 1, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS smallint) + 1, 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS smallint) + 1, 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(1 + CAST(1 AS bigint), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(1 + CAST(1 AS bigint), 'Precision'), ' ', SQL_VARIANT_PROPERTY(1 + CAST(1 AS bigint), 'Scale')) AS b, -5 % -1 AS c, CONCAT(SQL_VARIANT_PROPERTY(-CAST(1 AS tinyint), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(-CAST(1 AS tinyint), 'Precision'), ' ', SQL_VARIANT_PROPERTY(-CAST(1 AS tinyint), 'Scale')) AS d;
GO
-- Precision and scale.
SELECT CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) + CAST(1 AS decimal(5, 3)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) + CAST(1 AS decimal(5, 3)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) + CAST(1 AS decimal(5, 3)), 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) * CAST(1 AS decimal(5, 3)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) * CAST(1 AS decimal(5, 3)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) * CAST(1 AS decimal(5, 3)), 'Scale')) AS b, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) / CAST(1 AS decimal(5, 3)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) / CAST(1 AS decimal(5, 3)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) / CAST(1 AS decimal(5, 3)), 'Scale')) AS c, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) % CAST(1 AS decimal(5, 3)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) % CAST(1 AS decimal(5, 3)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10, 2)) % CAST(1 AS decimal(5, 3)), 'Scale')) AS d;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(20, 5)) * CAST(1 AS decimal(23, 5)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(20, 5)) * CAST(1 AS decimal(23, 5)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(20, 5)) * CAST(1 AS decimal(23, 5)), 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(25, 8)) * CAST(1 AS decimal(25, 8)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(25, 8)) * CAST(1 AS decimal(25, 8)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(25, 8)) * CAST(1 AS decimal(25, 8)), 'Scale')) AS b, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 3)) / CAST(1 AS decimal(10, 4)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 3)) / CAST(1 AS decimal(10, 4)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 3)) / CAST(1 AS decimal(10, 4)), 'Scale')) AS c, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 20)) + CAST(1 AS decimal(38, 20)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 20)) + CAST(1 AS decimal(38, 20)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 20)) + CAST(1 AS decimal(38, 20)), 'Scale')) AS d, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 10)) + CAST(1 AS decimal(38, 30)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 10)) + CAST(1 AS decimal(38, 30)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 10)) + CAST(1 AS decimal(38, 30)), 'Scale')) AS e, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 20)) + CAST(1 AS decimal(38, 30)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 20)) + CAST(1 AS decimal(38, 30)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(30, 20)) + CAST(1 AS decimal(38, 30)), 'Scale')) AS f, CONCAT(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 7)) - CAST(1 AS decimal(38, 7)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 7)) - CAST(1 AS decimal(38, 7)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(CAST(1 AS decimal(38, 7)) - CAST(1 AS decimal(38, 7)), 'Scale')) AS g;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(10.0 / 3, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(10.0 / 3, 'Precision'), ' ', SQL_VARIANT_PROPERTY(10.0 / 3, 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(10.0 / CAST(3 AS int), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(10.0 / CAST(3 AS int), 'Precision'), ' ', SQL_VARIANT_PROPERTY(10.0 / CAST(3 AS int), 'Scale')) AS b, CONCAT(SQL_VARIANT_PROPERTY(10.0 / -3, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(10.0 / -3, 'Precision'), ' ', SQL_VARIANT_PROPERTY(10.0 / -3, 'Scale')) AS c, CONCAT(SQL_VARIANT_PROPERTY(10.0 / (3 * 2), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(10.0 / (3 * 2), 'Precision'), ' ', SQL_VARIANT_PROPERTY(10.0 / (3 * 2), 'Scale')) AS d, CONCAT(SQL_VARIANT_PROPERTY($10.00 / 3, 'BaseType'), ' ', SQL_VARIANT_PROPERTY($10.00 / 3, 'Precision'), ' ', SQL_VARIANT_PROPERTY($10.00 / 3, 'Scale')) AS e, CONCAT(SQL_VARIANT_PROPERTY(CASE WHEN 1 = 1 THEN 1 WHEN 1 = 2 THEN 100 ELSE 2.5 END, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(CASE WHEN 1 = 1 THEN 1 WHEN 1 = 2 THEN 100 ELSE 2.5 END, 'Precision'), ' ', SQL_VARIANT_PROPERTY(CASE WHEN 1 = 1 THEN 1 WHEN 1 = 2 THEN 100 ELSE 2.5 END, 'Scale')) AS f;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(2147483648, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(2147483648, 'Precision'), ' ', SQL_VARIANT_PROPERTY(2147483648, 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(99999999999999999999, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(99999999999999999999, 'Precision'), ' ', SQL_VARIANT_PROPERTY(99999999999999999999, 'Scale')) AS b, CONCAT(SQL_VARIANT_PROPERTY(0000000003000000000, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(0000000003000000000, 'Precision'), ' ', SQL_VARIANT_PROPERTY(0000000003000000000, 'Scale')) AS c, CONCAT(SQL_VARIANT_PROPERTY(3000000000 + 1, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(3000000000 + 1, 'Precision'), ' ', SQL_VARIANT_PROPERTY(3000000000 + 1, 'Scale')) AS d, CONCAT(SQL_VARIANT_PROPERTY(3000000000 / 2, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(3000000000 / 2, 'Precision'), ' ', SQL_VARIANT_PROPERTY(3000000000 / 2, 'Scale')) AS e, CONCAT(SQL_VARIANT_PROPERTY(-2147483648, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(-2147483648, 'Precision'), ' ', SQL_VARIANT_PROPERTY(-2147483648, 'Scale')) AS f, CONCAT(SQL_VARIANT_PROPERTY(-(2147483648), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(-(2147483648), 'Precision'), ' ', SQL_VARIANT_PROPERTY(-(2147483648), 'Scale')) AS g, CONCAT(SQL_VARIANT_PROPERTY(00000000300, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(00000000300, 'Precision'), ' ', SQL_VARIANT_PROPERTY(00000000300, 'Scale')) AS h, CONCAT(SQL_VARIANT_PROPERTY(000000000300, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(000000000300, 'Precision'), ' ', SQL_VARIANT_PROPERTY(000000000300, 'Scale')) AS i;
GO
SELECT CONCAT(SQL_VARIANT_PROPERTY(0.1, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(0.1, 'Precision'), ' ', SQL_VARIANT_PROPERTY(0.1, 'Scale')) AS a, CONCAT(SQL_VARIANT_PROPERTY(0.05, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(0.05, 'Precision'), ' ', SQL_VARIANT_PROPERTY(0.05, 'Scale')) AS b, CONCAT(SQL_VARIANT_PROPERTY(0.00, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(0.00, 'Precision'), ' ', SQL_VARIANT_PROPERTY(0.00, 'Scale')) AS c, CONCAT(SQL_VARIANT_PROPERTY(100.0, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(100.0, 'Precision'), ' ', SQL_VARIANT_PROPERTY(100.0, 'Scale')) AS d, CONCAT(SQL_VARIANT_PROPERTY(.5, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(.5, 'Precision'), ' ', SQL_VARIANT_PROPERTY(.5, 'Scale')) AS e, CONCAT(SQL_VARIANT_PROPERTY(-1.1, 'BaseType'), ' ', SQL_VARIANT_PROPERTY(-1.1, 'Precision'), ' ', SQL_VARIANT_PROPERTY(-1.1, 'Scale')) AS f, CONCAT(SQL_VARIANT_PROPERTY(-CAST(1.5 AS decimal(5, 3)), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(-CAST(1.5 AS decimal(5, 3)), 'Precision'), ' ', SQL_VARIANT_PROPERTY(-CAST(1.5 AS decimal(5, 3)), 'Scale')) AS g;
GO
SELECT SQL_VARIANT_PROPERTY(NULLIF(60, 76), 'BaseType') AS a, SQL_VARIANT_PROPERTY(NULLIF(-3, 78), 'BaseType') AS b, SQL_VARIANT_PROPERTY(NULLIF(300, 4), 'BaseType') AS c, SQL_VARIANT_PROPERTY(NULLIF(99999999, 4), 'BaseType') AS d, SQL_VARIANT_PROPERTY(NULLIF(1, 2147483648), 'BaseType') AS e, SQL_VARIANT_PROPERTY(NULLIF(CAST(60 AS int), 76), 'BaseType') AS f, SQL_VARIANT_PROPERTY(NULLIF(60 + 0, 76), 'BaseType') AS g, CONCAT(SQL_VARIANT_PROPERTY(NULLIF(60.0, 76), 'BaseType'), ' ', SQL_VARIANT_PROPERTY(NULLIF(60.0, 76), 'Precision'), ' ', SQL_VARIANT_PROPERTY(NULLIF(60.0, 76), 'Scale')) AS h, SQL_VARIANT_PROPERTY(NULLIF(-(-60), 76), 'BaseType') AS i;
GO
-- A quotient is cut, all else is rounded half away from zero.
SELECT CAST(4.00 AS decimal(5, 2)) / 7 AS a, CAST(4.00 AS decimal(38, 2)) / 7 AS b, CAST(1 AS decimal(5, 0)) / 1600000 AS c, CAST(3.00 AS decimal(38, 2)) / 2000000 AS d, CAST(-4.00 AS decimal(5, 2)) / 7 AS e, CAST(2 AS decimal(38, 28)) / 3 AS f;
GO
SELECT $1.00 / 7 AS a, $2.00 / 3 AS b, $1.0001 * $0.5555 AS c, CAST(CAST(0.5714285 AS decimal(10, 7)) AS decimal(10, 6)) AS d, (SELECT AVG(v) FROM (VALUES ($1.00), ($0.00), ($0.00), ($0.00), ($0.00), ($0.00), ($0.00)) t(v)) AS e;
GO
SELECT SQL_VARIANT_PROPERTY((SELECT SUM(v) FROM (VALUES (CAST(1 AS real))) t(v)), 'BaseType') AS a, SQL_VARIANT_PROPERTY((SELECT MAX(v) FROM (VALUES (CAST(1 AS real))) t(v)), 'BaseType') AS b, SQL_VARIANT_PROPERTY((SELECT AVG(v) FROM (VALUES (CAST(1 AS smallmoney))) t(v)), 'BaseType') AS c, (SELECT SUM(v) FROM (VALUES (CAST(16777216 AS real)), (1), (1), (1), (1)) t(v)) AS d;
GO
-- Texts as decimals: too many digits for any, for this one, and no number.
SELECT CAST('1234567890123456789012345678901234567890' AS decimal(38, 0)) AS a;
GO
SELECT CAST('123456789012345678901234567890' AS decimal(20, 0)) AS a;
GO
SELECT CAST('1e40' AS decimal(38, 0)) AS a;
GO
SELECT CAST(99999999999999999999999999999999999999 AS decimal(38, 0)) * 10 AS a;
GO
SELECT CAST(1 AS bit) + CAST(1 AS bit) AS a;
GO
SELECT CAST(1 AS bit) * CAST(1 AS bit) AS a;
GO
SELECT CAST(1 AS bit) & CAST(1 AS bit) AS a, CAST(1 AS bit) + 1 AS b, 1 + 0x01 AS c, 255 & 0x01 AS d, 0x61 + 0x62 AS e, IIF(0x61 = 'a', 1, 0) AS f, CAST('2024-01-01' AS datetime) - 1.5 AS g, 1.5 - CAST('2024-01-01' AS datetime) AS h;
GO
SELECT 0x01 & 0x02 AS a;
GO
SELECT 0x01 * 0x02 AS a;
GO
