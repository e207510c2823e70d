-- Predicates over columns of fixed width are asked before the rest of a row is copied: NULLs, errors, long values, columns that older rows
-- have not got, partitions and covering indexes answer as they do without.
-- https://learn.microsoft.com/sql/t-sql/queries/where-transact-sql
CREATE TABLE look (id int NOT NULL PRIMARY KEY, n int NULL, d decimal(9, 2) NULL, f float NULL, on_day date NULL, u uniqueidentifier NULL,
    t varchar(300) NULL, doc varchar(max) NULL);
INSERT look SELECT value, NULLIF(value % 5, 3), NULLIF(value % 7, 6) / 4.0, NULLIF(value % 9, 1) / 2e0, DATEADD(day, value % 40, '2024-01-01'),
    CAST(CAST(value % 3 AS binary(16)) AS uniqueidentifier), REPLICATE(CHAR(97 + value % 26), value % 300),
    CASE WHEN value % 50 = 0 THEN REPLICATE(CAST('long' AS varchar(max)), 5000) ELSE 'short' END
FROM GENERATE_SERIES(1, 4000);
GO
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts, SUM(LEN(doc)) AS documents FROM look WHERE id % 8 = 3;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts, SUM(LEN(doc)) AS documents FROM look WHERE n = 2;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n IS NULL;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n IS NOT NULL AND NOT (n = 1 OR n > 3);
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n <> 2 OR d > 1;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE d = 0.75;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE f >= 3.5 AND t > 'm';
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE on_day BETWEEN '2024-01-10' AND '2024-01-12' AND LEN(t) > 100;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE u = CAST(CAST(2 AS binary(16)) AS uniqueidentifier);
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n IN (1, 4, 9) AND id > 3990;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n NOT IN (1, NULL);
SELECT COUNT(*) AS rows_found, SUM(LEN(doc)) AS documents FROM look WHERE id % 50 = 0;
SELECT TOP (3) id, LEFT(t, 3) AS begins FROM look WHERE id % 1000 = 999 ORDER BY id DESC;
GO
-- Variables, and values of an outer row.
DECLARE @of int = 8, @which int = 5;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE id % @of = @which;
SET @which = NULL;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE id % @of = @which;
SELECT v.which, (SELECT COUNT(t) FROM look WHERE look.n % 3 = v.which) AS rows_found FROM (VALUES (0), (1), (2), (NULL)) AS v (which);
GO
-- An error is met by the rows that come to it, in the order in which the terms are written.
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n = 2 AND 10 / n = 5;
GO
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE 10 / n = 5 AND n = 2;
GO
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE id * 1000000 > 0 AND n = 2;
GO
-- Rows that were there before their columns.
ALTER TABLE look ADD later int NULL, said int NOT NULL CONSTRAINT df_look_said DEFAULT 7;
GO
INSERT look (id, n, t, later, said) VALUES (5001, 2, 'new', 1, 8), (5002, NULL, 'newer', NULL, 9);
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE said = 7;
SELECT id, t FROM look WHERE said > 7;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE later IS NULL AND n = 2;
GO
-- Changed meanwhile and back, under a lock that is kept.
BEGIN TRANSACTION;
UPDATE look SET n = 77 WHERE id % 100 = 1;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WITH (REPEATABLEREAD) WHERE n = 77;
DELETE look WHERE n = 77 AND t < 'k';
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n = 77;
ROLLBACK;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WHERE n = 77;
GO
CREATE INDEX covers ON look (on_day) INCLUDE (n, t);
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM look WITH (INDEX (covers)) WHERE on_day > '2024-01-20' AND n = 4;
SELECT COUNT(*) AS rows_found, SUM(LEN(doc)) AS documents FROM look WITH (INDEX (covers)) WHERE on_day > '2024-02-05' AND n = 4;
GO
CREATE PARTITION FUNCTION by_thousand (int) AS RANGE RIGHT FOR VALUES (1000, 2000, 3000);
CREATE PARTITION SCHEME thousands AS PARTITION by_thousand ALL TO ([PRIMARY]);
CREATE TABLE parted (id int NOT NULL, n int NULL, t varchar(300) NULL, CONSTRAINT pk_parted PRIMARY KEY (id)) ON thousands (id);
INSERT parted SELECT id, n, t FROM look WHERE id < 4000;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM parted WHERE n = 2;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM parted WHERE n = 2 AND id BETWEEN 1500 AND 2500;
SELECT COUNT(*) AS rows_found, SUM(LEN(t)) AS texts FROM parted WHERE n = 5;
