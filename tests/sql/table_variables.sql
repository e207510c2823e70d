-- Table variables: a statement that fails leaves nothing of them, their keys among it.
-- https://learn.microsoft.com/sql/t-sql/data-types/table-transact-sql
DECLARE @t TABLE (a int UNIQUE, b int UNIQUE);
INSERT @t VALUES (1, 1);
BEGIN TRY INSERT @t VALUES (2, 1) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH;
INSERT @t VALUES (2, 2);
BEGIN TRY UPDATE @t SET a = a + 1, b = 7 END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH;
INSERT @t VALUES (3, 3);
BEGIN TRY INSERT @t VALUES (4, 4), (1, 5) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH;
SELECT a, b FROM @t ORDER BY a;
SELECT a FROM @t WHERE b IN (4, 5, 7, 2);
INSERT @t VALUES (4, 4), (5, 5), (7, 7);
SELECT COUNT(*) AS n, SUM(a) AS a, SUM(b) AS b FROM @t WHERE a > 0;
GO
