DECLARE @i bigint = 0, @n int = 3, @s varchar(10) = 'a';
WHILE @s < 'aaaaa'
BEGIN
    SET @s += 'a';
    BEGIN TRY
        SET @i = @i / @n;
    END TRY
    BEGIN CATCH
        SET @i = 0;
    END CATCH
    SET @n = LEN(@s);
END
RETURN;
