DECLARE @a bigint, @b int;
IF @a < 10 OR NOT (@b = 1)
    SET @a = 1;
ELSE
    SET @a = 2;
