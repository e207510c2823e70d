-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/functions/power-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/charindex-transact-sql
-- https://learn.microsoft.com/sql/t-sql/language-elements/coalesce-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/isdate-transact-sql
DECLARE @input1 FLOAT = 2, @input2 FLOAT = 2.5;
SELECT POWER(@input1, 3) AS Result1, POWER(@input2, 3) AS Result2, POWER(2.0, 3) AS d;
SELECT POWER(CAST(2.0 AS FLOAT), -100.0) AS FloatResult, POWER(2, -100.0) AS IntegerResult, POWER(CAST(2.0 AS INT), -100.0) AS IntegerResult2,
  POWER(2.0, -100.0) AS Decimal1Result, POWER(2.00, -100.0) AS Decimal2Result, POWER(CAST(2.0 AS DECIMAL(5,2)), -100.0) AS Decimal2Result2;
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT POWER(CAST(1 AS real), 2) AS r, POWER(CAST(1 AS decimal(5, 2)), 2) AS d, POWER(CAST(1 AS tinyint), 2) AS t,
  POWER(CAST(1 AS bigint), 2) AS b, POWER(CAST(1 AS smallmoney), 2) AS m, POWER(CAST(1 AS bit), 2) AS x, POWER(''2'', 2) AS v', NULL, 0);
GO
SELECT POWER(10, 10);
GO
DECLARE @document VARCHAR(64) = 'Reflectors are vital safety' + ' components of your bicycle.';
SELECT CHARINDEX('bicycle', @document) AS a, CHARINDEX('vital', @document, 5) AS b, CHARINDEX('bike', @document) AS c;
SELECT CHARINDEX ('TEST', 'This is a Test' COLLATE Latin1_General_CS_AS) AS a, CHARINDEX ('Test', 'This is a Test' COLLATE Latin1_General_CS_AS) AS b,
  CHARINDEX ('TEST', 'This is a Test' COLLATE Latin1_General_CI_AS) AS c, CHARINDEX('is', 'This is a string') AS d, CHARINDEX('is', 'This is a string', 4) AS e, CHARINDEX('at', 'This is a string') AS f;
GO
SELECT COALESCE(NULL, NULL, 'third_value', 'fourth_value') AS third;
CREATE TABLE dbo.wages (emp_id tinyint identity, hourly_wage decimal NULL, salary decimal NULL, commission decimal NULL, num_sales tinyint NULL);
INSERT dbo.wages (hourly_wage, salary, commission, num_sales) VALUES (10.00, NULL, NULL, NULL), (20.00, NULL, NULL, NULL), (30.00, NULL, NULL, NULL), (40.00, NULL, NULL, NULL),
  (NULL, 10000.00, NULL, NULL), (NULL, 20000.00, NULL, NULL), (NULL, 30000.00, NULL, NULL), (NULL, 40000.00, NULL, NULL),
  (NULL, NULL, 15000, 3), (NULL, NULL, 25000, 2), (NULL, NULL, 20000, 6), (NULL, NULL, 14000, 4);
SELECT CAST(COALESCE(hourly_wage * 40 * 52, salary, commission * num_sales) AS money) AS 'Total Salary' FROM dbo.wages ORDER BY 'Total Salary';
GO
CREATE TABLE #Demo (col1 integer NULL, col2 AS COALESCE(col1, 0) PRIMARY KEY, col3 AS ISNULL(col1, 0));
GO
CREATE TABLE #Demo (col1 integer NULL, col2 AS COALESCE(col1, 0), col3 AS ISNULL(col1, 0) PRIMARY KEY);
SELECT 'made' AS demo;
GO
SELECT COALESCE(NULL, NULL);
GO
IF ISDATE('2009-05-12 10:19:41.177') = 1 PRINT 'VALID' ELSE PRINT 'INVALID';
SET LANGUAGE us_english;
SET DATEFORMAT mdy;
SELECT ISDATE('04/15/2008') AS a, ISDATE('04-15-2008') AS b, ISDATE('04.15.2008') AS c, ISDATE('04/2008/15') AS d, ISDATE('15/04/2008') AS e, ISDATE('15/2008/04') AS f, ISDATE('2008/15/04') AS g, ISDATE('2008/04/15') AS h;
SET DATEFORMAT dmy; SELECT ISDATE('15/04/2008') AS dmy;
SET DATEFORMAT dym; SELECT ISDATE('15/2008/04') AS dym;
SET DATEFORMAT ydm; SELECT ISDATE('2008/15/04') AS ydm;
SET DATEFORMAT ymd; SELECT ISDATE('2008/04/15') AS ymd;
SET LANGUAGE English; SELECT ISDATE('15/04/2008') AS english;
SET LANGUAGE Hungarian; SELECT ISDATE('15/2008/04') AS hungarian;
SET LANGUAGE Swedish; SELECT ISDATE('2008/15/04') AS swedish;
SET LANGUAGE Italian; SELECT ISDATE('2008/04/15') AS italian;
SET LANGUAGE us_english;
SET DATEFORMAT mdy;
SELECT ISDATE(NULL) AS a, ISDATE('1995-10-1a') AS b, ISDATE('2009-05-12 10:19:41.1771234') AS c;
GO
SELECT ISDATE(CONVERT(datetime2, '2009-05-12'));
GO
