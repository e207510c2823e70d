-- Triggers' rows, UPDATE() and COLUMNS_UPDATED(); INSTEAD OF; MERGE and OUTPUT; sequences and identity; table variables and temporary tables.
-- https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql, merge-transact-sql, create-sequence-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/output-clause-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/columns-updated-transact-sql
CREATE TABLE t (id int IDENTITY(10, 5) PRIMARY KEY, a int NULL, b varchar(10) NULL DEFAULT 'none', c AS a * 2, d int NULL, e int NULL, f int NULL, g int NULL, h int NULL, k int NULL);
CREATE TABLE log_ (n int IDENTITY, what varchar(200));
GO
CREATE TRIGGER told ON t AFTER INSERT, UPDATE, DELETE AS
INSERT log_ (what) SELECT CONCAT('i', (SELECT COUNT(*) FROM inserted), ' d', (SELECT COUNT(*) FROM deleted), ' ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1), CASE WHEN UPDATE(a) THEN ' a' END, CASE WHEN UPDATE(b) THEN ' b' END, ' n', TRIGGER_NESTLEVEL(), ' r', @@ROWCOUNT);
GO
INSERT t (a) VALUES (1), (2);
UPDATE t SET a = a WHERE id = 10;
UPDATE t SET b = 'x', k = 1 WHERE 1 = 0;
DELETE t WHERE id = 15;
MERGE t USING (VALUES (10, 5), (99, 6)) s(id, a) ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);
SELECT what FROM log_ ORDER BY n;
SELECT id, a, b, c FROM t ORDER BY id;
SELECT SCOPE_IDENTITY() AS scope_, IDENT_CURRENT('t') AS current_, IDENT_SEED('t') AS seed, IDENT_INCR('t') AS incr, IDENT_CURRENT('log_') AS logged;
DROP TRIGGER told;
GO
-- INSTEAD OF.
CREATE TRIGGER instead ON t INSTEAD OF INSERT AS INSERT log_ (what) SELECT CONCAT(id, ' ', a, ' ', b, ' ', c) FROM inserted;
GO
INSERT t (a) OUTPUT inserted.id, inserted.a VALUES (8);
GO
DROP TRIGGER instead;
GO
DELETE t OUTPUT inserted.id;
GO
INSERT t (a) OUTPUT deleted.a VALUES (1);
GO
UPDATE t SET id = 1;
GO
UPDATE t SET c = 1;
GO
INSERT t (c) VALUES (1);
GO
INSERT t (id) VALUES (1);
GO
SET IDENTITY_INSERT t ON;
INSERT t (a) VALUES (1);
GO
SET IDENTITY_INSERT t ON;
INSERT t (id, a) VALUES (100, 1);
INSERT t VALUES (101, 1, 'x', 1, 1, 1, 1, 1, 1);
GO
SET IDENTITY_INSERT log_ ON;
GO
-- MERGE's rules.
MERGE t USING (VALUES (10, 1), (10, 2)) s(id, a) ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = s.a;
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN MATCHED THEN INSERT (a) VALUES (1);
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN NOT MATCHED THEN DELETE;
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED AND t.a = 1 THEN UPDATE SET a = 2;
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (a) VALUES (1) WHEN NOT MATCHED AND s.id = 2 THEN INSERT (a) VALUES (1);
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN MATCHED AND t.a = 1 THEN UPDATE SET a = 2 WHEN MATCHED THEN UPDATE SET a = 3;
GO
MERGE t USING (VALUES (1)) s(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = 1
GO
-- Sequences.
CREATE SEQUENCE q AS tinyint START WITH 250 INCREMENT BY 3 MAXVALUE 255 CYCLE MINVALUE 5 NO CACHE;
SELECT NEXT VALUE FOR q AS n;
SELECT NEXT VALUE FOR q AS n, NEXT VALUE FOR q AS again;
SELECT NEXT VALUE FOR q AS n;
ALTER SEQUENCE q RESTART WITH 255 NO CYCLE;
SELECT NEXT VALUE FOR q AS n;
SELECT NEXT VALUE FOR q AS n;
GO
CREATE SEQUENCE q2 AS decimal(5,2);
GO
CREATE SEQUENCE q2 START WITH 5 MINVALUE 10;
GO
CREATE SEQUENCE q2 INCREMENT BY 0;
GO
CREATE SEQUENCE q2 MINVALUE 10 MAXVALUE 10;
GO
SELECT TOP (1) NEXT VALUE FOR q FROM t;
GO
SELECT CASE WHEN 1 = 1 THEN NEXT VALUE FOR q END;
GO
SELECT DISTINCT NEXT VALUE FOR q FROM t;
GO
SELECT NEXT VALUE FOR q FROM t ORDER BY id;
GO
SELECT id FROM t WHERE NEXT VALUE FOR q = 1;
GO
CREATE SEQUENCE q3 START WITH 1;
SELECT NEXT VALUE FOR q3 OVER (ORDER BY v DESC) AS n, v FROM (VALUES ('a'), ('b')) x(v) ORDER BY v;
GO
SELECT NEXT VALUE FOR q3 OVER (ORDER BY v DESC) AS n, v INTO #drawn FROM (VALUES ('a'), ('b')) x(v);
SELECT n, v FROM #drawn ORDER BY v;
DROP SEQUENCE q; DROP SEQUENCE q3;
GO
-- Table variables stay through a rollback; temporary tables do not.
DECLARE @v TABLE (a int);
CREATE TABLE #p (a int);
BEGIN TRAN; INSERT @v VALUES (1); INSERT #p VALUES (1); CREATE TABLE #q (a int); ROLLBACK;
SELECT (SELECT COUNT(*) FROM @v) AS v, (SELECT COUNT(*) FROM #p) AS p, OBJECT_ID('tempdb..#q') AS q;
GO
DECLARE @v TABLE (a int PRIMARY KEY, b AS a * 2, c int DEFAULT 5, CHECK (a > 0), UNIQUE (c, a), INDEX i (c));
INSERT @v (a) VALUES (1);
SELECT * FROM @v;
INSERT @v (a) VALUES (0);
INSERT @v (a) VALUES (1);
GO
DECLARE @v TABLE (a int CONSTRAINT named PRIMARY KEY);
GO
DECLARE @v TABLE (a int REFERENCES t (id));
GO
DECLARE @v TABLE (a int); 
EXEC ('SELECT * FROM @v');
GO
DECLARE @v TABLE (a int);
TRUNCATE TABLE @v;
GO
CREATE TABLE #o (a int);
EXEC ('CREATE TABLE #inner (a int); INSERT #o VALUES (1); SELECT COUNT(*) AS seen FROM #o');
SELECT OBJECT_ID('tempdb..#inner') AS inner_;
SELECT * FROM #inner;
GO
CREATE PROCEDURE shadow AS CREATE TABLE #o (b varchar(5)); INSERT #o VALUES ('own'); SELECT * FROM #o;
GO
CREATE TABLE #o (a int);
GO
EXEC shadow;
SELECT COUNT(*) AS n FROM #o;
DROP TABLE #o;
DROP PROCEDURE shadow;
DROP TABLE t;
DROP TABLE log_;
GO
