-- Functions of texts with odd arguments, and the texts of numbers.
-- https://learn.microsoft.com/sql/t-sql/functions/string-functions-transact-sql, cast-and-convert-transact-sql, formatmessage-transact-sql
SELECT SUBSTRING('abc', 0, 2), SUBSTRING('abc', -1, 3), SUBSTRING('abc', 4, 1), SUBSTRING('abc', 2, 100), SUBSTRING(NULL, 1, 1), SUBSTRING('abc', 2, NULL), SUBSTRING(0x010203, 2, 1);
SELECT SUBSTRING('abc', 2, -1);
GO
SELECT LEFT('abc', -1);
GO
SELECT RIGHT('abc', -1);
GO
SELECT SUBSTRING(123, 1, 2);
GO
SELECT LEFT(12345, 2), RIGHT(12345, 2), LEFT('abc', 0) + '|', RIGHT('abc', 10), LEN('a  '), LEN(' a'), DATALENGTH('a  '), DATALENGTH(N'ab'), LEN(NULL), LEN(''), DATALENGTH(CAST(1 AS bigint)), DATALENGTH($1), DATALENGTH(CAST(1.5 AS decimal(20,1)));
SELECT STUFF('abc', 0, 1, 'x'), STUFF('abc', 4, 1, 'x'), STUFF('abc', 2, 0, 'x'), STUFF('abc', 2, -1, 'x'), STUFF('abc', 1, 100, 'x'), STUFF('abc', 2, 1, NULL), STUFF(NULL, 1, 1, 'x');
SELECT REPLICATE('ab', -1), REPLICATE('ab', 0) + '|', SPACE(-1), LEN(REPLICATE('a', 9000)), LEN(REPLICATE(CAST('a' AS varchar(max)), 9000)), DATALENGTH(SPACE(9000)), REPLICATE(5, 3);
SELECT CHARINDEX('', 'abc'), CHARINDEX('a', 'abc', 5), CHARINDEX('b', 'abc', -5), CHARINDEX('C', 'abc'), CHARINDEX('c' COLLATE Latin1_General_BIN, 'abC'), CHARINDEX(NULL, 'abc'), CHARINDEX('a', 'banana', 3), PATINDEX('%[^0-9]%', '123a'), PATINDEX('a', 'abc'), PATINDEX('%_c', 'abc'), PATINDEX('%[%]%', '5%');
SELECT REPLACE('aaa', 'aa', 'b'), REPLACE('abc', '', 'x'), REPLACE('a', NULL, 'x'), REPLACE('Abc', 'a', ''), REPLACE('a.b.c', '.', '..'), REPLACE(123, 2, 9);
SELECT CONCAT(NULL, NULL) + '|', CONCAT('a', NULL, 1, 2.50, CAST('2024-01-01' AS date)), CONCAT_WS(',', NULL, 'a', NULL, 'b'), CONCAT_WS(NULL, 'a', 'b'), CONCAT_WS('-', 1, 2.0, 'x');
SELECT CONCAT('a');
GO
SELECT CONCAT_WS(',', 'a');
GO
SELECT TRANSLATE('abc', 'ab', 'xy'), TRANSLATE('2*[3+4]', '[]', '()'), TRANSLATE('abc', 'a', NULL), TRANSLATE('aba', 'aa', 'xy');
SELECT TRANSLATE('abc', 'ab', 'x');
GO
SELECT STRING_ESCAPE('a/b"\' + CHAR(9) + CHAR(1), 'json'), STRING_ESCAPE(NULL, 'json'), STRING_ESCAPE('x', 'JSON');
SELECT STRING_ESCAPE('x', 'xml');
GO
SELECT ASCII(''), ASCII('abc'), CHAR(256), CHAR(-1), CHAR(65), NCHAR(65536), NCHAR(9731), UNICODE(''), UNICODE(N'☃'), ASCII('é');
SELECT QUOTENAME('a]b'), QUOTENAME('a', 'x'), QUOTENAME('it''s', ''''), QUOTENAME('a', '<'), QUOTENAME('a"b', '"'), QUOTENAME('a', '{'), QUOTENAME(REPLICATE('a', 129)), QUOTENAME('a', '()'), QUOTENAME('', '`');
SELECT SOUNDEX('Robert'), SOUNDEX('Rupert'), SOUNDEX(''), SOUNDEX('123'), DIFFERENCE('Smith', 'Smythe'), DIFFERENCE('a', 'zzz'), SOUNDEX('Ashcraft');
SELECT UPPER('straße'), LOWER('ÀB'), REVERSE('abc '), REVERSE(123), LTRIM('  a '), RTRIM(' a  ') + '|', TRIM('xy' FROM 'xyaxy'), TRIM('.,' FROM '..a,b,.'), LTRIM('xxabc', 'x'), RTRIM('abcxx', 'x'), TRIM(LEADING 'x' FROM 'xxaxx'), TRIM(TRAILING 'x' FROM 'xxaxx'), TRIM(BOTH 'x' FROM 'xxaxx');
SELECT STR(123.45, 6, 1), STR(123.45, 2, 2), STR(-5), STR(1234567.891, 10, 2), STR(1.5e10), STR(NULL), STR(9.99, 3), STR(0.126, 5, 2);
SELECT FORMATMESSAGE('%05d|%-5s|%x|%o|%+d|%i|%u|%%|%5s|%.2s', 42, 'ab', 255, 8, 3, -4, 5, 'xy', 'abcdef'), FORMATMESSAGE('%s %s', 'a'), FORMATMESSAGE('%d', 'a');
SELECT value, ordinal FROM STRING_SPLIT('a,,b,', ',', 1) ORDER BY ordinal;
SELECT COUNT(*) FROM STRING_SPLIT(NULL, ',');
SELECT COUNT(*) FROM STRING_SPLIT('', ',');
SELECT GREATEST(1, NULL, 3), LEAST(NULL, 2, 1.5), GREATEST('b', 'a'), GREATEST(NULL, NULL), LEAST('2024-01-01', CAST('2023-01-01' AS date));
SELECT GREATEST('a', 1);
GO
-- Numbers as texts that are too short.
SELECT CONVERT(varchar(5), 123456), CONVERT(char(2), -123), CONVERT(varchar(3), CAST(1 AS bit)), CONVERT(varchar(2), 'abc'), CONVERT(varchar(4), CAST('2024-01-01' AS date)), CONVERT(varchar, REPLICATE('a', 50));
SELECT CONVERT(nvarchar(5), 123456);
GO
SELECT CONVERT(varchar(5), CAST(1234567 AS bigint));
GO
SELECT CONVERT(varchar(3), 12.345);
GO
SELECT CONVERT(char(3), CAST(1234.5 AS money));
GO
SELECT CONVERT(varchar(3), CAST(12345 AS float));
GO
SELECT CONVERT(varchar(10), CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier));
GO
SELECT CONVERT(varchar(20), CAST(1234567.891 AS money)), CONVERT(varchar(20), CAST(1234567.891 AS money), 1), CONVERT(varchar(20), CAST(1234567.891 AS money), 2), CONVERT(varchar(20), CAST(-0.005 AS money)), CAST(CAST(-1234.5678 AS smallmoney) AS varchar(20));
SELECT CONVERT(varchar(30), CAST(123456789 AS float)), CONVERT(varchar(30), CAST(123456789 AS float), 1), CONVERT(varchar(30), CAST(123456789 AS float), 2), CONVERT(varchar(30), CAST(123456789 AS float), 3), CAST(CAST(0.1 AS real) AS varchar(30)), CAST(CAST(100000 AS float) AS varchar(30)), CAST(CAST(1000000 AS float) AS varchar(30)), CAST(CAST(0.0001 AS float) AS varchar(30)), CAST(CAST(0.00001 AS float) AS varchar(30)), CAST(CAST(-1.5 AS float) AS varchar(30)), CAST(CAST(999999.5 AS float) AS varchar(30)), CAST(1e0/3 AS varchar(30));
SELECT CONVERT(varchar(30), 0x1F2E, 0), CONVERT(varchar(30), 0x1F2E, 1), CONVERT(varchar(30), 0x1F2E, 2), CONVERT(varbinary(4), '0x1F2E', 1), CONVERT(varbinary(4), '1f2e', 2), CONVERT(varbinary(2), 65), CONVERT(varbinary(8), CAST(1 AS bigint)), CONVERT(varbinary(4), 'ab'), CONVERT(binary(4), 'ab'), CONVERT(binary(4), 258), CAST(0x0102 AS int), CAST(0x0102030405 AS int), CONVERT(varbinary(8), N'a');
SELECT CONVERT(varbinary(4), '1F2E', 1);
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
SELECT CAST(1e40 AS real);
GO
SELECT CAST(1000.5 AS decimal(4,1)), CAST(2.5 AS int), CAST(-2.5 AS int), CAST(2.5e0 AS int), CAST(CAST(2.5 AS money) AS int), CAST(CAST(3.5 AS money) AS int), CAST(2.55 AS decimal(3,1)), CAST(-2.55 AS decimal(3,1)), CAST(0.00005 AS money), CAST(1.23455 AS smallmoney), CAST(99999.99 AS bit), CAST(0.4 AS bit), CAST(0 AS bit);
SELECT CAST(1000.5 AS decimal(3,1));
GO
SELECT CAST(214749 AS smallmoney);
GO
SELECT CAST('not a guid' AS uniqueidentifier);
GO
SELECT CAST(N'{6F9619FF-8B86-D011-B42D-00C04FC964FF}trailing' AS uniqueidentifier), CAST('6f9619ff-8b86-d011-b42d-00c04fc964ff' AS uniqueidentifier), CAST(0xFF19966F868B11D0B42D00C04FC964FF AS uniqueidentifier), CAST(CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier) AS binary(16));
