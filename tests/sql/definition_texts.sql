-- How the catalog shows the texts of checks and defaults: lists as their last member first, ranges as two comparisons, conversions by CONVERT, names of
-- types in brackets, numbers as their type is written.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-check-constraints-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-default-constraints-transact-sql
CREATE TABLE orders (qty int NULL, cut int NULL, tag varchar(12) NULL, note nvarchar(12) NULL, due datetime NULL, price decimal(9,2) NULL,
  CONSTRAINT c01 CHECK (tag IN ('red', 'green', 'blue')),
  CONSTRAINT c02 CHECK (qty IN (4)),
  CONSTRAINT c03 CHECK (qty NOT IN (13, 17)),
  CONSTRAINT c04 CHECK (qty NOT BETWEEN 50 AND 60),
  CONSTRAINT c05 CHECK (qty BETWEEN cut + 2 AND cut * 3),
  CONSTRAINT c06 CHECK (tag LIKE 'r%' AND tag NOT LIKE '%q'),
  CONSTRAINT c07 CHECK (note LIKE N'a!%' ESCAPE N'!'),
  CONSTRAINT c08 CHECK (price >= 0.25 AND price < -7.5e1),
  CONSTRAINT c09 CHECK (CASE tag WHEN 'red' THEN 2 ELSE 3 END = 2),
  CONSTRAINT c10 CHECK (CASE WHEN qty > 2 OR cut > 2 THEN 1 WHEN qty IS NULL THEN 0 END = 1),
  CONSTRAINT c11 CHECK (CAST(tag AS decimal(7,3)) > 2 AND CONVERT(char(8), due, 112) < '2030'),
  CONSTRAINT c12 CHECK (TRY_CAST(tag AS date) IS NULL AND try_convert(bigint, tag) IS NULL),
  CONSTRAINT c13 CHECK (coalesce(qty, cut, 7) > 2 AND nullif(cut, 2) <> 6),
  CONSTRAINT c14 CHECK (month(due) > 3 AND datename(dd, due) <> '' AND dateadd(hh, -2, due) < CURRENT_TIMESTAMP),
  CONSTRAINT c15 CHECK (upper(tag) = 'RED' COLLATE Latin1_General_BIN2),
  CONSTRAINT c16 CHECK (note COLLATE Latin1_General_CS_AS <> N'x'),
  CONSTRAINT c17 CHECK (qty = +8 AND cut = -8 AND qty = 3000000000 AND qty = 2.e0),
  CONSTRAINT c18 CHECK (-(qty - cut) < 9 AND qty * -cut < 9 AND ~(qty | cut) = 0),
  CONSTRAINT c19 CHECK (qty & 3 ^ cut = 2),
  CONSTRAINT c20 CHECK (tag + 'a' + note <> 'b' AND len(tag + note) > 2),
  CONSTRAINT c21 CHECK (NOT (qty > 2 AND cut > 2) AND NOT (tag IS NULL)),
  CONSTRAINT c22 CHECK (qty = 2 AND cut = 3 OR qty = 4 AND cut = 5),
  CONSTRAINT c23 CHECK (qty = (cut) AND ((qty <= 4))),
  CONSTRAINT c24 CHECK (tag = 'o''clock' AND qty = 0xFF),
  CONSTRAINT c25 CHECK (iif(price > 3, tag, note) <> concat(tag, '-', qty)),
  CONSTRAINT c26 CHECK (right(tag, 2) = 'ed' AND ltrim(rtrim(tag)) = tag AND stuff(tag, 1, 1, '') <> ''))
GO
SELECT name, definition FROM sys.check_constraints ORDER BY name
GO
CREATE TABLE given (k int NOT NULL,
  a int CONSTRAINT d01 DEFAULT -(7), b int CONSTRAINT d02 DEFAULT +7, c int CONSTRAINT d03 DEFAULT 007, d int CONSTRAINT d04 DEFAULT (((7))),
  e int CONSTRAINT d05 DEFAULT 3 + 4 * 5, f int CONSTRAINT d06 DEFAULT 9 - 4 - 3, g int CONSTRAINT d07 DEFAULT 6 * (4 + 3),
  h decimal(5,1) CONSTRAINT d08 DEFAULT -2.50, i float CONSTRAINT d09 DEFAULT 2.5e-3, j bigint CONSTRAINT d10 DEFAULT 8000000000,
  l varchar(9) CONSTRAINT d11 DEFAULT (('seven')), m nvarchar(9) CONSTRAINT d12 DEFAULT N'se' + N'ven', n varchar(9) CONSTRAINT d13 DEFAULT NULL,
  o date CONSTRAINT d14 DEFAULT '2031-02-03', p datetime CONSTRAINT d15 DEFAULT CURRENT_TIMESTAMP, q datetime2 CONSTRAINT d16 DEFAULT sysutcdatetime(),
  r uniqueidentifier CONSTRAINT d17 DEFAULT NEWID(), s varbinary(3) CONSTRAINT d18 DEFAULT 0xAB, t bigint CONSTRAINT d19 DEFAULT CAST(7 AS bigint),
  u int CONSTRAINT d20 DEFAULT CONVERT(int, '7'), v sysname CONSTRAINT d21 DEFAULT SUSER_SNAME())
GO
SELECT name, definition FROM sys.default_constraints ORDER BY name
GO
-- The texts that are shown mean what those that were written do.
INSERT given (k) VALUES (1)
SELECT a, b, c, d, e, f, g, h, i, j, l, m, n, o, s, t, u FROM given
GO
