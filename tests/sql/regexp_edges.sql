-- REGEXP_*: empty matches, starts and occurrences, replacements, flags, pairs of surrogates, as SQL Server 2025 has them.
-- https://learn.microsoft.com/sql/t-sql/functions/regular-expressions-functions-transact-sql
SELECT REGEXP_REPLACE('abc', '', '-') AS a, REGEXP_REPLACE('abc', 'x*', '-') AS b, REGEXP_REPLACE('abc', '^', '-') AS c, REGEXP_REPLACE('abc', '$', '-') AS d, REGEXP_REPLACE('', 'x*', '-') AS e, REGEXP_REPLACE('abc', 'b') AS f;
GO
SELECT REGEXP_COUNT('abc', '') AS a, REGEXP_COUNT('abc', 'x*') AS b, REGEXP_COUNT('', '') AS c, REGEXP_COUNT('abc', '', 2) AS d, REGEXP_INSTR('abc', 'x*') AS e, REGEXP_INSTR('abc', 'x*', 1, 1, 1) AS f, REGEXP_INSTR('abc', '$') AS g;
GO
SELECT REGEXP_REPLACE('abab', 'a', 'x', 1, 0) AS a, REGEXP_REPLACE('abab', 'a', 'x', 1, 2) AS b, REGEXP_REPLACE('abab', 'a', 'x', 9) AS c, REGEXP_SUBSTR('abab', 'a', 9) AS d, REGEXP_INSTR('abab', 'a', 9) AS e, REGEXP_COUNT('abab', 'a', 9) AS f, REGEXP_SUBSTR('abab', 'a', 1, 3) AS g, REGEXP_INSTR('abab', 'a', 1, 3) AS h;
GO
SELECT REGEXP_SUBSTR('ab12', '([a-z]+)([0-9]+)', 1, 1, '', 2) AS a, REGEXP_SUBSTR('ab12', '([a-z]+)([0-9]+)', 1, 1, '', 3) AS b, REGEXP_INSTR('ab12', '([a-z]+)([0-9]+)', 1, 1, 0, '', 2) AS c, REGEXP_INSTR('ab12', '([a-z]+)([0-9]+)', 1, 1, 1, '', 1) AS d;
GO
SELECT REGEXP_COUNT('ABC', 'a') AS a, REGEXP_COUNT('ABC', 'a', 1, 'i') AS b, REGEXP_COUNT('ABC', 'a', 1, 'ic') AS c, REGEXP_COUNT('ABC', 'a', 1, 'ci') AS d, REGEXP_COUNT('ABC', '(?i)a') AS e, REGEXP_COUNT('ab' + CHAR(10) + 'ab', '^a', 1, 'm') AS f, REGEXP_COUNT('a' + CHAR(10) + 'b', 'a.b', 1, 's') AS g, REGEXP_COUNT('ab  ', 'b$') AS h;
GO
SELECT REGEXP_COUNT(N'😀b', N'.') AS a, REGEXP_INSTR(N'😀b', N'b') AS b, REGEXP_INSTR(N'a😀b', N'b', 3) AS c, REGEXP_INSTR(N'a😀b', N'b', 4) AS d, REGEXP_SUBSTR(N'a😀b', N'.', 3) AS e, REGEXP_REPLACE(N'a😀b', N'.', N'x') AS f;
GO
SELECT REGEXP_COUNT('a', 'a', 0) AS a;
GO
SELECT REGEXP_REPLACE('a', 'a', 'b', 0) AS a;
GO
SELECT REGEXP_INSTR('a', 'a', -1) AS a;
GO
SELECT REGEXP_SUBSTR('a', 'a', 0) AS a;
GO
SELECT REGEXP_COUNT('a', 'a', 1, 'x') AS a;
GO
SELECT REGEXP_COUNT('a', 'a', 1, 'I') AS a;
GO
SELECT REGEXP_COUNT('a', 'a(?=b)') AS a;
GO
SELECT REGEXP_COUNT('a', '*') AS a;
GO
SELECT REGEXP_COUNT('a', 'a\') AS a;
GO
SELECT REGEXP_COUNT('a', ')') AS a;
GO
SELECT REGEXP_COUNT(1, 'a') AS a;
GO
SELECT REGEXP_COUNT('a', 'a', 1, N'i') AS a;
GO
SELECT REGEXP_COUNT('a', 'a', 1.5) AS a;
GO
SELECT REGEXP_COUNT('a') AS a;
GO
SELECT REGEXP_COUNT(CAST(NULL AS varchar(5)), '(') AS a, REGEXP_COUNT('a', CAST(NULL AS varchar(5))) AS b, REGEXP_INSTR('ab', 'b', 1, 1, NULL) AS c;
GO
