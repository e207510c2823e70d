-- WITH SCHEMABINDING. learn.microsoft.com: CREATE VIEW and CREATE FUNCTION, "SCHEMABINDING": what a module names has two parts, is bound itself,
-- and is not taken away or changed.
CREATE TABLE t (a int CONSTRAINT pk_t PRIMARY KEY, b int, c varchar(10), d int);
CREATE TABLE other (a int, e int);
CREATE TYPE tt AS TABLE (a int);
GO
CREATE SCHEMA s;
GO
CREATE VIEW v WITH SCHEMABINDING AS SELECT a, b FROM dbo.t WHERE c = 'x';
GO
CREATE FUNCTION f (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN DECLARE @r int; IF @a > 0 SELECT @r = e FROM dbo.other WHERE a = @a; RETURN @r END
GO
CREATE FUNCTION g () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT v.a, dbo.f(v.b) AS x FROM dbo.v;
GO
CREATE FUNCTION h (@p tt READONLY) RETURNS @r TABLE (a int) WITH SCHEMABINDING AS BEGIN INSERT @r SELECT g.a FROM dbo.g() AS g JOIN @p AS p ON p.a = g.a; RETURN END
GO
-- DROP.
DROP TABLE dbo.t;
GO
DROP TABLE other;
GO
DROP VIEW v;
GO
DROP FUNCTION dbo.f;
GO
DROP FUNCTION g;
GO
DROP TYPE tt;
GO
DROP TABLE IF EXISTS t;
GO
-- ALTER of a module that others depend on.
ALTER VIEW v AS SELECT a, b FROM dbo.t;
GO
CREATE OR ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT a, b FROM dbo.t;
GO
ALTER FUNCTION f (@a int) RETURNS int AS BEGIN RETURN 1 END
GO
-- Columns: those that are named, not others.
ALTER TABLE t DROP COLUMN b;
GO
ALTER TABLE t DROP COLUMN c;
GO
ALTER TABLE t ALTER COLUMN b bigint;
GO
ALTER TABLE other DROP COLUMN e;
GO
ALTER TABLE t ALTER COLUMN d bigint;
ALTER TABLE t DROP COLUMN d;
ALTER TABLE t ADD z int;
TRUNCATE TABLE other;
GO
-- sp_rename, TRANSFER.
EXEC sp_rename 'dbo.t', 'renamed';
GO
EXEC sp_rename 'dbo.t.b', 'renamed', 'COLUMN';
GO
EXEC sp_rename 'other.e', 'renamed', 'COLUMN';
GO
EXEC sp_rename 't.z', 'zz', 'COLUMN';
GO
EXEC sp_rename 'v', 'renamed';
GO
ALTER SCHEMA s TRANSFER dbo.t;
GO
ALTER SCHEMA s TRANSFER dbo.f;
GO
SELECT * FROM v;
SELECT * FROM g();
SELECT name, OBJECTPROPERTY(object_id, 'IsSchemaBound') AS bound FROM sys.objects WHERE type IN ('V', 'FN', 'IF', 'TF') ORDER BY name;
GO
-- What goes first sets free what it depended on; so does ALTER.
DROP FUNCTION h;
DROP TYPE tt;
GO
ALTER FUNCTION g () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT v.a FROM dbo.v;
GO
ALTER FUNCTION f (@a int) RETURNS int AS BEGIN RETURN 1 END
GO
DROP TABLE other;
DROP FUNCTION f;
GO
DROP FUNCTION g;
GO
ALTER VIEW v WITH SCHEMABINDING AS SELECT a FROM dbo.t;
GO
ALTER TABLE t DROP COLUMN b;
GO
ALTER TABLE t DROP COLUMN a;
GO
-- In a transaction that is undone.
BEGIN TRAN;
DROP VIEW v;
ROLLBACK;
DROP TABLE t;
GO
ALTER VIEW v AS SELECT a FROM t;
GO
DROP TABLE t;
GO
DROP VIEW v;
CREATE TABLE t (a int, b int);
CREATE TABLE s.t (a int);
CREATE SYNONYM syn FOR t;
GO
-- A trigger of the table and its constraints go with it; a key of another table is told first.
CREATE TABLE parent (a int CONSTRAINT pk_parent PRIMARY KEY);
CREATE TABLE child (a int CONSTRAINT fk_child REFERENCES parent);
GO
CREATE VIEW vp WITH SCHEMABINDING AS SELECT a FROM dbo.parent;
GO
DROP TABLE parent;
GO
DROP TABLE child;
GO
DROP TABLE parent;
GO
-- What such a module may not have.
CREATE VIEW bad WITH SCHEMABINDING AS SELECT * FROM dbo.t;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT t.* FROM dbo.t;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT a FROM (SELECT * FROM dbo.t) AS x;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT a FROM t;
GO
CREATE VIEW dbo.bad WITH SCHEMABINDING AS SELECT a FROM dbo.t WHERE a IN (SELECT a FROM t);
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT a FROM golden_schema_binding.dbo.t;
GO
CREATE VIEW unbound AS SELECT a FROM dbo.t;
GO
CREATE FUNCTION unbound_f (@a int) RETURNS int AS BEGIN RETURN @a END
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT a FROM dbo.unbound;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT dbo.unbound_f(a) AS x FROM dbo.t;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT a FROM dbo.syn;
GO
CREATE VIEW bad WITH SCHEMABINDING AS SELECT name FROM sys.objects;
GO
CREATE FUNCTION bad () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(a) FROM t) END
GO
CREATE FUNCTION bad () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT * FROM dbo.t;
GO
CREATE FUNCTION bad (@n int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN CASE WHEN @n > 0 THEN dbo.bad(@n - 1) END END
GO
CREATE FUNCTION bad () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT a FROM dbo.nope) END
GO
CREATE PROCEDURE bad WITH SCHEMABINDING AS SELECT a FROM dbo.t;
GO
SELECT name FROM sys.objects WHERE name = 'bad';
GO
-- What it may: its own names, the server's functions, COUNT(*), another schema.
CREATE VIEW good WITH SCHEMABINDING AS
    WITH t AS (SELECT a, COUNT(*) AS n FROM dbo.t AS x GROUP BY a)
    SELECT t.a, t.n, UPPER('x') AS u, p.value FROM t JOIN s.t AS other ON other.a = t.a CROSS APPLY STRING_SPLIT('a,b', ',') AS p
    WHERE EXISTS (SELECT 1 FROM dbo.t AS y WHERE y.a = t.a);
GO
DROP TABLE s.t;
GO
DROP VIEW good;
DROP TABLE s.t;
GO
-- DROP FUNCTION, "Remarks": what constraints, defaults and computed columns call stays, schema-bound or not.
CREATE FUNCTION one () RETURNS int AS BEGIN RETURN 1 END
GO
CREATE FUNCTION two (@a int) RETURNS int AS BEGIN RETURN @a * 2 END
GO
CREATE FUNCTION three (@a int) RETURNS int AS BEGIN RETURN @a * 3 END
GO
CREATE TABLE called (a int CONSTRAINT df_a DEFAULT dbo.one(), b int CONSTRAINT ck_b CHECK (dbo.two(b) < 100), c AS dbo.three(a) + 1);
GO
DROP FUNCTION one;
GO
DROP FUNCTION dbo.two;
GO
DROP FUNCTION three;
GO
ALTER FUNCTION two (@a int) RETURNS int AS BEGIN RETURN @a END
GO
EXEC sp_rename 'dbo.three', 'vier';
GO
ALTER TABLE called DROP CONSTRAINT df_a;
ALTER TABLE called DROP CONSTRAINT ck_b;
ALTER TABLE called DROP COLUMN c;
DROP FUNCTION one, two, three;
GO
