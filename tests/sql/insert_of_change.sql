-- INSERT of what a change in FROM gives out. learn.microsoft.com: OUTPUT clause ("inserting data returned from an OUTPUT clause");
-- MERGE ("inserting the results of the MERGE statement into another table").
CREATE TABLE stock (id int IDENTITY CONSTRAINT pk_stock PRIMARY KEY, item varchar(10) CONSTRAINT uq_item UNIQUE, quantity int)
CREATE TABLE log (id int IDENTITY(100, 1), act nvarchar(10), item varchar(10), was int)
INSERT stock VALUES ('a', 1), ('b', 2), ('c', 3)
GO
INSERT INTO log (act, item, was)
SELECT act, item, was
FROM (MERGE stock AS t USING (VALUES ('a', 10), ('d', 40)) AS s (item, quantity) ON t.item = s.item
      WHEN MATCHED THEN UPDATE SET quantity = s.quantity
      WHEN NOT MATCHED THEN INSERT (item, quantity) VALUES (s.item, s.quantity)
      WHEN NOT MATCHED BY SOURCE AND t.item = 'c' THEN DELETE
      OUTPUT $action, ISNULL(inserted.item, deleted.item), deleted.quantity) AS changes (act, item, was)
WHERE act <> 'INSERT'
SELECT @@ROWCOUNT AS n
SELECT act, item, was FROM log ORDER BY item
SELECT item, quantity FROM stock ORDER BY item
GO
TRUNCATE TABLE log
INSERT log SELECT 'gone', x.item, x.quantity * 2 FROM (DELETE stock OUTPUT deleted.item, deleted.quantity WHERE quantity > 5) AS x
SELECT act, item, was FROM log ORDER BY item
INSERT log (item, was) SELECT item, was FROM (UPDATE stock SET quantity += 1 OUTPUT deleted.quantity, inserted.item) AS x (was, item)
SELECT item, was FROM log WHERE act IS NULL
GO
-- Identity values are those of the change.
TRUNCATE TABLE log
INSERT log (item) SELECT item FROM (INSERT stock OUTPUT inserted.item VALUES ('e', 5), ('f', 6)) AS x
SELECT SCOPE_IDENTITY() AS scope_identity, @@IDENTITY AS last_identity, (SELECT MAX(id) FROM stock) AS of_stock
INSERT log (act, was) OUTPUT inserted.was SELECT 'sum', SUM(quantity) FROM (UPDATE stock SET quantity *= 2 OUTPUT inserted.quantity) AS x
INSERT log (act) SELECT TOP (1) item FROM (DELETE stock OUTPUT deleted.item WHERE item > 'd') AS x ORDER BY item DESC
SELECT act FROM log WHERE act LIKE '_'
SELECT item FROM stock
GO
-- Both or none.
BEGIN TRY
  INSERT log (was) SELECT 1 / (quantity - quantity) FROM (UPDATE stock SET quantity = 1000 OUTPUT inserted.quantity) AS x
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number
END CATCH
SELECT MAX(quantity) AS quantity FROM stock
GO
CREATE PROCEDURE again @n int AS INSERT log (was) SELECT quantity FROM (UPDATE stock SET quantity = @n OUTPUT inserted.quantity) AS x
GO
EXEC again 7
EXEC again 8
SELECT was FROM log WHERE was IN (7, 8)
DECLARE @t TABLE (n int)
INSERT @t SELECT n FROM (UPDATE stock SET quantity = 9 OUTPUT inserted.quantity) AS x (n)
SELECT n FROM @t
GO
SELECT * FROM (DELETE stock OUTPUT deleted.item) AS x
GO
INSERT log (item) SELECT x.item FROM (DELETE stock OUTPUT deleted.item) AS x JOIN stock ON 1 = 1
GO
INSERT log (item) SELECT item FROM stock WHERE EXISTS (SELECT * FROM (DELETE stock OUTPUT deleted.item) AS x)
GO
INSERT log (item) SELECT 'a' FROM (DELETE stock) AS x
GO
DECLARE @t TABLE (item varchar(10))
INSERT log (item) SELECT item FROM (DELETE stock OUTPUT deleted.item INTO @t OUTPUT deleted.item) AS x
GO
CREATE VIEW shown AS SELECT item FROM log
GO
INSERT shown SELECT item FROM (DELETE stock OUTPUT deleted.item) AS x
GO
CREATE TABLE child (item varchar(10) CONSTRAINT fk_child REFERENCES stock (item))
GO
INSERT child SELECT item FROM (DELETE stock OUTPUT deleted.item) AS x
GO
DROP TABLE child
GO
CREATE TRIGGER hears ON log AFTER INSERT AS PRINT 'heard'
GO
INSERT log (item) SELECT item FROM (DELETE stock OUTPUT deleted.item) AS x
GO
DROP TRIGGER hears
SELECT COUNT(*) AS n FROM stock
GO
