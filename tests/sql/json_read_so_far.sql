-- JSON_VALUE, JSON_QUERY and OPENJSON read a text no further than to where their path is settled; what is wrong behind that nobody sees.
-- https://learn.microsoft.com/sql/t-sql/functions/json-value-transact-sql: an error is what stands before the value, or anywhere if
-- there is no such value. Positions and states as probes of SQL Server 2025 have them.
SELECT JSON_VALUE('{"a":1}extra', '$.a') AS behind, JSON_VALUE('{"a":1', '$.a') AS open_end, JSON_QUERY('{"a":[1]', '$.a') AS query,
       JSON_VALUE('{"a":{"b":"x"}, nonsense', 'strict $.a.b') AS strict_too, JSON_VALUE('[1,2,oops', '$[1]') AS element
SELECT JSON_VALUE('{"a":1', '$[0]') AS no_array, JSON_VALUE('[1,2', '$.a') AS no_object, JSON_VALUE('{"a":1}extra', '$[0]') AS settled
SELECT [key], value, type FROM OPENJSON('{"a":1}extra')
SELECT value FROM OPENJSON('{"a":[1,2],"b":', '$.a')
SELECT JSON_VALUE('{"a":1,"a":2}', '$.a') AS first, JSON_VALUE('{"a":{"z":1},"a":2}', '$.a') AS binds,
       JSON_VALUE('{"a":{"z":1},"a":{"b":2}}', '$.a.b') AS leads_nowhere, JSON_QUERY('{"a":null}', 'strict $.a') AS none
GO
SELECT JSON_VALUE('{"a":1}extra', '$.b')
GO
SELECT JSON_VALUE('{"a":1', '$.b')
GO
SELECT JSON_VALUE('{"a":1}extra', 'strict $.b')
GO
SELECT JSON_VALUE('{"a":1}', 'strict $.b')
GO
SELECT JSON_VALUE('{x}', '$[0]')
GO
SELECT JSON_VALUE('{"a":1x}', '$.a')
GO
SELECT JSON_VALUE('{"a":01}', '$.a')
GO
SELECT JSON_VALUE('{"a":"open', '$.a')
GO
SELECT JSON_VALUE('{"a":trux}', '$.a')
GO
SELECT JSON_VALUE('{"a":-}', '$.a')
GO
SELECT JSON_VALUE('{"a":1.}', '$.a')
GO
SELECT JSON_VALUE('{"a":1e}', '$.a')
GO
SELECT JSON_VALUE('1', '$')
GO
SELECT JSON_QUERY('{"a":1', '$')
GO
SELECT JSON_VALUE('{"a":{"x":1}}', 'strict $.a')
GO
SELECT JSON_QUERY('{"a":1}', 'strict $.a')
GO
SELECT JSON_MODIFY('{"a":1}extra', '$.a', 2)
GO
SELECT * FROM OPENJSON('{}extra', '$.a')
GO
SELECT * FROM OPENJSON('[1,2')
GO
SELECT ISJSON('{"a":1}extra') AS trailing, ISJSON('{"a":01}') AS zero, ISJSON('[1.5e-3, -0, 0.1, -12E+2]') AS numbers, ISJSON('[1.]') AS dot,
       JSON_PATH_EXISTS('{"a":1}extra', '$.a') AS whole
