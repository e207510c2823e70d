-- JSON_CONTAINS, and JSON_VALUE ... RETURNING.
-- https://learn.microsoft.com/sql/t-sql/functions/json-contains-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/json-value-transact-sql. The values are SQL Server 2025's.
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 1) AS a, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 1.0) AS b, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 2.5) AS c, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 3) AS d, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 'a') AS e, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 'ab') AS f, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), '1') AS g, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), CAST(1 AS bit)) AS h, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), CAST(0 AS bit)) AS i, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 'true') AS j;
GO
SELECT JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 1) AS a, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 2, '$.n[*]') AS b, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 3, '$.n[*]') AS c, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 2, '$.n[1]') AS d, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 2, '$.m') AS e, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'X', '$.s') AS f, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'y', '$.s') AS g, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 1, '$.n') AS h, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 100, '$.o.p') AS i, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 1, '$.z') AS j;
GO
SELECT JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'x', '$.s', 0) AS a, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'x%', '$.s', 1) AS b, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), '_', '$.s', 1) AS c, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'y%', '$.s', 1) AS d, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'x', '$.s', CAST(NULL AS int)) AS e, JSON_CONTAINS(CAST(NULL AS json), 1) AS f, JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), CAST(NULL AS int)) AS g, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'x' COLLATE Latin1_General_BIN2, '$.s') AS h, JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'X' COLLATE Latin1_General_BIN2, '$.s') AS i;
GO
SELECT JSON_CONTAINS(CAST('{"n":[1,2],"s":"x","f":true,"o":{"p":1e2},"z":null}' AS json), 'x', '$.s', 2) AS a;
GO
SELECT JSON_CONTAINS('[1]', 1) AS a;
GO
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 1e0) AS a;
GO
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), CAST('2024-01-02' AS date)) AS a;
GO
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), NULL) AS a;
GO
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json), 1, '$', CAST(1 AS bigint)) AS a;
GO
SELECT JSON_CONTAINS(CAST('[1, 2.50, "a ", true, null, "Ab"]' AS json)) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING int) AS a, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING bigint) AS b, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.d' RETURNING int) AS c, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.d' RETURNING decimal(5, 1)) AS d, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.big' RETURNING bigint) AS e, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.big' RETURNING int) AS f, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.b' RETURNING bit) AS g, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.b' RETURNING varchar(5)) AS h, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.s' RETURNING date) AS i, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.s' RETURNING datetime2(0)) AS j, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.t' RETURNING int) AS k, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.n' RETURNING int) AS l, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.o' RETURNING int) AS m, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.x' RETURNING int) AS n;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.t' RETURNING varchar(2)) AS a, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.t' RETURNING nvarchar(3)) AS b, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING varchar(10)) AS c, JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.d' RETURNING float) AS d;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), 'strict $.x' RETURNING int) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), 'strict $.t' RETURNING varchar(2)) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), 'strict $.t' RETURNING int) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING date) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING xml) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.i' RETURNING money) AS a;
GO
SELECT JSON_VALUE('{"i":1}', '$.i' RETURNING int) AS a;
GO
SELECT JSON_VALUE(CAST('{"i":12,"d":1.75,"s":"2024-01-02","b":true,"big":12345678901,"t":"abc","n":null,"o":{}}' AS json), '$.t' RETURNING varchar) AS a;
GO
