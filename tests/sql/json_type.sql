-- The type json: the text that a document is kept as, what it becomes and what it is refused for.
-- https://learn.microsoft.com/sql/t-sql/data-types/json-data-type. The values are SQL Server 2025's.
SELECT CAST('{  "b" : 1,   "a" :  2, "dup": 1, "dup": 2 }' AS json) AS a, CAST('[ ]' AS json) AS b, CAST('[1.50, -0.0, 1e2, 1.5e-10]' AS json) AS c, CAST('[1e27]' AS json) AS d;
GO
SELECT CAST('{"\/":1,"/":2}' AS json) AS a, CAST('["\/\u0041\u0001\ud83d"]' AS json) AS b, CAST('{"a":{"x":1,"x":2},"b":[{"x":1}]}' AS json) AS c;
GO
SELECT CAST('' AS json) AS a;
GO
SELECT CAST('1' AS json) AS a;
GO
SELECT CAST('[1,]' AS json) AS a;
GO
SELECT CAST('{"a" 1}' AS json) AS a;
GO
SELECT CAST('[01]' AS json) AS a;
GO
SELECT CAST('{not}' AS json) AS a;
GO
SELECT CAST('["a' AS json) AS a;
GO
SELECT CAST('[1] 2' AS json) AS a;
GO
SELECT CAST('[1e40]' AS json) AS a;
GO
SELECT CAST(REPLICATE('[', 129) AS json) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS varchar(2)) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS int) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS varbinary(10)) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS text) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS xml) AS a;
GO
SELECT CAST(CAST('[1]' AS json) AS date) AS a;
GO
SELECT CAST(1 AS json) AS a;
GO
SELECT CAST('[]' AS json(10)) AS a;
GO
SELECT 1 AS a WHERE CAST('[1]' AS json) = CAST('[1]' AS json);
GO
SELECT 1 AS a WHERE CAST('[1]' AS json) = N'[1]';
GO
SELECT 1 AS a WHERE CAST('[1]' AS json) LIKE '%1%';
GO
SELECT j AS a FROM (SELECT CAST('[1]' AS json)) t(j) ORDER BY j;
GO
SELECT COUNT(*) AS a FROM (SELECT CAST('[1]' AS json)) t(j) GROUP BY j;
GO
SELECT DISTINCT j AS a FROM (SELECT CAST('[1]' AS json)) t(j);
GO
SELECT CAST('[1]' AS json) AS a UNION SELECT CAST('[1]' AS json);
GO
SELECT MAX(j) AS a FROM (SELECT CAST('[1]' AS json)) t(j);
GO
SELECT COUNT(j) AS a FROM (SELECT CAST('[1]' AS json)) t(j);
GO
SELECT LEN(CAST('[1]' AS json)) AS a;
GO
SELECT CHECKSUM(CAST('[1]' AS json)) AS a;
GO
DECLARE @j json = '[1]', @s nvarchar(10) = CAST('[1]' AS json);
GO
-- Columns, variables and parameters.
CREATE TABLE docs (id int PRIMARY KEY, j json NULL, d json NOT NULL DEFAULT '{"x":0}');
INSERT docs (id, j) VALUES (1, '{ "a" : 1 }'), (2, NULL), (3, N'["é"]');
SELECT id, j, d FROM docs ORDER BY id;
SELECT id FROM docs WHERE j IS NULL;
UPDATE docs SET j = JSON_MODIFY(j, '$.b', 2) WHERE id = 1;
SELECT j FROM docs WHERE id = 1;
GO
-- The functions of JSON over it: what they make of the whole is json again.
SELECT JSON_VALUE(CAST('{"a":{"b":1.5},"c":[1,2],"s":"x"}' AS json), '$.a.b') AS a, JSON_QUERY(CAST('{"a":{"b":1.5},"c":[1,2],"s":"x"}' AS json), '$.c') AS b, JSON_PATH_EXISTS(CAST('{"a":{"b":1.5},"c":[1,2],"s":"x"}' AS json), '$.c[1]') AS c, ISJSON(CAST('{"a":{"b":1.5},"c":[1,2],"s":"x"}' AS json)) AS d, JSON_MODIFY(CAST('{"a":{"b":1.5},"c":[1,2],"s":"x"}' AS json), '$.s', 'y') AS e, JSON_MODIFY(CAST('[1]' AS json), 'append $', CAST(1.5 AS float)) AS f;
GO
SELECT JSON_OBJECT('k': CAST('[ 1 ]' AS json)) AS a, JSON_ARRAY(1, 'a' RETURNING json) AS b, JSON_OBJECT('a': 1 RETURNING json) AS c, (SELECT CAST('{ }' AS json) AS d FOR JSON PATH) AS d;
GO
SELECT JSON_ARRAY(1 RETURNING varchar(10)) AS a;
GO
SELECT JSON_OBJECT('a': 1 RETURNING nvarchar(10)) AS a;
GO
SELECT JSON_MODIFY(CAST('[1]' AS json), '$[0]', CAST('[2]' AS json)) AS a;
GO
SELECT [key], value, type FROM OPENJSON(CAST('{"a":1,"b":[2]}' AS json));
GO
CREATE PROCEDURE takes_json @j json AS SELECT @j AS j, JSON_VALUE(@j, '$.a') AS v;
GO
-- modify() changes a value in its place.
UPDATE docs SET j.modify('$.a', 7) WHERE id = 1;
UPDATE docs SET j.modify('$.c', CAST('[ 1 ]' AS json)) WHERE id = 1;
DECLARE @j json = '{"a":1}';
SET @j.modify('$.b', 'x');
SELECT j, @j AS v FROM docs WHERE id = 1;
GO
DECLARE @j json;
SET @j.modify('$.b', 'x');
GO
UPDATE docs SET j.modify('$.a') WHERE id = 1;
GO
