-- Joins whose inner side is a seek by values of the outer row. https://learn.microsoft.com/sql/relational-databases/performance/joins
CREATE TABLE #a (id int NOT NULL PRIMARY KEY, k int NULL, t varchar(10) NULL)
CREATE TABLE #b (k int NOT NULL, n int NOT NULL, v int NULL, t varchar(10) NOT NULL, PRIMARY KEY (k, n DESC))
CREATE INDEX b_t ON #b (t)
INSERT #a VALUES (1, 3, 'x3'), (2, NULL, NULL), (3, 1, 'X1'), (4, 3, 'none'), (5, 9, 'x2'), (6, 2, 'x2')
INSERT #b SELECT k.value, n.value, NULLIF(k.value * 10 + n.value, 12), 'x' + CAST(k.value AS varchar(10))
    FROM GENERATE_SERIES(1, 3) k CROSS JOIN GENERATE_SERIES(1, 3) n
GO
-- Outer order, then the order of the index; a NULL finds nothing, a value may come twice.
SELECT a.id, b.k, b.n, b.v FROM #a a JOIN #b b ON b.k = a.k ORDER BY a.id, b.n DESC
SELECT a.id, b.n FROM #a a JOIN #b b ON b.k = a.k AND b.n = 2 ORDER BY a.id
SELECT a.id, b.v FROM #a a JOIN #b b ON b.k = a.k WHERE b.v % 2 = 1 ORDER BY a.id, b.v
SELECT a.id, b.v FROM #a a JOIN #b b ON b.k = a.k AND b.v > a.id * 10 ORDER BY a.id, b.v
SELECT a.id, b.k, b.n FROM #a a JOIN #b b ON b.t = a.t ORDER BY a.id, b.n
SELECT COUNT(*), COUNT(DISTINCT b.n), SUM(b.v) FROM #a a JOIN #b b ON b.k = a.k
SELECT TOP 2 a.id, b.n FROM #a a JOIN #b b ON b.k = a.k ORDER BY a.id, b.n DESC
SELECT a.id, c.n FROM #a a JOIN #b b ON b.k = a.k AND b.n = 1 JOIN #b c ON c.k = b.n AND c.n = b.k ORDER BY a.id
SELECT a.id, (SELECT COUNT(*) FROM #b b JOIN #a c ON c.id = b.n WHERE b.k = a.k) AS n FROM #a a ORDER BY a.id
SELECT a.id, x.s FROM #a a CROSS APPLY (SELECT SUM(b.v) AS s FROM #b b WHERE b.k = a.k AND b.n <= a.id) x ORDER BY a.id
GO
-- More rows for one outer row than a batch has.
CREATE TABLE #c (k int NOT NULL, n int NOT NULL, PRIMARY KEY (k, n))
INSERT #c SELECT 1 + value % 2, value FROM GENERATE_SERIES(1, 5000)
SELECT a.id, COUNT(*), MIN(c.n), MAX(c.n) FROM #a a JOIN #c c ON c.k = a.k GROUP BY a.id ORDER BY a.id
SELECT COUNT(*) FROM #a a JOIN #c c ON c.k = a.k WHERE c.n % 1000 = 0
SELECT TOP 3 a.id, c.n FROM #a a JOIN #c c ON c.k = a.k
GO
-- What the transaction itself has changed is seen, also by the inner side.
BEGIN TRANSACTION
DELETE #b WHERE n = 2
UPDATE #b SET v = -1 WHERE k = 3
INSERT #b VALUES (9, 9, 99, 'x9')
SELECT a.id, b.k, b.n, b.v FROM #a a JOIN #b b ON b.k = a.k ORDER BY a.id, b.n DESC
ROLLBACK
SELECT COUNT(*) FROM #a a JOIN #b b ON b.k = a.k
GO
