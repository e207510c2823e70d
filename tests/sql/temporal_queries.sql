-- FOR SYSTEM_TIME: its five forms over current and former rows.
-- https://learn.microsoft.com/sql/relational-databases/tables/temporal/querying-data-in-a-system-versioned-temporal-table
-- https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql
CREATE TABLE t (id int NOT NULL, a varchar(10), s datetime2 NOT NULL, e datetime2 NOT NULL, CONSTRAINT pk_t PRIMARY KEY (id));
CREATE TABLE h (id int NOT NULL, a varchar(10), s datetime2 NOT NULL, e datetime2 NOT NULL, INDEX ix_h CLUSTERED (e, s));
INSERT t VALUES (1, 'a3', '2020-03-01', '9999-12-31T23:59:59.9999999'), (3, 'c1', '2020-02-15', '9999-12-31T23:59:59.9999999');
INSERT h VALUES (1, 'a1', '2020-01-01', '2020-02-01'), (1, 'a2', '2020-02-01', '2020-03-01'), (2, 'b1', '2020-01-15', '2020-02-15'), (1, 'empty', '2020-02-01', '2020-02-01');
ALTER TABLE t ADD PERIOD FOR SYSTEM_TIME (s, e);
ALTER TABLE t ALTER COLUMN e ADD HIDDEN;
ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h));
GO
SELECT * FROM t ORDER BY id;
SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2020-01-01' ORDER BY id;
SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2020-01-31T23:59:59.9999999' ORDER BY id;
SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2020-02-01' ORDER BY id;
SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2019-12-31' ORDER BY id;
SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2024-01-01' ORDER BY id;
SELECT id, a, s, e FROM t FOR SYSTEM_TIME ALL ORDER BY id, s;
SELECT * FROM t FOR SYSTEM_TIME ALL ORDER BY id, s;
GO
-- A row that begins at the upper bound is outside of FROM TO and within BETWEEN.
SELECT a FROM t FOR SYSTEM_TIME FROM '2020-02-01' TO '2020-03-01' ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME BETWEEN '2020-02-01' AND '2020-03-01' ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME CONTAINED IN ('2020-01-01', '2020-02-15') ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME CONTAINED IN ('2020-01-01', '9999-12-31T23:59:59.9999999') ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME FROM '2020-03-01' TO '2020-02-01' ORDER BY a;
GO
-- Variables, parameters, other types.
DECLARE @d date = '2020-02-20', @t datetime2(3) = '2020-01-20', @n datetime2;
SELECT a FROM t FOR SYSTEM_TIME AS OF @d ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME BETWEEN @t AND @d ORDER BY a;
SELECT a FROM t FOR SYSTEM_TIME AS OF @n;
GO
EXEC sp_executesql N'SELECT a FROM dbo.t FOR SYSTEM_TIME AS OF @at ORDER BY a', N'@at datetime', '2020-01-20';
GO
CREATE FUNCTION at_time (@at datetime2) RETURNS TABLE AS RETURN SELECT id, a FROM dbo.t FOR SYSTEM_TIME AS OF @at;
GO
SELECT m.at, f.a FROM (VALUES ('2020-01-20'), ('2020-02-20')) AS m (at) CROSS APPLY at_time(m.at) AS f ORDER BY m.at, f.a;
GO
-- Aliases, joins, subqueries, grouping.
SELECT n.id, n.a, w.a AS was FROM t AS n LEFT JOIN t FOR SYSTEM_TIME AS OF '2020-01-20' AS w ON w.id = n.id ORDER BY n.id;
SELECT w.a FROM dbo.t FOR SYSTEM_TIME AS OF '2020-01-20' w WHERE w.id = 1;
SELECT dbo.t.a, t.s FROM dbo.t FOR SYSTEM_TIME AS OF '2020-01-20' WHERE t.id = 1;
SELECT id, COUNT(*) AS versions, MIN(s) AS first_seen FROM t FOR SYSTEM_TIME ALL GROUP BY id ORDER BY id;
SELECT a FROM t WHERE EXISTS (SELECT * FROM t FOR SYSTEM_TIME AS OF '2020-01-20' AS w WHERE w.id = t.id);
WITH w AS (SELECT id, a FROM t FOR SYSTEM_TIME ALL) SELECT COUNT(*) AS rows FROM w;
SELECT a, e FROM t WITH (NOLOCK) WHERE id = 1;
SELECT a FROM t FOR SYSTEM_TIME AS OF '2020-01-20' WITH (NOLOCK) ORDER BY a;
GO
-- A row is put right from what it was.
BEGIN TRANSACTION;
UPDATE t SET a = was.a FROM t FOR SYSTEM_TIME AS OF '2020-01-20' AS was WHERE was.id = 1 AND t.id = 1;
SELECT id, a FROM t ORDER BY id;
ROLLBACK;
GO
INSERT t (id, a) SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2020-01-20' AS w WHERE id = 2;
SELECT id, a FROM t ORDER BY id;
GO
DELETE t WHERE id = 2;
SELECT COUNT(*) AS versions FROM t FOR SYSTEM_TIME ALL WHERE id = 2;
GO
DELETE was FROM t FOR SYSTEM_TIME AS OF '2020-01-20' AS was;
GO
-- Views: the clause goes for what is below them.
CREATE TABLE plain (id int, p varchar(10)); INSERT plain VALUES (1, 'one'), (2, 'two');
GO
CREATE VIEW v AS SELECT t.id, t.a, p.p FROM t JOIN plain p ON p.id = t.id;
GO
CREATE VIEW w AS SELECT * FROM v WHERE id > 0;
GO
CREATE VIEW fixed AS SELECT id, a FROM t FOR SYSTEM_TIME AS OF '2020-01-20';
GO
CREATE VIEW none AS SELECT * FROM plain;
GO
SELECT * FROM v ORDER BY id;
SELECT * FROM v FOR SYSTEM_TIME AS OF '2020-01-20' ORDER BY id;
SELECT * FROM w FOR SYSTEM_TIME ALL ORDER BY id, a;
SELECT * FROM fixed ORDER BY id;
GO
SELECT * FROM fixed FOR SYSTEM_TIME AS OF '2020-01-20';
GO
SELECT * FROM none FOR SYSTEM_TIME AS OF '2020-01-20';
GO
SELECT * FROM plain FOR SYSTEM_TIME ALL;
GO
SELECT * FROM h FOR SYSTEM_TIME ALL;
GO
SELECT * FROM t FOR SYSTEM_TIME AS OF GETDATE();
GO
SELECT * FROM t FOR SYSTEM_TIME AS OF s;
GO
SELECT * FROM t FOR SYSTEM_TIME AS OF 5;
GO
SELECT * FROM t FOR SYSTEM_TIME AS OF 'nonsense';
GO
-- Who reads former rows needs the right to read both tables.
CREATE USER reader WITHOUT LOGIN;
GRANT SELECT ON t TO reader;
GO
EXECUTE AS USER = 'reader';
SELECT COUNT(*) AS rows FROM t;
SELECT COUNT(*) AS rows FROM t FOR SYSTEM_TIME ALL;
GO
REVERT;
GRANT SELECT ON h TO reader;
GO
EXECUTE AS USER = 'reader';
SELECT COUNT(*) AS rows FROM t FOR SYSTEM_TIME ALL;
REVERT;
GO
-- What has outlived its retention is not seen, and goes.
ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 1 YEAR));
SELECT a FROM t FOR SYSTEM_TIME ALL ORDER BY a;
SELECT COUNT(*) AS former FROM h;
GO
DECLARE @gone bigint; EXEC sp_cleanup_temporal_history 'dbo', 't', @gone OUTPUT; SELECT @gone AS gone, (SELECT COUNT(*) FROM h) AS former;
GO
DROP INDEX ix_h ON h;
GO
ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = INFINITE));
EXEC sp_cleanup_temporal_history 'dbo', 't';
GO
EXEC sp_cleanup_temporal_history 'dbo', 'plain';
GO
EXEC sp_cleanup_temporal_history 'dbo', 'none_such';
GO
DROP INDEX ix_h ON h;
ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 1 YEAR));
GO
