-- Defaults of parameters: a constant of any kind, converted at the call by the caller's settings.
-- https://learn.microsoft.com/sql/t-sql/statements/create-procedure-transact-sql
SET NOCOUNT ON;
CREATE TYPE dbo.phone FROM varchar(5);
GO
CREATE TABLE types (number int IDENTITY PRIMARY KEY, name varchar(30));
INSERT types VALUES ('bit'), ('tinyint'), ('smallint'), ('int'), ('bigint'), ('decimal(5,2)'), ('numeric(3)'), ('money'), ('smallmoney'),
    ('real'), ('float'), ('date'), ('time(2)'), ('smalldatetime'), ('datetime'), ('datetime2(3)'), ('datetimeoffset(0)'), ('char(3)'),
    ('varchar(2)'), ('varchar(max)'), ('nchar(3)'), ('nvarchar(2)'), ('nvarchar(max)'), ('binary(4)'), ('varbinary(2)'),
    ('varbinary(max)'), ('uniqueidentifier'), ('sql_variant'), ('xml'), ('sysname'), ('dbo.phone');
CREATE TABLE literals (number int IDENTITY PRIMARY KEY, written varchar(50));
INSERT literals VALUES ('NULL'), ('0'), ('-1'), ('5000000000'), ('1.5'), ('-1.239'), ('1e0'), ('$1.25'), ('''1'''), ('N''Y'''),
    ('''false'''), ('''2024-02-03'''), ('''abc'''), ('abc'), ('0x01'), ('''6F9619FF-8B86-D011-B42D-00C04FC964FF'''), ('''<a/>'''),
    ('@@max_precision'), ('''''');
GO
DECLARE types CURSOR LOCAL FAST_FORWARD FOR
    SELECT t.name, l.written FROM types AS t CROSS JOIN literals AS l ORDER BY t.number, l.number;
DECLARE @type varchar(30), @literal varchar(50), @text nvarchar(400), @shown nvarchar(200), @line nvarchar(max) = '', @last varchar(30) = '';
OPEN types;
FETCH types INTO @type, @literal;
WHILE @@FETCH_STATUS = 0
BEGIN
    IF @type <> @last BEGIN PRINT @line; SET @line = @type + ':'; SET @last = @type; END;
    SET @shown = NULL;
    BEGIN TRY
        SET @text = 'CREATE OR ALTER PROCEDURE p @a ' + @type + ' = ' + @literal + ', @shown nvarchar(200) OUTPUT AS SET @shown = '
            + CASE WHEN @type LIKE '%binary%' THEN 'CONVERT(varchar(100), @a, 1)'
                   WHEN @type = 'sql_variant' THEN 'CONVERT(varchar(50), SQL_VARIANT_PROPERTY(@a, ''BaseType'')) + '' '' + CONVERT(varchar(50), @a)'
                   WHEN @type = 'float' OR @type = 'real' THEN 'CONVERT(varchar(50), @a, 3)'
                   WHEN @type LIKE '%date%' THEN 'CONVERT(varchar(50), @a, 121)'
                   ELSE 'CONVERT(nvarchar(200), @a)' END;
        EXEC (@text);
        BEGIN TRY
            EXEC p @shown = @shown OUTPUT;
            SET @shown = COALESCE('[' + @shown + ']', 'NULL');
        END TRY
        BEGIN CATCH
            SET @shown = CONCAT(ERROR_NUMBER(), '/', ERROR_STATE());
        END CATCH;
    END TRY
    BEGIN CATCH
        SET @shown = CONCAT('refused ', ERROR_NUMBER(), '/', ERROR_STATE());
    END CATCH;
    SET @line += ' ' + @literal + '=' + @shown;
    FETCH types INTO @type, @literal;
END;
PRINT @line;
GO
-- The message names the procedure; the call can go on with a value of its own.
CREATE OR ALTER PROCEDURE p @a int = 'abc' AS SELECT @a AS a;
GO
EXEC p;
GO
EXEC p 5;
EXEC p @a = 6;
GO
EXEC p DEFAULT;
GO
-- What the session has set decides, at each call.
CREATE OR ALTER PROCEDURE p @a datetime = '02/03/2024' AS SELECT DATENAME(month, @a) AS month;
GO
EXEC p;
SET DATEFORMAT dmy;
EXEC p;
SET DATEFORMAT mdy;
EXEC p;
GO
-- Called from a loop, from a module, by sp_executesql and by a handle.
CREATE OR ALTER PROCEDURE p @a bit = 'true', @b money = 1.25 AS SELECT @a AS a, @b AS b;
GO
CREATE PROCEDURE calls AS EXEC p; EXEC p 0; EXEC p @b = 3;
GO
EXEC calls;
DECLARE @i int = 0; WHILE @i < 2 BEGIN EXEC p; SET @i += 1 END;
EXEC sp_executesql N'EXEC p';
EXEC sp_executesql N'SELECT @x AS x, @y AS y', N'@x bit = ''false'', @y varchar(2) = N''xyz''';
DECLARE @handle int;
EXEC sp_prepare @handle OUTPUT, N'@x decimal(5,2) = ''1.239''', N'SELECT @x AS x';
EXEC sp_execute @handle;
GO
-- Functions take DEFAULT as written.
CREATE FUNCTION f (@a bit = 'true', @b varchar(2) = N'xyz', @c decimal(5,2) = 1.239) RETURNS varchar(50) AS
BEGIN RETURN CONCAT(@a, ' ', @b, ' ', @c) END;
GO
CREATE FUNCTION g (@a tinyint = '7', @b datetime = 0) RETURNS TABLE AS RETURN SELECT @a AS a, @b AS b;
GO
CREATE FUNCTION h (@a money = '2', @b nchar(3) = 'Y') RETURNS @t TABLE (a money, b nchar(3)) AS BEGIN INSERT @t VALUES (@a, @b) RETURN END;
GO
CREATE FUNCTION k (@a int = 'abc') RETURNS int AS BEGIN RETURN @a END;
GO
SELECT dbo.f(DEFAULT, DEFAULT, DEFAULT) AS f, dbo.f(0, 'pq', 5) AS given;
SELECT * FROM g(DEFAULT, DEFAULT);
SELECT * FROM h(DEFAULT, DEFAULT);
SELECT dbo.k(DEFAULT);
GO
