-- EXISTS within EXISTS within EXISTS, of which the innermost reads the outermost row: each finds its rows by a key, and none goes through a whole table for each
-- row outside. https://learn.microsoft.com/sql/t-sql/language-elements/exists-transact-sql
CREATE TABLE people (id int NOT NULL CONSTRAINT pk_people PRIMARY KEY, region int NULL, parent int NULL);
INSERT people SELECT value, NULLIF(value % 50, 0), NULLIF(value / 10, 0) FROM GENERATE_SERIES(1, 2000);
CREATE TABLE orders (id int NOT NULL CONSTRAINT pk_orders PRIMARY KEY, person int NULL);
INSERT orders SELECT value, NULLIF(value % 2007, 0) FROM GENERATE_SERIES(1, 20000);
CREATE TABLE lines (id int NOT NULL CONSTRAINT pk_lines PRIMARY KEY, ordered int NOT NULL, quantity int NOT NULL);
INSERT lines SELECT value, value % 20000 + 1, value % 13 FROM GENERATE_SERIES(1, 20000);
CREATE INDEX lines_ordered ON lines (ordered);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM people AS p WHERE EXISTS (SELECT * FROM orders AS o WHERE o.person = p.id AND EXISTS (SELECT * FROM lines AS l WHERE l.ordered = o.id
    AND NOT EXISTS (SELECT * FROM people AS k WHERE k.parent = p.id AND k.region = l.quantity)));
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT COUNT(*) AS n FROM people AS p WHERE EXISTS (SELECT * FROM orders AS o WHERE o.person = p.id AND EXISTS (SELECT * FROM lines AS l WHERE l.ordered = o.id
    AND NOT EXISTS (SELECT * FROM people AS k WHERE k.parent = p.id AND k.region = l.quantity)));
-- The same by joins.
SELECT COUNT(DISTINCT p.id) AS n FROM people AS p JOIN orders AS o ON o.person = p.id JOIN lines AS l ON l.ordered = o.id
    LEFT JOIN people AS k ON k.parent = p.id AND k.region = l.quantity WHERE k.id IS NULL;
SELECT COUNT(*) AS n FROM people AS p WHERE NOT EXISTS (SELECT * FROM orders AS o WHERE o.person = p.id AND NOT EXISTS (SELECT * FROM lines AS l WHERE l.ordered = o.id
    AND EXISTS (SELECT * FROM people AS k WHERE k.parent = p.id AND k.region <> l.quantity)));
SELECT COUNT(*) AS n FROM people AS p LEFT JOIN (SELECT o.person AS id, 1 AS bad FROM orders AS o JOIN lines AS l ON l.ordered = o.id
    WHERE NOT EXISTS (SELECT * FROM people AS k WHERE k.parent = o.person AND k.region <> l.quantity)) AS b ON b.id = p.id WHERE b.bad IS NULL;
GO
DROP TABLE people, orders, lines;
