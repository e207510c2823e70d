-- Row-level security: users, cursors, permissions, other databases.
-- https://learn.microsoft.com/sql/relational-databases/security/row-level-security#permissions
CREATE SCHEMA rls
GO
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, tenant int NOT NULL, v int)
CREATE TABLE dbo.member (who sysname NOT NULL, tenant int NOT NULL, CONSTRAINT pk_m PRIMARY KEY (who, tenant))
CREATE TABLE dbo.boss (tenant int)
INSERT dbo.t VALUES (1,1,10),(2,2,20),(3,1,30),(4,2,40),(5,3,50)
INSERT dbo.member VALUES ('ann', 1), ('bob', 2), ('bob', 3)
CREATE USER ann WITHOUT LOGIN
CREATE USER bob WITHOUT LOGIN
CREATE USER keeper WITHOUT LOGIN
GRANT SELECT, UPDATE, DELETE, INSERT ON dbo.t TO ann, bob
GO
CREATE FUNCTION rls.f(@tenant int) RETURNS TABLE WITH SCHEMABINDING AS
RETURN SELECT 1 AS r FROM dbo.member m WHERE m.who = USER_NAME() AND m.tenant = @tenant
GO
CREATE FUNCTION rls.loose(@tenant int) RETURNS TABLE AS
RETURN SELECT 1 AS r FROM dbo.member m WHERE m.who = USER_NAME() AND m.tenant = @tenant
GO
CREATE FUNCTION rls.own(@tenant int) RETURNS TABLE WITH SCHEMABINDING AS
RETURN SELECT 1 AS r WHERE @tenant <= (SELECT COUNT(*) FROM dbo.t) - 3
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t, ADD BLOCK PREDICATE rls.f(tenant) ON dbo.t
GO
EXECUTE AS USER = 'ann' SELECT id FROM dbo.t ORDER BY id REVERT
EXECUTE AS USER = 'bob' SELECT id FROM dbo.t ORDER BY id REVERT
EXECUTE AS USER = 'bob'
GO
UPDATE dbo.t SET tenant = 3 WHERE id = 2
UPDATE dbo.t SET v = v + 1
SELECT @@ROWCOUNT n
GO
UPDATE dbo.t SET tenant = 1 WHERE id = 2
GO
INSERT dbo.t VALUES (6, 1, 60)
GO
INSERT dbo.t VALUES (6, 2, 60)
INSERT dbo.t SELECT id + 10, tenant, v FROM dbo.t
DELETE dbo.t WHERE id > 5
SELECT id, tenant, v FROM dbo.t ORDER BY id
SELECT * FROM dbo.member
GO
REVERT
GO
SET SHOWPLAN_TEXT ON
GO
SELECT id FROM dbo.t WHERE v > 3
UPDATE dbo.t SET tenant = 3
GO
SET SHOWPLAN_TEXT OFF
GO
-- cursors
EXECUTE AS USER = 'bob'
DECLARE k CURSOR KEYSET SCROLL FOR SELECT id, v FROM dbo.t ORDER BY id
DECLARE d CURSOR DYNAMIC SCROLL FOR SELECT id, v FROM dbo.t
DECLARE s CURSOR STATIC SCROLL FOR SELECT id, v FROM dbo.t ORDER BY id
DECLARE u CURSOR FORWARD_ONLY FOR SELECT id, v FROM dbo.t FOR UPDATE OF v
OPEN k OPEN d OPEN s OPEN u
FETCH LAST FROM k
FETCH FIRST FROM d
FETCH LAST FROM s
FETCH NEXT FROM u
UPDATE dbo.t SET v = 777 WHERE CURRENT OF u
SELECT @@ROWCOUNT AS n
REVERT
DELETE dbo.member WHERE who = 'bob' AND tenant = 3
EXECUTE AS USER = 'bob'
FETCH FIRST FROM k
FETCH LAST FROM k
FETCH FIRST FROM d
FETCH LAST FROM d
FETCH NEXT FROM u
UPDATE dbo.t SET v = 778 WHERE CURRENT OF u
DEALLOCATE k DEALLOCATE d DEALLOCATE s DEALLOCATE u
REVERT
INSERT dbo.member VALUES ('bob', 3)
GO
SELECT * FROM dbo.member ORDER BY who, tenant
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
SELECT * FROM dbo.t ORDER BY id
GO
DROP SECURITY POLICY rls.p
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.loose(tenant) ON dbo.t WITH (SCHEMABINDING = OFF)
GO
EXECUTE AS USER = 'bob' 
SELECT id FROM dbo.t ORDER BY id 
REVERT
GO
REVERT
GRANT SELECT ON rls.loose TO bob
GO
EXECUTE AS USER = 'bob' 
SELECT id FROM dbo.t ORDER BY id 
REVERT
GO
REVERT
GRANT SELECT ON dbo.member TO bob
GO
EXECUTE AS USER = 'bob' SELECT id FROM dbo.t ORDER BY id REVERT
GO
REVERT
DROP SECURITY POLICY rls.p
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.own(tenant) ON dbo.t
GO
SELECT id FROM dbo.t ORDER BY id
DROP SECURITY POLICY rls.p
GO
-- permissions
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
GRANT ALTER ANY SECURITY POLICY TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
GRANT ALTER ON SCHEMA::rls TO keeper
DENY SELECT ON OBJECT::rls.f TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
REVOKE SELECT ON OBJECT::rls.f TO keeper
GRANT SELECT ON OBJECT::rls.f TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
GRANT REFERENCES ON OBJECT::rls.f TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
GRANT REFERENCES ON dbo.t TO keeper
DENY REFERENCES ON dbo.t (tenant) TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
GO
REVERT
REVOKE REFERENCES ON dbo.t (tenant) TO keeper
EXECUTE AS USER = 'keeper'
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t
SELECT COUNT(*) FROM sys.security_policies
SELECT COUNT(*) FROM sys.security_predicates
REVERT
EXECUTE AS USER = 'ann'
SELECT COUNT(*) FROM sys.security_policies
SELECT COUNT(*) FROM sys.security_predicates
GO
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
GO
DROP SECURITY POLICY rls.p
GO
REVERT
EXECUTE AS USER = 'keeper'
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
DROP SECURITY POLICY rls.p
REVERT
SELECT COUNT(*) FROM sys.security_policies
GO
-- from another database
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.f(tenant) ON dbo.t, ADD BLOCK PREDICATE rls.f(tenant) ON dbo.t AFTER INSERT
INSERT dbo.member VALUES ('dbo', 3)
GO
CREATE PROCEDURE #x AS SELECT id FROM golden_security_policy_rights.dbo.t
GO
USE tempdb
SELECT id FROM golden_security_policy_rights.dbo.t
EXEC #x
SELECT id INTO #t FROM golden_security_policy_rights.dbo.t
SELECT COUNT(*) n FROM #t
UPDATE golden_security_policy_rights.dbo.t SET v = 5
SELECT @@ROWCOUNT n
INSERT golden_security_policy_rights.dbo.t VALUES (20, 3, 4)
GO
INSERT golden_security_policy_rights.dbo.t VALUES (21, 1, 4)
GO
CREATE SYNONYM dbo.syn_t FOR golden_security_policy_rights.dbo.t
GO
SELECT id FROM dbo.syn_t
INSERT dbo.syn_t VALUES (22, 3, 4)
GO
INSERT dbo.syn_t VALUES (23, 1, 4)
GO
DROP SYNONYM dbo.syn_t
EXEC sp_executesql N'SELECT id FROM golden_security_policy_rights.dbo.t WHERE id > @a', N'@a int', 5
GO
-- a policy that changes while cursors are open: what is read again is asked again, and a query that still runs ends
USE golden_security_policy_rights
CREATE TABLE dbo.more (id int NOT NULL CONSTRAINT pk_more PRIMARY KEY, v int)
INSERT dbo.more SELECT value, value % 3 FROM GENERATE_SERIES(1, 3000)
GO
CREATE FUNCTION rls.none(@v int) RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT 1 AS r WHERE @v = 2
GO
DECLARE @id int
DECLARE f CURSOR FAST_FORWARD FOR SELECT id FROM dbo.more
DECLARE k CURSOR KEYSET SCROLL FOR SELECT id FROM dbo.more WHERE id < 4 ORDER BY id
DECLARE s CURSOR STATIC SCROLL FOR SELECT id FROM dbo.more WHERE id < 4 ORDER BY id
OPEN f OPEN k OPEN s
FETCH NEXT FROM f INTO @id
FETCH NEXT FROM k INTO @id
GO
CREATE SECURITY POLICY rls.late ADD FILTER PREDICATE rls.none(v) ON dbo.more
GO
FETCH NEXT FROM f
GO
FETCH FIRST FROM k
SELECT @@FETCH_STATUS AS status
FETCH ABSOLUTE 2 FROM k
SELECT @@FETCH_STATUS AS status
FETCH FIRST FROM s
GO
ALTER SECURITY POLICY rls.late WITH (STATE = OFF)
GO
FETCH FIRST FROM k
DEALLOCATE f DEALLOCATE k DEALLOCATE s
GO
-- INSERT ... EXEC and SELECT INTO, paging, groups
ALTER SECURITY POLICY rls.late ADD BLOCK PREDICATE rls.none(v) ON dbo.more WITH (STATE = ON)
GO
INSERT dbo.more EXEC ('SELECT 4001, 2')
GO
INSERT dbo.more EXEC ('SELECT 4002, 1')
GO
SELECT COUNT(*) AS n, MIN(v) AS low, MAX(v) AS high FROM dbo.more
SELECT id FROM dbo.more ORDER BY id OFFSET 2 ROWS FETCH NEXT 2 ROWS ONLY
SELECT v, COUNT(*) AS n FROM dbo.more GROUP BY v
SELECT TOP (2) id FROM dbo.more ORDER BY id DESC
SELECT COUNT(*) AS n FROM (SELECT id FROM dbo.more UNION SELECT id FROM dbo.more WHERE v = 1) AS x
GO
