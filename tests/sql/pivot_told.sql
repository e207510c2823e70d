-- PIVOT and UNPIVOT: the types and names of what they make, which rows a value of the list takes, what is refused. As SQL Server 2025 does.
-- https://learn.microsoft.com/sql/t-sql/queries/from-using-pivot-and-unpivot
CREATE TABLE pt (id int NOT NULL PRIMARY KEY, region varchar(10), yr int, qtr char(2), amount int, price decimal(9,2), note nvarchar(20), big bigint, ratio float, flag bit, day date);
INSERT pt VALUES (1, 'east', 2023, 'Q1', 10, 1.50, N'a', 100, 0.5, 1, '2024-02-01'), (2, 'east', 2023, 'Q1', 21, 2.25, N'b', 200, 1.5, 0, '2024-02-02'),
    (3, 'east', 2023, 'Q2', NULL, 3, N'c', NULL, NULL, NULL, NULL), (4, 'west', 2024, 'Q2', 7, 1.50, NULL, 300, 2.5, 1, '2024-02-01'),
    (5, 'west', 2024, NULL, 9, NULL, N'e', 400, NULL, 0, '2024-03-01'), (6, NULL, 2023, 'q1', 5, 0.75, N'f', 500, 4, 1, '2024-02-01');
CREATE TABLE wide (id int NOT NULL, q1 int NULL, n5 int NOT NULL, s smallint, v5 varchar(5), v10 varchar(10), w nvarchar(5), c5 char(5), d5 decimal(5,2), d6 decimal(6,2), cs varchar(5) COLLATE Latin1_General_CS_AS, [a b] int, [x]]y] int, m varchar(max));
INSERT wide VALUES (1, 10, 50, 1, 'a', 'b', N'c', 'd', 1, 2, 'e', 3, NULL, 'long'), (2, NULL, 60, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
GO
-- Cells have the aggregate's type and may be NULL; columns that stay keep theirs.
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (AVG(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (MIN(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (COUNT(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (COUNT_BIG(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (STDEV(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (VARP(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, price FROM pt) AS s PIVOT (SUM(price) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, price FROM pt) AS s PIVOT (AVG(price) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, big FROM pt) AS s PIVOT (SUM(big) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, ratio FROM pt) AS s PIVOT (AVG(ratio) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, note FROM pt) AS s PIVOT (MAX(note) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, day FROM pt) AS s PIVOT (MIN(day) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (APPROX_COUNT_DISTINCT(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'Q1';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, qtr, amount FROM pt) AS s PIVOT (COUNT(amount) FOR qtr IN ([Q1])) AS p', NULL, 0) WHERE name = N'id';
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (AVG(amount) FOR qtr IN ([Q2], [Q1])) AS p ORDER BY region;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (COUNT(amount) FOR qtr IN ([Q1], [Q2], [Q9])) AS p ORDER BY region;
GO
SELECT region, [Q1 ] AS a FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (COUNT_BIG(amount) FOR qtr IN ([Q1 ])) AS p ORDER BY region;
GO
SELECT region, CAST([Q2] AS int) AS a FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (STDEV(amount) FOR qtr IN ([Q2])) AS p ORDER BY region;
GO
SELECT region, CAST([Q2] AS int) AS a FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (STDEVP(amount) FOR qtr IN ([Q2])) AS p ORDER BY region;
GO
SELECT * FROM (SELECT region, amount FROM pt) AS s PIVOT (SUM(amount) FOR amount IN ([10], [21])) AS p ORDER BY region;
GO
-- Nothing to group by: one row of many, none of none.
SELECT * FROM (SELECT qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1], [Q2])) AS p;
GO
SELECT * FROM (SELECT qtr, amount FROM pt WHERE 1 = 0) AS s PIVOT (COUNT(amount) FOR qtr IN ([Q1], [Q2])) AS p;
GO
-- A name is the value, converted to the column's type.
SELECT * FROM (SELECT yr, amount FROM pt) AS s PIVOT (SUM(amount) FOR yr IN ([02023], [2024])) AS p;
GO
SELECT * FROM (SELECT day, amount FROM pt) AS s PIVOT (COUNT(amount) FOR day IN ([20240201])) AS p;
GO
SELECT * FROM (SELECT price, amount FROM pt) AS s PIVOT (COUNT(amount) FOR price IN ([1.50], [1.5])) AS p;
GO
SELECT * FROM (SELECT qtr, amount FROM pt) AS s PIVOT (COUNT(amount) FOR qtr IN ([a]]b])) AS p;
GO
SELECT p.[Q2], x.a FROM (SELECT qtr, amount FROM pt) AS s PIVOT (MAX(amount) FOR qtr IN ([Q2])) AS p CROSS JOIN (SELECT 1 AS a) AS x;
GO
SELECT * FROM (SELECT yr, amount FROM pt) AS s PIVOT (SUM(amount) FOR yr IN ([2023.0])) AS p;
GO
SELECT * FROM (SELECT day, amount FROM pt) AS s PIVOT (SUM(amount) FOR day IN ([2024-13-01])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1], [Q1 ])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([amount])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([qtr])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([region])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ('Q1')) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN (2023)) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN (@x)) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1])) ORDER BY 1;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (COUNT(DISTINCT amount) FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount+1) FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (STRING_AGG(amount, ',') FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (grouping(amount) FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (abs(amount) FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT flag, qtr FROM pt) AS s PIVOT (MAX(flag) FOR qtr IN ([Q1])) AS p;
GO
SELECT * FROM (SELECT flag, qtr FROM pt) AS s PIVOT (SUM(flag) FOR qtr IN ([Q1])) AS p;
GO
SELECT amount FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1])) AS p;
GO
SELECT s.region FROM (SELECT region, qtr, amount FROM pt) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1])) AS p;
GO
WITH r AS (SELECT 1 AS n, 1 AS k UNION ALL SELECT [1], 1 FROM (SELECT n, k FROM r) AS s PIVOT (MAX(n) FOR k IN ([1])) AS p) SELECT n FROM r;
GO
-- UNPIVOT: the columns that stay, the value, the name as the catalog has it.
SELECT * FROM (SELECT id, q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN ([Q1], [N5])) AS u ORDER BY id, n DESC;
GO
SELECT n, v FROM wide UNPIVOT (v FOR n IN ([a b], [x]]y])) AS u;
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN (q1, n5)) AS u', NULL, 0) WHERE name = N'v';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN (q1, n5)) AS u', NULL, 0) WHERE name = N'n';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT id, q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN (n5)) AS u', NULL, 0) WHERE name = N'v';
GO
SELECT system_type_name AS t, is_nullable AS n FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM (SELECT m FROM wide) AS s UNPIVOT (v FOR n IN (m)) AS u', NULL, 0) WHERE name = N'v';
GO
SELECT * FROM (SELECT q1, s FROM wide) AS s UNPIVOT (v FOR n IN (q1, s)) AS u;
GO
SELECT * FROM (SELECT v5, v10 FROM wide) AS s UNPIVOT (v FOR n IN (v5, v10)) AS u;
GO
SELECT * FROM (SELECT v5, w FROM wide) AS s UNPIVOT (v FOR n IN (v5, w)) AS u;
GO
SELECT * FROM (SELECT v5, c5 FROM wide) AS s UNPIVOT (v FOR n IN (v5, c5)) AS u;
GO
SELECT * FROM (SELECT d5, d6 FROM wide) AS s UNPIVOT (v FOR n IN (d5, d6)) AS u;
GO
SELECT * FROM (SELECT v5, cs FROM wide) AS s UNPIVOT (v FOR n IN (v5, cs)) AS u;
GO
SELECT * FROM (SELECT q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN (q1, q1)) AS u;
GO
SELECT * FROM (SELECT q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN (q1, nope)) AS u;
GO
SELECT * FROM (SELECT q1, n5 FROM wide) AS s UNPIVOT (v FOR n IN ('q1')) AS u;
GO
SELECT * FROM (SELECT q1, n5 FROM wide) AS s UNPIVOT (n5 FOR n IN (q1)) AS u;
GO
SELECT q1 FROM wide UNPIVOT (v FOR n IN (q1, n5)) AS u;
GO
SELECT region, q FROM (SELECT region, qtr, amount FROM pt WHERE region IS NOT NULL) AS s PIVOT (SUM(amount) FOR qtr IN ([Q1], [Q2])) AS p UNPIVOT (v FOR q IN ([Q1], [Q2])) AS u ORDER BY region;
GO
