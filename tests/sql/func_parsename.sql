SELECT PARSENAME('a.b.c.d', 1) AS object, PARSENAME('a.b.c.d', 2) AS [schema], PARSENAME('a.b.c.d', 3) AS [database], PARSENAME('a.b.c.d', 4) AS server;
SELECT PARSENAME('[a.b].[c]]d]', 1) AS object, PARSENAME('[a.b].[c]]d]', 2) AS [schema], PARSENAME('x..y', 2) AS left_out, PARSENAME('x..y', 3) AS [database];
SELECT PARSENAME('a.b', 3) AS absent, PARSENAME('a.b', 0) AS low, PARSENAME('a.b', 5) AS high, PARSENAME('a.b.c.d.e', 1) AS too_many, PARSENAME(NULL, 1) AS nothing;
GO
-- https://learn.microsoft.com/sql/t-sql/functions/parsename-transact-sql
