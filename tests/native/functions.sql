DECLARE @a int = -5, @b bigint, @c int;
SET @c = ABS(@a) + SIGN(@b);
SET @b = FLOOR(@a) % 7;
SET @b = ISNULL(@b, COALESCE(@a, @c, 3));
