-- Strings: functions, LIKE, collations. https://learn.microsoft.com/sql/t-sql/functions/string-functions-transact-sql
SELECT LEN('abc  '), LEN(N'añb'), DATALENGTH('abc  '), DATALENGTH(N'abc'), LEFT('abc',2), RIGHT('abc',2), SUBSTRING('abcdef',2,3), SUBSTRING('abc',0,2), SUBSTRING('abc',-1,3), CHARINDEX('b','abcb'), CHARINDEX('b','abcb',3), CHARINDEX('z','abc'), PATINDEX('%[0-9]%','ab1'), REPLACE('aXbX','x','-'), STUFF('abcdef',2,3,'ZZ'), REVERSE('abc'), REPLICATE('ab',3), SPACE(2)+'|', UPPER('abc'), LOWER('ABC'), LTRIM('  a'), RTRIM('a  ')+'|', TRIM('  a  ')+'|', TRIM('x' FROM 'xxaxx'), ASCII('A'), CHAR(65), UNICODE(N'é'), NCHAR(233), QUOTENAME('a]b'), QUOTENAME('a','"'), TRANSLATE('2*[3]','[]','()'), SOUNDEX('Robert'), DIFFERENCE('Smith','Smyth'), STRING_ESCAPE('a"b','json'), FORMAT(1234.5,'N2'), FORMAT(CAST('2024-05-06' AS date),'yyyy/MM/dd'), CONCAT_WS('-',1,2,3);
GO
SELECT SUBSTRING('abc', 1, -1);
GO
SELECT LEFT('abc', -1);
GO
SELECT REPLICATE('abcd', -1), STUFF('abcd', 5, 1, 'x'), SUBSTRING('abc', 10, 2), LEFT('abc', 10), QUOTENAME('a','?');
SELECT CASE WHEN 'abc' LIKE 'a%' THEN 1 END, CASE WHEN 'abc' LIKE '_b_' THEN 1 END, CASE WHEN 'a%c' LIKE 'a!%c' ESCAPE '!' THEN 1 END, CASE WHEN 'abc' LIKE '[a-c]bc' THEN 1 END, CASE WHEN 'abc' LIKE '[^x]bc' THEN 1 END, CASE WHEN 'ABC' LIKE 'abc' THEN 1 END, CASE WHEN 'abc ' LIKE 'abc' THEN 1 END, CASE WHEN 'abc' LIKE 'abc ' THEN 1 ELSE 0 END, CASE WHEN 'a[b' LIKE 'a[[]b' THEN 1 END, CASE WHEN NULL LIKE 'a' THEN 1 ELSE 0 END, CASE WHEN 'abc' NOT LIKE 'b%' THEN 1 END;
SELECT CASE WHEN 'abc' = 'ABC' THEN 'ci' END, CASE WHEN 'abc' = 'abc  ' THEN 'pad' END, CASE WHEN 'abc' COLLATE Latin1_General_CS_AS = 'ABC' THEN 'eq' ELSE 'ne' END, CASE WHEN N'é' = N'e' COLLATE Latin1_General_CI_AI THEN 'ai' END, CASE WHEN 'a' < 'B' THEN 'lt' END, CASE WHEN 'a' COLLATE Latin1_General_BIN < 'B' THEN 'lt' ELSE 'ge' END;
SELECT DB_ID('nope') AS d, SCHEMA_NAME() AS s, ISNUMERIC('1.5') AS a, ISNUMERIC('x') AS b, ISNUMERIC('$') AS c, ISNUMERIC('1e5') AS e, HASHBYTES('MD5','a') AS h, PARSENAME('a.b.c',1) AS p, OBJECT_ID('nope') AS o, TYPE_NAME(56) AS t;
