-- An AFTER trigger reads `inserted` and `deleted` from the row that was changed last to the first, whatever keys the table has: what a
-- cursor, TOP and an assignment over them get. An INSTEAD OF trigger reads them as they came, and an ORDER BY is kept. https://learn.microsoft.com/sql/relational-databases/triggers/use-the-inserted-and-deleted-tables
CREATE TABLE t (id INT PRIMARY KEY, a INT)
CREATE TABLE h (a INT)
GO
CREATE TRIGGER tt ON t AFTER INSERT, UPDATE, DELETE AS
BEGIN
    SET NOCOUNT ON
    SELECT 'inserted' AS r, id, a FROM inserted
    SELECT 'deleted' AS r, id, a FROM deleted
    DECLARE @last INT, @seen VARCHAR(100) = '', @id INT
    SELECT @last = id FROM inserted
    DECLARE c CURSOR LOCAL FOR SELECT id FROM inserted
    OPEN c
    FETCH NEXT FROM c INTO @id
    WHILE @@FETCH_STATUS = 0 BEGIN SET @seen += CONCAT(@id, ' '); FETCH NEXT FROM c INTO @id END
    SELECT @last AS last, @seen AS seen, (SELECT TOP (1) id FROM inserted) AS top1,
           (SELECT TOP (1) id FROM inserted WHERE a > 0) AS where1, (SELECT STRING_AGG(id, ',') FROM inserted) AS agg
    SELECT id FROM inserted ORDER BY id
    SELECT i.id, i.a, d.a FROM inserted AS i JOIN deleted AS d ON d.id = i.id WHERE i.id = 2
END
GO
CREATE TRIGGER th ON h AFTER INSERT AS SELECT a FROM inserted
GO
SET NOCOUNT ON
INSERT t VALUES (3, 1), (1, 2), (2, 3)
UPDATE t SET a += 1
DELETE t WHERE id < 3
INSERT h VALUES (3), (1), (2)
GO
CREATE VIEW v AS SELECT id, a FROM t
GO
CREATE TRIGGER tv ON v INSTEAD OF INSERT AS SELECT id FROM inserted
GO
INSERT v VALUES (9, 1), (7, 1), (8, 1)
GO
DROP VIEW v
DROP TABLE t, h
