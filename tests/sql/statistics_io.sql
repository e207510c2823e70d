-- SET STATISTICS IO: a line for each table, in the words of https://learn.microsoft.com/sql/t-sql/statements/set-statistics-io-transact-sql
CREATE TABLE io_one (id int NOT NULL PRIMARY KEY, text varchar(20) NULL)
CREATE TABLE io_two (id int NOT NULL PRIMARY KEY, one int NOT NULL)
INSERT io_one VALUES (1, 'a'), (2, 'b'), (3, 'c')
INSERT io_two VALUES (10, 1), (20, 2)
GO
SET STATISTICS IO ON
GO
SELECT id FROM io_one WHERE text = 'b'
SELECT COUNT(*) AS both FROM io_one o JOIN io_two t ON t.one = o.id
UPDATE io_one SET text = 'd' WHERE id = 2
INSERT io_two SELECT 30, id FROM io_one WHERE id = 3
DELETE io_two WHERE id = 10
GO
-- No table, no line.
SELECT 1 AS one
DECLARE @x int = 2
PRINT @x
GO
-- What a trigger does is told for its own statements. At its first run it is compiled, which reads the catalog.
SET STATISTICS IO OFF
GO
CREATE TRIGGER io_fired ON io_two AFTER INSERT AS UPDATE io_one SET text = 'e' WHERE id = 1
GO
INSERT io_two VALUES (40, 1)
GO
SET STATISTICS IO ON
GO
INSERT io_two VALUES (50, 1)
GO
-- Nothing is told of what fails.
SELECT 1 / 0 AS failed FROM io_one
GO
-- Looking for one row by a unique key is no scan.
SELECT text FROM io_one WHERE id = 2
SELECT COUNT(*) AS several FROM io_one WHERE id IN (1, 2) OR id > 2
GO
-- Sorts have a worktable, hash tables a workfile, too: nothing is read of them while memory has room.
SELECT id FROM io_one ORDER BY text
SELECT COUNT(*) AS hashed FROM io_one o INNER HASH JOIN io_two t ON t.one = o.id
SELECT TOP (1) id FROM io_one ORDER BY text
GO
SET STATISTICS IO OFF
SELECT COUNT(*) AS told FROM io_one
