-- A row that more than one row of the source matches: MERGE deletes it once, and does not update what it has changed or deletes. 8672.
-- learn.microsoft.com/sql/t-sql/statements/merge-transact-sql
CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, v int)
INSERT t VALUES (1, 1), (2, 2), (3, 3)
GO
MERGE t USING (VALUES (1), (1), (2)) s (a) ON t.id = s.a WHEN MATCHED THEN DELETE OUTPUT $action, deleted.id;
SELECT id FROM t
GO
MERGE t USING (VALUES (3, 1), (3, 2)) s (a, b) ON t.id = s.a WHEN MATCHED THEN UPDATE SET v = s.b;
GO
MERGE t USING (VALUES (3, 1), (3, 2)) s (a, b) ON t.id = s.a WHEN MATCHED AND s.b = 1 THEN UPDATE SET v = 9 WHEN MATCHED THEN DELETE;
GO
MERGE t USING (VALUES (3, 1), (3, 2)) s (a, b) ON t.id = s.a WHEN MATCHED AND s.b = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 9;
GO
SELECT id, v FROM t
GO
-- What TOP says as a constant is looked at before anything runs.
PRINT 'never'
DELETE TOP (-1) t
GO
PRINT 'never'
DELETE TOP (101) PERCENT t
GO
PRINT 'never'
UPDATE TOP (NULL) t SET v = 1
GO
DECLARE @n int
UPDATE TOP (@n) t SET v = 1
GO
DECLARE @n int = -1
UPDATE TOP (@n) t SET v = 1
GO
CREATE TABLE i (id int IDENTITY, a int)
GO
PRINT 'never'
IF 1 = 0 INSERT i VALUES (1, 2)
GO
DROP TABLE i, t
