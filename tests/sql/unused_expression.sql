-- A common table expression that a mere list of values follows is refused; elsewhere one may be left unused.
-- https://learn.microsoft.com/sql/t-sql/queries/with-common-table-expression-transact-sql, https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors (422, 4403, 4406)
SELECT 1 AS before_;
WITH r AS (SELECT 1 AS id) SELECT 7 AS x;
GO
DECLARE @k int;
WITH r AS (SELECT 1 AS id) SELECT @k = 7;
GO
CREATE PROCEDURE dbo.p AS BEGIN DECLARE @k int; WITH r AS (SELECT 1 AS id) SELECT @k = 7; END;
GO
DECLARE @k int;
WITH r AS (SELECT 1 AS id) SELECT @k = 7 WHERE 1 = 1;
SELECT @k AS k;
GO
DECLARE @k int;
WITH r AS (SELECT 1 AS id) SELECT @k = (SELECT id FROM r);
SELECT @k AS k;
GO
WITH r AS (SELECT 1 AS id) SELECT (SELECT 3) AS x;
GO
WITH r AS (SELECT 1 AS id) SELECT 7 AS x UNION ALL SELECT 8;
GO
WITH r AS (SELECT 1 AS id) SELECT 7 AS x ORDER BY x;
GO
WITH r AS (SELECT 1 AS id) SELECT TOP 1 7 AS x;
GO
WITH r AS (SELECT 1 AS id) SELECT COUNT(*) AS x;
GO
WITH r AS (SELECT 1 AS id) SELECT 7 AS x FROM (VALUES (1)) v(a);
GO
DECLARE @k int = 3;
WITH r AS (SELECT 1 AS id) SELECT @k + 1 AS x, CASE WHEN @k > 1 THEN 'a' END AS y;
GO
CREATE TABLE va (id int NOT NULL CONSTRAINT pk_va PRIMARY KEY, x int NOT NULL)
GO
CREATE VIEW v_agg AS SELECT COUNT(*) AS c, SUM(x) AS s FROM va;
GO
CREATE VIEW v_grp AS SELECT x, COUNT(*) AS c FROM va GROUP BY x;
GO
UPDATE v_agg SET s = 0
GO
UPDATE v_grp SET x = 0
GO
UPDATE v_grp SET c = 0
GO
DELETE v_agg
GO
