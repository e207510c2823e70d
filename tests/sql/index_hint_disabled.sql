-- A hint that names a disabled index is error 315: https://learn.microsoft.com/sql/relational-databases/indexes/disable-indexes-and-constraints
CREATE TABLE dbo.hinted (a int PRIMARY KEY, b int);
CREATE INDEX by_b ON dbo.hinted (b);
INSERT dbo.hinted VALUES (1, 2);
SELECT a FROM dbo.hinted WITH (INDEX (by_b));
GO
ALTER INDEX by_b ON dbo.hinted DISABLE;
GO
SELECT a FROM dbo.hinted WITH (INDEX (by_b));
GO
UPDATE dbo.hinted SET b = 3 FROM dbo.hinted WITH (INDEX = by_b);
GO
SELECT a FROM dbo.hinted;
ALTER INDEX by_b ON dbo.hinted REBUILD;
GO
SELECT a, b FROM dbo.hinted WITH (INDEX (by_b));
GO
SELECT a FROM dbo.hinted WITH (INDEX (nosuch));
GO
