-- Joins of a whole statement by its OPTION clause; a hint of a join's own goes first; several leave the choice among them.
-- https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-query (LOOP | MERGE | HASH JOIN)
CREATE TABLE big (id int NOT NULL CONSTRAINT pk_big PRIMARY KEY, g int NOT NULL);
CREATE TABLE few (id int NOT NULL CONSTRAINT pk_few PRIMARY KEY, g int NOT NULL);
GO
INSERT big SELECT value, value % 100 FROM GENERATE_SERIES(1, 5000);
INSERT few SELECT value, value % 3 FROM GENERATE_SERIES(1, 5);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM few JOIN big ON big.id = few.g;
GO
SELECT COUNT(*) FROM few JOIN big ON big.id = few.g OPTION (HASH JOIN);
GO
SELECT COUNT(*) FROM big x JOIN big y ON y.g = x.g;
GO
SELECT COUNT(*) FROM big x JOIN big y ON y.g = x.g OPTION (LOOP JOIN);
GO
SELECT COUNT(*) FROM big x JOIN big y ON y.g = x.g OPTION (LOOP JOIN, HASH JOIN);
GO
SELECT COUNT(*) FROM big x INNER HASH JOIN few y ON y.g = x.g LEFT JOIN few z ON z.g = x.g OPTION (LOOP JOIN);
GO
SELECT COUNT(*) FROM big WHERE g IN (SELECT g FROM few) OPTION (HASH JOIN);
GO
SELECT COUNT(*) FROM big FULL JOIN few ON few.id > big.id OPTION (HASH JOIN);
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT COUNT(*) FROM few JOIN big ON big.id = few.g OPTION (HASH JOIN);
SELECT COUNT(*) FROM few JOIN big ON big.id = few.g OPTION (LOOP JOIN);
SELECT COUNT(*) FROM big x JOIN few y ON y.g = x.g OPTION (LOOP JOIN);
SELECT COUNT(*) FROM big x JOIN few y ON y.g = x.g OPTION (MERGE JOIN);
SELECT COUNT(*) FROM big WHERE g NOT IN (SELECT g FROM few) OPTION (LOOP JOIN);
SELECT COUNT(*) FROM big WHERE g NOT IN (SELECT g FROM few) OPTION (HASH JOIN);
SELECT COUNT(*) FROM big FULL JOIN few ON few.id = big.id OPTION (LOOP JOIN);
