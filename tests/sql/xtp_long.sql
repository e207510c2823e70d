-- Long values in memory-optimized tables: many in a row, rows of more than a page, and as parameters of native modules. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/table-and-row-size-in-memory-optimized-tables
CREATE TABLE dbo.m (id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 8), n int NOT NULL,
  a varchar(max) NULL, u nvarchar(max) NULL, x varbinary(max) NULL, p char(8000) NOT NULL DEFAULT 'p', q varchar(8000) NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.add_row @id int NOT NULL, @a varchar(max), @u nvarchar(max), @x varbinary(max)
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  INSERT dbo.m (id, n, a, u, x) VALUES (@id, 0, @a, @u, @x);
  UPDATE dbo.m SET n += 1 WHERE id = @id;
  DECLARE @length bigint;
  SELECT @length = LEN(a) FROM dbo.m WHERE id = @id;
  SELECT @length AS length;
END
GO
DECLARE @a varchar(max) = REPLICATE(CAST('0123456789' AS varchar(max)), 300000), @u nvarchar(max), @x varbinary(max);
SELECT @u = @a, @x = CAST(@a AS varbinary(max));
EXEC dbo.add_row 1, @a, @u, @x;
INSERT dbo.m VALUES (2, 0, @a, NULL, 0x, 'r', REPLICATE('s', 8000)), (3, 0, NULL, NULL, NULL, 't', NULL);
GO
-- What an update does not name stays as it is.
UPDATE dbo.m SET n += 1;
UPDATE dbo.m SET a.WRITE('xyz', 5, 3), q = 'short' WHERE id = 2;
UPDATE dbo.m SET a = u WHERE id = 3;
SELECT id, n, DATALENGTH(a) AS a, DATALENGTH(u) AS u, DATALENGTH(x) AS x, LEN(q) AS q, SUBSTRING(a, 1, 12) AS starts FROM dbo.m ORDER BY id;
SELECT COUNT(*) AS same FROM dbo.m WHERE a = CAST(u AS varchar(max)) AND x = CAST(a AS varbinary(max));
GO
BEGIN TRANSACTION;
UPDATE dbo.m WITH (SNAPSHOT) SET a = REPLICATE(CAST('w' AS varchar(max)), 1000000) + a WHERE id = 2;
SELECT LEN(a) AS longer FROM dbo.m WITH (SNAPSHOT) WHERE id = 2;
ROLLBACK;
SELECT LEN(a) AS as_before FROM dbo.m WHERE id = 2;
GO
DELETE dbo.m;
SELECT COUNT(*) AS rows FROM dbo.m;
