-- A synonym has permissions of its own: https://learn.microsoft.com/sql/relational-databases/synonyms/synonyms-database-engine
CREATE TABLE dbo.ss_t (a int, b int)
INSERT dbo.ss_t VALUES (1, 2)
GO
CREATE VIEW dbo.ss_v AS SELECT a, b FROM dbo.ss_t
GO
CREATE PROCEDURE dbo.ss_p AS SELECT 'called' AS p
GO
CREATE FUNCTION dbo.ss_f(@a int) RETURNS int AS BEGIN RETURN @a + 1 END
GO
CREATE FUNCTION dbo.ss_i(@a int) RETURNS TABLE AS RETURN SELECT a FROM dbo.ss_t WHERE a = @a
GO
CREATE SYNONYM dbo.ss_st FOR dbo.ss_t
CREATE SYNONYM dbo.ss_sv FOR dbo.ss_v
CREATE SYNONYM dbo.ss_sp FOR dbo.ss_p
CREATE SYNONYM dbo.ss_sf FOR dbo.ss_f
CREATE SYNONYM dbo.ss_si FOR dbo.ss_i
CREATE USER ss_u WITHOUT LOGIN
CREATE USER ss_w WITHOUT LOGIN
GO
CREATE PROCEDURE dbo.ss_uses AS SELECT a FROM dbo.ss_st; EXEC dbo.ss_sp
GO
GRANT EXECUTE ON dbo.ss_uses TO ss_u
GRANT SELECT ON dbo.ss_t TO ss_w
GRANT EXECUTE ON dbo.ss_p TO ss_w
GO
-- what it stands for says nothing of the synonym
EXECUTE AS USER = 'ss_w'
SELECT a FROM dbo.ss_t
SELECT a FROM dbo.ss_st
EXEC dbo.ss_p
EXEC dbo.ss_sp
REVERT
GO
-- nothing is granted
EXECUTE AS USER = 'ss_u'
SELECT a FROM dbo.ss_st
INSERT dbo.ss_st VALUES (3, 4)
UPDATE dbo.ss_st SET a = 5
DELETE dbo.ss_st
SELECT a FROM dbo.ss_sv
EXEC dbo.ss_sp
SELECT dbo.ss_sf(1) AS f
SELECT a FROM dbo.ss_si(1)
EXEC dbo.ss_uses
REVERT
GO
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.ss_st TO ss_u
GRANT SELECT ON dbo.ss_sv TO ss_u
GRANT EXECUTE ON dbo.ss_sp TO ss_u
GRANT EXECUTE ON dbo.ss_sf TO ss_u
GRANT SELECT ON dbo.ss_si TO ss_u
-- of one owner: what it stands for is not asked
DENY SELECT ON dbo.ss_t TO ss_u
GO
EXECUTE AS USER = 'ss_u'
SELECT a FROM dbo.ss_st
INSERT dbo.ss_st OUTPUT inserted.a VALUES (3, 4)
UPDATE dbo.ss_st SET b = 5 OUTPUT deleted.b WHERE a = 3
UPDATE x SET b = 6 FROM dbo.ss_st x WHERE x.a = 3
MERGE dbo.ss_st m USING (SELECT 9 AS a) s ON m.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a) OUTPUT inserted.a;
DELETE dbo.ss_st WHERE a IN (3, 9)
SELECT a FROM dbo.ss_sv
EXEC dbo.ss_sp
SELECT dbo.ss_sf(1) AS f
SELECT a FROM dbo.ss_si(1)
SELECT a FROM dbo.ss_t
SELECT name FROM sys.synonyms ORDER BY name
REVERT
GO
-- of two owners: both are asked
CREATE USER ss_o WITHOUT LOGIN
ALTER AUTHORIZATION ON OBJECT::dbo.ss_st TO ss_o
GO
GRANT SELECT ON dbo.ss_st TO ss_w
GRANT SELECT ON dbo.ss_st TO ss_u
EXECUTE AS USER = 'ss_u'
SELECT a FROM dbo.ss_st
REVERT
EXECUTE AS USER = 'ss_w'
SELECT a FROM dbo.ss_st
REVERT
GO
SELECT HAS_PERMS_BY_NAME('dbo.ss_st', 'OBJECT', 'SELECT') AS dbo
GO
