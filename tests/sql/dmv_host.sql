-- The machine: a distribution by its name alone, its release beside it.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-os-host-info-transact-sql
SELECT host_platform, CASE WHEN host_distribution LIKE '%[<>"=]%' THEN 'more than a name' ELSE 'a name' END AS distribution,
  CASE WHEN host_release LIKE '%[^0-9.]%' THEN 'more than a number' ELSE 'a number' END AS release, host_service_pack_level, host_sku, os_language_version FROM sys.dm_os_host_info;
GO
