-- Shapes of plans: seeks, join methods, aggregates, orders. https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference
CREATE TABLE c (id int NOT NULL CONSTRAINT pk_c PRIMARY KEY, name varchar(20) NOT NULL, city nvarchar(20) NULL);
CREATE TABLE o (id int NOT NULL CONSTRAINT pk_o PRIMARY KEY, cid int NULL, amt decimal(10,2) NOT NULL, d date NOT NULL);
CREATE INDEX ix_o_cid ON o (cid);
CREATE TABLE l (oid int NOT NULL, n int NOT NULL, qty smallint NULL, CONSTRAINT pk_l PRIMARY KEY (oid, n));
GO
INSERT o SELECT value, value % 1000, value * 1.5, '2024-01-01' FROM GENERATE_SERIES(1, 20000);
INSERT c SELECT value, 'n', NULL FROM GENERATE_SERIES(1, 1000);
INSERT l SELECT value, 1, value % 7 FROM GENERATE_SERIES(1, 20000);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT * FROM c WHERE id = 5;
GO
DECLARE @x int = 5; SELECT * FROM c WHERE id = @x;
GO
DECLARE @x bigint = 5; SELECT * FROM c WHERE id = @x;
GO
DECLARE @x varchar(10) = '5'; SELECT * FROM c WHERE id = @x;
GO
SELECT * FROM c WHERE id > 5 AND id <= 10;
GO
SELECT * FROM c WHERE id IN (1,2,3);
GO
SELECT * FROM c WHERE id BETWEEN 3 AND 4;
GO
SELECT amt FROM o WHERE cid = 7;
GO
SELECT cid FROM o WHERE cid >= 7;
GO
SELECT * FROM l WHERE oid = 3 AND n > 0;
GO
SELECT * FROM l WHERE n = 3;
GO
SELECT c.name, o.amt FROM c JOIN o ON o.cid = c.id;
GO
SELECT c.name, o.amt FROM c JOIN o ON o.cid = c.id WHERE c.id = 3;
GO
SELECT o.id, l.qty FROM o JOIN l ON l.oid = o.id;
GO
SELECT o.id, l.qty FROM o JOIN l ON l.oid = o.id WHERE o.id = 4;
GO
SELECT cid, COUNT(*) FROM o GROUP BY cid;
GO
SELECT oid, COUNT(*) FROM l GROUP BY oid;
GO
SELECT COUNT(*) FROM o;
GO
SELECT TOP 5 * FROM o ORDER BY id DESC;
GO
SELECT TOP 5 * FROM o ORDER BY amt;
GO
SELECT MAX(id), MIN(id) FROM o;
GO
SELECT name FROM c WHERE EXISTS (SELECT 1 FROM o WHERE o.cid = c.id);
GO
SELECT name FROM c WHERE id NOT IN (SELECT id FROM o);
GO
SELECT name, (SELECT COUNT(*) FROM o WHERE o.cid = c.id) FROM c;
GO
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM o;
GO
SELECT * FROM o WHERE id = 5 OR id = 7;
GO
SELECT * FROM o WHERE d = '2024-01-01' AND cid = 3;
GO
SELECT MIN(cid) FROM o;
GO
SELECT MAX(n) FROM l WHERE oid = 4;
GO
SELECT MAX(amt) FROM o;
GO
SELECT MAX(id) FROM o WHERE cid = 3;
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT MAX(id) a FROM o; SELECT MIN(cid) a FROM o; SELECT MAX(cid) a FROM o; SELECT MAX(n) a FROM l WHERE oid = 4; SELECT MAX(id) a FROM o WHERE cid=3; SELECT MIN(id) a FROM o WHERE id > 500; SELECT MAX(id) a FROM o WHERE id > 50000;
SELECT COUNT(*) a FROM c JOIN o ON o.cid = c.id; SELECT COUNT(*) FROM o JOIN l ON l.oid = o.id WHERE o.id = 4;
