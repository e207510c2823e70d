DECLARE @i bigint = 0, @n int = 0;
WHILE @i < 10
BEGIN
    SET @n = 0;
    WHILE @n < @i
    BEGIN
        IF @n % 2 = 0 SET @n += 1; ELSE SET @n += 3;
    END
    SET @i += 1;
END
