-- Arithmetic and conversions: result types, precision and scale, and every way they fail. https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
SELECT 1/2, 1.0/3, 1/3., 5 % 3, -5 % 3, 5.5 % 2, 10/4.0, 2e0/3, 0x10 + 1, 1 + '2', '1' + '2', 1.5 + '2.25';
SELECT CAST(1 AS decimal(10,2)) / CAST(3 AS decimal(10,2)), CAST(1 AS decimal(38,10)) / CAST(3 AS decimal(38,10)), CAST(1.23456 AS decimal(20,10)) * CAST(2 AS decimal(30,15));
SELECT SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10,2)) + CAST(1 AS decimal(5,4)), 'Precision') p, SQL_VARIANT_PROPERTY(CAST(1 AS decimal(10,2)) + CAST(1 AS decimal(5,4)), 'Scale') s, SQL_VARIANT_PROPERTY(1.50, 'BaseType') b, SQL_VARIANT_PROPERTY(3000000000, 'BaseType') c, SQL_VARIANT_PROPERTY(1.50*1.50, 'Precision') d;
SELECT $1.5, $1.23456, CAST(1.99995 AS money), CAST('$1,234.5' AS money), CAST(5 AS money)/3, $10 * 1.5, CAST($1.5 AS int), CAST($2.5 AS int), CAST(2.5 AS int), CAST(-2.7 AS int), CAST(2.7e0 AS int);
SELECT 2147483647 + 1;
GO
SELECT CAST(2147483647 AS bigint) + 1, CAST(255 AS tinyint) + CAST(1 AS tinyint);
GO
SELECT CAST(9223372036854775807 AS bigint) + 1;
GO
SELECT CAST(99999 AS smallint);
GO
SELECT CAST('99999' AS smallint);
GO
SELECT CAST('300' AS tinyint);
GO
SELECT CAST('99999999999' AS int);
GO
SELECT CAST('99999999999999999999' AS bigint);
GO
SELECT CAST(123456 AS decimal(5,2));
GO
SELECT CAST(1e10 AS int);
GO
SELECT CAST(1e400 AS float);
GO
SELECT CAST(123.45 AS varchar(3));
GO
SELECT CAST(12345 AS varchar(3)), CAST(12345 AS char(3)), CAST('abcdef' AS varchar(3)), CAST(N'abcdef' AS nchar(4)) + N'|';
GO
SELECT CAST(12345 AS nvarchar(3));
GO
SELECT CAST('abc' AS uniqueidentifier);
GO
SELECT CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier), CAST(0x0102 AS int), CAST(256 AS varbinary(4)), CAST('abc' AS varbinary(10)), CAST(0x616263 AS varchar(10)), CAST(1 AS binary(2));
SELECT CAST('' AS int), CAST(' 12 ' AS int), CAST('+5' AS int), CAST('' AS datetime), CAST('1e2' AS float), CAST('true' AS bit), CAST('0' AS bit), CAST(5 AS bit);
GO
SELECT CAST('1,000' AS int);
GO
SELECT CAST('1.5' AS int);
GO
SELECT CAST('' AS decimal(5,2));
GO
SELECT CAST('abc' AS float);
GO
SELECT CAST('abc' AS money);
GO
SELECT CAST('abc' AS bit);
GO
SELECT CAST('2020-13-01' AS date);
GO
SELECT CAST('2020-13-01' AS datetime);
GO
SELECT CAST('25:00' AS time);
GO
SELECT TRY_CAST('x' AS int), TRY_CONVERT(date, 'x'), TRY_CAST('5' AS int), TRY_CAST(300 AS tinyint);
