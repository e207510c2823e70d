DECLARE @f float = 1, @r real, @i int = 3, @d decimal(9, 2) = 4.25;
SET @f = -@f * @i + @r / 0.1e0;
SET @r = @f;
SET @f = SQRT(@d);
IF @f < @r SET @i = @f;
