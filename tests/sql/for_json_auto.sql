-- FOR JSON AUTO nests the tables of FROM, as FOR XML AUTO does: an object stays open while the values of its table stay as they are.
-- https://learn.microsoft.com/sql/relational-databases/json/format-json-output-automatically-with-auto-mode-sql-server
CREATE TABLE pp (id INT PRIMARY KEY, nm VARCHAR(10))
CREATE TABLE cc (pid INT, cnm VARCHAR(10), note VARCHAR(10))
CREATE TABLE gg (cnm VARCHAR(10), g INT)
INSERT pp VALUES (1, 'alpha'), (2, 'beta'), (3, NULL)
INSERT cc VALUES (1, 'a1', NULL), (1, 'a2', 'n'), (2, 'b1', NULL), (3, 'c1', NULL)
INSERT gg VALUES ('a1', 10), ('a1', 11), ('a2', 20)
GO
SELECT p.id, p.nm, c.cnm FROM pp AS p JOIN cc AS c ON c.pid = p.id ORDER BY p.id, c.cnm FOR JSON AUTO
SELECT pp.id, pp.nm, cc.cnm FROM dbo.pp JOIN dbo.cc ON cc.pid = pp.id AND cc.pid < 3 ORDER BY pp.id, cc.cnm FOR JSON AUTO, ROOT('all')
SELECT p.id, c.cnm, g.g FROM pp AS p LEFT JOIN cc AS c ON c.pid = p.id LEFT JOIN gg AS g ON g.cnm = c.cnm ORDER BY 1, 2, 3 FOR JSON AUTO
SELECT c.cnm, p.nm, p.id FROM pp AS p JOIN cc AS c ON c.pid = p.id ORDER BY c.cnm FOR JSON AUTO, INCLUDE_NULL_VALUES
SELECT p.id, c.cnm, p.nm, UPPER(c.cnm) AS u FROM pp AS p JOIN cc AS c ON c.pid = p.id ORDER BY p.id, c.cnm FOR JSON AUTO, WITHOUT_ARRAY_WRAPPER
SELECT 1 AS one, p.id, c.note FROM pp AS p JOIN cc AS c ON c.pid = p.id ORDER BY p.id, c.cnm FOR JSON AUTO
SELECT p.id, c.cnm FROM (VALUES (1), (2)) AS p (id) LEFT JOIN (VALUES (1, 'x'), (1, 'x')) AS c (pid, cnm) ON c.pid = p.id ORDER BY p.id FOR JSON AUTO
SELECT p.id, (SELECT c.cnm FROM cc AS c WHERE c.pid = p.id FOR JSON AUTO) AS kids FROM pp AS p ORDER BY p.id FOR JSON AUTO
SELECT COUNT(*) AS n FROM pp AS p JOIN cc AS c ON c.pid = p.id FOR JSON AUTO
SELECT p.id, c.cnm FROM pp AS p JOIN cc AS c ON c.pid = p.id WHERE p.id > 9 FOR JSON AUTO
SELECT p.id AS [a.b], c.cnm AS [a.c] FROM pp AS p JOIN cc AS c ON c.pid = p.id WHERE p.id = 2 FOR JSON AUTO
SELECT p.id, c.cnm FROM pp AS p JOIN cc AS c ON c.pid = p.id WHERE p.id = 2 UNION ALL SELECT 9, 'z' FOR JSON AUTO
GO
-- What conflicts is named whole.
SELECT 1 AS [x.id], 2 AS y, 3 AS [x.a] FOR JSON PATH
GO
SELECT 1 AS [x.a], 2 AS [x.a] FOR JSON PATH
GO
SELECT 1 AS x, 2 AS [x.a] FOR JSON PATH
GO
SELECT 1 AS [x.a], 2 AS x FOR JSON PATH
GO
SELECT 1 AS [x.a.b], 2 AS [x.a.c], 3 AS [x.d] FOR JSON PATH
GO
DROP TABLE pp, cc, gg
