-- Scalar functions at their edges: arguments of other types, the types of results, domains, conversions to texts too short. As SQL Server 2025 does.
-- https://learn.microsoft.com/sql/t-sql/functions/mathematical-functions-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/string-functions-transact-sql
-- What a number becomes.
SELECT CAST(SQL_VARIANT_PROPERTY(POWER(2, 1.5), 'BaseType') AS varchar(20)) AS a, CAST(SQL_VARIANT_PROPERTY(POWER('2', 3), 'BaseType') AS varchar(20)) AS b, CAST(SQL_VARIANT_PROPERTY(POWER(2, '3'), 'BaseType') AS varchar(20)) AS c, CAST(SQL_VARIANT_PROPERTY(POWER(2.0, 2), 'BaseType') AS varchar(20)) AS d, CAST(SQL_VARIANT_PROPERTY(SQRT(4), 'BaseType') AS varchar(20)) AS e, CAST(SQL_VARIANT_PROPERTY(LOG(1), 'BaseType') AS varchar(20)) AS f, CAST(SQL_VARIANT_PROPERTY(EXP(1), 'BaseType') AS varchar(20)) AS g, CAST(SQL_VARIANT_PROPERTY(SQUARE(2), 'BaseType') AS varchar(20)) AS h, CAST(SQL_VARIANT_PROPERTY(SIN(1), 'BaseType') AS varchar(20)) AS i, CAST(SQL_VARIANT_PROPERTY(DEGREES(1), 'BaseType') AS varchar(20)) AS j, CAST(SQL_VARIANT_PROPERTY(RADIANS(CAST(1 AS bigint)), 'BaseType') AS varchar(20)) AS k;
GO
SELECT SQRT(-1) AS a;
GO
SELECT LOG(0) AS a;
GO
SELECT LOG(-1) AS a;
GO
SELECT LOG10(0) AS a;
GO
SELECT LOG(5, 1) AS a;
GO
SELECT POWER(-2e0, 0.5) AS a;
GO
SELECT ASIN(2) AS a;
GO
SELECT ACOS(-2) AS a;
GO
SELECT ATN2(0, 0) AS a;
GO
SELECT POWER(0e0, -1) AS a;
GO
SELECT EXP(1000) AS a;
GO
SELECT SQUARE(1e200) AS a;
GO
SELECT ABS(CAST(-2147483648 AS int)) AS a;
GO
SELECT ABS(CAST(-9223372036854775808 AS bigint)) AS a;
GO
SELECT SQRT('x') AS a;
GO
SELECT PI(1) AS a;
GO
SELECT ROUND(1.5, '1') AS a;
GO
-- The bits.
SELECT ~1 AS a, ~CAST(0 AS tinyint) AS b, ~CAST(5 AS smallint) AS c, ~CAST(5 AS bigint) AS d, ~CAST(1 AS bit) AS e, ~CAST(0 AS bit) AS f, ~CAST(NULL AS int) AS g, ~2 * 3 AS h, ~2 + 3 * 4 AS i;
GO
SELECT ~1.5 AS a;
GO
SELECT ~1e0 AS a;
GO
SELECT ~$1 AS a;
GO
SELECT ~'5' AS a;
GO
SELECT ~N'5' AS a;
GO
SELECT ~0x05 AS a;
GO
SELECT RIGHT_SHIFT(-1, 1) AS a, RIGHT_SHIFT(CAST(-8 AS bigint), 1) AS b, LEFT_SHIFT(1, 31) AS c, LEFT_SHIFT(1, 32) AS d, RIGHT_SHIFT(1, -1) AS e, LEFT_SHIFT(8, -1) AS f, BIT_COUNT(-1) AS g, BIT_COUNT(CAST(-1 AS bigint)) AS h, BIT_COUNT(CAST(255 AS tinyint)) AS i, GET_BIT(5, 2) AS j, GET_BIT(5, 1) AS k, SET_BIT(0, 3) AS l, SET_BIT(15, 0, 0) AS m, SET_BIT(0, 31) AS n;
GO
-- Characters and their codes.
-- What is no text becomes one.
SELECT STUFF('abc', 0, 1, 'x') AS a, STUFF('abc', 4, 1, 'x') AS b, STUFF('abc', 1, -1, 'x') AS c, STUFF('abc', 3, 99, 'x') AS d, STUFF('abc', 2, 1, NULL) AS e, STUFF('abc', 2, 0, 'x') AS f, STUFF(NULL, 1, 1, 'x') AS g, SPACE(-1) AS h, REPLICATE('a', -1) AS i, DATALENGTH(SPACE(9000)) AS j, DATALENGTH(REPLICATE('ab', 5000)) AS k, DATALENGTH(REPLICATE(N'ab', 5000)) AS l, DATALENGTH(REPLICATE(CAST('ab' AS varchar(max)), 5000)) AS m;
GO
SELECT QUOTENAME('a)b', '(') AS a, QUOTENAME('a)b', ')') AS b, QUOTENAME('a]b') AS c, QUOTENAME('a''b', '''') AS d, QUOTENAME('a', '<') AS e, QUOTENAME('a', '{') AS f, QUOTENAME('a`b', '`') AS g, QUOTENAME('a', 'x') AS h, QUOTENAME('a', NULL) AS i, QUOTENAME(REPLICATE('a', 129)) AS j, LEN(QUOTENAME(REPLICATE(']', 128))) AS k, QUOTENAME('a', '(]') AS l;
GO
-- FORMATMESSAGE, as the C library prints.
SELECT FORMATMESSAGE('[%5d]', 7) AS a, FORMATMESSAGE('[%-5d]', 7) AS b, FORMATMESSAGE('[%05d]', 7) AS c, FORMATMESSAGE('[%+d]', 7) AS d, FORMATMESSAGE('[%#x]', 255) AS e, FORMATMESSAGE('[%.3d]', 5) AS f, FORMATMESSAGE('[%*d]', 4, 7) AS g, FORMATMESSAGE('[%u]', -1) AS h, FORMATMESSAGE('[%o]', 8) AS i, FORMATMESSAGE('[%X]', 255) AS j, FORMATMESSAGE('100%%') AS k;
GO
SELECT FORMATMESSAGE('%s', NULL) AS a, FORMATMESSAGE('%s-%s', 'a') AS b, FORMATMESSAGE('%s', 'a', 'b') AS c, FORMATMESSAGE(NULL) AS d, FORMATMESSAGE('%.2s', 'abc') AS e, FORMATMESSAGE('[%5s]', 'abc') AS f, FORMATMESSAGE('[%-5s]', 'abc') AS g, FORMATMESSAGE('%I64d', CAST(9000000000 AS bigint)) AS h, LEN(FORMATMESSAGE('%s', REPLICATE('a', 3000))) AS i;
GO
-- Days as numbers, series, and how many bytes a variant has.
SELECT DATEPART(year, 0) AS a, DATEADD(day, 1, 0) AS b, DATEDIFF(day, 0, '2024-01-31') AS c, DATEDIFF(year, '2023-12-31', '2024-01-01') AS d, DATEDIFF_BIG(second, '0001-01-01', '9999-12-31') AS e;
GO
SELECT CAST(SQL_VARIANT_PROPERTY('abc', 'TotalBytes') AS int) AS a, CAST(SQL_VARIANT_PROPERTY(N'abc', 'TotalBytes') AS int) AS b, CAST(SQL_VARIANT_PROPERTY(1, 'TotalBytes') AS int) AS c, CAST(SQL_VARIANT_PROPERTY(CAST(1 AS bit), 'TotalBytes') AS int) AS d, CAST(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(5,2)), 'TotalBytes') AS int) AS e, CAST(SQL_VARIANT_PROPERTY(0x0102, 'TotalBytes') AS int) AS f, CAST(SQL_VARIANT_PROPERTY(CAST('12:00' AS time), 'TotalBytes') AS int) AS g, CAST(SQL_VARIANT_PROPERTY(CAST('2024-01-01' AS datetime), 'TotalBytes') AS int) AS h, CAST(SQL_VARIANT_PROPERTY(CAST('2024-01-01' AS date), 'TotalBytes') AS int) AS i;
GO
SELECT CAST(SQL_VARIANT_PROPERTY(CAST('a' AS varchar(10)), 'MaxLength') AS int) AS a, CAST(SQL_VARIANT_PROPERTY(CAST('a' AS nvarchar(10)), 'MaxLength') AS int) AS b, CAST(SQL_VARIANT_PROPERTY(1, 'MaxLength') AS int) AS c, CAST(SQL_VARIANT_PROPERTY(CAST(1 AS decimal(5,2)), 'MaxLength') AS int) AS d, CAST(SQL_VARIANT_PROPERTY(CAST('a' AS char(5)), 'MaxLength') AS int) AS e, CAST(SQL_VARIANT_PROPERTY(CAST('2024-01-01' AS datetime), 'MaxLength') AS int) AS f, CAST(SQL_VARIANT_PROPERTY('abc', 'MaxLength') AS int) AS g, CAST(SQL_VARIANT_PROPERTY(N'abc', 'MaxLength') AS int) AS h;
GO
SELECT value FROM GENERATE_SERIES(5, 1);
GO
SELECT value FROM GENERATE_SERIES(1, 5, -1);
GO
SELECT value FROM GENERATE_SERIES(1, NULL);
GO
SELECT value FROM GENERATE_SERIES(CAST(9223372036854775800 AS bigint), CAST(9223372036854775807 AS bigint), CAST(3 AS bigint));
GO
-- Texts that are too short for a value.
SELECT CAST(123456 AS nvarchar(3)) AS a;
GO
SELECT CAST(CAST(123456 AS bigint) AS varchar(3)) AS a;
GO
SELECT CAST(1234.56 AS varchar(3)) AS a;
GO
SELECT CAST(CAST(1234.56 AS money) AS varchar(3)) AS a;
GO
-- Bytes that are moments, and moments as texts of a style.
SELECT CAST(0x0000901A00000000 AS datetime) AS a, CAST(0x901A003C AS smalldatetime) AS b, CAST(0x000000 AS date) AS c, CAST(0x010000 AS date) AS d;
GO
SELECT CONVERT(varchar(40), CAST('2024-01-15 14:25:36.123' AS datetime), 9) AS a, CONVERT(varchar(40), CAST('2024-01-15 14:25:36.1234567' AS datetime2), 9) AS b, CONVERT(varchar(40), CAST('2024-01-15 14:25:36' AS datetime2(0)), 121) AS c, CONVERT(varchar(40), CAST('2024-01-15 14:25:36.123' AS datetime), 13) AS d, CONVERT(varchar(40), CAST('2024-01-15 14:25:36.123' AS datetime), 22) AS e, CONVERT(varchar(40), CAST('14:25:36' AS time(0)), 0) AS f, CONVERT(varchar(40), CAST('2024-01-15 14:25:36.12 +02:00' AS datetimeoffset(2)), 127) AS g, CONVERT(varchar(40), CAST('2024-01-15 14:25:36.12 +02:00' AS datetimeoffset(2)), 126) AS h;
GO
SELECT CONVERT(varchar(40), CAST('2024-01-15' AS date), 14) AS a;
GO
SELECT CONVERT(varchar(40), CAST('2024-01-15' AS date), 114) AS a;
GO
SELECT CONVERT(varchar(40), CAST(1234567.891 AS money), 0) AS a, CONVERT(varchar(40), CAST(1234567.891 AS money), 1) AS b, CONVERT(varchar(40), CAST(1234567.891 AS money), 2) AS c, CONVERT(varchar(40), CAST(-1234.5 AS money), 1) AS d, CONVERT(varchar(40), 1234567e0, 0) AS e, CONVERT(varchar(40), 123456e0, 0) AS f, CONVERT(varchar(40), 0.0001e0, 0) AS g, CONVERT(varchar(40), 1234567.875e0, 1) AS h, CONVERT(varchar(40), CAST(1234567.875 AS real), 2) AS i, CONVERT(varchar(40), 0.1e0, 3) AS j;
GO
SELECT CONVERT(varchar(10), 0x0AFF, 1) AS a, CONVERT(varchar(10), 0x0AFF, 2) AS b, CONVERT(varbinary(5), '0x0aFf', 1) AS c, CONVERT(varbinary(5), '0aFf', 2) AS d, TRY_CONVERT(varbinary(5), '0aFf', 1) AS e, TRY_CONVERT(varbinary(5), '0x0aFf', 2) AS f, TRY_CONVERT(varbinary(5), '0aF', 2) AS g, CAST(0x414243 AS varchar(10)) AS h, CAST('abc' AS binary(5)) AS i, CAST(N'abc' AS varbinary(10)) AS j;
GO
SELECT TRY_CAST(1/0 AS int) AS a;
GO
