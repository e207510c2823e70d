DECLARE @k bigint = 1, @a int, @b bigint;
SELECT @a = a FROM dbo.t WHERE EXISTS (SELECT * FROM dbo.u WHERE u.a = t.a);
SELECT @a = a FROM dbo.t WHERE NOT EXISTS (SELECT * FROM dbo.u WHERE u.k = t.b AND u.a < t.a);
