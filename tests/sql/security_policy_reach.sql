-- Where the predicates of a security policy hold: every read and every change, by any way.
-- https://learn.microsoft.com/sql/relational-databases/security/row-level-security
CREATE SCHEMA rls
GO
CREATE TABLE dbo.t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, tenant int NOT NULL, v int, INDEX ix (tenant))
CREATE TABLE dbo.child (id int NOT NULL CONSTRAINT pk_child PRIMARY KEY, t int CONSTRAINT fk_child FOREIGN KEY REFERENCES dbo.t (id) ON DELETE CASCADE ON UPDATE CASCADE, tenant int)
CREATE TABLE dbo.log_ (what varchar(20), id int)
INSERT dbo.t VALUES (1,1,10),(2,2,20),(3,1,30),(4,2,40),(5,3,50)
INSERT dbo.child VALUES (1,1,1),(2,2,2),(3,3,3),(4,4,1),(5,NULL,1)
GO
CREATE FUNCTION rls.tenant(@tenant int) RETURNS TABLE WITH SCHEMABINDING AS
RETURN SELECT 1 AS r WHERE @tenant = CAST(SESSION_CONTEXT(N'tenant') AS int)
GO
CREATE VIEW dbo.v AS SELECT id, tenant, v FROM dbo.t WHERE v < 100
GO
CREATE VIEW dbo.checked AS SELECT id, tenant, v FROM dbo.t WHERE v < 100 WITH CHECK OPTION
GO
CREATE FUNCTION dbo.count_t() RETURNS int AS BEGIN RETURN (SELECT COUNT(*) FROM dbo.t) END
GO
CREATE FUNCTION dbo.inline_t(@v int) RETURNS TABLE AS RETURN SELECT id FROM dbo.t WHERE v >= @v
GO
CREATE PROCEDURE dbo.p AS SELECT id FROM dbo.t ORDER BY id
GO
CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT, UPDATE, DELETE AS
INSERT dbo.log_ SELECT 'inserted', id FROM inserted; INSERT dbo.log_ SELECT 'deleted', id FROM deleted; INSERT dbo.log_ SELECT 'table', COUNT(*) FROM dbo.t
GO
CREATE SECURITY POLICY rls.p ADD FILTER PREDICATE rls.tenant(tenant) ON dbo.t, ADD FILTER PREDICATE rls.tenant(tenant) ON dbo.child
GO
EXEC sp_set_session_context N'tenant', 1
SELECT id FROM dbo.t ORDER BY id
SELECT t.id, c.id AS child FROM dbo.t t LEFT JOIN dbo.child c ON c.t = t.id ORDER BY t.id
SELECT t.id, c.id AS child FROM dbo.t t FULL JOIN dbo.child c ON c.t = t.id ORDER BY t.id, c.id
SELECT id, (SELECT COUNT(*) FROM dbo.t) AS n FROM dbo.child WHERE t IN (SELECT id FROM dbo.t) ORDER BY id
SELECT id FROM dbo.v ORDER BY id
SELECT id FROM dbo.inline_t(20) ORDER BY id
SELECT dbo.count_t() AS n
EXEC dbo.p;
WITH c AS (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS r FROM dbo.t) SELECT id, r FROM c ORDER BY id
SELECT id INTO dbo.copied FROM dbo.t
SELECT COUNT(*) AS n FROM dbo.copied
DECLARE @t TABLE (id int)
INSERT @t SELECT id FROM dbo.t
SELECT COUNT(*) AS n FROM @t
IF EXISTS (SELECT * FROM dbo.t WHERE id = 2) PRINT 'seen' ELSE PRINT 'hidden'
DECLARE @x int = -1
SELECT @x = id FROM dbo.t WHERE id = 2
SELECT @x AS x
DECLARE c CURSOR FOR SELECT id FROM dbo.t ORDER BY id
OPEN c
FETCH NEXT FROM c INTO @x WHILE @@FETCH_STATUS = 0 BEGIN PRINT @x FETCH NEXT FROM c INTO @x END
CLOSE c DEALLOCATE c
GO
-- the next execution asks anew
EXEC sp_set_session_context N'tenant', 2
EXEC dbo.p
SELECT id FROM dbo.v ORDER BY id
SELECT dbo.count_t() AS n
EXEC sp_set_session_context N'tenant', 1
GO
SET SHOWPLAN_TEXT ON
GO
SELECT id FROM dbo.t
SELECT id FROM dbo.t WHERE id = 2
SELECT id FROM dbo.v
GO
SET SHOWPLAN_TEXT OFF
GO
-- triggers
UPDATE dbo.t SET v = v + 1 WHERE id < 3
SELECT what, id FROM dbo.log_ ORDER BY what, id
TRUNCATE TABLE dbo.log_
GO
-- views
UPDATE dbo.v SET v = v + 1
UPDATE dbo.checked SET v = v + 1
SELECT @@ROWCOUNT AS n
INSERT dbo.v VALUES (6, 2, 60)
INSERT dbo.checked VALUES (7, 2, 70)
GO
INSERT dbo.checked VALUES (8, 1, 170)
GO
DELETE dbo.v WHERE id >= 6
SELECT @@ROWCOUNT AS n
GO
-- foreign keys see all rows, cascades change all
INSERT dbo.child VALUES (10, 2, 1)
DELETE dbo.t WHERE id = 1
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
SELECT id, t, tenant FROM dbo.child ORDER BY id
SELECT id, tenant, v FROM dbo.t ORDER BY id
ALTER SECURITY POLICY rls.p WITH (STATE = ON)
GO
-- a merge does not see them either
MERGE dbo.t AS t USING (VALUES (3, 1, 300), (11, 1, 110)) AS s (id, tenant, v) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.tenant, s.v) WHEN NOT MATCHED BY SOURCE THEN DELETE;
MERGE dbo.t AS t USING (VALUES (2, 1, 300)) AS s (id, tenant, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.tenant, s.v);
GO
-- definitions look at all rows
ALTER TABLE dbo.t ADD CONSTRAINT ck CHECK (tenant = 1)
GO
ALTER TABLE dbo.t ADD CONSTRAINT ck CHECK (tenant < 4)
ALTER TABLE dbo.t ADD w int NOT NULL DEFAULT 7
ALTER TABLE dbo.t ALTER COLUMN v bigint
CREATE UNIQUE INDEX ux ON dbo.t (v)
ALTER TABLE dbo.t DROP CONSTRAINT ck
ALTER SECURITY POLICY rls.p WITH (STATE = OFF)
GO
SELECT id, tenant, v, w FROM dbo.t ORDER BY id
ALTER SECURITY POLICY rls.p WITH (STATE = ON)
GO
-- block
ALTER SECURITY POLICY rls.p ADD BLOCK PREDICATE rls.tenant(tenant) ON dbo.t, ADD BLOCK PREDICATE rls.tenant(tenant) ON dbo.child BEFORE DELETE
ALTER SECURITY POLICY rls.p DROP FILTER PREDICATE ON dbo.t, DROP FILTER PREDICATE ON dbo.child
GO
INSERT dbo.t (id, tenant, v) VALUES (20, 1, 200)
GO
INSERT dbo.t (id, tenant, v) VALUES (21, 2, 201)
GO
INSERT dbo.v VALUES (22, 2, 21)
GO
INSERT dbo.t (id, tenant, v) SELECT id + 100, tenant, v + 1000 FROM dbo.t
GO
UPDATE dbo.t SET v = 5 WHERE id = 2
GO
UPDATE dbo.t SET tenant = 2 WHERE id = 20
GO
UPDATE dbo.t SET v = 1 WHERE id = 20
DELETE dbo.t WHERE id = 2
GO
DELETE dbo.t WHERE id = 20
DELETE dbo.t WHERE id = 3
GO
EXEC sp_set_session_context N'tenant', 2
GO
DELETE dbo.t WHERE id = 4
GO
DECLARE @o TABLE (id int)
DELETE dbo.log_ OUTPUT deleted.id, 1, deleted.id INTO dbo.t (id, tenant, v) WHERE id = 1
GO
SELECT id, tenant FROM dbo.t ORDER BY id
SELECT id, t, tenant FROM dbo.child ORDER BY id
GO
