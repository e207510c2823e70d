-- What + makes of texts of two kinds: a fixed and a varying one vary.
-- https://learn.microsoft.com/sql/t-sql/language-elements/string-concatenation-transact-sql
-- Counting, STUFF and UPDATE() of what they do not take.
CREATE TABLE ck (id int PRIMARY KEY, t text, x xml, c AS id + 1);
INSERT ck VALUES (1, 'a', '<a/>');
SELECT COUNT(x) AS a, COUNT_BIG(x) AS b FROM ck;
GO
SELECT COUNT(t) AS a FROM ck;
GO
SELECT COUNT(DISTINCT t) AS a FROM ck;
GO
SELECT COUNT(DISTINCT x) AS a FROM ck;
GO
SELECT APPROX_COUNT_DISTINCT(CAST(t AS ntext)) AS a FROM ck;
GO
SELECT STUFF(t, 1, 1, 'b') AS a FROM ck;
GO
CREATE TRIGGER tr ON ck FOR UPDATE AS IF UPDATE(c) PRINT 'c';
GO
