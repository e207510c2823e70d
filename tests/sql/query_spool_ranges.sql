-- What outer rows ask for between bounds of theirs, of tables without an index for it: the rows are put aside once, in order.
-- Each answer of a table without an index beside that of one that has it; the plans tell which is which.
-- https://learn.microsoft.com/sql/relational-databases/showplan-logical-and-physical-operators-reference: Index Spool
CREATE TABLE prices (item int NOT NULL, at datetime NULL, price decimal(9,2) NULL, note varchar(10) NULL);
CREATE TABLE prices_by_at (item int NOT NULL, at datetime NULL, price decimal(9,2) NULL, note varchar(10) NULL, INDEX ix CLUSTERED (item, at));
CREATE TABLE sales (id int NOT NULL CONSTRAINT pk_sales PRIMARY KEY, item int NULL, at datetime NULL, s varchar(5) NULL);
CREATE TABLE spans (id int NOT NULL, lo int NULL, hi int NULL);
CREATE TABLE spans_by_lo (id int NOT NULL, lo int NULL, hi int NULL, INDEX ix CLUSTERED (lo));
CREATE TABLE numbers (n int NULL, d decimal(9,1) NULL, s varchar(5) COLLATE Latin1_General_CI_AS NULL);
CREATE TABLE numbers_by_n (n int NULL, d decimal(9,1) NULL, s varchar(5) COLLATE Latin1_General_CI_AS NULL, INDEX ix CLUSTERED (n));
GO
INSERT prices SELECT value % 20, DATEADD(minute, value * 7 % 1000, IIF(value % 41 = 0, NULL, '20240101')), value / 2.0, CONCAT('n', value) FROM GENERATE_SERIES(1, 500);
INSERT prices_by_at SELECT * FROM prices;
INSERT sales SELECT value, NULLIF(value % 22, 5), DATEADD(minute, value * 13 % 1200, IIF(value % 29 = 0, NULL, '20231231 23:50')), CONCAT('s', value % 7) FROM GENERATE_SERIES(1, 200);
INSERT spans SELECT value, NULLIF(value * 10, 70), NULLIF(value * 10 + value % 8, 90) FROM GENERATE_SERIES(1, 60);
INSERT spans_by_lo SELECT * FROM spans;
INSERT numbers SELECT NULLIF(value, 33), value / 10.0, CONCAT(IIF(value % 2 = 0, 'a', 'A'), value % 50) FROM GENERATE_SERIES(1, 700);
INSERT numbers_by_n SELECT * FROM numbers;
GO
-- The last price at or before each sale.
SELECT COUNT(*) AS sales, SUM(x.price) AS total FROM sales s CROSS APPLY (SELECT TOP 1 price FROM prices p WHERE p.item = s.item AND p.at <= s.at ORDER BY p.at DESC) x;
SELECT COUNT(*) AS sales, SUM(x.price) AS total FROM sales s CROSS APPLY (SELECT TOP 1 price FROM prices_by_at p WHERE p.item = s.item AND p.at <= s.at ORDER BY p.at DESC) x;
SELECT COUNT(x) AS found, SUM(x) AS total FROM (SELECT (SELECT TOP 1 price FROM prices p WHERE p.at < s.at ORDER BY p.at DESC, p.price) AS x FROM sales s) q;
SELECT COUNT(x) AS found, SUM(x) AS total FROM (SELECT (SELECT TOP 1 price FROM prices_by_at p WHERE p.at < s.at ORDER BY p.at DESC, p.price) AS x FROM sales s) q;
-- The next one, and the next two; of each item the first ones, NULL first.
SELECT COUNT(*) AS rows_, SUM(x.price) AS total FROM sales s OUTER APPLY (SELECT TOP 2 price FROM prices p WHERE p.item = s.item AND p.at > s.at ORDER BY p.at, p.price DESC) x;
SELECT COUNT(*) AS rows_, SUM(x.price) AS total FROM sales s OUTER APPLY (SELECT TOP 2 price FROM prices_by_at p WHERE p.item = s.item AND p.at > s.at ORDER BY p.at, p.price DESC) x;
SELECT COUNT(*) AS rows_, COUNT(x.at) AS dated, SUM(x.price) AS total FROM sales s CROSS APPLY (SELECT TOP 1 at, price FROM prices p WHERE p.item = s.item ORDER BY p.at, p.price) x;
SELECT COUNT(*) AS rows_, COUNT(x.at) AS dated, SUM(x.price) AS total FROM sales s CROSS APPLY (SELECT TOP 1 at, price FROM prices_by_at p WHERE p.item = s.item ORDER BY p.at, p.price) x;
GO
-- The last and the first by an aggregate: NULL is neither.
SELECT COUNT(x) AS found, COUNT(y) AS later FROM (SELECT (SELECT MAX(at) FROM prices p WHERE p.item = s.item AND p.at <= s.at) AS x, (SELECT MIN(at) FROM prices p WHERE p.item = s.item AND p.at > s.at) AS y FROM sales s) q;
SELECT COUNT(x) AS found, COUNT(y) AS later FROM (SELECT (SELECT MAX(at) FROM prices_by_at p WHERE p.item = s.item AND p.at <= s.at) AS x, (SELECT MIN(at) FROM prices_by_at p WHERE p.item = s.item AND p.at > s.at) AS y FROM sales s) q;
SELECT SUM(DATEDIFF(minute, x, s.at)) AS minutes FROM sales s CROSS APPLY (SELECT MAX(at) AS x FROM prices p WHERE p.at <= s.at) q;
SELECT SUM(DATEDIFF(minute, x, s.at)) AS minutes FROM sales s CROSS APPLY (SELECT MAX(at) AS x FROM prices_by_at p WHERE p.at <= s.at) q;
GO
-- Ranges that are joined, with both ends and without; none of them is of NULL.
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers ON n BETWEEN lo AND hi;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers_by_n ON n BETWEEN lo AND hi;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers ON n > lo AND n < hi;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers_by_n ON n > lo AND n < hi;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers ON n >= hi AND n < lo;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers ON n + 1 BETWEEN lo + 1 AND hi + 1;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers ON n > lo * 6;
SELECT COUNT(*) AS pairs, SUM(n) AS total FROM spans JOIN numbers_by_n ON n > lo * 6;
SELECT COUNT(*) AS rows_, COUNT(n) AS with_number FROM spans LEFT JOIN numbers ON n BETWEEN lo AND hi AND n % 2 = 1;
SELECT COUNT(*) AS rows_, COUNT(n) AS with_number FROM spans LEFT JOIN numbers_by_n ON n BETWEEN lo AND hi AND n % 2 = 1;
-- Decimals of other places, and texts by their collation.
SELECT COUNT(*) AS pairs FROM spans JOIN numbers ON d BETWEEN lo AND hi;
SELECT COUNT(*) AS pairs FROM spans JOIN numbers_by_n ON d BETWEEN lo AND hi;
SELECT COUNT(*) AS pairs FROM (SELECT TOP 40 s FROM numbers ORDER BY n DESC) a JOIN numbers b ON b.s >= UPPER(a.s) AND b.s < a.s + '1';
SELECT COUNT(*) AS pairs FROM (SELECT TOP 40 s FROM numbers ORDER BY n DESC) a JOIN numbers_by_n b ON b.s >= UPPER(a.s) AND NOT b.s >= a.s + '1';
GO
-- Tests.
SELECT COUNT(*) AS inside FROM numbers WHERE EXISTS (SELECT 1 FROM spans WHERE n BETWEEN lo AND hi);
SELECT COUNT(*) AS inside FROM numbers WHERE EXISTS (SELECT 1 FROM spans_by_lo WHERE n BETWEEN lo AND hi);
SELECT COUNT(*) AS outside FROM numbers WHERE NOT EXISTS (SELECT 1 FROM spans WHERE n >= lo AND n < hi);
SELECT COUNT(*) AS outside FROM numbers WHERE NOT EXISTS (SELECT 1 FROM spans_by_lo WHERE n >= lo AND n < hi);
SELECT COUNT(*) AS filled FROM spans WHERE EXISTS (SELECT 1 FROM numbers WHERE n BETWEEN lo AND hi AND n % 7 = 0);
SELECT COUNT(*) AS filled FROM spans WHERE EXISTS (SELECT 1 FROM numbers_by_n WHERE n BETWEEN lo AND hi AND n % 7 = 0);
SELECT SUM(c) AS total FROM (SELECT (SELECT COUNT(*) FROM numbers WHERE n BETWEEN lo AND hi) AS c FROM spans) q;
SELECT SUM(c) AS total FROM (SELECT (SELECT COUNT(*) FROM numbers_by_n WHERE n BETWEEN lo AND hi) AS c FROM spans) q;
GO
-- Table variables, and rows that the statement changes.
DECLARE @n TABLE (n int); INSERT @n SELECT n FROM numbers;
SELECT COUNT(*) AS pairs FROM spans JOIN @n ON n BETWEEN lo AND hi;
UPDATE spans SET hi = (SELECT TOP 1 n FROM numbers WHERE n > spans.lo ORDER BY n) WHERE id < 10;
UPDATE spans_by_lo SET hi = (SELECT TOP 1 n FROM numbers_by_n WHERE n > spans_by_lo.lo ORDER BY n) WHERE id < 10;
SELECT COUNT(*) AS different FROM (SELECT * FROM spans EXCEPT SELECT * FROM spans_by_lo) q;
SELECT SUM(lo) AS total FROM (SELECT IIF(s.id > 50, (SELECT COUNT(*) FROM spans o WHERE o.lo < s.lo), s.lo) AS lo FROM spans s) q;
UPDATE s SET lo = (SELECT COUNT(*) FROM spans o WHERE o.lo < s.lo) FROM spans s WHERE s.id > 50;
SELECT SUM(lo) AS total FROM spans;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT x.price FROM sales s CROSS APPLY (SELECT TOP 1 price FROM prices p WHERE p.item = s.item AND p.at <= s.at ORDER BY p.at DESC) x;
GO
SELECT x.price FROM sales s CROSS APPLY (SELECT TOP 1 price FROM prices_by_at p WHERE p.item = s.item AND p.at <= s.at ORDER BY p.at DESC) x;
GO
SELECT (SELECT TOP 1 price FROM prices p WHERE p.at < s.at ORDER BY p.at DESC, p.price) AS x FROM sales s;
GO
SELECT n FROM spans JOIN numbers ON n BETWEEN lo AND hi;
GO
SELECT n FROM numbers WHERE EXISTS (SELECT 1 FROM spans WHERE n BETWEEN lo AND hi);
GO
SELECT n FROM spans LEFT JOIN numbers ON n > lo;
GO
SELECT x.price FROM sales s CROSS APPLY (SELECT TOP 1 price FROM prices p WHERE p.item = s.item ORDER BY p.at) x;
GO
SELECT (SELECT MAX(at) FROM prices p WHERE p.item = s.item AND p.at <= s.at) AS x FROM sales s;
GO
SET SHOWPLAN_TEXT OFF;
GO
-- Patterns of another table's rows: made once for each of them.
SELECT COUNT(*) AS pairs FROM spans s JOIN prices p ON p.note LIKE 'n%' + CAST(s.id AS varchar(10)) + '%';
SELECT COUNT(*) AS pairs FROM spans s JOIN prices p ON CHARINDEX(CAST(s.id AS varchar(10)), p.note, 2) > 0;
SELECT COUNT(*) AS found FROM spans s WHERE EXISTS (SELECT 1 FROM prices p WHERE p.note LIKE '%' + CAST(s.lo AS varchar(10)));
SELECT COUNT(*) AS found FROM spans s WHERE EXISTS (SELECT 1 FROM prices p WHERE RIGHT(p.note, LEN(CAST(s.lo AS varchar(10)))) = CAST(s.lo AS varchar(10)));
SELECT SUM(c) AS pairs FROM (SELECT (SELECT COUNT(*) FROM prices p WHERE p.note LIKE IIF(s.id % 3 = 0, NULL, CONCAT('_', s.id % 4, '%'))) AS c FROM spans s) q;
SELECT SUM(c) AS pairs FROM (SELECT (SELECT COUNT(*) FROM prices p WHERE s.id % 3 <> 0 AND SUBSTRING(p.note, 2, 1) = CAST(s.id % 4 AS char(1))) AS c FROM spans s) q;
GO
