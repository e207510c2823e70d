-- Styles of moments, sql_variant's properties and operators, PIVOT and UNPIVOT, series, buckets, JSON_MODIFY, STRING_AGG, sequences with OVER, TOP.
-- https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql, sql-variant-property-transact-sql, generate-series-transact-sql, date-bucket-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/sql-variant-transact-sql, https://learn.microsoft.com/sql/t-sql/queries/from-using-pivot-and-unpivot
CREATE TABLE m (id int PRIMARY KEY, d date, t time(7), dt datetime, d2 datetime2(7), o datetimeoffset(7));
INSERT m VALUES (1, '2024-01-02', '03:04:05.1234567', '2024-01-02T03:04:05.123', '2024-01-02T03:04:05.1234567', '2024-01-02T03:04:05.1234567+05:30');
GO
SELECT CONVERT(varchar(40), d, 0), CONVERT(varchar(40), t, 0), CONVERT(varchar(40), dt, 0), CONVERT(varchar(40), o, 0) FROM m;
SELECT CONVERT(varchar(40), d, 9), CONVERT(varchar(40), t, 9), CONVERT(varchar(40), dt, 9), CONVERT(varchar(40), d2, 109) FROM m;
SELECT CONVERT(varchar(40), d, 13), CONVERT(varchar(40), t, 13), CONVERT(varchar(40), dt, 113), CONVERT(varchar(40), d2, 13) FROM m;
SELECT CONVERT(varchar(40), d, 22), '[' + CONVERT(varchar(40), t, 22) + ']', CONVERT(varchar(40), dt, 22) FROM m;
SELECT CONVERT(varchar(40), t, 14), CONVERT(varchar(40), dt, 114), CONVERT(varchar(40), o, 14) FROM m;
SELECT CONVERT(varchar(40), d, 115), CONVERT(varchar(40), dt, 115), CONVERT(varchar(40), o, 115) FROM m;
SELECT CONVERT(varchar(40), d, 26), CONVERT(varchar(40), dt, 27), CONVERT(varchar(40), d2, 28), CONVERT(varchar(40), d, 29), CONVERT(varchar(40), dt, 30) FROM m;
SELECT CONVERT(varchar(40), d, 31), CONVERT(varchar(40), dt, 32), CONVERT(varchar(40), d2, 33), CONVERT(varchar(40), o, 34), CONVERT(varchar(40), d, 35) FROM m;
SELECT CONVERT(varchar(40), o, 126), CONVERT(varchar(40), o, 127), CONVERT(varchar(40), dt, 126), CONVERT(varchar(40), CAST('2024-01-02' AS datetime), 126) FROM m;
SELECT CONVERT(varchar(40), d, 131), CONVERT(varchar(40), dt, 131), CONVERT(varchar(40), d2, 131) FROM m;
GO
SELECT CONVERT(varchar(40), d, 8) FROM m;
GO
SELECT CONVERT(varchar(40), d, 14) FROM m;
GO
SELECT CONVERT(varchar(40), t, 101) FROM m;
GO
SELECT CONVERT(varchar(40), t, 115) FROM m;
GO
SELECT CONVERT(varchar(40), dt, 15) FROM m;
GO
SELECT TRY_CONVERT(varchar(40), t, 23), TRY_CONVERT(varchar(40), dt, 99), CONVERT(varchar(40), dt, NULL) FROM m;
GO
SELECT CONVERT(varchar(40), dt, '120') FROM m;
GO
-- What a variant is of.
CREATE TABLE v (id int PRIMARY KEY, v sql_variant NULL);
INSERT v SELECT 1, CAST(1 AS int);
INSERT v SELECT 2, CAST(1 AS bigint);
INSERT v SELECT 3, CAST(1 AS bit);
INSERT v SELECT 4, CAST(12.34 AS decimal(10, 2));
INSERT v SELECT 5, CAST(12345678901234567890 AS decimal(38, 0));
INSERT v SELECT 6, CAST(1 AS float);
INSERT v SELECT 7, CAST(1 AS real);
INSERT v SELECT 8, CAST(1 AS money);
INSERT v SELECT 9, CAST(1 AS smallmoney);
INSERT v SELECT 10, CAST('2024-01-02' AS date);
INSERT v SELECT 11, CAST('10:11' AS time(0));
INSERT v SELECT 12, CAST('10:11' AS time(7));
INSERT v SELECT 13, CAST('2024-01-02' AS datetime2(3));
INSERT v SELECT 14, CAST('2024-01-02' AS datetimeoffset(7));
INSERT v SELECT 15, CAST('2024-01-02' AS datetime);
INSERT v SELECT 16, CAST('2024-01-02' AS smalldatetime);
INSERT v SELECT 17, CAST('abc' AS varchar(10));
INSERT v SELECT 18, CAST(N'abc' AS nvarchar(10));
INSERT v SELECT 19, CAST('ab' AS char(5));
INSERT v SELECT 20, CAST(0x01 AS binary(4));
INSERT v SELECT 21, CAST(0x0102 AS varbinary(8));
INSERT v SELECT 22, CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier);
INSERT v SELECT 23, NULL;
INSERT v SELECT 24, CAST(1 AS tinyint);
GO
SELECT id, SQL_VARIANT_PROPERTY(v, 'BaseType') AS base, SQL_VARIANT_PROPERTY(v, 'precision') AS p, SQL_VARIANT_PROPERTY(v, 'SCALE') AS s, SQL_VARIANT_PROPERTY(v, 'TotalBytes') AS total, SQL_VARIANT_PROPERTY(v, 'MaxLength') AS most FROM v ORDER BY id;
SELECT SQL_VARIANT_PROPERTY(v, 'Basetype ') AS a, SQL_VARIANT_PROPERTY(v, NULL) AS b, SQL_VARIANT_PROPERTY(v, 'Collation') AS c, DATALENGTH(v) AS n FROM v WHERE id IN (1, 5, 18) ORDER BY id;
-- By families first: binary, text, exact, approximate, moments.
SELECT id FROM v WHERE id IN (1, 6, 15, 17, 20, 22, 23) ORDER BY v;
SELECT COUNT(DISTINCT v) AS n FROM v WHERE id IN (1, 2, 3, 8, 9, 24);
SELECT CASE WHEN a.v = b.v THEN 1 ELSE 0 END AS same, CASE WHEN a.v < b.v THEN 1 ELSE 0 END AS less FROM v a, v b WHERE a.id = 1 AND b.id = 6;
GO
SELECT v + 'a' FROM v;
GO
SELECT v % 2 FROM v;
GO
SELECT -v FROM v;
GO
SELECT ~v FROM v;
GO
SELECT 1 FROM v WHERE v LIKE 'a%';
GO
SELECT SUM(v) FROM v;
GO
SELECT STRING_AGG(v, ',') FROM v;
GO
SELECT LEN(v) FROM v;
GO
SELECT ABS(v) FROM v;
GO
SELECT QUOTENAME(v) FROM v;
GO
SELECT CONCAT(v, 'a') FROM v;
GO
SELECT v COLLATE Latin1_General_BIN FROM v;
GO
SELECT CAST(CAST('a' AS varchar(max)) AS sql_variant);
GO
DECLARE @v sql_variant = CAST('a' AS varchar(max));
GO
SELECT CAST(v AS int) FROM v WHERE id = 10;
GO
SELECT TRY_CAST(v AS int) FROM v WHERE id = 17;
SELECT MIN(v) AS a, MAX(v) AS b FROM v WHERE id IN (1, 17);
GO
DECLARE @v sql_variant = 1;
RAISERROR ('%s', 10, 1, @v);
GO
-- PIVOT and UNPIVOT.
CREATE TABLE w (id int NOT NULL, q varchar(10) NULL, n int NULL, b bit NULL, d decimal(6,2) NULL);
INSERT w VALUES (1, 'east', 10, 1, 1.5), (1, 'west', 5, 0, 2), (2, 'EAST', 7, 1, NULL), (2, NULL, 3, NULL, 4);
GO
SELECT * FROM (SELECT n, b FROM w WHERE 1 = 0) s PIVOT (COUNT(n) FOR b IN ([1], [0])) AS p;
GO
SELECT * FROM (SELECT n, b FROM w) s PIVOT (CHECKSUM_AGG(n) FOR b IN ([1])) p;
GO
SELECT * FROM (SELECT n, b FROM w) s PIVOT (LEN(n) FOR b IN ([1])) p;
GO
SELECT * FROM (SELECT n, id FROM w) s PIVOT (SUM(n) FOR id IN ([abc])) p;
GO
SELECT * FROM (SELECT n, id, q FROM w) s PIVOT (SUM(n) FOR q IN ([id])) p;
GO
SELECT * FROM (SELECT n, q FROM w) s PIVOT (SUM(n) FOR q IN ([east], [EAST ])) p;
GO
SELECT * FROM w PIVOT (COUNT(*) FOR q IN ([east])) p;
GO
SELECT * FROM w PIVOT (SUM(n + 1) FOR q IN ([east])) p;
GO
SELECT * FROM w UNPIVOT (v FOR k IN (n, n)) u;
GO
SELECT * FROM w UNPIVOT (v FOR k IN (n, d)) u;
GO
SELECT * FROM w UNPIVOT (v FOR k IN (n, x)) u;
GO
SELECT * FROM w UNPIVOT (v FOR v IN (n)) u;
GO
SELECT * FROM w UNPIVOT (id FOR k IN (n)) u;
GO
SELECT s.id FROM w AS s UNPIVOT (v FOR k IN (n)) u;
GO
SELECT u.id, u.k, u.v FROM (SELECT id, n AS N, id AS i2 FROM w) s UNPIVOT (v FOR k IN (n)) u ORDER BY v;
GO
-- Series and buckets.
SELECT value FROM GENERATE_SERIES(5, 1, -2);
SELECT value FROM GENERATE_SERIES(0.0, 1.0, 0.25);
SELECT COUNT(*) AS n FROM GENERATE_SERIES(1, 5, -1);
SELECT value FROM GENERATE_SERIES(CAST(253 AS tinyint), CAST(255 AS tinyint), CAST(2 AS tinyint));
DECLARE @n int = NULL;
SELECT COUNT(*) AS n FROM GENERATE_SERIES(1, @n);
GO
SELECT value FROM GENERATE_SERIES(1, 5, 0);
GO
DECLARE @n int = 0;
SELECT value FROM GENERATE_SERIES(1, 5, @n);
GO
SELECT value FROM GENERATE_SERIES(1, CAST(5 AS bigint));
GO
SELECT value FROM GENERATE_SERIES(1);
GO
SELECT value FROM GENERATE_SERIES(1, 2, 3, 4);
GO
SELECT GENERATE_SERIES(1, 2);
GO
SELECT DATE_BUCKET(week, 1, CAST('2024-05-16' AS date)) AS w, DATE_BUCKET(month, 3, CAST('2024-05-16' AS date)) AS q, DATE_BUCKET(day, 10, CAST('1899-12-31' AS date)) AS b;
SELECT DATE_BUCKET(month, 1, CAST('2024-02-29' AS date), CAST('2024-01-31' AS date)) AS a, DATE_BUCKET(month, 1, CAST('2024-02-28' AS date), CAST('2024-01-31' AS date)) AS b;
SELECT DATE_BUCKET(hour, 5, CAST('2024-05-16T13:14:15' AS datetime2(0)), CAST('2024-05-16' AS datetime2(0))) AS h;
GO
SELECT DATE_BUCKET(day, 0, CAST('2024-05-16' AS date));
GO
SELECT DATE_BUCKET(day, -1, CAST('2024-05-16' AS date));
GO
SELECT DATE_BUCKET(hour, 1, CAST('2024-05-16' AS date));
GO
SELECT DATE_BUCKET(day, 1, CAST('10:11' AS time));
GO
SELECT DATE_BUCKET(fortnight, 1, CAST('2024-05-16' AS date));
GO
-- JSON_MODIFY keeps what it does not change.
SELECT JSON_MODIFY('{"a":1 }', '$.b', 2), JSON_MODIFY('{ }', '$.b', 'x'), JSON_MODIFY('[1, 2 ]', 'append $', 3), JSON_MODIFY('{"a":1}', 'append $.l', 'q');
SELECT JSON_MODIFY('{"a":1,"b":2}', '$.a', NULL), JSON_MODIFY('{"a":1, "b":2}', '$.b', NULL), JSON_MODIFY('[1,2]', '$[0]', NULL), JSON_MODIFY('{"a":1,"a":2}', '$.a', 3);
SELECT JSON_MODIFY('{"a":{"b":1}}', '$.x.y', 1), JSON_MODIFY('{"a":1}', '$.a.b', 1), JSON_MODIFY('{"a":1}', 'strict $.a', NULL);
SELECT JSON_MODIFY('{"a":1}', '$.a', CAST(1.50 AS decimal(5,2))), JSON_MODIFY('{"a":1}', '$.a', CAST(1 AS bit)), JSON_MODIFY('{"a":1}', '$.a', JSON_QUERY('[1,2]')), JSON_MODIFY('{"a":1}', '$.a', '[1,2]');
GO
SELECT JSON_MODIFY('{"a":1}', 'strict $.b', 1);
GO
SELECT JSON_MODIFY('{"a":1}', '$', 1);
GO
SELECT JSON_MODIFY('{"a":1}', '$.a', CAST('2024-01-01' AS date));
GO
SELECT JSON_OBJECT('a', 1);
GO
SELECT JSON_OBJECT('a':1, 'b':NULL, 'c':JSON_ARRAY(1, NULL, 'x')), JSON_OBJECT('a':NULL ABSENT ON NULL), JSON_ARRAY(1, NULL NULL ON NULL), JSON_ARRAY(CAST(1.5 AS money), 0x0102);
GO
DECLARE @k varchar(5) = NULL;
SELECT JSON_OBJECT(@k:1);
GO
-- STRING_AGG.
SELECT STRING_AGG(q, ', ') WITHIN GROUP (ORDER BY n DESC) AS b, STRING_AGG(n, '-') WITHIN GROUP (ORDER BY n DESC) AS c FROM w;
GO
SELECT STRING_AGG(q, CAST(',' AS varchar(1))) FROM w;
GO
SELECT STRING_AGG(q, q) FROM w;
GO
SELECT STRING_AGG(q, 1) FROM w;
GO
SELECT STRING_AGG(q, N',') FROM w;
GO
SELECT STRING_AGG(CAST(q AS varbinary(10)), ',') FROM w;
GO
SELECT STRING_AGG(q, ',') OVER () FROM w;
GO
SELECT STRING_AGG(q, ',') WITHIN GROUP (ORDER BY 1) FROM w;
GO
SELECT q, STRING_AGG(q, ',') FROM w GROUP BY ROLLUP (q);
GO
SELECT STRING_AGG(REPLICATE('x', 5000), ',') FROM w;
GO
SELECT STRING_AGG(REPLICATE(N'x', 3000), N',') FROM w;
GO
SELECT LEN(STRING_AGG(CAST(REPLICATE('x', 5000) AS varchar(max)), ',')) AS n FROM w;
GO
-- Numbers drawn in an order.
CREATE SEQUENCE dbo.sq AS int START WITH 1;
GO
SELECT n, NEXT VALUE FOR dbo.sq OVER (ORDER BY n DESC) AS v FROM w ORDER BY n;
SELECT NEXT VALUE FOR dbo.sq OVER (ORDER BY n) AS a, NEXT VALUE FOR dbo.sq OVER (ORDER BY n ASC) AS b, n FROM w ORDER BY n;
GO
SELECT NEXT VALUE FOR dbo.sq OVER (ORDER BY n) AS a, NEXT VALUE FOR dbo.sq AS b FROM w;
GO
SELECT NEXT VALUE FOR dbo.sq OVER (PARTITION BY n ORDER BY n) FROM w;
GO
SELECT NEXT VALUE FOR dbo.sq OVER () FROM w;
GO
SELECT NEXT VALUE FOR dbo.sq FROM w ORDER BY n;
GO
SELECT DISTINCT NEXT VALUE FOR dbo.sq FROM w;
GO
SELECT TOP (1) NEXT VALUE FOR dbo.sq FROM w;
GO
SELECT 1 WHERE NEXT VALUE FOR dbo.sq > 1;
GO
SELECT (SELECT NEXT VALUE FOR dbo.sq);
GO
SELECT NEXT VALUE FOR dbo.sq OVER (ORDER BY 1) FROM w;
GO
-- TOP.
SELECT TOP (-1) n FROM w;
GO
SELECT TOP (NULL) n FROM w;
GO
SELECT TOP (1.5) n FROM w;
GO
SELECT TOP (101) PERCENT n FROM w;
GO
DECLARE @n int = NULL;
SELECT TOP (@n) n FROM w;
GO
DECLARE @n int = -1;
SELECT TOP (@n) n FROM w;
GO
DECLARE @n decimal(5,0) = 1;
SELECT TOP (@n) n FROM w;
GO
DECLARE @n float = 100.5;
SELECT TOP (@n) PERCENT n FROM w;
GO
-- Named windows.
SELECT n, SUM(n) OVER w AS a, ROW_NUMBER() OVER (w ROWS UNBOUNDED PRECEDING) AS b FROM w WINDOW w AS (ORDER BY n);
GO
SELECT n, SUM(n) OVER w AS a, SUM(n) OVER (w2 ROWS 1 PRECEDING) AS b FROM w WINDOW w2 AS (w1 ORDER BY n), w1 AS (), w AS (PARTITION BY id) ORDER BY n;
GO
SELECT SUM(n) OVER (x PARTITION BY q) FROM w WINDOW x AS (PARTITION BY id);
GO
SELECT SUM(n) OVER y FROM w WINDOW x AS (PARTITION BY id), y AS (x PARTITION BY q);
GO
SELECT SUM(n) OVER z FROM w WINDOW x AS (PARTITION BY id);
GO
SELECT LAG(n) OVER x FROM w WINDOW x AS (PARTITION BY id);
GO
-- Orders of dates.
SET DATEFORMAT dmy;
SELECT CAST('2024-01-02' AS datetime) AS a, CAST('2024-01-02' AS date) AS b, CAST('3/4/2024' AS date) AS c, CAST('20240102' AS datetime) AS d;
SET DATEFORMAT ydm;
SELECT TRY_CAST('1/2/2024' AS date) AS a, CAST('1/2/2024' AS datetime) AS b, CAST('2024/1/2' AS datetime) AS c;
SET DATEFORMAT ymd;
SELECT CAST('1/2/24' AS date) AS a, CAST('1/2/2024' AS date) AS b;
SET DATEFORMAT mdy;
GO
SET DATEFORMAT abc;
GO
SET LANGUAGE Klingon;
GO
-- Text of dates.
SELECT CAST('24 Jan 2' AS date) AS a, CAST('2024 Jan 2' AS datetime) AS b, CAST('Jan 2024' AS date) AS c, CAST('02-JAN-24' AS date) AS d, CAST('1/2/0' AS date) AS e;
SELECT CAST('10:11:12:5' AS time(3)) AS a, CAST('12 AM' AS time(0)) AS b, CAST('13 PM' AS time(0)) AS c, CAST('' AS date) AS d, CAST('10:11.5' AS datetime) AS e;
SELECT TRY_CAST('13 AM' AS time) AS a, TRY_CAST('24:00' AS datetime) AS b, TRY_CAST('Sept 1 2024' AS date) AS c, TRY_CAST('Jan 2' AS datetime) AS d, TRY_CAST('1/2-2024' AS date) AS e, TRY_CAST('1/2-2024' AS datetime) AS f;
SELECT CAST('10:11 1/2/2024' AS datetime) AS a, TRY_CAST('10:11 1/2/2024' AS datetime2) AS b, CAST('2024-01-02 10:11:12.12345678' AS datetime2(7)) AS c, TRY_CAST('2024-01-02 10:11:12.1234' AS datetime) AS d;
SELECT CAST('2024-01-02T10:11:12+05:30' AS datetime2(0)) AS a, CAST('2024-01-02 10:11 -3:5' AS datetimeoffset(0)) AS b, TRY_CAST('2024-01-02 10:11 +0530' AS datetimeoffset) AS c, TRY_CAST('2024-01-02 10:11 +14:01' AS datetimeoffset) AS d;
SELECT CAST('January 2, 2024' AS date) AS a, CAST('Jan, 2 2024' AS datetime) AS b, TRY_CAST('Jan, 2 2024' AS date) AS c, ISDATE('2024-13-01') AS d, ISDATE('') AS e, ISDATE('2024') AS f;
GO
SELECT CAST('x' AS smalldatetime);
GO
SELECT CAST('13/1/2024' AS datetime);
GO
SELECT CONVERT(date, '1/2/2024', 112);
GO
SELECT CONVERT(date, '1/2/2024', 99);
GO
SELECT CONVERT(datetime, '1/2/2024', 112);
GO
-- JSON of moments and bytes. https://learn.microsoft.com/sql/relational-databases/json/how-for-json-converts-sql-server-data-types-to-json-data-types-sql-server
SELECT CAST('2024-01-02T03:04:05+00:00' AS datetimeoffset(0)) AS a, CAST('2024-01-02T03:04:05.12+05:30' AS datetimeoffset(7)) AS b, CAST('2024-01-02T03:04:05' AS smalldatetime) AS c, 0xFFFFFF AS d, 'a/b' AS e FOR JSON PATH;
GO
-- A table that has had long values. https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-tables-transact-sql
CREATE TABLE lob (id int, t varchar(max));
CREATE TABLE nolob (id int, t varchar(8000));
SELECT name, lob_data_space_id FROM sys.tables WHERE name IN ('lob', 'nolob') ORDER BY name;
GO
