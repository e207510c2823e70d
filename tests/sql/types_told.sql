-- What types expressions have, as clients are told them: precision and scale of decimals, what two types have in common, functions, literals.
-- https://learn.microsoft.com/sql/t-sql/data-types/precision-scale-and-length-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/data-type-precedence-transact-sql
CREATE TABLE ty (d104 decimal(10,4), d53 decimal(5,3), d3810 decimal(38,10), d3820 decimal(38,20), d2010 decimal(20,10), d380 decimal(38,0), d92 decimal(9,2), d95 decimal(9,5),
  i int, ti tinyint, si smallint, bi bigint, b bit, m money, sm smallmoney, f float, r real, c3 char(3), vc5 varchar(5), nc3 nchar(3), nv5 nvarchar(5), bn4 binary(4), vb6 varbinary(6),
  dt datetime, sdt smalldatetime, d date, t3 time(3), d20 datetime2(0), d27 datetime2(7), dto3 datetimeoffset(3), u uniqueidentifier, vmax varchar(max), nmax nvarchar(max));
GO
CREATE PROCEDURE told @list nvarchar(max) AS
SELECT system_type_name AS told FROM sys.dm_exec_describe_first_result_set(N'SELECT ' + @list + N' FROM dbo.ty', NULL, 0) ORDER BY column_ordinal;
GO
-- Of money, of floats, of whole numbers.
EXEC told N'm+m, m*m, m/m, sm*sm, sm+m, i*sm, m*i, f*d53, f+m, r*i, r*f, ti+ti, ti*si, si/i, i%bi, bi&i, ~ti, i|si';
GO
-- Aggregates.
EXEC told N'SUM(d53), AVG(d53), SUM(ti), SUM(si), SUM(bi), AVG(ti), AVG(bi), SUM(sm), AVG(m), SUM(r), AVG(r), SUM(f), MAX(d53), MIN(vc5), COUNT(*), COUNT_BIG(*), STDEV(i), VARP(d53), CHECKSUM_AGG(i), STRING_AGG(vc5, '',''), STRING_AGG(nv5, '',''), STRING_AGG(vmax, '',''), MAX(c3), SUM(d3810), AVG(d3810), AVG(d380)';
GO
-- Windows.
EXEC told N'ROW_NUMBER() OVER (ORDER BY i), RANK() OVER (ORDER BY i), DENSE_RANK() OVER (ORDER BY i), NTILE(4) OVER (ORDER BY i), PERCENT_RANK() OVER (ORDER BY i), CUME_DIST() OVER (ORDER BY i), LAG(d53) OVER (ORDER BY i), LAG(ti, 1, 5) OVER (ORDER BY i), FIRST_VALUE(vc5) OVER (ORDER BY i), SUM(ti) OVER (ORDER BY i), COUNT(*) OVER (), AVG(d53) OVER ()';
GO
-- Functions of texts.
EXEC told N'LEN(vc5), LEN(vmax), DATALENGTH(nv5), DATALENGTH(nmax), CHARINDEX(''a'', vc5), CHARINDEX(''a'', vmax), PATINDEX(''a%'', vmax), REPLICATE(vc5, i), REPLICATE(nv5, i), REPLICATE(vmax, 2), REPLACE(vc5, ''a'', ''b''), REPLACE(nv5, ''a'', ''b''), REVERSE(vc5), SPACE(i), STR(f), STR(f, 20, 3), CHAR(i), NCHAR(i), ASCII(vc5), UNICODE(nv5), QUOTENAME(vc5), PARSENAME(vc5, 1), FORMAT(i, ''d''), TRIM(vc5), CONCAT(vc5, nv5), UPPER(nv5), STRING_ESCAPE(vc5, ''json'')';
GO
-- Of dates.
EXEC told N'DATEADD(day, 1, d), DATEADD(day, 1, d20), DATEADD(day, 1, sdt), DATEADD(day, 1, ''2024-01-01''), DATEADD(hour, 1, t3), EOMONTH(dt), DATEDIFF(day, d, dt), DATEDIFF_BIG(day, d, dt), DATENAME(month, d), DATEPART(month, d), YEAR(d), SWITCHOFFSET(dto3, 60), TODATETIMEOFFSET(d20, 60), d20 AT TIME ZONE ''UTC'', DATETRUNC(day, d27), DATETRUNC(day, d), DATE_BUCKET(day, 2, dt), GETDATE(), SYSDATETIME(), SYSDATETIMEOFFSET(), GETUTCDATE(), CURRENT_TIMESTAMP, DATEFROMPARTS(1, 1, 1), TIMEFROMPARTS(1, 1, 1, 1, 3), DATETIME2FROMPARTS(1, 1, 1, 1, 1, 1, 1, 5), ISDATE(vc5), dt + 1, dt - dt, sdt - 1';
GO
-- Of numbers, of the session.
EXEC told N'POWER(i, 2), POWER(f, 2), SQRT(i), SQUARE(i), LOG(i), PI(), RAND(), FLOOR(i), FLOOR(f), CEILING(m), SIGN(i), ROUND(i, 1), ROUND(f, 1), ROUND(m, 1), ABS(i), ABS(f), @@ROWCOUNT, ROWCOUNT_BIG(), @@IDENTITY, SCOPE_IDENTITY(), NEWID(), HASHBYTES(''MD5'', vc5), CHECKSUM(*), OBJECT_ID(''x''), DB_NAME(), SUSER_SID(), HOST_NAME(), APP_NAME(), ERROR_MESSAGE(), ERROR_NUMBER(), ERROR_LINE(), XACT_STATE(), @@TRANCOUNT, @@SPID, @@DBTS, CONTEXT_INFO(), CURRENT_TRANSACTION_ID(), SESSION_CONTEXT(N''x''), USER, CURRENT_USER, ISNUMERIC(vc5), @@OPTIONS, @@DATEFIRST, @@LANGID, @@LANGUAGE, @@NESTLEVEL, @@ERROR, @@CPU_BUSY, @@MAX_PRECISION, @@TEXTSIZE, @@LOCK_TIMEOUT';
GO
DROP TABLE ty;
DROP PROCEDURE told;
GO
