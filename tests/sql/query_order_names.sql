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
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY t.b;
GO
SELECT t.a FROM t UNION SELECT u.a FROM u ORDER BY t.a + 1;
GO
SELECT * FROM (SELECT a AS x, a AS y FROM t) q ORDER BY x, y;
SELECT DISTINCT d.a AS x, d.a FROM (SELECT a FROM t) d ORDER BY d.a DESC, x OFFSET 0 ROWS;
SELECT a AS x, a AS y FROM t ORDER BY y DESC, x;
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
