-- Joins, APPLY, subqueries. https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql
CREATE TABLE c (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, PRIMARY KEY (oid, n));
CREATE INDEX ix_o_cid ON o (cid);
INSERT c VALUES (1,'ann',N'Oslo'),(2,'bob',N'Rome'),(3,'cid',NULL),(4,'dee',N'Oslo');
INSERT o VALUES (10,1,10.50,'2024-01-01'),(11,1,20.25,'2024-01-05'),(12,2,5.00,'2024-02-01'),(13,NULL,7.75,'2024-02-03'),(14,9,1.00,'2024-03-01');
INSERT l VALUES (10,1,5),(10,2,NULL),(11,1,2),(12,1,7),(12,2,3);
GO
SELECT c.name, o.id FROM c JOIN o ON o.cid = c.id ORDER BY o.id;
SELECT c.name, o.id FROM c LEFT JOIN o ON o.cid = c.id ORDER BY c.id, o.id;
SELECT c.name, o.id FROM c RIGHT JOIN o ON o.cid = c.id ORDER BY o.id;
SELECT c.name, o.id FROM c FULL JOIN o ON o.cid = c.id ORDER BY c.id, o.id;
SELECT COUNT(*) AS n FROM c CROSS JOIN o;
SELECT c.name, COUNT(o.id) AS n, SUM(o.amt) AS s, AVG(o.amt) AS a FROM c LEFT JOIN o ON o.cid = c.id GROUP BY c.name ORDER BY c.name;
SELECT c.name, o.id, l.n FROM c LEFT JOIN (o JOIN l ON l.oid = o.id) ON o.cid = c.id ORDER BY 1,2,3;
SELECT c.name, o.id FROM c LEFT JOIN o ON o.cid = c.id AND o.amt > 15 WHERE c.city IS NOT NULL ORDER BY 1;
SELECT c.name FROM c LEFT JOIN o ON o.cid = c.id WHERE o.id IS NULL ORDER BY 1;
SELECT c.name, x.id, x.amt FROM c CROSS APPLY (SELECT TOP 1 o.id, o.amt FROM o WHERE o.cid = c.id ORDER BY o.amt DESC) x ORDER BY 1;
SELECT c.name, x.n FROM c OUTER APPLY (SELECT COUNT(*) AS n FROM o WHERE o.cid = c.id) x ORDER BY 1;
SELECT c.name, v.k FROM c CROSS APPLY (VALUES (c.id), (c.id * 10)) v(k) ORDER BY 1, 2;
SELECT name, (SELECT MAX(amt) FROM o WHERE o.cid = c.id) AS m FROM c ORDER BY 1;
SELECT name, (SELECT COUNT(*) FROM o WHERE o.cid = c.id) AS n FROM c ORDER BY 1;
SELECT name FROM c WHERE EXISTS (SELECT * FROM o WHERE o.cid = c.id AND EXISTS (SELECT 1 FROM l WHERE l.oid = o.id AND l.qty > 5));
SELECT name FROM c WHERE NOT EXISTS (SELECT * FROM o WHERE o.cid = c.id) ORDER BY 1;
SELECT name FROM c WHERE id IN (SELECT cid FROM o) ORDER BY 1;
SELECT name FROM c WHERE id NOT IN (SELECT cid FROM o) ORDER BY 1;
SELECT name FROM c WHERE id NOT IN (SELECT cid FROM o WHERE cid IS NOT NULL) ORDER BY 1;
SELECT name FROM c WHERE id = ANY (SELECT cid FROM o WHERE amt > 6) ORDER BY 1;
SELECT name FROM c WHERE id >= ALL (SELECT cid FROM o WHERE cid < 5) ORDER BY 1;
SELECT name FROM c WHERE id > SOME (SELECT cid FROM o WHERE cid < 5) ORDER BY 1;
SELECT name FROM c WHERE EXISTS (SELECT 1 FROM o WHERE o.cid = c.id) OR city = N'Oslo' ORDER BY 1;
SELECT CASE WHEN EXISTS (SELECT 1 FROM o WHERE cid = 1) THEN 'y' ELSE 'n' END AS e, CASE WHEN 5 IN (SELECT id FROM c) THEN 'y' ELSE 'n' END AS i;
GO
-- Rows of one key come in the order of their table, from a hash table too.
CREATE TABLE dbo.role (id int NOT NULL PRIMARY KEY, title varchar(10))
CREATE TABLE dbo.member (id int NOT NULL PRIMARY KEY, role int, name varchar(10))
INSERT dbo.role VALUES (1, 'a'), (2, 'b')
INSERT dbo.member VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 1, 'three'), (4, NULL, 'four'), (5, 1, 'five')
SELECT r.id, m.id AS member FROM dbo.role r LEFT HASH JOIN dbo.member m ON m.role = r.id AND m.name <> 'three'
SELECT r.title, m.id AS member FROM dbo.role r INNER HASH JOIN dbo.member m ON m.role = r.id
