-- A view or a common table expression that a query names twice: groups that are the same are made once.
-- https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql
CREATE TABLE sold (id int NOT NULL PRIMARY KEY, shop int NOT NULL, item int NOT NULL, price decimal(9, 2) NOT NULL);
INSERT sold SELECT value, value % 40, value % 7, value % 100 FROM GENERATE_SERIES(1, 4000);
CREATE TABLE shop (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL, city int NOT NULL);
INSERT shop SELECT value, CONCAT('shop ', value), value % 4 FROM GENERATE_SERIES(0, 39);
GO
CREATE VIEW revenue AS SELECT shop, SUM(price) AS total, COUNT(*) AS number FROM sold WHERE item <> 3 GROUP BY shop
GO
SET SHOWPLAN_TEXT ON
GO
SELECT s.name, r.total FROM shop s JOIN revenue r ON r.shop = s.id WHERE r.total = (SELECT MAX(total) FROM revenue) ORDER BY s.name
GO
WITH c AS (SELECT city, SUM(price) AS total FROM sold JOIN shop ON shop.id = sold.shop GROUP BY city)
SELECT a.city, b.city FROM c a JOIN c b ON b.total > a.total ORDER BY a.city, b.city
GO
-- Other rows, other groups, other values each time, or such as an outer row has a part in: nothing is shared.
SELECT (SELECT MAX(total) FROM revenue), (SELECT SUM(price) FROM sold WHERE item <> 4)
GO
WITH c AS (SELECT item, COUNT(*) AS number FROM (SELECT item, CHECKSUM(NEWID()) AS chance FROM sold) s WHERE chance > 0 GROUP BY item)
SELECT COUNT(*) FROM c a JOIN c b ON a.number > b.number
GO
SET SHOWPLAN_TEXT OFF
GO
SELECT s.name, r.total FROM shop s JOIN revenue r ON r.shop = s.id WHERE r.total = (SELECT MAX(total) FROM revenue) ORDER BY s.name;
WITH c AS (SELECT city, SUM(price) AS total FROM sold JOIN shop ON shop.id = sold.shop GROUP BY city)
SELECT a.city, b.city FROM c a JOIN c b ON b.total > a.total ORDER BY a.city, b.city;
SELECT COUNT(*) AS above FROM revenue a WHERE total > (SELECT AVG(total) FROM revenue);
SELECT shop, total FROM revenue WHERE shop < 2 UNION ALL SELECT shop, total FROM revenue WHERE shop < 2 ORDER BY shop;
SELECT shop, total FROM revenue WHERE total > 4700 UNION ALL SELECT shop, -total FROM revenue WHERE total > 4700 ORDER BY shop, total;
GO
-- The plan runs again over other rows, and a change reads what was there before it.
CREATE PROCEDURE tops AS
SELECT COUNT(*) AS tops, MAX(r.total) AS total FROM revenue r WHERE r.total = (SELECT MAX(total) FROM revenue)
GO
EXEC tops;
UPDATE sold SET price = 1000 WHERE shop = 5 AND item = 1;
EXEC tops;
WITH c AS (SELECT shop, SUM(price) AS total FROM sold GROUP BY shop)
UPDATE s SET city = (SELECT COUNT(*) FROM c WHERE c.total > own.total) FROM shop s JOIN c own ON own.shop = s.id WHERE own.total >= (SELECT AVG(total) FROM c);
SELECT COUNT(*) AS changed, SUM(city) AS ranks FROM shop WHERE id IN (SELECT shop FROM sold GROUP BY shop HAVING SUM(price) >= (SELECT SUM(price) / 40 FROM sold));
INSERT sold SELECT 5000 + shop, shop, 0, total FROM revenue WHERE total < (SELECT AVG(total) FROM revenue);
EXEC tops;
DELETE sold WHERE shop IN (SELECT shop FROM revenue WHERE total = (SELECT MIN(total) FROM revenue));
EXEC tops;
GO
-- A cursor that is left in the middle, and one that is opened again.
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT r.shop FROM revenue r WHERE r.total >= (SELECT AVG(total) FROM revenue) ORDER BY r.shop;
DECLARE @shop int, @round int = 0;
WHILE @round < 2
BEGIN
    OPEN c; FETCH c INTO @shop; SELECT @shop AS first_shop; CLOSE c;
    UPDATE sold SET price = 5000 WHERE shop = 0;
    SET @round += 1
END
GO
-- Groups that a subquery compares each row with are made once, too.
SET SHOWPLAN_TEXT ON
GO
WITH c AS (SELECT shop, SUM(price) AS total FROM sold GROUP BY shop)
SELECT own.shop, (SELECT COUNT(*) FROM c WHERE c.total > own.total) AS above FROM c own WHERE own.shop < 3 ORDER BY own.shop
GO
SET SHOWPLAN_TEXT OFF
GO
WITH c AS (SELECT shop, SUM(price) AS total FROM sold GROUP BY shop)
SELECT own.shop, (SELECT COUNT(*) FROM c WHERE c.total > own.total) AS above FROM c own WHERE own.shop < 3 ORDER BY own.shop;
WITH c AS (SELECT shop, SUM(price) AS total FROM sold GROUP BY shop)
SELECT own.shop, RANK() OVER (ORDER BY own.total DESC) - 1 AS above FROM c own ORDER BY own.shop OFFSET 0 ROWS FETCH NEXT 3 ROWS ONLY;
SELECT id, (SELECT MAX(n) FROM (SELECT item, COUNT(*) AS n FROM sold WHERE shop = s.id GROUP BY item) g) AS most FROM shop s WHERE id IN (3, 5) ORDER BY id;
