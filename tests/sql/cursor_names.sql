-- What a cursor's name stands for may change between two statements of a batch: a global cursor is the session's. https://learn.microsoft.com/sql/t-sql/language-elements/declare-cursor-transact-sql
CREATE PROCEDURE declare_again AS
BEGIN
    CLOSE letters
    DEALLOCATE letters
    DECLARE letters CURSOR GLOBAL FOR SELECT 'of the procedure'
    OPEN letters
END
GO
CREATE PROCEDURE fetch_global AS
BEGIN
    DECLARE @text varchar(30)
    FETCH NEXT FROM letters INTO @text
    SELECT 'in the procedure' AS at, @@FETCH_STATUS AS status, @text AS text
END
GO
DECLARE @text varchar(30), @turn int = 0
DECLARE letters CURSOR GLOBAL FOR SELECT text FROM (VALUES ('first'), ('second'), ('third')) v(text)
OPEN letters
WHILE @turn < 5
BEGIN
    SET @turn += 1
    IF @turn = 3 EXECUTE declare_again
    FETCH NEXT FROM letters INTO @text
    SELECT @turn AS turn, @@FETCH_STATUS AS status, @text AS text
END
DEALLOCATE letters
FETCH NEXT FROM letters INTO @text
GO
-- A local cursor hides the global one of its name, from statements of its own module and not from others.
DECLARE @text varchar(30)
DECLARE letters CURSOR GLOBAL FOR SELECT text FROM (VALUES ('global first'), ('global second'), ('global third')) v(text)
OPEN letters
FETCH NEXT FROM letters INTO @text
SELECT @text AS text
DECLARE letters CURSOR LOCAL FOR SELECT text FROM (VALUES ('local first'), ('local second')) v(text)
OPEN Letters
FETCH NEXT FROM LETTERS INTO @text
SELECT @text AS text
EXECUTE fetch_global
FETCH NEXT FROM GLOBAL letters INTO @text
SELECT @text AS text
DEALLOCATE letters
FETCH NEXT FROM letters INTO @text
SELECT @@FETCH_STATUS AS status
DEALLOCATE letters
GO
-- A variable keeps a cursor whose name has gone. Another may take the name.
DECLARE @text varchar(30), @kept CURSOR
DECLARE letters CURSOR GLOBAL FOR SELECT text FROM (VALUES ('old first'), ('old second')) v(text)
OPEN letters
SET @kept = letters
DEALLOCATE letters
DECLARE letters CURSOR GLOBAL FOR SELECT 'new first'
OPEN letters
FETCH NEXT FROM @kept INTO @text
SELECT @text AS text
FETCH NEXT FROM letters INTO @text
SELECT @text AS text
SET @kept = letters
FETCH NEXT FROM @kept INTO @text
SELECT @@FETCH_STATUS AS status
DEALLOCATE @kept
FETCH NEXT FROM @kept INTO @text
GO
-- The batch's end takes its local cursors; the global one stays.
DECLARE @text varchar(30)
FETCH NEXT FROM letters INTO @text
SELECT @@FETCH_STATUS AS status
DECLARE letters CURSOR LOCAL FOR SELECT 'of an earlier batch'
OPEN letters
GO
DECLARE @text varchar(30)
FETCH NEXT FROM letters INTO @text
SELECT @@FETCH_STATUS AS status, @text AS text
DEALLOCATE letters
FETCH NEXT FROM letters INTO @text
GO
DROP PROCEDURE declare_again, fetch_global
GO
