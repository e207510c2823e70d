-- What follows from equalities, and where semi joins are put among joins: plans, and the answers of the same queries. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
CREATE TABLE big (id int NOT NULL CONSTRAINT pk_big PRIMARY KEY, k int NOT NULL, g int NOT NULL, d date NOT NULL, s varchar(20) NOT NULL, pad char(60) NOT NULL DEFAULT '');
CREATE INDEX ix_big_k ON big (k);
CREATE INDEX ix_big_d ON big (d);
CREATE TABLE part_of (big_id int NOT NULL, n int NOT NULL, q int NULL, CONSTRAINT pk_part_of PRIMARY KEY (big_id, n));
CREATE TABLE few (id int NOT NULL CONSTRAINT pk_few PRIMARY KEY, k int NULL);
CREATE TABLE other (id int NOT NULL CONSTRAINT pk_other PRIMARY KEY, k int NULL);
GO
INSERT big (id, k, g, d, s) SELECT value, value % 2000, value % 10, DATEADD(day, value % 1000, '2020-01-01'), CONCAT('name ', value % 5000, ' end') FROM GENERATE_SERIES(1, 20000);
INSERT part_of SELECT value / 3, value % 3, value % 7 FROM GENERATE_SERIES(3, 60002);
INSERT few SELECT value, value * 5 FROM GENERATE_SERIES(1, 20);
INSERT other SELECT value, NULLIF(value * 5, 50) FROM GENERATE_SERIES(1, 30);
GO
SET SHOWPLAN_TEXT ON;
GO
-- a = b and b = c: the two small ones can be joined first.
SELECT COUNT(*) FROM few f JOIN big b ON b.g = f.k JOIN other o ON o.k = b.g;
GO
-- A bound and a list of one side hold for the other, too.
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.id BETWEEN 100 AND 900;
GO
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE p.big_id IN (3, 4, 5);
GO
-- A constant goes through all that are equal.
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id JOIN few f ON f.id = p.big_id WHERE f.id = 7;
GO
-- Where left rows stay, only the right side learns of it.
SELECT COUNT(*), COUNT(p.q) FROM big b LEFT JOIN part_of p ON p.big_id = b.id AND p.n = 1 WHERE b.id > 19990;
GO
-- A semi join that leaves few rows comes before the join; with a unique key it is an inner one.
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.k IN (SELECT k FROM few WHERE id < 3);
GO
SELECT COUNT(*) FROM part_of p WHERE p.big_id IN (SELECT id FROM few);
GO
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.id IN (SELECT big_id FROM part_of GROUP BY big_id HAVING SUM(q) > 17);
GO
-- An anti join behind the join that leaves few rows.
SELECT COUNT(*) FROM big b JOIN few f ON f.id = b.id WHERE NOT EXISTS (SELECT * FROM part_of p WHERE p.big_id = b.id AND p.q = 3);
GO
-- How many rows a range has is known though its bound is computed.
SELECT SUM(g) FROM big WHERE d >= DATEADD(day, 10, CAST('2020-01-01' AS date)) AND d < DATEADD(month, 10, CAST('2020-01-01' AS date));
GO
SELECT SUM(g) FROM big WHERE d >= DATEADD(day, 10, CAST('2020-01-01' AS date)) AND d < DATEADD(day, 10 + 2, CAST('2020-01-01' AS date));
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT COUNT(*) FROM few f JOIN big b ON b.g = f.k JOIN other o ON o.k = b.g;
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.id BETWEEN 100 AND 900;
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE p.big_id IN (3, 4, 5);
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id JOIN few f ON f.id = p.big_id WHERE f.id = 7;
SELECT COUNT(*), COUNT(p.q) FROM big b LEFT JOIN part_of p ON p.big_id = b.id AND p.n = 1 WHERE b.id > 19990;
SELECT COUNT(*), COUNT(p.q) FROM few f LEFT JOIN part_of p ON p.big_id = f.id AND p.big_id > 5 WHERE f.id < 10;
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.k IN (SELECT k FROM few WHERE id < 3);
SELECT COUNT(*) FROM part_of p WHERE p.big_id IN (SELECT id FROM few);
SELECT COUNT(*) FROM big b JOIN part_of p ON p.big_id = b.id WHERE b.id IN (SELECT big_id FROM part_of GROUP BY big_id HAVING SUM(q) > 17);
SELECT COUNT(*) FROM big b JOIN few f ON f.id = b.id WHERE NOT EXISTS (SELECT * FROM part_of p WHERE p.big_id = b.id AND p.q = 3);
SELECT COUNT(*) FROM big b JOIN few f ON f.k = b.k WHERE b.k NOT IN (SELECT k FROM other WHERE k IS NOT NULL);
SELECT COUNT(*) FROM few f JOIN big b ON b.k = f.k WHERE b.id IN (SELECT big_id FROM part_of WHERE q = 2) AND f.k NOT IN (SELECT k FROM other);
SELECT SUM(g) FROM big WHERE d >= DATEADD(day, 10, CAST('2020-01-01' AS date)) AND d < DATEADD(month, 10, CAST('2020-01-01' AS date));
SELECT SUM(g) FROM big WHERE d >= DATEADD(day, 10, CAST('2020-01-01' AS date)) AND d < DATEADD(day, 10 + 2, CAST('2020-01-01' AS date));
GO
-- Each row is changed once, however often its value is in the list.
DELETE FROM part_of WHERE big_id IN (SELECT id FROM few) AND n IN (SELECT k / 5 FROM few);
SELECT @@ROWCOUNT;
UPDATE b SET g = 0 FROM big b JOIN few f ON f.id = b.id WHERE b.k IN (SELECT k FROM other);
SELECT @@ROWCOUNT;
GO
