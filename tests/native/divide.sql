DECLARE @a bigint, @b bigint; SET @a = @a / @b; SET @b = @a % 10;
