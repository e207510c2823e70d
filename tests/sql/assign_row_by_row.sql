-- A variable that a SELECT assigns from itself is assigned for each row, however many rows before did not match.
CREATE TABLE dbo.several (k int NOT NULL PRIMARY KEY, n int NOT NULL);
INSERT dbo.several SELECT value, value % 7 FROM GENERATE_SERIES(1, 2000);
GO
DECLARE @times int = 0, @sum bigint = 0, @rows int;
SELECT @times = @times + 1, @sum = @sum + k FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000;
SET @rows = @@ROWCOUNT;
SELECT @times AS times, @sum AS sum, @rows AS rows, (SELECT COUNT(*) FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000) AS counted,
    (SELECT SUM(k) FROM dbo.several WHERE n = 5 OR k BETWEEN 500 AND 900 OR n * k > 7000) AS summed;
GO
DECLARE @list varchar(max) = '';
SELECT @list = @list + CAST(k AS varchar(10)) + ',' FROM dbo.several WHERE n = 3 AND k > 1900 ORDER BY k;
SELECT @list AS list;
GO
-- Nor are there more rows than were asked for.
SET ROWCOUNT 3;
SELECT k FROM dbo.several WHERE n * 3 > 17 AND k > 990;
SELECT TOP (2) k FROM dbo.several WHERE n * 3 > 17 AND k > 500;
SET ROWCOUNT 0;
GO
-- SET @v = column = value of an UPDATE: each row builds on the row before, and the variable has the value of the column.
-- https://learn.microsoft.com/sql/t-sql/queries/update-transact-sql
CREATE TABLE dbo.running (id int NOT NULL PRIMARY KEY, x int NULL, amount decimal(9, 2) NOT NULL, name varchar(3) NULL, g uniqueidentifier NULL);
INSERT dbo.running (id, amount) VALUES (1, 1.50), (2, 2.25), (3, 3.00);
GO
DECLARE @r int = 10;
UPDATE dbo.running SET @r = x = @r + 1;
SELECT @r AS r, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
UPDATE dbo.running SET @r += 10, x = @r;
SELECT @r AS variable_first, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
UPDATE dbo.running SET x = @r, @r = @r + 1;
SELECT @r AS column_first, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
UPDATE dbo.running SET @r = x += 1;
SELECT @r AS compound, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
UPDATE dbo.running SET @r = id, x = @r * 100 WHERE id > 1;
SELECT @r AS from_column, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
GO
-- A running total, starting anew where a condition says so.
DECLARE @total decimal(9, 2) = 0, @previous int = 0;
UPDATE dbo.running SET @total = amount = CASE WHEN id = 3 THEN 0 ELSE @total END + amount, @previous = id, x = @previous;
SELECT @total AS total, @previous AS previous, STRING_AGG(CONCAT(amount, ' ', x), ',') WITHIN GROUP (ORDER BY id) AS rows FROM dbo.running;
GO
-- The variable has what the column took: rounded, cut short, made once.
DECLARE @d decimal(9, 4) = 0, @g uniqueidentifier, @s varchar(10) = '';
UPDATE dbo.running SET @d = x = 2.75 WHERE id = 1;
UPDATE dbo.running SET @g = g = NEWID() WHERE id = 2;
UPDATE dbo.running SET @s = name = 'ab ' + @s;
SELECT @d AS d, (SELECT COUNT(*) FROM dbo.running WHERE g = @g) AS same, @s AS s;
SELECT name FROM dbo.running;
GO
-- In a module, from other tables, by MERGE, with OUTPUT, and over more rows than a batch has.
CREATE PROCEDURE dbo.number_rows @from int OUTPUT AS UPDATE dbo.running SET @from = x = @from + 1;
GO
DECLARE @r int = 5;
EXEC dbo.number_rows @r OUTPUT;
SELECT @r AS r, STRING_AGG(x, ',') WITHIN GROUP (ORDER BY id) AS x FROM dbo.running;
UPDATE q SET @r = x = @r + s.value OUTPUT deleted.x, inserted.x FROM dbo.running q JOIN GENERATE_SERIES(1, 3) s ON s.value = q.id;
MERGE dbo.running AS t USING (VALUES (1), (2), (3)) AS s (id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET @r = x = @r + 1;
SELECT @r AS r, MAX(x) AS x FROM dbo.running;
UPDATE TOP (2) dbo.running SET @r = x = @r + 1;
SELECT @r AS top_two;
UPDATE dbo.running SET @r = x = @r + 1 WHERE id = 9;
SELECT @r AS no_row;
DECLARE @n int = 0, @wrong int;
UPDATE dbo.several SET @n = n = @n + 1;
SELECT @n AS n, COUNT(DISTINCT n) AS different, SUM(CASE WHEN n = k THEN 0 ELSE 1 END) AS wrong FROM dbo.several;
GO
DECLARE @r int = 2147483646;
UPDATE dbo.running SET @r = x = @r + 1;
SELECT COUNT(*) AS unchanged FROM dbo.running WHERE x < 100;
GO
