-- Pages in memory, and what they are of.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-os-buffer-descriptors-transact-sql
CREATE DATABASE buffered
GO
USE buffered
GO
CREATE TABLE paged (id int NOT NULL CONSTRAINT pk_paged PRIMARY KEY, a int NOT NULL, long varchar(max) NULL, INDEX ix_a (a))
INSERT paged VALUES (1, 10, NULL), (2, 20, REPLICATE(CONVERT(varchar(max), 'x'), 30000)), (3, 30, NULL)
GO
CHECKPOINT
GO
SELECT a.type_desc, p.index_id, d.page_type, d.page_level, MAX(d.row_count) AS most_rows, COUNT(*) AS pages, SUM(CONVERT(int, d.is_modified)) AS modified,
  MIN(IIF(d.free_space_in_bytes BETWEEN 0 AND 8060, 1, 0)) AS free, MIN(d.file_id) AS file_id, MAX(CONVERT(int, d.is_in_bpool_extension)) AS extended
FROM sys.dm_os_buffer_descriptors d JOIN sys.allocation_units a ON a.allocation_unit_id = d.allocation_unit_id
  JOIN sys.partitions p ON p.hobt_id = a.container_id
WHERE d.database_id = DB_ID() AND p.object_id = OBJECT_ID('paged')
GROUP BY a.type_desc, p.index_id, d.page_type, d.page_level ORDER BY a.type_desc, p.index_id, d.page_type, d.page_level
GO
-- The pages of the file itself belong to no unit.
SELECT DISTINCT page_type FROM sys.dm_os_buffer_descriptors WHERE database_id = DB_ID() AND allocation_unit_id IS NULL ORDER BY page_type
GO
-- Each page once.
SELECT COUNT(*) AS twice FROM (SELECT database_id, file_id, page_id FROM sys.dm_os_buffer_descriptors WHERE database_id = DB_ID()
  GROUP BY database_id, file_id, page_id HAVING COUNT(*) > 1) d
GO
UPDATE paged SET a = 40 WHERE id = 3
GO
SELECT IIF(COUNT(*) > 0, 1, 0) AS modified FROM sys.dm_os_buffer_descriptors WHERE database_id = DB_ID() AND is_modified = 1
GO
USE master
GO
DROP DATABASE buffered
GO
