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
SELECT CHECKSUM(NULL);
GO
