-- A row has one value of a sequence, however often it names it, its defaults too: learn.microsoft.com/sql/t-sql/functions/next-value-for-transact-sql
-- ("If there are multiple instances of the NEXT VALUE FOR function specifying the same sequence generator within a single statement, all those
-- instances return the same value for a given row"), and in what a statement may not ask it.
CREATE SEQUENCE s AS int START WITH 1;
CREATE SEQUENCE s2 AS int START WITH 100;
CREATE TABLE t (a int NULL, b int CONSTRAINT df_b DEFAULT (NEXT VALUE FOR s), c int CONSTRAINT df_c DEFAULT (NEXT VALUE FOR s2));
GO
INSERT t (a) SELECT NEXT VALUE FOR s2 FROM (VALUES (1), (2)) v(x);
INSERT t (a, c) SELECT NEXT VALUE FOR s, NEXT VALUE FOR s FROM (VALUES (1), (2)) v(x);
INSERT t (a, b, c) VALUES (0, DEFAULT, NEXT VALUE FOR s), (NEXT VALUE FOR s, DEFAULT, DEFAULT), (1, 2, 3);
INSERT t DEFAULT VALUES;
SELECT a, b, c FROM t;
GO
UPDATE t SET a = NEXT VALUE FOR s, b = NEXT VALUE FOR s + 1000, c = DEFAULT WHERE a = 1;
SELECT a, b, c FROM t WHERE c > 3 AND b > 1000;
SELECT NEXT VALUE FOR s AS a, NEXT VALUE FOR s AS b;
GO
DECLARE @a int, @b int; SELECT @a = NEXT VALUE FOR s, @b = NEXT VALUE FOR s;
GO
SELECT TOP (NEXT VALUE FOR s) x FROM (VALUES (1)) v(x);
GO
INSERT t (a, c) VALUES (NEXT VALUE FOR s, 1), (NEXT VALUE FOR s, 2);
GO
INSERT t (a, c) VALUES (NEXT VALUE FOR s, 1);
INSERT t (a, b, c) VALUES (NEXT VALUE FOR s, DEFAULT, 1), (NEXT VALUE FOR s, DEFAULT, 2);
SELECT TOP 3 a - b AS same FROM t ORDER BY b DESC;
GO
-- How many values are kept ready beside how many there are; a value that has been given beside new limits.
CREATE SEQUENCE dbo.few AS int START WITH 1 MAXVALUE 3;
CREATE SEQUENCE dbo.one AS int START WITH 1 MAXVALUE 3 CACHE 1;
CREATE SEQUENCE down AS int START WITH 1 INCREMENT BY -1 MINVALUE -20;
CREATE SEQUENCE none AS tinyint START WITH 250 NO CACHE;
CREATE SEQUENCE again AS tinyint START WITH 250 CYCLE;
CREATE SEQUENCE sized AS int START WITH 1 MAXVALUE 100 CACHE 60;
ALTER SEQUENCE sized MAXVALUE 59;
GO
ALTER SEQUENCE s MAXVALUE 2;
GO
ALTER SEQUENCE s MINVALUE 50;
GO
ALTER SEQUENCE s RESTART WITH 5 MINVALUE 50;
GO
CREATE SEQUENCE #s;
GO
