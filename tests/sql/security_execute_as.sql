-- EXECUTE AS, REVERT and modules WITH EXECUTE AS: https://learn.microsoft.com/sql/t-sql/statements/execute-as-transact-sql
CREATE TABLE dbo.ea_t (id int)
CREATE USER ea_one WITHOUT LOGIN
CREATE USER ea_two WITHOUT LOGIN
GRANT SELECT ON dbo.ea_t TO ea_two
GRANT IMPERSONATE ON USER::ea_two TO ea_one
GO
SELECT USER_NAME() AS u, IS_MEMBER('db_owner') AS o
EXECUTE AS USER = 'ea_one'
SELECT USER_NAME() AS u, CURRENT_USER AS c, IS_MEMBER('db_owner') AS o
SELECT id FROM dbo.ea_t
EXECUTE AS USER = 'ea_two'
SELECT USER_NAME() AS u
SELECT id FROM dbo.ea_t
EXECUTE AS USER = 'ea_one'
REVERT
SELECT USER_NAME() AS u
REVERT
SELECT USER_NAME() AS u
-- more than there are
REVERT
GO
EXECUTE AS USER = 'nobody'
EXECUTE AS LOGIN = 'nobody'
EXECUTE AS USER = 'db_owner'
EXECUTE AS CALLER
GO
-- it lasts over batches, and a name may be in a variable
DECLARE @u sysname = 'ea_one'
EXECUTE AS USER = @u
GO
SELECT USER_NAME() AS u
REVERT
GO
-- of a text it ends with the text, of a procedure with the procedure
EXEC ('EXECUTE AS USER = ''ea_one'' SELECT USER_NAME() AS u')
SELECT USER_NAME() AS u
GO
CREATE PROCEDURE dbo.ea_p AS EXECUTE AS USER = 'ea_one' SELECT USER_NAME() AS u
GO
EXEC dbo.ea_p
SELECT USER_NAME() AS u
GO
-- REVERT of a procedure does not end what its caller began
CREATE PROCEDURE dbo.ea_r AS REVERT SELECT USER_NAME() AS u
GO
GRANT EXECUTE ON dbo.ea_r TO ea_one
EXECUTE AS USER = 'ea_one'
EXEC dbo.ea_r
REVERT
GO
-- NO REVERT and COOKIE
DECLARE @c varbinary(100)
EXECUTE AS USER = 'ea_one' WITH COOKIE INTO @c
BEGIN TRY REVERT END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH
SELECT USER_NAME() AS u, DATALENGTH(@c) AS bytes
REVERT WITH COOKIE = @c
SELECT USER_NAME() AS u
GO
-- modules
CREATE PROCEDURE dbo.ea_owner WITH EXECUTE AS OWNER AS
SELECT USER_NAME() AS u
EXEC ('SELECT id FROM dbo.ea_t')
GO
CREATE PROCEDURE dbo.ea_user WITH EXECUTE AS 'ea_two' AS
SELECT USER_NAME() AS u, ORIGINAL_LOGIN() AS o
EXEC ('SELECT id FROM dbo.ea_t')
GO
CREATE PROCEDURE dbo.ea_caller WITH EXECUTE AS CALLER AS
EXEC ('SELECT id FROM dbo.ea_t')
GO
CREATE FUNCTION dbo.ea_f () RETURNS sysname WITH EXECUTE AS 'ea_two' AS BEGIN RETURN USER_NAME() END
GO
CREATE PROCEDURE dbo.ea_self WITH EXECUTE AS SELF AS SELECT USER_NAME() AS u
GO
GRANT EXECUTE ON dbo.ea_owner TO ea_one
GRANT EXECUTE ON dbo.ea_user TO ea_one
GRANT EXECUTE ON dbo.ea_caller TO ea_one
GRANT EXECUTE ON dbo.ea_f TO ea_one
GRANT EXECUTE ON dbo.ea_self TO ea_one
GO
EXECUTE AS USER = 'ea_one'
EXEC dbo.ea_owner
EXEC dbo.ea_user
EXEC dbo.ea_caller
EXEC dbo.ea_self
SELECT dbo.ea_f() AS u, USER_NAME() AS own
REVERT
GO
SELECT OBJECT_NAME(object_id) AS name, execute_as_principal_id, USER_NAME(execute_as_principal_id) AS u
FROM sys.sql_modules WHERE object_id IN (OBJECT_ID('dbo.ea_owner'), OBJECT_ID('dbo.ea_self'), OBJECT_ID('dbo.ea_caller'))
ORDER BY 1
GO
DROP USER ea_two
GO
CREATE PROCEDURE dbo.ea_bad WITH EXECUTE AS 'nobody' AS SELECT 1
GO
-- an error in the module ends its context too
CREATE PROCEDURE dbo.ea_fails WITH EXECUTE AS 'ea_two' AS SELECT 1 / 0; THROW 50001, N'it fails', 1
GO
EXEC dbo.ea_fails
GO
SELECT USER_NAME() AS u
GO
