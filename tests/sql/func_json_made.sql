-- https://learn.microsoft.com/sql/t-sql/functions/json-object-transact-sql, json-array, json-objectagg, json-arrayagg, isjson
CREATE TABLE t (k varchar(10), n int, d date);
INSERT t VALUES ('a', 1, '2024-05-06'), ('b', NULL, NULL), ('c"', 3, '2024-01-01');
GO
SELECT JSON_OBJECT() AS empty, JSON_OBJECT('name': 'value', 'type': 1) AS plain, JSON_OBJECT('name': 'value', 'type': NULL) AS nulls, JSON_OBJECT('name': 'value', 'type': NULL ABSENT ON NULL) AS absent;
SELECT JSON_OBJECT('name': 'value', 'type': JSON_ARRAY(1, 2)) AS array, JSON_OBJECT('a': JSON_OBJECT('b': CAST(1 AS bit)), 'q': JSON_QUERY('[1]')) AS nested, JSON_OBJECT('t': '[1]') AS text;
SELECT JSON_ARRAY() AS empty, JSON_ARRAY('a', 1, 'b', 2) AS plain, JSON_ARRAY('a', 1, NULL) AS absent, JSON_ARRAY('a', 1, NULL NULL ON NULL) AS nulls, JSON_ARRAY(1.50, 1e0, 0x01, CAST('2024-05-06 10:00' AS datetime2(0)), N'q"\') AS types;
SELECT JSON_OBJECT('k': k, 'n': n, 'd': d) AS object FROM t ORDER BY k;
SELECT JSON_ARRAYAGG(n ORDER BY k) AS absent, JSON_ARRAYAGG(n ORDER BY k DESC NULL ON NULL) AS nulls, JSON_ARRAYAGG(JSON_OBJECT(k: n) ORDER BY k) AS objects FROM t;
SELECT JSON_OBJECTAGG(k: n ABSENT ON NULL) AS object FROM t WHERE k < 'c';
SELECT d, JSON_ARRAYAGG(k) AS keys FROM t WHERE d IS NOT NULL GROUP BY d ORDER BY d;
SELECT JSON_OBJECT('rows': (SELECT k FROM t WHERE n = 1 FOR JSON PATH)) AS rows, (SELECT JSON_ARRAY(1) AS a FOR JSON PATH) AS for_json;
SELECT ISJSON('1') AS plain, ISJSON('1', VALUE) AS value, ISJSON('"a"', SCALAR) AS scalar, ISJSON('true', SCALAR) AS word, ISJSON('{}', OBJECT) AS object, ISJSON('{}', ARRAY) AS array, ISJSON('[', VALUE) AS broken, ISJSON(NULL, VALUE) AS nothing;
GO
SELECT JSON_OBJECT(NULL: 1);
GO
SELECT ISJSON('1', THING);
GO
SELECT JSON_OBJECT('a': 1 RETURNING json);
GO
SELECT JSON_TEXT(1);
GO
