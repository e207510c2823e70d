-- Who may do what with objects: https://learn.microsoft.com/sql/relational-databases/security/permissions-database-engine
CREATE TABLE dbo.sp_t (id int PRIMARY KEY, a int, b int)
INSERT dbo.sp_t VALUES (1, 10, 100), (2, 20, 200)
CREATE USER sp_reader WITHOUT LOGIN
CREATE USER sp_writer WITHOUT LOGIN
CREATE ROLE sp_role
ALTER ROLE sp_role ADD MEMBER sp_reader
GO
-- nothing is granted
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_t
INSERT dbo.sp_t VALUES (3, 30, 300)
UPDATE dbo.sp_t SET a = 1
DELETE dbo.sp_t
MERGE dbo.sp_t AS t USING (SELECT 1 AS id) AS s ON s.id = t.id WHEN MATCHED THEN DELETE;
SELECT (SELECT MAX(a) FROM dbo.sp_t) AS a
IF EXISTS (SELECT * FROM dbo.sp_t) PRINT 'seen'
PRINT 'the batch goes on'
REVERT
GO
-- the statement may be caught where it stands
EXECUTE AS USER = 'sp_reader'
BEGIN TRY SELECT id FROM dbo.sp_t END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_MESSAGE() AS m END CATCH
REVERT
GO
-- to a role, to public, by schema, by database
GRANT SELECT ON dbo.sp_t TO sp_role
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_t
REVERT
REVOKE SELECT ON dbo.sp_t FROM sp_role
GRANT SELECT ON SCHEMA::dbo TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT COUNT(*) AS n FROM dbo.sp_t
REVERT
DENY SELECT ON dbo.sp_t TO sp_role
EXECUTE AS USER = 'sp_reader'
SELECT COUNT(*) AS n FROM dbo.sp_t
REVERT
REVOKE SELECT ON dbo.sp_t FROM sp_role
REVOKE SELECT ON SCHEMA::dbo FROM sp_reader
GRANT CONTROL ON dbo.sp_t TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT COUNT(*) AS n FROM dbo.sp_t
REVERT
DENY SELECT TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT COUNT(*) AS n FROM dbo.sp_t
REVERT
REVOKE SELECT FROM sp_reader
REVOKE CONTROL ON dbo.sp_t FROM sp_reader
GO
-- columns: a grant of a column overrides the denial of the table, but a later denial of the table takes it away
GRANT SELECT ON dbo.sp_t (id, a) TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id, a FROM dbo.sp_t
SELECT id FROM dbo.sp_t WHERE b = 1
SELECT id FROM dbo.sp_t ORDER BY b
SELECT * FROM dbo.sp_t
SELECT x.a FROM (SELECT * FROM dbo.sp_t) AS x
SELECT COUNT(*) AS n FROM dbo.sp_t
SELECT SUM(b) AS s FROM dbo.sp_t
REVERT
DENY SELECT ON dbo.sp_t TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_t
REVERT
GRANT SELECT ON dbo.sp_t (id) TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_t
REVERT
REVOKE SELECT ON dbo.sp_t FROM sp_reader
GRANT SELECT ON dbo.sp_t TO sp_reader
DENY SELECT ON dbo.sp_t (b) TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_t
SELECT b FROM dbo.sp_t
REVERT
REVOKE SELECT ON dbo.sp_t FROM sp_reader
GO
-- a change that reads needs SELECT too
GRANT UPDATE ON dbo.sp_t (a) TO sp_writer
GRANT DELETE, INSERT ON dbo.sp_t TO sp_writer
EXECUTE AS USER = 'sp_writer'
UPDATE dbo.sp_t SET a = 11
UPDATE dbo.sp_t SET a = 12 WHERE id = 1
UPDATE dbo.sp_t SET b = 12
UPDATE dbo.sp_t SET a = a + 1
INSERT dbo.sp_t VALUES (3, 30, 300)
INSERT dbo.sp_t (id) OUTPUT inserted.id VALUES (4)
DELETE dbo.sp_t WHERE id = 3
DELETE dbo.sp_t
REVERT
GO
-- ownership chains: who may use a view or call a procedure needs nothing of the tables of its owner; dynamic SQL breaks the chain
INSERT dbo.sp_t VALUES (1, 10, 100), (2, 20, 200)
GO
CREATE VIEW dbo.sp_v AS SELECT id, a, b FROM dbo.sp_t
GO
CREATE PROCEDURE dbo.sp_p AS SELECT id FROM dbo.sp_t UPDATE dbo.sp_t SET a = 5 WHERE id = 1
GO
CREATE PROCEDURE dbo.sp_dynamic AS EXEC ('SELECT id FROM dbo.sp_t')
GO
CREATE PROCEDURE dbo.sp_outer AS EXEC dbo.sp_p
GO
CREATE FUNCTION dbo.sp_f (@id int) RETURNS int AS BEGIN RETURN (SELECT a FROM dbo.sp_t WHERE id = @id) END
GO
CREATE FUNCTION dbo.sp_rows (@id int) RETURNS TABLE AS RETURN SELECT id, a FROM dbo.sp_t WHERE id = @id
GO
CREATE TRIGGER dbo.sp_tr ON dbo.sp_t AFTER DELETE AS SELECT COUNT(*) AS left_over FROM dbo.sp_t
GO
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_v
EXEC dbo.sp_p
SELECT dbo.sp_f(1) AS a
SELECT id FROM dbo.sp_rows(1)
REVERT
GRANT SELECT ON dbo.sp_v (id, a) TO sp_reader
GRANT EXECUTE ON dbo.sp_outer TO sp_reader
GRANT EXECUTE ON dbo.sp_dynamic TO sp_reader
GRANT EXECUTE ON dbo.sp_f TO sp_reader
GRANT SELECT ON dbo.sp_rows TO sp_reader
GRANT UPDATE (a), DELETE ON dbo.sp_v TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id, a FROM dbo.sp_v
SELECT b FROM dbo.sp_v
EXEC dbo.sp_outer
EXEC dbo.sp_dynamic
SELECT dbo.sp_f(1) AS a
SELECT id, a FROM dbo.sp_rows(1)
UPDATE dbo.sp_v SET a = 6 WHERE id = 1
DELETE dbo.sp_v WHERE id = 1
INSERT dbo.sp_v (id) VALUES (9)
DECLARE @a int = dbo.sp_f(2)
SELECT @a AS a
REVERT
GO
-- another owner in the chain: he is asked
CREATE USER sp_owner WITHOUT LOGIN
GO
CREATE SCHEMA sp_other AUTHORIZATION sp_owner
GO
CREATE TABLE sp_other.u (id int)
GO
CREATE VIEW dbo.sp_mixed AS SELECT id FROM sp_other.u
GO
GRANT SELECT ON dbo.sp_mixed TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_mixed
REVERT
EXECUTE AS USER = 'sp_owner'
SELECT id FROM sp_other.u
REVERT
GRANT SELECT ON sp_other.u TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT id FROM dbo.sp_mixed
REVERT
GO
-- what was permitted when it was prepared is asked again when that has changed
CREATE PROCEDURE dbo.sp_loop AS
DECLARE @n int = 0
WHILE @n < 3
BEGIN
  EXEC sp_executesql N'SELECT id FROM sp_other.u'
  SET @n += 1
END
GO
GRANT EXECUTE ON dbo.sp_loop TO sp_reader
EXECUTE AS USER = 'sp_reader'
EXEC dbo.sp_loop
REVERT
REVOKE SELECT ON sp_other.u FROM sp_reader
EXECUTE AS USER = 'sp_reader'
EXEC dbo.sp_loop
REVERT
GO
-- sequences and synonyms
CREATE SEQUENCE dbo.sp_s AS int
CREATE SYNONYM dbo.sp_syn FOR dbo.sp_t
GO
EXECUTE AS USER = 'sp_reader'
SELECT NEXT VALUE FOR dbo.sp_s AS n
SELECT id FROM dbo.sp_syn
REVERT
GRANT UPDATE ON dbo.sp_s TO sp_reader
GRANT SELECT ON dbo.sp_t TO sp_reader GRANT SELECT ON dbo.sp_syn TO sp_reader
EXECUTE AS USER = 'sp_reader'
SELECT NEXT VALUE FOR dbo.sp_s AS n
SELECT id FROM dbo.sp_syn
REVERT
GO
-- fixed roles
ALTER ROLE db_datareader ADD MEMBER sp_writer
ALTER ROLE db_denydatawriter ADD MEMBER sp_writer
EXECUTE AS USER = 'sp_writer'
SELECT id FROM sp_other.u
INSERT dbo.sp_t VALUES (7, 7, 7)
REVERT
GO
