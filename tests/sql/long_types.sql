-- text, ntext and image: what takes them, and the numbers of what does not; what checksums are made of.
-- https://learn.microsoft.com/sql/t-sql/data-types/ntext-text-and-image-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/checksum-transact-sql, binary-checksum-transact-sql
CREATE TABLE l (id int, t text, n ntext, i image);
INSERT l VALUES (1, 'abc', N'abc', 0x616263);
GO
SELECT DATALENGTH(t) AS a, DATALENGTH(n) AS b, DATALENGTH(i) AS c, SUBSTRING(t, 2, 2) AS d, SUBSTRING(i, 1, 1) AS e, CHARINDEX('c', t) AS f, PATINDEX('%b%', n) AS g FROM l;
SELECT CONCAT(t, '-', n) AS a, QUOTENAME(t) AS b, CONVERT(varchar(2), t) AS c, CAST(i AS varbinary(2)) AS d, CASE WHEN t LIKE 'a%' AND n IS NOT NULL THEN 1 END AS e FROM l;
SELECT t FROM l UNION ALL SELECT 'x';
GO
SELECT 1 FROM l WHERE t = 'a';
GO
SELECT 1 FROM l WHERE n IN ('a');
GO
SELECT t + 'a' FROM l;
GO
SELECT 1 FROM l WHERE i LIKE 'a%';
GO
SELECT 1 FROM l ORDER BY t;
GO
SELECT 1 FROM l GROUP BY n;
GO
SELECT DISTINCT i FROM l;
GO
SELECT t FROM l UNION SELECT 'a';
GO
SELECT MIN(t) FROM l;
GO
SELECT COUNT(n) FROM l;
GO
SELECT COUNT(DISTINCT t) FROM l;
GO
DECLARE @v text;
GO
CREATE TABLE k (t text PRIMARY KEY);
GO
CREATE INDEX i ON l (n);
GO
SELECT i COLLATE Latin1_General_BIN FROM l;
GO
SELECT LEN(t) FROM l;
GO
SELECT UPPER(n) FROM l;
GO
SELECT TRIM(t) FROM l;
GO
SELECT REPLACE(t, 'a', 'b') FROM l;
GO
SELECT STUFF(t, 1, 1, 'x') FROM l;
GO
SELECT LEFT(n, 1) FROM l;
GO
SELECT COMPRESS(t) FROM l;
GO
SELECT STRING_AGG(t, ',') FROM l;
GO
SELECT HASHBYTES('MD5', t) FROM l;
GO
SELECT CHECKSUM(t) FROM l;
GO
SELECT GREATEST(t, 'a') FROM l;
GO
SELECT BINARY_CHECKSUM(t) FROM l;
GO
SELECT CHARINDEX('a', i) FROM l;
GO
SELECT CONCAT(i, 'a') FROM l;
GO
SELECT CAST(t AS int) FROM l;
GO
SELECT CAST(i AS varchar(10)) FROM l;
GO
INSERT l (id, t) VALUES (2, 5);
GO
SELECT CHECKSUM(5) AS a, CHECKSUM(CAST(-1 AS smallint)) AS b, CHECKSUM(CAST(4294967297 AS bigint)) AS c, CHECKSUM(CAST(NULL AS int)) AS d, CHECKSUM(1, 2) AS e, CHECKSUM(CAST('1900-01-02' AS date)) AS f, CHECKSUM(CAST(1 AS float)) AS g;
SELECT CHECKSUM(CAST('1900-01-01 00:01' AS smalldatetime)) AS a, CHECKSUM(CAST('1900-01-02 00:01' AS smalldatetime)) AS b, BINARY_CHECKSUM('ab') AS c, BINARY_CHECKSUM('ab  ') AS d, BINARY_CHECKSUM(0x0102) AS e, BINARY_CHECKSUM(0x010200) AS f, BINARY_CHECKSUM(NULL, 1) AS g;
SELECT CHECKSUM(CAST(0 AS float)) AS a, CHECKSUM(-CAST(0 AS float)) AS b, CHECKSUM(CAST('2024-01-02T00:00:00+05:00' AS datetimeoffset)) - CHECKSUM(CAST('2024-01-01T19:00:00+00:00' AS datetimeoffset)) AS c, CHECKSUM(CAST(1 AS money)) AS d, CHECKSUM(CAST(1 AS smallmoney)) AS e;
GO
SELECT CHECKSUM(NULL);
GO
