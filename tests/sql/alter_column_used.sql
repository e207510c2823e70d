-- What a column may become while a default, a check or an index uses it.
-- https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql#alter-column: "the length, precision, or scale of a column can
-- be changed if the data type isn't changed", of a column with a default
CREATE TABLE dbo.t (id int PRIMARY KEY, note nvarchar(max) NULL DEFAULT N'none', code varchar(20) DEFAULT 'x', price decimal(12, 4) DEFAULT 1,
  body varchar(max) NULL CONSTRAINT longer CHECK (LEN(body) > 1), INDEX by_code (code))
INSERT dbo.t (id, note, body) VALUES (1, N'a', 'bb')
GO
ALTER TABLE dbo.t ALTER COLUMN note nvarchar(max) NOT NULL
ALTER TABLE dbo.t ALTER COLUMN price decimal(9, 2) NULL
ALTER TABLE dbo.t ALTER COLUMN body varchar(max) NOT NULL
GO
INSERT dbo.t (id, body) VALUES (2, 'cc')
SELECT id, note, code, price, body FROM dbo.t ORDER BY id
SELECT name, is_nullable, max_length, precision, scale FROM sys.columns WHERE object_id = OBJECT_ID('dbo.t') ORDER BY column_id
GO
DROP INDEX by_code ON dbo.t
ALTER TABLE dbo.t ALTER COLUMN code varchar(10) NOT NULL
SELECT id, code FROM dbo.t ORDER BY id
GO
-- Another type, and a shorter one under a check.
ALTER TABLE dbo.t ALTER COLUMN price int
GO
ALTER TABLE dbo.t ALTER COLUMN body varchar(10)
GO
DROP TABLE dbo.t
