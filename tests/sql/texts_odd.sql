SELECT RIGHT('abc', -1);
GO
SELECT SUBSTRING(123, 1, 2);
GO
SELECT CONCAT('a');
GO
SELECT CONCAT_WS(',', 'a');
GO
SELECT TRANSLATE('abc', 'ab', 'xy'), TRANSLATE('2*[3+4]', '[]', '()'), TRANSLATE('abc', 'a', NULL), TRANSLATE('aba', 'aa', 'xy');
SELECT TRANSLATE('abc', 'ab', 'x');
GO
SELECT STRING_ESCAPE('a/b"\' + CHAR(9) + CHAR(1), 'json'), STRING_ESCAPE(NULL, 'json'), STRING_ESCAPE('x', 'JSON');
GO
SELECT ASCII(''), ASCII('abc'), CHAR(256), CHAR(-1), CHAR(65), NCHAR(65536), NCHAR(9731), UNICODE(''), UNICODE(N'☃'), ASCII('é');
SELECT QUOTENAME('a]b'), QUOTENAME('a', 'x'), QUOTENAME('it''s', ''''), QUOTENAME('a', '<'), QUOTENAME('a"b', '"'), QUOTENAME('a', '{'), QUOTENAME(REPLICATE('a', 129)), QUOTENAME('a', '()'), QUOTENAME('', '`');
SELECT STR(123.45, 6, 1), STR(123.45, 2, 2), STR(-5), STR(1234567.891, 10, 2), STR(1.5e10), STR(NULL), STR(9.99, 3), STR(0.126, 5, 2);
SELECT COUNT(*) FROM STRING_SPLIT(NULL, ',');
SELECT COUNT(*) FROM STRING_SPLIT('', ',');
SELECT GREATEST(1, NULL, 3), LEAST(NULL, 2, 1.5), GREATEST('b', 'a'), GREATEST(NULL, NULL), LEAST('2024-01-01', CAST('2023-01-01' AS date));
SELECT GREATEST('a', 1);
GO
SELECT CONVERT(nvarchar(5), 123456);
GO
SELECT CONVERT(varchar(5), CAST(1234567 AS bigint));
GO
SELECT CONVERT(varchar(3), 12.345);
GO
SELECT CONVERT(char(3), CAST(1234.5 AS money));
GO
SELECT CONVERT(varchar(10), CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier));
GO
SELECT CONVERT(varchar(20), CAST(1234567.891 AS money)), CONVERT(varchar(20), CAST(1234567.891 AS money), 1), CONVERT(varchar(20), CAST(1234567.891 AS money), 2), CONVERT(varchar(20), CAST(-0.005 AS money)), CAST(CAST(-1234.5678 AS smallmoney) AS varchar(20));
SELECT CONVERT(varchar(30), CAST(123456789 AS float)), CONVERT(varchar(30), CAST(123456789 AS float), 1), CONVERT(varchar(30), CAST(123456789 AS float), 2), CONVERT(varchar(30), CAST(123456789 AS float), 3), CAST(CAST(0.1 AS real) AS varchar(30)), CAST(CAST(100000 AS float) AS varchar(30)), CAST(CAST(1000000 AS float) AS varchar(30)), CAST(CAST(0.0001 AS float) AS varchar(30)), CAST(CAST(0.00001 AS float) AS varchar(30)), CAST(CAST(-1.5 AS float) AS varchar(30)), CAST(CAST(999999.5 AS float) AS varchar(30)), CAST(1e0/3 AS varchar(30));
GO
SELECT CONVERT(varbinary(4), '0x1F2', 1);
GO
SELECT CONVERT(varchar(10), 1.5, 'a');
GO
-- Texts as numbers.
SELECT CAST(' 12 ' AS int), CAST('' AS int), CAST('+5' AS int), CAST('-' AS money), CAST('$1,234.5' AS money), CAST('1e3' AS float), CAST('.5' AS decimal(3,1)), CAST('5.' AS decimal(3,1)), CAST('' AS float), CAST('' AS money), CAST('1,000' AS money), CAST('true' AS bit), CAST('False' AS bit), CAST('2' AS bit), CAST('-0' AS int);
SELECT CAST('1.5' AS int);
GO
SELECT CAST('1,000' AS int);
GO
SELECT CAST('' AS decimal(5,2));
GO
SELECT CAST('1e3' AS decimal(10,2));
GO
SELECT CAST('abc' AS float);
GO
SELECT CAST('abc' AS money);
GO
SELECT CAST('yes' AS bit);
GO
SELECT CAST('2147483648' AS int);
GO
SELECT CAST('256' AS tinyint);
GO
SELECT CAST('32768' AS smallint);
GO
SELECT CAST('9223372036854775808' AS bigint);
GO
SELECT CAST(256 AS tinyint);
GO
SELECT CAST(-1 AS tinyint);
GO
SELECT CAST(2147483648 AS int);
GO
SELECT CAST(1e10 AS int);
GO
SELECT CAST(214749 AS smallmoney);
GO
SELECT CAST('not a guid' AS uniqueidentifier);
GO
SELECT CAST(N'{6F9619FF-8B86-D011-B42D-00C04FC964FF}trailing' AS uniqueidentifier), CAST('6f9619ff-8b86-d011-b42d-00c04fc964ff' AS uniqueidentifier), CAST(0xFF19966F868B11D0B42D00C04FC964FF AS uniqueidentifier), CAST(CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier) AS binary(16));
GO
