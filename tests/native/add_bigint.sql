DECLARE @a bigint, @b int; SET @a = @a + 1;
