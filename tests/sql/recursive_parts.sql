-- What the recursive part of a common table expression may not have, and what it may. IIF of NULLs alone.
-- learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql (guidelines for recursive CTEs), database-engine-events-and-errors 0-999.
CREATE TABLE staff (id int NOT NULL CONSTRAINT pk_staff PRIMARY KEY, boss int NULL, pay money NOT NULL);
INSERT staff VALUES (1,NULL,100),(2,1,50),(3,1,60),(4,2,10);
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n + 1 FROM r WHERE n < 5) SELECT * FROM r;
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT TOP (1) n + 1 FROM r WHERE n < 5) SELECT * FROM r;
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT MAX(n) + 1 FROM r WHERE n < 5) SELECT * FROM r;
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5 GROUP BY n) SELECT * FROM r;
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r HAVING 1 = 1) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM r LEFT JOIN staff s ON s.boss = r.id) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM staff s RIGHT OUTER JOIN r ON s.boss = r.id) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM staff s FULL JOIN r ON s.boss = r.id) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT a.id FROM r OUTER APPLY (SELECT id FROM staff s WHERE s.boss = r.id) a) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT a.id FROM r CROSS APPLY (SELECT TOP (1) id FROM staff s WHERE s.boss = r.id ORDER BY id) a) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM r JOIN staff s ON s.boss = r.id WHERE s.pay < (SELECT MAX(pay) FROM staff)) SELECT * FROM r;
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5 AND n NOT IN (SELECT n FROM r)) SELECT * FROM r;
GO
WITH r AS (SELECT id FROM staff WHERE boss IS NULL UNION ALL SELECT s.id FROM r JOIN staff s ON s.boss = r.id JOIN r AS again ON again.id = r.id) SELECT * FROM r;
GO
-- Nothing of a batch runs that has such a query; a view with one is not made.
PRINT 'not shown';
WITH r AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n + 1 FROM r WHERE n < 5) SELECT * FROM r;
GO
CREATE VIEW chain AS WITH r AS (SELECT 1 AS n UNION ALL SELECT MAX(n) + 1 FROM r) SELECT * FROM r;
GO
-- Anchors may have all of it; so may other CTEs, and who reads the CTE. Window functions are no aggregates.
WITH total AS (SELECT MAX(pay) AS most FROM staff),
r AS (SELECT TOP (1) id, 0 AS depth FROM staff WHERE boss IS NULL GROUP BY id ORDER BY id
  UNION ALL SELECT s.id, r.depth + 1 FROM r JOIN staff s ON s.boss = r.id)
SELECT depth, COUNT(*) AS people, MAX(total.most) AS most FROM r CROSS JOIN total LEFT JOIN staff s ON s.id = r.id GROUP BY depth ORDER BY depth;
WITH r AS (SELECT id, CAST(1 AS bigint) AS place FROM staff WHERE boss IS NULL
  UNION ALL SELECT s.id, ROW_NUMBER() OVER (ORDER BY s.id) FROM r JOIN staff s ON s.boss = r.id) SELECT * FROM r ORDER BY id;
WITH r AS (SELECT id, boss FROM staff WHERE id = 4 UNION ALL SELECT s.id, s.boss FROM r JOIN staff s ON s.id = r.boss WHERE EXISTS (SELECT 1 FROM staff t WHERE t.id = s.id)) SELECT id FROM r;
GO
SELECT IIF(1 = 1, NULL, NULL);
GO
SELECT IIF(pay > 50, NULL, CAST(NULL AS int)) AS x FROM staff WHERE id = 1;
GO
