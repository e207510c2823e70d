-- https://learn.microsoft.com/sql/t-sql/statements/collation-precedence-transact-sql: a literal is coercible-default, and what a derived
-- table makes of literals alone stays so.
CREATE TABLE t (b varchar(10) COLLATE Latin1_General_BIN2, c varchar(10) COLLATE Latin1_General_CS_AS)
INSERT t VALUES ('a', 'a'), ('B', 'b')
GO
SELECT t.b FROM t JOIN (SELECT 'a' AS x) d ON d.x = t.b
SELECT t.b FROM t JOIN (VALUES ('a'), ('B')) d (x) ON d.x = t.b ORDER BY t.b
SELECT t.b FROM t WHERE t.b IN (SELECT x FROM (SELECT 'a' AS x UNION ALL SELECT 'B') d) ORDER BY t.b
SELECT CONCAT(t.b, d.x) AS joined FROM t CROSS JOIN (SELECT CONVERT(varchar(5), 12) AS x) d ORDER BY 1;
WITH q AS (SELECT CASE WHEN 1 = 1 THEN 'a' ELSE 'z' END AS x) SELECT t.b FROM q JOIN t ON t.b = q.x
SELECT t.b FROM t CROSS APPLY (SELECT 'a' + '' AS x) d WHERE d.x = t.b
DECLARE @v varchar(10) = 'a'
SELECT t.b FROM t JOIN (SELECT @v AS x) d ON d.x = t.b
SELECT b FROM t UNION SELECT x FROM (SELECT 'q' AS x) d ORDER BY b
GO
-- Columns of two collations are in conflict, also behind a derived table.
SELECT 1 FROM t JOIN (SELECT c FROM t) d ON d.c = t.b
GO
SELECT 1 FROM t JOIN (SELECT c + 'x' AS x FROM t) d ON d.x = t.b
GO
