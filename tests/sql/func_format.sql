-- FORMAT: .NET's standard and custom patterns in the cultures that are known; NULL for what is no pattern, 9818 for what is no culture.
-- https://learn.microsoft.com/sql/t-sql/functions/format-transact-sql, and .NET's pages "Standard numeric format strings",
-- "Custom numeric format strings", "Standard date and time format strings", "Custom date and time format strings".
DECLARE @d date = '2020-11-22';
SELECT FORMAT(@d, 'd', 'en-US') us, FORMAT(@d, 'd', 'en-gb') gb, FORMAT(@d, 'd', 'de-de') de, FORMAT(@d, 'd', 'zh-cn') cn;
SELECT FORMAT(@d, 'D', 'en-US') us, FORMAT(@d, 'D', 'en-gb') gb, FORMAT(@d, 'D', 'de-de') de, FORMAT(@d, 'D', 'zh-cn') cn;
SELECT FORMAT(@d, 'dd/MM/yyyy', 'en-US') custom, FORMAT(123456789, '###-##-####') number;
GO
DECLARE @n decimal(10, 4) = 1.0002;
SELECT FORMAT(@n, 'N', 'en-us') n, FORMAT(@n, 'G', 'en-us') g, FORMAT(@n, 'C', 'en-us') c, FORMAT(@n, 'N', 'de-de') n, FORMAT(@n, 'G', 'de-de') g, FORMAT(@n, 'C', 'de-de') c;
SELECT FORMAT(123.456, 'C', 'en-US') us, FORMAT(123.456, 'C', 'fr-FR') fr, FORMAT(123.456, 'C', 'ja-JP') jp, FORMAT(-123.456, 'C3', 'en-US') us, FORMAT(-123.456, 'C3', 'fr-FR') fr, FORMAT(-123.456, 'C3', 'ja-JP') jp;
SELECT FORMAT(1234.56, 'C', 'en-us') us, FORMAT(1234.56, 'C', 'en-gb') gb, FORMAT(1234.56, 'C', 'nl-nl') nl, FORMAT(1, 'P') p, FORMAT(.375, 'P') p, FORMAT(.0375, 'P', 'tr-tr') tr;
SELECT FORMAT(1234, 'D') d, FORMAT(-1234, 'D6') d, FORMAT(1052.0329112756, 'E') e, FORMAT(-1052.0329112756, 'e2') e, FORMAT(1234.567, 'F') f, FORMAT(1234, 'F1') f, FORMAT(-1234.56, 'F4', 'de-DE') f, FORMAT(255, 'X') x, FORMAT(-1, 'x') x, FORMAT(255, 'x4') x, FORMAT(1234.567, 'N1', 'de-DE') n;
SELECT FORMAT(CAST(12345678901234567890123456.125 AS decimal(38, 3)), 'N2') exact, FORMAT(CAST(0.1 AS float), 'G') f, FORMAT(CAST(1e20 AS float), 'G') f, FORMAT(CAST(-0.001 AS float), 'N2') zero, FORMAT(CAST(1.5 AS money), 'C') m, FORMAT(1.5, 'D') whole_only, FORMAT(5, 'Z') none;
GO
SELECT FORMAT(1234.5678, '00000') a, FORMAT(0.45678, '0.00', 'fr-FR') b, FORMAT(1234.5678, '#####') c, FORMAT(0.45678, '#.##') d, FORMAT(2147483647, '##,#') e, FORMAT(2147483647, '#,#,,') f, FORMAT(0.3697, '%#0.00') g, FORMAT(0.3697, '##.0 %') h, FORMAT(987654, '#0.0e0') i, FORMAT(1503.92311, '0.0##e+00') j, FORMAT(68, '# ''degrees''') k;
SELECT FORMAT(12.345, '#0.0#;(#0.0#);-\0-') a, FORMAT(-12.345, '#0.0#;(#0.0#);-\0-') b, FORMAT(0, '#0.0#;(#0.0#);-\0-') c, FORMAT(-5, '0') d, FORMAT(0, '#') e, FORMAT(1234567, '#,##0.00', 'de-DE') f, FORMAT(5551234567, '(###) ###-####') g, FORMAT(0.2, '.00') h;
GO
DECLARE @t datetime2 = '2009-06-15T13:45:30.0617425';
SELECT FORMAT(@t, 't', 'en-US') a, FORMAT(@t, 'T', 'de-DE') b, FORMAT(@t, 'g', 'en-US') c, FORMAT(@t, 'G', 'fr-FR') d, FORMAT(@t, 'f', 'en-US') e, FORMAT(@t, 'F', 'sv-SE') f, FORMAT(@t, 'm', 'da-DK') g, FORMAT(@t, 'y', 'en-US') h;
SELECT FORMAT(@t, 'o') a, FORMAT(@t, 's', 'de-DE') b, FORMAT(@t, 'u') c, FORMAT(@t, 'r', 'fr-FR') d, FORMAT(@t, 'ddd, dd MMM yy', 'fr-FR') e, FORMAT(@t, 'dddd d MMMM', 'es-ES') f, FORMAT(@t, 'hh:mm:ss.fff tt') g, FORMAT(@t, 'HH:mm:ss.FFFFFFF') h, FORMAT(@t, '%d') i, FORMAT(@t, '%h') j, FORMAT(@t, 'MM/yyyy', 'de-DE') k, FORMAT(@t, 'Q') none;
SELECT FORMAT(CAST('2009-06-15 13:45 +02:00' AS datetimeoffset(0)), 'yyyy-MM-dd HH:mm zzz') a, FORMAT(CAST('2009-06-15 13:45 +02:00' AS datetimeoffset(0)), 'u') b;
-- A time is a span: what is no letter of one is to be escaped.
SELECT FORMAT(CAST('07:35' AS time), N'hh.mm') a, FORMAT(CAST('07:35' AS time), N'hh:mm') b, FORMAT(CAST('07:35' AS time), N'hh\.mm') c, FORMAT(CAST('07:35' AS time), N'hh\:mm') d, FORMAT(CAST('07:35:01.5' AS time), 'c') e;
GO
SET LANGUAGE German;
SELECT FORMAT(1234.5, 'N') n, FORMAT(CAST('2020-03-05' AS date), 'D') d;
SET LANGUAGE us_english;
GO
SELECT FORMAT(1, 'N', 'xx-YY');
GO
SELECT FORMAT('1', 'N');
GO
SELECT FORMAT(CAST(1 AS bit), 'N');
GO
SELECT FORMAT(1, 'N', NULL) a, FORMAT(NULL, 'N') b, FORMAT(1, NULL) c;
GO
