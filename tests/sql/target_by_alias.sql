-- UPDATE and DELETE with FROM: the target is what FROM has of the same object, under whatever alias, if it has it once: a table, a table
-- variable, a view, a synonym's table. A common table expression has no object, so its other name joins.
-- https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql
CREATE TABLE t (k INT, v INT)
CREATE TABLE b (bk INT, w INT)
INSERT t VALUES (1, 0), (2, 0), (3, 0)
INSERT b VALUES (1, 5)
GO
CREATE VIEW vv AS SELECT k, v FROM t
GO
CREATE SYNONYM sy FOR t
GO
DECLARE @a TABLE (k INT, v INT)
INSERT @a SELECT k, v FROM t
UPDATE @a SET v = w FROM @a AS x JOIN b ON k = bk
SELECT * FROM @a
UPDATE @a SET v = w + 1 FROM b JOIN @a ON k + 1 = bk + 2
SELECT * FROM @a
UPDATE x SET v = 9 FROM @a AS x WHERE k = 3
DELETE @a FROM @a AS x WHERE x.k = 2
DELETE FROM @a FROM @a AS x JOIN b ON x.k = b.bk
SELECT * FROM @a
GO
DECLARE @a TABLE (k INT, v INT)
UPDATE @a SET v = 1 FROM @a AS x JOIN @a AS y ON x.k = y.k
GO
DECLARE @a TABLE (k INT, v INT)
DECLARE @c TABLE (k INT, v INT)
INSERT @a VALUES (1, 0), (2, 0)
INSERT @c VALUES (1, 7)
-- Another variable of the same shape is none.
UPDATE @a SET v = x.v FROM @c AS x WHERE x.k = 1
SELECT * FROM @a
GO
UPDATE vv SET v = w FROM vv AS x JOIN b ON k = bk
SELECT * FROM t
UPDATE dbo.vv SET v = w + 1 FROM b JOIN dbo.vv AS x ON x.k = b.bk + 1
SELECT * FROM t
DELETE vv FROM vv AS x WHERE x.k = 2
SELECT * FROM t
UPDATE vv SET v = 1 FROM vv AS x JOIN vv AS y ON x.k = y.k
GO
UPDATE sy SET v = 20 FROM sy AS x WHERE x.k = 3
SELECT * FROM t;
WITH c AS (SELECT k, v FROM t) UPDATE c SET v = 30 FROM c AS x JOIN b ON x.k = bk
SELECT * FROM t
UPDATE vv SET v = 40 FROM (SELECT * FROM vv) AS x JOIN b ON x.k = bk
SELECT * FROM t
GO
DROP VIEW vv
DROP SYNONYM sy
DROP TABLE t, b
