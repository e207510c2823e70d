-- Rows without a partner stand where their table's rows do, as a hash join gives them that looks its partners up: programs that ask
-- INFORMATION_SCHEMA for columns count on their order. https://learn.microsoft.com/sql/relational-databases/performance/joins
CREATE TABLE seen (id int IDENTITY PRIMARY KEY, a varchar(5), b varchar(5) DEFAULT 'x', c int, d datetime2 DEFAULT SYSUTCDATETIME(), e bit)
GO
SELECT COLUMN_NAME, IIF(COLUMN_DEFAULT IS NULL, 'no', 'yes') AS has_default FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'seen'
SELECT name, definition FROM (SELECT c.name, d.definition FROM sys.columns c LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
  WHERE c.object_id = OBJECT_ID('seen')) AS q
GO
CREATE TABLE l (id int PRIMARY KEY, k int)
CREATE TABLE r (k int, v varchar(5))
INSERT l SELECT value, value % 5 FROM GENERATE_SERIES(1, 12)
INSERT r VALUES (1, 'one'), (1, 'uno'), (3, 'three'), (9, 'nine')
SELECT l.id, l.k, r.v FROM l LEFT JOIN r ON r.k = l.k OPTION (HASH JOIN)
SELECT l.id, r.v FROM l LEFT JOIN r ON r.k = l.k AND r.v > 'p' OPTION (HASH JOIN)
SELECT COUNT(*) AS rows_of_nobody FROM l LEFT JOIN r ON r.k = l.k + 100 OPTION (HASH JOIN)
SELECT l.id, r.v FROM l FULL JOIN r ON r.k = l.k AND l.id < 7 OPTION (HASH JOIN)
GO
-- More pairs than one batch has: each row is given once, with all its partners.
SELECT COUNT(*) AS all_rows, COUNT(b.value) AS with_partner, COUNT(DISTINCT a.value) AS left_rows
FROM GENERATE_SERIES(1, 3000) AS a LEFT JOIN (SELECT s.value FROM GENERATE_SERIES(1, 40) AS s CROSS JOIN GENERATE_SERIES(1, 7) AS t) AS b ON b.value = a.value % 50 + 1
OPTION (HASH JOIN)
GO
DROP TABLE seen, l, r
