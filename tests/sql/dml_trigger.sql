CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, v varchar(10));
CREATE TABLE audit (n int IDENTITY, what varchar(10), id int, v varchar(10));
GO
CREATE TRIGGER tr_t ON t AFTER INSERT, UPDATE, DELETE AS
BEGIN
    SET NOCOUNT ON;
    INSERT audit (what, id, v) SELECT 'ins', id, v FROM inserted;
    INSERT audit (what, id, v) SELECT 'del', id, v FROM deleted;
    IF UPDATE(v) PRINT 'v was named';
    DECLARE @i int = (SELECT COUNT(*) FROM inserted), @d int = (SELECT COUNT(*) FROM deleted);
    PRINT CONCAT('level ', TRIGGER_NESTLEVEL(), ' rows ', @i, '/', @d);
END
GO
INSERT t VALUES (1, 'a'), (2, 'b');
UPDATE t SET v = 'c' WHERE id = 1;
UPDATE t SET id = 5 WHERE id = 1;
DELETE t;
DELETE t;
SELECT * FROM audit ORDER BY n;
GO
CREATE TRIGGER tr_refuse ON t AFTER INSERT AS
IF EXISTS (SELECT 1 FROM inserted WHERE v = 'bad') BEGIN RAISERROR('refused', 16, 1); ROLLBACK; END
GO
INSERT t VALUES (7, 'bad');
PRINT 'never';
GO
SELECT COUNT(*) AS n, @@TRANCOUNT AS tc FROM t;
BEGIN TRAN;
INSERT t VALUES (8, 'bad');
GO
SELECT @@TRANCOUNT AS tc;
GO
BEGIN TRY
    INSERT t VALUES (8, 'bad');
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS m, ERROR_PROCEDURE() AS p, XACT_STATE() AS x;
    IF @@TRANCOUNT > 0 ROLLBACK;
END CATCH
GO
DROP TRIGGER tr_refuse;
DISABLE TRIGGER tr_t ON t;
INSERT t VALUES (1, 'quiet');
ENABLE TRIGGER tr_t ON t;
GO
CREATE TABLE i (id int, v varchar(10));
GO
CREATE TRIGGER tr_i ON i INSTEAD OF INSERT AS
INSERT i SELECT id + 100, v FROM inserted;
GO
INSERT i VALUES (1, 'via'), (2, 'via');
SELECT * FROM i ORDER BY id;
GO
CREATE TABLE k (id int IDENTITY, a int);
CREATE TABLE k2 (id int IDENTITY(1000, 1), a int);
GO
CREATE TRIGGER tr_k ON k AFTER INSERT AS INSERT k2 (a) SELECT a FROM inserted;
GO
INSERT k (a) VALUES (5);
SELECT @@IDENTITY AS i, SCOPE_IDENTITY() AS s, @@ROWCOUNT AS r;
GO
CREATE TRIGGER tr_k2 ON k2 AFTER INSERT AS
BEGIN
    DECLARE @x int = (SELECT COUNT(*) FROM inserted);
    THROW 50010, 'from the depth', 1;
END
GO
INSERT k (a) VALUES (6);
PRINT 'never';
GO
SELECT COUNT(*) AS k, (SELECT COUNT(*) FROM k2) AS k2 FROM k;
GO
-- A trigger that returns rows, and one that fires on no rows.
CREATE TABLE r (a int);
GO
CREATE TRIGGER tr_r ON r FOR UPDATE AS SELECT 'fired' AS f, COUNT(*) AS n FROM inserted;
GO
UPDATE r SET a = 1;
GO
GO
-- The one trigger that takes an action's place has no order. 15133
CREATE TABLE ordered (a int)
GO
CREATE TRIGGER tr_instead ON ordered INSTEAD OF INSERT AS PRINT 'instead'
GO
EXEC sp_settriggerorder 'tr_instead', 'First', 'INSERT'
EXEC sp_settriggerorder 'tr_instead', 'First', 'UPDATE'
DROP TABLE ordered
GO
-- https://learn.microsoft.com/sql/t-sql/statements/create-trigger-transact-sql
