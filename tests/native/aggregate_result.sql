DECLARE @k bigint = 1, @a int, @b bigint;
SELECT COUNT(*) AS n, SUM(a + b) AS s FROM dbo.t;
