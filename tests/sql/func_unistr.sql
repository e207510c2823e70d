-- UNISTR, and SUBSTRING up to the end.
-- https://learn.microsoft.com/sql/t-sql/functions/unistr-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/substring-transact-sql
SELECT UNISTR(N'Hello! \D83D\DE00') AS a, UNISTR(N'Hello! \+01F603') AS b, UNISTR(N'ABC#00C0#0181#0187', '#') AS c, UNISTR(N'a\\b') AS d, UNISTR(NULL) AS e
SELECT UNISTR('x\00E9' COLLATE Latin1_General_100_CI_AS_SC_UTF8) AS utf8
GO
SELECT UNISTR(N'\12')
GO
SELECT UNISTR(N'\+110000')
GO
SELECT UNISTR('a')
GO
SELECT UNISTR(N'a', 'ab')
GO
SELECT SUBSTRING('abcdef', 3) AS a, SUBSTRING(N'abc', 0) AS b, SUBSTRING('abc', 4) AS c, SUBSTRING(0x010203, 2) AS d, SUBSTRING(CAST(NULL AS varchar(9)), 1) AS e
