-- When the server started: three views have one moment.
SELECT IIF(i.sqlserver_start_time BETWEEN DATEADD(hour, -1, GETDATE()) AND GETDATE(), 'just now', 'another time') AS started,
  IIF(ABS(DATEDIFF(millisecond, CONVERT(datetime, s.last_startup_time), i.sqlserver_start_time)) <= 4, 'the same', 'another') AS service,
  IIF(DATEPART(tzoffset, s.last_startup_time) = DATEPART(tzoffset, SYSDATETIMEOFFSET()), 'of here', 'of elsewhere') AS offset,
  IIF(p.statistics_start_time = i.sqlserver_start_time, 'the same', 'another') AS pools
FROM sys.dm_server_services s CROSS JOIN sys.dm_os_sys_info i CROSS JOIN sys.dm_resource_governor_resource_pools p WHERE p.pool_id = 2
GO
