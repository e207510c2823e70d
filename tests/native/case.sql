DECLARE @a bigint, @b int; SET @b = CASE WHEN @a > 0 AND @b <> 5 THEN 1 WHEN @a IS NULL THEN 2 ELSE 3 END;
