-- What binding has to say of a statement is told before the batch begins, once for each plan.
-- https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table, hints-transact-sql-join
CREATE TABLE hp (id int NOT NULL CONSTRAINT PK_hp PRIMARY KEY, v int); INSERT INTO hp VALUES (1, 1), (2, 2);
GO
CREATE VIEW hv AS SELECT id FROM hp
GO
SELECT 1 AS a; SELECT COUNT(*) AS n FROM hv WITH (INDEX(PK_hp))
GO
SELECT 1 AS a; SELECT COUNT(*) AS n FROM dbo.hv WITH (INDEX(nope))
GO
SELECT COUNT(*) AS n FROM hv WITH (INDEX(1)) JOIN hv AS w WITH (INDEX(0)) ON w.id = hv.id
GO
SELECT 1 AS a
SELECT COUNT(*) AS n FROM hv WITH (INDEX(1), NOLOCK)
GO
SELECT (SELECT COUNT(*) FROM hv WITH (INDEX = 1)) AS n
GO
BEGIN TRY SELECT COUNT(*) AS n FROM hv WITH (INDEX(1)) END TRY BEGIN CATCH END CATCH
GO
SELECT COUNT(*) AS n FROM hv WITH (FORCESCAN)
GO
SELECT 1 AS a; DELETE hv WITH (INDEX(1)) WHERE id = 0
GO
SELECT 1 AS a; SELECT COUNT(*) AS n FROM hp a INNER HASH JOIN hp b ON a.id = b.id INNER LOOP JOIN hp c ON c.id = a.id
GO
CREATE PROCEDURE pj AS SELECT COUNT(*) AS n FROM hp a LEFT LOOP JOIN hp b ON a.id = b.id
GO
EXEC pj
EXEC pj
GO
SELECT COUNT(*) AS n FROM hp a JOIN hp b ON a.id = b.id OPTION (HASH JOIN, FORCE ORDER)
GO
SELECT 1 AS a; SELECT COUNT(*) AS n FROM hp a INNER MERGE JOIN hp b ON a.id = b.nothere
GO
SELECT 2 AS a
GO
