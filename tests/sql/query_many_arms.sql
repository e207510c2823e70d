-- Many arms of an OR that each name a value of one column: the column is sought by all of them, and each row found is asked of its arm.
-- https://learn.microsoft.com/sql/t-sql/language-elements/or-transact-sql
-- https://learn.microsoft.com/sql/t-sql/language-elements/in-transact-sql
CREATE TABLE places (id int NOT NULL PRIMARY KEY, g int NULL, k int NULL, s varchar(20) NOT NULL);
INSERT places SELECT value, value % 10, NULLIF(value * 7 % 5000, 0), CONCAT('s', value % 500) FROM GENERATE_SERIES(0, 4999);
CREATE INDEX places_k ON places (k);
CREATE INDEX places_s ON places (s);
GO
DECLARE @ask nvarchar(max) = (SELECT STRING_AGG(CONCAT('(g = ', value % 10, ' AND k = ', value * 7 % 5000, ')'), ' OR ') FROM GENERATE_SERIES(100, 139));
EXEC (N'SELECT COUNT(*) AS found, SUM(k) AS k FROM places WHERE ' + @ask);
-- Half of the arms are of another group: none of their rows.
SET @ask = (SELECT STRING_AGG(CONCAT('(', value * 7 % 5000, ' = k AND g = ', (value + value % 2) % 10, ')'), ' OR ') FROM GENERATE_SERIES(100, 139));
EXEC (N'SELECT COUNT(*) AS found, SUM(k) AS k FROM places WHERE ' + @ask);
-- NULL is no value's equal, nor the opposite.
EXEC (N'SELECT COUNT(*) AS found FROM places WHERE (g = 0 AND k = NULL) OR ' + @ask);
EXEC (N'SELECT COUNT(*) AS found FROM places WHERE NOT ((g = 0 AND k = NULL) OR ' + @ask + N')');
-- An arm that does not name it lets all rows come.
EXEC (N'SELECT COUNT(*) AS found FROM places WHERE g = 3 OR ' + @ask);
-- Texts, of any length and any case.
SET @ask = (SELECT STRING_AGG(CONCAT('(id > ', value, ' AND s = ''S', value, ''')'), ' OR ') FROM GENERATE_SERIES(90, 119));
EXEC (N'SELECT COUNT(*) AS found, MIN(id) AS first, MAX(id) AS last FROM places WHERE ' + @ask);
-- Values of another type are compared as that type.
SET @ask = (SELECT STRING_AGG(CONCAT('(g = ', value % 10, ' AND k = ', value * 7, '.', value % 2 * 5, ')'), ' OR ') FROM GENERATE_SERIES(100, 139));
EXEC (N'SELECT COUNT(*) AS found FROM places WHERE ' + @ask);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT COUNT(*) FROM places WHERE (g = 1 AND k = 1) OR (g = 1 AND k = 2) OR (g = 1 AND k = 3) OR (g = 1 AND k = 4) OR (g = 2 AND k = 5) OR (g = 1 AND k = 6)
    OR (g = 1 AND k = 7) OR (g = 1 AND k = 8) OR (g = 1 AND k = 9) OR (g = 1 AND k = 10) OR (g = 1 AND k = 11) OR (g = 1 AND k = 12)
    OR (g = 1 AND k = 13) OR (g = 1 AND k = 14) OR (g = 1 AND k = 15) OR (g = 1 AND k = 16) OR (g = 1 AND k = 17) OR (g = 1 AND k = 18);
GO
SET SHOWPLAN_TEXT OFF;
GO
DROP TABLE places;
