-- A subquery of a kept plan reads the table as it is, also after what changes its pages and not its definition. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
CREATE TABLE dbo.t (id int PRIMARY KEY, n int NOT NULL);
GO
CREATE PROCEDURE dbo.look AS
SET NOCOUNT ON;
IF EXISTS (SELECT * FROM dbo.t WHERE id = 1) SELECT 'there' AS found ELSE SELECT 'not there' AS found;
SELECT CASE WHEN 5 = ANY (SELECT n FROM dbo.t) THEN 'any' ELSE 'none' END AS quantified, (SELECT MAX(n) FROM dbo.t) AS highest;
GO
INSERT dbo.t SELECT value, 5 FROM GENERATE_SERIES(1, 1000);
EXEC dbo.look;
EXEC dbo.look;
TRUNCATE TABLE dbo.t;
EXEC dbo.look;
INSERT dbo.t SELECT value, 7 FROM GENERATE_SERIES(1, 5000);
EXEC dbo.look;
TRUNCATE TABLE dbo.t;
INSERT dbo.t VALUES (2, 5);
EXEC dbo.look;
GO
DROP PROCEDURE dbo.look;
DROP TABLE dbo.t;
