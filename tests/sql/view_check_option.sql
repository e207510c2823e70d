-- WITH CHECK OPTION. learn.microsoft.com: CREATE VIEW, "CHECK OPTION": a row that is changed through the view stays visible through it.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int, c varchar(10), p AS a * 2, q AS b + 1 PERSISTED);
CREATE TABLE u (a int, d int);
INSERT t (a, b, c) VALUES (11, 1, 'x'), (12, 2, 'y'), (5, 3, 'z');
INSERT u VALUES (11, 1), (12, 2);
GO
CREATE VIEW v AS SELECT a, b, c FROM t WHERE a > 10 WITH CHECK OPTION;
GO
INSERT v VALUES (1, 1, 'no');
INSERT v (a) VALUES (NULL);
INSERT v VALUES (20, 20, 'yes'), (2, 2, 'no');
INSERT v (a, b) SELECT a + 10, d FROM u WHERE d = 2 UNION ALL SELECT 3, 3;
INSERT v (b) VALUES (1);
INSERT v VALUES (20, 20, 'yes');
UPDATE v SET a = 5 WHERE a = 20;
UPDATE v SET a = a - 10;
UPDATE v SET a = a + 1 WHERE a = 20;
UPDATE v SET b = NULL, c = 'new' WHERE a = 21;
UPDATE x SET a = u.d FROM v x JOIN u ON u.a = x.a;
DELETE v WHERE a = 21;
SELECT a, b, c FROM t ORDER BY a;
GO
BEGIN TRY
    UPDATE v SET a = 1 WHERE a = 11;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY() AS s, ERROR_STATE() AS st, XACT_STATE() AS xs;
END CATCH
GO
-- UNKNOWN is not visible.
CREATE VIEW vb AS SELECT a, b FROM t WHERE b < 100 WITH CHECK OPTION;
GO
INSERT vb VALUES (30, NULL);
UPDATE vb SET b = NULL WHERE a = 11;
INSERT vb VALUES (30, 99);
UPDATE vb SET a = 31 WHERE a = 30;
GO
-- A view over a view: with the option it asks for all below it, without it for what those with the option ask.
CREATE VIEW plain AS SELECT a, b, c FROM t WHERE a > 10;
GO
CREATE VIEW over_plain AS SELECT a AS aa, b AS bb FROM plain WHERE b < 50 WITH CHECK OPTION;
GO
CREATE VIEW over_checked AS SELECT a AS aa, b AS bb FROM v WHERE b < 50;
GO
CREATE VIEW both AS SELECT aa, bb FROM over_checked WHERE bb > 0 WITH CHECK OPTION;
GO
INSERT over_plain VALUES (1, 1);
INSERT over_plain VALUES (40, 60);
INSERT over_plain VALUES (40, 40);
UPDATE over_plain SET aa = 1 WHERE aa = 40;
INSERT over_checked VALUES (1, 1);
INSERT over_checked VALUES (41, 60);
INSERT both VALUES (42, 60);
INSERT both VALUES (1, 1);
INSERT both VALUES (42, -1);
INSERT both VALUES (42, 42);
UPDATE both SET bb = bb + 10;
INSERT plain VALUES (1, 1, 'free');
SELECT a, b FROM t ORDER BY a;
GO
-- Conditions over what is computed, in the view or in the table; over columns that the view does not show.
DELETE t;
GO
CREATE VIEW vc AS SELECT a, twice, c FROM (SELECT a, a * 2 AS twice, c, b FROM t) AS d WHERE twice > 20 AND (b IS NULL OR b = 7) WITH CHECK OPTION;
GO
CREATE VIEW vp AS SELECT a, b FROM t WHERE p > 20 AND q < 10 WITH CHECK OPTION;
GO
INSERT vc (a, c) VALUES (10, 'no');
INSERT vc (a, c) VALUES (11, 'yes');
INSERT vp VALUES (10, 1);
INSERT vp VALUES (12, 9);
INSERT vp VALUES (12, 8);
UPDATE vp SET b = 9 WHERE a = 12;
UPDATE vp SET a = 9 WHERE a = 12;
SELECT a, b FROM t ORDER BY a;
GO
-- MERGE.
MERGE v USING (VALUES (11, 1), (12, 2)) AS s (a, b) ON v.a = s.a
    WHEN MATCHED THEN UPDATE SET a = s.b;
GO
MERGE v USING (VALUES (50, 1)) AS s (a, b) ON v.a = s.a
    WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.b, s.b);
GO
MERGE v USING (VALUES (50, 1)) AS s (a, b) ON v.a = s.a
    WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, s.b);
SELECT a, b FROM t ORDER BY a;
GO
-- Constraints of the table come on their own.
ALTER TABLE t ADD CONSTRAINT ck_b CHECK (b < 1000);
GO
INSERT v (a, b) VALUES (60, 5000);
GO
-- A join: what the change does not touch holds. What it may touch, and reads more than the table, cannot be checked here.
CREATE VIEW j AS SELECT t.a, t.b, u.d FROM t JOIN u ON u.a = t.a WHERE t.b < 100 WITH CHECK OPTION;
GO
UPDATE j SET b = 1 WHERE a = 12;
UPDATE j SET b = 100 WHERE a = 12;
SELECT a, b FROM t WHERE a = 12;
GO
UPDATE j SET a = 99 WHERE a = 12;
GO
CREATE VIEW sub AS SELECT a, b FROM t WHERE a IN (SELECT a FROM u) WITH CHECK OPTION;
GO
INSERT sub VALUES (99, 9);
GO
UPDATE sub SET a = 99 WHERE a = 12;
GO
UPDATE sub SET b = 3 WHERE a = 12;
GO
CREATE VIEW correlated AS SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.d > 0) WITH CHECK OPTION;
GO
INSERT correlated VALUES (99, 9);
GO
CREATE VIEW outer_join AS SELECT t.a, t.b, x.d FROM t LEFT JOIN (SELECT a, d FROM u WHERE d > 1) AS x ON x.a = t.a WHERE t.a < 70 WITH CHECK OPTION;
GO
INSERT outer_join (a, b) VALUES (69, 9);
INSERT outer_join (a, b) VALUES (70, 9);
UPDATE outer_join SET a = 70 WHERE a = 69;
SELECT a, b FROM t ORDER BY a;
GO
SELECT name, with_check_option FROM sys.views ORDER BY name;
GO
