DECLARE @a int, @b smallint; SET @a = @a * @b - 7;
