-- SCOPE_IDENTITY, @@IDENTITY, @@ROWCOUNT and @@ERROR over the batches of a session, and what an inner scope leaves of them.
-- https://learn.microsoft.com/sql/t-sql/functions/scope-identity-transact-sql
CREATE TABLE t (id int IDENTITY, a int);
CREATE TABLE log (id int IDENTITY(100, 1), a int);
GO
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
INSERT t VALUES (1);
GO
SELECT @@ROWCOUNT AS rows, SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
SELECT SCOPE_IDENTITY() AS still;
GO
-- An inner scope: dynamic text, a procedure, a trigger, what a client calls.
EXEC sp_executesql N'SELECT SCOPE_IDENTITY() AS nothing_yet; INSERT t VALUES (2); SELECT SCOPE_IDENTITY() AS own';
GO
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
CREATE PROCEDURE p AS INSERT t VALUES (3); SELECT SCOPE_IDENTITY() AS own;
GO
EXEC p;
EXEC ('INSERT t VALUES (4)');
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
{call sp_executesql(N'INSERT t VALUES (5)')}
GO
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
CREATE TRIGGER tr ON t AFTER INSERT AS INSERT log SELECT a FROM inserted;
GO
INSERT t VALUES (6);
GO
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
-- A failed INSERT, and one of a table without identity values.
BEGIN TRY INSERT t VALUES ('x') END TRY BEGIN CATCH END CATCH;
GO
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS any_scope;
GO
-- @@ERROR and @@ROWCOUNT.
SELECT 1 / 0 AS failed;
GO
SELECT @@ERROR AS error;
GO
SELECT a FROM t WHERE a < 4;
GO
SELECT @@ROWCOUNT AS rows;
GO
SELECT nothing FROM t;
GO
SELECT @@ERROR AS error;
GO
SELECT FROM;
GO
SELECT @@ERROR AS error;
GO
