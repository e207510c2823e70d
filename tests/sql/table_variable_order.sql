-- A row of a table variable that is updated stays where it is: read without an ORDER BY, rows come in the order in which they were inserted. https://learn.microsoft.com/sql/t-sql/data-types/table-transact-sql
DECLARE @t TABLE (k INT, v INT)
INSERT @t VALUES (3, 1), (1, 1), (2, 1)
UPDATE @t SET v = 2 WHERE k = 1
SELECT * FROM @t
UPDATE @t SET v += 1 WHERE k <> 2
UPDATE @t SET v += 1 WHERE k = 1
INSERT @t VALUES (9, 0)
SELECT * FROM @t
DELETE @t WHERE k = 3
UPDATE @t SET v = 7 WHERE k = 9
SELECT * FROM @t
UPDATE @t SET v = k
SELECT * FROM @t
UPDATE @t SET k = 5 WHERE v = 2
SELECT TOP (1) * FROM @t
SELECT TOP (2) WITH TIES * FROM @t ORDER BY (SELECT NULL)
GO
-- A statement that fails leaves the order, too.
DECLARE @t TABLE (k INT, v INT CHECK (v < 10))
INSERT @t VALUES (1, 1), (2, 2), (3, 3)
UPDATE @t SET v = 5 WHERE k = 1
BEGIN TRY UPDATE @t SET v = v * 3 WHERE k <> 2 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH
SELECT * FROM @t
BEGIN TRAN
UPDATE @t SET v = 0 WHERE k = 2
ROLLBACK
SELECT * FROM @t
MERGE @t AS t USING (VALUES (1, 8), (4, 9)) AS s (k, v) ON t.k = s.k
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v);
SELECT * FROM @t
GO
-- With a key they come by it.
DECLARE @t TABLE (k INT PRIMARY KEY, v INT)
INSERT @t VALUES (3, 1), (1, 1), (2, 1)
UPDATE @t SET v = 2 WHERE k = 3
UPDATE @t SET k = 9 WHERE k = 1
SELECT * FROM @t
