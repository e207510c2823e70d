-- One DELETE or UPDATE may come to a table once. SET NULL and SET DEFAULT only update the rows that they come to, so what refers to
-- these by other columns is not reached that way.
-- https://learn.microsoft.com/sql/relational-databases/tables/primary-and-foreign-key-constraints#cascading-referential-integrity
-- "the tree of cascading referential actions must not have more than one path to any specified table"
CREATE TABLE dbo.tag (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.product (id int NOT NULL PRIMARY KEY, category int REFERENCES dbo.tag ON DELETE SET NULL)
CREATE TABLE dbo.product_tag (product int REFERENCES dbo.product ON DELETE CASCADE, tag int REFERENCES dbo.tag ON DELETE CASCADE, PRIMARY KEY (product, tag))
INSERT dbo.tag VALUES (1), (2)
INSERT dbo.product VALUES (10, 1), (20, 2)
INSERT dbo.product_tag VALUES (10, 1), (10, 2), (20, 1), (20, 2)
GO
DELETE dbo.tag WHERE id = 1
SELECT id, category FROM dbo.product ORDER BY id
SELECT product, tag FROM dbo.product_tag ORDER BY product, tag
GO
-- Two ways of SET NULL, by different tables.
CREATE TABLE dbo.a (id int NOT NULL PRIMARY KEY)
CREATE TABLE dbo.b (id int NOT NULL PRIMARY KEY, a int REFERENCES dbo.a ON DELETE SET NULL)
CREATE TABLE dbo.c (id int NOT NULL PRIMARY KEY, a int REFERENCES dbo.a ON DELETE SET NULL, b int REFERENCES dbo.b ON DELETE SET NULL)
INSERT dbo.a VALUES (1)
INSERT dbo.b VALUES (2, 1)
INSERT dbo.c VALUES (3, 1, 2)
DELETE dbo.a
SELECT c.id, c.a, c.b, b.a AS of_b FROM dbo.c JOIN dbo.b ON b.id = c.b
GO
-- Refused: twice from one table, back to itself, a cycle of deleted rows, a diamond of CASCADE, and an update behind SET NULL that
-- comes to a table which the DELETE reaches.
CREATE TABLE dbo.twice (a int CONSTRAINT f1 REFERENCES dbo.a ON DELETE CASCADE, b int CONSTRAINT f2 REFERENCES dbo.a ON DELETE SET NULL)
GO
CREATE TABLE dbo.itself (id int PRIMARY KEY, parent int CONSTRAINT f3 REFERENCES dbo.itself ON DELETE SET NULL)
GO
ALTER TABLE dbo.tag ADD product int CONSTRAINT f4 REFERENCES dbo.product ON DELETE CASCADE
GO
CREATE TABLE dbo.low (product int CONSTRAINT f5 REFERENCES dbo.product ON DELETE CASCADE, a int CONSTRAINT f6 REFERENCES dbo.a ON DELETE CASCADE)
ALTER TABLE dbo.product ADD a int CONSTRAINT f7 REFERENCES dbo.a ON DELETE CASCADE
GO
CREATE TABLE dbo.named (id int PRIMARY KEY, a int NULL UNIQUE REFERENCES dbo.a ON DELETE SET NULL)
CREATE TABLE dbo.behind (a int CONSTRAINT f8 REFERENCES dbo.named (a) ON UPDATE CASCADE, b int CONSTRAINT f9 REFERENCES dbo.a ON DELETE CASCADE)
GO
