-- @@ROWCOUNT behind IF, WHILE, BREAK, WAITFOR and definitions: all count no row. A condition is a statement of its own, which also clears
-- @@ERROR. learn.microsoft.com: @@ROWCOUNT; @@ERROR, "is cleared and reset on each statement executed".
CREATE TABLE t (id int)
INSERT t VALUES (1), (2), (3)
GO
UPDATE t SET id += 10 IF 1 = 0 SELECT 1 SELECT @@ROWCOUNT AS no_branch
UPDATE t SET id += 10 IF 1 = 1 SELECT @@ROWCOUNT AS in_branch
UPDATE t SET id += 10 IF @@ROWCOUNT = 3 SELECT @@ROWCOUNT AS after_looking
UPDATE t SET id += 10 WHILE 1 = 0 SELECT 1 SELECT @@ROWCOUNT AS no_turn
UPDATE t SET id += 10 IF EXISTS (SELECT * FROM t) SELECT @@ROWCOUNT AS from_table
GO
DECLARE @i int = 0
WHILE @i < 1 BEGIN SET @i += 1 UPDATE t SET id += 10 END
SELECT @@ROWCOUNT AS loop_ended
WHILE 1 = 1 BEGIN UPDATE t SET id += 10 BREAK END
SELECT @@ROWCOUNT AS loop_left
GO
UPDATE t SET id += 10 WAITFOR DELAY '00:00' SELECT @@ROWCOUNT AS waited
UPDATE t SET id += 10 CREATE TABLE u (a int) SELECT @@ROWCOUNT AS created
UPDATE t SET id += 10 CREATE INDEX i ON u (a) SELECT @@ROWCOUNT AS indexed
UPDATE t SET id += 10 DROP TABLE u SELECT @@ROWCOUNT AS dropped
UPDATE t SET id += 10 TRUNCATE TABLE t SELECT @@ROWCOUNT AS truncated
GO
SELECT 1 / 0
IF @@ERROR <> 0 SELECT @@ERROR AS cleared
GO
