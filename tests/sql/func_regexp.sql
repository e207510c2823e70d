-- Regular expressions, as RE2 has them.
-- https://learn.microsoft.com/sql/t-sql/functions/regexp-like-transact-sql and the pages of the others
CREATE TABLE employees (first_name varchar(20))
INSERT employees VALUES ('AMY'), ('Andy'), ('ABBY'), ('Bob'), (NULL)
SELECT first_name FROM employees WHERE REGEXP_LIKE (first_name, '^A.*Y$') ORDER BY 1
SELECT first_name FROM employees WHERE REGEXP_LIKE (first_name, '^A.*Y$', 'i') ORDER BY 1
SELECT first_name FROM employees WHERE NOT REGEXP_LIKE (first_name, '^A.*Y$') ORDER BY 1
SELECT COUNT(*) AS dates FROM (VALUES ('2020-02-11'), ('2020-03-01')) v(d) WHERE REGEXP_LIKE (d, '2020-02-\d\d')
SELECT n FROM (VALUES ('QUEUEING'), ('PLAIN')) v(n) WHERE (REGEXP_LIKE (n, '[AEIOU]{3,}') OR 1 = 0) AND n IS NOT NULL
SELECT CASE WHEN REGEXP_LIKE('abc', 'B', 'i') THEN 1 ELSE 0 END AS a, IIF(REGEXP_LIKE('abc', 'B'), 1, 0) AS b
GO
CREATE TABLE checked (id int IDENTITY (101, 1), email varchar(320) CHECK (REGEXP_LIKE (email, '^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$')),
  phone nvarchar(20) CONSTRAINT phone CHECK (REGEXP_LIKE (phone, '^(\d{3})-(\d{3})-(\d{4})$')))
INSERT checked VALUES ('a.b@example.org', N'123-456-7890')
SELECT email, phone FROM checked
GO
INSERT checked VALUES (NULL, N'123-4567890')
GO
SELECT REGEXP_LIKE('a', 'a')
GO
SELECT 1 WHERE REGEXP_LIKE('a')
GO
SELECT REGEXP_REPLACE('123-456-7890', '(\d{3})-(\d{3})-(\d{4})', '(\1) \2-\3') AS a, REGEXP_REPLACE('123-456-7890', '(\d{3})-(\d{3})-(\d{4})', '(\1) (\4)-xxxx') AS b
SELECT REGEXP_REPLACE('A leaf', '[ae]', 'X', 1, 0, 'i') AS a, REGEXP_REPLACE('a Cat, a dog', 'cat|dog', 'pet', 1, 1, 'i') AS b, REGEXP_REPLACE('555-1234', '\d{4}$', '****') AS c
SELECT REGEXP_REPLACE('abc', 'b') AS gone, REGEXP_REPLACE('abcb', 'b', '[&]') AS whole, REGEXP_REPLACE('ab', 'b', '\\\&\') AS signs, REGEXP_REPLACE('aaa', 'a', 'x', 2, 2) AS second
SELECT REGEXP_REPLACE('abc', 'x*', '-') AS a, REGEXP_REPLACE('abc', '', '-') AS b, REGEXP_REPLACE('', 'x*', '-') AS c, REGEXP_REPLACE('abc', '$', '-') AS d, REGEXP_REPLACE('abc', 'b', 'x', 4) AS e
SELECT DATALENGTH(REGEXP_REPLACE(REPLICATE('a', 8000), 'a', 'bb')) AS cut, DATALENGTH(REGEXP_REPLACE(CAST(REPLICATE('a', 8000) AS varchar(max)), 'a', 'bb')) AS whole
GO
SELECT REGEXP_SUBSTR('foo bar 12 34', '\d+') AS a, REGEXP_SUBSTR('foo bar 12 34', '\d+', 1, 2) AS b, REGEXP_SUBSTR('foo bar', 'O+', 1, 1, 'i') AS c,
  REGEXP_SUBSTR('key=value', '(\w+)=(\w+)', 1, 1, 'c', 2) AS d, REGEXP_SUBSTR('abc', 'x') AS e, REGEXP_SUBSTR('abc', 'x*') AS f, REGEXP_SUBSTR('abc', '(b)', 1, 1, '', 2) AS g
SELECT REGEXP_INSTR('a 12 b', '\d+') AS a, REGEXP_INSTR('banana', 'A', 1, 3, 0, 'i') AS b, REGEXP_INSTR('the tree', 't.*?e', 1, 1, 1) AS c,
  REGEXP_INSTR('key=value', '(\w+)=(\w+)', 1, 1, 0, 'c', 2) AS d, REGEXP_INSTR('abc', 'x') AS e, REGEXP_INSTR('abc', 'c', 4) AS f, REGEXP_INSTR('abc', 'x*') AS g
SELECT REGEXP_COUNT('banana', 'a') AS a, REGEXP_COUNT('running', 'ing$') AS b, REGEXP_COUNT('xStReNgth', '[^aeiou]{3}', 1, 'i') AS c, REGEXP_COUNT('abc', '') AS d, REGEXP_COUNT('', '') AS e, REGEXP_COUNT('abcabc', 'a', 2) AS f
SELECT REGEXP_COUNT(NULL, 'a') AS a, REGEXP_COUNT('a', NULL) AS b, REGEXP_SUBSTR('a', 'a', NULL) AS c, REGEXP_REPLACE('a', 'a', NULL) AS d
GO
SELECT * FROM REGEXP_MATCHES ('Learning #AzureSQL #AzureSQLDB', '#([A-Za-z0-9_]+)')
SELECT * FROM REGEXP_MATCHES ('ABC', '^(A)(..)$')
SELECT * FROM REGEXP_MATCHES (N'a"b', '(x)?("b)') AS m (id, a, b, v, j)
SELECT match_id, start_position, end_position, match_value FROM REGEXP_MATCHES ('abc', '')
SELECT COUNT(*) AS none FROM REGEXP_MATCHES ('abc', 'x')
SELECT * FROM REGEXP_SPLIT_TO_TABLE ('the quick brown fox jumps over the lazy dog', '\s+')
SELECT * FROM REGEXP_SPLIT_TO_TABLE (',a,,b', ',')
SELECT value FROM REGEXP_SPLIT_TO_TABLE ('abc', 'x*')
SELECT * FROM REGEXP_SPLIT_TO_TABLE ('', ',')
SELECT v.s, p.value, p.ordinal FROM (VALUES ('a1b'), (NULL), ('c')) v(s) CROSS APPLY REGEXP_SPLIT_TO_TABLE (v.s, '\d') p ORDER BY v.s, p.ordinal
GO
-- Positions: where a search starts is a character, REGEXP_INSTR answers a code unit.
DECLARE @s nvarchar(20) = N'a' + NCHAR(0xD83D) + NCHAR(0xDE00) + N'b'
SELECT REGEXP_COUNT(@s, N'.') AS characters, REGEXP_INSTR(@s, N'b') AS unit, REGEXP_INSTR(@s, N'b', 3) AS third, REGEXP_INSTR(@s, N'b', 4) AS fourth
SELECT start_position, match_value FROM REGEXP_MATCHES (@s, N'b')
GO
-- The dialect.
SELECT REGEXP_COUNT('a1', '[[:digit:]]') AS a, REGEXP_COUNT('aA', '\p{Lu}') AS b, REGEXP_COUNT('a.b', '\Qa.b\E') AS c, REGEXP_COUNT('axb', '\Qa.b\E') AS d, REGEXP_COUNT('A', '\101') AS e,
  REGEXP_COUNT('abc', '(?P<x>a)(?P<x>b)') AS f, REGEXP_COUNT('a', '[a-b-c]') AS g, REGEXP_COUNT('a', 'a{,2}') AS h, REGEXP_COUNT('ABC', '(?-i)abc', 1, 'i') AS i, REGEXP_COUNT(']', '[]a]') AS j
SELECT REGEXP_COUNT(NCHAR(1632), '\d') AS digit, REGEXP_COUNT(NCHAR(233), '\w') AS letter, REGEXP_COUNT('a' + NCHAR(233), 'a\b') AS bound, REGEXP_COUNT(NCHAR(201), NCHAR(233), 1, 'i') AS folded, REGEXP_COUNT(CHAR(11), '\s') AS tab
SELECT REGEXP_COUNT('a' + CHAR(10) + 'b', 'a$') AS a, REGEXP_COUNT('a' + CHAR(10) + 'b', 'a$', 1, 'm') AS b, REGEXP_COUNT('a' + CHAR(10), '.', 1, 's') AS c, REGEXP_COUNT('ABC', 'a', 1, 'ic') AS d, REGEXP_COUNT('ABC', 'a', 1, 'ci') AS e
SELECT REGEXP_SUBSTR('<a><b>', '<.+>') AS a, REGEXP_SUBSTR('<a><b>', '<.+?>') AS b, REGEXP_SUBSTR('<a><b>', '(?U)<.+>') AS c, REGEXP_SUBSTR('abc', 'a|ab') AS d
GO
SELECT REGEXP_COUNT('a', '(a)\1')
GO
SELECT REGEXP_COUNT('a', 'a(?=b)')
GO
SELECT REGEXP_COUNT('a', '(?<x>b)')
GO
SELECT REGEXP_COUNT('a', 'a**')
GO
SELECT REGEXP_COUNT('a', '*a')
GO
SELECT REGEXP_COUNT('a', 'a{1001}')
GO
SELECT REGEXP_COUNT('a', '(a{100}){100}')
GO
SELECT REGEXP_COUNT('a', '[z-a]')
GO
SELECT REGEXP_COUNT('a', '\p{Foo}')
GO
SELECT REGEXP_COUNT('a', '(')
GO
SELECT * FROM REGEXP_MATCHES('a', '[a')
GO
SELECT REGEXP_COUNT('a', ')')
GO
SELECT REGEXP_COUNT('a', 'a\')
GO
SELECT REGEXP_COUNT('a', 'a', 1, 'ix')
GO
SELECT REGEXP_COUNT('a', 'a', 1, REPLICATE('i', 31))
GO
SELECT REGEXP_COUNT('a', 'a', 0)
GO
SELECT REGEXP_REPLACE('a', 'a', 'b', 1, -1)
GO
SELECT REGEXP_INSTR('a', 'a', 1, 1, 2)
GO
SELECT REGEXP_SUBSTR('a', 'a', 1, 0)
GO
SELECT REGEXP_SUBSTR('a', 'a', 1, 1, 'c', -1)
GO
SELECT REGEXP_COUNT(1, 'a')
GO
SELECT REGEXP_COUNT('a', CAST('a' AS varchar(max)))
GO
SELECT REGEXP_COUNT('a', 'a', 1, N'i')
GO
SELECT REGEXP_COUNT('a')
GO
SELECT * FROM REGEXP_MATCHES('a')
GO
-- A pattern is looked at where it is used.
SELECT REGEXP_COUNT(NULL, '(') AS none
DROP TABLE employees, checked
