-- https://learn.microsoft.com/sql/t-sql/functions/odbc-scalar-functions-transact-sql and ODBC Programmer's Reference, appendix E.
SELECT {fn MOD(7, 3)} AS mod, {fn TRUNCATE(-3.149, 2)} AS truncated, {fn BIT_LENGTH('abc')} AS bits, {fn OCTET_LENGTH(N'ab')} AS octets, {fn CHAR_LENGTH('abc')} AS characters;
SELECT {fn DAYOFWEEK('2024-05-06')} AS dayofweek, {fn DAYOFYEAR('2024-05-06')} AS dayofyear, {fn DAYOFMONTH('2024-05-06')} AS dayofmonth, {fn WEEK('2024-05-06')} AS week, {fn QUARTER('2024-05-06')} AS quarter;
SELECT {fn HOUR('2024-05-06 10:11:12')} AS hour, {fn MINUTE('2024-05-06 10:11:12')} AS minute, {fn SECOND('2024-05-06 10:11:12')} AS second, {fn DAYNAME('2024-05-06')} AS dayname, {fn MONTHNAME('2024-05-06')} AS monthname, {fn EXTRACT(YEAR FROM '2024-05-06')} AS year;
SELECT {fn TIMESTAMPADD(SQL_TSI_DAY, 1, CAST('2024-05-06' AS datetime))} AS later, {fn TIMESTAMPDIFF(SQL_TSI_MONTH, '2024-01-31', '2024-05-06')} AS months;
SELECT {fn CONVERT('12', SQL_INTEGER)} + 1 AS number, {fn CONVERT(12, SQL_WVARCHAR)} + N'!' AS text;
SELECT LEN({fn CURDATE()}) AS curdate, LEN({fn CURRENT_DATE()}) AS today, LEN({fn CURTIME()}) AS curtime, LEN({fn CURRENT_TIME(0)}) AS seconds;
SELECT {fn CONCAT('a', 'b')} AS concat, {fn LOCATE('b', 'abc')} AS locate, {fn INSERT('abc', 2, 1, 'x')} AS [insert], {fn REPEAT('ab', 2)} AS repeat, {fn UCASE('a')} AS ucase, {fn IFNULL(NULL, 'n')} AS ifnull;
SELECT {fn POSITION('b' IN 'abc')} AS position, {fn POSITION('x' IN 'abc')} AS nowhere, LEN(CONVERT(varchar(40), {fn CURRENT_TIMESTAMP(2)})) AS hundredths;
GO
SELECT {fn TIMESTAMPADD(SQL_TSI_CENTURY, 1, GETDATE())};
GO
SELECT {fn CONVERT(1, SQL_INTERVAL_YEAR)};
GO
SELECT {fn NOTHING(1)};
GO
