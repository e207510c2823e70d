-- Names that are given twice: constraints of a table, what ORDER BY names; and which clause of a grouped query is told first.
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/select-order-by-clause-transact-sql
-- https://learn.microsoft.com/sql/t-sql/queries/select-having-transact-sql
CREATE TABLE t (a int CONSTRAINT c CHECK (a > 0), b int CONSTRAINT C CHECK (b > 0))
GO
CREATE TABLE t (a int CONSTRAINT c CHECK (a > 0), b int)
GO
ALTER TABLE t ADD CONSTRAINT d CHECK (b > 0), CONSTRAINT d CHECK (b > 1)
GO
CREATE TABLE u (a int, b int, FOREIGN KEY (a, b) REFERENCES t (a))
GO
SELECT a AS x, b AS x FROM t ORDER BY x
GO
SELECT a, a FROM t ORDER BY a
GO
SELECT b FROM t GROUP BY a HAVING nothing > 1
GO
SELECT nothing FROM t GROUP BY a HAVING b > 1
GO
SELECT b FROM t GROUP BY a
GO
