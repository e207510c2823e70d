-- Hints that leave no plan: 8622, and indexes named as the table is written: 307, 308.
-- https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table
CREATE TABLE t (id int CONSTRAINT pk_t PRIMARY KEY, v int, w int INDEX by_w)
INSERT t VALUES (1, 1, 1), (2, 2, 2)
GO
SELECT 1
SELECT v FROM t WITH (FORCESEEK)
GO
SELECT v FROM t WITH (FORCESEEK) WHERE v = 1
GO
SELECT v FROM t WITH (FORCESEEK, INDEX(0)) WHERE id = 1
GO
SELECT v FROM t WITH (INDEX(0), INDEX(pk_t))
GO
SELECT v FROM t WITH (INDEX(1, 0))
GO
SELECT v FROM t WITH (INDEX(nowhere))
GO
SELECT v FROM dbo.t WITH (INDEX(7))
GO
SELECT v FROM t WITH (FORCESEEK) WHERE id = 1
SELECT v FROM t WITH (FORCESEEK) WHERE w > 1
SELECT v FROM t WITH (FORCESEEK(by_w (w))) WHERE w = 1
SELECT b.v FROM t a JOIN t b WITH (FORCESEEK) ON b.id = a.w ORDER BY b.v
SELECT v FROM t WITH (FORCESEEK) WHERE id = 1 OR w = 2 ORDER BY v
SELECT v FROM t WITH (FORCESEEK) WHERE id IN (SELECT w FROM t) ORDER BY v
UPDATE t SET v = 9 FROM t WITH (FORCESEEK) WHERE id = 1
GO
