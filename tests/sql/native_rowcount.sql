-- @@ROWCOUNT within a native module is of the statement before, machine code or not, wherever it is read. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/supported-features-for-natively-compiled-t-sql-modules
CREATE TABLE dbo.counted (k int NOT NULL PRIMARY KEY NONCLUSTERED, note varchar(20) NOT NULL DEFAULT '') WITH (MEMORY_OPTIMIZED = ON);
INSERT dbo.counted (k) SELECT value FROM GENERATE_SERIES(1, 9);
GO
CREATE PROCEDURE dbo.ranges @from int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @n int, @m int, @k int;
  SELECT @k = k FROM dbo.counted WHERE k > @from;
  SELECT @n = COUNT(*) FROM dbo.counted WHERE k >= @@ROWCOUNT;
  SELECT @m = COUNT(*) FROM dbo.counted WHERE k > 3 AND k - 1 > @@ROWCOUNT;
  SELECT @from AS from_, @k AS k, @n AS n, @m AS m;
END
GO
EXEC dbo.ranges 2;
EXEC dbo.ranges 6;
GO
CREATE PROCEDURE dbo.rows_put WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
  DECLARE @k int;
  SELECT @k = k FROM dbo.counted WHERE k > 4 AND k < 8;
  INSERT dbo.counted (k, note) VALUES (100, 'three: ' + CAST(@@ROWCOUNT AS varchar(10)));
  INSERT dbo.counted (k, note) VALUES (101, 'one: ' + CAST(@@ROWCOUNT AS varchar(10)));
  UPDATE dbo.counted SET k = k + 0 WHERE k = 5000;
  INSERT dbo.counted (k, note) VALUES (102, 'none: ' + CAST(@@ROWCOUNT AS varchar(10)));
END
GO
EXEC dbo.rows_put;
SELECT k, note FROM dbo.counted WHERE k >= 100 ORDER BY k;
GO
