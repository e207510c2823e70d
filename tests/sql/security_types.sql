-- REFERENCES and EXECUTE of types, REFERENCES for WITH SCHEMABINDING, UPDATE of a sequence, VIEW DEFINITION of what is described
CREATE SCHEMA st_s
GO
CREATE TYPE st_s.name FROM varchar(20) NOT NULL
CREATE TYPE st_s.list AS TABLE (a int)
CREATE TABLE dbo.st_t (a int, b int)
CREATE SEQUENCE dbo.st_q AS int START WITH 1
CREATE USER st_u WITHOUT LOGIN
CREATE USER st_w WITHOUT LOGIN
GRANT CREATE TABLE, CREATE VIEW, CREATE FUNCTION, CREATE PROCEDURE TO st_u
GO
CREATE SCHEMA st_own AUTHORIZATION st_u
GO
-- a column of a user's type: https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
EXECUTE AS USER = 'st_u'
CREATE TABLE st_own.t (a st_s.name)
REVERT
GO
GRANT REFERENCES ON TYPE::st_s.name TO st_u
EXECUTE AS USER = 'st_u'
CREATE TABLE st_own.t (a st_s.name)
ALTER TABLE st_own.t ADD b st_s.name DEFAULT 'x'
REVERT
REVOKE REFERENCES ON TYPE::st_s.name FROM st_u
GO
EXECUTE AS USER = 'st_u'
ALTER TABLE st_own.t ADD c st_s.name NULL
ALTER TABLE st_own.t ALTER COLUMN a st_s.name
DECLARE @n st_s.name = 'any variable'
SELECT @n AS n
REVERT
GO
-- a table type
CREATE PROCEDURE dbo.st_takes @l st_s.list READONLY AS SELECT COUNT(*) AS n FROM @l
GO
CREATE PROCEDURE dbo.st_has AS DECLARE @l st_s.list; INSERT @l VALUES (1); EXEC dbo.st_takes @l
GO
GRANT EXECUTE ON dbo.st_takes TO st_u
GRANT EXECUTE ON dbo.st_has TO st_u
GO
EXECUTE AS USER = 'st_u'
DECLARE @l st_s.list
SELECT COUNT(*) AS n FROM @l
REVERT
GO
-- dbo owns both: who calls needs nothing
EXECUTE AS USER = 'st_u'
EXEC dbo.st_has
REVERT
GO
GRANT EXECUTE ON TYPE::st_s.list TO st_u
EXECUTE AS USER = 'st_u'
DECLARE @l st_s.list
INSERT @l VALUES (1), (2)
EXEC dbo.st_takes @l
REVERT
GO
-- WITH SCHEMABINDING: https://learn.microsoft.com/sql/t-sql/statements/grant-object-permissions-transact-sql
GRANT SELECT ON dbo.st_t TO st_u
EXECUTE AS USER = 'st_u'
EXEC ('CREATE VIEW st_own.v WITH SCHEMABINDING AS SELECT a FROM dbo.st_t')
EXEC ('CREATE VIEW st_own.v AS SELECT a FROM dbo.st_t')
EXEC ('CREATE FUNCTION st_own.f() RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT a FROM dbo.st_t')
REVERT
GO
GRANT REFERENCES ON dbo.st_t TO st_u
EXECUTE AS USER = 'st_u'
EXEC ('ALTER VIEW st_own.v WITH SCHEMABINDING AS SELECT a FROM dbo.st_t')
EXEC ('CREATE FUNCTION st_own.f() RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT a FROM dbo.st_t')
SELECT name FROM sys.objects WHERE schema_id = SCHEMA_ID('st_own') AND type IN ('V', 'IF') ORDER BY name
REVERT
GO
-- a sequence: https://learn.microsoft.com/sql/t-sql/functions/next-value-for-transact-sql
EXECUTE AS USER = 'st_u'
SELECT NEXT VALUE FOR dbo.st_q AS q
REVERT
GRANT UPDATE ON dbo.st_q TO st_u
EXECUTE AS USER = 'st_u'
SELECT NEXT VALUE FOR dbo.st_q AS q
REVERT
GO
EXECUTE AS USER = 'st_w'
EXEC sp_describe_first_result_set N'SELECT a FROM dbo.st_t'
EXEC sp_describe_undeclared_parameters N'SELECT a FROM dbo.st_t WHERE a = @a'
REVERT
GO
EXECUTE AS USER = 'st_u'
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT a FROM dbo.st_t', NULL, 0)
EXEC sp_describe_undeclared_parameters N'SELECT a FROM dbo.st_t WHERE a = @a'
REVERT
GO
-- what is seen of types: https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-types-transact-sql
CREATE VIEW dbo.st_seen AS SELECT name FROM sys.types WHERE schema_id = SCHEMA_ID('st_s')
GO
GRANT SELECT ON dbo.st_seen TO st_u
GRANT SELECT ON dbo.st_seen TO st_w
GO
EXECUTE AS USER = 'st_u'
SELECT name FROM dbo.st_seen ORDER BY name
SELECT c.name FROM sys.table_types t JOIN sys.columns c ON c.object_id = t.type_table_object_id
REVERT
EXECUTE AS USER = 'st_w'
SELECT name FROM dbo.st_seen ORDER BY name
SELECT name FROM sys.columns WHERE name = 'a'
SELECT TYPE_ID('st_s.list') AS list, TYPE_ID('int') AS i, COUNT(*) AS system_types FROM sys.types WHERE is_user_defined = 0
SELECT name FROM sys.schemas WHERE name LIKE 'st%' ORDER BY name
REVERT
GRANT VIEW DEFINITION ON SCHEMA::st_s TO st_w
EXECUTE AS USER = 'st_w'
SELECT name FROM dbo.st_seen ORDER BY name
SELECT name FROM sys.columns WHERE name = 'a'
REVERT
GO
