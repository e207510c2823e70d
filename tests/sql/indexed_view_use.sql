-- Where an indexed view is read, what shows it, and what becomes of its indexes. learn.microsoft.com: "Create indexed views", "Table hints",
-- ALTER VIEW, DROP INDEX, ALTER INDEX, OBJECTPROPERTY, INDEXPROPERTY, sp_spaceused, sp_helpindex, TRUNCATE TABLE.
CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, g int NOT NULL, v int NOT NULL, s varchar(10) NULL);
INSERT t SELECT value, value % 50, value, CONCAT('s', value % 7) FROM GENERATE_SERIES(1, 2000);
GO
CREATE VIEW v WITH SCHEMABINDING AS SELECT g, SUM(v) AS total, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g
GO
CREATE VIEW w WITH SCHEMABINDING AS SELECT id, g, s FROM dbo.t WHERE v > 1000
GO
CREATE VIEW plain AS SELECT id FROM dbo.t
GO
SELECT OBJECTPROPERTY(OBJECT_ID('v'), 'IsIndexed') AS is_indexed, OBJECTPROPERTY(OBJECT_ID('v'), 'IsIndexable') AS is_indexable, OBJECTPROPERTY(OBJECT_ID('plain'), 'IsIndexable') AS plain;
SELECT * FROM v WITH (NOEXPAND);
GO
CREATE UNIQUE CLUSTERED INDEX cx ON v (g);
CREATE UNIQUE CLUSTERED INDEX cx ON w (id);
CREATE INDEX nx ON w (s, g);
CREATE NONCLUSTERED INDEX ix_total ON v (total DESC) INCLUDE (n);
SELECT OBJECTPROPERTY(OBJECT_ID('v'), 'IsIndexed') AS is_indexed, OBJECTPROPERTY(OBJECT_ID('v'), 'IsView') AS is_view, OBJECTPROPERTY(OBJECT_ID('v'), 'IsTable') AS is_table;
GO
-- Which plan.
SET SHOWPLAN_TEXT ON
GO
SELECT * FROM v WHERE g = 7;
SELECT * FROM v WITH (NOEXPAND) WHERE g = 7;
SELECT * FROM v WHERE g = 7 OPTION (EXPAND VIEWS);
SELECT n FROM v WITH (NOEXPAND, INDEX (ix_total)) WHERE total > 45000;
SELECT id FROM w WITH (NOEXPAND) WHERE s = 's3' AND g = 3;
SELECT a.total, b.id FROM v a JOIN w b ON b.g = a.g WHERE b.id = 1500;
GO
SET SHOWPLAN_TEXT OFF
GO
SELECT * FROM v WHERE g = 7;
SELECT * FROM v AS x WITH (NOEXPAND) WHERE x.g = 7;
SELECT * FROM dbo.v WHERE g = 7 OPTION (EXPAND VIEWS);
SELECT n, total FROM v WITH (NOEXPAND, INDEX (ix_total)) WHERE total > 40900 ORDER BY total;
SELECT TOP 3 v.g FROM v ORDER BY total DESC, g;
SELECT COUNT(*) AS n FROM w WITH (NOEXPAND) WHERE s = 's3' AND g BETWEEN 3 AND 9;
SELECT (SELECT n FROM v WHERE g = t.g) AS n FROM t WHERE id = 60;
SELECT SUM(n) AS n FROM (SELECT n FROM v WITH (NOEXPAND)) AS x;
GO
-- Hints that cannot be followed.
SELECT id FROM plain WITH (NOEXPAND);
GO
SELECT id FROM t WITH (NOEXPAND);
GO
SELECT g FROM v WITH (NOEXPAND, INDEX (nosuch));
GO
SELECT g FROM v WITH (INDEX (cx)) WHERE g = 1;
GO
UPDATE w WITH (NOEXPAND) SET s = 'x';
GO
DELETE x FROM w AS x WITH (NOEXPAND) WHERE x.id = 1;
GO
SET QUOTED_IDENTIFIER OFF
GO
SELECT g FROM v WITH (NOEXPAND) WHERE g = 1;
GO
SELECT g FROM v WHERE g = 1;
GO
SET QUOTED_IDENTIFIER ON
GO
-- A view over it, a procedure, a SELECT INTO.
CREATE VIEW over_v AS SELECT g, n FROM dbo.v WHERE n > 1
GO
SELECT * FROM over_v WHERE g = 3;
SELECT * INTO copied FROM v WITH (NOEXPAND) WHERE g < 3;
SELECT * FROM copied ORDER BY g;
UPDATE t SET s = 'changed' FROM t JOIN v WITH (NOEXPAND) ON v.g = t.g WHERE t.id = 1999 AND v.n > 10;
SELECT id, s FROM w WHERE s = 'changed';
GO
-- The catalog.
SELECT name, index_id, type_desc, is_unique, is_primary_key, is_disabled FROM sys.indexes WHERE object_id IN (OBJECT_ID('v'), OBJECT_ID('w')) ORDER BY object_id, index_id;
SELECT i.name, c.key_ordinal, c.column_id, c.is_descending_key, c.is_included_column FROM sys.index_columns c JOIN sys.indexes i ON i.object_id = c.object_id AND i.index_id = c.index_id
WHERE c.object_id = OBJECT_ID('v') ORDER BY c.index_id, c.index_column_id;
SELECT index_id, partition_number, rows FROM sys.partitions WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
SELECT index_id, row_count FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
SELECT name, stats_id FROM sys.stats WHERE object_id = OBJECT_ID('v') AND name NOT LIKE '[_]WA%' ORDER BY stats_id;
SELECT index_id, index_depth, page_count FROM sys.dm_db_index_physical_stats(DB_ID(), OBJECT_ID('v'), NULL, NULL, 'LIMITED') ORDER BY index_id;
SELECT INDEXPROPERTY(OBJECT_ID('v'), 'cx', 'IsClustered') AS is_clustered, INDEXPROPERTY(OBJECT_ID('v'), 'ix_total', 'IndexID') AS id, INDEX_COL('v', 1, 1) AS column_1,
    INDEXKEY_PROPERTY(OBJECT_ID('v'), 2, 1, 'IsDescending') AS is_descending;
SELECT VIEW_NAME, TABLE_NAME FROM INFORMATION_SCHEMA.VIEW_TABLE_USAGE ORDER BY VIEW_NAME;
EXEC sp_helpindex 'v';
EXEC sp_spaceused 'v';
GO
EXEC sp_spaceused 'plain';
GO
-- Maintenance of indexes.
ALTER INDEX cx ON v REBUILD;
ALTER INDEX ALL ON w REBUILD WITH (FILLFACTOR = 80);
ALTER INDEX ix_total ON v REORGANIZE;
UPDATE STATISTICS v;
ALTER INDEX ix_total ON v DISABLE;
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
INSERT t VALUES (3000, 7, 1, 'n');
ALTER INDEX ix_total ON v REBUILD;
GO
SELECT n, total FROM v WITH (NOEXPAND, INDEX (ix_total)) WHERE g = 7;
GO
ALTER INDEX cx ON v DISABLE;
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
INSERT t VALUES (3001, 7, 1, 'n');
SELECT * FROM v WHERE g = 7;
GO
SELECT * FROM v WITH (NOEXPAND) WHERE g = 7;
GO
ALTER INDEX ix_total ON v REBUILD;
GO
CREATE INDEX another ON v (n);
GO
ALTER INDEX cx ON v REBUILD;
GO
SELECT * FROM v WITH (NOEXPAND) WHERE g = 7;
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
ALTER INDEX ALL ON v REBUILD;
GO
SELECT n, total FROM v WITH (NOEXPAND, INDEX (ix_total)) WHERE g = 7;
CREATE UNIQUE CLUSTERED INDEX cx ON v (g DESC) WITH (DROP_EXISTING = ON);
CREATE INDEX ix_total ON v (n) WITH (DROP_EXISTING = ON);
GO
INSERT t VALUES (3002, 7, 1, 'n');
SELECT * FROM v WITH (NOEXPAND, INDEX (ix_total)) WHERE n = (SELECT MAX(n) FROM v);
GO
ALTER INDEX ALL ON v DISABLE;
ALTER INDEX ALL ON v REBUILD;
SELECT name, is_disabled FROM sys.indexes WHERE object_id = OBJECT_ID('v') ORDER BY index_id;
GO
-- The end of them.
BEGIN TRANSACTION;
DROP INDEX cx ON w;
INSERT t VALUES (3003, 7, 5000, 'n');
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('w');
ROLLBACK;
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('w');
INSERT t VALUES (3004, 7, 5000, 'n');
SELECT * FROM w WITH (NOEXPAND) WHERE id > 3000;
DROP INDEX nx ON w;
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('w');
DROP INDEX w.cx;
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('w');
GO
DROP INDEX cx ON w;
GO
ALTER VIEW v WITH SCHEMABINDING AS SELECT g, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g
GO
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('v');
CREATE UNIQUE CLUSTERED INDEX cx ON v (g);
GO
INSERT t VALUES (3005, 7, 1, 'n');
SELECT * FROM v WITH (NOEXPAND) WHERE g = 7;
DROP VIEW v;
INSERT t VALUES (3006, 7, 1, 'n');
GO
-- What the tables may not have done to them.
CREATE UNIQUE CLUSTERED INDEX cx ON w (id);
GO
TRUNCATE TABLE t;
GO
DROP TABLE t;
GO
ALTER TABLE t ALTER COLUMN g bigint NOT NULL;
GO
ALTER TABLE t DROP COLUMN v;
GO
ALTER TABLE t ADD more int NULL;
ALTER TABLE t ADD CONSTRAINT df_more DEFAULT 5 FOR more;
INSERT t (id, g, v) VALUES (4000, 1, 2000);
SELECT * FROM w WITH (NOEXPAND) WHERE id = 4000;
DBCC CHECKTABLE ('w') WITH NO_INFOMSGS;
GO
