DECLARE @i int = 0, @n int = 1000;
WHILE @i < @n
    SET @i += 1;
