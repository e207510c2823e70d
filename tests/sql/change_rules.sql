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
UPDATE ten SET dbo.ten.v = 0 WHERE n = 1;
UPDATE x SET ten.v = 0 FROM ten x;
GO
INSERT ten (n, v) VALUES (ten.n, 1);
GO
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
UPDATE ten SET v = 1 ORDER BY n;
GO
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
SELECT COALESCE(NEXT VALUE FOR q, 1);
GO
PRINT NEXT VALUE FOR q;
GO
SELECT NEXT VALUE FOR ten;
GO
SELECT NEXT VALUE FOR nothing;
GO
CREATE TABLE checked (a int CHECK (a > NEXT VALUE FOR q));
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
DECLARE @v sql_variant = 5; SELECT @v + 1;
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
