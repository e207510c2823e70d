-- Queries whose time would grow with the square of their rows: each answer beside the same asked another way, and plans.
-- https://learn.microsoft.com/sql/t-sql/queries/is-distinct-from-transact-sql, .../t-sql/language-elements/like-transact-sql,
-- .../t-sql/queries/with-common-table-expression-transact-sql, .../t-sql/queries/select-over-clause-transact-sql
CREATE TABLE p (id int NOT NULL CONSTRAINT pk_p PRIMARY KEY, c int NOT NULL, v int NULL, s varchar(20) NULL, n nvarchar(20) NULL);
CREATE TABLE q (id int NOT NULL CONSTRAINT pk_q PRIMARY KEY, c int NOT NULL, v int NULL, lo int NOT NULL, hi int NOT NULL);
INSERT p SELECT value, value % 7, NULLIF(value * 37 % 101, 5), 'n' + CAST(value % 90 AS varchar(5)), N'N' + CAST(value % 90 AS nvarchar(5)) FROM GENERATE_SERIES(1, 600);
INSERT q SELECT value, value % 5, NULLIF(value * 53 % 103, 7), value * 2, value * 2 + 1 FROM GENERATE_SERIES(1, 600);
CREATE INDEX ix_s ON p (s);
CREATE INDEX ix_n ON p (n) INCLUDE (c);
CREATE INDEX ix_cv ON p (c, v);
GO
-- Subqueries of which many rows ask the same.
SELECT COUNT(*) FROM p WHERE v > (SELECT AVG(v) FROM q WHERE q.c = p.c);
SELECT COUNT(*) FROM p JOIN (SELECT c, AVG(v) AS a FROM q GROUP BY c) g ON g.c = p.c WHERE p.v > g.a;
SELECT COUNT(*) FROM p WHERE v >= ALL (SELECT v FROM q WHERE q.c = p.c AND v IS NOT NULL);
SELECT COUNT(*) FROM p LEFT JOIN (SELECT c, MAX(v) AS m FROM q GROUP BY c) g ON g.c = p.c WHERE p.v >= g.m OR g.c IS NULL;
SELECT COUNT(*) FROM p WHERE v >= ALL (SELECT v FROM q WHERE q.c = p.c);
SELECT COUNT(*) FROM p WHERE v > ANY (SELECT v FROM q WHERE q.c = p.c);
SELECT COUNT(*) FROM p JOIN (SELECT c, MIN(v) AS m FROM q GROUP BY c) g ON g.c = p.c WHERE p.v > g.m;
SELECT SUM(x) FROM (SELECT (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v > 50) AS x FROM p) y;
SELECT COUNT(*) FROM (SELECT c, v FROM p GROUP BY c, v HAVING v > (SELECT AVG(v) FROM q WHERE q.c = p.c)) y;
SELECT COUNT(x.v), SUM(x.v) FROM p OUTER APPLY (SELECT TOP 1 v FROM q WHERE q.c = p.c ORDER BY v DESC) x;
SELECT COUNT(m), SUM(m) FROM p LEFT JOIN (SELECT c, MAX(v) AS m FROM q GROUP BY c) g ON g.c = p.c;
SELECT COUNT(x.id), SUM(x.id) FROM p CROSS APPLY (SELECT TOP 3 id FROM q WHERE q.c = p.c ORDER BY v, id) x;
SELECT COUNT(r.id), SUM(r.id) FROM p JOIN (SELECT id, c, ROW_NUMBER() OVER (PARTITION BY c ORDER BY v, id) AS r FROM q) r ON r.c = p.c AND r.r <= 3;
-- What is random is asked anew for each row.
SELECT CASE WHEN COUNT(DISTINCT x) > 3 THEN 'many' END FROM (SELECT (SELECT TOP 1 q.id FROM q WHERE q.c = p.c ORDER BY NEWID()) AS x FROM p WHERE c = 1) y;
SELECT CASE WHEN COUNT(DISTINCT x.id) > 3 THEN 'many' END FROM p CROSS APPLY (SELECT TOP 1 q.id FROM q WHERE q.c = p.c ORDER BY NEWID()) x WHERE p.c = 1;
-- An inner query within one that asks for other columns.
SELECT SUM(x.k) FROM p CROSS APPLY (SELECT TOP 1 y.k FROM q CROSS APPLY (SELECT COUNT(*) AS k FROM q z WHERE z.c = p.c AND z.id <= q.id) y WHERE q.c = p.c ORDER BY q.id DESC) x;
SELECT SUM(g.k) FROM (SELECT c, COUNT(*) AS k FROM q GROUP BY c) g JOIN p ON p.c = g.c;
GO
-- NULL as equal to NULL.
SELECT COUNT(*) FROM p JOIN q ON p.v IS NOT DISTINCT FROM q.v;
SELECT COUNT(*) FROM p JOIN q ON EXISTS (SELECT p.v INTERSECT SELECT q.v);
SELECT COUNT(*) FROM p JOIN q ON p.v = q.v OR p.v IS NULL AND q.v IS NULL;
SELECT COUNT(*) FROM p JOIN q ON ISNULL(p.v, -1) = ISNULL(q.v, -1);
SELECT COUNT(*) FROM p JOIN q ON EXISTS (SELECT p.v, p.c INTERSECT SELECT q.v, q.c);
SELECT COUNT(*) FROM p JOIN q ON ISNULL(p.v, -1) = ISNULL(q.v, -1) AND p.c = q.c;
SELECT COUNT(*), COUNT(q.id) FROM p LEFT JOIN q ON p.v IS NOT DISTINCT FROM q.v AND q.c = 1;
SELECT COUNT(*) FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.v IS NOT DISTINCT FROM p.v AND q.c = 2);
SELECT COUNT(*) FROM p WHERE ISNULL(v, -1) NOT IN (SELECT ISNULL(v, -1) FROM q WHERE c = 2);
SELECT COUNT(*) FROM p JOIN q ON q.id = p.id WHERE EXISTS (SELECT p.v EXCEPT SELECT q.v);
SELECT COUNT(*) FROM p JOIN q ON q.id = p.id WHERE p.v IS DISTINCT FROM q.v;
SELECT COUNT(*) FROM p JOIN q ON q.id = p.id WHERE NOT EXISTS (SELECT p.v INTERSECT SELECT q.v);
SELECT COUNT(*) FROM p JOIN p r ON p.s IS NOT DISTINCT FROM r.s;
SELECT CASE WHEN EXISTS (SELECT NULL INTERSECT SELECT NULL) THEN 1 END, CASE WHEN EXISTS (SELECT 1, 'a' INTERSECT SELECT 1, 'A') THEN 1 END, CASE WHEN EXISTS (SELECT 1 EXCEPT SELECT NULL) THEN 1 END;
GO
-- One comparison beside coarse keys.
SELECT COUNT(*) FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v > p.v + 40);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v > p.v + 40) > 0;
SELECT COUNT(*) FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v >= p.v);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v >= p.v) = 0;
SELECT COUNT(*) FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v <> p.v);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v <> p.v) > 0;
SELECT COUNT(*) FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.v > p.v + 2);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.v > p.v + 2) = 0;
SELECT COUNT(*) FROM p WHERE EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v > p.v AND q.id <> p.id);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v > p.v AND q.id <> p.id) > 0;
SELECT COUNT(*) FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v > p.v AND q.id < p.id);
SELECT COUNT(*) FROM p WHERE (SELECT COUNT(*) FROM q WHERE q.c = p.c AND q.v > p.v AND q.id < p.id) = 0;
-- NOT IN beside a coarse key, with NULLs on both sides.
SELECT COUNT(*) FROM p WHERE v NOT IN (SELECT v FROM q WHERE q.c = p.c);
SELECT COUNT(*) FROM p WHERE v <> ALL (SELECT v FROM q WHERE q.c = p.c AND q.v < 30);
SELECT COUNT(*) FROM p WHERE CASE WHEN v NOT IN (SELECT v FROM q WHERE q.c = p.c AND q.v < 30) THEN 1 END = 1;
SELECT COUNT(*) FROM p WHERE v NOT IN (SELECT v FROM q WHERE q.c = p.c AND (q.v < 30 OR q.v IS NULL AND q.c = 3));
SELECT COUNT(*) FROM p WHERE CASE WHEN v NOT IN (SELECT v FROM q WHERE q.c = p.c AND (q.v < 30 OR q.v IS NULL AND q.c = 3)) THEN 1 END = 1;
-- A join by what a subquery gives.
SELECT COUNT(*), SUM(q.id) FROM p JOIN q ON q.id = (SELECT TOP 1 z.id FROM q z WHERE z.c = p.c ORDER BY z.v DESC, z.id);
SELECT COUNT(*), SUM(x.id) FROM p CROSS APPLY (SELECT TOP 1 z.id FROM q z WHERE z.c = p.c ORDER BY z.v DESC, z.id) x;
SELECT COUNT(*), COUNT(q.id), SUM(q.id) FROM p LEFT JOIN q ON q.id = (SELECT MAX(z.id) FROM q z WHERE z.lo <= p.id) AND q.c > 1;
SELECT COUNT(*), COUNT(q.id), SUM(q.id) FROM p OUTER APPLY (SELECT q.id FROM q WHERE q.c > 1 AND q.id = (SELECT MAX(z.id) FROM q z WHERE z.lo <= p.id)) q;
SELECT COUNT(*) FROM p, q WHERE (SELECT COUNT(*) FROM p z WHERE z.c = p.c) = q.lo;
GO
-- Frames that slide.
SELECT SUM(m), SUM(k), COUNT(m) FROM (SELECT MAX(v) OVER (ORDER BY id ROWS BETWEEN 20 PRECEDING AND 3 PRECEDING) AS m, MIN(v) OVER (PARTITION BY c ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) AS k FROM p) y;
SELECT SUM(m), SUM(k), COUNT(m) FROM p x CROSS APPLY (SELECT (SELECT MAX(v) FROM p y WHERE y.id BETWEEN x.id - 20 AND x.id - 3) AS m, (SELECT MIN(v) FROM p y WHERE y.c = x.c AND y.id BETWEEN x.id - 14 AND x.id + 14) AS k) z;
SELECT MIN(m), MAX(m), COUNT(DISTINCT m) FROM (SELECT MAX(s) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING) AS m FROM p) y;
SELECT MIN(m), MAX(m), COUNT(DISTINCT m) FROM p x CROSS APPLY (SELECT MAX(s) AS m FROM p y WHERE y.id BETWEEN x.id AND x.id + 9) z;
SELECT SUM(m) FROM (SELECT SUM(CAST(v AS float)) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS m FROM p) y;
SELECT SUM(m) FROM p x CROSS APPLY (SELECT SUM(CAST(v AS float)) AS m FROM p y WHERE y.id >= x.id) z;
GO
-- LIKE with a beginning.
INSERT p VALUES (1001, 1, 1, 'Co-op', N'Co-op'), (1002, 1, 1, 'coop', N'coop'), (1003, 1, 1, 'co', N'co'), (1004, 1, 1, 'co' + CHAR(9), N'co' + NCHAR(9)), (1005, 1, 1, 'CO op  ', N'CO op  '), (1006, 1, 1, NULL, NULL), (1007, 1, 1, 'co_p', N'co_p'), (1008, 1, 1, 'cp', N'cp'), (1009, 1, 1, 'co%', N'co%'), (1010, 1, 1, '', N'');
SELECT id, s FROM p WHERE s LIKE 'co%' ORDER BY id;
SELECT COUNT(*) FROM p WHERE s + '' LIKE 'co%';
SELECT id FROM p WHERE n LIKE N'co%' ORDER BY id;
SELECT COUNT(*) FROM p WHERE n + N'' LIKE N'co%';
SELECT id FROM p WHERE s LIKE 'co-%' ORDER BY id;
SELECT id FROM p WHERE n LIKE N'co-%' ORDER BY id;
SELECT id FROM p WHERE n LIKE N'coo%' ORDER BY id;
SELECT id FROM p WHERE s LIKE 'co ' ORDER BY id;
SELECT id FROM p WHERE s LIKE 'co %' ORDER BY id;
SELECT id FROM p WHERE s LIKE 'co[_]%' ORDER BY id;
SELECT id FROM p WHERE s LIKE 'co!_%' ESCAPE '!' ORDER BY id;
SELECT COUNT(*) FROM p WHERE s LIKE 'n1%';
SELECT COUNT(*) FROM p WHERE LEFT(s, 2) = 'n1';
SELECT COUNT(*) FROM p WHERE s LIKE 'n_2';
SELECT COUNT(*) FROM p WHERE n LIKE N'n1_';
DECLARE @a varchar(20) = 'n2%', @b varchar(20) = '%2', @c varchar(20), @d nvarchar(20) = N'N3%';
SELECT COUNT(*) FROM p WHERE s LIKE @a;
SELECT COUNT(*) FROM p WHERE s LIKE @b;
SELECT COUNT(*) FROM p WHERE s LIKE @c;
SELECT COUNT(*), SUM(c) FROM p WHERE n LIKE @d;
SELECT COUNT(*) FROM p x JOIN p y ON y.s LIKE x.s + '%' WHERE x.id < 50;
SELECT COUNT(*) FROM p x JOIN p y ON LEFT(y.s, LEN(x.s)) = x.s WHERE x.id < 50;
GO
-- Rounds of a recursive query, a page after a key, ranges.
WITH t AS (SELECT id, lo FROM q WHERE id = 1 UNION ALL SELECT q.id, q.lo FROM t JOIN q ON q.lo = t.lo + 2) SELECT COUNT(*), MAX(id) FROM t OPTION (MAXRECURSION 0);
DECLARE @k int = 3, @v int = 90;
SELECT TOP 3 c, v, id FROM p WHERE c > @k OR c = @k AND v > @v ORDER BY c, v, id;
SELECT TOP 3 c, v, id FROM p WHERE c < @k OR c = @k AND v < 3 ORDER BY c DESC, v DESC, id DESC;
SELECT COUNT(*) FROM p JOIN q ON p.id BETWEEN q.lo AND q.hi;
SELECT COUNT(*) FROM q JOIN p ON q.lo <= p.id AND q.hi >= p.id;
-- Keys of many parents that are gone, with children that no index finds by them.
CREATE TABLE pa (id int NOT NULL CONSTRAINT pk_pa PRIMARY KEY, k int NULL CONSTRAINT uq_pa UNIQUE);
CREATE TABLE ch (id int NOT NULL CONSTRAINT pk_ch PRIMARY KEY, pid int NULL CONSTRAINT fk_ch REFERENCES pa (id), k int NULL CONSTRAINT fk_ch_k REFERENCES pa (k) ON DELETE SET NULL ON UPDATE CASCADE);
INSERT pa SELECT value, value * 10 FROM GENERATE_SERIES(1, 400);
INSERT ch SELECT value, value % 50 + 1, (value % 60 + 300) * 10 FROM GENERATE_SERIES(1, 300);
DELETE pa WHERE id BETWEEN 51 AND 99;
SELECT @@ROWCOUNT, COUNT(*) FROM ch WHERE k IS NULL;
DELETE pa WHERE id BETWEEN 320 AND 330;
SELECT COUNT(*), COUNT(k) FROM ch;
UPDATE pa SET k = k + 1 WHERE id BETWEEN 300 AND 319;
SELECT COUNT(k), MIN(k), MAX(k), SUM(k) FROM ch WHERE k % 10 = 1;
DELETE pa WHERE id BETWEEN 50 AND 110;
DELETE pa WHERE id > 100;
SELECT COUNT(*) FROM pa;
UPDATE pa SET id = 451 - id WHERE id <= 50;
SELECT COUNT(*) FROM pa JOIN ch ON ch.pid = pa.id;
GO
-- What a trigger asks of its rows.
CREATE TRIGGER tr_pa ON pa AFTER UPDATE AS
UPDATE pa SET k = (SELECT d.id FROM deleted d WHERE d.id = pa.id) WHERE id IN (SELECT id FROM inserted WHERE k < 0);
GO
UPDATE pa SET k = -id;
SELECT COUNT(*), SUM(id - k) FROM pa;
DECLARE @t TABLE (id int, v int);
INSERT @t SELECT value, value % 40 FROM GENERATE_SERIES(1, 400);
SELECT SUM(x) FROM (SELECT (SELECT COUNT(*) FROM @t u WHERE u.v = t.v AND u.id <= t.id) AS x FROM @t t) y;
DELETE t FROM @t t WHERE EXISTS (SELECT 1 FROM @t u WHERE u.v = t.v AND u.id < t.id);
SELECT COUNT(*), SUM(v) FROM @t;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM p JOIN q ON p.v IS NOT DISTINCT FROM q.v;
GO
SELECT COUNT(*) FROM p JOIN q ON EXISTS (SELECT p.v, p.c INTERSECT SELECT q.v, q.c);
GO
SELECT COUNT(*) FROM p JOIN q ON p.v = q.v OR p.v IS NULL AND q.v IS NULL;
GO
SELECT COUNT(*) FROM p WHERE NOT EXISTS (SELECT 1 FROM q WHERE q.c = p.c AND q.v >= p.v);
GO
SELECT COUNT(*) FROM p WHERE v NOT IN (SELECT v FROM q WHERE q.c = p.c);
GO
SELECT COUNT(*) FROM p JOIN q ON q.id = (SELECT TOP 1 z.id FROM q z WHERE z.c = p.c ORDER BY z.v DESC, z.id);
GO
SELECT s FROM p WHERE s LIKE 'co%';
GO
SELECT id, v FROM p WHERE s LIKE 'coo%';
GO
SELECT s FROM p WHERE s LIKE '%co';
GO
DECLARE @a varchar(20) = 'n2%';
SELECT COUNT(*) FROM p WHERE s LIKE @a;
GO
SELECT COUNT(*) FROM p x JOIN p y ON y.s LIKE x.s + '%' WHERE x.id < 50;
GO
WITH t AS (SELECT id, lo FROM q WHERE id = 1 UNION ALL SELECT q.id, q.lo FROM t JOIN q ON q.lo = t.lo + 2) SELECT COUNT(*), MAX(id) FROM t OPTION (MAXRECURSION 0);
GO
SELECT TOP 3 c, v, id FROM p WHERE c > 3 OR c = 3 AND v > 90 ORDER BY c, v, id;
GO
SELECT COUNT(*) FROM p JOIN q ON p.id BETWEEN q.lo AND q.hi;
GO
SET SHOWPLAN_TEXT OFF;
GO
