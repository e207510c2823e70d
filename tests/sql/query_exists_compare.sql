-- EXISTS and NOT EXISTS whose rows are compared with a subquery of the row outside: the equality beside it still finds them, and the subquery is
-- asked once a row.
-- https://learn.microsoft.com/sql/relational-databases/performance/subqueries
CREATE TABLE item (id int NOT NULL PRIMARY KEY, kind int NOT NULL);
INSERT item SELECT value, value % 5 FROM GENERATE_SERIES(1, 300);
CREATE TABLE returned (id int NOT NULL PRIMARY KEY, item int NOT NULL, amount int NULL, INDEX ix_item (item));
INSERT returned SELECT value, value % 311, NULLIF(value * 7919 % 1000, 500) FROM GENERATE_SERIES(1, 3000);
GO
SET SHOWPLAN_TEXT ON
GO
SELECT COUNT(*) FROM item a WHERE EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > 1.9 * (SELECT AVG(amount) FROM returned z WHERE z.item = a.id))
GO
SET SHOWPLAN_TEXT OFF
GO
SELECT COUNT(*) AS n FROM item a WHERE EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > 1.9 * (SELECT AVG(amount) FROM returned z WHERE z.item = a.id));
SELECT COUNT(*) AS n FROM item a WHERE NOT EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > 1.9 * (SELECT AVG(amount) FROM returned z WHERE z.item = a.id));
SELECT COUNT(*) AS n FROM item a WHERE EXISTS (SELECT 1 FROM returned WHERE item = a.id AND (SELECT MAX(amount) FROM returned z WHERE z.item = a.id) <= amount);
SELECT COUNT(*) AS n FROM item a WHERE EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount <> (SELECT MIN(amount) FROM returned z WHERE z.item = a.id + 305));
SELECT COUNT(*) AS n FROM item a WHERE NOT EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount <> (SELECT MIN(amount) FROM returned z WHERE z.item = a.id + 305));
-- The same by grouping.
SELECT COUNT(*) AS n FROM item a JOIN (SELECT item, MAX(amount) AS most, AVG(amount) AS mean FROM returned GROUP BY item) g ON g.item = a.id AND g.most > 1.9 * g.mean;
SELECT COUNT(*) AS n FROM item a JOIN (SELECT item, MAX(amount) AS most FROM returned GROUP BY item) g ON g.item = a.id AND g.most IS NOT NULL;
-- One that is more than one row.
SELECT COUNT(*) AS n FROM item a WHERE EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > (SELECT amount FROM returned z WHERE z.item = a.id));
GO
-- What an uncorrelated subquery tells is asked before EXISTS is.
SELECT COUNT(*) AS n FROM item a WHERE id > (SELECT AVG(id) FROM item) AND NOT EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > 900);
SELECT COUNT(*) AS n FROM item a WHERE id > 150 AND NOT EXISTS (SELECT 1 FROM returned WHERE item = a.id AND amount > 900);
