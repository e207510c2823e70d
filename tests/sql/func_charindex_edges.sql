-- CHARINDEX and PATINDEX at their edges: starts, blanks, classes, collations, arguments of other types. The values are SQL Server 2025's.
-- https://learn.microsoft.com/sql/t-sql/functions/charindex-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/patindex-transact-sql
SELECT CHARINDEX(NULL, 'a') AS a, CHARINDEX('a', NULL) AS b, CHARINDEX('a', 'a', NULL) AS c, CHARINDEX('', 'abc') AS d, CHARINDEX('', 'abc', 2) AS e, CHARINDEX('a', '') AS f;
GO
SELECT CHARINDEX('b', 'abcb', 0) AS a, CHARINDEX('b', 'abcb', -5) AS b, CHARINDEX('b', 'abcb', 3) AS c, CHARINDEX('b', 'abcb', 2147483647) AS d, CHARINDEX('b', 'abcb', 2.9) AS e, CHARINDEX('b', 'abcb', CAST(3 AS bigint)) AS f, CHARINDEX('b', 'abcb', CAST(3 AS tinyint)) AS g;
GO
SELECT CHARINDEX('a ', 'a') AS a, CHARINDEX(N'a ', N'a') AS b, CHARINDEX(' ', CAST('ab' AS char(10))) AS c, CHARINDEX('3', 12345) AS d, CHARINDEX('.', 12.50) AS e, CHARINDEX(0x62, 0x616263) AS f, CHARINDEX('2024', CAST('2024-01-02' AS datetime)) AS g;
GO
SELECT CHARINDEX('b', REPLICATE(CAST('a' AS varchar(max)), 9000) + 'b') AS a, CHARINDEX(N'b', REPLICATE(CAST(N'a' AS nvarchar(max)), 5000) + N'b') AS b, CHARINDEX('a', CAST('a' AS varchar(max)), 3000000000) AS c, CHARINDEX('a', CAST('a' AS varchar(max)), -3000000000) AS d;
GO
SELECT CHARINDEX('a', 'a', CAST(1 AS money)) AS a;
GO
SELECT CHARINDEX('a', 'a', CAST(1 AS bit)) AS a;
GO
SELECT CHARINDEX('a', 'a', '2') AS a;
GO
SELECT CHARINDEX('a', 'a', CAST('2024-01-02' AS date)) AS a;
GO
SELECT CHARINDEX(1, '1') AS a;
GO
SELECT CHARINDEX('a') AS a;
GO
SELECT PATINDEX('abc', 'abc') AS a, PATINDEX('b', 'abc') AS b, PATINDEX('a%', 'abc') AS c, PATINDEX('%c', 'abc') AS d, PATINDEX('%b', 'abc') AS e, PATINDEX('%', '') AS f, PATINDEX('', 'a') AS g, PATINDEX('', '') AS h, PATINDEX('a', '') AS i, PATINDEX(NULL, 'a') AS j, PATINDEX('a', CAST(NULL AS varchar(5))) AS k;
GO
SELECT PATINDEX('%b_d%', 'abcd') AS a, PATINDEX('%b%d%', 'abcd') AS b, PATINDEX('%[c-e]%', 'abcd') AS c, PATINDEX('%[^a-c]%', 'abcd') AS d, PATINDEX('%[%]%', 'ab%') AS e, PATINDEX('%[_]%', 'a_') AS f, PATINDEX('%[[]%', 'a[') AS g, PATINDEX('%]%', 'ab]') AS h, PATINDEX('%[a^]%', 'b^') AS i, PATINDEX('%[-a]%', 'b-') AS j, PATINDEX('%[a-]%', 'b-') AS k;
GO
SELECT PATINDEX('%[]]%', ']') AS a, PATINDEX('%[]%', 'a') AS b, PATINDEX('%[z-a]%', 'b') AS c, PATINDEX('%[a', 'a') AS d;
GO
SELECT PATINDEX('%[A-C]%', 'xb' COLLATE Latin1_General_CS_AS) AS a, PATINDEX('%[A-C]%', 'xbB' COLLATE Latin1_General_BIN2) AS b, PATINDEX('%[a-f]%', 'xé') AS c, PATINDEX('%[a-f]%', 'xé' COLLATE Latin1_General_BIN2) AS d, PATINDEX('%[a-c]%', 'xB' COLLATE SQL_Latin1_General_CP1_CS_AS) AS e;
GO
SELECT PATINDEX('%a%', NULL) AS a;
GO
SELECT PATINDEX('%1%', 1) AS a;
GO
SELECT PATINDEX('%a%') AS a;
GO
