DECLARE @k bigint = 1;
UPDATE dbo.t SET b = a + b WHERE k = @k;
