DECLARE @i bigint = 0, @n int = 3;
WHILE @i < 10
BEGIN
    INSERT dbo.t (a, b) VALUES (@i, @n);
    SET @i += 1;
END
