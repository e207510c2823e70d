-- CONCAT_WS and TRANSLATE at their edges: NULLs, blanks, lengths, other types, collations. The values are SQL Server 2025's.
-- https://learn.microsoft.com/sql/t-sql/functions/concat-ws-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/translate-transact-sql
SELECT CONCAT_WS(',', 'a', NULL, 'b') AS a, CONCAT_WS(NULL, 'a', 'b') AS b, '[' + CONCAT_WS(',', NULL, NULL) + ']' AS c, CONCAT_WS(',', 'a', '', 'b', '') AS d, CONCAT_WS(0, 'a', 'b') AS e, CONCAT_WS('|', CAST('a' AS char(3)), 'b ') + '.' AS f;
GO
SELECT CONCAT_WS('|', CAST(1.5 AS decimal(8, 2)), CAST(1.5 AS float), CAST(2.5 AS money), CAST(1 AS bit)) AS a, CONCAT_WS(' ', CAST('2024-01-02' AS date), CAST('2024-01-02 03:04' AS smalldatetime)) AS b, CONCAT_WS('x', 0x4142, 1) AS c;
GO
SELECT LEN(CONCAT_WS('', REPLICATE('a', 5000), REPLICATE('b', 5000))) AS a, LEN(CONCAT_WS(N'', REPLICATE(N'a', 3000), REPLICATE(N'b', 3000))) AS b, LEN(CONCAT_WS('', CAST(REPLICATE('a', 5000) AS varchar(max)), REPLICATE('b', 5001))) AS c;
GO
SELECT CONCAT_WS(',', 'a') AS a;
GO
SELECT CONCAT_WS(',', 'a', CAST(1 AS sql_variant)) AS a;
GO
SELECT TRANSLATE('abc', 'ab', 'bc') AS a, TRANSLATE('aab', 'aa', 'xy') AS b, TRANSLATE('abc', '', '') AS c, TRANSLATE('ABCabc', 'abc', 'xyz') AS d, TRANSLATE(N'eéE', N'e', N'x') AS e, TRANSLATE('ABCabc' COLLATE Latin1_General_100_BIN2, 'abc', 'xyz') AS f;
GO
SELECT TRANSLATE('abc', 'ab', 'x') AS a;
GO
SELECT TRANSLATE('abc', 'a ', 'x') AS a;
GO
SELECT TRANSLATE('abc', 'a') AS a;
GO
