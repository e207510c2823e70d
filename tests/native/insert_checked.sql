DECLARE @i bigint = 0, @n int = 3;
INSERT dbo.t (a) VALUES (@i);
