CREATE SCHEMA app;
GO
CREATE SCHEMA app;
GO
CREATE TABLE app.t (id int PRIMARY KEY, name nvarchar(20));
CREATE SEQUENCE app.s AS int START WITH 5 INCREMENT BY 5 MAXVALUE 20;
CREATE TYPE app.phone FROM varchar(20) NOT NULL;
CREATE TYPE app.list AS TABLE (id int PRIMARY KEY, v varchar(10));
CREATE SYNONYM dbo.syn FOR app.t;
GO
INSERT dbo.syn VALUES (1, N'one');
SELECT * FROM dbo.syn;
GO
SELECT NEXT VALUE FOR app.s AS a, NEXT VALUE FOR app.s AS b;
SELECT NEXT VALUE FOR app.s AS c;
GO
SELECT NEXT VALUE FOR app.s AS c;
SELECT NEXT VALUE FOR app.s AS d;
SELECT NEXT VALUE FOR app.s AS e;
GO
ALTER SEQUENCE app.s RESTART WITH 10;
SELECT NEXT VALUE FOR app.s AS f;
SELECT name, increment, current_value, is_exhausted FROM sys.sequences;
GO
DECLARE @l app.list; INSERT @l VALUES (1, 'x'); SELECT * FROM @l;
GO
CREATE TABLE app.u (p app.phone, q int);
SELECT name, system_type_id, max_length, is_nullable, is_table_type FROM sys.types WHERE is_user_defined = 1 ORDER BY name;
GO
DROP TYPE app.phone;
GO
DROP SCHEMA app;
GO
CREATE UNIQUE INDEX ix_name ON app.t (name) INCLUDE (id);
INSERT app.t VALUES (2, N'one');
GO
CREATE INDEX ix_name ON app.t (name);
GO
DROP INDEX nothing ON app.t;
GO
DROP INDEX ix_name ON app.t;
INSERT app.t VALUES (2, N'one');
CREATE UNIQUE INDEX ix_name ON app.t (name);
GO
CREATE INDEX ix ON app.t (nosuch);
GO
CREATE INDEX ix ON app.nothing (id);
GO
EXEC sp_rename 'app.t', 'renamed';
SELECT name FROM sys.tables ORDER BY name;
GO
EXEC sp_rename 'app.renamed.name', 'title', 'COLUMN';
SELECT * FROM app.renamed ORDER BY id;
GO
ALTER SCHEMA dbo TRANSFER app.renamed;
SELECT SCHEMA_NAME(schema_id) AS s, name FROM sys.tables ORDER BY name;
GO
SELECT * INTO copied FROM dbo.renamed;
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('copied');
GO
CREATE TABLE #t (id int, v varchar(5));
INSERT #t VALUES (1, 'a');
SELECT * FROM #t;
GO
SELECT * FROM #t;
CREATE TABLE #t (id int);
GO
DROP TABLE #t;
SELECT * FROM #t;
GO
CREATE TABLE ##g (id int);
INSERT ##g VALUES (1);
SELECT * FROM ##g;
DROP TABLE ##g;
GO
DROP SYNONYM dbo.syn;
DROP SEQUENCE app.s;
DROP TABLE app.u, dbo.renamed, dbo.copied;
DROP TYPE app.phone;
DROP TYPE app.list;
DROP SCHEMA app;
GO
DROP SCHEMA app;
GO
-- https://learn.microsoft.com/sql/t-sql/statements/create-schema-transact-sql
