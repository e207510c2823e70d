-- A statement that changes rows counts itself in @@TRANCOUNT, and XACT_STATE() sees its transaction.
-- https://learn.microsoft.com/sql/t-sql/functions/trancount-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/xact-state-transact-sql
CREATE TABLE t (a int, b int)
GO
INSERT t VALUES (@@TRANCOUNT, XACT_STATE())
SELECT a, b, @@TRANCOUNT AS here, XACT_STATE() AS state FROM t
UPDATE t SET a = a * 100 + @@TRANCOUNT
BEGIN TRAN
INSERT t SELECT @@TRANCOUNT, XACT_STATE()
BEGIN TRAN
UPDATE t SET b = b * 100 + @@TRANCOUNT
COMMIT
SELECT @@TRANCOUNT AS one, XACT_STATE() AS state
COMMIT
SELECT a, b FROM t ORDER BY a
SELECT @@TRANCOUNT AS none, XACT_STATE() AS state
DECLARE @n int
UPDATE t SET @n = @@TRANCOUNT
SELECT @n AS counted
SELECT @@TRANCOUNT AS a INTO u
SELECT a FROM u
DELETE t WHERE @@TRANCOUNT <> 2
SELECT COUNT(*) AS kept FROM t
GO
