DECLARE @k bigint = 1, @a int, @b bigint = 0;
SELECT TOP (10) @a = a, @b = @b + a + b FROM dbo.t WHERE b > 0;
