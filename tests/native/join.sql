DECLARE @k bigint = 1, @a int, @b bigint;
SELECT @a = t.a, @b = u.b FROM dbo.t AS t JOIN dbo.u AS u ON u.k = t.b WHERE u.a < t.a;
