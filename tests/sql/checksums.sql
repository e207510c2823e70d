-- CHECKSUM and BINARY_CHECKSUM of integers and of NULL, as SQL Server 2025 gives them.
-- https://learn.microsoft.com/sql/t-sql/functions/checksum-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/binary-checksum-transact-sql
SELECT CHECKSUM(1) AS one, CHECKSUM(1, 2) AS two, CHECKSUM(-1) AS negative, CHECKSUM(CAST(-1 AS smallint)) AS small, CHECKSUM(CAST(NULL AS int)) AS null_;
SELECT BINARY_CHECKSUM(1, 2) AS two, CHECKSUM(2, 1) AS turned, CHECKSUM(CAST(7 AS tinyint), CAST(1 AS bit)) AS tiny;
-- Equal for what is equal, and of the order of values.
SELECT IIF(CHECKSUM('abc', 5) = CHECKSUM('ABC', 5), 'equal', 'different') AS texts, IIF(BINARY_CHECKSUM('abc') = BINARY_CHECKSUM('ABC'), 'equal', 'different') AS bytes,
    IIF(CHECKSUM('abc', 5) = CHECKSUM(5, 'abc'), 'equal', 'different') AS turned;
