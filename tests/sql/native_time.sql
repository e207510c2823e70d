-- Functions of the time in natively compiled modules: of each statement, not of the first. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/supported-features-for-natively-compiled-t-sql-modules
CREATE TABLE dbo.due (id int NOT NULL PRIMARY KEY NONCLUSTERED, at datetime2 NOT NULL, changed datetime NULL, INDEX by_at NONCLUSTERED (at)) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE PROCEDURE dbo.wait_by_range @ms int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DECLARE @n int = 1, @i int = 0;
DELETE dbo.due;
INSERT dbo.due (id, at) VALUES (1, DATEADD(ms, @ms, SYSDATETIME()));
WHILE @n = 1 AND @i < 20000000 BEGIN SELECT @n = COUNT(*) FROM dbo.due WHERE at > SYSDATETIME(); SET @i += 1; END
SELECT CASE WHEN @n = 0 AND @i > 1 THEN 'over' ELSE 'not over' END AS range;
END
GO
CREATE PROCEDURE dbo.wait_by_value @ms int WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DECLARE @start datetime2 = SYSDATETIME(), @i int = 0, @now datetime2 = SYSDATETIME();
WHILE @now < DATEADD(ms, @ms, @start) AND @i < 20000000 BEGIN SET @now = SYSDATETIME(); SET @i += 1; END
UPDATE dbo.due SET at = SYSDATETIME(), changed = GETDATE() WHERE id = LEN('x');
SELECT CASE WHEN @i > 1 AND at >= @now AND ABS(DATEDIFF(ms, at, changed)) < 5 THEN 'over' ELSE 'not over' END AS value FROM dbo.due;
END
GO
EXEC dbo.wait_by_range 30;
EXEC dbo.wait_by_value 30;
GO
