-- ORDER BY behind a set operation may repeat an expression that the first SELECT lists, in the terms of its tables.
-- https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql: the items must appear in the select list.
CREATE TABLE a (id INT, n VARCHAR(5))
INSERT a VALUES (2, 'b'), (1, 'a')
GO
SELECT id, UPPER(n) AS u FROM a UNION ALL SELECT 9, 'z' ORDER BY UPPER(n) DESC
SELECT a.id, UPPER(a.n) AS u FROM a UNION SELECT 9, 'z' ORDER BY UPPER(a.n), a.id
SELECT id + 1 AS next FROM a UNION SELECT 9 ORDER BY id + 1 DESC
SELECT OBJECT_NAME(object_id) AS name, id FROM (SELECT OBJECT_ID('a') AS object_id, id FROM a) AS d
UNION SELECT 'b', 5 ORDER BY OBJECT_NAME(d.object_id) DESC, d.id
GO
SELECT id, n FROM a UNION SELECT 9, 'z' ORDER BY LOWER(n)
GO
SELECT id FROM a UNION SELECT 9 ORDER BY id + 1
GO
SELECT id FROM a UNION SELECT 9 ORDER BY nothing + 1
GO
DROP TABLE a
