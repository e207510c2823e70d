-- How many values an INSERT takes, what TOP of a change takes, where a sequence may be drawn from, what SET options take.
-- https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql, update-transact-sql, https://learn.microsoft.com/sql/t-sql/queries/top-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/next-value-for-transact-sql, https://learn.microsoft.com/sql/t-sql/statements/set-statements-transact-sql
CREATE TABLE ident (id int IDENTITY, a int NULL);
CREATE TABLE rv (a int, ts rowversion, b int NULL);
CREATE TABLE comp (a int, c AS a + 1, d int DEFAULT 7);
CREATE TABLE ten (n int, v int);
INSERT ten SELECT value, value FROM GENERATE_SERIES(1, 10);
GO
INSERT ident VALUES (1, 2);
GO
INSERT ident (id, a) VALUES (1, 2, 3);
GO
INSERT ident (a) VALUES (1), (2, 3);
GO
INSERT ident (a) VALUES (1, 2), (3, 4);
GO
INSERT ident (id) VALUES (DEFAULT);
GO
INSERT rv VALUES (1, 2);
GO
INSERT rv VALUES (1, DEFAULT, 2);
INSERT rv VALUES (1, 0x01, 2);
GO
INSERT comp (c) VALUES (DEFAULT);
GO
INSERT comp VALUES (1);
GO
INSERT comp VALUES (1, DEFAULT); INSERT comp DEFAULT VALUES; INSERT comp (a) SELECT 5;
SELECT * FROM comp ORDER BY a;
INSERT ident EXEC ('SELECT 1, 2');
GO
INSERT ident (a) EXEC ('INSERT ident (a) EXEC (''SELECT 1'')');
GO
INSERT ident (a) OUTPUT inserted.id EXEC ('SELECT 1');
GO
INSERT ident (a) EXEC ('SELECT 5; SELECT 6'); SELECT @@ROWCOUNT;
UPDATE ten SET dbo.ten.v = 0 WHERE n = 1;
UPDATE x SET ten.v = 0 FROM ten x;
GO
INSERT ten (n, v) VALUES (ten.n, 1);
GO
UPDATE ten SET v = d.m FROM (SELECT 40 AS m) d WHERE ten.n = 2;
UPDATE t SET v = d.m FROM ten t JOIN (SELECT MAX(v) AS m FROM ten) d ON 1 = 1 WHERE t.n < 4;
UPDATE ten SET v = n, n = v WHERE n = 3;
SELECT n, v FROM ten WHERE n IN (1, 2, 3, 40) ORDER BY n;
UPDATE TOP 2 ten SET v = 1;
GO
UPDATE TOP (NULL) ten SET v = 1;
GO
DELETE TOP (NULL) PERCENT ten;
GO
DELETE TOP (101) PERCENT ten;
GO
DELETE TOP (-1) ten;
GO
UPDATE TOP (33.3) PERCENT ten SET v = v; SELECT @@ROWCOUNT;
DELETE TOP (2) PERCENT ten; SELECT @@ROWCOUNT;
INSERT TOP (2) ten SELECT 100, 1 FROM ten; SELECT @@ROWCOUNT;
UPDATE ten SET v = 1 ORDER BY n;
GO
-- OUTPUT INTO a table with an identity.
UPDATE ten SET v = 2 OUTPUT inserted.n INTO ident WHERE n = 5; SELECT TOP (1) a FROM ident ORDER BY id DESC;
UPDATE ten SET v = 2 OUTPUT inserted.n, inserted.v INTO ident WHERE n = 5;
GO
UPDATE ten SET v = 2 OUTPUT inserted.n, inserted.v INTO ident (id, a) WHERE n = 5;
GO
UPDATE ten SET v = 2 OUTPUT inserted.n INTO comp (c) WHERE n = 5;
GO
SET IDENTITY_INSERT ten ON;
GO
SET IDENTITY_INSERT nowhere ON;
GO
-- Sequences.
CREATE SEQUENCE q AS int START WITH 10 INCREMENT BY 5;
SELECT current_value, last_used_value FROM sys.sequences WHERE name = 'q';
SELECT NEXT VALUE FOR q;
SELECT current_value, last_used_value FROM sys.sequences WHERE name = 'q';
ALTER SEQUENCE q RESTART WITH 100;
SELECT current_value, last_used_value, start_value FROM sys.sequences WHERE name = 'q';
DECLARE @a int = NEXT VALUE FOR q, @b int = NEXT VALUE FOR q; SELECT @a, @b;
ALTER SEQUENCE q RESTART;
SELECT current_value FROM sys.sequences WHERE name = 'q';
SELECT CHOOSE(2, 1, NEXT VALUE FOR q);
GO
SELECT * FROM (SELECT NEXT VALUE FOR q AS n) d;
GO
SELECT SUM(NEXT VALUE FOR q) FROM ten;
GO
SELECT NEXT VALUE FOR q UNION ALL SELECT 1;
GO
SELECT COALESCE(NEXT VALUE FOR q, 1);
GO
MERGE ten USING (VALUES (1)) s(n) ON ten.n = s.n WHEN MATCHED THEN UPDATE SET v = NEXT VALUE FOR q;
GO
PRINT NEXT VALUE FOR q;
GO
SELECT NEXT VALUE FOR ten;
GO
SELECT NEXT VALUE FOR nothing;
GO
CREATE TABLE drawn (id int DEFAULT (NEXT VALUE FOR q), v int);
INSERT drawn (v) VALUES (NEXT VALUE FOR q);
SELECT CASE WHEN id = v THEN 'same' ELSE 'other' END FROM drawn;
INSERT drawn (v) VALUES (NEXT VALUE FOR q), (NEXT VALUE FOR q);
GO
CREATE VIEW draws AS SELECT NEXT VALUE FOR q AS n;
GO
CREATE TABLE checked (a int CHECK (a > NEXT VALUE FOR q));
GO
DROP SEQUENCE q;
GO
CREATE SEQUENCE small AS tinyint MAXVALUE 20 CACHE 30;
SELECT NEXT VALUE FOR small;
GO
-- Options.
SET NOCOUNT maybe;
GO
SET LOCK_TIMEOUT NULL;
GO
SET DATEFIRST NULL;
GO
SET DATEFORMAT 5;
GO
SET DATEFORMAT yyy;
GO
SET LANGUAGE Nowhere;
GO
SET DEADLOCK_PRIORITY 11;
GO
DECLARE @v varchar(5) = '5'; SET ROWCOUNT @v;
GO
SET @@ROWCOUNT = 5;
GO
SET @@nothing = 5;
GO
SET TRANSACTION ISOLATION LEVEL chaos;
GO
CREATE FUNCTION sets() RETURNS int AS BEGIN SET NOCOUNT ON; RETURN 1 END;
GO
SELECT -CAST(-2147483648 AS int);
GO
SET ANSI_NULL_DFLT_OFF ON;
CREATE TABLE dflt (a int);
SET ANSI_NULL_DFLT_ON ON;
CREATE TABLE dflt2 (a int);
SELECT name, is_nullable FROM sys.columns WHERE object_id IN (OBJECT_ID('dflt'), OBJECT_ID('dflt2')) ORDER BY object_id;
SET ANSI_WARNINGS OFF; SET ARITHABORT ON;
SELECT 1/0; SELECT 'not reached';
GO
SET ANSI_WARNINGS ON;
CREATE PROCEDURE opts AS SET DATEFIRST 3; SET NOCOUNT ON; SET TEXTSIZE 9; SET DATEFORMAT ydm; SELECT @@DATEFIRST, @@TEXTSIZE;
GO
CREATE PROCEDURE opts AS SET DATEFIRST 3; SET NOCOUNT ON; SET TEXTSIZE 9; SELECT @@DATEFIRST, @@TEXTSIZE;
GO
EXEC opts; SELECT @@DATEFIRST, @@OPTIONS & 512;
SET NOEXEC ON; SELECT 1; SET NOEXEC OFF; SELECT 2;
DROP TABLE drawn; DROP SEQUENCE q; DROP SEQUENCE small; DROP TABLE ident; DROP TABLE rv; DROP TABLE comp; DROP TABLE ten; DROP TABLE dflt; DROP TABLE dflt2; DROP PROCEDURE opts;
GO
-- What a variant shows, and what bytes are as text.
SELECT CAST(CAST(CAST('13:45:12.345' AS time(3)) AS sql_variant) AS nvarchar(60)), CAST(CAST(CAST('2024-03-15 13:45:12.345 +05:30' AS datetimeoffset(3)) AS sql_variant) AS nvarchar(60)), CAST(CAST(CAST('2024-03-15 13:45:12.345' AS datetime2(3)) AS sql_variant) AS nvarchar(60)), CAST(CAST(CAST('2024-03-15' AS date) AS sql_variant) AS nvarchar(60));
SELECT LEN(CAST(0x010203 AS nvarchar(60))), CAST(CAST(0x010203 AS nvarchar(60)) AS varbinary(60));
DECLARE @v sql_variant = 5; SELECT @v + 1;
GO
DECLARE @v sql_variant = 5, @w sql_variant = 3; SELECT @v + @w;
GO
SELECT 'v=' + CAST(1 AS sql_variant);
GO
SELECT SQL_VARIANT_PROPERTY(CAST('x' AS varchar(max)), 'BaseType');
GO
SELECT CAST(CAST(1 AS rowversion) AS sql_variant);
GO
-- Signs and precedence.
SELECT 100 / -10 / 2, 8 / - 2 * 4, 100 / - 20 % 7, - 6 + 2, - 6 & 3, 100 / -(10) / 2, 100 / (-10) / 2, ~ 2 * 3, ~ - 2 * 3, 2 * 3 << 1, 4 | 1 << 2, - 2 << 3, 5 / -0 * CAST(NULL AS int);
SELECT -91 / - 0 * - 45;
GO
SELECT 1/0 + CAST(NULL AS date);
GO
SELECT CAST(1 AS bit) + CAST(1 AS bit);
GO
SELECT CAST(1 AS bit) * CAST(1 AS bit);
GO
SELECT 0x01 & 0x01;
GO
SELECT 0x01 * 0x01;
GO
SELECT ISNULL(CAST(1 AS decimal(5,2)), GETDATE());
GO
SELECT CASE WHEN 0x61 = 'a' THEN 1 END, 0x01 + 0x01, 255 & 0x01, 1 + 0x01, CAST(5 AS tinyint) + '3', CAST('2' AS bit) & 1;
SELECT '5.5' + 1;
GO
