-- The columns of a view are those that it had when it was made: `*` does not follow its table until sp_refreshview or ALTER VIEW. 4502 where
-- columns have gone. learn.microsoft.com: CREATE VIEW, "Remarks"; sp_refreshview.
CREATE TABLE t (a int, b int)
INSERT t VALUES (1, 2)
GO
CREATE VIEW v AS SELECT * FROM t
GO
CREATE VIEW above AS SELECT v.*, 5 AS c FROM v
GO
ALTER TABLE t ADD c int, d varchar(5)
GO
UPDATE t SET c = 3, d = 'd'
GO
SELECT * FROM v
SELECT * FROM above
GO
SELECT c FROM v
GO
INSERT v VALUES (7, 8)
SELECT * FROM t ORDER BY a
GO
EXEC sp_refreshview 'v'
SELECT * FROM v ORDER BY a
SELECT * FROM above ORDER BY a
EXEC sp_refreshview 'above'
GO
SELECT * FROM above ORDER BY a
GO
-- Their names stay in their places.
ALTER TABLE t DROP COLUMN b
ALTER TABLE t ADD e int
GO
SELECT a, b, d FROM v ORDER BY a
GO
ALTER TABLE t DROP COLUMN e, c
GO
SELECT * FROM v
GO
ALTER VIEW v AS SELECT * FROM t
GO
SELECT * FROM v ORDER BY a
GO
-- 4506: two columns of one name.
CREATE VIEW twice AS SELECT 1 AS a, 2 AS a
GO
CREATE VIEW twice (a, b) AS SELECT 1 AS a, 2 AS a
GO
SELECT * FROM twice
GO
-- 4427: what is inserted may not be among the first.
CREATE VIEW first_ones AS SELECT TOP (5) a FROM t ORDER BY a WITH CHECK OPTION
GO
INSERT first_ones VALUES (1)
GO
UPDATE first_ones SET a = 2
GO
