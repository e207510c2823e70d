-- https://learn.microsoft.com/sql/t-sql/queries/at-time-zone-transact-sql: the rules of summer time; a time that the change skips is moved
-- behind it, and of a time that is there twice the later is meant.
SELECT CAST('2022-03-27T01:01:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS before, CAST('2022-03-27T02:01:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS skipped, CAST('2022-03-27T03:01:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS behind;
SELECT CAST('2022-10-30T01:01:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS before, CAST('2022-10-30T02:00:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS twice, CAST('2022-10-30T03:01:00' AS datetime2(0)) AT TIME ZONE 'Central European Standard Time' AS behind;
SELECT CAST('2024-07-01 12:00 +00:00' AS datetimeoffset(0)) AT TIME ZONE 'Pacific Standard Time' AS summer, CAST('2024-01-01 12:00 +00:00' AS datetimeoffset(0)) AT TIME ZONE 'pacific standard time' AS winter, CAST('2050-07-01 12:00' AS datetime2(0)) AT TIME ZONE 'Pacific Standard Time' AS later;
SELECT CAST('2024-01-01' AS datetime) AT TIME ZONE 'India Standard Time' AS india, CAST('2024-01-01' AS smalldatetime) AT TIME ZONE 'Nepal Standard Time' AT TIME ZONE 'UTC' AS nepal, CAST('2024-04-06 16:00 +00:00' AS datetimeoffset(0)) AT TIME ZONE 'Lord Howe Standard Time' AS lord_howe;
SELECT CAST(NULL AS datetime2) AT TIME ZONE 'UTC' AS nothing, CURRENT_TIMEZONE() AS zone, CURRENT_TIMEZONE_ID() AS id;
SELECT CASE WHEN COUNT(*) > 135 THEN 'all' END AS zones FROM sys.time_zone_info;
SELECT name, current_utc_offset, is_currently_dst FROM sys.time_zone_info WHERE name IN ('UTC', 'Tokyo Standard Time', 'Newfoundland Standard Time') AND (name <> 'Newfoundland Standard Time' OR current_utc_offset NOT IN ('-03:30', '-02:30')) ORDER BY name;
SELECT TODATETIMEOFFSET(CAST('2024-01-01' AS datetime2(0)), '-9:00') AS one_digit, CAST('2024-01-01 10:00 +5:3' AS datetimeoffset(0)) AS text;
GO
SELECT SYSDATETIMEOFFSET() AT TIME ZONE 'Nowhere Standard Time';
GO
SELECT CAST('10:00' AS time) AT TIME ZONE 'UTC';
GO
