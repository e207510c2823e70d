-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/data-types/uniqueidentifier-transact-sql, https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/int-bigint-smallint-and-tinyint-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/sql-variant-property-transact-sql
DECLARE @ID NVARCHAR(max) = N'0E984725-C51C-4BF4-9960-E1C80E27ABA0wrong', @myid uniqueidentifier = '0E984725-C51C-4BF4-9960-E1C80E27ABA0';
SELECT @ID AS String, CONVERT(uniqueidentifier, @ID) AS TruncatedValue, LEN(CONVERT(CHAR(255), @myid)) AS characters;
GO
SELECT CONVERT(char(35), CONVERT(uniqueidentifier, '0E984725-C51C-4BF4-9960-E1C80E27ABA0'));
GO
SELECT CONVERT(uniqueidentifier, '0E984725-C51C-4BF4-9960-E1C80E27ABA');
GO
SELECT cast(0.0000009000 as decimal(30,20)) * cast(1.0000000000 as decimal(30,20)) [decimal 38,17];
SELECT CAST(0.0000009000 AS DECIMAL(30,10)) * CAST(1.0000000000 AS DECIMAL(30,10)) [decimal(38, 6)];
-- The page's table of operators: of decimal(9, 4) and decimal(5, 1), and of decimal(20, 2) and decimal(20, 10).
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'DECLARE @a decimal(9, 4) = 1, @b decimal(5, 1) = 1, @c decimal(20, 2) = 1, @d decimal(20, 10) = 1;
  SELECT @a + @b AS plus, @a - @b AS minus, @a * @b AS times, @a / @b AS by_, @a % @b AS modulo, @c + @d AS plus2, @c * @d AS times2, @c / @d AS by2, @c % @d AS modulo2', NULL, 0);
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT CAST(1 AS decimal(9, 4)) AS u UNION ALL SELECT CAST(1 AS decimal(5, 1))', NULL, 0);
GO
SELECT 2147483647 / 2 AS Result1, 2147483649 / 2 AS Result2;
SELECT CAST(100000 AS varchar(3)) AS star, CAST(255 AS varchar(2)) AS stars;
CREATE TABLE dbo.MyTable (MyBigIntColumn bigint, MyIntColumn int, MySmallIntColumn smallint, MyTinyIntColumn tinyint);
INSERT INTO dbo.MyTable VALUES (9223372036854775807, 2147483647,32767,255);
SELECT MyBigIntColumn, MyIntColumn, MySmallIntColumn, MyTinyIntColumn FROM dbo.MyTable;
GO
CREATE TABLE tableA(colA sql_variant, colB int);
INSERT INTO tableA values ( cast (46279.1 as decimal(8,2)), 1689);
SELECT SQL_VARIANT_PROPERTY(colA,'BaseType') AS 'Base Type', SQL_VARIANT_PROPERTY(colA,'Precision') AS 'Precision', SQL_VARIANT_PROPERTY(colA,'Scale') AS 'Scale' FROM tableA WHERE colB = 1689;
DECLARE @v1 sql_variant;
SET @v1 = 'ABC';
SELECT @v1 AS v, SQL_VARIANT_PROPERTY(@v1, 'BaseType') AS base, SQL_VARIANT_PROPERTY(@v1, 'MaxLength') AS length, SQL_VARIANT_PROPERTY(@v1, 'nothing') AS nothing;
-- The page's table of precisions and scales.
SELECT v.name, SQL_VARIANT_PROPERTY(v.value, 'Precision') AS precision, SQL_VARIANT_PROPERTY(v.value, 'Scale') AS scale, SQL_VARIANT_PROPERTY(v.value, 'MaxLength') AS length
FROM (VALUES ('datetime', CAST(CAST('2020-01-01' AS datetime) AS sql_variant)), ('smalldatetime', CAST('2020-01-01' AS smalldatetime)), ('float', CAST(1 AS float)), ('real', CAST(1 AS real)),
  ('decimal', CAST(1 AS decimal(9, 3))), ('money', CAST(1 AS money)), ('smallmoney', CAST(1 AS smallmoney)), ('bigint', CAST(1 AS bigint)), ('int', 1), ('smallint', CAST(1 AS smallint)),
  ('tinyint', CAST(1 AS tinyint)), ('bit', CAST(1 AS bit)), ('nvarchar(50)', CAST(N'a' AS nvarchar(50))), ('varbinary(7)', CAST(0x01 AS varbinary(7)))) AS v(name, value);
GO
