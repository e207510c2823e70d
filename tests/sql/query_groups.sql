-- Aggregates, grouping sets, window functions. https://learn.microsoft.com/sql/t-sql/queries/select-group-by-transact-sql
CREATE TABLE c (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, PRIMARY KEY (oid, n));
CREATE INDEX ix_o_cid ON o (cid);
INSERT c VALUES (1,'ann',N'Oslo'),(2,'bob',N'Rome'),(3,'cid',NULL),(4,'dee',N'Oslo');
INSERT o VALUES (10,1,10.50,'2024-01-01'),(11,1,20.25,'2024-01-05'),(12,2,5.00,'2024-02-01'),(13,NULL,7.75,'2024-02-03'),(14,9,1.00,'2024-03-01');
INSERT l VALUES (10,1,5),(10,2,NULL),(11,1,2),(12,1,7),(12,2,3);
GO
SELECT city, COUNT(*) AS n FROM c GROUP BY city HAVING COUNT(*) > 1;
SELECT COUNT(*) AS n, COUNT(city) AS k, COUNT(DISTINCT city) AS d, MIN(name) AS mi, MAX(name) AS ma FROM c HAVING COUNT(*) > 0;
SELECT SUM(amt) AS s, AVG(amt) AS a, MIN(d) AS d, MAX(d) AS x, VAR(id) AS v, STDEV(id) AS sd, VARP(id) AS vp, COUNT_BIG(*) AS b, CHECKSUM_AGG(id) AS k FROM o;
SELECT SUM(amt) AS s, COUNT(*) AS n, AVG(id) AS a FROM o WHERE 1 = 0;
SELECT cid FROM o WHERE 1 = 0 GROUP BY cid;
SELECT YEAR(d) AS y, MONTH(d) AS m, SUM(amt) AS s FROM o GROUP BY YEAR(d), MONTH(d) ORDER BY 1, 2;
SELECT cid, YEAR(d) AS y, SUM(amt) AS s, GROUPING_ID(cid, YEAR(d)) AS g FROM o GROUP BY CUBE(cid, YEAR(d)) ORDER BY g, cid, y;
SELECT city, name, COUNT(*) AS n FROM c GROUP BY GROUPING SETS ((city), (name), ()) ORDER BY 1, 2;
SELECT city, COUNT(*) AS n FROM c GROUP BY city WITH ROLLUP ORDER BY 1;
SELECT AVG(qty) AS a, AVG(CAST(qty AS float)) AS f, SUM(DISTINCT qty) AS s FROM l;
SELECT o.id, SUM(amt) OVER (ORDER BY id) AS run, SUM(amt) OVER () AS tot, AVG(amt) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS mv, COUNT(*) OVER (PARTITION BY cid) AS n, MIN(amt) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS mn, MAX(amt) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS mx FROM o ORDER BY id;
SELECT id, PERCENT_RANK() OVER (ORDER BY amt) AS pr, CUME_DIST() OVER (ORDER BY amt) AS cd, FIRST_VALUE(id) OVER (ORDER BY amt) AS fv, LAST_VALUE(id) OVER (ORDER BY amt ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS lv, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY amt) OVER () AS pc, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY amt) OVER () AS pd FROM o ORDER BY id;
SELECT cid, SUM(amt) AS s, RANK() OVER (ORDER BY SUM(amt) DESC) AS r, SUM(SUM(amt)) OVER () AS t FROM o GROUP BY cid ORDER BY r;
