-- Filtered indexes: members only, unique among them, found by queries that imply the filter, refused where SQL Server refuses them https://learn.microsoft.com/sql/relational-databases/indexes/create-filtered-indexes
CREATE TABLE fu (id int CONSTRAINT pk_fu PRIMARY KEY, email varchar(50) NULL, active bit NOT NULL CONSTRAINT df_active DEFAULT 1, n int NULL, s nvarchar(20) NULL, big varchar(max) NULL, c AS n + 1, d date NULL);
CREATE UNIQUE INDEX ux_email ON fu(email) WHERE email IS NOT NULL;
CREATE UNIQUE INDEX ux_active ON fu(n) WHERE active = 1;
GO
INSERT fu (id, email, n, active) VALUES (1, NULL, 1, 1), (2, NULL, 1, 0), (3, 'a@x', 2, 1), (4, 'b@x', 2, 0);
INSERT fu (id, email, n) VALUES (5, 'A@X ', 5);
GO
INSERT fu (id, email, n) VALUES (6, 'c@x', 2);
GO
-- a member comes and goes with what is updated
UPDATE fu SET active = 1 WHERE id = 4;
GO
UPDATE fu SET n = 3, active = 1 WHERE id = 4;
UPDATE fu SET active = 0 WHERE id = 3;
INSERT fu (id, n) VALUES (7, 2);
UPDATE fu SET email = NULL WHERE id = 3;
UPDATE fu SET email = 'a@x' WHERE id = 7;
SELECT id, email, n, active FROM fu ORDER BY id;
GO
-- memberships exchanged within one statement
UPDATE fu SET active = 1 - active WHERE id IN (1, 2);
SELECT id, active FROM fu WHERE id < 3 ORDER BY id;
UPDATE fu SET email = CASE id WHEN 4 THEN 'a@x' ELSE 'b@x' END WHERE id IN (4, 7);
SELECT id, email FROM fu WHERE email IS NOT NULL ORDER BY email;
MERGE fu AS t USING (VALUES (2, 0), (8, 1)) AS s (id, n) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET active = s.n
WHEN NOT MATCHED THEN INSERT (id, n, email) VALUES (s.id, s.n, 'c@x');
DELETE fu WHERE id = 7;
INSERT fu (id, email, n) VALUES (9, 'b@x', 9);
BEGIN TRAN;
DELETE fu WHERE id = 9;
INSERT fu (id, email, n) VALUES (10, 'b@x', 9);
ROLLBACK;
SELECT id, email FROM fu WHERE email >= 'b' ORDER BY email;
DBCC CHECKTABLE ('fu') WITH NO_INFOMSGS;
GO
INSERT fu (id, email, n) VALUES (10, 'b@x', 10);
GO
-- built over rows that are there
INSERT fu (id, n, active) VALUES (11, 2, 0), (12, 2, 0);
CREATE UNIQUE INDEX ux_n ON fu(n) WHERE n > 1 AND n < 5;
GO
CREATE UNIQUE INDEX ux_n ON fu(n) WHERE n > 1 AND email = 'nobody@x';
DROP INDEX ux_n ON fu;
GO
CREATE UNIQUE INDEX ux_n ON fu(n) WHERE n > 2;
CREATE INDEX ix_big ON fu(id) WHERE big IS NULL AND n >= 2;
CREATE INDEX ix_s ON fu(s) INCLUDE (n) WHERE s > N'm';
SELECT i.name, i.is_unique, i.has_filter, i.filter_definition FROM sys.indexes i WHERE i.object_id = OBJECT_ID('fu') ORDER BY i.index_id;
UPDATE fu SET s = CASE WHEN id % 2 = 0 THEN N'zebra' ELSE N'ant' END, big = REPLICATE(CONVERT(varchar(max), 'y'), id * 3000) WHERE id <> 4;
UPDATE fu SET big = NULL WHERE id = 9;
DBCC CHECKTABLE ('fu') WITH NO_INFOMSGS;
ALTER INDEX ux_n ON fu DISABLE;
INSERT fu (id, n, active) VALUES (20, 55, 0), (21, 55, 0);
UPDATE fu SET n = 56 WHERE id = 20;
ALTER INDEX ALL ON fu REBUILD;
ALTER TABLE fu ADD extra int NOT NULL CONSTRAINT df_extra DEFAULT 3;
ALTER TABLE fu DROP CONSTRAINT df_extra;
ALTER TABLE fu ALTER COLUMN extra bigint NULL;
DBCC CHECKTABLE ('fu') WITH NO_INFOMSGS;
GO
INSERT fu (id, n, active) VALUES (22, 55, 0);
GO
ALTER TABLE fu DROP COLUMN active;
GO
DROP INDEX ux_active ON fu;
ALTER TABLE fu DROP CONSTRAINT df_active;
ALTER TABLE fu DROP COLUMN active;
EXEC sp_rename 'fu.n', 'number', 'COLUMN';
SELECT filter_definition FROM sys.indexes WHERE name = 'ux_n';
DBCC CHECKTABLE ('fu') WITH NO_INFOMSGS;
GO
INSERT fu (id, number) VALUES (23, 55);
GO
-- read only where the query implies the filter
CREATE TABLE fr (id int CONSTRAINT pk_fr PRIMARY KEY, a int NULL, b varchar(20) NULL, pad char(200) NOT NULL DEFAULT '');
INSERT fr (id, a, b) SELECT value, NULLIF(value % 50, 0), CASE WHEN value % 10 = 0 THEN 'open' WHEN value % 10 = 1 THEN NULL ELSE 'done' END FROM GENERATE_SERIES(1, 500);
CREATE INDEX ix_a ON fr(a) WHERE a IS NOT NULL;
CREATE INDEX ix_b ON fr(a) INCLUDE (b) WHERE b = 'open';
CREATE INDEX ix_c ON fr(b) WHERE b IN ('open', 'lost') AND a > 20;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM fr WHERE a = 7;
SELECT id FROM fr WHERE a > 48;
SELECT id FROM fr WHERE a IS NULL;
SELECT id FROM fr ORDER BY a;
SELECT id FROM fr WHERE a = 10 AND b = 'open';
SELECT id FROM fr WHERE b = 'open' AND a >= 30;
SELECT id FROM fr WHERE b = 'lost' AND a = 21;
SELECT id FROM fr WHERE b = 'done' AND a >= 30;
SELECT id FROM fr WHERE b = 'open' AND a = 20;
SELECT id FROM fr WHERE a = 7 OR a IS NULL;
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT COUNT(*) AS n FROM fr WHERE a = 7;
SELECT COUNT(*) AS n FROM fr WHERE a IS NULL;
SELECT COUNT(*) AS n FROM fr WHERE a = 7 OR a IS NULL;
SELECT COUNT(*) AS n FROM fr WHERE b = 'open' AND a >= 30;
SELECT COUNT(*) AS n FROM fr WHERE b = 'done' AND a >= 30;
SELECT COUNT(*) AS n FROM fr WHERE a NOT IN (7, 8);
SELECT TOP 1 a FROM fr ORDER BY a;
SELECT MIN(a) AS low, MAX(a) AS high, COUNT(a) AS c FROM fr;
DECLARE @a int = 20, @none int;
SELECT COUNT(*) AS n FROM fr WHERE a = @a AND b = 'open';
SELECT COUNT(*) AS n FROM fr WHERE a = @none;
SELECT COUNT(*) AS n FROM fr x JOIN fr y ON x.a = y.a WHERE x.id < 100 AND y.id < 100;
SELECT COUNT(*) AS n FROM fr x LEFT JOIN fr y ON x.a = y.a AND y.id < 60 WHERE x.id <= 50;
GO
SELECT COUNT(*) AS n FROM fr WITH (INDEX(ix_c)) WHERE b = 'open';
GO
UPDATE x SET pad = 'p' FROM fr x WITH (INDEX(ix_b)) WHERE x.b = 'open' AND x.a > 0;
GO
UPDATE fr SET b = 'opening' WHERE id = 10;
SELECT COUNT(*) AS n FROM fr WHERE CAST(b AS varchar(4)) = 'open';
SELECT COUNT(*) AS n FROM fr WHERE b = CAST('opening' AS varchar(4)) AND a > 0;
SELECT COUNT(*) AS n FROM fr WHERE b = N'open' AND a > 0;
GO
-- tables of other kinds
CREATE TABLE fi (id int, v int, w int, INDEX ix UNIQUE NONCLUSTERED (v) INCLUDE (w) WHERE v > 0 WITH (FILLFACTOR = 90));
INSERT fi VALUES (1, -1, 1), (2, -1, 2), (3, 1, 1);
SELECT name, is_unique, has_filter, filter_definition FROM sys.indexes WHERE object_id = OBJECT_ID('fi') AND name = 'ix';
INSERT fi VALUES (4, 1, 1);
GO
DECLARE @t table (id int, v int, INDEX ix UNIQUE (v) INCLUDE (id) WHERE v > 0);
INSERT @t VALUES (1, -1), (2, -1), (3, 1);
UPDATE @t SET v = -v;
SELECT id, v FROM @t WHERE v > 0 ORDER BY id;
GO
DECLARE @t table (id int, v int, INDEX ix UNIQUE (v) WHERE v > 0);
INSERT @t VALUES (1, 1), (2, 1);
GO
CREATE TABLE #f (a int, b int);
INSERT #f VALUES (1, NULL), (1, 2);
CREATE UNIQUE INDEX ix ON #f(a) WHERE b IS NULL;
INSERT #f VALUES (1, 3), (2, NULL);
INSERT #f VALUES (1, NULL);
DROP TABLE #f;
GO
-- cascades
CREATE TABLE fp (id int PRIMARY KEY);
CREATE TABLE fc (id int PRIMARY KEY, p int NULL REFERENCES fp ON DELETE SET NULL ON UPDATE CASCADE);
CREATE UNIQUE INDEX ux_p ON fc(p) WHERE p IS NOT NULL;
INSERT fp VALUES (1), (2), (3);
INSERT fc VALUES (1, 1), (2, 2), (3, NULL);
DELETE fp WHERE id < 3;
INSERT fp VALUES (4);
UPDATE fc SET p = 3 WHERE id = 1;
UPDATE fp SET id = 5 WHERE id = 3;
SELECT id, p FROM fc ORDER BY id;
SELECT id FROM fc WHERE p = 5;
UPDATE fc SET p = 5 WHERE id = 2;
GO
-- values of each kind
CREATE TABLE ft (id int IDENTITY PRIMARY KEY, a int, s varchar(10), b bit, m money, dc decimal(9, 2), f float, d date, dt datetime2(3), g uniqueidentifier, bin binary(4), vb varbinary(8), nc nchar(5));
CREATE INDEX i01 ON ft(a) WHERE a >= -5 AND a <= 5;
CREATE INDEX i02 ON ft(a) WHERE a = 10.5;
CREATE INDEX i03 ON ft(a) WHERE a < 10.5;
CREATE INDEX i04 ON ft(a) WHERE a <> 5000000000;
CREATE INDEX i05 ON ft(a) WHERE a < 5000000000 AND s IS NOT NULL;
CREATE INDEX i06 ON ft(s) WHERE s = 'abcdefghijklm';
CREATE INDEX i07 ON ft(s) WHERE s >= 'B';
CREATE INDEX i08 ON ft(b) WHERE b = 'true';
CREATE INDEX i09 ON ft(m) WHERE m > $1.5 AND dc > 1.555;
CREATE INDEX i10 ON ft(f) WHERE f > 0.5;
CREATE INDEX i11 ON ft(d) WHERE d > '2020-01-01' AND dt <= '2024-01-01T00:00:00.123';
CREATE INDEX i12 ON ft(g) WHERE g = '6F9619FF-8B86-D011-B42D-00C04FC964FF';
CREATE INDEX i13 ON ft(bin) WHERE bin = 0x01;
CREATE INDEX i14 ON ft(vb) WHERE vb <> 0x0102 AND nc = N'ab';
CREATE INDEX i15 ON ft(a) WHERE a !< CAST(10 AS int) AND a IN (10, 20, 30);
CREATE INDEX i16 ON ft(a) WHERE a IN (10);
CREATE INDEX i17 ON ft(a) WHERE a = '7' AND s IN ('x', 'y');
CREATE INDEX i18 ON ft(a) WHERE a IS NULL AND a > 1;
INSERT ft VALUES
 (1, 'abcdefghij', 1, 1.5, 1.55, 0.5, '2020-01-01', '2024-01-01T00:00:00.123', '6F9619FF-8B86-D011-B42D-00C04FC964FF', 0x01, 0x0102, N'ab'),
 (10, 'b', 0, 1.5001, 1.56, 0.75, '2020-01-02', '2023-01-01', NEWID(), 0x0100, 0x010200, N'AB'),
 (7, 'x', 1, NULL, 2, NULL, NULL, NULL, NULL, 0x01000000, 0x, N'ab   '),
 (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
 (11, 'A', 0, 9, 9, 9, '2021-01-01', '2024-01-01T00:00:00.124', NEWID(), 0x02, 0x01, N'ac');
DBCC CHECKTABLE ('ft') WITH NO_INFOMSGS;
SELECT name, filter_definition FROM sys.indexes WHERE object_id = OBJECT_ID('ft') AND has_filter = 1 ORDER BY name;
SELECT id FROM ft WITH (INDEX(i07)) WHERE s >= 'B' ORDER BY id;
SELECT id FROM ft WITH (INDEX(i13)) WHERE bin = 0x01 ORDER BY id;
SELECT id FROM ft WITH (INDEX(i03)) WHERE a < 10 ORDER BY id;
SELECT id FROM ft WITH (INDEX(i14)) WHERE vb <> 0x0102 AND nc = N'ab' ORDER BY id;
SELECT id FROM ft WITH (INDEX(i12)) WHERE g = '6F9619FF-8B86-D011-B42D-00C04FC964FF';
SELECT id FROM ft WITH (INDEX(i11)) WHERE d > '2020-01-01' AND dt <= '2024-01-01T00:00:00.123';
GO
-- what a filter may not be
CREATE INDEX bad ON fu(id) WHERE email LIKE 'a%';
GO
CREATE INDEX bad ON fu(id) WHERE number = 1 OR number = 2;
GO
CREATE INDEX bad ON fu(id) WHERE NOT number = 1;
GO
CREATE INDEX bad ON fu(id) WHERE number BETWEEN 1 AND 5;
GO
CREATE INDEX bad ON fu(id) WHERE EXISTS (SELECT 1);
GO
CREATE INDEX bad ON fu(id) WHERE number not in (1, 2);
GO
CREATE INDEX bad ON fu(id) WHERE number = id;
GO
CREATE INDEX bad ON fu(id) WHERE 1 = number;
GO
CREATE INDEX bad ON fu(id) WHERE number + 1 = 2;
GO
CREATE INDEX bad ON fu(id) WHERE number = ABS(1);
GO
CREATE INDEX bad ON fu(id) WHERE nothing = 1;
GO
CREATE INDEX bad ON dbo.fu(id) WHERE number = NULL;
GO
CREATE INDEX bad ON dbo.fi(id) WHERE v IS NOT NULL AND w = 1e0;
GO
CREATE INDEX bad ON dbo.fu(id) WHERE email = N'a';
GO
CREATE INDEX bad ON dbo.fu(id) WHERE email > 0;
GO
CREATE INDEX bad ON dbo.fu(id) WHERE d = 'soon';
GO
CREATE INDEX bad ON dbo.fi(id) WHERE v = 'x';
GO
CREATE TABLE fx (id int, c AS id + 1, p AS id + 2 PERSISTED);
GO
CREATE INDEX bad ON fx(id) WHERE c > 5;
GO
CREATE INDEX bad ON fx(id) WHERE id > 1 AND p IN (2, 3);
GO
CREATE STATISTICS bad ON fx(id) WHERE c = 2;
GO
CREATE UNIQUE INDEX bad ON fx(id) WHERE id > 5 WITH (IGNORE_DUP_KEY = ON);
GO
CREATE CLUSTERED INDEX bad ON fx(id) WHERE id > 1;
GO
CREATE TABLE bad (id int, INDEX ix (id) WHERE id = id);
GO
DROP TABLE fc, fp, fu, fr, fi, ft, fx;
