-- Which views may have an index. learn.microsoft.com: "Create indexed views", CREATE INDEX, "Database engine events and errors 1000 to 1999",
-- "8000 to 8999", "10000 to 10999".
CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, g int NOT NULL, v int NOT NULL, n int NULL, s varchar(10) NOT NULL, f float NOT NULL, d datetime NOT NULL);
CREATE TABLE u (id int NOT NULL CONSTRAINT pk_u PRIMARY KEY, tid int NOT NULL, c int NOT NULL, x xml NULL, tx text NULL);
CREATE TABLE t_old (id int NOT NULL);
GO
CREATE FUNCTION fnd (@x int) RETURNS datetime WITH SCHEMABINDING AS BEGIN RETURN DATEADD(day, @x, GETDATE()) END
GO
CREATE FUNCTION fok (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @x * 2 END
GO
CREATE FUNCTION fread (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT COUNT(*) FROM dbo.t WHERE id > @x) END
GO
CREATE FUNCTION tf () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT id FROM dbo.t
GO
CREATE VIEW vin WITH SCHEMABINDING AS SELECT id, v FROM dbo.t
GO
-- What the statement itself says.
CREATE VIEW plain AS SELECT id, v FROM dbo.t
GO
CREATE UNIQUE CLUSTERED INDEX cx ON dbo.plain (id)
GO
CREATE CLUSTERED INDEX cx ON dbo.vin (id)
GO
CREATE INDEX nx ON dbo.vin (id)
GO
CREATE UNIQUE NONCLUSTERED INDEX nx ON vin (id)
GO
CREATE UNIQUE CLUSTERED INDEX cx ON dbo.vin (nope)
GO
CREATE UNIQUE CLUSTERED INDEX cx ON dbo.vin (id) WITH (IGNORE_DUP_KEY = ON)
GO
CREATE UNIQUE INDEX cx ON dbo.vin (id) WHERE id > 1
GO
CREATE UNIQUE CLUSTERED INDEX cx ON dbo.vin (id) WITH (ONLINE = ON)
GO
CREATE UNIQUE CLUSTERED INDEX cx ON dbo.nowhere (id)
GO
-- What the view says: each in turn.
CREATE PROCEDURE try_view @body nvarchar(max), @key nvarchar(200) AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @create nvarchar(max) = N'CREATE OR ALTER VIEW dbo.iv WITH SCHEMABINDING AS ' + @body;
    EXEC (@create);
    DECLARE @index nvarchar(max) = N'CREATE UNIQUE CLUSTERED INDEX cx ON dbo.iv (' + @key + N')';
    PRINT CONCAT(@body, ': ', OBJECTPROPERTY(OBJECT_ID('dbo.iv'), 'IsIndexable'));
    BEGIN TRY
        EXEC (@index);
        PRINT CONCAT('indexed ', OBJECTPROPERTY(OBJECT_ID('dbo.iv'), 'IsIndexed'));
    END TRY
    BEGIN CATCH
        PRINT CONCAT(ERROR_NUMBER(), ', ', ERROR_SEVERITY(), ', ', ERROR_STATE(), ': ', ERROR_MESSAGE());
    END CATCH
END
GO
EXEC try_view 'SELECT DISTINCT g FROM dbo.t', 'g';
EXEC try_view 'SELECT TOP 5 id, g FROM dbo.t ORDER BY id', 'id';
EXEC try_view 'SELECT id, g FROM dbo.t ORDER BY id OFFSET 1 ROWS', 'id';
EXEC try_view 'SELECT t.id, u.c FROM dbo.t LEFT JOIN dbo.u ON u.tid = t.id', 'id';
EXEC try_view 'SELECT t.id, u.c FROM dbo.u RIGHT JOIN dbo.t ON u.tid = t.id', 'id';
EXEC try_view 'SELECT t.id, u.c FROM dbo.u FULL JOIN dbo.t ON u.tid = t.id', 'id';
EXEC try_view 'SELECT t.id, u.c FROM dbo.u INNER HASH JOIN dbo.t ON u.tid = t.id', 'id';
EXEC try_view 'SELECT id, g FROM dbo.t UNION ALL SELECT id, c FROM dbo.u', 'id';
EXEC try_view 'SELECT id, g FROM dbo.t EXCEPT SELECT id, c FROM dbo.u', 'id';
EXEC try_view 'SELECT g, AVG(v) av, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, MIN(v) av, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, stdev(v) av, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, COUNT(*) n FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, SUM(DISTINCT v) sv, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, SUM(v) sv FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, COUNT_BIG(v) sv FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, SUM(n) sn, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, SUM(ISNULL(n, 0)) sn, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, SUM(f) sf, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb FROM dbo.t GROUP BY g HAVING COUNT_BIG(*) > 0', 'g';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb FROM dbo.t GROUP BY g WITH ROLLUP', 'g';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb FROM dbo.t GROUP BY GROUPING SETS ((g), ())', 'g';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb, SUM(v) * 2 s2 FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g + 1 g1, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g1';
EXEC try_view 'SELECT g + 1 g1, COUNT_BIG(*) cb FROM dbo.t GROUP BY g + 1', 'g1';
EXEC try_view 'SELECT COUNT_BIG(*) cb, SUM(v) sv FROM dbo.t GROUP BY g', 'cb';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'cb';
EXEC try_view 'SELECT g, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g, cb';
EXEC try_view 'SELECT COUNT_BIG(*) cb FROM dbo.t', 'cb';
GO
EXEC try_view 'SELECT id, g FROM dbo.t WHERE id IN (SELECT tid FROM dbo.u)', 'id';
EXEC try_view 'SELECT id, (SELECT MAX(c) FROM dbo.u) m FROM dbo.t', 'id';
EXEC try_view 'SELECT x.id, x.v FROM (SELECT id, v FROM dbo.t) x', 'id';
EXEC try_view 'SELECT x.id, t.v FROM dbo.t JOIN (VALUES (1)) x (id) ON x.id = t.id', 'id';
EXEC try_view 'WITH c1 AS (SELECT id, g FROM dbo.t), c2 AS (SELECT id, g FROM c1) SELECT id, g FROM c2', 'id';
EXEC try_view 'SELECT id, ROW_NUMBER() OVER (ORDER BY id) rn FROM dbo.t', 'id';
EXEC try_view 'SELECT id, SUM(v) OVER () sv FROM dbo.t', 'id';
EXEC try_view 'SELECT t.id, x.c FROM dbo.t CROSS APPLY (SELECT c FROM dbo.u WHERE u.id = t.id) x', 'id';
EXEC try_view 'SELECT t.id, x.c FROM dbo.t OUTER APPLY (SELECT c FROM dbo.u WHERE u.id = t.id) x', 'id';
EXEC try_view 'SELECT [1] a, [2] b FROM (SELECT g, v FROM dbo.t) s PIVOT (SUM(v) FOR g IN ([1], [2])) p', 'a';
EXEC try_view 'SELECT a.id, b.g FROM dbo.t a JOIN dbo.t b ON b.id = a.id', 'id';
EXEC try_view 'SELECT id, v FROM dbo.vin', 'id';
EXEC try_view 'SELECT id, v FROM dbo.t WITH (NOLOCK)', 'id';
EXEC try_view 'SELECT id FROM dbo.tf()', 'id';
EXEC try_view 'SELECT id, BINARY_CHECKSUM(*) ck FROM dbo.t', 'id';
EXEC try_view 'SELECT id, tx FROM dbo.u', 'id';
EXEC try_view 'SELECT id, x FROM dbo.u', 'id';
EXEC try_view 'SELECT id, x.value(''(/a)[1]'', ''int'') a FROM dbo.u', 'id';
GO
-- Determinism and precision.
EXEC try_view 'SELECT id, DATEADD(day, 1, GETDATE()) d FROM dbo.t', 'id';
EXEC try_view 'SELECT id, NEWID() g FROM dbo.t', 'id';
EXEC try_view 'SELECT id, CURRENT_TIMESTAMP g FROM dbo.t', 'id';
EXEC try_view 'SELECT id, RAND() r FROM dbo.t', 'id';
EXEC try_view 'SELECT id, RAND(1) r FROM dbo.t', 'id';
EXEC try_view 'SELECT id, DATENAME(month, d) dn FROM dbo.t', 'id';
EXEC try_view 'SELECT id, DATEPART(year, d) dn FROM dbo.t', 'id';
EXEC try_view 'SELECT id, YEAR(d) dn FROM dbo.t', 'id';
EXEC try_view 'SELECT id, DATEPART(weekday, d) dn FROM dbo.t', 'id';
EXEC try_view 'SELECT id, dbo.fnd(v) fv FROM dbo.t', 'id';
EXEC try_view 'SELECT id, dbo.fread(v) fv FROM dbo.t', 'id';
EXEC try_view 'SELECT id, dbo.fok(v) fv FROM dbo.t', 'id';
EXEC try_view 'SELECT f, COUNT_BIG(*) cb FROM dbo.t GROUP BY f', 'f';
EXEC try_view 'SELECT id FROM dbo.t WHERE f > 1', 'id';
EXEC try_view 'SELECT id, f FROM dbo.t', 'id';
EXEC try_view 'SELECT id, f * 2 f2 FROM dbo.t', 'id';
EXEC try_view 'SELECT id, f * 2 f2 FROM dbo.t', 'f2';
EXEC try_view 'SELECT id, CONVERT(datetime, ''20200102'', 112) cd FROM dbo.t', 'id';
EXEC try_view 'SELECT id, CONVERT(varchar(30), d) cd FROM dbo.t', 'id';
EXEC try_view 'SELECT id, CONVERT(varchar(30), d, 120) cd FROM dbo.t', 'id';
GO
-- What is fine.
EXEC try_view 'SELECT t.id, t.g, u.c FROM dbo.t JOIN dbo.u ON u.tid = t.id WHERE t.v > 0', 'id, c';
EXEC try_view 'SELECT t.g, SUM(u.c) sc, COUNT_BIG(*) cb FROM dbo.u, dbo.t WHERE t.id = u.tid GROUP BY t.g', 'g';
EXEC try_view 'SELECT g, 5 AS five, COUNT_BIG(*) cb FROM dbo.t GROUP BY g', 'g';
EXEC try_view 'SELECT g, s, SUM(v * 2) sv, COUNT_BIG(n) cn, COUNT_BIG(*) cb FROM dbo.t GROUP BY g, s', 's, g';
GO
-- SET options: of the view, and of the session.
DROP VIEW iv;
GO
SET QUOTED_IDENTIFIER OFF
GO
CREATE VIEW iv WITH SCHEMABINDING AS SELECT id, v FROM dbo.t
GO
SET QUOTED_IDENTIFIER ON
GO
CREATE UNIQUE CLUSTERED INDEX cx ON iv (id)
GO
ALTER VIEW iv WITH SCHEMABINDING AS SELECT id, v FROM dbo.t
GO
SET ANSI_NULLS OFF
GO
CREATE UNIQUE CLUSTERED INDEX cx ON iv (id)
GO
SET ANSI_NULLS ON
SET NUMERIC_ROUNDABORT ON
GO
CREATE UNIQUE CLUSTERED INDEX cx ON iv (id)
GO
SET NUMERIC_ROUNDABORT OFF
GO
-- Duplicates.
INSERT t VALUES (1, 10, 100, NULL, 'a', 1, '20200101'), (2, 10, 200, NULL, 'b', 1, '20200101'), (3, 20, 300, NULL, 'a', 1, '20200101');
GO
ALTER VIEW iv WITH SCHEMABINDING AS SELECT id, g FROM dbo.t
GO
CREATE UNIQUE CLUSTERED INDEX cx ON iv (g)
GO
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('iv');
CREATE UNIQUE CLUSTERED INDEX cx ON iv (id);
CREATE UNIQUE CLUSTERED INDEX cx2 ON iv (g);
GO
CREATE UNIQUE INDEX ux ON iv (g)
GO
CREATE INDEX nx ON iv (g) WHERE g > 0
GO
CREATE INDEX cx ON iv (g)
GO
-- Other owners.
CREATE SCHEMA other AUTHORIZATION guest
GO
CREATE VIEW other.v2 WITH SCHEMABINDING AS SELECT id, g FROM dbo.t
GO
CREATE UNIQUE CLUSTERED INDEX cx ON other.v2 (id)
GO
