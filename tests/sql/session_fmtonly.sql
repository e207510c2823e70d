-- SET FMTONLY ON: results have their columns and no rows; nothing is changed. https://learn.microsoft.com/sql/t-sql/statements/set-fmtonly-transact-sql
CREATE TABLE dbo.fmt (a int, b varchar(10));
INSERT INTO dbo.fmt VALUES (1, 'x');
GO
SET FMTONLY ON SELECT * FROM dbo.fmt SET FMTONLY OFF;
GO
CREATE PROCEDURE dbo.fmt_either @which int AS
BEGIN
    IF @which = 1 SELECT a FROM dbo.fmt ELSE SELECT b FROM dbo.fmt;
    DELETE FROM dbo.fmt;
END
GO
SET FMTONLY ON;
EXEC dbo.fmt_either 2;
UPDATE dbo.fmt SET a = 7;
PRINT 'not printed';
SET FMTONLY OFF;
SELECT * FROM dbo.fmt;
GO
-- SET TEXTSIZE cuts long values, not the others.
SET TEXTSIZE 5;
SELECT CAST('123456789' AS varchar(max)) AS v, CAST(N'123456789' AS nvarchar(max)) AS n, CAST('123456789' AS varchar(20)) AS short;
SET TEXTSIZE -1;
GO
-- FOR XML AUTO calls rows as FROM calls their table.
SELECT a, b FROM dbo.fmt FOR XML AUTO;
SELECT a FROM dbo.fmt AS f FOR XML AUTO;
GO
DROP PROCEDURE dbo.fmt_either;
DROP TABLE dbo.fmt;
GO
