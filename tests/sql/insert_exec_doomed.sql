-- What INSERT ... EXEC calls makes the transaction uncommittable and catches it: nothing can be written in it (3930, "XACT_STATE").
CREATE TABLE t0 (id int PRIMARY KEY)
CREATE TABLE t1 (id int, state int)
GO
CREATE TRIGGER tr0 ON t0 AFTER INSERT AS DECLARE @n int = CONVERT(int, 'x')
GO
INSERT t1 EXEC ('BEGIN TRY
    INSERT t0 VALUES (1)
END TRY
BEGIN CATCH
    SELECT 1, XACT_STATE()
END CATCH')
SELECT 'not reached'
GO
SELECT @@TRANCOUNT AS count, XACT_STATE() AS state
INSERT t1 VALUES (2, 2)
SELECT id, state FROM t1
SELECT id FROM t0
GO
DROP TABLE t0, t1
GO
