-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/functions/translate-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/trim-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/round-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/patindex-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/left-shift-transact-sql
SELECT TRANSLATE('2*[3+4]/{7-2}', '[]{}', '()()') AS t, REPLACE(REPLACE(REPLACE(REPLACE('2*[3+4]/{7-2}', '[', '('), ']', ')'), '{', '('), '}', ')') AS r;
SELECT TRANSLATE('[137.4, 72.3]' , '[,]', '( )') AS Point, TRANSLATE('(137.4 72.3)' , '( )', '[,]') AS Coordinates;
GO
SELECT TRANSLATE('abc', 'ab', 'x');
GO
SELECT '|' + TRIM( '     test    ') + '|' AS Result;
SELECT '|' + TRIM( '.,! ' FROM '     #     test    .') + '|' AS Result;
SELECT '|' + TRIM(LEADING '.,! ' FROM  '     .#     test    .') + '|' AS Result;
SELECT '|' + TRIM(TRAILING '.,! ' FROM '     .#     test    .') + '|' AS Result;
SELECT TRIM(BOTH '123' FROM '123abc123') AS Result, LTRIM('123abc', '123') AS l, RTRIM('abc.', '.') AS r;
GO
SELECT ROUND(748.58, -4) AS a, ROUND(748.58, -1) AS b, ROUND(748.58, -2) AS c, ROUND(CAST (748.58 AS decimal (6,2)),-3) AS d, ROUND(123.9994, 3) AS e, ROUND(123.9995, 3) AS f,
  ROUND(123.4545, 2) AS g, ROUND(123.45, -2) AS h, ROUND(150.75, 0) AS i, ROUND(150.75, 0, 1) AS j;
GO
SELECT ROUND(748.58, -3);
GO
SELECT position = PATINDEX('%ter%', 'interesting data');
SELECT position = PATINDEX('%en_ure%', 'Please ensure the door is locked!');
SELECT PATINDEX('a%', 'abc') AS a, PATINDEX('%a', 'cba') AS b;
SELECT position = PATINDEX('%[^ 0-9A-z]%', 'Please ensure the door is locked!');
SELECT PATINDEX ( '%ein%', 'Das ist ein Test'  COLLATE Latin1_General_BIN) AS position;
GO
SELECT LEFT_SHIFT(12345, 5) AS a, 12345 << 5 AS b, LEFT_SHIFT(12345, -1) AS c, RIGHT_SHIFT(12345, 1) AS d, LEFT_SHIFT(1, 32) AS e, RIGHT_SHIFT(-1, 31) AS f;
GO
-- https://learn.microsoft.com/sql/t-sql/functions/str-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/string-escape-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/formatmessage-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/concat-ws-transact-sql
SELECT STR(123.45, 6, 1) AS a, STR(123.45, 2, 2) AS b, STR (FLOOR (123.45), 8, 3) AS c, STR(12,10) AS d, STR(1223,2) AS e;
SELECT STRING_ESCAPE('\' + CHAR(9) + '/' + CHAR(10) + '\\' + CHAR(9) + '"' + CHAR(9), 'json') AS escapedText, STRING_ESCAPE(CHAR(1) + CHAR(31), 'json') AS control;
GO
SELECT STRING_ESCAPE('a', 'xml');
GO
SELECT FORMATMESSAGE('This is the %s and this is the %s.', 'first variable', 'second variable') AS Result;
SELECT FORMATMESSAGE('Signed int %i, %d %i, %d, %+i, %+d, %+i, %+d', 5, -5, 50, -50, -11, -11, 11, 11) AS a;
SELECT FORMATMESSAGE('Signed int with up to 3 leading zeros %03i', 5) AS a, FORMATMESSAGE('Signed int with up to 20 leading zeros %020i', 5) AS b;
SELECT FORMATMESSAGE('Signed int with leading zero 0 %020i', -55) AS a, FORMATMESSAGE('Bigint %I64d', 3000000000) AS b, FORMATMESSAGE('Unsigned int %u, %u', 50, -50) AS c;
SELECT FORMATMESSAGE('Unsigned octal %o, %o', 50, -50) AS a, FORMATMESSAGE('Unsigned hexadecimal %x, %X, %X, %X, %x', 11, 11, -11, 50, -50) AS b;
SELECT FORMATMESSAGE('Unsigned octal with prefix: %#o, %#o', 50, -50) AS a, FORMATMESSAGE('Unsigned hexadecimal with prefix: %#x, %#X, %#X, %X, %x', 11, 11, -11, 50, -50) AS b;
SELECT FORMATMESSAGE('Hello %s!', 'TEST') AS a, FORMATMESSAGE('Hello %20s!', 'TEST') AS b, FORMATMESSAGE('Hello %-20s!', 'TEST') AS c;
SELECT CONCAT_WS(',','1 Microsoft Way', NULL, NULL, 'Redmond', 'WA', 98052) AS Address, '|' + CONCAT_WS(',', NULL, NULL) + '|' AS none;
GO
SELECT CONCAT_WS(',', 'a');
GO
