-- https://learn.microsoft.com/sql/t-sql/functions/indexproperty-transact-sql: IsStatistics is 1 of what "CREATE STATISTICS or the AUTO_CREATE_STATISTICS option"
-- made, IsAutoStatistics of what the option made.
CREATE TABLE dbo.automatic (a int NOT NULL, b int NOT NULL, c int NOT NULL)
INSERT dbo.automatic SELECT value, value % 10, value % 50 FROM GENERATE_SERIES(1, 2000)
CREATE STATISTICS made ON dbo.automatic (a, b)
CREATE INDEX plain ON dbo.automatic (b)
GO
SELECT COUNT(*) AS n FROM dbo.automatic x JOIN dbo.automatic y ON x.b = y.a WHERE x.c > 5
GO
SELECT LEFT(name, 16) AS name, CASE INDEXPROPERTY(object_id, name, 'IndexID') WHEN stats_id THEN 'own' END AS number, INDEXPROPERTY(object_id, name, 'IsStatistics') AS is_statistics,
  INDEXPROPERTY(object_id, name, 'IsAutoStatistics') AS is_automatic, INDEXPROPERTY(object_id, name, 'IsUnique') AS is_unique,
  INDEXPROPERTY(object_id, name, 'IndexFillFactor') AS fill_factor, INDEXPROPERTY(object_id, name, 'nothing') AS nothing
FROM sys.stats WHERE object_id = OBJECT_ID('dbo.automatic') ORDER BY stats_id
SELECT INDEXPROPERTY(OBJECT_ID('dbo.automatic'), '_WA_Sys_000000FF_00000000', 'IsStatistics') AS none
GO
