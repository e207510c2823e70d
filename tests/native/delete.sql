DECLARE @k bigint = 1;
DELETE dbo.t WHERE k = @k;
