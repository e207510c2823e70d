-- A module works in its own database, whoever calls it; a text's USE ends with the text. https://learn.microsoft.com/sql/t-sql/language-elements/execute-transact-sql
CREATE DATABASE pd_other COLLATE Latin1_General_100_CS_AS_SC_UTF8;
GO
CREATE TABLE dbo.t (a int); INSERT dbo.t VALUES (100);
GO
USE pd_other;
GO
CREATE TABLE dbo.t (a int NOT NULL, s varchar(10) NULL); INSERT dbo.t (a) VALUES (1), (2);
GO
CREATE TABLE dbo.m (k int NOT NULL PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
INSERT dbo.m VALUES (1, 10);
GO
CREATE PROCEDURE dbo.p AS SELECT COUNT(*) AS n, DB_NAME() AS db FROM t;
GO
CREATE PROCEDURE dbo.q AS EXEC p; EXEC ('SELECT DB_NAME() AS text_db');
GO
CREATE FUNCTION dbo.f (@a int) RETURNS int AS BEGIN RETURN (SELECT SUM(a) FROM t) + @a END
GO
CREATE FUNCTION dbo.g () RETURNS @r TABLE (x int) AS BEGIN INSERT @r SELECT a FROM t; RETURN END
GO
CREATE FUNCTION dbo.h (@a int) RETURNS TABLE AS RETURN SELECT a FROM t WHERE a >= @a
GO
CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS SELECT COUNT(*) AS now, DB_NAME() AS db FROM t;
GO
CREATE PROCEDURE dbo.fails AS SELECT 1 / 0 AS wrong; RAISERROR ('mine', 16, 1);
GO
CREATE PROCEDURE dbo.n @k int NOT NULL WITH NATIVE_COMPILATION, SCHEMABINDING
AS BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    SELECT v FROM dbo.m WHERE k = @k;
END
GO
CREATE FUNCTION dbo.nf (@k int) RETURNS int WITH NATIVE_COMPILATION, SCHEMABINDING
AS BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @v int; SELECT @v = v FROM dbo.m WHERE k = @k; RETURN @v;
END
GO
USE golden_proc_databases;
GO
EXEC pd_other.dbo.p;
EXEC pd_other..q;
SELECT DB_NAME() AS here, COUNT(*) AS n FROM t;
GO
SELECT pd_other.dbo.f(1) AS f, pd_other.dbo.f(a) AS g FROM dbo.t;
SELECT x FROM pd_other.dbo.g() ORDER BY x;
SELECT a FROM pd_other.dbo.h(2);
GO
INSERT pd_other.dbo.t (a) VALUES (3);
GO
EXEC pd_other.dbo.n 1;
SELECT pd_other.dbo.nf(1) AS nf;
GO
EXEC pd_other.dbo.fails;
SELECT DB_NAME() AS after_errors;
GO
BEGIN TRY EXEC pd_other.dbo.fails; END TRY BEGIN CATCH SELECT DB_NAME() AS caught, ERROR_NUMBER() AS number END CATCH;
GO
CREATE PROCEDURE dbo.mine AS EXEC pd_other.dbo.p; SELECT DB_NAME() AS mine, COUNT(*) AS n FROM t;
GO
EXEC dbo.mine;
EXEC dbo.mine;
GO
-- A name without a database is of the module's, not of the caller's.
EXEC p;
GO
EXEC ('USE pd_other; SELECT DB_NAME() AS inside; EXEC p');
SELECT DB_NAME() AS outside;
GO
EXEC sp_executesql N'USE pd_other; SELECT DB_NAME() AS inside';
SELECT DB_NAME() AS outside;
GO
EXEC pd_other.sys.sp_executesql N'SELECT DB_NAME() AS inside';
SELECT DB_NAME() AS outside;
GO
DECLARE @r TABLE (n int, db sysname);
INSERT @r EXEC pd_other.dbo.p;
SELECT * FROM @r;
GO
USE pd_other;
GO
CREATE PROCEDURE #temporary AS SELECT DB_NAME() AS db;
GO
USE golden_proc_databases;
GO
EXEC #temporary;
GO
USE master;
GO
DROP DATABASE pd_other;
GO
-- A name that leads nowhere is told as it was written (2812).
EXEC master..no_such;
EXEC msdb.dbo.no_such;
EXEC dbo.no_such;
GO
