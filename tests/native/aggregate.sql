DECLARE @k bigint = 1, @a int, @b bigint;
SELECT @a = COUNT(*), @b = SUM(a + b) FROM dbo.t;
