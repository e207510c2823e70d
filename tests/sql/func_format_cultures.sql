-- FORMAT in its cultures. What is of iv, en-US, de-DE, fr-FR and ja-JP is what SQL Server 2025 gave.
-- https://learn.microsoft.com/sql/t-sql/functions/format-transact-sql, and .NET's pages "Standard numeric format strings", "Standard date and time format strings".
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N0', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N0', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N0', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N0', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'N0', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'C', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'C', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'C', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'C', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'C', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'P', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'P', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'P', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'P', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'P', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'E', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'E', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'E', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'E', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'E', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'G', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'G', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'G', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'G', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'G', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'F2', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'F2', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'F2', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'F2', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), 'F2', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), '0.###', 'iv') AS a, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), '0.###', 'en-US') AS b, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), '0.###', 'de-DE') AS c, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), '0.###', 'fr-FR') AS d, FORMAT(CAST(-1234567.8951 AS decimal(19, 4)), '0.###', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'D', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'D', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'D', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'D', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'D', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'G', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'G', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'G', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'G', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'G', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'M', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'M', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'M', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'M', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'M', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'Y', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'Y', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'Y', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'Y', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'Y', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 't', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 't', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 't', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 't', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 't', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'dddd, MMMM d', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'dddd, MMMM d', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'dddd, MMMM d', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'dddd, MMMM d', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'dddd, MMMM d', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'yyyy-MM-dd', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'yyyy-MM-dd', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'yyyy-MM-dd', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'yyyy-MM-dd', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'yyyy-MM-dd', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'O', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'O', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'O', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'O', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'O', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'R', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'R', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'R', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'R', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'R', 'ja-JP') AS e;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'u', 'iv') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'u', 'en-US') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'u', 'de-DE') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'u', 'fr-FR') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'u', 'ja-JP') AS e;
GO
-- One way to write a culture's name is as good as another.
SELECT FORMAT(1234.5, 'N', 'de') AS a, FORMAT(1234.5, 'N', 'DE-de') AS b, FORMAT(1234.5, 'N', 'de_DE') AS c, FORMAT(1234.5, 'N', N'en-' + N'US') AS d, FORMAT(1234.5, 'N', 'de-CH') AS e;
GO
-- Months beside a day have another form in some languages: https://cldr.unicode.org/translation/date-time/date-time-patterns
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd MMMM yyyy', 'ru-RU') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'MMMM yyyy', 'ru-RU') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd MMMM', 'pl-PL') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'MMMM', 'pl-PL') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'd. MMMM', 'cs-CZ') AS e, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), '"d" MMMM', 'pl-PL') AS f;
GO
SELECT FORMAT(1234.5, 'C', 'pl-PL') AS a, FORMAT(1234.5, 'C', 'ru-RU') AS b, FORMAT(1234.5, 'N', 'cs-CZ') AS c, FORMAT(0.5, 'P1', 'pl-PL') AS d, FORMAT(0.5, 'P1', 'en-GB') AS e, FORMAT(0.5, 'P0', 'tr-TR') AS f;
GO
-- Digits, letters and lengths of numbers.
SELECT FORMAT(1234, 'C0') AS a, FORMAT(-1234, 'D10') AS b, FORMAT(1234, 'e2') AS c, FORMAT(CAST(-1234.5678 AS decimal(10, 4)), 'G5') AS d, FORMAT(1234, 'P') AS e, FORMAT(CAST(0.1 AS float), 'R') AS f, FORMAT(1234, 'R') AS g, FORMAT(1234, 'Q') AS h, FORMAT(1.5, 'X') AS i;
GO
SELECT FORMAT(CAST(-32768 AS smallint), 'X') AS a, FORMAT(-2147483648, 'X') AS b, FORMAT(CAST(-9223372036854775808 AS bigint), 'X') AS c, FORMAT(CAST(255 AS tinyint), 'X') AS d, FORMAT(1234, 'N100') AS e, FORMAT(1234, '') AS f, FORMAT(-1234, ' ') + '.' AS g;
GO
SELECT FORMAT(1234567.891, '#,##0.00') AS a, FORMAT(-1234567.891, '0000000000') AS b, FORMAT(1234567.891, '#,##0,') AS c, FORMAT(1234567.891, '0,,.0') AS d, FORMAT(-1234567.891, '0.00;(0.00);zero') AS e, FORMAT(0, '0.00;(0.00);zero') AS f, FORMAT(-1.0, '0.0;neg') AS g, FORMAT(1234567.891, '0.0e+00') AS h, FORMAT(1234567.891, '0.0‰') AS i, FORMAT(0, '#') + '.' AS j;
GO
SELECT FORMAT(CAST(1.5 AS decimal(10, 5)), 'G') AS a, FORMAT(CAST(79228162514264337593543950336 AS decimal(38, 0)), 'G') AS b, FORMAT(CAST(1 AS money), 'G') AS c, FORMAT(CAST(123456789012345678901.5 AS float), 'G') AS d, FORMAT(CAST(0.1 AS real), 'G') AS e, FORMAT(CAST(-0.0 AS float), 'G') AS f;
GO
-- Spans and offsets.
SELECT FORMAT(CAST('14:07:09.1234567' AS time), 'c') AS a, FORMAT(CAST('14:07:09.1234567' AS time), 'g') AS b, FORMAT(CAST('14:07:09.1234567' AS time), 'g', 'de-DE') AS c, FORMAT(CAST('14:07:09.1234567' AS time), 'G') AS d, FORMAT(CAST('14:07:09.1234567' AS time), 'hh\:mm\:ss') AS e, FORMAT(CAST('14:07:09.1234567' AS time), 'fffffff') AS f, FORMAT(CAST('14:07:09.1234567' AS time), 'HH\:mm') AS g, FORMAT(CAST('14:07:09.1234567' AS time), 'D') AS h, FORMAT(CAST('00:00' AS time(0)), 'g') AS i, FORMAT(CAST('00:00' AS time(0)), 'G') AS j;
GO
SELECT FORMAT(CAST('2024-03-05 14:07:09.1234567 -05:30' AS datetimeoffset), 'O') AS a, FORMAT(CAST('2024-03-05 14:07:09.1234567 -05:30' AS datetimeoffset), 'R') AS b, FORMAT(CAST('2024-03-05 14:07:09.1234567 -05:30' AS datetimeoffset), 's') AS c, FORMAT(CAST('2024-03-05 14:07:09.1234567 -05:30' AS datetimeoffset), 'U') AS d, FORMAT(CAST('2024-03-05 14:07:09.1234567 -05:30' AS datetimeoffset), 'zzz') AS e, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'gg yyyy') AS f, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'K') AS g, FORMAT(CAST('2024-03-05 14:07:09.1234567' AS datetime2), 'z') AS h;
GO
-- A format that is NULL is none; a culture that is NULL is an error, also where the value is NULL.
SELECT FORMAT(CAST(1234.5 AS decimal(10, 2)), CAST(NULL AS nvarchar(5)), 'de-DE') AS a, FORMAT(CAST(NULL AS int), 'N') AS b, FORMAT(CAST('2024-03-05' AS date), CAST(NULL AS nvarchar(5)), 'ja-JP') AS c;
GO
SELECT FORMAT(1, 'N', CAST(NULL AS nvarchar(5))) AS a;
GO
SELECT FORMAT(1, 'N', '') AS a;
GO
SELECT FORMAT(CAST(NULL AS int), 'N', 'Klingon') AS a;
GO
SELECT FORMAT(1, 'N', 'en-US ') AS a;
GO
SELECT FORMAT(0x01, 'N') AS a;
GO
SELECT FORMAT(1) AS a;
GO
-- A well-formed name of no language is the invariant culture; what is no name, and what has a culture that is not here, is an error.
SELECT FORMAT(1234.5, 'C', 'xx-XX') AS a, FORMAT(1, 'N', 'zz') AS b, FORMAT(CAST('2024-03-05' AS date), 'D', 'xx-XX') AS c;
GO
SELECT FORMAT(1, 'N', 'en-USA') AS a;
GO
SELECT FORMAT(1, 'N', '1031') AS a;
GO
