-- INSERT ... EXECUTE refuses what is too long for its column, as INSERT ... SELECT does: error 2628.
-- https://learn.microsoft.com/sql/t-sql/statements/insert-transact-sql, "Data types"
CREATE TABLE dbo.short (id int IDENTITY, a varchar(3), b char(2), c nvarchar(2), d varbinary(1), e binary(2));
GO
INSERT dbo.short (a) EXEC ('SELECT ''abcd''');
GO
INSERT dbo.short (b) EXEC ('SELECT N''abc''');
GO
INSERT dbo.short (c) EXEC ('SELECT ''abc''');
GO
INSERT dbo.short (d) EXEC ('SELECT 0x0102');
GO
INSERT dbo.short (e) EXEC sp_executesql N'SELECT 0x010203';
GO
CREATE PROCEDURE dbo.gives AS SELECT 'ok', 'x'; SELECT 'long one', 'y';
GO
INSERT dbo.short (a, b) EXEC dbo.gives;
GO
DECLARE @t table (a varchar(3)); INSERT @t EXEC ('SELECT ''abcd'''); SELECT COUNT(*) AS kept FROM @t;
GO
SELECT COUNT(*) AS nothing FROM dbo.short;
GO
-- What fits, and what blanks and zeros at its end make longer; numbers become texts as they do elsewhere.
INSERT dbo.short (a, b, c, d, e) EXEC ('SELECT ''abc   '', ''x'', N''yz'', 0x0100, 0x01');
INSERT dbo.short (a, b) EXEC ('SELECT 123, 7 UNION ALL SELECT NULL, 4567');
INSERT dbo.short (c, a) EXEC ('SELECT ''é'', CONVERT(date, NULL)');
SELECT a, DATALENGTH(a) AS la, b, DATALENGTH(b) AS lb, c, d, e FROM dbo.short ORDER BY id;
GO
SET ANSI_WARNINGS OFF;
INSERT dbo.short (a, d) EXEC ('SELECT ''abcdef'', 0x0102');
SELECT a, d FROM dbo.short WHERE d = 0x01 AND a = 'abc' AND b IS NULL;
SET ANSI_WARNINGS ON;
GO
CREATE TABLE dbo.triggered (a varchar(3));
GO
CREATE TRIGGER dbo.instead ON dbo.triggered INSTEAD OF INSERT AS SELECT a FROM inserted;
GO
INSERT dbo.triggered EXEC ('SELECT ''abcd''');
GO
INSERT dbo.triggered EXEC ('SELECT ''abc''');
GO
