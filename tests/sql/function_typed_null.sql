-- A parameter of an inline function keeps its type where it is replaced by NULL: when the function is made, and for a call with NULL. https://learn.microsoft.com/sql/t-sql/statements/create-function-transact-sql
CREATE FUNCTION dbo.f(@a AS DATETIME2, @b AS DATETIME2) RETURNS TABLE AS RETURN
SELECT a1.t1, d.first, COALESCE(d.first, a1.t1) AS either
FROM (VALUES (CASE WHEN @a > @b THEN @b ELSE @a END, @b)) AS d (first, second)
CROSS APPLY (VALUES (CAST(d.first AS TIME(0)))) AS a1 (t1)
GO
SELECT * FROM dbo.f('2024-01-02 03:04:05', '2024-02-03')
SELECT * FROM dbo.f(NULL, NULL)
SELECT TYPE_NAME(system_type_id) AS type, max_length FROM sys.columns WHERE object_id = OBJECT_ID('dbo.f') ORDER BY column_id
GO
CREATE FUNCTION dbo.g(@a VARCHAR(10)) RETURNS TABLE AS RETURN
SELECT v.a, LEN(v.a) AS n, v.a + 'x' AS more FROM (VALUES (@a), (NULL)) AS v (a) UNION ALL SELECT @a, 0, NULL
GO
SELECT * FROM dbo.g('abc')
SELECT * FROM dbo.g(NULL)
SELECT TYPE_NAME(system_type_id) AS type, max_length FROM sys.columns WHERE object_id = OBJECT_ID('dbo.g') ORDER BY column_id
GO
-- The difference of two moments by parts, as it is often written.
CREATE FUNCTION dbo.DateDiffParts(@dt1 AS DATETIME2, @dt2 AS DATETIME2) RETURNS TABLE AS RETURN
SELECT sgn, yydiff - subyy AS yy, (mmdiff - submm) % 12 AS mm, DATEDIFF(day, DATEADD(mm, mmdiff - submm, dt1), dt2) - subdd AS dd,
       nsdiff / CAST(3600000000000 AS BIGINT) AS hh, nsdiff / CAST(60000000000 AS BIGINT) % 60 AS mi
FROM (VALUES (CASE WHEN @dt1 > @dt2 THEN @dt2 ELSE @dt1 END, CASE WHEN @dt1 > @dt2 THEN @dt1 ELSE @dt2 END,
              CASE WHEN @dt1 < @dt2 THEN 1 WHEN @dt1 = @dt2 THEN 0 WHEN @dt1 > @dt2 THEN -1 END)) AS d (dt1, dt2, sgn)
CROSS APPLY (VALUES (CAST(dt1 AS TIME), CAST(dt2 AS TIME), DATEDIFF(yy, dt1, dt2), DATEDIFF(mm, dt1, dt2), DATEDIFF(dd, dt1, dt2)))
            AS a1 (t1, t2, yydiff, mmdiff, dddiff)
CROSS APPLY (VALUES (CASE WHEN DATEADD(yy, yydiff, dt1) > dt2 THEN 1 ELSE 0 END, CASE WHEN DATEADD(mm, mmdiff, dt1) > dt2 THEN 1 ELSE 0 END,
                     CASE WHEN DATEADD(dd, dddiff, dt1) > dt2 THEN 1 ELSE 0 END)) AS a2 (subyy, submm, subdd)
CROSS APPLY (VALUES (CAST(86400000000000 AS BIGINT) * subdd + (CAST(1000000000 AS BIGINT) * DATEDIFF(ss, '00:00', t2) + DATEPART(ns, t2))
                     - (CAST(1000000000 AS BIGINT) * DATEDIFF(ss, '00:00', t1) + DATEPART(ns, t1)))) AS a3 (nsdiff)
GO
SELECT * FROM dbo.DateDiffParts('2023-11-30 22:15:00', '2024-02-29 03:20:10')
SELECT * FROM dbo.DateDiffParts('2024-02-29', NULL)
GO
DROP FUNCTION dbo.f, dbo.g, dbo.DateDiffParts
