-- FOR XML, FOR JSON, JSON functions, table-valued built-ins. https://learn.microsoft.com/sql/t-sql/queries/select-for-clause-transact-sql
CREATE TABLE t (id int PRIMARY KEY, g int NULL, v varchar(10) NULL);
INSERT t VALUES (1,1,'a'),(2,1,'b'),(3,2,'c'),(4,NULL,NULL);
GO
SELECT id, v FROM t FOR XML PATH('r'), ROOT('x');
SELECT id, v FROM t FOR XML RAW;
SELECT id, v FROM t FOR XML AUTO;
SELECT id, v FROM t FOR XML AUTO, ELEMENTS;
SELECT STUFF((SELECT ',' + v FROM t ORDER BY v FOR XML PATH('')), 1, 1, '');
SELECT id AS '@id', v AS 'a/b', g AS 'a/c' FROM t FOR XML PATH('r');
SELECT id, v FROM t FOR JSON PATH;
SELECT id AS 'a.b', v AS 'a.c' FROM t FOR JSON PATH, INCLUDE_NULL_VALUES;
SELECT id, v FROM t FOR JSON AUTO, ROOT('r');
SELECT id, v FROM t WHERE id=1 FOR JSON PATH, WITHOUT_ARRAY_WRAPPER;
SELECT STRING_AGG(v, ',') WITHIN GROUP (ORDER BY v DESC) FROM t;
SELECT g, STRING_AGG(v, ',') s FROM t GROUP BY g;
GO
SELECT value FROM STRING_SPLIT('a,b,,c', ',');
SELECT value, ordinal FROM STRING_SPLIT('a b', ' ', 1);
SELECT * FROM OPENJSON('{"a":1,"b":[1,2],"c":"x","d":null,"e":true,"f":{}}');
SELECT * FROM OPENJSON('[{"id":1,"n":"x"},{"id":2,"n":"y"}]') WITH (id int, n nvarchar(10) '$.n', j nvarchar(max) '$' AS JSON);
SELECT * FROM OPENJSON('{"a":[1,2]}', '$.a');
SELECT * FROM GENERATE_SERIES(1,5,2);
SELECT * FROM GENERATE_SERIES(3,1);
SELECT * FROM GENERATE_SERIES(1.0,2.0,0.5);
SELECT JSON_VALUE('{"a":{"b":[1,2]}}','$.a.b[1]'), JSON_QUERY('{"a":{"b":[1,2]}}','$.a'), ISJSON('{}'), ISJSON('x'), JSON_MODIFY('{"a":1,"b":2}','$.a',5), JSON_MODIFY('{"a":1,"b":2}','$.a',NULL), JSON_MODIFY('{"a":1}','$.c','x'), JSON_MODIFY('{"a":[1]}','append $.a',2);
GO
SELECT JSON_VALUE('{"a":1}', 'strict $.b');
GO
SELECT JSON_VALUE('{"a":', '$.a');
GO
SELECT * FROM OPENJSON('x');
GO
SELECT * FROM GENERATE_SERIES(1, 3, 0);
GO
SELECT 1 FOR JSON PATH;
GO
SELECT 1 FOR XML RAW;
GO
SELECT 'a<b&c' AS x, CAST(0x0102 AS varbinary(2)) AS b, CAST('2024-01-02 03:04:05' AS datetime) AS d, CAST(1 AS bit) AS t FOR XML PATH('');
SELECT 'a"b\' AS x, CAST(0x0102 AS varbinary(2)) AS b, CAST('2024-01-02 03:04:05' AS datetime) AS d, CAST(1 AS bit) AS t, CAST(NULL AS int) AS n FOR JSON PATH, INCLUDE_NULL_VALUES;
