-- CTEs, recursive ones, set operations, PIVOT. https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql
CREATE TABLE c (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, PRIMARY KEY (oid, n));
CREATE INDEX ix_o_cid ON o (cid);
INSERT c VALUES (1,'ann',N'Oslo'),(2,'bob',N'Rome'),(3,'cid',NULL),(4,'dee',N'Oslo');
INSERT o VALUES (10,1,10.50,'2024-01-01'),(11,1,20.25,'2024-01-05'),(12,2,5.00,'2024-02-01'),(13,NULL,7.75,'2024-02-03'),(14,9,1.00,'2024-03-01');
INSERT l VALUES (10,1,5),(10,2,NULL),(11,1,2),(12,1,7),(12,2,3);
GO
WITH a AS (SELECT cid, SUM(amt) AS s FROM o GROUP BY cid), b AS (SELECT * FROM a WHERE s > 2) SELECT c.name, b.s FROM b JOIN c ON c.id = b.cid ORDER BY 1;
WITH a (x, y) AS (SELECT id, name FROM c) SELECT a1.x, a2.y FROM a a1 JOIN a a2 ON a1.x = a2.x - 1 ORDER BY 1;
WITH tree AS (SELECT id, CAST(NULL AS int) AS p, 0 AS lvl FROM c WHERE id = 1 UNION ALL SELECT c.id, t.id, t.lvl + 1 FROM c JOIN tree t ON c.id = t.id + 1) SELECT * FROM tree ORDER BY id;
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT COUNT(*) AS c, SUM(i) AS s FROM n OPTION (MAXRECURSION 200);
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT MAX(i) AS m FROM n OPTION (MAXRECURSION 0);
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT 'x' + i FROM n) SELECT * FROM n;
GO
WITH n AS (SELECT 'a' AS i UNION ALL SELECT i + 'a' FROM n WHERE LEN(i) < 3) SELECT * FROM n;
GO
WITH n AS (SELECT CAST('a' AS varchar(10)) AS i UNION ALL SELECT CAST(i + 'a' AS varchar(10)) FROM n WHERE LEN(i) < 3) SELECT * FROM n;
GO
SELECT id FROM c UNION ALL SELECT id FROM o EXCEPT SELECT 1 ORDER BY id;
SELECT city FROM c INTERSECT SELECT N'Oslo';
SELECT city FROM c EXCEPT SELECT N'Oslo' ORDER BY city;
SELECT 1 AS a UNION SELECT 2.5 UNION ALL SELECT NULL ORDER BY a;
SELECT 'a' AS x UNION ALL SELECT 1;
GO
SELECT name, [Oslo], [Rome] FROM (SELECT name, city, id FROM c) s PIVOT (SUM(id) FOR city IN ([Oslo],[Rome])) p ORDER BY name;
SELECT id, k, v FROM (SELECT id, CAST(name AS nvarchar(20)) AS name, city FROM c) s UNPIVOT (v FOR k IN (name, city)) u ORDER BY id, k;
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT * FROM n OPTION (MAXRECURSION 2);
GO
WITH n AS (SELECT i FROM n) SELECT * FROM n;
GO
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1, 2 FROM n) SELECT * FROM n;
GO
SELECT 1 UNION SELECT 1, 2;
GO
SELECT * FROM c OPTION (MAXRECURSION 40000);
