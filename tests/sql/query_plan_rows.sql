-- SET SHOWPLAN_ALL and SET STATISTICS PROFILE: plans as rows.
-- learn.microsoft.com: SET SHOWPLAN_ALL (Transact-SQL), the table of its columns; SET STATISTICS PROFILE (Transact-SQL): Rows and Executes beside these.
CREATE TABLE maker (id int NOT NULL CONSTRAINT pk_maker PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE part (id int NOT NULL CONSTRAINT pk_part PRIMARY KEY, maker int NOT NULL, price int NOT NULL);
INSERT maker SELECT value, CONCAT('maker', value) FROM GENERATE_SERIES(1, 10);
INSERT part SELECT value, value % 10 + 1, value % 7 FROM GENERATE_SERIES(1, 1000);
GO
SET SHOWPLAN_ALL ON;
GO
SELECT m.name, COUNT(*) AS n FROM part p JOIN maker m ON m.id = p.maker WHERE p.price > 3 GROUP BY m.name ORDER BY n DESC;
UPDATE part SET price = 0 WHERE id = 5;
GO
SET SHOWPLAN_ALL OFF;
GO
SELECT price FROM part WHERE id = 5;
GO
SET STATISTICS PROFILE ON;
GO
SELECT TOP (2) m.name, COUNT(*) AS n FROM part p JOIN maker m ON m.id = p.maker WHERE p.price > 3 GROUP BY m.name ORDER BY n DESC, m.name;
UPDATE part SET price = 1 WHERE id < 4;
DECLARE @n int;
SELECT @n = COUNT(*) FROM maker;
GO
SET STATISTICS PROFILE OFF;
GO
-- Rows that are found at once have no sort for what is the same for all.
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM part ORDER BY (SELECT 1) OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY;
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT TOP (1) WITH TIES id FROM maker ORDER BY (SELECT NULL);
