-- PRODUCT. https://learn.microsoft.com/sql/t-sql/functions/product-aggregate-transact-sql
CREATE TABLE p (g int, i int, t tinyint, b bigint, m money, s smallmoney, d decimal(9, 0), n numeric(5, 2), f float, r real, x bit, v varchar(5));
INSERT p VALUES (1, 2, 2, 2, 1.5, 1.5, 3, 1.25, 1.5, 0.5, 1, '2'), (1, 3, 3, 3, 2.25, 2, 3, 1.1, 2, 2, 1, '3'), (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (2, -4, 4, 4, -1, 1, 10, 2, -0.5, 1, 0, '4'), (2, -4, 4, 4, -1, 1, 10, 2, -0.5, 1, 0, '4'), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
SELECT g, PRODUCT(i) AS i, PRODUCT(t) AS t, PRODUCT(b) AS b, PRODUCT(m) AS m, PRODUCT(s) AS s, PRODUCT(d) AS d, PRODUCT(n) AS n, PRODUCT(f) AS f, PRODUCT(r) AS r FROM p GROUP BY g ORDER BY g;
SELECT PRODUCT(DISTINCT i) AS i, PRODUCT(ALL i) AS a FROM p WHERE g = 2;
SELECT PRODUCT(i) AS none FROM p WHERE g > 9;
GO
-- The page's example of OVER.
SELECT finInstrument, PRODUCT(1 + rateOfReturn) OVER (PARTITION BY finInstrument) AS CompoundedReturn
FROM (VALUES (0.1626, 'instrumentA'), (0.0483, 'instrumentB'), (0.2689, 'instrumentC'), (-0.1944, 'instrumentA'), (0.2423, 'instrumentA')) AS MyTable(rateOfReturn, finInstrument);
SELECT i, PRODUCT(i) OVER (ORDER BY i) AS running, PRODUCT(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two FROM (VALUES (1), (2), (3), (4)) AS q(i);
GO
-- The types of the page's table.
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT PRODUCT(i) AS i, PRODUCT(t) AS t, PRODUCT(b) AS b, PRODUCT(m) AS m, PRODUCT(s) AS s,
  PRODUCT(d) AS d, PRODUCT(n) AS n, PRODUCT(f) AS f, PRODUCT(r) AS r FROM p', NULL, 0);
GO
SELECT PRODUCT(i) AS i FROM (VALUES (100000), (100000)) AS q(i);
GO
SELECT PRODUCT(x) FROM p;
GO
SELECT PRODUCT(v) FROM p;
GO
SELECT PRODUCT(*) FROM p;
GO
