-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/language-elements/like-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/quotename-transact-sql
-- https://learn.microsoft.com/sql/t-sql/language-elements/string-concatenation-transact-sql
CREATE TABLE t1 (col1 CHAR(30)); INSERT INTO t1 VALUES ('Robert King');
SELECT COUNT(*) AS ascii FROM t1 WHERE col1 LIKE '% King';
CREATE TABLE t2 (col1 NCHAR(30)); INSERT INTO t2 VALUES ('Robert King');
SELECT COUNT(*) AS unicode FROM t2 WHERE col1 LIKE '% King';
SELECT COUNT(*) AS trimmed FROM t2 WHERE RTRIM(col1) LIKE '% King';
SELECT COUNT(*) AS converted FROM t1 WHERE col1 LIKE N'% King';
GO
CREATE TABLE people (LastName varchar(50)); INSERT people VALUES ('Barbariol'), ('Barber'), ('Baker');
GO
CREATE PROCEDURE FindEmployee @EmpLName CHAR(20) AS
SELECT @EmpLName = RTRIM(@EmpLName) + '%';
SELECT LastName FROM people WHERE LastName LIKE @EmpLName;
GO
EXEC FindEmployee @EmpLName = 'Barb';
GO
ALTER PROCEDURE FindEmployee @EmpLName VARCHAR(20) AS
SELECT @EmpLName = RTRIM(@EmpLName) + '%';
SELECT LastName FROM people WHERE LastName LIKE @EmpLName ORDER BY LastName;
GO
EXEC FindEmployee @EmpLName = 'Barb';
GO
-- The page's table of brackets: for each pattern the texts that it matches.
SELECT p.pattern, v.text FROM (VALUES ('5[%]'), ('[_]n'), ('[a-cdf]'), ('[-acdf]'), ('[ [ ]'), (']'), ('abc[_]d%'), ('abc[def]')) AS p(pattern)
CROSS JOIN (VALUES ('5%'), ('5x'), ('_n'), ('an'), ('a'), ('b'), ('c'), ('d'), ('e'), ('f'), ('-'), ('['), (']'), ('abc_d'), ('abc_de'), ('abcd'), ('abce'), ('abcf'), ('abcg')) AS v(text)
WHERE v.text LIKE p.pattern ORDER BY p.pattern COLLATE Latin1_General_BIN, v.text COLLATE Latin1_General_BIN;
GO
CREATE TABLE mytbl2 (c1 sysname); INSERT mytbl2 VALUES ('Discount is 10-15% off'), ('Discount is .10-.15 off');
SELECT c1 FROM mytbl2 WHERE c1 LIKE '%10-15!% off%' ESCAPE '!';
SELECT COUNT(*) AS nothing_behind FROM mytbl2 WHERE c1 LIKE '%!' ESCAPE '!';
SELECT CASE WHEN 'a-b' LIKE 'a[!-]b' ESCAPE '!' THEN 1 ELSE 0 END AS hyphen, CASE WHEN 'a]b' LIKE 'a[!]]b' ESCAPE '!' THEN 1 ELSE 0 END AS bracket,
  CASE WHEN 'axb' LIKE 'a!xb' ESCAPE '!' THEN 1 ELSE 0 END AS ordinary, CASE WHEN 'abc   ' LIKE 'abc' THEN 1 ELSE 0 END AS blanks, CASE WHEN 'abc' LIKE 'abc ' THEN 1 ELSE 0 END AS pattern_blank;
GO
SELECT QUOTENAME('abc[]def') AS a, QUOTENAME('abc def') AS b, QUOTENAME('a', '''') AS c, QUOTENAME('a', '(') AS d, QUOTENAME('a', '<') AS e, QUOTENAME('a', '}') AS f, QUOTENAME('a', '`') AS g,
  QUOTENAME('a', '?') AS h, QUOTENAME(REPLICATE('a', 129)) AS i, LEN(QUOTENAME(REPLICATE('a', 128))) AS j;
DECLARE @columnName NVARCHAR(255)='user''s "custom" name';
DECLARE @sql NVARCHAR(MAX) = 'SELECT LastName AS ' + QUOTENAME(@columnName) + ' FROM people WHERE LastName = ''Baker''';
EXEC sp_executesql @sql;
GO
DECLARE @mybin1 varbinary(5), @mybin2 varbinary(5);
SET @mybin1 = 0xFF; SET @mybin2 = 0xA5;
SELECT @mybin1 + @mybin2 AS b, CONVERT(varbinary(5), CONVERT(varchar(5), @mybin1) + ' ' + CONVERT(varchar(5), @mybin2)) AS c, 'book'+'case' AS d;
DECLARE @x varchar(8000) = replicate('x', 8000), @y varchar(max) = replicate('y', 8000), @z varchar(8000) = replicate('z',8000);
SET @y = @x + @z + @y;
SELECT len(@y) AS y;
GO
