-- A view, CTE or derived table that is changed: OUTPUT names its columns, and only those; which table a statement changes is said by the
-- columns it sets or lists. learn.microsoft.com: OUTPUT clause; CREATE VIEW, "Updatable views"; WITH common_table_expression.
CREATE TABLE a (id int CONSTRAINT pk_a PRIMARY KEY, x int)
CREATE TABLE b (id int CONSTRAINT pk_b PRIMARY KEY, y int)
INSERT a VALUES (1, 1), (2, 2), (3, 3)
INSERT b VALUES (1, 10), (2, 20)
GO
CREATE VIEW named AS SELECT id AS k, x AS val, x + 1 AS further FROM a
GO
CREATE VIEW outer_one AS SELECT k AS kk, further * 10 AS tens FROM named
GO
CREATE VIEW joined AS SELECT a.id, a.x, b.y, b.id AS b_id, a.x * 2 AS twice, 5 AS five FROM a JOIN b ON a.id = b.id
GO
UPDATE named SET val = 7 OUTPUT inserted.k, deleted.val AS was, inserted.val, deleted.further AS was_further, inserted.further WHERE k = 1
UPDATE named SET val = 8 OUTPUT inserted.* WHERE k = 1
UPDATE outer_one SET kk = 30 OUTPUT deleted.kk AS was, inserted.* WHERE kk = 3
INSERT named (k, val) OUTPUT inserted.k, inserted.further VALUES (4, 40)
INSERT named (k, val) OUTPUT inserted.* VALUES (5, 50)
DELETE named OUTPUT deleted.further, deleted.* WHERE k = 4
GO
UPDATE named SET val = 9 OUTPUT inserted.x WHERE k = 1
GO
WITH c AS (SELECT id AS k FROM a) DELETE c OUTPUT deleted.* WHERE k = 5
GO
WITH c AS (SELECT id, x, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM a) UPDATE c SET x = rn OUTPUT deleted.rn, inserted.x
GO
WITH c AS (SELECT *, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM a) DELETE c OUTPUT deleted.* WHERE rn > 2
GO
UPDATE d SET v = 100 OUTPUT inserted.k, deleted.v, deleted.one FROM (SELECT id AS k, x AS v, 1 AS one FROM a) d WHERE k = 2
GO
DECLARE @log TABLE (k int, further int)
DELETE TOP (1) named OUTPUT deleted.k, deleted.further INTO @log WHERE k = 2
SELECT * FROM @log
INSERT a VALUES (2, 2)
GO
MERGE named USING (VALUES (1, 11), (6, 60)) s (k, v) ON named.k = s.k WHEN MATCHED THEN UPDATE SET val = s.v
  WHEN NOT MATCHED THEN INSERT (k, val) VALUES (s.k, s.v) OUTPUT $action, inserted.k, deleted.further AS was, inserted.further;
GO
-- Two tables: the one whose columns are set.
UPDATE joined SET x = 70 OUTPUT inserted.x, deleted.twice, inserted.five WHERE id = 1
UPDATE joined SET y = 71 OUTPUT inserted.y WHERE id = 1
GO
UPDATE joined SET x = 1 OUTPUT inserted.x, inserted.y WHERE id = 1
GO
UPDATE joined SET x = 1 OUTPUT deleted.* WHERE id = 1
GO
UPDATE joined SET x = 1, y = 2
GO
UPDATE joined SET twice = 1
GO
INSERT joined (id, x) VALUES (7, 7)
INSERT joined (b_id, y) OUTPUT inserted.y VALUES (7, 77)
SELECT * FROM joined WHERE id = 7
GO
INSERT joined (id, y) VALUES (8, 8)
GO
INSERT joined (id, x, five) VALUES (8, 8, 8)
GO
INSERT joined VALUES (8, 8, 8, 8, 8, 8)
GO
INSERT named VALUES (8, 8)
GO
INSERT named (k, val, further) VALUES (8, 8, 8)
GO
MERGE joined USING (VALUES (1)) s (i) ON joined.id = s.i WHEN MATCHED THEN UPDATE SET y = 90 OUTPUT inserted.y, deleted.b_id;
GO
MERGE joined USING (VALUES (1)) s (i) ON joined.id = s.i WHEN MATCHED THEN UPDATE SET y = 90, x = 1;
GO
MERGE joined USING (VALUES (1)) s (i) ON joined.id = s.i WHEN MATCHED THEN DELETE;
GO
-- Into a CTE.
WITH c AS (SELECT id, x FROM a) INSERT c OUTPUT inserted.* VALUES (8, 80)
GO
WITH c AS (SELECT id AS k, x AS v, x + 1 AS more FROM a) INSERT INTO c (k, v) OUTPUT inserted.more SELECT k + 1, v FROM c WHERE k = 8
GO
WITH c AS (SELECT COUNT(*) AS n FROM a) INSERT c VALUES (1)
GO
-- What asks another query is known of no changed row.
CREATE VIEW asking AS SELECT id, x, (SELECT MAX(y) FROM b) AS top_y FROM a
GO
UPDATE asking SET x = 3 OUTPUT inserted.x WHERE id = 1
GO
UPDATE asking SET x = 3 OUTPUT inserted.top_y WHERE id = 1
GO
