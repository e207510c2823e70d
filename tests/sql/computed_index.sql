-- Indexes over computed columns that are not PERSISTED, of all kinds of tables, also where they are made with the table.
-- https://learn.microsoft.com/sql/relational-databases/indexes/indexes-on-computed-columns
CREATE TABLE t (id int NOT NULL PRIMARY KEY, p int, thrice AS p * 3, INDEX by_thrice (thrice))
INSERT t (id, p) VALUES (1, 5), (2, 6)
SELECT id FROM t WITH (INDEX (by_thrice)) WHERE thrice = 15
UPDATE t SET p = 7 WHERE id = 1
SELECT id FROM t WITH (INDEX (by_thrice)) WHERE thrice = 21
SELECT name, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('t')
GO
CREATE TABLE u (id int, p int, thrice AS p * 3 CONSTRAINT uq UNIQUE)
INSERT u (id, p) VALUES (1, 5)
INSERT u (id, p) VALUES (2, 5)
SELECT id FROM u
GO
CREATE TABLE c (id int, p int NOT NULL, thrice AS p * 3, INDEX q CLUSTERED (thrice))
INSERT c (id, p) VALUES (1, 5), (2, 4)
SELECT id, thrice FROM c ORDER BY thrice
GO
DECLARE @v TABLE (a int, b AS a * 2 UNIQUE, INDEX x (b))
INSERT @v (a) VALUES (1)
SELECT a, b FROM @v WHERE b = 2
INSERT @v (a) VALUES (1)
GO
CREATE TABLE #t (a int, b AS a * 2 CONSTRAINT uq_t UNIQUE)
INSERT #t (a) VALUES (1)
INSERT #t (a) VALUES (1)
GO
CREATE TYPE tt AS TABLE (a int, b AS a * 2 UNIQUE)
GO
DECLARE @v tt
INSERT @v (a) VALUES (1)
BEGIN TRY INSERT @v (a) VALUES (1) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS error END CATCH
GO
DROP TYPE tt
DROP TABLE t, u, c, #t
