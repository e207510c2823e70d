DECLARE @a tinyint, @b bigint; SET @a = @b; SET @b = -@a; SET @b = CAST(@b AS smallint);
