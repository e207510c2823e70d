-- The first rows of many, in an order that no index has: what does not come before the last of the best ones is left out as it comes.
-- https://learn.microsoft.com/sql/t-sql/queries/top-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql
CREATE TABLE marks (id int NOT NULL PRIMARY KEY, points int NULL, name varchar(300) NOT NULL);
-- Rising, falling, and by chance; with equal ones, and NULL first.
INSERT marks SELECT value, NULLIF(value % 7001, 17), CONCAT(REPLICATE('n', 200), (value * 7919 % 30011) / 10) FROM GENERATE_SERIES(0, 29999);
GO
SELECT TOP 3 points, id FROM marks ORDER BY points DESC, id;
SELECT TOP 7 points, id FROM marks ORDER BY points, id DESC;
-- Of equal names those with the smallest number, though the names' beginnings are alike.
SELECT TOP 4 RIGHT(name, 4) AS name, id FROM marks ORDER BY name DESC, id;
SELECT RIGHT(name, 4) AS name, id FROM marks ORDER BY name, id OFFSET 5000 ROWS FETCH NEXT 2 ROWS ONLY;
SELECT TOP 5 WITH TIES points FROM marks ORDER BY points DESC;
SELECT COUNT(*) AS n, SUM(CAST(id AS bigint)) AS ids FROM (SELECT TOP 9000 id FROM marks ORDER BY points DESC, name) AS q;
SELECT COUNT(*) AS n, SUM(CAST(id AS bigint)) AS ids FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY points DESC, name) AS n FROM marks) AS q WHERE n <= 9000;
SELECT TOP 0 id FROM marks ORDER BY points;
GO
DROP TABLE marks;
