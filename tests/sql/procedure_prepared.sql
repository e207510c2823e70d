-- A prepared call of a procedure: the handle goes on calling it. https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-prepare-transact-sql
CREATE PROCEDURE dbo.twice @a int, @b int = 0 OUTPUT AS
BEGIN
    SET @b = @a * 2;
    SELECT @a AS a, @b AS b;
    RETURN 3;
END
GO
DECLARE @h int, @status int;
EXEC @status = sp_prepexecrpc @h OUTPUT, N'[dbo].[twice]', 5;
SELECT @status AS status, CASE WHEN @h > 0 THEN 'a handle' END AS h;
EXEC sp_execute @h, 6;
EXEC sp_unprepare @h;
EXEC sp_execute @h, 7;
GO
DECLARE @h int;
EXEC sp_prepexecrpc @h OUTPUT, N'dbo.nothing';
GO
-- What ODBC 3.8 asks is answered as for ODBC 3.
EXEC sp_datatype_info_100 93, @ODBCVer = 4;
DROP PROCEDURE dbo.twice;
GO
