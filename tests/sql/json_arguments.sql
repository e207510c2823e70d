-- What the JSON functions take, how JSON_MODIFY writes numbers, and what FOR JSON wants of its query.
-- https://learn.microsoft.com/sql/t-sql/functions/json-modify-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/isjson-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/json/format-json-output-automatically-with-auto-mode-sql-server
-- Floats are written whole.
DECLARE @f float = 123456789.125, @r real = 1.5
SELECT JSON_MODIFY('{"a":1}', '$.a', @f) AS f, JSON_MODIFY('{"a":1}', '$.a', @r) AS r, JSON_MODIFY('{"a":1}', '$.a', 12.50) AS d
GO
SELECT JSON_MODIFY('{"a":1}', '$.a', CAST('20240101' AS date))
GO
SELECT JSON_MODIFY('{"a":1}', '$.a', 0x01)
GO
SELECT JSON_VALUE('{"a":1}', NULL)
GO
DECLARE @p varchar(10)
SELECT JSON_VALUE('{"a":1}', @p) AS v
GO
DECLARE @p varchar(10)
SELECT JSON_MODIFY('{"a":1}', @p, 1) AS v
GO
SELECT ISJSON('[1]', ARRAY) AS a, ISJSON('[1]', OBJECT) AS o
GO
SELECT ISJSON('[1]', nothing)
GO
SELECT 1 AS a FOR JSON AUTO
GO
SELECT a FROM (SELECT 1 AS a) d FOR JSON AUTO
GO
