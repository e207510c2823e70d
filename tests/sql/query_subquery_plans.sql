-- Subqueries and joins that run once over their inputs: NOT IN with NULLs, OR, values of the outer row without an index.
-- https://learn.microsoft.com/sql/t-sql/language-elements/in-transact-sql, .../all-transact-sql, .../some-any-transact-sql
CREATE TABLE n (id int NOT NULL CONSTRAINT pk_n PRIMARY KEY, x int NULL, g int NOT NULL);
CREATE TABLE m (id int NOT NULL CONSTRAINT pk_m PRIMARY KEY, y int NULL, g int NOT NULL, s varchar(10) NULL);
CREATE TABLE e (id int NULL);
GO
INSERT n SELECT value, NULLIF(value % 7, 0), value % 5 FROM GENERATE_SERIES(1, 200);
INSERT m SELECT value, NULLIF(value % 11, 3), value % 4, 's' + STR(value % 9, 1) FROM GENERATE_SERIES(1, 100);
CREATE INDEX ix_y ON m (y);
GO
-- The values: each against the same asked row by row.
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m);
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE y IS NOT NULL);
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE y > 2);
SELECT COUNT(*) FROM n WHERE NOT x IN (SELECT y FROM m WHERE y > 2);
SELECT COUNT(*) FROM n WHERE x <> ALL (SELECT y FROM m WHERE y > 2);
SELECT COUNT(*) FROM n WHERE NOT x = ANY (SELECT y FROM m WHERE y > 2);
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT id FROM e);
SELECT COUNT(*) FROM n WHERE x IN (SELECT y FROM m) OR id = 7;
GO
SELECT COUNT(*) FROM n WHERE x > ALL (SELECT y FROM m WHERE y < 4);
SELECT COUNT(*) FROM n WHERE x > ANY (SELECT y FROM m WHERE y > 4);
SELECT COUNT(*) FROM n WHERE x >= ALL (SELECT y FROM m);
SELECT COUNT(*) FROM n WHERE x <= ANY (SELECT y FROM m);
SELECT COUNT(*) FROM n WHERE x <> ANY (SELECT y FROM m WHERE y = 4);
SELECT COUNT(*) FROM n WHERE x = ALL (SELECT y FROM m WHERE y = 4);
SELECT COUNT(*) FROM n WHERE x < ALL (SELECT id FROM e);
SELECT SUM(v) FROM (SELECT CASE WHEN x IN (SELECT y FROM m WHERE y > 3) THEN 1 WHEN x NOT IN (SELECT y FROM m WHERE y > 3) THEN 100 ELSE 10000 END AS v FROM n) q;
SELECT SUM(v) FROM (SELECT CASE WHEN x IN (SELECT y FROM m) THEN 1 WHEN x NOT IN (SELECT y FROM m) THEN 1000 ELSE 1000000 END AS v FROM n) q;
-- NULL is compared with no row here: TRUE.
SELECT COUNT(*) FROM n WHERE NULL NOT IN (SELECT id FROM e);
GO
-- Correlated, with NULLs on both sides.
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE m.g = n.g);
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE m.g = n.g AND y > 5);
SELECT COUNT(*) FROM n o WHERE NOT EXISTS (SELECT 1 FROM m WHERE m.g = o.g AND y > 5 AND (y = o.x OR y IS NULL OR o.x IS NULL));
SELECT COUNT(*) FROM n WHERE x > ALL (SELECT y FROM m WHERE m.g = n.g AND y < 3);
-- NULLs that an outer join makes of a column without any.
SELECT COUNT(*) FROM n WHERE id IN (SELECT d.id FROM m LEFT JOIN (SELECT id, g FROM m WHERE id < 0) d ON d.g = m.g WHERE m.y = n.g);
SELECT COUNT(*) FROM n WHERE id NOT IN (SELECT d.id FROM m LEFT JOIN (SELECT id, g FROM m WHERE id < 0) d ON d.g = m.g WHERE m.y = n.g);
SELECT COUNT(*) FROM n WHERE CASE WHEN id NOT IN (SELECT d.id FROM m LEFT JOIN (SELECT id, g FROM m WHERE id < 0) d ON d.g = m.g WHERE m.y = n.g) THEN 1 END = 1;
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM m WHERE m.y = n.g);
SELECT COUNT(*) FROM n WHERE x > (SELECT AVG(y) FROM m WHERE m.g = n.g);
SELECT SUM(v) FROM (SELECT (SELECT COUNT(*) FROM m WHERE m.g = n.g AND m.y < n.x) AS v FROM n) q;
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM m WHERE m.g = n.g AND m.y = n.x) OR n.id < 5;
SELECT SUM(a.y) FROM n CROSS APPLY (SELECT TOP 1 y FROM m WHERE m.g = n.g AND m.y IS NOT NULL ORDER BY m.y DESC, m.id) a;
SELECT COUNT(*), COUNT(a.id) FROM n OUTER APPLY (SELECT m.id FROM m WHERE m.s = 's' + STR(n.x, 1) AND m.g = n.g) a;
GO
-- OR between tables and within one.
SELECT COUNT(*) FROM n JOIN m ON m.id = n.id OR m.y = n.x AND m.g = n.g;
SELECT COUNT(*) FROM n CROSS JOIN m WHERE CASE WHEN m.id = n.id OR m.y = n.x AND m.g = n.g THEN 1 END = 1;
SELECT COUNT(*) FROM n JOIN m ON (m.g = n.g AND m.y IN (1, 2)) OR (n.g = m.g AND n.x = 3) OR (m.g = n.g AND m.s = 's5');
SELECT COUNT(*) FROM n CROSS JOIN m WHERE CASE WHEN m.g = n.g THEN CASE WHEN m.y IN (1, 2) OR n.x = 3 OR m.s = 's5' THEN 1 END END = 1;
SELECT COUNT(*) FROM n JOIN m ON (m.g = n.g AND m.y = 1) OR n.g = m.g;
SELECT COUNT(*) FROM n LEFT JOIN m ON (m.g = n.g AND m.y = 1 AND n.x = 2) OR (n.g = m.g AND m.y = 2 AND n.x = 1);
SELECT id FROM m WHERE id = 5 OR y = 4 OR id = 4 AND y = 4 ORDER BY id;
SELECT id FROM m WHERE (id = 5 OR y = 4) AND g > 0 ORDER BY y, id;
SELECT COUNT(*) FROM m WHERE (y = 1 AND g = 2) OR (y = 1 AND g = 3);
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM m WHERE m.id = n.id OR m.y = n.x);
SELECT COUNT(*) FROM n WHERE NOT EXISTS (SELECT 1 FROM m WHERE m.id = n.id OR m.y = n.x);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE m.g = n.g);
GO
SELECT COUNT(*) FROM n WHERE id <> ALL (SELECT id FROM m);
GO
SELECT COUNT(*) FROM n WHERE x > (SELECT AVG(y) FROM m WHERE m.g = n.g);
GO
SELECT COUNT(*) FROM n JOIN m ON m.id = n.id OR m.y = n.x AND m.g = n.g;
GO
SELECT COUNT(*) FROM n JOIN m ON (m.g = n.g AND m.y IN (1, 2) AND n.x = 1) OR (n.g = m.g AND n.x = 3 AND m.y = 5);
GO
SELECT g FROM m WHERE id = 5 OR y = 4;
GO
SELECT COUNT(*) FROM n WHERE x > (SELECT AVG(y) FROM m WHERE m.g = n.g) AND g IN (SELECT g FROM m WHERE s = 's1');
GO
SELECT COUNT(*) FROM m WHERE (y = 1 AND g = 2) OR (g = 3 AND y = 1);
GO
SET SHOWPLAN_TEXT OFF;
GO
-- An equality that an index has beside a predicate with a subquery: sought, and the predicate asked of what is found.
CREATE TABLE k (n int NOT NULL, id int NOT NULL, v int NULL, CONSTRAINT pk_k PRIMARY KEY (n, id));
INSERT k SELECT value % 250, value, NULLIF(value * 37 % 101, 5) FROM GENERATE_SERIES(1, 3000);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM n WHERE n.id < 9 AND EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND k.v > (SELECT AVG(z.v) FROM k AS z WHERE z.n = n.id));
GO
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND NOT EXISTS (SELECT 1 FROM m WHERE m.id = k.v AND m.g = n.g));
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT COUNT(*) FROM n WHERE n.id < 9 AND EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND k.v > (SELECT AVG(z.v) FROM k AS z WHERE z.n = n.id));
SELECT COUNT(DISTINCT n.id) FROM n JOIN k ON k.n = n.id JOIN (SELECT n, AVG(v) AS a FROM k GROUP BY n) g ON g.n = n.id WHERE n.id < 9 AND k.v > g.a;
SELECT COUNT(*) FROM n WHERE n.id < 30 AND NOT EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND k.v > (SELECT MAX(m.y) + 70 + n.g FROM m WHERE m.g = n.g));
SELECT COUNT(*) FROM n LEFT JOIN (SELECT k.n, MAX(k.v) AS v FROM k GROUP BY k.n) q ON q.n = n.id JOIN (SELECT g, MAX(y) AS y FROM m GROUP BY g) h ON h.g = n.g WHERE n.id < 30 AND NOT q.v > h.y + 70 + n.g;
SELECT COUNT(*) FROM n WHERE n.id < 30 AND n.g = 4;
SELECT COUNT(*), COUNT(k.id), SUM(k.v) FROM n LEFT JOIN k ON k.n = n.id AND k.v < (SELECT AVG(m.y) + 20 FROM m WHERE m.id <= n.id) WHERE n.id < 30;
SELECT COUNT(k.id), SUM(k.v) FROM n CROSS APPLY (SELECT AVG(m.y) + 20 AS a FROM m WHERE m.id <= n.id) x JOIN k ON k.n = n.id WHERE k.v < x.a AND n.id < 30;
-- A test within a test that reads the outermost row: the outer one is sought as well.
SELECT COUNT(*) FROM n WHERE EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND NOT EXISTS (SELECT 1 FROM m WHERE m.id = k.v AND m.g = n.g));
SELECT COUNT(DISTINCT n.id) FROM n JOIN k ON k.n = n.id LEFT JOIN m ON m.id = k.v AND m.g = n.g WHERE m.id IS NULL;
SELECT COUNT(*) FROM n WHERE NOT EXISTS (SELECT 1 FROM k WHERE k.n = n.id AND k.id > n.x AND EXISTS (SELECT 1 FROM m WHERE m.id = k.v AND m.g = n.g));
SELECT 200 - COUNT(DISTINCT n.id) FROM n JOIN k ON k.n = n.id AND k.id > n.x JOIN m ON m.id = k.v AND m.g = n.g;
GO
-- What a statement put aside is gone with it: the rows of the next are the table's.
CREATE PROCEDURE p AS
BEGIN
  SELECT COUNT(*) FROM n WHERE x NOT IN (SELECT y FROM m WHERE y > 2);
  SELECT COUNT(*) FROM n WHERE x > (SELECT AVG(y) FROM m WHERE m.g = n.g);
END
GO
EXEC p;
UPDATE m SET y = 3;
EXEC p;
DELETE m;
EXEC p;
GO
