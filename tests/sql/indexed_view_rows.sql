-- What changes the tables of an indexed view changes the view, in the same statement. learn.microsoft.com: "Create indexed views".
-- Each step compares what is stored (NOEXPAND) with what the view's query gives (EXPAND VIEWS).
CREATE TABLE parents (id int NOT NULL CONSTRAINT pk_parents PRIMARY KEY, name varchar(20) NOT NULL, kind char(1) NOT NULL, extra int NULL);
CREATE TABLE sales (id int IDENTITY(1, 1) NOT NULL CONSTRAINT pk_sales PRIMARY KEY, parent int NULL
        CONSTRAINT fk_sales REFERENCES parents (id) ON DELETE CASCADE ON UPDATE CASCADE,
    amount decimal(10, 2) NOT NULL, quantity int NOT NULL, price money NOT NULL, total AS quantity * 2, note varchar(20) NULL);
GO
CREATE VIEW by_parent WITH SCHEMABINDING AS
SELECT parent, SUM(amount) AS amount, SUM(quantity) AS quantity, SUM(price) AS price, SUM(ISNULL(total, 0)) AS total, COUNT_BIG(note) AS notes, COUNT_BIG(*) AS n FROM dbo.sales GROUP BY parent
GO
CREATE VIEW joined WITH SCHEMABINDING AS
SELECT s.id, p.name, s.amount, p.kind FROM dbo.sales s JOIN dbo.parents p ON p.id = s.parent WHERE s.quantity > 0
GO
CREATE VIEW by_kind WITH SCHEMABINDING AS
SELECT p.kind, SUM(s.amount) AS amount, COUNT_BIG(*) AS n FROM dbo.parents p JOIN dbo.sales s ON s.parent = p.id GROUP BY p.kind
GO
INSERT parents VALUES (1, 'one', 'a', NULL), (2, 'two', 'a', NULL), (3, 'three', 'b', NULL);
INSERT sales (parent, amount, quantity, price, note) VALUES (1, 1.50, 1, 1, 'x'), (1, 2.50, 2, 2, NULL), (2, 3, 0, 3, 'y');
GO
CREATE UNIQUE CLUSTERED INDEX cx_by_parent ON by_parent (parent);
CREATE UNIQUE CLUSTERED INDEX cx_joined ON joined (id);
CREATE UNIQUE CLUSTERED INDEX cx_by_kind ON by_kind (kind);
CREATE INDEX nx_joined ON joined (name) INCLUDE (amount);
GO
CREATE PROCEDURE compare AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @wrong int = 0;
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.by_parent WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.by_parent) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.by_parent EXCEPT SELECT * FROM dbo.by_parent WITH (NOEXPAND)) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.joined WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.joined) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.joined EXCEPT SELECT * FROM dbo.joined WITH (NOEXPAND)) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.by_kind WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.by_kind) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong += COUNT(*) FROM (SELECT * FROM dbo.by_kind EXCEPT SELECT * FROM dbo.by_kind WITH (NOEXPAND)) AS x OPTION (EXPAND VIEWS);
    SELECT @wrong AS wrong, (SELECT COUNT(*) FROM dbo.by_parent WITH (NOEXPAND)) AS by_parent, (SELECT COUNT(*) FROM dbo.joined WITH (NOEXPAND)) AS joined, (SELECT COUNT(*) FROM dbo.by_kind WITH (NOEXPAND)) AS by_kind;
END
GO
EXEC compare;
GO
SELECT * FROM by_parent WITH (NOEXPAND) ORDER BY parent;
SELECT * FROM joined WITH (NOEXPAND) ORDER BY id;
SELECT * FROM by_kind WITH (NOEXPAND) ORDER BY kind;
GO
-- INSERT: to a group that is there, to new ones, to the group of NULL.
INSERT sales (parent, amount, quantity, price, note) VALUES (1, 10, 5, 1, NULL), (3, 7, 7, 7, 'z'), (NULL, 1, 1, 1, NULL), (NULL, 2, 2, 2, 'n');
EXEC compare;
INSERT sales (parent, amount, quantity, price) SELECT parent, amount, quantity, price FROM sales;
EXEC compare;
SELECT * FROM by_parent WITH (NOEXPAND) ORDER BY parent;
GO
-- UPDATE: of sums, of groups, of what no view reads, of both tables; of a row to itself.
UPDATE sales SET amount = amount + 1 WHERE parent = 1;
EXEC compare;
UPDATE sales SET parent = 3 WHERE parent = 2;
EXEC compare;
UPDATE sales SET note = 'same';
EXEC compare;
UPDATE sales SET note = NULL, quantity = -quantity WHERE id % 2 = 0;
EXEC compare;
UPDATE parents SET name = name + '!';
EXEC compare;
UPDATE parents SET kind = CASE kind WHEN 'a' THEN 'b' ELSE 'a' END;
EXEC compare;
UPDATE parents SET extra = 5;
EXEC compare;
UPDATE sales SET amount = amount;
EXEC compare;
GO
-- Foreign keys: the children of a key that moves or goes.
UPDATE parents SET id = id + 10;
EXEC compare;
DELETE parents WHERE id = 11;
EXEC compare;
SELECT * FROM joined WITH (NOEXPAND) ORDER BY id;
SELECT * FROM by_kind WITH (NOEXPAND) ORDER BY kind;
GO
-- DELETE, MERGE, OUTPUT INTO, a trigger's own changes, a cursor.
DELETE TOP (2) FROM sales WHERE parent IS NULL;
EXEC compare;
INSERT parents VALUES (20, 'm', 'c', 1);
MERGE sales AS t USING (VALUES (4, 20, 5.5), (999, 20, 6.5), (998, 13, 7.5)) AS s (id, parent, amount) ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET parent = s.parent, amount = s.amount
    WHEN NOT MATCHED THEN INSERT (parent, amount, quantity, price) VALUES (s.parent, s.amount, 1, 1)
    WHEN NOT MATCHED BY SOURCE AND t.parent IS NULL THEN DELETE;
EXEC compare;
SELECT * FROM by_parent WITH (NOEXPAND) ORDER BY parent;
GO
CREATE TABLE staged (parent int, amount decimal(10, 2));
INSERT staged VALUES (20, 100), (13, 200);
CREATE TABLE log_of (parent int NOT NULL, amount decimal(10, 2) NOT NULL);
GO
CREATE VIEW logged WITH SCHEMABINDING AS SELECT parent, SUM(amount) AS amount, COUNT_BIG(*) AS n FROM dbo.log_of GROUP BY parent
GO
CREATE UNIQUE CLUSTERED INDEX cx_logged ON logged (parent);
DELETE staged OUTPUT deleted.parent, deleted.amount INTO log_of;
INSERT staged OUTPUT inserted.parent, inserted.amount INTO log_of VALUES (20, 3), (20, 4), (21, 5);
SELECT parent, amount, n FROM logged ORDER BY parent;
SELECT parent, amount, n FROM logged ORDER BY parent OPTION (EXPAND VIEWS);
DELETE staged;
GO
CREATE TRIGGER tr_staged ON staged AFTER INSERT AS INSERT dbo.sales (parent, amount, quantity, price) SELECT parent, amount, 1, 0 FROM inserted
GO
INSERT staged VALUES (20, 1), (20, 2);
EXEC compare;
GO
CREATE TRIGGER tr_sales ON sales AFTER INSERT AS SELECT n FROM dbo.by_parent WITH (NOEXPAND) WHERE parent = 20
GO
INSERT sales (parent, amount, quantity, price) VALUES (20, 1, 1, 1);
DROP TRIGGER tr_sales;
GO
DECLARE c CURSOR FOR SELECT id FROM sales WHERE parent = 20 FOR UPDATE;
DECLARE @id int;
OPEN c;
FETCH c INTO @id;
UPDATE sales SET amount = 1000 WHERE CURRENT OF c;
FETCH c INTO @id;
DELETE sales WHERE CURRENT OF c;
CLOSE c;
DEALLOCATE c;
EXEC compare;
GO
-- Through a view.
UPDATE joined SET amount = amount * 2 WHERE name LIKE 'm%';
EXEC compare;
GO
DELETE FROM joined WHERE amount > 1;
GO
-- Transactions, savepoints, statements that fail.
BEGIN TRANSACTION;
DELETE sales;
EXEC compare;
SAVE TRANSACTION one;
INSERT sales (parent, amount, quantity, price) VALUES (20, 1, 1, 1);
EXEC compare;
ROLLBACK TRANSACTION one;
EXEC compare;
ROLLBACK;
EXEC compare;
GO
INSERT sales (parent, amount, quantity, price) VALUES (20, 1, 1, 1), (77, 1, 1, 1);
GO
EXEC compare;
UPDATE sales SET quantity = 2147483647 WHERE parent = 20;
GO
EXEC compare;
GO
TRUNCATE TABLE sales;
GO
EXEC compare;
DELETE sales;
EXEC compare;
GO
-- A key of the view that is there twice.
CREATE TABLE codes (id int NOT NULL CONSTRAINT pk_codes PRIMARY KEY, code varchar(10) NULL, live bit NOT NULL);
GO
CREATE VIEW live_codes WITH SCHEMABINDING AS SELECT code FROM dbo.codes WHERE live = 1 AND code IS NOT NULL
GO
CREATE UNIQUE CLUSTERED INDEX ux_live ON live_codes (code);
INSERT codes VALUES (1, 'a', 1), (2, 'a', 0), (3, 'b', 1), (4, NULL, 1), (5, NULL, 1);
GO
INSERT codes VALUES (6, 'c', 1), (7, 'b', 1);
GO
UPDATE codes SET live = 1 WHERE id = 2;
GO
MERGE codes AS t USING (VALUES (8, 'A', 1)) AS s (id, code, live) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.code, s.live);
GO
-- Exchanged within one statement.
UPDATE codes SET code = CASE code WHEN 'a' THEN 'b' ELSE 'a' END WHERE code IS NOT NULL;
UPDATE codes SET live = 1 - live WHERE code = 'b';
SELECT * FROM codes ORDER BY id;
SELECT * FROM live_codes WITH (NOEXPAND) ORDER BY code;
SELECT * FROM live_codes ORDER BY code OPTION (EXPAND VIEWS);
GO
-- SET options.
SET ANSI_WARNINGS OFF;
INSERT codes VALUES (9, 'z', 1);
GO
SET ANSI_WARNINGS ON;
SET QUOTED_IDENTIFIER OFF;
GO
DELETE codes;
GO
SET QUOTED_IDENTIFIER ON;
GO
DBCC CHECKTABLE ('by_parent') WITH NO_INFOMSGS;
DBCC CHECKDB WITH NO_INFOMSGS;
GO
