-- https://learn.microsoft.com/sql/t-sql/queries/select-for-clause-transact-sql (BROWSE) and sys-dm-exec-describe-first-result-set-transact-sql
-- (is_hidden): the key of each table that a row comes from is told too, whatever view or derived table lies between.
CREATE TABLE dbo.one (id int IDENTITY PRIMARY KEY, name varchar(10), amount int, version rowversion)
CREATE TABLE dbo.two (k1 int, k2 int, v int, PRIMARY KEY (k1, k2))
CREATE TABLE dbo.keyless (a int, b int)
CREATE TABLE dbo.indexed (a int NOT NULL, b int)
CREATE UNIQUE INDEX indexed_a ON dbo.indexed (a)
GO
CREATE VIEW dbo.of_one AS SELECT name, amount + 1 AS more FROM dbo.one
GO
CREATE VIEW dbo.of_both AS SELECT a.name, b.v FROM dbo.one a JOIN dbo.two b ON a.id = b.k1
GO
CREATE TABLE #asked (number int IDENTITY, query nvarchar(200))
INSERT #asked VALUES (N'SELECT name FROM dbo.one'), (N'SELECT id AS k, amount * 2 AS twice FROM dbo.one'), (N'SELECT * FROM dbo.two'), (N'SELECT a.name, b.v FROM dbo.one a JOIN dbo.two b ON a.id = b.k1'),
  (N'SELECT name, v FROM dbo.one LEFT JOIN dbo.two ON id = k1'), (N'SELECT a FROM dbo.keyless'), (N'SELECT b FROM dbo.indexed'), (N'SELECT COUNT(*) AS n FROM dbo.one'), (N'SELECT DISTINCT name FROM dbo.one'),
  (N'SELECT name FROM dbo.one UNION SELECT name FROM dbo.one'), (N'SELECT x FROM (SELECT name AS x FROM dbo.one) AS d'), (N'SELECT name FROM (SELECT TOP 5 name, id FROM dbo.one ORDER BY name) AS d'),
  (N'SELECT name FROM (SELECT DISTINCT name FROM dbo.one) AS d'), (N'SELECT more FROM dbo.of_one'), (N'SELECT * FROM dbo.of_both'), (N'WITH c AS (SELECT name, id FROM dbo.one) SELECT name FROM c'),
  (N'SELECT d.name, v FROM (SELECT name, id FROM dbo.one) AS d JOIN dbo.two ON d.id = k1')
SELECT query, (SELECT STRING_AGG(CONCAT(name, '=', source_table, '.', source_column, CASE WHEN is_part_of_unique_key = 1 THEN ' key' END, CASE WHEN is_hidden = 1 THEN ' hidden' END, CASE WHEN is_nullable = 1 THEN ' null' END), ', ')
  WITHIN GROUP (ORDER BY column_ordinal) FROM sys.dm_exec_describe_first_result_set(query, NULL, 1)) AS told
FROM #asked ORDER BY number
GO
