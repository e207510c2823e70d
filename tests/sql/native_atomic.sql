-- Atomic blocks of natively compiled procedures: transactions, errors, isolation, settings. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/atomic-blocks-in-native-procedures
CREATE TABLE dbo.t1 (c1 int NOT NULL PRIMARY KEY NONCLUSTERED, note varchar(20) NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.usp_t1 @v1 bigint NOT NULL, @v2 bigint NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC
WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english', DELAYED_DURABILITY = ON)
  INSERT dbo.t1 (c1) VALUES (@v1)
  INSERT dbo.t1 (c1) VALUES (@v2)
END
GO
SELECT uses_native_compilation, is_schema_bound, OBJECTPROPERTY(object_id, 'ExecIsWithNativeCompilation') AS native,
  OBJECTPROPERTY(OBJECT_ID('dbo.t1'), 'TableIsMemoryOptimized') AS in_memory
FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.usp_t1');
GO
EXEC dbo.usp_t1 1, 2;
SELECT @@TRANCOUNT AS open_transactions, @@ROWCOUNT AS counted;
SELECT c1 FROM dbo.t1;
GO
-- An error takes the whole block back, and ends the batch.
EXEC dbo.usp_t1 3, 4444444444444;
SELECT 'not reached' AS never;
GO
SELECT @@TRANCOUNT AS open_transactions;
SELECT c1 FROM dbo.t1;
GO
-- In a transaction: a savepoint
BEGIN TRANSACTION;
EXEC dbo.usp_t1 3, 4;
SELECT @@TRANCOUNT AS open_transactions;
BEGIN TRY
  EXEC dbo.usp_t1 5, 4444444444444;
END TRY
BEGIN CATCH
  PRINT N'Error occurred: ' + ERROR_MESSAGE();
  SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS place, ERROR_LINE() AS line, XACT_STATE() AS state;
END CATCH
SELECT @@TRANCOUNT AS open_transactions;
SELECT c1 FROM dbo.t1 WITH (SNAPSHOT) ORDER BY c1;
COMMIT;
GO
SELECT @@TRANCOUNT AS open_transactions, (SELECT COUNT(*) FROM dbo.t1) AS rows;
GO
-- Without a CATCH the batch ends and its transaction stays.
BEGIN TRANSACTION;
INSERT dbo.t1 (c1) VALUES (6);
EXEC dbo.usp_t1 7, 6;
SELECT 'not reached' AS never;
GO
SELECT @@TRANCOUNT AS open_transactions, XACT_STATE() AS state;
COMMIT;
SELECT c1 FROM dbo.t1 WHERE c1 > 4 ORDER BY c1;
GO
-- XACT_ABORT is off inside, and what an interpreted procedure passes on dooms nothing.
CREATE PROCEDURE dbo.caller AS EXEC dbo.usp_t1 8, 6;
GO
SET XACT_ABORT ON;
BEGIN TRANSACTION;
BEGIN TRY EXEC dbo.caller; END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state; END CATCH
ROLLBACK;
SET XACT_ABORT OFF;
GO
-- NULL for NOT NULL
EXEC dbo.usp_t1 NULL, 1;
GO
DECLARE @n bigint;
BEGIN TRY EXEC dbo.usp_t1 @v1 = 1, @v2 = @n; END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message, ERROR_PROCEDURE() AS place; END CATCH
GO
CREATE PROCEDURE dbo.nulls @a int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @b int NOT NULL = 1;
  SET @b = @a;
END
GO
EXEC dbo.nulls 1;
EXEC dbo.nulls NULL;
GO
-- TRY, CATCH, THROW and RETURN
CREATE PROCEDURE dbo.tries @a int, @how int = 0 OUTPUT WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = REPEATABLE READ, LANGUAGE = N'us_english')
  BEGIN TRY
    INSERT dbo.t1 (c1) VALUES (@a);
    SET @how = @@ROWCOUNT;
    INSERT dbo.t1 (c1) VALUES (1);
  END TRY
  BEGIN CATCH
    IF @a = 22
    BEGIN
      THROW 50001, N'it is 22', 3;
    END
    SET @how = @how + ERROR_NUMBER();
    IF @a = 21 RETURN 5;
    IF @a = 23 THROW;
  END CATCH
  SELECT c1 FROM dbo.t1 WHERE c1 = @a;
END
GO
DECLARE @how int, @r int;
EXEC @r = dbo.tries 20, @how OUTPUT; SELECT @how AS how, @r AS status;
EXEC @r = dbo.tries 21, @how OUTPUT; SELECT @how AS how, @r AS status;
SELECT c1 FROM dbo.t1 WHERE c1 >= 20;
GO
EXEC dbo.tries 22;
GO
BEGIN TRY EXEC dbo.tries 23; END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_LINE() AS line, ERROR_STATE() AS state; END CATCH
SELECT c1 FROM dbo.t1 WHERE c1 >= 20;
GO
-- Settings are the block's, and the caller's come back.
CREATE PROCEDURE dbo.settings WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'Deutsch')
  SELECT DATENAME(month, CAST('01.03.2024' AS datetime)) AS month, DATEPART(weekday, DATEFROMPARTS(2024, 3, 4)) AS monday;
END
GO
CREATE PROCEDURE dbo.own_settings WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'Deutsch', DATEFIRST = 3, DATEFORMAT = mdy)
  SELECT DATENAME(month, CAST('01/03/2024' AS datetime)) AS month, DATEPART(weekday, DATEFROMPARTS(2024, 3, 4)) AS monday;
END
GO
SET ROWCOUNT 1; SET DATEFORMAT ymd; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
EXEC dbo.settings;
EXEC dbo.own_settings;
SELECT @@LANGUAGE AS language, @@DATEFIRST AS first, transaction_isolation_level, date_format
FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
SET ROWCOUNT 0; SET DATEFORMAT mdy; SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
GO
-- Levels that do not go together
CREATE PROCEDURE dbo.reads WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')
  SELECT COUNT(*) AS rows FROM dbo.t1;
END
GO
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
EXEC dbo.reads;
BEGIN TRANSACTION;
EXEC dbo.usp_t1 30, 31;
EXEC dbo.reads;
GO
ROLLBACK;
SET TRANSACTION ISOLATION LEVEL SNAPSHOT;
EXEC dbo.usp_t1 30, 31;
BEGIN TRANSACTION;
EXEC dbo.reads;
GO
ROLLBACK;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
GO
-- One block within another: both or neither
CREATE PROCEDURE dbo.nested @a int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')
  BEGIN TRY
    EXEC dbo.usp_t1 @a, 1;
  END TRY
  BEGIN CATCH
    INSERT dbo.t1 (c1, note) VALUES (@a + 1, 'of CATCH');
  END CATCH
  SELECT c1, note FROM dbo.t1 WHERE c1 >= @a;
END
GO
EXEC dbo.nested 40;
GO
-- A loop sends nothing, and is one transaction.
CREATE PROCEDURE dbo.loops @rows int WITH NATIVE_COMPILATION, SCHEMABINDING
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @i int = 0;
  WHILE @i < @rows
  BEGIN
    BEGIN
      INSERT INTO dbo.t1 (c1, note) VALUES (1000 + @i, 'loop');
    END;
    UPDATE dbo.t1 SET note = 'twice' WHERE c1 = 1000 + @i;
    SET @i += 1;
  END;
  DELETE dbo.t1 WHERE c1 = 1000;
END
GO
EXEC dbo.loops 1000;
SELECT COUNT(*) AS rows, MIN(c1) AS first FROM dbo.t1 WHERE note = 'twice';
GO
-- IMPLICIT_TRANSACTIONS
SET IMPLICIT_TRANSACTIONS ON;
EXEC dbo.usp_t1 50, 51;
SELECT @@TRANCOUNT AS open_transactions;
ROLLBACK;
SET IMPLICIT_TRANSACTIONS OFF;
SELECT COUNT(*) AS rows FROM dbo.t1 WHERE c1 IN (50, 51);
GO
-- Rows for an INSERT, and functions
CREATE FUNCTION dbo.doubled (@a int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @found int;
  SELECT @found = c1 FROM dbo.t1 WHERE c1 = @a;
  RETURN @found * 2;
END
GO
CREATE PROCEDURE dbo.uses_function WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  SELECT c1, dbo.doubled(c1) AS twice FROM dbo.t1 WHERE c1 < 3;
END
GO
CREATE TABLE #rows (a int, b int);
INSERT #rows EXEC dbo.uses_function;
SELECT a, b, dbo.doubled(a) AS again FROM #rows ORDER BY a;
GO
-- A function of one query, and a trigger
CREATE FUNCTION dbo.below (@a int NOT NULL) RETURNS TABLE WITH NATIVE_COMPILATION, SCHEMABINDING AS
RETURN SELECT c1, note FROM dbo.t1 WHERE c1 < @a;
GO
CREATE TABLE dbo.log (id int IDENTITY PRIMARY KEY NONCLUSTERED, c1 int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
GO
-- A trigger goes with its table, also where it reads it.
CREATE TABLE dbo.own (id int NOT NULL PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE TRIGGER dbo.reads_own ON dbo.own WITH NATIVE_COMPILATION, SCHEMABINDING FOR INSERT AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') SELECT COUNT(*) AS rows FROM dbo.own; END
GO
INSERT dbo.own VALUES (1);
DROP TABLE dbo.own;
GO
CREATE TRIGGER dbo.logs ON dbo.t1 WITH NATIVE_COMPILATION, SCHEMABINDING AFTER INSERT AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  INSERT dbo.log (c1) SELECT 100 / (i.c1 - 70) FROM inserted AS i;
END
GO
CREATE PROCEDURE dbo.uses_both @a int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  INSERT dbo.t1 (c1) VALUES (@a);
  SELECT c1 FROM dbo.below(3);
END
GO
EXEC dbo.uses_both 72;
INSERT dbo.t1 (c1) VALUES (73);
SELECT c1 FROM dbo.log;
SELECT name, is_nullable FROM sys.parameters WHERE object_id IN (OBJECT_ID('dbo.below'), OBJECT_ID('dbo.uses_both'));
GO
EXEC dbo.uses_both 70;
GO
BEGIN TRANSACTION;
INSERT dbo.t1 (c1) VALUES (74);
INSERT dbo.t1 (c1) VALUES (70);
GO
SELECT @@TRANCOUNT AS open_transactions;
IF @@TRANCOUNT > 0 COMMIT;
SELECT c1 FROM dbo.t1 WHERE c1 BETWEEN 70 AND 79 ORDER BY c1;
DROP TRIGGER dbo.logs;
DROP PROCEDURE dbo.uses_both;
DROP FUNCTION dbo.below;
DROP TABLE dbo.log;
GO
-- Table types in memory
CREATE TYPE dbo.keys AS TABLE (k int NOT NULL PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.of_keys @keys dbo.keys READONLY WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @own dbo.keys;
  INSERT @own SELECT k FROM @keys WHERE k < 3;
  SELECT t.c1 FROM dbo.t1 AS t INNER JOIN @own AS o ON o.k = t.c1;
END
GO
DECLARE @k dbo.keys; INSERT @k VALUES (1), (2), (3); EXEC dbo.of_keys @k;
GO
-- What a native module depends on stays.
DROP TABLE dbo.t1;
GO
ALTER TABLE dbo.t1 DROP COLUMN note;
GO
ALTER TABLE dbo.t1 ALTER COLUMN note varchar(5);
GO
EXEC sp_rename 'dbo.t1', 't2';
GO
EXEC sp_rename 'dbo.t1.c1', 'c2', 'COLUMN';
GO
DROP FUNCTION dbo.doubled;
GO
ALTER FUNCTION dbo.doubled (@a int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english') RETURN @a END
GO
DROP TYPE dbo.keys;
GO
ALTER TABLE dbo.t1 ADD more int NULL;
GO
EXEC dbo.usp_t1 60, 61;
SELECT c1, note, more FROM dbo.t1 WHERE c1 >= 60 AND c1 < 100;
GO
ALTER PROCEDURE dbo.uses_function WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  SELECT 1 AS one;
END
GO
DROP FUNCTION dbo.doubled;
EXEC dbo.uses_function;
DROP PROCEDURE dbo.nested, dbo.usp_t1, dbo.caller, dbo.nulls, dbo.tries, dbo.settings, dbo.own_settings, dbo.reads, dbo.loops,
  dbo.uses_function, dbo.of_keys;
DROP TYPE dbo.keys;
DROP TABLE dbo.t1;
GO
