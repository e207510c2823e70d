-- Warning 8153: once a statement, before the body of IF; not of STRING_AGG, which skips NULLs by its definition, nor of PIVOT, whose NULLs
-- are rows of other columns. NULL itself is no argument (8117). learn.microsoft.com: SET ANSI_WARNINGS, STRING_AGG, FROM - PIVOT.
CREATE TABLE w (g int, o int, v int)
INSERT w VALUES (1, 1, 10), (1, 2, NULL), (2, 1, 5)
GO
SELECT SUM(v) AS s, MAX(v) AS m FROM w
SELECT STRING_AGG(v, ',') WITHIN GROUP (ORDER BY v) AS s FROM w
SELECT * FROM (SELECT g, o, v FROM w WHERE v IS NOT NULL) s PIVOT (SUM(v) FOR o IN ([1], [2])) p ORDER BY g
SELECT SUM(v) OVER (PARTITION BY g) AS s FROM w ORDER BY g, o
GO
IF (SELECT MAX(v) FROM w) > 5 PRINT 'more'
PRINT 'next'
SELECT COUNT(*) AS n FROM w
GO
SET ANSI_WARNINGS OFF
IF (SELECT MAX(v) FROM w) > 5 PRINT 'more'
GO
SET ANSI_WARNINGS ON
GO
SELECT SUM(NULL)
GO
SELECT COUNT(NULL) FROM w
GO
SELECT MAX(NULL) OVER () FROM w
GO
SELECT COUNT(CAST(NULL AS int)) AS n FROM w
GO
