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
-- Whole numbers keep their width.
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
-- Precision and scale.
-- A quotient is cut, all else is rounded half away from zero.
SELECT SQL_VARIANT_PROPERTY((SELECT SUM(v) FROM (VALUES (CAST(1 AS real))) t(v)), 'BaseType') AS a, SQL_VARIANT_PROPERTY((SELECT MAX(v) FROM (VALUES (CAST(1 AS real))) t(v)), 'BaseType') AS b, SQL_VARIANT_PROPERTY((SELECT AVG(v) FROM (VALUES (CAST(1 AS smallmoney))) t(v)), 'BaseType') AS c, (SELECT SUM(v) FROM (VALUES (CAST(16777216 AS real)), (1), (1), (1), (1)) t(v)) AS d;
GO
-- Texts as decimals: too many digits for any, for this one, and no number.
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
