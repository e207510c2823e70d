-- MASKED WITH: https://learn.microsoft.com/sql/relational-databases/security/dynamic-data-masking
CREATE TABLE dbo.dm_t (
  id int NOT NULL PRIMARY KEY,
  s varchar(20) MASKED WITH (FUNCTION = 'default()') NULL,
  e varchar(40) MASKED WITH (FUNCTION = 'email()'),
  p varchar(30) MASKED WITH (FUNCTION = 'partial(2, "-XX-", 1)'),
  i int MASKED WITH (FUNCTION = 'default()'),
  d datetime MASKED WITH (FUNCTION = 'default()'),
  m datetime2(3) MASKED WITH (FUNCTION = 'datetime("M")'),
  plain varchar(10))
INSERT dbo.dm_t VALUES (1, 'hello', 'john@x.com', 'abcdefghij', 42, '2020-05-06 07:08:09', '2021-07-15 13:14:15.678', 'p1'),
  (2, 'ab', '', 'ab', 7, '1999-01-01', '2020-02-29 01:02:03', 'p2')
INSERT dbo.dm_t (id) VALUES (3)
CREATE USER dm_u WITHOUT LOGIN
GRANT SELECT, UPDATE ON dbo.dm_t TO dm_u
GO
SELECT * FROM dbo.dm_t ORDER BY id
EXECUTE AS USER = 'dm_u'
SELECT * FROM dbo.dm_t ORDER BY id
REVERT
SELECT s, e FROM dbo.dm_t WHERE id = 1
GO
SELECT name, is_masked, masking_function FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_t') ORDER BY column_id
SELECT name, is_masked FROM sys.columns WHERE object_id = OBJECT_ID('dbo.dm_t') AND name IN ('id', 's') ORDER BY column_id
SELECT COLUMNPROPERTY(OBJECT_ID('dbo.dm_t'), 's', 'IsMasked') AS s, COLUMNPROPERTY(OBJECT_ID('dbo.dm_t'), 'plain', 'IsMasked') AS plain
GO
-- what is computed is masked by its type
EXECUTE AS USER = 'dm_u'
SELECT s + 'x' AS a, LEFT(s, 2) AS b, LEN(s) AS c, i + 1 AS d, UPPER(e) AS e, ISNULL(s, 'q') AS f, YEAR(d) AS g,
  e COLLATE Latin1_General_BIN AS h, CAST(e AS varchar(10)) AS i FROM dbo.dm_t WHERE id = 1
SELECT MAX(s) AS a, SUM(i) AS b, COUNT(s) AS c, COUNT(*) AS d FROM dbo.dm_t
SELECT CAST(e AS varchar(40)) AS a, (e) AS b, NULLIF(e, 'q') AS c, (SELECT e FROM dbo.dm_t WHERE id = 1) AS d,
  CASE WHEN id = 1 THEN e ELSE 'nobody' END AS f FROM dbo.dm_t WHERE id = 1
SELECT CASE WHEN id = 1 THEN p ELSE e END AS a, COALESCE(e, s) AS b, CASE s WHEN 'hello' THEN 'h' END AS c,
  CASE WHEN s = 'hello' THEN 'yes' ELSE 'no' END AS d, IIF(i > 40, 'many', 'few') AS e FROM dbo.dm_t WHERE id = 1
-- rows are found, joined, grouped and ordered by what they hold
SELECT COUNT(*) AS found FROM dbo.dm_t WHERE s = 'hello'
SELECT TOP 1 id FROM dbo.dm_t ORDER BY s DESC
SELECT a.id, b.e FROM dbo.dm_t a JOIN dbo.dm_t b ON a.e = b.e WHERE a.i = 42
SELECT e, COUNT(*) AS n FROM dbo.dm_t GROUP BY e ORDER BY e
SELECT DISTINCT s FROM dbo.dm_t ORDER BY s
SELECT id FROM dbo.dm_t WHERE EXISTS (SELECT 1 FROM dbo.dm_t o WHERE o.p = dbo.dm_t.p AND o.i = 7)
SELECT id, ROW_NUMBER() OVER (ORDER BY i DESC) AS n, LAG(s) OVER (ORDER BY id) AS l, MAX(i) OVER () AS x FROM dbo.dm_t ORDER BY id
-- through derived tables, expressions, set operations
SELECT x.e FROM (SELECT e FROM dbo.dm_t) x WHERE x.e LIKE 'john%'
SELECT y FROM (SELECT SUBSTRING(e, 1, 4) AS y, id FROM dbo.dm_t) x WHERE y = 'john';
WITH c AS (SELECT e, id FROM dbo.dm_t) SELECT e FROM c WHERE id = 1
SELECT e FROM dbo.dm_t WHERE id = 1 UNION ALL SELECT plain FROM dbo.dm_t WHERE id = 1
SELECT p FROM dbo.dm_t WHERE id = 1 UNION SELECT e FROM dbo.dm_t WHERE id = 1
SELECT a.x FROM dbo.dm_t t CROSS APPLY (SELECT t.p AS x) a WHERE id = 1
SELECT a.x, (SELECT t.p) AS y, (SELECT MAX(v) FROM (VALUES (t.s), ('z')) w (v)) AS z FROM dbo.dm_t t
  OUTER APPLY (SELECT UPPER(t.p) AS x) a WHERE id = 1
SELECT s.value FROM dbo.dm_t CROSS APPLY STRING_SPLIT(e, '@') s WHERE id = 1
SELECT j.value FROM dbo.dm_t CROSS APPLY OPENJSON('["' + e + '"]') j WHERE id = 1
SELECT v, c FROM (SELECT e, CAST(plain AS varchar(40)) AS q FROM dbo.dm_t WHERE id = 1) s UNPIVOT (v FOR c IN (e, q)) x ORDER BY c
SELECT q.[1] FROM (SELECT id, i FROM dbo.dm_t) s PIVOT (MAX(i) FOR id IN ([1])) q;
WITH r AS (SELECT 1 AS n, CAST('' AS varchar(30)) AS a, CAST('' AS varchar(30)) AS b UNION ALL
  SELECT n + 1, (SELECT p FROM dbo.dm_t WHERE id = 1), a FROM r WHERE n < 3)
SELECT n, a, b FROM r ORDER BY n
SELECT id, s FROM dbo.dm_t WHERE id = 1 FOR JSON PATH
SELECT (SELECT s FROM dbo.dm_t WHERE id = 1 FOR JSON PATH) AS j
SELECT id, e FROM dbo.dm_t WHERE id = 1 FOR XML AUTO
REVERT
GO
CREATE VIEW dbo.dm_v AS SELECT id, e, e + '' AS e2, plain, p FROM dbo.dm_t
GO
CREATE FUNCTION dbo.dm_rows(@id int) RETURNS TABLE AS RETURN SELECT id, e FROM dbo.dm_t WHERE id = @id
GO
CREATE FUNCTION dbo.dm_many() RETURNS @r TABLE (e varchar(40), i int) AS BEGIN INSERT @r SELECT e, i FROM dbo.dm_t WHERE id = 1; RETURN END
GO
CREATE FUNCTION dbo.dm_one() RETURNS varchar(30) AS BEGIN RETURN (SELECT p FROM dbo.dm_t WHERE id = 1) END
GO
CREATE FUNCTION dbo.dm_upper(@x varchar(40)) RETURNS varchar(40) AS BEGIN RETURN UPPER(@x) END
GO
CREATE PROCEDURE dbo.dm_p AS SELECT s, e FROM dbo.dm_t WHERE id = 1
GO
CREATE PROCEDURE dbo.dm_owner WITH EXECUTE AS OWNER AS SELECT s, e FROM dbo.dm_t WHERE id = 1
GO
CREATE TABLE dbo.dm_to (id int, s varchar(20), e varchar(40), c char(6))
GRANT SELECT, UPDATE ON dbo.dm_v TO dm_u
GRANT SELECT ON dbo.dm_rows TO dm_u
GRANT SELECT ON dbo.dm_many TO dm_u
GRANT EXECUTE ON dbo.dm_one TO dm_u
GRANT EXECUTE ON dbo.dm_upper TO dm_u
GRANT EXECUTE ON dbo.dm_p TO dm_u
GRANT EXECUTE ON dbo.dm_owner TO dm_u
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.dm_to TO dm_u
GRANT CREATE TABLE TO dm_u
GRANT ALTER ON SCHEMA::dbo TO dm_u
GO
-- owning what is asked shows nothing: who asks counts
EXECUTE AS USER = 'dm_u'
SELECT id, e, e2 FROM dbo.dm_v WHERE e = 'john@x.com'
SELECT e FROM dbo.dm_rows(1)
SELECT e, i FROM dbo.dm_many()
SELECT dbo.dm_one() AS f, dbo.dm_upper(e) AS g FROM dbo.dm_t WHERE id = 1
EXEC dbo.dm_p
EXEC dbo.dm_owner
EXEC ('SELECT s FROM dbo.dm_t WHERE id = 1')
EXEC sp_executesql N'SELECT s FROM dbo.dm_t WHERE id = @id', N'@id int', 1
-- what is assigned and stored is what is seen
DECLARE @v varchar(40), @w varchar(20), @x varchar(40) = (SELECT e FROM dbo.dm_t WHERE id = 1), @n varchar(20) = (SELECT TOP 1 i FROM dbo.dm_t)
SELECT @v = e, @w = e FROM dbo.dm_t WHERE id = 1
SELECT @v AS v, @w AS w, @x AS x, @n AS n
SET @v = (SELECT p FROM dbo.dm_t WHERE id = 1)
PRINT @v
INSERT dbo.dm_to (id, s, e, c) SELECT id, s, e, CAST(s AS char(6)) FROM dbo.dm_t WHERE id = 1
INSERT dbo.dm_to (id, e) VALUES (2, (SELECT e FROM dbo.dm_t WHERE id = 1)), (3, NULL)
UPDATE dbo.dm_to SET e = t.e FROM dbo.dm_t t WHERE t.id = 1 AND dbo.dm_to.id = 3
UPDATE dbo.dm_t SET plain = LEFT(s, 10) WHERE id = 2
UPDATE dbo.dm_v SET plain = LEFT(p, 2) WHERE id = 1
UPDATE dbo.dm_t SET id = id OUTPUT deleted.s, inserted.p + '' AS p WHERE id = 1
MERGE dbo.dm_to m USING dbo.dm_t t ON m.id = t.id + 10 WHEN NOT MATCHED AND t.id < 3 THEN INSERT (id, e) VALUES (t.id + 10, t.e)
  OUTPUT $action, t.p, inserted.e;
SELECT id, s, e, i INTO dbo.dm_copy FROM dbo.dm_t
DECLARE dm_c CURSOR LOCAL FOR SELECT s FROM dbo.dm_t WHERE id = 1
OPEN dm_c
FETCH NEXT FROM dm_c
CLOSE dm_c
REVERT
SELECT id, s, e, c, DATALENGTH(c) AS bytes FROM dbo.dm_to ORDER BY id
SELECT plain FROM dbo.dm_t ORDER BY id
SELECT * FROM dbo.dm_copy ORDER BY id
SELECT COUNT(*) AS masked FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_copy')
-- who writes needs no UNMASK
EXECUTE AS USER = 'dm_u'
UPDATE dbo.dm_t SET s = 'world' WHERE s = 'hello'
REVERT
SELECT s FROM dbo.dm_t WHERE id = 1
GO
-- what an error tells of a value is hidden with it
EXECUTE AS USER = 'dm_u'
GO
SELECT CAST(p AS int) FROM dbo.dm_t WHERE id = 1
GO
SELECT CAST(i + 1000 AS tinyint) FROM dbo.dm_t WHERE id = 1
GO
SELECT id FROM dbo.dm_t WHERE CAST(plain AS int) = 1
GO
REVERT
GO
-- UNMASK at each level
CREATE SCHEMA dm_s
GO
CREATE TABLE dm_s.t (a varchar(9) MASKED WITH (FUNCTION = 'default()'), b varchar(9) MASKED WITH (FUNCTION = 'default()'), c AS a + b, n AS LEN(a) PERSISTED)
INSERT dm_s.t VALUES ('one', 'two')
CREATE TABLE dm_s.o (a varchar(9) MASKED WITH (FUNCTION = 'default()'))
INSERT dm_s.o VALUES ('three')
CREATE USER dm_w WITHOUT LOGIN
CREATE ROLE dm_r
ALTER ROLE dm_r ADD MEMBER dm_w
GRANT SELECT ON SCHEMA::dm_s TO dm_w
GO
CREATE PROCEDURE dbo.dm_look AS
SELECT t.a, b, c, n, a.a + t.a AS both, HAS_PERMS_BY_NAME('dm_s.t', 'OBJECT', 'UNMASK') AS h FROM dm_s.t t CROSS JOIN dm_s.o a
GO
GRANT EXECUTE ON dbo.dm_look TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
GRANT UNMASK ON dm_s.t (a) TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
GRANT UNMASK ON dm_s.t TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
REVOKE UNMASK ON dm_s.t TO dm_w
GRANT UNMASK ON SCHEMA::dm_s TO dm_r
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
REVOKE UNMASK ON SCHEMA::dm_s TO dm_r
GRANT UNMASK TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
DENY UNMASK ON dm_s.t (b) TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
REVOKE UNMASK ON dm_s.t (b) TO dm_w
REVOKE UNMASK TO dm_w
GRANT CONTROL ON dm_s.t TO dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
REVOKE CONTROL ON dm_s.t TO dm_w
ALTER ROLE db_owner ADD MEMBER dm_w
EXECUTE AS USER = 'dm_w' EXEC dbo.dm_look REVERT
GO
GRANT UNMASK ON dm_s.t (a) TO dm_u WITH GRANT OPTION
SELECT class, minor_id, type, permission_name, state FROM sys.database_permissions WHERE permission_name = 'UNMASK'
GRANT UNMASK ON dbo.dm_v TO dm_u
GO
GRANT INSERT ON dm_s.t (a) TO dm_u
GO
-- a function's result may have masks of its own
CREATE FUNCTION dbo.dm_result() RETURNS @r TABLE (a varchar(10) MASKED WITH (FUNCTION = 'partial(1, "-", 1)'), b int) AS
BEGIN INSERT @r VALUES ('abcdef', 1); RETURN END
GO
GRANT SELECT ON dbo.dm_result TO dm_u
SELECT a, b FROM dbo.dm_result()
EXECUTE AS USER = 'dm_u'
SELECT a, b FROM dbo.dm_result()
REVERT
GO
-- a table variable belongs to who runs it, a temporary table is the session's
EXECUTE AS USER = 'dm_u'
DECLARE @t TABLE (a varchar(10) MASKED WITH (FUNCTION = 'default()'))
INSERT @t VALUES ('abc')
SELECT a FROM @t
CREATE TABLE #t (a varchar(10) MASKED WITH (FUNCTION = 'default()'))
INSERT #t VALUES ('abc')
SELECT a FROM #t
DROP TABLE #t
REVERT
GO
-- ALTER TABLE
CREATE TABLE dbo.dm_a (x varchar(10), y int MASKED WITH (FUNCTION = 'default()'), z varchar(10) MASKED WITH (FUNCTION = 'email()'), k int)
INSERT dbo.dm_a VALUES ('abcdef', 1, 'zed', 2)
ALTER TABLE dbo.dm_a ALTER COLUMN x ADD MASKED WITH (FUNCTION = 'partial(1, "x", 0)')
ALTER TABLE dbo.dm_a ALTER COLUMN y DROP MASKED
ALTER TABLE dbo.dm_a ALTER COLUMN z varchar(20) MASKED WITH (FUNCTION = 'default()') NULL
ALTER TABLE dbo.dm_a ADD w int MASKED WITH (FUNCTION = 'random(5, 6)') NOT NULL DEFAULT 5
SELECT name, masking_function FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_a') ORDER BY column_id
ALTER TABLE dbo.dm_a ALTER COLUMN z varchar(20)
EXEC sp_rename 'dbo.dm_a.x', 'xx', 'COLUMN'
SELECT name, masking_function FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_a') ORDER BY column_id
GO
ALTER TABLE dbo.dm_a ALTER COLUMN y DROP MASKED
GO
ALTER TABLE dbo.dm_a ALTER COLUMN zz DROP MASKED
GO
ALTER TABLE dbo.dm_a ALTER COLUMN y ADD MASKED WITH (FUNCTION = 'email()')
GO
CREATE INDEX dm_i ON dbo.dm_a (xx)
ALTER TABLE dbo.dm_a ALTER COLUMN xx DROP MASKED
GO
ALTER TABLE dbo.dm_a ADD v AS k + 1
ALTER TABLE dbo.dm_a ALTER COLUMN k ADD MASKED WITH (FUNCTION = 'default()')
GO
ALTER TABLE dbo.dm_a ALTER COLUMN v ADD MASKED WITH (FUNCTION = 'default()')
GO
BEGIN TRAN
ALTER TABLE dbo.dm_a ALTER COLUMN y ADD MASKED WITH (FUNCTION = 'default()')
ROLLBACK
SELECT name FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_a') ORDER BY column_id
GRANT SELECT, ALTER ON dbo.dm_a TO dm_u
EXECUTE AS USER = 'dm_u'
ALTER TABLE dbo.dm_a ALTER COLUMN y ADD MASKED WITH (FUNCTION = 'default()')
GO
ALTER TABLE dbo.dm_a ADD q int NOT NULL DEFAULT 1
SELECT xx, y FROM dbo.dm_a
REVERT
SELECT xx, y FROM dbo.dm_a
GRANT ALTER ANY MASK TO dm_u
EXECUTE AS USER = 'dm_u'
ALTER TABLE dbo.dm_a ALTER COLUMN y ADD MASKED WITH (FUNCTION = 'default()')
SELECT y FROM dbo.dm_a
REVERT
GO
-- functions that there are not
CREATE TABLE dbo.dm_n (a varchar(9) MASKED WITH (FUNCTION = 'foo()'))
GO
CREATE TABLE dbo.dm_n (a int MASKED WITH (FUNCTION = 'partial(1,"x",1)'))
GO
CREATE TABLE dbo.dm_n (a varchar(9) MASKED WITH (FUNCTION = 'default(1)'))
GO
CREATE TABLE dbo.dm_n (a int MASKED WITH (FUNCTION = 'random(10,1)'))
GO
CREATE TABLE dbo.dm_n (a varchar(9) MASKED WITH (FUNCTION = 'default'))
GO
CREATE TABLE dbo.dm_n (x int NOT NULL MASKED WITH (FUNCTION = 'default()'))
GO
CREATE TABLE dbo.dm_n (x int IDENTITY MASKED WITH (FUNCTION = 'default()'))
GO
CREATE TABLE dbo.dm_n (x int, y AS x + 1 MASKED WITH (FUNCTION = 'default()'))
GO
DECLARE @t TABLE (a int MASKED WITH (FUNCTION = 'email()'))
GO
-- types
CREATE TABLE dbo.dm_k (b bit MASKED WITH (FUNCTION = 'random(1, 1)'), c char(6) MASKED WITH (FUNCTION = 'default()'), n nchar(3) MASKED WITH (FUNCTION = 'default()'),
  m money MASKED WITH (FUNCTION = 'default()'), f float MASKED WITH (FUNCTION = 'default()'), dc decimal(9, 2) MASKED WITH (FUNCTION = 'random(1.555, 1.555)'),
  bi varbinary(9) MASKED WITH (FUNCTION = 'default()'), u uniqueidentifier MASKED WITH (FUNCTION = 'default()'), x xml MASKED WITH (FUNCTION = 'default()'),
  v sql_variant MASKED WITH (FUNCTION = 'default()'), t time MASKED WITH (FUNCTION = 'datetime("m")'), d date MASKED WITH (FUNCTION = 'datetime("Y")'),
  o datetimeoffset(0) MASKED WITH (FUNCTION = 'default()'), l nvarchar(max) MASKED WITH (FUNCTION = 'partial(1, "…", 1)'),
  i bigint MASKED WITH (FUNCTION = 'default()') IDENTITY PRIMARY KEY)
INSERT dbo.dm_k (b, c, n, m, f, dc, bi, u, x, v, t, d, o, l) VALUES (0, 'abc', 'ab', 1.5, 2.5, 3.5, 0x0102, NEWID(), '<a/>', CAST('ab' AS varchar(9)), '12:34:56', '2024-02-29',
  '2024-02-29 12:34:56 +02:00', REPLICATE(N'ä', 5000))
GRANT SELECT ON dbo.dm_k TO dm_u
EXECUTE AS USER = 'dm_u'
SELECT * FROM dbo.dm_k
REVERT
SELECT name, masking_function FROM sys.masked_columns WHERE object_id = OBJECT_ID('dbo.dm_k') AND name IN ('dc', 'l')
GO
CREATE TRIGGER dbo.dm_tr ON dbo.dm_to AFTER INSERT AS SELECT e FROM inserted
GO
-- old, until it is asked again
EXECUTE AS USER = 'dm_u'
DECLARE dm_g CURSOR GLOBAL SCROLL FOR SELECT s FROM dbo.dm_t ORDER BY id
OPEN dm_g
FETCH NEXT FROM dm_g
REVERT
GRANT UNMASK TO dm_u
EXECUTE AS USER = 'dm_u'
FETCH NEXT FROM dm_g
CLOSE dm_g
DEALLOCATE dm_g
REVERT
GO
