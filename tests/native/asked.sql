DECLARE @text varchar(9) = 'a', @i int;
SET @i = LEN(@text) + 1;
WHILE @i < @i + LEN(@text) SET @i = NULL;
