-- Refusals of the text reference and of the list of errors that depend on two parts of a statement: STRING_AGG (8711), BACKUP (155), SELECT DISTINCT
-- (421), CHARINDEX (257), the OUTPUT clause (4186), text and image (2739), sparse columns (1731, 11410), memory-optimized tables (41333),
-- the OFFSET clause, SET PARSEONLY. learn.microsoft.com/sql/relational-databases/errors-events, /sql/t-sql.
CREATE TABLE a (id int NOT NULL CONSTRAINT pk_a PRIMARY KEY, c nvarchar(10) COLLATE Latin1_General_CI_AS NULL);
INSERT a VALUES (1, NULL), (2, N'x'), (3, N'y');
GO
SELECT STRING_AGG(c, ',') WITHIN GROUP (ORDER BY id) AS a, STRING_AGG(c, ';') WITHIN GROUP (ORDER BY id) AS b, STRING_AGG(c, '') AS c FROM a;
GO
SELECT STRING_AGG(c, ',') WITHIN GROUP (ORDER BY id) AS a, STRING_AGG(c, ';') WITHIN GROUP (ORDER BY id DESC) AS b FROM a;
GO
SELECT STRING_AGG(c, ',') WITHIN GROUP (ORDER BY id) AS a, STRING_AGG(c, ';') WITHIN GROUP (ORDER BY c) AS b FROM a;
GO
BACKUP LOG master WITH TRUNCATE_ONLY;
GO
BACKUP LOG master WITH NO_LOG;
GO
-- An outer column may say where the rows begin and how many they are.
SELECT o.id, (SELECT b.c FROM a b ORDER BY b.id OFFSET o.id - 1 ROWS FETCH NEXT 1 ROWS ONLY) AS own FROM a o ORDER BY o.id;
SELECT o.id, (SELECT COUNT(*) FROM (SELECT b.id FROM a b ORDER BY b.id OFFSET 0 ROWS FETCH NEXT o.id ROWS ONLY) f) AS n FROM a o ORDER BY o.id;
GO
CREATE TABLE blobs (id int, x xml, y xml, b text);
GO
SELECT DISTINCT id, x, y, b FROM blobs;
GO
SELECT CHARINDEX(0x41, 'xA');
GO
SELECT CHARINDEX(0x02, 0x010203) AS a, CHARINDEX(0x0100, CAST(0x01 AS binary(3))) AS b;
GO
DECLARE @string text = N'x'; SELECT 1 WHERE @string IS NULL;
GO
DECLARE @i image, @j int = 1; SELECT @j;
GO
CREATE TABLE named (id int NOT NULL CONSTRAINT pk_named PRIMARY KEY, first nvarchar(20), last nvarchar(20));
GO
CREATE FUNCTION dbo.reading (@id int) RETURNS nvarchar(max) WITH SCHEMABINDING AS BEGIN RETURN (SELECT first + last FROM dbo.named WHERE id = @id) END;
GO
CREATE FUNCTION dbo.pure (@a nvarchar(20)) RETURNS nvarchar(40) WITH SCHEMABINDING AS BEGIN RETURN @a + N'!' END;
GO
ALTER TABLE named ADD whole AS dbo.reading(id), loud AS dbo.pure(first);
GO
INSERT named (id, first, last) OUTPUT inserted.loud VALUES (2, N'a', N'b');
INSERT named (id, first, last) OUTPUT inserted.whole VALUES (1, N'a', N'b');
GO
UPDATE named SET first = N'z' OUTPUT deleted.Whole WHERE id = 2;
GO
DELETE named OUTPUT deleted.whole WHERE id = 2;
GO
CREATE TABLE sparse (id int NOT NULL CONSTRAINT pk_sparse PRIMARY KEY, v nvarchar(50) NULL, w int NULL, x int NOT NULL CONSTRAINT df_x DEFAULT 1);
INSERT sparse (id, v) VALUES (1, N'kept');
ALTER TABLE sparse ALTER COLUMN v nvarchar(max) COLLATE Latin1_General_BIN SPARSE NULL;
SELECT is_sparse, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('sparse') AND name = 'v';
SELECT id, v FROM sparse;
ALTER TABLE sparse ALTER COLUMN v nvarchar(max) NULL;
SELECT is_sparse FROM sys.columns WHERE object_id = OBJECT_ID('sparse') AND name = 'v';
GO
ALTER TABLE sparse ALTER COLUMN w int NULL SPARSE;
GO
ALTER TABLE sparse ALTER COLUMN x int SPARSE NULL;
GO
ALTER TABLE sparse ALTER COLUMN w text SPARSE NULL;
GO
ALTER TABLE sparse ALTER COLUMN w int SPARSE NOT NULL;
GO
-- PARSEONLY counts while the text is read, wherever in it.
SELECT 1 AS before; SET PARSEONLY ON; SELECT 2 AS behind;
GO
SELECT 3 AS hidden;
GO
SELECT 4 AS hidden FROM;
GO
SET PARSEONLY OFF;
GO
SET PARSEONLY ON; SET PARSEONLY OFF; SELECT 5 AS shown;
GO
