-- TOP, OFFSET, DISTINCT, ORDER BY, predicates. https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql
CREATE TABLE c (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, PRIMARY KEY (oid, n));
CREATE INDEX ix_o_cid ON o (cid);
INSERT c VALUES (1,'ann',N'Oslo'),(2,'bob',N'Rome'),(3,'cid',NULL),(4,'dee',N'Oslo');
INSERT o VALUES (10,1,10.50,'2024-01-01'),(11,1,20.25,'2024-01-05'),(12,2,5.00,'2024-02-01'),(13,NULL,7.75,'2024-02-03'),(14,9,1.00,'2024-03-01');
INSERT l VALUES (10,1,5),(10,2,NULL),(11,1,2),(12,1,7),(12,2,3);
GO
SELECT TOP (2) id FROM o ORDER BY amt DESC;
SELECT TOP (1) WITH TIES city FROM c WHERE city IS NOT NULL ORDER BY city;
SELECT TOP (40) PERCENT id FROM o ORDER BY id;
SELECT TOP (0) id FROM o;
SELECT id FROM o ORDER BY id OFFSET 2 ROWS;
SELECT id FROM o ORDER BY id DESC OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY;
SELECT DISTINCT city FROM c ORDER BY city;
SELECT name AS n, city FROM c ORDER BY CASE WHEN city IS NULL THEN 1 ELSE 0 END, city DESC, n;
SELECT name + '!' AS n FROM c ORDER BY LEN(name), n DESC;
SELECT * FROM (SELECT TOP 2 id FROM c ORDER BY id DESC) x ORDER BY id;
SELECT id FROM o WHERE d BETWEEN '2024-01-02' AND '2024-02-02' ORDER BY id;
SELECT id FROM o WHERE cid = 1 AND amt > 15;
SELECT id FROM o WHERE cid IN (1,2) ORDER BY id;
SELECT id FROM o WHERE id > 11 AND id <= 13 ORDER BY id DESC;
SELECT * FROM l WHERE oid = 10 AND n >= 2;
SELECT * FROM l WHERE oid = 12 ORDER BY n DESC;
SELECT id FROM o WHERE cid = '1' ORDER BY id;
SELECT id FROM o WHERE id = 10.0;
SELECT id FROM o WHERE id = 10.5;
SELECT id FROM o WHERE cid = NULL;
SELECT id FROM o WHERE NOT (cid = 1) ORDER BY id;
SELECT id FROM o WHERE cid <> 1 OR cid IS NULL ORDER BY id;
GO
-- Two names of a derived table for one column may both be in an order.
SELECT a.x, a.y FROM (SELECT id AS x, id AS y FROM c) a ORDER BY x, y DESC;
GO
SELECT id AS x, id AS y FROM c ORDER BY 1, x;
GO
SELECT a.x FROM (SELECT id AS x FROM c) a ORDER BY x, a.x;
GO
-- Long values that begin alike: lists of keys have their beginning, and the rest decides. The order of comparison is another way to know it.
CREATE TABLE alike (id int NOT NULL CONSTRAINT pk_alike PRIMARY KEY, t varchar(400) COLLATE Latin1_General_CI_AS NULL, b varchar(400) COLLATE Latin1_General_BIN2 NULL, n nvarchar(400) COLLATE Latin1_General_CS_AS NULL, x varbinary(400) NULL);
INSERT alike SELECT v, CASE WHEN v % 50 = 0 THEN NULL ELSE p + CASE v % 3 WHEN 0 THEN 'A' WHEN 1 THEN 'a' ELSE CHAR(228) END + STR(v * 7919 % 1009, 5) END,
  p + CHAR(65 + v % 60) + STR(v * 7919 % 1009, 5), p + NCHAR(65 + v % 60) + STR(v * 7919 % 1009, 5), CAST(p + STR(v * 7919 % 1009, 5) AS varbinary(400))
  FROM (SELECT value AS v, REPLICATE(CASE value % 4 WHEN 0 THEN 'x' WHEN 1 THEN 'X' WHEN 2 THEN 'x-' ELSE 'xy ' END, 40 + value % 5 * 15) AS p FROM GENERATE_SERIES(1, 3000)) AS s;
GO
SELECT SUM(IIF(p > t, 1, 0)) AS wrong, COUNT(*) AS rows_read FROM (SELECT t, LAG(t) OVER (ORDER BY t, id) AS p FROM alike) AS o;
SELECT SUM(IIF(p < t, 1, 0)) AS wrong FROM (SELECT t, LAG(t) OVER (ORDER BY t DESC, id) AS p FROM alike) AS o;
SELECT SUM(IIF(p > b, 1, 0)) AS wrong FROM (SELECT b, LAG(b) OVER (ORDER BY b, id) AS p FROM alike) AS o;
SELECT SUM(IIF(p > n, 1, 0)) AS wrong FROM (SELECT n, LAG(n) OVER (ORDER BY n, id) AS p FROM alike) AS o;
SELECT SUM(IIF(p > x, 1, 0)) AS wrong FROM (SELECT x, LAG(x) OVER (ORDER BY x, id) AS p FROM alike) AS o;
SELECT SUM(IIF(p = t AND q > id, 1, 0)) AS wrong FROM (SELECT t, id, LAG(t) OVER (ORDER BY t, id) AS p, LAG(id) OVER (ORDER BY t, id) AS q FROM alike) AS o;
SELECT TOP (4) id, LEN(n) AS l FROM alike ORDER BY n DESC, id;
GO
DROP TABLE alike;
GO
