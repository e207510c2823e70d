-- sys.sql_expression_dependencies of modules that are not schema-bound: what they name, found or not.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-sql-expression-dependencies-transact-sql
CREATE SCHEMA dep
GO
CREATE TYPE dep.code FROM varchar(10)
GO
CREATE TYPE dep.list AS TABLE (a int)
GO
CREATE SEQUENCE dep.numbers
CREATE TABLE dep.t (a int PRIMARY KEY)
CREATE TABLE dbo.dep_u (a int)
GO
CREATE FUNCTION dep.twice (@a int) RETURNS int AS BEGIN RETURN @a * 2 END
GO
CREATE VIEW dep.v AS WITH c AS (SELECT a FROM t) SELECT c.a, dep.twice(c.a) AS b FROM c JOIN dep_u u ON u.a = c.a
GO
CREATE PROCEDURE dep.p @code dep.code, @list dep.list READONLY AS
BEGIN
    INSERT dep.t SELECT NEXT VALUE FOR dep.numbers FROM @list
    UPDATE x SET a = dbo.missing(1) FROM dep.t AS x JOIN dep.v ON v.a = x.a
    IF EXISTS (SELECT 1 FROM sys.objects) EXEC other @code
    EXEC dep.q
    EXEC sp_who
    SELECT * FROM elsewhere..t, far.away.dbo.t, #temporary
END
GO
CREATE TRIGGER dep.g ON dep.t AFTER INSERT AS INSERT dbo.dep_u SELECT a FROM inserted
GO
SELECT OBJECT_NAME(referencing_id) AS referencing, referenced_class_desc AS class, referenced_server_name AS server, referenced_database_name AS [database],
  referenced_schema_name AS [schema], referenced_entity_name AS entity, CASE referenced_class WHEN 1 THEN OBJECT_NAME(referenced_id) ELSE TYPE_NAME(referenced_id) END AS found,
  is_schema_bound_reference AS bound, is_caller_dependent AS caller, is_ambiguous AS ambiguous
FROM sys.sql_expression_dependencies WHERE OBJECT_SCHEMA_NAME(referencing_id) = 'dep' ORDER BY 1, 2, 6, 4
GO
-- Names are looked up each time.
DROP TABLE dep.t
SELECT referenced_entity_name AS entity, referenced_id AS found FROM sys.sql_expression_dependencies
WHERE referencing_id = OBJECT_ID('dep.p') AND referenced_entity_name = 't' AND referenced_database_name IS NULL
GO
DROP PROCEDURE dep.p
DROP VIEW dep.v
DROP FUNCTION dep.twice
DROP TYPE dep.list
DROP TYPE dep.code
DROP SEQUENCE dep.numbers
DROP TABLE dbo.dep_u
DROP SCHEMA dep
