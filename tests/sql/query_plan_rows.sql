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
GO
-- Rows that are expected: a column of a union is no key; rows that a predicate leaves are no likelier to have a partner than others;
-- few partners may all fail what else is asked of them.
CREATE TABLE returned (part int NOT NULL CONSTRAINT pk_returned PRIMARY KEY);
INSERT returned SELECT value * 2 FROM GENERATE_SERIES(1, 400);
CREATE TABLE line (sale int NOT NULL, n int NOT NULL, price int NOT NULL, CONSTRAINT pk_line PRIMARY KEY (sale, n));
INSERT line SELECT s.value, n.value, s.value * n.value * 37 % 101 FROM GENERATE_SERIES(1, 300) s CROSS JOIN GENERATE_SERIES(1, 3) n;
GO
SET SHOWPLAN_ALL ON;
GO
SELECT COUNT(*) FROM maker m JOIN (SELECT maker FROM part UNION ALL SELECT maker FROM part WHERE id < 11) u ON u.maker = m.id;
SELECT COUNT(*) FROM part p WHERE p.price = 3 AND NOT EXISTS (SELECT * FROM returned r WHERE r.part = p.id);
SELECT COUNT(*) FROM line a WHERE NOT EXISTS (SELECT * FROM line b WHERE b.sale = a.sale AND b.price > a.price);
GO
SET SHOWPLAN_ALL OFF;
GO
SELECT COUNT(*) FROM maker m JOIN (SELECT maker FROM part UNION ALL SELECT maker FROM part WHERE id < 11) u ON u.maker = m.id;
SELECT COUNT(*) FROM part p WHERE p.price = 3 AND NOT EXISTS (SELECT * FROM returned r WHERE r.part = p.id);
SELECT COUNT(*) FROM line a WHERE NOT EXISTS (SELECT * FROM line b WHERE b.sale = a.sale AND b.price > a.price);
