-- EXECUTE ... WITH RESULT SETS: https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
CREATE TABLE dbo.made (a int, s varchar(10) NULL);
INSERT dbo.made VALUES (1, 'x'), (2, NULL);
GO
CREATE PROCEDURE dbo.two AS SELECT a, s FROM dbo.made ORDER BY a; SELECT COUNT(*) AS n FROM dbo.made;
GO
EXEC dbo.two WITH RESULT SETS ((id bigint NOT NULL, [the text] nvarchar(3)), (howmany decimal(5, 2)));
EXEC dbo.two WITH RESULT SETS UNDEFINED;
EXEC ('SELECT 5 AS a, GETDATE() AS d WHERE 1 = 0') WITH RESULT SETS ((b varchar(5), e date));
EXEC ('DECLARE @a int = 1') WITH RESULT SETS NONE;
EXEC ('SELECT ''abcdef''') WITH RESULT SETS ((cut varchar(3)));
DECLARE @r int; EXEC @r = dbo.two WITH RECOMPILE, RESULT SETS ((a int, s varchar(10)), (n int)); SELECT @r AS status;
GO
EXEC dbo.two WITH RESULT SETS ((a int, s varchar(10)));
GO
EXEC dbo.two WITH RESULT SETS ((a int, s varchar(10)), (n int), (more int));
GO
EXEC dbo.two WITH RESULT SETS ((a int), (n int));
GO
EXEC dbo.two WITH RESULT SETS ((a uniqueidentifier, s varchar(10)), (n int));
GO
EXEC dbo.two WITH RESULT SETS ((a int, s varchar(10) NOT NULL), (n int));
GO
EXEC dbo.two WITH RESULT SETS ((a int, s int), (n int));
GO
EXEC dbo.two WITH RESULT SETS NONE;
GO
BEGIN TRY EXEC dbo.two WITH RESULT SETS NONE; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS caught; END CATCH
GO
INSERT dbo.made EXEC ('SELECT 1, ''a''') WITH RESULT SETS ((a int, s varchar(5)));
GO
CREATE VIEW dbo.seen AS SELECT a AS shown, s FROM dbo.made;
GO
CREATE TYPE dbo.listed AS TABLE (listed int NOT NULL, s nvarchar(10));
GO
CREATE PROCEDURE dbo.one AS SELECT a, s FROM dbo.made ORDER BY a;
GO
EXEC dbo.one WITH RESULT SETS (AS OBJECT dbo.made);
EXEC dbo.one WITH RESULT SETS (AS OBJECT dbo.seen);
EXEC dbo.one WITH RESULT SETS (AS TYPE dbo.listed);
GO
EXEC dbo.one WITH RESULT SETS (AS OBJECT dbo.nosuch);
GO
EXEC dbo.one WITH RESULT SETS (AS TYPE dbo.nosuch);
GO
EXEC dbo.one WITH RESULT SETS (AS FOR XML);
GO
