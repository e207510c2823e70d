DECLARE @m money = 1.5, @y smallmoney, @z bit = 1, @i int = 3, @day date = '2024-02-29', @when datetime2(3);
SET @m = @m * @y / @i;
SET @z = @z ^ @i;
SET @when = @day;
IF @when >= @day SET @y = @m;
