-- ORDER BY behind UNION names columns of the first SELECT, with their tables too; two columns of a result are two, though one column is
-- the source of both. https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql
CREATE TABLE t (a int, b int);
CREATE TABLE u (a int, b int);
INSERT t VALUES (3, 1), (1, 2);
INSERT u VALUES (2, 3);
GO
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY t.a;
SELECT dbo.t.a FROM dbo.t UNION ALL SELECT u.a FROM u ORDER BY dbo.t.a DESC;
SELECT x.a, x.b FROM t AS x UNION ALL SELECT u.b, u.a FROM u ORDER BY x.b, x.a;
SELECT x.a AS k FROM t AS x EXCEPT SELECT u.a FROM u ORDER BY x.a;
SELECT q.a FROM (SELECT a FROM t UNION SELECT a FROM u) q UNION SELECT 9 ORDER BY q.a DESC;
GO
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY u.a;
GO
-- Also without the table, and behind another name; the names of the result go before.
SELECT t.a AS k, t.b FROM t UNION SELECT u.a, u.b FROM u ORDER BY a DESC;
SELECT t.a AS b, t.b AS a FROM t UNION SELECT u.a, u.b FROM u ORDER BY b;
(SELECT a AS k FROM t) UNION ALL (SELECT a FROM u) ORDER BY a OFFSET 1 ROWS;
GO
SELECT a FROM t UNION SELECT a FROM u ORDER BY b;
GO
SELECT a FROM t UNION SELECT a FROM u ORDER BY c;
GO
SELECT a + 0 AS k FROM t UNION SELECT a FROM u ORDER BY a;
GO
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY t.b;
GO
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY t.a + 1;
GO
SELECT * FROM (SELECT a AS x, a AS y FROM t) q ORDER BY x, y;
SELECT DISTINCT d.a AS x, d.a FROM (SELECT a FROM t) d ORDER BY d.a DESC, x OFFSET 0 ROWS;
SELECT a AS x, a AS y FROM t ORDER BY y DESC, x;
SELECT DISTINCT d.a AS x, d.a FROM (SELECT a FROM t) d ORDER BY d.a DESC, a OFFSET 0 ROWS;
GO
SELECT DISTINCT d.a AS x, d.a FROM (SELECT a FROM t) d ORDER BY d.a DESC, d.a;
GO
SELECT a FROM t ORDER BY a, a;
GO
SELECT a FROM t ORDER BY t.a, a;
GO
SELECT a AS x FROM t ORDER BY x, x;
GO
-- FOR XML and FOR JSON stand before OPTION, and are taken behind it.
SELECT 1 AS n OPTION (MAXDOP 1) FOR XML RAW;
SELECT 1 AS n OPTION (MAXDOP 1) FOR JSON PATH;
GO
