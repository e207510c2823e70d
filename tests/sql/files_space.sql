-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-file-space-usage-transact-sql: a row "for each data file in the
-- database", of pages "at the extent level", so multiples of eight.
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-filegroups-transact-sql: filegroup_guid, "NULL = PRIMARY filegroup".
CREATE DATABASE spaced
GO
ALTER DATABASE spaced ADD FILEGROUP second
ALTER DATABASE spaced ADD FILEGROUP third
ALTER DATABASE spaced ADD FILE (NAME = 'more', FILENAME = 'more.ndf', SIZE = 16MB) TO FILEGROUP second
GO
USE spaced
GO
SELECT u.file_id, f.name, u.filegroup_id, CASE WHEN u.file_id = 1 THEN NULL ELSE u.total_page_count END AS pages,
  u.total_page_count - u.allocated_extent_page_count - u.unallocated_extent_page_count AS rest, u.allocated_extent_page_count % 8 AS part_of_an_extent
FROM sys.dm_db_file_space_usage u JOIN sys.database_files f ON f.file_id = u.file_id ORDER BY u.file_id
SELECT name, CASE WHEN filegroup_guid IS NULL THEN 'none' ELSE 'some' END AS guid FROM sys.filegroups ORDER BY data_space_id
SELECT COUNT(DISTINCT filegroup_guid) AS different FROM sys.filegroups
GO
USE master
GO
DROP DATABASE spaced
GO
