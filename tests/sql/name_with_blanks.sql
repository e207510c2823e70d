-- Blanks behind the name of a column do not tell it from another one, and are kept where it is shown. https://learn.microsoft.com/sql/relational-databases/databases/database-identifiers
CREATE TABLE t ([a ] INT, b INT)
INSERT t VALUES (1, 2)
SELECT a, [b ], [a  ] AS [x ] FROM t ORDER BY x
SELECT '[' + name + ']' AS name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
UPDATE t SET [b ] = a WHERE [a] = 1
SELECT d.[a ] FROM (SELECT a FROM t) AS d GROUP BY d.[a  ] HAVING COUNT([a ]) = 1 ORDER BY d.[a ]
INSERT t ([a], [b  ]) VALUES (3, 4)
SELECT [a ], b FROM t ORDER BY [b ]
GO
CREATE TABLE u (a INT, [a ] INT)
GO
DROP TABLE t
