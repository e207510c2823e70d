-- https://learn.microsoft.com/sql/t-sql/functions/collation-functions-collationproperty-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/databasepropertyex-transact-sql
SELECT v.name, COLLATIONPROPERTY(v.name, 'CodePage') AS code_page, COLLATIONPROPERTY(v.name, 'LCID') AS lcid,
  COLLATIONPROPERTY(v.name, 'ComparisonStyle') AS style, COLLATIONPROPERTY(v.name, 'Version') AS version
FROM (VALUES ('Latin1_General_CI_AS'), ('Latin1_General_CS_AS'), ('Latin1_General_CI_AI'), ('Latin1_General_CS_AS_KS_WS'), ('Latin1_General_BIN'),
  ('Japanese_CI_AS_KS'), ('Japanese_CI_AS_WS'), ('Czech_100_CI_AS'), ('SQL_Latin1_General_CP1_CI_AS')) AS v(name)
GO
CREATE DATABASE cp_japanese COLLATE Japanese_CI_AS_KS
GO
SELECT d.name, DATABASEPROPERTYEX(d.name, 'ComparisonStyle') AS style, DATABASEPROPERTYEX(d.name, 'LCID') AS lcid,
  DATABASEPROPERTYEX(d.name, 'SQLSortOrder') AS sort_order
FROM (VALUES ('master'), ('cp_japanese')) AS d(name)
SELECT v.name, DATABASEPROPERTYEX('cp_japanese', v.name) AS value, SQL_VARIANT_PROPERTY(DATABASEPROPERTYEX('cp_japanese', v.name), 'BaseType') AS type
FROM (VALUES ('IsAutoCreateStatisticsIncremental'), ('IsClone'), ('IsMemoryOptimizedElevateToSnapshotEnabled'), ('IsVerifiedClone'), ('IsXTPSupported'),
  ('LastGoodCheckDbTime'), ('MaxSizeInBytes'), ('Nothing')) AS v(name)
ALTER DATABASE cp_japanese SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON
SELECT DATABASEPROPERTYEX('cp_japanese', 'IsMemoryOptimizedElevateToSnapshotEnabled') AS elevates
DROP DATABASE cp_japanese
GO
