-- A cursor comes back by an OUTPUT parameter: "Using the cursor Data Type in an OUTPUT Parameter" (ms175498). https://learn.microsoft.com/sql/t-sql/data-types/cursor-transact-sql
CREATE TABLE letters (id int PRIMARY KEY, text char(1))
INSERT letters VALUES (1, 'a'), (2, 'b'), (3, 'c')
GO
CREATE PROCEDURE opened @which int, @k CURSOR VARYING OUTPUT AS
SET @k = CURSOR STATIC FOR SELECT id, text FROM letters ORDER BY id
IF @which > 0 OPEN @k
IF @which > 1 FETCH NEXT FROM @k
IF @which > 2 CLOSE @k
RETURN @which
GO
CREATE PROCEDURE local_one @k CURSOR VARYING OUTPUT AS
DECLARE c CURSOR LOCAL FORWARD_ONLY READ_ONLY FOR SELECT id, text FROM letters ORDER BY id
OPEN c
FETCH NEXT FROM c
SET @k = c
GO
CREATE PROCEDURE passed_on @k CURSOR VARYING OUTPUT AS
EXEC local_one @k OUTPUT
FETCH NEXT FROM @k
GO
CREATE PROCEDURE unassigned @k CURSOR VARYING OUTPUT, @n int = 5 OUTPUT AS SET @n = @n + 1
GO
-- By position, with a return code; what was fetched stays fetched.
DECLARE @k CURSOR, @code int
EXEC @code = opened 2, @k OUTPUT
SELECT @code AS code, CURSOR_STATUS('variable', '@k') AS status
FETCH NEXT FROM @k
FETCH ABSOLUTE -1 FROM @k
-- It must be free for the next call.
EXEC opened 1, @k OUTPUT
DEALLOCATE @k
-- By name. A closed cursor, or one that was never opened, is none.
EXEC opened @k = @k OUTPUT, @which = 3
SELECT CURSOR_STATUS('variable', '@k') AS status
EXEC opened 0, @k = @k OUTPUT
SELECT CURSOR_STATUS('variable', '@k') AS status
FETCH NEXT FROM @k
GO
-- A local cursor lives on in the variable, through two procedures.
DECLARE @k CURSOR
EXEC passed_on @k = @k OUTPUT
SELECT CURSOR_STATUS('variable', '@k') AS variable, CURSOR_STATUS('local', 'c') AS local, CURSOR_STATUS('global', 'c') AS global
FETCH NEXT FROM @k
FETCH NEXT FROM @k
SELECT @@FETCH_STATUS AS status
GO
-- Nothing assigned.
DECLARE @k CURSOR, @n int = 7
EXEC unassigned @k OUTPUT, @n OUTPUT
SELECT @n AS n, CURSOR_STATUS('variable', '@k') AS status, CURSOR_STATUS('variable', '@other') AS other
GO
-- What does not fit.
DECLARE @k CURSOR, @n int
EXEC unassigned
EXEC unassigned 5
EXEC unassigned @n OUTPUT
EXEC unassigned @k OUTPUT, @k OUTPUT
EXEC sp_who @k OUTPUT
GO
DECLARE @k CURSOR
EXEC unassigned @k
GO
DROP PROCEDURE opened, local_one, passed_on, unassigned
DROP TABLE letters
GO
