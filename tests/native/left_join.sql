DECLARE @k bigint = 1, @a int, @b bigint;
SELECT TOP (10) @a = t.a, @b = u.b FROM dbo.t AS t LEFT JOIN dbo.u AS u ON u.a = t.a AND u.a < t.a WHERE u.a IS NULL;
