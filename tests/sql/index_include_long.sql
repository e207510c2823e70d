-- Indexes that include values too long for their rows: varchar(max), nvarchar(max), varbinary(max), xml, and rows of more than 8,060 bytes.
-- https://learn.microsoft.com/sql/relational-databases/indexes/create-indexes-with-included-columns
-- https://learn.microsoft.com/sql/relational-databases/pages-and-extents-architecture-guide#row-overflow-considerations
CREATE TABLE notes (id int NOT NULL PRIMARY KEY, kind int NOT NULL, a varchar(max), b nvarchar(max), c varbinary(max), d xml, e varchar(5000), f varchar(5000));
CREATE INDEX whole ON notes (kind) INCLUDE (a, b, c, d, e, f);
INSERT notes VALUES (1, 10, REPLICATE(CONVERT(varchar(max), 'a'), 20000), REPLICATE(CONVERT(nvarchar(max), N'b'), 9000),
  CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'c'), 30000)), '<r>' + REPLICATE(CONVERT(varchar(max), '<i>1</i>'), 2000) + '</r>', 'e', 'f'),
  (2, 10, 'short', N'short', 0x01, '<r/>', REPLICATE('e', 5000), REPLICATE('f', 5000)), (3, 20, NULL, NULL, NULL, NULL, NULL, NULL);
GO
CREATE VIEW dbo.sizes AS SELECT id, kind, LEN(a) AS a, LEN(b) AS b, DATALENGTH(c) AS c, d.value('count(/r/i)', 'int') AS d, LEN(e) AS e, LEN(f) AS f,
  LEFT(a, 1) AS a1, RIGHT(b, 1) AS b1, RIGHT(e, 1) AS e1, RIGHT(f, 1) AS f1 FROM dbo.notes WITH (INDEX(whole));
GO
SELECT * FROM dbo.sizes ORDER BY id;
GO
-- The row becomes long, another one short, and what does not change stays.
UPDATE notes SET a = REPLICATE(CONVERT(varchar(max), 'z'), 8001), e = NULL WHERE id IN (2, 3);
UPDATE notes SET kind = kind + 1, a = 'little' WHERE id = 1;
SELECT * FROM dbo.sizes ORDER BY id;
GO
BEGIN TRANSACTION;
UPDATE notes SET a.WRITE('xyz', 0, 0), b = NULL;
DELETE notes WHERE id = 2;
SELECT * FROM dbo.sizes ORDER BY id;
ROLLBACK;
SELECT * FROM dbo.sizes ORDER BY id;
GO
-- Made beside rows that are there, rebuilt, disabled, made again, with others, and dropped.
CREATE INDEX later ON notes (e) INCLUDE (a, f) WITH (ONLINE = ON);
SELECT id, LEN(a) AS a, LEN(f) AS f FROM notes WITH (INDEX(later)) ORDER BY id;
ALTER INDEX ALL ON notes REBUILD;
SELECT * FROM dbo.sizes ORDER BY id;
ALTER INDEX whole ON notes DISABLE;
UPDATE notes SET b = REPLICATE(CONVERT(nvarchar(max), N'y'), 7000) WHERE id = 3;
ALTER INDEX whole ON notes REBUILD WITH (ONLINE = ON);
SELECT * FROM dbo.sizes ORDER BY id;
GO
-- The key is long, so that less of the entry is left than of the row.
CREATE TABLE keyed (k nvarchar(850) NOT NULL, v varchar(5000), w varchar(900));
CREATE INDEX by_key ON keyed (k) INCLUDE (v, w);
INSERT keyed VALUES (REPLICATE(N'k', 850), REPLICATE('v', 5000), REPLICATE('w', 900)), (N'k', 'v', 'w');
SELECT LEN(k) AS k, LEN(v) AS v, LEN(w) AS w FROM keyed WITH (INDEX(by_key)) ORDER BY k;
UPDATE keyed SET v = UPPER(v), k = k + N'1' WHERE LEN(k) = 1;
DELETE keyed WHERE LEN(k) = 850;
SELECT LEN(k) AS k, v, w FROM keyed WITH (INDEX(by_key));
GO
-- Of a filtered index, and of one that is unique.
CREATE UNIQUE INDEX only_one ON notes (kind, id) INCLUDE (b) WHERE kind > 10;
CREATE INDEX by_filter ON notes (id) INCLUDE (c) WHERE e IS NULL;
DELETE notes WHERE id = 2;
INSERT notes (id, kind, b) VALUES (4, 30, REPLICATE(CONVERT(nvarchar(max), N'q'), 12000));
SELECT id, LEN(b) AS b FROM notes WITH (INDEX(only_one)) WHERE kind > 10 ORDER BY id;
DBCC CHECKTABLE ('notes') WITH NO_INFOMSGS;
DBCC CHECKTABLE ('keyed') WITH NO_INFOMSGS;
GO
-- Long values of an index are pages of its own, which go with it.
SELECT index_id, alloc_unit_type_desc FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('notes'), NULL, NULL, 'LIMITED') ORDER BY index_id, alloc_unit_type_desc;
DROP INDEX whole ON notes;
DROP INDEX later ON notes;
SELECT index_id, alloc_unit_type_desc FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('notes'), NULL, NULL, 'LIMITED') ORDER BY index_id, alloc_unit_type_desc;
GO
-- text, ntext and image are not included.
CREATE TABLE old (id int, t text);
CREATE INDEX of_text ON old (id) INCLUDE (t);
GO
