-- CREATE, ALTER and DROP SECURITY POLICY: what they refuse, and what depends on what.
-- https://learn.microsoft.com/sql/t-sql/statements/create-security-policy-transact-sql, alter- and drop-security-policy-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-31000-to-41399 has the errors
CREATE SCHEMA rls
GO
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, owner_name sysname NULL, v int, w int)
CREATE TABLE dbo.u (id int, v int)
INSERT dbo.t VALUES (1,'a',1,1),(2,'b',2,2),(3,'a',3,3)
GO
CREATE FUNCTION rls.f(@v int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r WHERE @v > 1
GO
CREATE FUNCTION rls.loose(@v int) RETURNS TABLE AS RETURN SELECT 1 AS r WHERE @v > 1
GO
CREATE FUNCTION rls.multi(@v int) RETURNS @r TABLE (r int) WITH SCHEMABINDING AS BEGIN INSERT @r VALUES (1) RETURN END
GO
CREATE FUNCTION rls.scalar_f(@v int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @v END
GO
CREATE VIEW dbo.loose_view AS SELECT id, v FROM dbo.t
GO
CREATE VIEW dbo.bound_view WITH SCHEMABINDING AS SELECT id, v FROM dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE f(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.loose(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.multi(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.scalar_f(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.nothing(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.nothing
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(nothing) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v, 1) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f() ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f((SELECT 1)) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(@v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(u.v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(rls.scalar_f(v)) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.loose_view
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON rls.f
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON #x
GO
CREATE SECURITY POLICY #p ADD FILTER PREDICATE rls.f(v) ON dbo.t
GO
CREATE SECURITY POLICY nosuch.p ADD FILTER PREDICATE rls.f(v) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD BLOCK PREDICATE rls.f(v) ON dbo.bound_view
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.t, ADD FILTER PREDICATE rls.f(w) ON dbo.t
GO
CREATE SECURITY POLICY rls.p ADD BLOCK PREDICATE rls.f(v) ON dbo.t, ADD BLOCK PREDICATE rls.f(w) ON dbo.t AFTER INSERT
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.t AFTER INSERT
GO
CREATE SECURITY POLICY rls.p ADD BLOCK PREDICATE rls.f(v) ON dbo.t BEFORE INSERT
GO
CREATE SECURITY POLICY rls.p WITH (STATE = ON)
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.t WITH (STATE = MAYBE)
GO
ALTER SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.t
GO
DROP SECURITY POLICY rls.p
GO
DROP SECURITY POLICY IF EXISTS rls.p
GO
ALTER SECURITY POLICY dbo.t WITH (STATE = ON)
GO
CREATE SECURITY POLICY rls.p
ADD FILTER PREDICATE rls.f(v + 1) ON dbo.t, ADD BLOCK PREDICATE rls.f(dbo.t.v) ON dbo.t BEFORE DELETE, ADD FILTER PREDICATE rls.f(v) ON dbo.bound_view
WITH (STATE = ON, SCHEMABINDING = ON) NOT FOR REPLICATION
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(v) ON dbo.u
GO
CREATE SECURITY POLICY rls.q ADD FILTER PREDICATE rls.f(w) ON dbo.t
GO
CREATE SECURITY POLICY rls.q ADD FILTER PREDICATE rls.f(w) ON dbo.t WITH (STATE = OFF)
GO
ALTER SECURITY POLICY rls.q WITH (STATE = ON)
GO
CREATE SECURITY POLICY rls.r ADD BLOCK PREDICATE rls.f(w) ON dbo.t AFTER INSERT
GO
ALTER SECURITY POLICY rls.p ALTER FILTER PREDICATE rls.f(w) ON dbo.u
GO
ALTER SECURITY POLICY rls.p DROP BLOCK PREDICATE ON dbo.t
GO
SELECT OBJECT_NAME(object_id) p, security_predicate_id, predicate_definition, OBJECT_NAME(target_object_id) t, predicate_type, operation FROM sys.security_predicates ORDER BY 1, 2
SELECT name, is_enabled, is_not_for_replication, is_schema_bound FROM sys.security_policies ORDER BY name
SELECT id FROM dbo.t ORDER BY id
SELECT id FROM dbo.bound_view ORDER BY id
SELECT id FROM dbo.loose_view ORDER BY id
GO
-- what a schema-bound policy names stays as it is
DROP FUNCTION rls.f
GO
ALTER FUNCTION rls.f(@v int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r
GO
DROP TABLE dbo.t
GO
DROP VIEW dbo.bound_view
GO
ALTER TABLE dbo.t DROP COLUMN v
GO
ALTER TABLE dbo.t ALTER COLUMN w bigint
GO
EXEC sp_rename 'dbo.t.v', 'vv', 'COLUMN'
GO
EXEC sp_rename 'rls.f', 'g'
GO
EXEC sp_rename 'dbo.t', 'tt'
GO
DROP SCHEMA rls
GO
SELECT OBJECT_DEFINITION(OBJECT_ID('rls.p')) AS d
GO
-- what is not passed may go
ALTER TABLE dbo.t DROP COLUMN owner_name
ALTER TABLE dbo.t ADD more int NOT NULL DEFAULT 5
GO
SELECT id, more FROM dbo.t ORDER BY id
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
SELECT id, v, more FROM dbo.t ORDER BY id
TRUNCATE TABLE dbo.u
GO
ALTER SECURITY POLICY rls.p DROP FILTER PREDICATE ON dbo.t, DROP FILTER PREDICATE ON dbo.bound_view, DROP BLOCK PREDICATE ON dbo.t BEFORE DELETE
ALTER SECURITY POLICY rls.p DROP NOT FOR REPLICATION
SELECT name, is_enabled, is_not_for_replication, is_schema_bound, (SELECT COUNT(*) FROM sys.security_predicates x WHERE x.object_id = p.object_id) n FROM sys.security_policies p ORDER BY name
DROP SECURITY POLICY rls.p
DROP SECURITY POLICY rls.q
DROP SECURITY POLICY rls.r
DROP TABLE dbo.u
GO
-- what one without schema binding names may change, and then nothing is seen until it fits again
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.loose(v) ON dbo.t WITH (SCHEMABINDING = OFF)
GO
SELECT id FROM dbo.t ORDER BY id
GO
ALTER FUNCTION rls.loose(@v int) RETURNS TABLE AS RETURN SELECT 1 AS r WHERE @v > 2
GO
SELECT id FROM dbo.t ORDER BY id
GO
DROP FUNCTION rls.loose
GO
SELECT id FROM dbo.t ORDER BY id
GO
UPDATE dbo.t SET v = 1
GO
CREATE FUNCTION rls.loose(@v int) RETURNS @r TABLE (a int) AS BEGIN RETURN END
GO
SELECT id FROM dbo.t ORDER BY id
GO
DROP FUNCTION rls.loose
GO
CREATE FUNCTION rls.loose(@v int, @w int) RETURNS TABLE AS RETURN SELECT 1 AS r WHERE @v > 2
GO
SELECT id FROM dbo.t ORDER BY id
GO
DROP FUNCTION rls.loose
GO
CREATE FUNCTION rls.loose(@v int) RETURNS TABLE AS RETURN SELECT 1 AS r WHERE @v > 1
GO
SELECT id FROM dbo.t ORDER BY id
DROP VIEW dbo.bound_view
DROP TABLE dbo.t
SELECT COUNT(*) AS n FROM sys.security_predicates
DROP SECURITY POLICY rls.p
GO
BEGIN TRANSACTION
CREATE TABLE dbo.z (a int)
INSERT dbo.z VALUES (1), (2)
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(a) ON dbo.z
SELECT a FROM dbo.z
ROLLBACK
SELECT COUNT(*) AS n FROM sys.security_policies
GO
