-- IN and EXISTS of a query of one row without a table: what it computes is compared for each row.
-- https://learn.microsoft.com/sql/t-sql/language-elements/in-transact-sql
CREATE TABLE t (id int PRIMARY KEY, v int)
INSERT t VALUES (1, 2), (2, 2), (3, NULL)
GO
SELECT id FROM t WHERE id IN (SELECT 1)
SELECT id FROM t WHERE v IN (SELECT 2) ORDER BY id
SELECT id FROM t WHERE id NOT IN (SELECT 1) ORDER BY id
DECLARE @x int = 3
SELECT id FROM t WHERE id IN (SELECT @x)
SELECT id FROM t WHERE v IN (SELECT t.id)
SELECT id FROM t WHERE id = ANY (SELECT b + 1 FROM (SELECT a + 1 AS b FROM (SELECT 0 AS a) i) j)
SELECT id FROM t WHERE EXISTS (SELECT * FROM (SELECT 1 AS a) d WHERE d.a = t.id)
SELECT id FROM t WHERE id IN (SELECT (SELECT MAX(id) FROM t))
SELECT COUNT(*) AS made FROM t WHERE EXISTS (SELECT * FROM (SELECT NEWID() AS a) d WHERE d.a IS NOT NULL)
SELECT id FROM t WHERE 1 IN (SELECT 1) ORDER BY id
SELECT id FROM t WHERE 1 IN (SELECT NULL)
DELETE t WHERE id IN (SELECT 2)
UPDATE t SET v = 0 WHERE id IN (SELECT 3)
SELECT id, v FROM t ORDER BY id
GO
