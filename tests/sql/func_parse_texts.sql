-- PARSE and TRY_PARSE: which texts are numbers and moments of which culture, as SQL Server 2025 reads them.
-- https://learn.microsoft.com/sql/t-sql/functions/parse-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/try-parse-transact-sql
SELECT TRY_PARSE('  123  ' AS int) AS a, TRY_PARSE(CHAR(9) + '123' + CHAR(10) AS int) AS b, TRY_PARSE(NCHAR(160) + N'1' AS int) AS c, TRY_PARSE('+7' AS int) AS d, TRY_PARSE('123-' AS int) AS e, TRY_PARSE('- 123' AS int) AS f, TRY_PARSE('(123)' AS int) AS g;
GO
SELECT TRY_PARSE('1,2,3,4' AS int USING 'en-US') AS a, TRY_PARSE('123.0' AS int) AS b, TRY_PARSE('123.5' AS int) AS c, TRY_PARSE('-2.5' AS int) AS d, TRY_PARSE('1e3' AS int) AS e, TRY_PARSE('0x1A' AS int) AS f, TRY_PARSE('$123' AS int) AS g, TRY_PARSE('' AS int) AS h, TRY_PARSE('   ' AS int) AS i;
GO
SELECT TRY_PARSE('-0' AS tinyint) AS a, TRY_PARSE('-1' AS tinyint) AS b, TRY_PARSE('255' AS tinyint) AS c, TRY_PARSE('256' AS tinyint) AS d, TRY_PARSE('32767' AS smallint) AS e, TRY_PARSE('32768' AS smallint) AS f, TRY_PARSE('2147483648' AS int) AS g, TRY_PARSE('9223372036854775807' AS bigint) AS h, TRY_PARSE('9223372036854775808' AS bigint) AS i;
GO
SELECT TRY_PARSE('1.235' AS decimal(10,2)) AS a, TRY_PARSE('-1.235' AS decimal(10,2)) AS b, TRY_PARSE('1.225' AS decimal(10,2)) AS c, TRY_PARSE('12345.6' AS decimal(5,2)) AS d;
GO
SELECT TRY_PARSE('($1.50)' AS money USING 'en-US') AS a, TRY_PARSE('£1.50' AS money USING 'en-US') AS b, TRY_PARSE('£1.50' AS money USING 'en-GB') AS c, TRY_PARSE('€1,50' AS money USING 'de-DE') AS d, TRY_PARSE('1,50 €' AS money USING 'de-DE') AS e, TRY_PARSE('¥5' AS money USING 'ja-JP') AS f, TRY_PARSE('1.23456' AS money) AS g, TRY_PARSE('922337203685478' AS money) AS h, TRY_PARSE('214748.3647' AS smallmoney) AS i, TRY_PARSE('214748.3648' AS smallmoney) AS j;
GO
SELECT TRY_PARSE(N'1 234,50' AS money USING 'fr-FR') AS a, TRY_PARSE(N'1' + NCHAR(160) + N'234,50' AS money USING 'fr-FR') AS b, TRY_PARSE(N'1' + NCHAR(8239) + N'234,50' AS money USING 'fr-FR') AS c;
GO
SELECT TRY_PARSE('1,000.5' AS float USING 'en-US') AS a, TRY_PARSE('1e309' AS float) AS b, TRY_PARSE('Infinity' AS float) AS c, TRY_PARSE('NaN' AS float) AS d, TRY_PARSE('3.5E+38' AS real) AS e, TRY_PARSE('-1.5E+3' AS float) AS f;
GO
SELECT TRY_PARSE('2024-01-02' AS date) AS a, TRY_PARSE(' 2024-01-02 ' AS date) AS b, TRY_PARSE('13/12/2010' AS date USING 'en-US') AS c, TRY_PARSE('01/02/2010' AS date USING 'en-US') AS d, TRY_PARSE('01/02/2010' AS date USING 'en-GB') AS e, TRY_PARSE('02.01.2024' AS date USING 'de-DE') AS f, TRY_PARSE('2024/01/02' AS date USING 'ja-JP') AS g, TRY_PARSE('20240102' AS date) AS h, TRY_PARSE('2024-02-30' AS date) AS i, TRY_PARSE('' AS date) AS j;
GO
SELECT TRY_PARSE('Monday, 13 December 2010' AS datetime2(0) USING 'en-US') AS a, TRY_PARSE('1/2/49' AS date) AS b, TRY_PARSE('1/2/30' AS date) AS c, TRY_PARSE('2 Januar 2024' AS date USING 'de-DE') AS d, TRY_PARSE('2 janvier 2024' AS date USING 'fr-FR') AS e, TRY_PARSE('2 January 2024' AS date USING 'de-DE') AS f;
GO
SELECT TRY_PARSE('2024-01-02 03:04:05' AS date) AS a, TRY_PARSE('2024-01-02 03:04:05' AS time(0)) AS b, TRY_PARSE('25:00:00' AS time(0)) AS c, TRY_PARSE('3:04 PM' AS time(0) USING 'en-US') AS d, TRY_PARSE('1/2/2024 3:04:05 PM' AS datetime2(0) USING 'en-US') AS e;
GO
SELECT TRY_PARSE('2024-01-02 03:04:05.1235' AS datetime2(3)) AS a, TRY_PARSE('2024-01-02 03:04:05.5' AS datetime2(0)) AS b, TRY_PARSE('2024-01-02 03:04:05.998' AS datetime) AS c, TRY_PARSE('1752-12-31' AS datetime) AS d;
GO
SELECT TRY_PARSE('2024-01-02T03:04:05+05:30' AS datetimeoffset(0)) AS a, TRY_PARSE('2024-01-02T03:04:05Z' AS datetimeoffset(0)) AS b, TRY_PARSE('2024-01-02T03:04:05+15:00' AS datetimeoffset(0)) AS c;
GO
-- The order of a date is the culture's, whatever SET DATEFORMAT says.
SET DATEFORMAT dmy;
SELECT TRY_PARSE('01/02/2010' AS date) AS a, CONVERT(date, '01/02/2010') AS b;
SET DATEFORMAT mdy;
GO
-- What is no value is an error of PARSE alone; a culture or a type that there is none of is one of both.
SELECT PARSE('1x' AS int USING 'de-DE') AS a;
GO
SELECT TRY_PARSE('1' AS int USING '') AS a;
GO
SELECT TRY_PARSE('1' AS int USING 'German') AS a;
GO
SELECT TRY_PARSE('1' AS int USING CAST(NULL AS nvarchar(5))) AS a;
GO
SELECT TRY_PARSE(CAST(NULL AS varchar(5)) AS int) AS a, PARSE(CAST(NULL AS nvarchar(5)) AS date) AS b;
GO
