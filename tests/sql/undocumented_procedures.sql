-- What scripts that install procedures in master call without its being documented: sp_MS_marksystemobject behind each of them, and
-- sp_sqlexec, the older form of EXEC of a text.
USE master
GO
CREATE PROCEDURE dbo.sp_marked AS SELECT DB_NAME() AS here
GO
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.sp_marked'), 'IsMSShipped') AS before
EXEC sys.sp_MS_marksystemobject 'sp_marked'
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.sp_marked'), 'IsMSShipped') AS marked, is_ms_shipped FROM sys.procedures WHERE name = 'sp_marked'
EXEC sp_MS_marksystemobject N'dbo.not_there'
GO
ALTER PROCEDURE dbo.sp_marked AS SELECT 2 AS here
GO
EXEC sp_marked
EXEC sp_sqlexec 'SELECT 1 AS a'
EXEC sys.sp_sqlexec @p1 = N'SELECT 2 AS b; SELECT 3 AS c'
GO
DROP PROCEDURE dbo.sp_marked
