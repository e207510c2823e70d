-- Indexed views that a query does not name. learn.microsoft.com: "Create indexed views" ("the query optimizer can use indexed views even if they
-- aren't named in the FROM clause"), "Query hints" (EXPAND VIEWS). With EXPAND VIEWS each query reads the tables, and gives the same.
CREATE TABLE customer (id int NOT NULL CONSTRAINT pk_customer PRIMARY KEY, region int NOT NULL, name varchar(20) NOT NULL);
CREATE TABLE sale (id int NOT NULL CONSTRAINT pk_sale PRIMARY KEY, customer int NOT NULL, day date NOT NULL, kind varchar(10) NOT NULL, units int NOT NULL, price decimal(9,2) NOT NULL, note varchar(10) NULL);
INSERT customer SELECT value, value % 5, CONCAT('c', value) FROM GENERATE_SERIES(1, 50);
INSERT sale SELECT value, value % 50 + 1, DATEADD(day, value % 20, '2024-01-01'), CASE value % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'Web' ELSE 'shop' END, value % 7, value % 11 + 0.25, CASE WHEN value % 4 = 0 THEN 'n' END FROM GENERATE_SERIES(1, 3000);
GO
CREATE VIEW by_region WITH SCHEMABINDING AS SELECT c.region, s.day, SUM(s.units) AS units, SUM(s.units * s.price) AS amount, COUNT_BIG(*) AS n
FROM dbo.sale s JOIN dbo.customer c ON c.id = s.customer GROUP BY c.region, s.day
GO
CREATE VIEW web WITH SCHEMABINDING AS SELECT s.id, s.day, s.units, s.kind, c.id AS customer, c.region FROM dbo.sale s JOIN dbo.customer c ON s.customer = c.id WHERE s.units > 3
GO
CREATE VIEW by_kind WITH SCHEMABINDING AS SELECT kind, SUM(units) AS units, COUNT_BIG(*) AS n FROM dbo.sale GROUP BY kind
GO
CREATE UNIQUE CLUSTERED INDEX cx ON by_region (region, day);
CREATE UNIQUE CLUSTERED INDEX cx ON web (id);
CREATE UNIQUE CLUSTERED INDEX cx ON by_kind (kind);
GO
SET SHOWPLAN_TEXT ON
GO
-- The view's own query; coarser groups; a predicate over its groups; none at all.
SELECT c.region, s.day, SUM(s.units) AS units, COUNT(*) AS n FROM sale s JOIN customer c ON c.id = s.customer GROUP BY c.region, s.day;
SELECT region, SUM(units) AS units FROM customer JOIN sale ON customer = customer.id GROUP BY region HAVING COUNT(*) > 10;
SELECT COUNT(*) AS n, AVG(s.units) AS average FROM sale s, customer c WHERE s.customer = c.id AND s.day >= '2024-01-15';
-- Joins with the view's predicates, or narrower ones.
SELECT s.id, s.day, c.region FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units > 3 AND c.region = 2;
SELECT s.id FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units = 5;
-- Not: wider predicates, columns that the view lacks, hints, what it says of NULL, other settings.
SELECT s.id FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units > 2;
SELECT s.id, s.note FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units > 3;
SELECT s.id FROM sale s WITH (NOLOCK) JOIN customer c ON c.id = s.customer WHERE s.units > 3;
SELECT s.id FROM sale s LEFT JOIN customer c ON c.id = s.customer WHERE s.units > 3;
SELECT kind, COUNT(note) AS n FROM sale GROUP BY kind;
SELECT kind, SUM(units) AS units FROM sale GROUP BY kind OPTION (EXPAND VIEWS);
-- A group has one of the values that are equal in it.
SELECT kind, SUM(units) AS units FROM sale WHERE kind = 'WEB' GROUP BY kind;
SELECT SUM(units) AS units FROM sale WHERE kind = 'web' COLLATE Latin1_General_BIN2;
SELECT UPPER(kind) AS kind, SUM(units) AS units FROM sale GROUP BY UPPER(kind);
-- One row by its key costs less in the table.
SELECT s.day FROM sale s JOIN customer c ON c.id = s.customer WHERE s.id = 7 AND s.units > 3 AND s.note IS NULL;
GO
SET SHOWPLAN_TEXT OFF
GO
SELECT c.region, s.day, SUM(s.units) AS units, COUNT(*) AS n, AVG(s.units) AS average, SUM(s.units * s.price) AS amount FROM sale s JOIN customer c ON c.id = s.customer GROUP BY c.region, s.day HAVING s.day < '2024-01-03' ORDER BY 1, 2;
SELECT c.region, s.day, SUM(s.units) AS units, COUNT(*) AS n, AVG(s.units) AS average, SUM(s.units * s.price) AS amount FROM sale s JOIN customer c ON c.id = s.customer GROUP BY c.region, s.day HAVING s.day < '2024-01-03' ORDER BY 1, 2 OPTION (EXPAND VIEWS);
SELECT region, SUM(units) AS units, MIN(day) AS first_day, COUNT(DISTINCT day) AS days, COUNT_BIG(*) AS n FROM customer JOIN sale ON customer = customer.id GROUP BY region ORDER BY region;
SELECT region, SUM(units) AS units, MIN(day) AS first_day, COUNT(DISTINCT day) AS days, COUNT_BIG(*) AS n FROM customer JOIN sale ON customer = customer.id GROUP BY region ORDER BY region OPTION (EXPAND VIEWS);
SELECT COUNT(*) AS n, SUM(s.units) AS units, AVG(s.units) AS average FROM sale s, customer c WHERE s.customer = c.id AND s.day > '2030-01-01';
SELECT COUNT(*) AS n, SUM(s.units) AS units, AVG(s.units) AS average FROM sale s, customer c WHERE s.customer = c.id AND s.day >= '2024-01-15';
SELECT COUNT(*) AS n, SUM(s.units) AS units, AVG(s.units) AS average FROM sale s, customer c WHERE s.customer = c.id AND s.day >= '2024-01-15' OPTION (EXPAND VIEWS);
SELECT c.region, s.day, SUM(s.units) AS units, COUNT(*) AS n FROM sale s JOIN customer c ON c.id = s.customer WHERE s.day < '2024-01-03' GROUP BY ROLLUP (c.region, s.day) ORDER BY 1, 2;
SELECT c.region, s.day, SUM(s.units) AS units, COUNT(*) AS n FROM sale s JOIN customer c ON c.id = s.customer WHERE s.day < '2024-01-03' GROUP BY ROLLUP (c.region, s.day) ORDER BY 1, 2 OPTION (EXPAND VIEWS);
SELECT COUNT(*) AS n, SUM(s.id) AS ids, MAX(c.id) AS customer FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units IN (4, 6) AND c.region <> 2;
SELECT COUNT(*) AS n, SUM(s.id) AS ids, MAX(c.id) AS customer FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units IN (4, 6) AND c.region <> 2 OPTION (EXPAND VIEWS);
SELECT kind, SUM(units) AS units, COUNT(*) AS n FROM sale WHERE kind = 'WEB' GROUP BY kind;
SELECT SUM(units) AS units, COUNT(*) AS n FROM sale WHERE kind = 'web' COLLATE Latin1_General_BIN2;
SELECT TOP 2 x.region, x.units, (SELECT SUM(units) FROM sale WHERE kind = 'shop') AS shop FROM (SELECT c.region, SUM(s.units) AS units FROM sale s JOIN customer c ON c.id = s.customer GROUP BY c.region) x ORDER BY x.units DESC, x.region;
GO
-- What a transaction has changed is in the view at once.
BEGIN TRANSACTION;
DELETE sale WHERE kind = 'shop';
UPDATE sale SET units = 100 WHERE id = 3;
SELECT kind, SUM(units) AS units, COUNT(*) AS n FROM sale GROUP BY kind ORDER BY kind;
SELECT COUNT(*) AS n FROM sale s JOIN customer c ON c.id = s.customer WHERE s.units > 3 AND s.units = 100;
ROLLBACK;
SELECT COUNT(*) AS n FROM sale WHERE kind IN ('shop');
GO
-- Who may not see the view sees the table: the permission is asked of what is named.
CREATE USER reader WITHOUT LOGIN;
GRANT SELECT ON sale TO reader;
EXECUTE AS USER = 'reader';
SELECT kind, COUNT(*) AS n FROM sale GROUP BY kind ORDER BY n;
SELECT * FROM by_kind;
REVERT;
GO
-- A disabled index is not read.
ALTER INDEX cx ON by_kind DISABLE;
GO
SET SHOWPLAN_TEXT ON
GO
SELECT kind, COUNT(*) AS n FROM sale GROUP BY kind;
GO
SET SHOWPLAN_TEXT OFF
GO
SET ANSI_NULLS OFF
GO
SELECT region, SUM(units) AS units FROM customer JOIN sale ON customer = customer.id GROUP BY region ORDER BY region;
GO
