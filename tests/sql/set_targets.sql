-- What stands before a column that is set is the target, by its alias or as the statement begins with it. learn.microsoft.com: UPDATE;
-- MERGE; OUTPUT clause, "INTO".
CREATE TABLE t (id int IDENTITY CONSTRAINT pk_t PRIMARY KEY, a int, v int)
CREATE TABLE d (id int IDENTITY, x int)
INSERT t VALUES (1, 1), (2, 2)
GO
UPDATE t SET t.v = 5, dbo.t.a = 6 WHERE id = 1
UPDATE x SET x.v = 7 FROM t AS x WHERE x.id = 2
UPDATE t SET t.v = 8 FROM t AS x WHERE x.id = 2
;WITH c AS (SELECT * FROM t) UPDATE c SET c.a = 9 WHERE id = 2
MERGE t AS x USING (VALUES (1)) AS s (id) ON x.id = s.id WHEN MATCHED THEN UPDATE SET x.v = 10;
SELECT * FROM t ORDER BY id
GO
UPDATE t SET nope.v = 5
GO
UPDATE x SET t.v = 5 FROM t AS x
GO
UPDATE x SET y.v = 5 FROM t AS x JOIN t AS y ON x.id = y.id
GO
UPDATE t SET other.t.v = 5
GO
MERGE t AS x USING (VALUES (1)) AS s (id) ON x.id = s.id WHEN MATCHED THEN UPDATE SET t.v = 10;
GO
MERGE t AS x USING (VALUES (1)) AS s (id) ON x.id = s.id WHEN MATCHED THEN UPDATE SET s.id = 10;
GO
-- The identity column of a table that OUTPUT fills.
INSERT t (a) OUTPUT inserted.a INTO d VALUES (3)
SELECT * FROM d
GO
INSERT t (a) OUTPUT inserted.a, inserted.v INTO d VALUES (3)
GO
INSERT t (a) OUTPUT inserted.id, inserted.a INTO d (id, x) VALUES (3)
GO
SELECT *
GO
SELECT t.*
GO
