-- ALTER COLUMN refuses rows whose values are too long for the new type, and changes nothing: error 2628.
-- https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql, "ALTER COLUMN"
CREATE TABLE dbo.shorter (id int PRIMARY KEY, a varchar(9), b nvarchar(9), c varbinary(9), d char(4), e int);
INSERT dbo.shorter VALUES (1, 'abcde', N'abcde', 0x010203, 'ab', 300), (2, 'x', N'x', 0x01, 'y', 1);
GO
ALTER TABLE dbo.shorter ALTER COLUMN a varchar(3);
GO
ALTER TABLE dbo.shorter ALTER COLUMN a char(3);
GO
ALTER TABLE dbo.shorter ALTER COLUMN b nvarchar(2);
GO
ALTER TABLE dbo.shorter ALTER COLUMN b varchar(4);
GO
ALTER TABLE dbo.shorter ALTER COLUMN c binary(2);
GO
ALTER TABLE dbo.shorter ALTER COLUMN e tinyint;
GO
SELECT * FROM dbo.shorter;
SELECT name, TYPE_NAME(system_type_id) AS type, max_length FROM sys.columns WHERE object_id = OBJECT_ID('dbo.shorter') ORDER BY column_id;
GO
-- Blanks and zeros at the end do not count; what fits is changed.
UPDATE dbo.shorter SET a = 'abc  ', c = 0x0100 WHERE id = 1;
ALTER TABLE dbo.shorter ALTER COLUMN a varchar(3);
ALTER TABLE dbo.shorter ALTER COLUMN b nchar(6);
ALTER TABLE dbo.shorter ALTER COLUMN c varbinary(1);
ALTER TABLE dbo.shorter ALTER COLUMN d char(2);
SELECT id, a, DATALENGTH(a) AS la, b, DATALENGTH(b) AS lb, c, d FROM dbo.shorter;
GO
CREATE TABLE #t (a varchar(5));
INSERT #t VALUES ('abcde');
ALTER TABLE #t ALTER COLUMN a varchar(3);
GO
SELECT a FROM #t;
GO
GO
-- A column that is added: its default is too long for the rows that are there. Without rows it is a default like any other.
CREATE TABLE dbo.added (i int);
ALTER TABLE dbo.added ADD empty varchar(3) NOT NULL DEFAULT 'abcdef';
INSERT dbo.added (i, empty) VALUES (1, 'abc');
ALTER TABLE dbo.added ADD c varchar(3) NOT NULL DEFAULT 'abcdef';
GO
ALTER TABLE dbo.added ADD n nchar(2) DEFAULT N'wef' WITH VALUES;
GO
ALTER TABLE dbo.added ADD b varbinary(2) NOT NULL DEFAULT 0x010203, j int NOT NULL DEFAULT 1;
GO
ALTER TABLE dbo.added ADD r varchar(3) NOT NULL DEFAULT REPLICATE('r', 8);
GO
ALTER TABLE dbo.added ADD fits char(5) NOT NULL DEFAULT 'abc', blanks varchar(3) NOT NULL DEFAULT 'ab     ', later varchar(2) NULL DEFAULT 'xyz';
GO
SELECT *, DATALENGTH(fits) AS bytes FROM dbo.added;
DROP TABLE dbo.added;
