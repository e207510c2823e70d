-- A name without a schema in a module is looked for in the module's schema, then in dbo. Dynamic text goes by the user's own.
-- https://learn.microsoft.com/sql/t-sql/statements/create-procedure-transact-sql and .../language-elements/execute-transact-sql
SET NOCOUNT ON;
GO
CREATE SCHEMA s;
GO
CREATE TABLE dbo.t (a int, place varchar(10) DEFAULT 'dbo');
CREATE TABLE s.t (a int, place varchar(10) DEFAULT 's');
CREATE TABLE dbo.only_dbo (a int);
CREATE TABLE s.only_s (a int);
INSERT dbo.t (a) VALUES (1); INSERT s.t (a) VALUES (2); INSERT dbo.only_dbo VALUES (3); INSERT s.only_s VALUES (4);
CREATE TYPE dbo.word FROM varchar(3);
CREATE TYPE s.word FROM varchar(5);
CREATE TYPE s.only_word FROM varchar(4);
CREATE TYPE s.list AS TABLE (a int, b word);
CREATE SEQUENCE dbo.q AS int START WITH 10;
CREATE SEQUENCE s.q AS int START WITH 20;
CREATE SYNONYM dbo.syn FOR dbo.t;
CREATE SYNONYM s.syn FOR s.t;
GO
CREATE VIEW dbo.v AS SELECT place FROM t;
GO
CREATE VIEW s.v AS SELECT place FROM t;
GO
CREATE FUNCTION dbo.f (@a int) RETURNS TABLE AS RETURN SELECT place, @a AS a FROM t;
GO
CREATE FUNCTION s.f (@a int) RETURNS TABLE AS RETURN SELECT place, @a AS a FROM t;
GO
CREATE FUNCTION s.g () RETURNS varchar(10) AS BEGIN RETURN (SELECT place FROM t) END;
GO
CREATE FUNCTION s.h (@a word = 'abcdef') RETURNS @r TABLE (place varchar(10), a word) AS
BEGIN INSERT @r SELECT place, @a FROM t RETURN END;
GO
CREATE PROCEDURE dbo.called AS SELECT 'dbo' AS called;
GO
CREATE PROCEDURE s.called AS SELECT 's' AS called;
GO
CREATE PROCEDURE dbo.only_called AS SELECT 'dbo' AS only_called;
GO
-- Tables, in every statement.
CREATE PROCEDURE s.reads AS
SELECT place FROM t;
SELECT t.place FROM only_dbo AS o JOIN t ON t.a < o.a;
SELECT a FROM only_s;
SELECT (SELECT place FROM t) AS subquery WHERE EXISTS (SELECT 1 FROM t WHERE a = 2);
IF EXISTS (SELECT 1 FROM t WHERE a = 2) PRINT 'IF reads s.t';
DECLARE @place varchar(10) = (SELECT place FROM t);
SELECT @place AS declared;
DECLARE c CURSOR LOCAL FOR SELECT place FROM t; OPEN c; FETCH c; CLOSE c;
SELECT place INTO #copy FROM t; SELECT place AS copied FROM #copy;
GO
EXEC s.reads;
GO
CREATE PROCEDURE s.writes AS
INSERT t (a) VALUES (5); UPDATE t SET a += 10; DELETE t WHERE a = 15;
MERGE t USING only_s AS o ON t.a = o.a WHEN NOT MATCHED THEN INSERT (a) VALUES (o.a);
GO
EXEC s.writes;
SELECT 'dbo' AS place, a FROM dbo.t UNION ALL SELECT 's', a FROM s.t ORDER BY place, a;
DELETE s.t WHERE a <> 12;
GO
-- Views, functions, types, sequences, synonyms, procedures.
CREATE PROCEDURE s.others @w word = 'abcdefgh', @l list READONLY AS
DECLARE @x word = 'abcdefgh', @y only_word = 'abcdefgh', @z list;
SELECT @w AS w, @x AS x, @y AS y, (SELECT COUNT(*) FROM @l) AS given;
SELECT place FROM v;
SELECT place, a FROM f(1);
SELECT place FROM syn;
SELECT place, a FROM h(DEFAULT);
SELECT NEXT VALUE FOR q AS q;
EXEC called;
EXEC only_called;
DECLARE @name sysname = 'called'; EXEC @name;
DECLARE @r TABLE (called varchar(10)); INSERT @r EXEC called; SELECT called AS inserted_exec FROM @r;
GO
EXEC s.others;
DECLARE @l s.list; INSERT @l VALUES (1, 'a'); EXEC s.others @l = @l;
SELECT s.g() AS g;
SELECT dbo_v.place AS dbo_v, s_v.place AS s_v FROM dbo.v AS dbo_v CROSS JOIN s.v AS s_v;
SELECT place FROM dbo.f(1) UNION ALL SELECT place FROM s.f(1);
GO
-- A view of dbo that a procedure of s reads is dbo's.
CREATE PROCEDURE s.reads_dbo AS SELECT place FROM dbo.v; SELECT place FROM dbo.f(1);
GO
EXEC s.reads_dbo;
GO
-- Dynamic text, and a batch.
CREATE PROCEDURE s.dynamic AS
EXEC ('SELECT place FROM t'); EXEC sp_executesql N'SELECT place FROM t'; EXEC ('EXEC called');
EXEC ('SELECT a FROM only_s');
GO
EXEC s.dynamic;
GO
-- Triggers are in the schema of their table.
CREATE TRIGGER s.tr ON s.only_s AFTER INSERT AS SELECT place FROM t; EXEC called;
GO
INSERT s.only_s VALUES (9);
GO
-- What is made later counts from then on; so does what a transfer to another schema changes.
CREATE PROCEDURE s.calls AS EXEC only_called;
GO
EXEC s.calls;
GO
CREATE PROCEDURE s.only_called AS SELECT 's' AS only_called;
GO
EXEC s.calls;
DROP PROCEDURE s.only_called;
EXEC s.calls;
GO
CREATE PROCEDURE moves AS SELECT place FROM t;
GO
EXEC moves;
GO
ALTER SCHEMA s TRANSFER dbo.moves;
GO
EXEC s.moves;
GO
CREATE PROCEDURE s.none AS SELECT a FROM nowhere;
GO
EXEC s.none;
GO
CREATE PROCEDURE s.wrong AS SELECT nothing FROM t;
GO
