-- Who calls a function needs EXECUTE on it, inlined or not; what it reads is its owner's, or asked for, as a view's is.
-- https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql, "Permissions", and
-- https://learn.microsoft.com/sql/relational-databases/tutorial-ownership-chains-and-context-switching
CREATE DATABASE inlined_rights
GO
USE inlined_rights
GO
CREATE USER u WITHOUT LOGIN
CREATE USER other WITHOUT LOGIN
GO
CREATE SCHEMA others AUTHORIZATION other
GO
CREATE TABLE dbo.o (id int NOT NULL)
CREATE TABLE dbo.t (id int NOT NULL, v int NULL, m varchar(10) MASKED WITH (FUNCTION = 'default()') NULL)
CREATE TABLE others.t (id int NOT NULL, v int NULL)
INSERT dbo.o VALUES (1), (2)
INSERT dbo.t VALUES (1, 10, 'one'), (2, 20, 'two')
INSERT others.t VALUES (1, 100), (2, 200)
GO
CREATE FUNCTION dbo.chained(@a int) RETURNS int AS BEGIN DECLARE @v int; SELECT @v = v FROM dbo.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.kept(@a int) RETURNS int AS BEGIN DECLARE @v int; SELECT @v = v FROM dbo.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.broken(@a int) RETURNS int AS BEGIN DECLARE @v int; SELECT @v = v FROM others.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.broken_called(@a int) RETURNS int WITH INLINE = OFF AS BEGIN DECLARE @v int; SELECT @v = v FROM others.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.masked(@a int) RETURNS varchar(10) AS BEGIN DECLARE @v varchar(10); SELECT @v = m FROM dbo.t WHERE id = @a; RETURN @v END
GO
CREATE FUNCTION dbo.nested(@a int) RETURNS int AS BEGIN DECLARE @v int; SET @v = dbo.kept(@a); RETURN @v END
GO
CREATE VIEW dbo.v AS SELECT id, dbo.kept(id) AS v FROM dbo.o
GO
GRANT SELECT ON dbo.o TO u
GRANT SELECT ON dbo.v TO u
GRANT EXECUTE ON dbo.chained TO u
GRANT EXECUTE ON dbo.broken TO u
GRANT EXECUTE ON dbo.broken_called TO u
GRANT EXECUTE ON dbo.masked TO u
GRANT EXECUTE ON dbo.nested TO u
DENY SELECT ON dbo.t TO u
GO
EXECUTE AS USER = 'u'
GO
SELECT id, dbo.chained(id) AS v FROM dbo.o ORDER BY id
GO
SELECT id, dbo.kept(id) AS v FROM dbo.o
GO
SELECT id, dbo.broken(id) AS v FROM dbo.o
GO
SELECT id, dbo.broken_called(id) AS v FROM dbo.o
GO
SELECT id, dbo.masked(id) AS v FROM dbo.o ORDER BY id
GO
SELECT id, dbo.nested(id) AS v FROM dbo.o ORDER BY id
GO
SELECT id, v FROM dbo.v ORDER BY id
GO
REVERT
GO
GRANT SELECT ON others.t TO u
DENY EXECUTE ON dbo.chained TO u
GO
EXECUTE AS USER = 'u'
GO
SELECT id, dbo.broken(id) AS v FROM dbo.o ORDER BY id
GO
SELECT id, dbo.chained(id) AS v FROM dbo.o
GO
REVERT
GO
SELECT id, dbo.masked(id) AS v FROM dbo.o ORDER BY id
GO
USE master
GO
DROP DATABASE inlined_rights
GO
