-- DECLARE and SET of a natively compiled module take the value of a subquery, as SELECT does: so WideWorldImporters' procedure for sensor
-- readings goes over its table parameter. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/supported-features-for-natively-compiled-t-sql-modules
CREATE TABLE dbo.readings (sensor INT NOT NULL PRIMARY KEY NONCLUSTERED, temperature DECIMAL(18, 2) NOT NULL) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)
GO
CREATE TYPE dbo.reading_list AS TABLE (id INT IDENTITY NOT NULL PRIMARY KEY NONCLUSTERED, sensor INT NOT NULL, temperature DECIMAL(18, 2) NOT NULL) WITH (MEMORY_OPTIMIZED = ON)
GO
CREATE PROCEDURE dbo.record @list dbo.reading_list READONLY WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
  DECLARE @last INT = (SELECT MAX(id) FROM @list);
  DECLARE @at INT, @sensor INT, @temperature DECIMAL(18, 2);
  SET @at = (SELECT MIN(id) FROM @list);
  WHILE @at <= @last
  BEGIN
    SELECT @sensor = sensor, @temperature = temperature FROM @list WHERE id = @at;
    UPDATE dbo.readings SET temperature = @temperature WHERE sensor = @sensor;
    IF @@ROWCOUNT = 0 INSERT dbo.readings (sensor, temperature) VALUES (@sensor, @temperature);
    SET @at += 1;
  END
  DECLARE @none INT = (SELECT sensor FROM dbo.readings WHERE sensor = -1);
  SELECT @last AS last, @none AS none, sensor, temperature FROM dbo.readings ORDER BY sensor;
END
GO
DECLARE @list dbo.reading_list
INSERT @list (sensor, temperature) VALUES (1, 3.5), (2, 4), (1, 3.75)
EXEC dbo.record @list
GO
CREATE PROCEDURE dbo.several WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
  DECLARE @n INT = (SELECT sensor FROM dbo.readings);
END
GO
EXEC dbo.several
GO
DROP PROCEDURE dbo.record, dbo.several
DROP TYPE dbo.reading_list
DROP TABLE dbo.readings
