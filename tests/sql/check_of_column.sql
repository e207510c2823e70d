-- A CHECK constraint whose condition names one column is that column's, wherever it is written: its automatic name, sys.check_constraints,
-- error 547. learn.microsoft.com: sys.check_constraints (parent_column_id: "0 indicates a table-level CHECK constraint").
CREATE TABLE t (a int, b int, CHECK (a > 0 AND a < 100), CONSTRAINT two CHECK (b > a), CONSTRAINT one CHECK (b < 1000), CONSTRAINT none_named CHECK (1 = 1))
GO
SELECT IIF(name LIKE 'CK[_][_]t[_][_]a[_][_]%', 'CK__t__a__', name) AS name, COL_NAME(parent_object_id, parent_column_id) AS of_column
FROM sys.check_constraints WHERE parent_object_id = OBJECT_ID('t') ORDER BY 1
GO
INSERT t VALUES (1, 5000)
INSERT t VALUES (9, 5)
GO
ALTER TABLE t ADD CONSTRAINT added CHECK (b <> 50)
INSERT t VALUES (1, 50)
GO
ALTER TABLE t ADD c int CONSTRAINT own CHECK (c > 0), CONSTRAINT beside CHECK (c < 10)
GO
INSERT t VALUES (1, 60, 10)
GO
INSERT t VALUES (1, 60, 5)
GO
ALTER TABLE t ADD CONSTRAINT later CHECK (b > 100)
GO
ALTER TABLE t WITH NOCHECK ADD CONSTRAINT later CHECK (b > 100)
ALTER TABLE t WITH CHECK CHECK CONSTRAINT later
GO
-- With a column it must name no other.
ALTER TABLE t ADD d int CONSTRAINT wrong CHECK (a > d)
GO
SELECT COLUMN_NAME, CONSTRAINT_NAME FROM INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE
WHERE TABLE_NAME = 't' AND CONSTRAINT_NAME IN ('one', 'added', 'beside') ORDER BY 2
GO
EXEC sp_rename 't.b', 'bb', 'COLUMN'
GO
INSERT t VALUES (1, 5000, 5)
GO
-- A primary key over a computed column that may be NULL.
CREATE TABLE keyed (a int NOT NULL, b AS a + 1 PERSISTED, CONSTRAINT pk_keyed PRIMARY KEY (b))
GO
CREATE TABLE keyed (a int NOT NULL, b AS COALESCE(a, 0) + 1, CONSTRAINT pk_keyed PRIMARY KEY (b))
GO
CREATE TABLE keyed (a int NULL, b AS ISNULL(a, 0) CONSTRAINT pk_keyed PRIMARY KEY, c AS a + 1 PERSISTED)
ALTER TABLE keyed DROP CONSTRAINT pk_keyed
GO
ALTER TABLE keyed ADD CONSTRAINT pk_keyed PRIMARY KEY (c)
GO
ALTER TABLE keyed ADD CONSTRAINT pk_keyed PRIMARY KEY (a)
GO
