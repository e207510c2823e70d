DECLARE @i bigint = 0, @s varchar(10);
BEGIN TRY
    SET @i = @i / 0;
    SET @s = 'a';
END TRY
BEGIN CATCH
    SET @i = -1;
END CATCH
