DECLARE @k bigint = 1, @a int, @b bigint;
BEGIN TRY
  SELECT @a = (SELECT a FROM dbo.t WHERE k = @k), @b = CASE WHEN EXISTS (SELECT * FROM dbo.t WHERE b < a) THEN @k ELSE (SELECT MAX(b) FROM dbo.t) END;
END TRY BEGIN CATCH SET @a = 0; END CATCH
