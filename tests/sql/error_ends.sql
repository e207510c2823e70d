-- What an error ends: its statement (XACT_STATE() stays 1 in a CATCH) or the transaction (-1), with XACT_ABORT OFF and ON.
-- https://learn.microsoft.com/sql/t-sql/statements/set-xact-abort-transact-sql
SET NOCOUNT ON;
CREATE TABLE t (a int, b int NOT NULL DEFAULT 0, c varchar(2), x xml);
CREATE TABLE parent (id int CONSTRAINT pk_parent PRIMARY KEY);
CREATE TABLE child (id int CONSTRAINT fk_child REFERENCES parent, n int CHECK (n < 10));
CREATE TABLE numbered (id int IDENTITY, a int);
CREATE TABLE numbered_too (id int IDENTITY, a int);
CREATE UNIQUE INDEX ux ON child (n);
INSERT t (a) VALUES (1), (1);
INSERT parent VALUES (1);
INSERT child VALUES (1, 1);
CREATE TYPE word FROM varchar(5);
CREATE SEQUENCE s AS int;
GO
CREATE VIEW v AS SELECT a FROM t;
GO
CREATE PROCEDURE p @a int AS SELECT @a AS a;
GO
CREATE PROCEDURE ends AS RAISERROR('procedure', 16, 1);
GO
CREATE TABLE cases (number int IDENTITY, text nvarchar(300));
-- Rows, values, calls.
INSERT cases VALUES ('INSERT parent VALUES (1)'), ('INSERT child VALUES (2, 2)'), ('INSERT child VALUES (1, 10)'), ('INSERT child VALUES (1, 1)'),
    ('INSERT t (b) VALUES (NULL)'), ('INSERT t (c) VALUES (''abc'')'), ('SELECT 1 / 0'), ('DECLARE @x tinyint = 256'),
    ('SELECT CONVERT(int, ''x'')'), ('SELECT CONVERT(date, ''x'')'), ('SELECT CONVERT(uniqueidentifier, ''x'')'), ('SELECT CONVERT(money, ''x'')'),
    ('SELECT CONVERT(xml, ''<a>'')'), ('SELECT (SELECT a FROM t)'), ('EXEC p'), ('EXEC p 1, 2'), ('EXEC p @z = 1'), ('EXEC nowhere'),
    ('EXEC p ''x'''), ('RAISERROR(''raised'', 16, 1)'), ('THROW 50000, ''thrown'', 1'), ('EXEC ends'), ('COMMIT; COMMIT'),
    ('ROLLBACK TRANSACTION nosuch'), ('SELECT a FROM nowhere'), ('SELECT nothing FROM t'), ('SELECT FROM'), ('SELECT @undeclared'),
    ('DECLARE @a int; DECLARE @a int'), ('OPEN nosuch'), ('SET IDENTITY_INSERT nosuch ON');
-- Definitions. Those of compiling are not XACT_ABORT's.
INSERT cases VALUES ('ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 100)'), ('ALTER TABLE child ADD CONSTRAINT f FOREIGN KEY (n) REFERENCES parent (id); DELETE child; ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES parent (id)'),
    ('ALTER TABLE t ADD d int NOT NULL'), ('SET IDENTITY_INSERT numbered ON; SET IDENTITY_INSERT numbered_too ON'), ('SET IDENTITY_INSERT t ON'),
    ('CREATE TYPE word FROM int'), ('ALTER TABLE t DROP CONSTRAINT nosuch'), ('TRUNCATE TABLE v'), ('TRUNCATE TABLE parent'),
    ('ALTER TABLE t ALTER COLUMN nosuch int'), ('ALTER TABLE v ADD a int'), ('CREATE SEQUENCE q AS int INCREMENT BY 0'), ('CREATE SEQUENCE q AS varchar(5)'),
    ('CREATE SEQUENCE q AS int MINVALUE 5 MAXVALUE 1'), ('CREATE SEQUENCE q AS int START WITH 0 MINVALUE 5'), ('ALTER SEQUENCE s MINVALUE 9 MAXVALUE 3'),
    ('CREATE UNIQUE INDEX u ON t (a)'), ('CREATE TABLE t (a int)'), ('CREATE VIEW v AS SELECT 1 AS a'), ('DROP TABLE nosuch'), ('DROP PROCEDURE nosuch'),
    ('DROP TABLE parent'), ('CREATE PROCEDURE q AS BEGIN DECLARE @a int; DECLARE @a int END'), ('CREATE PROCEDURE q AS SELECT @a = 1, a FROM t'),
    ('CREATE PROCEDURE q AS BREAK'), ('CREATE PROCEDURE q AS SELECT nothing FROM t'), ('CREATE INDEX i ON t (nosuch)'), ('USE nosuch');
GO
DECLARE @number int = 1, @text nvarchar(300), @off varchar(50), @on varchar(50);
WHILE @number <= (SELECT MAX(number) FROM cases)
BEGIN
    SELECT @text = text, @off = 'no error', @on = 'no error' FROM cases WHERE number = @number;
    BEGIN TRANSACTION;
    BEGIN TRY EXEC (@text) END TRY
    BEGIN CATCH SET @off = CONCAT(ERROR_NUMBER(), ' ', XACT_STATE()) END CATCH;
    IF @@TRANCOUNT > 0 ROLLBACK;
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    BEGIN TRY EXEC (@text) END TRY
    BEGIN CATCH SET @on = CONCAT(ERROR_NUMBER(), ' ', XACT_STATE()) END CATCH;
    IF @@TRANCOUNT > 0 ROLLBACK;
    SET XACT_ABORT OFF;
    PRINT CONCAT('OFF ', @off, ', ON ', @on, ': ', @text);
    SET @number += 1;
END;
GO
-- Outside of a TRY: the next statement, the next batch.
BEGIN TRANSACTION;
GO
ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 100);
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS level;
GO
BEGIN TRANSACTION;
INSERT child VALUES (2, 2);
SELECT @@TRANCOUNT AS level;
ALTER TABLE t ADD d int NOT NULL;
GO
SELECT @@TRANCOUNT AS level;
GO
-- In a procedure, and in what calls it.
CREATE PROCEDURE fails AS ALTER TABLE t DROP CONSTRAINT nosuch; PRINT 'not reached';
GO
BEGIN TRANSACTION;
EXEC fails;
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS level;
GO
-- XACT_ABORT and what compiling finds.
SET XACT_ABORT ON;
BEGIN TRANSACTION;
GO
CREATE PROCEDURE q AS BEGIN DECLARE @a int; DECLARE @a int END
GO
SELECT @@TRANCOUNT AS level;
GO
CREATE PROCEDURE q AS SELECT @a = 1, a FROM t
GO
SELECT @@TRANCOUNT AS level;
GO
DROP PROCEDURE nosuch;
PRINT 'goes on';
GO
SELECT @@TRANCOUNT AS level;
GO
EXEC ('SELECT FROM');
PRINT 'goes on';
GO
SELECT @@TRANCOUNT AS level;
GO
INSERT child VALUES (2, 2);
GO
SELECT @@TRANCOUNT AS level;
SET XACT_ABORT OFF;
GO
-- In a trigger XACT_ABORT is ON until it is SET.
CREATE TRIGGER tr ON numbered AFTER INSERT AS INSERT child VALUES (2, 2); PRINT 'goes on in the trigger';
GO
BEGIN TRANSACTION;
INSERT numbered VALUES (1);
PRINT 'not reached';
GO
SELECT @@TRANCOUNT AS level;
GO
ALTER TRIGGER tr ON numbered AFTER INSERT AS SET XACT_ABORT OFF; INSERT child VALUES (2, 2); PRINT 'goes on in the trigger';
GO
BEGIN TRANSACTION;
INSERT numbered VALUES (1);
SELECT @@TRANCOUNT AS level;
ROLLBACK;
GO
