-- INSTEAD OF triggers on views, and on tables before their constraints. learn.microsoft.com: CREATE TRIGGER (DML), "DML trigger execution",
-- "INSTEAD OF INSERT triggers": they are executed before any constraint; a statement of the trigger on its own view is one on the table.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b varchar(10) NOT NULL DEFAULT 'd', c int);
CREATE TABLE u (a int, d int);
INSERT t (a, b, c) VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30);
INSERT u VALUES (1, 100), (2, 200);
GO
CREATE VIEW v AS SELECT a, b, c + 1 AS c1 FROM t WHERE a < 100;
GO
CREATE TRIGGER tr_v ON v INSTEAD OF INSERT, UPDATE, DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    SET NOCOUNT ON;
    PRINT CONCAT('rows ', @rows, ' updated ', IIF(UPDATE(a), 'a', '-'), IIF(UPDATE(b), 'b', '-'), IIF(UPDATE(c1), 'c', '-'));
    SELECT 'inserted' AS side, * FROM inserted UNION ALL SELECT 'deleted', * FROM deleted ORDER BY 1, 2;
END
GO
DELETE v;
DELETE v WHERE c1 = 21;
DELETE FROM v WHERE a = 99;
DELETE TOP (1) FROM v WHERE a = 1;
UPDATE v SET b = 'new' WHERE a <= 2;
UPDATE v SET c1 = c1 * 2, a += 5 WHERE c1 > 20;
INSERT v VALUES (4, 'four', 40);
INSERT v (a) VALUES (5), (NULL);
INSERT INTO v (c1, a) SELECT d, a FROM u;
INSERT v DEFAULT VALUES;
INSERT v VALUES (6, DEFAULT, NULL);
SELECT @@ROWCOUNT AS rc;
SELECT * FROM t ORDER BY a;
GO
MERGE v USING (VALUES (1, 'm'), (9, 'n')) AS s (a, b) ON v.a = s.a
    WHEN MATCHED THEN UPDATE SET b = s.b
    WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b)
    WHEN NOT MATCHED BY SOURCE THEN DELETE;
GO
-- A FROM clause without a join; with one: 414, 415.
UPDATE x SET b = 'from' FROM v AS x WHERE x.a = 3;
DELETE x FROM v x WHERE x.a = 3;
GO
UPDATE v SET b = 'j' FROM u WHERE u.a = v.a;
GO
UPDATE x SET b = 'j' FROM v x JOIN u ON u.a = x.a;
GO
DELETE x FROM dbo.v x JOIN u ON u.a = x.a;
GO
-- Subqueries are no join.
DELETE v WHERE a IN (SELECT a FROM u);
WITH w AS (SELECT a, b FROM v WHERE a > 1) UPDATE w SET b = 'cte' WHERE a = 2;
GO
-- A view over it, and what it does not take.
CREATE VIEW v2 AS SELECT b AS bb, a AS aa FROM v;
GO
DELETE v2 WHERE aa = 1;
UPDATE v2 SET bb = 'v2' WHERE aa = 2;
INSERT v2 (aa, bb) VALUES (7, 'seven');
SELECT * FROM t ORDER BY a;
GO
ALTER TRIGGER tr_v ON v INSTEAD OF DELETE AS PRINT 'delete only';
GO
UPDATE v SET b = 'TWO' WHERE a = 2;
INSERT v (a, b) VALUES (8, 'eight');
DELETE v WHERE a = 8;
SELECT * FROM t ORDER BY a;
GO
DISABLE TRIGGER tr_v ON v;
DELETE v WHERE a = 8;
ENABLE TRIGGER tr_v ON v;
DELETE v WHERE a = 2;
SELECT * FROM t ORDER BY a;
GO
MERGE v USING (VALUES (1), (9)) AS s (a) ON v.a = s.a
    WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, 'x');
GO
-- Within the trigger a statement on the view is one on the table.
ALTER TRIGGER tr_v ON v INSTEAD OF INSERT, UPDATE, DELETE AS
BEGIN
    INSERT v (a, b) SELECT a + 10, UPPER(b) FROM inserted WHERE NOT EXISTS (SELECT 1 FROM deleted);
    DELETE v FROM deleted WHERE deleted.a = v.a AND NOT EXISTS (SELECT 1 FROM inserted);
    UPDATE x SET b = i.b + '!' FROM v x JOIN inserted i ON i.a = x.a;
END
GO
INSERT v (a, b) VALUES (1, 'ins');
UPDATE v SET b = 'upd' WHERE a = 11;
DELETE v WHERE a = 1;
SELECT * FROM t ORDER BY a;
GO
ALTER TRIGGER tr_v ON v INSTEAD OF DELETE AS EXEC ('DELETE v');
GO
DELETE v;
GO
SELECT COUNT(*) AS n FROM t;
DROP TRIGGER tr_v;
GO
-- Views that cannot be updated.
CREATE VIEW g AS SELECT t.b, SUM(u.d) AS total, COUNT(*) AS n FROM t JOIN u ON u.a = t.a GROUP BY t.b;
GO
CREATE VIEW j AS SELECT t.a, t.b, u.d FROM t JOIN u ON u.a = t.a;
GO
CREATE VIEW k AS SELECT a FROM t UNION SELECT a FROM u;
GO
CREATE TRIGGER tr_g ON g INSTEAD OF INSERT, UPDATE, DELETE AS SELECT 'g' AS v, * FROM inserted UNION ALL SELECT 'd', * FROM deleted ORDER BY 1, 2;
GO
CREATE TRIGGER tr_j ON j INSTEAD OF INSERT, UPDATE, DELETE AS SELECT 'j' AS v, * FROM inserted UNION ALL SELECT 'd', * FROM deleted ORDER BY 1, 2;
GO
CREATE TRIGGER tr_k ON k INSTEAD OF INSERT, UPDATE, DELETE AS SELECT 'k' AS v, * FROM inserted UNION ALL SELECT 'd', * FROM deleted ORDER BY 1, 2;
GO
INSERT g VALUES ('x', 1, 2);
UPDATE g SET total = 0 WHERE b = 'TWO';
DELETE g WHERE n = 1;
INSERT j VALUES (1, 'x', 2), (2, 'y', 3);
UPDATE j SET b = 'both', d = d + 1;
DELETE j WHERE d = 200;
INSERT k VALUES (70);
UPDATE k SET a = a + 1 WHERE a > 1;
DELETE k WHERE a = 3;
MERGE g USING (VALUES ('TWO', 5), ('zz', 6)) AS s (b, total) ON g.b = s.b
    WHEN MATCHED THEN UPDATE SET total = s.total
    WHEN NOT MATCHED THEN INSERT (b, total) VALUES (s.b, s.total);
GO
SELECT * FROM t ORDER BY a;
SELECT * FROM u ORDER BY a;
GO
-- Without triggers MERGE goes to the table of a view.
CREATE VIEW w AS SELECT a AS x, b AS y FROM t WHERE a < 100;
GO
MERGE w USING (VALUES (3, 'drei'), (4, 'vier')) AS s (a, b) ON w.x = s.a
    WHEN MATCHED THEN UPDATE SET y = s.b
    WHEN NOT MATCHED THEN INSERT (x, y) VALUES (s.a, s.b);
SELECT * FROM t ORDER BY a;
GO
-- AFTER triggers are for tables, INSTEAD OF triggers one for each action.
CREATE TRIGGER tr_bad ON w AFTER INSERT AS SELECT 1;
GO
CREATE TRIGGER tr_j2 ON j INSTEAD OF INSERT AS SELECT 1;
GO
CREATE VIEW wc AS SELECT a FROM t WHERE a < 100 WITH CHECK OPTION;
GO
CREATE TRIGGER tr_wc ON wc INSTEAD OF INSERT, DELETE AS SELECT 1;
GO
CREATE TABLE casc (a int REFERENCES t ON DELETE CASCADE);
GO
CREATE TRIGGER tr_casc ON casc INSTEAD OF DELETE AS SELECT 1;
GO
CREATE TRIGGER tr_casc ON casc INSTEAD OF INSERT, UPDATE AS SELECT 1;
GO
CREATE TRIGGER tr_casc2 ON casc AFTER DELETE AS PRINT 'after';
GO
DROP TABLE casc;
CREATE TABLE casc (a int, b int);
GO
CREATE TRIGGER tr_casc ON casc INSTEAD OF DELETE AS SELECT 1;
GO
ALTER TABLE casc ADD CONSTRAINT fk_casc FOREIGN KEY (a) REFERENCES t ON DELETE CASCADE;
GO
ALTER TABLE casc ADD CONSTRAINT fk_casc FOREIGN KEY (a) REFERENCES t ON UPDATE CASCADE;
DROP TABLE casc;
GO
-- Tables: constraints wait for what the trigger does.
CREATE TABLE c (id int IDENTITY(5, 1), a int CONSTRAINT ck_c CHECK (a < 5), b int NOT NULL, p AS a * 2, q AS a + 1 PERSISTED,
    s int CONSTRAINT fk_c REFERENCES t (a), r rowversion, n int NOT NULL CONSTRAINT df_c DEFAULT 7, CONSTRAINT pk_c PRIMARY KEY (a));
GO
CREATE TRIGGER tr_c ON c INSTEAD OF INSERT, UPDATE, DELETE AS
BEGIN
    SELECT 'inserted' AS side, id, a, b, p, q, s, r, n, IIF(b IS NULL, 'null', 'value') AS b_is FROM inserted;
    SELECT COUNT(*) AS deleted FROM deleted;
END
GO
INSERT c (a, b, s) VALUES (9, NULL, 999), (9, 1, 1);
INSERT c (a) VALUES (1);
SELECT COUNT(*) AS n, IDENT_CURRENT('c') AS last, SCOPE_IDENTITY() AS si FROM c;
DISABLE TRIGGER tr_c ON c;
INSERT c (a, b) VALUES (1, 1);
ENABLE TRIGGER tr_c ON c;
UPDATE c SET a = 9, b = NULL, s = 999, n = NULL;
MERGE c USING (VALUES (1), (2)) AS x (a) ON c.a = x.a
    WHEN MATCHED THEN UPDATE SET b = NULL
    WHEN NOT MATCHED THEN INSERT (a, b) VALUES (99, NULL);
DELETE c;
SELECT id, a, b, n FROM c;
GO
-- What is no constraint comes before: conversions, lengths.
INSERT c (a, b) VALUES ('x', 1);
GO
-- A table that others refer to, and that refers to itself.
CREATE TABLE s (a int CONSTRAINT pk_s PRIMARY KEY, up int CONSTRAINT fk_s REFERENCES s);
CREATE TABLE s2 (a int CONSTRAINT fk_s2 REFERENCES s);
INSERT s VALUES (1, NULL), (2, 1);
INSERT s2 VALUES (1);
GO
CREATE TRIGGER tr_s ON s INSTEAD OF INSERT, DELETE AS PRINT 'instead';
GO
INSERT s VALUES (3, 33);
DELETE s WHERE a = 1;
SELECT * FROM s;
GO
-- An INSTEAD OF and an AFTER trigger on one table.
CREATE TABLE both (a int);
GO
CREATE TRIGGER tr_instead ON both INSTEAD OF INSERT AS BEGIN PRINT CONCAT('instead ', TRIGGER_NESTLEVEL()); INSERT both SELECT a + 1 FROM inserted; END
GO
CREATE TRIGGER tr_after ON both AFTER INSERT AS PRINT CONCAT('after ', TRIGGER_NESTLEVEL());
GO
INSERT both VALUES (1);
SELECT a FROM both;
GO
-- In a procedure that the trigger calls it is still the trigger's own statement.
CREATE PROCEDURE again @a int AS INSERT both VALUES (@a);
GO
ALTER TRIGGER tr_instead ON both INSTEAD OF INSERT AS EXEC again 50;
GO
INSERT both VALUES (1);
SELECT a FROM both;
GO
DROP TRIGGER tr_instead;
DELETE both;
GO
ALTER TRIGGER tr_after ON both AFTER INSERT AS
BEGIN
    IF TRIGGER_NESTLEVEL() < 4 EXEC again 2;
    PRINT CONCAT('after ', TRIGGER_NESTLEVEL());
END
GO
INSERT both VALUES (1);
SELECT a FROM both;
ALTER DATABASE CURRENT SET RECURSIVE_TRIGGERS ON;
DELETE both;
INSERT both VALUES (1);
SELECT a FROM both;
GO
ALTER DATABASE CURRENT SET RECURSIVE_TRIGGERS OFF;
GO
-- A view takes its triggers with it; NOT FOR REPLICATION is kept.
CREATE TRIGGER tr_nfr ON both AFTER DELETE NOT FOR REPLICATION AS PRINT 'fires';
GO
DELETE both;
SELECT name, is_not_for_replication, is_instead_of_trigger, OBJECT_NAME(parent_id) AS parent FROM sys.triggers ORDER BY name;
DROP VIEW g, k;
SELECT name FROM sys.triggers WHERE name IN ('tr_g', 'tr_k', 'tr_j');
GO
