DECLARE @k bigint = 1, @a int, @b bigint;
SELECT @a = a, @b = a + b FROM dbo.t WHERE k = @k;
