DECLARE @a bigint = 5, @b int, @text varchar(9);
EXEC @b = dbo.p @a, @text, @out = @b OUTPUT, @more = 7;
IF @b > 5 RETURN;
EXEC dbo.p;
