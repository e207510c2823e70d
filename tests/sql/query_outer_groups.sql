-- What a query groups by is its group's value in its subqueries, and an aggregate belongs to the query of the column that it is over.
-- https://learn.microsoft.com/sql/t-sql/queries/select-group-by-transact-sql, errors 8120, 8124, 4101, 147
CREATE TABLE t (a int, b int, c varchar(10));
CREATE TABLE u (o varchar(10), n int);
INSERT t VALUES (1, 1, 'x'), (2, 1, NULL), (3, 2, 'y'), (5, 2, 'y');
INSERT u VALUES ('x', 1), ('x', 2), ('z', 3);
GO
SELECT COALESCE(t.c, 'z') AS k, (SELECT COUNT(*) FROM u WHERE u.o = COALESCE(t.c, 'z')) AS n FROM t GROUP BY COALESCE(t.c, 'z') ORDER BY k;
SELECT b % 2 AS k FROM t GROUP BY b % 2 HAVING EXISTS (SELECT 1 FROM u WHERE n = b % 2);
IF EXISTS (SELECT * FROM t GROUP BY b HAVING COUNT(*) > 1) PRINT 'groups of two';
IF NOT EXISTS (SELECT t.* FROM t GROUP BY b HAVING COUNT(*) > 2) PRINT 'none of three';
SELECT 'rows' WHERE EXISTS (SELECT * FROM t GROUP BY b);
GO
IF EXISTS (SELECT a FROM t GROUP BY b) PRINT 'never';
GO
-- What stands behind a constant is never asked for, nor is what is compared with NULL.
SELECT COALESCE(75, a) AS k FROM t GROUP BY b;
SELECT b FROM t GROUP BY b HAVING -a > NULL;
SELECT a FROM t WHERE NULL <= a / 0;
SELECT COUNT(*) AS n FROM t WHERE NOT (a / 0 = NULL) OR a = 1;
GO
SELECT b FROM t GROUP BY b HAVING (SELECT MAX(v) FROM (VALUES (AVG(a)), (MIN(a))) w(v)) >= 2 ORDER BY b;
SELECT c, (SELECT SUM(t.a) FROM u WHERE n = 1) AS s FROM t GROUP BY c ORDER BY c;
SELECT b, (SELECT MAX(u.n) + SUM(t.a) FROM u) AS s FROM t GROUP BY b ORDER BY b;
GO
SELECT c, (SELECT SUM(t.a + u.n) FROM u) FROM t GROUP BY c;
GO
SELECT c FROM t CROSS APPLY (SELECT SUM(t.a) AS s FROM u) q;
GO
SELECT c FROM t WHERE (SELECT SUM(t.a) FROM u) > 1;
GO
CREATE VIEW v AS SELECT COALESCE(t.c, 'z') AS k, (SELECT COUNT(*) FROM u WHERE u.o = COALESCE(t.c, 'z')) AS n FROM t GROUP BY COALESCE(t.c, 'z');
GO
SELECT * FROM v ORDER BY k;
SELECT * INTO copied FROM v;
WITH k AS (SELECT b, (SELECT SUM(t.a) FROM u WHERE n = 1) AS s FROM t GROUP BY b) SELECT * FROM k ORDER BY b;
SELECT COUNT(*) AS n FROM copied;
GO
-- An item of GROUP BY has a column of its own query.
-- https://learn.microsoft.com/sql/t-sql/queries/select-group-by-transact-sql
CREATE TABLE own (a int, b int);
CREATE TABLE inner_ (x int);
INSERT own VALUES (1, 10), (2, 20);
INSERT inner_ VALUES (1);
GO
SELECT (SELECT COUNT(*) FROM inner_ GROUP BY own.a) FROM own;
GO
SELECT (SELECT TOP 1 COUNT(*) FROM inner_ GROUP BY inner_.x, own.a) FROM own;
GO
SELECT (SELECT TOP 1 COUNT(*) FROM inner_ GROUP BY ROLLUP (own.a)) FROM own;
GO
SELECT * FROM own WHERE EXISTS (SELECT 1 FROM inner_ GROUP BY own.b);
GO
SELECT * FROM own CROSS APPLY (SELECT COUNT(*) AS c FROM inner_ GROUP BY own.a) q;
GO
SELECT COUNT(*) FROM own GROUP BY (SELECT MAX(x) FROM inner_);
GO
SELECT (SELECT TOP 1 COUNT(*) FROM inner_ GROUP BY own.a + inner_.x) AS n FROM own;
SELECT (SELECT TOP 1 COUNT(*) FROM inner_ own GROUP BY own.x) AS n FROM own;
GO
