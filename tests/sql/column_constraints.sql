-- What is written beside a column: it is about that column alone, and has one key; a default has a type that the column takes.
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql, https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (206, 257, 8140, 8141, 8148)
CREATE TABLE a1 (d date CONSTRAINT df_a1 DEFAULT (1))
GO
CREATE TABLE a2 (g uniqueidentifier CONSTRAINT df_a2 DEFAULT (1.5))
GO
CREATE TABLE a4 (i int CONSTRAINT df_a4 DEFAULT (GETDATE()))
GO
CREATE TABLE a8 (b varbinary(10) CONSTRAINT df_a8 DEFAULT ('x'))
GO
CREATE TABLE a10 (i int CONSTRAINT df_a10 DEFAULT (CAST(NULL AS date)))
GO
CREATE TABLE a12 (id int)
ALTER TABLE a12 ADD CONSTRAINT df_a12 DEFAULT (CAST(NULL AS int)) FOR id
ALTER TABLE a12 ADD d date NULL CONSTRAINT df_a12d DEFAULT (1)
GO
CREATE TABLE kept (id int, d datetime CONSTRAINT df_d DEFAULT (1), t time CONSTRAINT df_t DEFAULT ((NULL)), x xml CONSTRAINT df_x DEFAULT NULL, v date CONSTRAINT df_v DEFAULT ('x'))
GO
CREATE TABLE dbo.parent (value int CONSTRAINT pk_parent PRIMARY KEY, v2 int NOT NULL, CONSTRAINT uq_p UNIQUE (value, v2))
GO
CREATE TABLE dbo.other (a int NULL, b int NULL CONSTRAINT fk_other FOREIGN KEY (a) REFERENCES dbo.parent (value))
GO
SELECT 1 AS before;
CREATE TABLE dbo.multi (a int NULL, b int NULL CONSTRAINT fk_multi FOREIGN KEY (a, b) REFERENCES dbo.parent (value, v2));
SELECT 2 AS after
GO
SELECT 1 AS before;
CREATE TABLE dbo.ck1 (a int NULL, b int NULL CONSTRAINT ck_ck1 CHECK (a > 0));
SELECT 2 AS after;
GO
CREATE TABLE dbo.ck2 (a int NULL CHECK (a > 0 AND b > 0), b int NULL);
GO
CREATE TABLE dbo.ck3 (a int NULL CHECK (zz > 0));
GO
CREATE TABLE s.ck4 (a int NULL, b int CHECK (a > 0));
GO
CREATE TABLE dbo.ck8 (a int NULL CHECK (a > 0 AND zz > 0 AND b > 0), b int NULL, c int CHECK (a > 1));
GO
CREATE TABLE dbo.ck9 (a int NULL CHECK (EXISTS (SELECT b FROM sys.objects)), b int NULL);
GO
CREATE TABLE dbo.ck10 (a int NULL CHECK (a > 0) CHECK (b > 0), b int NULL);
GO
CREATE TABLE t7 (id int IDENTITY CONSTRAINT pk_t7 PRIMARY KEY, n int)
SET IDENTITY_INSERT t7 ON; INSERT t7 DEFAULT VALUES
GO
ALTER TABLE t7 NOCHECK CONSTRAINT nosuch
GO
ALTER TABLE t7 CHECK CONSTRAINT pk_t7
GO
CREATE TABLE p (d decimal(5,2) CONSTRAINT pk_p PRIMARY KEY)
GO
CREATE TABLE c1 (d decimal(6,2) CONSTRAINT f1 REFERENCES p (d))
GO
CREATE TABLE c2 (d int CONSTRAINT f1 REFERENCES p (d))
GO
CREATE TABLE c3 (d decimal(5,2) NOT NULL CONSTRAINT f1 REFERENCES p (d) ON DELETE SET NULL)
GO
