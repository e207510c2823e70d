-- Views and functions in queries, variables, FOR JSON in subqueries. https://learn.microsoft.com/sql/t-sql/statements/create-view-transact-sql
CREATE TABLE c (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, PRIMARY KEY (oid, n));
CREATE INDEX ix_o_cid ON o (cid);
INSERT c VALUES (1,'ann',N'Oslo'),(2,'bob',N'Rome'),(3,'cid',NULL),(4,'dee',N'Oslo');
INSERT o VALUES (10,1,10.50,'2024-01-01'),(11,1,20.25,'2024-01-05'),(12,2,5.00,'2024-02-01'),(13,NULL,7.75,'2024-02-03'),(14,9,1.00,'2024-03-01');
INSERT l VALUES (10,1,5),(10,2,NULL),(11,1,2),(12,1,7),(12,2,3);
GO
CREATE VIEW v AS SELECT c.id, c.name, o.amt FROM c JOIN o ON o.cid = c.id;
GO
SELECT name, SUM(amt) AS s FROM v GROUP BY name ORDER BY name;
SELECT * FROM v WHERE id = 2;
GO
CREATE FUNCTION f(@x int) RETURNS TABLE AS RETURN SELECT id, amt FROM o WHERE cid = @x;
GO
CREATE FUNCTION g(@x int) RETURNS int AS BEGIN RETURN (SELECT COUNT(*) FROM o WHERE cid = @x) END;
GO
CREATE FUNCTION m(@x int) RETURNS @t TABLE (a int, b int) AS BEGIN INSERT @t SELECT id, @x FROM o WHERE cid = @x; RETURN END;
GO
SELECT c.name, f.id FROM c CROSS APPLY f(c.id) f ORDER BY f.id;
SELECT name, dbo.g(id) AS n FROM c ORDER BY name;
SELECT c.name, m.a, m.b FROM c CROSS APPLY dbo.m(c.id) m ORDER BY m.a;
SELECT * FROM dbo.m(1);
GO
SELECT a.id FROM c a, c b, o WHERE a.id = b.id AND o.cid = b.id AND a.name LIKE 'a%' ORDER BY o.id;
SELECT * FROM (SELECT TOP 2 id FROM c ORDER BY id DESC) x ORDER BY id;
SELECT x.*, y.b FROM (SELECT 1 AS a) x CROSS JOIN (SELECT 2 AS b) y;
SELECT id % 2 AS p, STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name DESC) AS s FROM c GROUP BY id % 2 ORDER BY p;
SELECT (SELECT o.id, o.amt FROM o WHERE o.cid = c.id FOR JSON PATH) AS j FROM c ORDER BY c.id;
SELECT c.id, (SELECT o.id FROM o WHERE o.cid = c.id FOR JSON PATH) AS kids FROM c FOR JSON PATH;
DECLARE @x int = 2, @s varchar(10) = 'ann'; SELECT name FROM c WHERE id = @x; SELECT id FROM c WHERE name = @s; SELECT TOP (@x) id FROM c ORDER BY id;
DECLARE @r varchar(100) = ''; SELECT @r = @r + name + ',' FROM c ORDER BY id; SELECT @r AS r;
