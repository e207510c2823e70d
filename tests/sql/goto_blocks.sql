-- GOTO into the blocks of IF, WHILE and BEGIN goes on there; into a TRY or CATCH it is refused (1026), out of them it may lead.
-- learn.microsoft.com: GOTO; TRY...CATCH, "Remarks".
GOTO inside
IF 1 = 0
BEGIN
    PRINT 'not printed'
    inside: PRINT 'in a branch that is not taken'
END
ELSE PRINT 'nor this'
PRINT 'behind it'
GO
DECLARE @i int = 0
GOTO turn
WHILE @i < 2
BEGIN
    SET @i += 1
    turn: PRINT CONCAT('turn ', @i)
END
PRINT CONCAT('ended at ', @i)
GO
GOTO deep
BEGIN
    PRINT 'not printed'
    BEGIN
        WHILE 1 = 1
        BEGIN
            deep: PRINT 'deep'
            BREAK
        END
        PRINT 'left the loop'
    END
    GOTO ended
END
PRINT 'not printed'
ended: PRINT 'ended'
GO
DECLARE @n int = 0
GOTO one
BEGIN one: SET @n += 1 IF @n < 4 GOTO two END
PRINT CONCAT('done ', @n) GOTO finish
BEGIN two: SET @n += 1 GOTO one END
finish: PRINT 'finished'
GO
BEGIN TRY GOTO outside END TRY BEGIN CATCH PRINT 'not printed' END CATCH
PRINT 'not printed'
outside: PRINT 'outside'
GO
BEGIN TRY SELECT 1 / 0 END TRY BEGIN CATCH GOTO outside END CATCH
PRINT 'not printed'
outside: PRINT CONCAT('out of the CATCH, ', ISNULL(ERROR_NUMBER(), 0))
GO
BEGIN TRY again: PRINT 'within'; GOTO last; last: PRINT 'one TRY' END TRY BEGIN CATCH END CATCH
GO
GOTO inside BEGIN TRY PRINT 'a' inside: PRINT 'b' END TRY BEGIN CATCH PRINT 'c' END CATCH
GO
BEGIN TRY GOTO inside END TRY BEGIN CATCH inside: PRINT 'b' END CATCH
GO
CREATE PROCEDURE p AS GOTO inside BEGIN TRY inside: PRINT 'b' END TRY BEGIN CATCH PRINT 'c' END CATCH
GO
