-- Variables, IF, WHILE, BREAK, CONTINUE, GOTO, RETURN. https://learn.microsoft.com/sql/t-sql/language-elements/control-of-flow
DECLARE @i int = 0, @s varchar(20) = 'abc', @d decimal(9,2) = 1.5, @n int;
PRINT @s + '!';
PRINT @d * 2;
PRINT CONCAT('n is null: ', CASE WHEN @n IS NULL THEN 'yes' ELSE 'no' END);
SET @i += 5; SET @i -= 1; SET @i *= 3; SET @i /= 2; SET @i %= 4;
PRINT @i;
SET @i = 12; SET @i |= 3; SET @i &= 13; SET @i ^= 1; PRINT @i;
SELECT @i = 7, @s = 'def';
PRINT @s;
SELECT @i AS i, @s AS s;
GO
-- A variable keeps its value across loop passes; DECLARE with a value assigns again.
DECLARE @k int = 0;
WHILE @k < 3
BEGIN
    DECLARE @inner int;
    DECLARE @again int = 10;
    SET @inner = ISNULL(@inner, 0) + 1;
    SET @again += @inner;
    PRINT CONCAT(@inner, ' ', @again);
    SET @k += 1;
END
GO
DECLARE @i int = 0;
WHILE 1 = 1
BEGIN
    SET @i += 1;
    IF @i = 2 CONTINUE;
    IF @i > 4 BREAK;
    PRINT @i;
END
IF @i = 5 PRINT 'five' ELSE PRINT 'other';
IF EXISTS (SELECT 1 WHERE 1 = 0) PRINT 'exists' ELSE IF NOT EXISTS (SELECT 1 WHERE 1 = 0) PRINT 'nothing';
GO
DECLARE @i int = 0;
again:
SET @i += 1;
IF @i < 3 GOTO again;
PRINT @i;
GOTO done;
PRINT 'never';
done:
PRINT 'end';
GO
-- RETURN ends a batch.
PRINT 'before';
RETURN;
PRINT 'after';
GO
-- Null conditions are not true.
DECLARE @x int;
IF @x = 1 PRINT 'yes' ELSE PRINT 'not true';
IF NOT (@x = 1) PRINT 'yes' ELSE PRINT 'not true either';
WHILE @x = 1 PRINT 'loop';
GO
-- SELECT assigning from several rows keeps the last; from none keeps the old value.
DECLARE @v int = -1;
SELECT @v = v FROM (VALUES (1), (2), (3)) AS t(v) ORDER BY v;
PRINT @v;
SELECT @v = v FROM (VALUES (1)) AS t(v) WHERE v > 5;
PRINT @v;
SET @v = (SELECT v FROM (VALUES (1)) AS t(v) WHERE v > 5);
PRINT ISNULL(CAST(@v AS varchar(10)), 'null');
SELECT @v = ISNULL(@v, 0) + v FROM (VALUES (1), (2), (3)) AS t(v);
PRINT @v;
SELECT @@ROWCOUNT AS rows_seen;
GO
SET @undeclared = 1;
GO
DECLARE @a int; DECLARE @a int;
GO
SELECT @missing;
GO
GOTO nowhere;
GO
BREAK;
GO
DECLARE @t tinyint = 300;
PRINT 'still here';
SELECT @t AS t;
GO
DECLARE @v int;
SET @v = (SELECT v FROM (VALUES (1), (2)) AS t(v));
PRINT 'after 512';
SELECT @v AS v;
GO
WAITFOR DELAY '00:00:00.010';
PRINT 'waited';
GO
BEGIN
END
GO
IF 1 = 1
GO
GO
-- A whole number is so many seconds of DELAY.
DECLARE @none int = 0, @some smallint = 1, @from datetime2 = SYSDATETIME();
WAITFOR DELAY @none;
WAITFOR DELAY @some;
SELECT CASE WHEN DATEDIFF(MILLISECOND, @from, SYSDATETIME()) BETWEEN 990 AND 20000 THEN 'a second' END AS waited;
