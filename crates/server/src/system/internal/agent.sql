-- What the procedures of SQL Server Agent have in common.

CREATE PROCEDURE sys.agent_may_change AS
SET NOCOUNT ON
IF IS_SRVROLEMEMBER(N'sysadmin') = 1 RETURN 0
RAISERROR(15247, -1, -1)
RETURN 1
GO
-- A job by its name or its number, and the other of the two.
CREATE PROCEDURE sys.agent_find_job @job_id uniqueidentifier OUTPUT, @job_name sysname OUTPUT AS
SET NOCOUNT ON
DECLARE @refused int
EXEC @refused = sys.agent_may_change
IF @refused = 1 RETURN 1
IF (@job_id IS NULL AND @job_name IS NULL) OR (@job_id IS NOT NULL AND @job_name IS NOT NULL)
BEGIN
  RAISERROR(14294, -1, -1, N'@job_id', N'@job_name')
  RETURN 1
END
DECLARE @found uniqueidentifier, @found_name sysname, @text nvarchar(36) = CONVERT(nvarchar(36), @job_id)
SELECT @found = j.job_id, @found_name = j.name
FROM msdb.dbo.sysjobs j
WHERE j.job_id = @job_id OR j.name = @job_name
IF @found IS NULL
BEGIN
  IF @job_name IS NULL RAISERROR(14262, -1, -1, N'@job_id', @text)
  ELSE RAISERROR(14262, -1, -1, N'@job_name', @job_name)
  RETURN 1
END
SELECT @job_id = @found, @job_name = @found_name
RETURN 0
GO
-- A category of a class (1 jobs, 2 alerts, 3 operators) by its name; NULL gives what has none.
CREATE PROCEDURE sys.agent_find_category @class int, @category_name sysname, @category_id int OUTPUT AS
SET NOCOUNT ON
IF @category_name IS NULL
BEGIN
  SET @category_id = CASE @class WHEN 1 THEN 0 WHEN 2 THEN 98 ELSE 99 END
  RETURN 0
END
SELECT @category_id = category_id FROM msdb.dbo.syscategories WHERE category_class = @class AND name = @category_name
IF @@ROWCOUNT = 1 RETURN 0
RAISERROR(14262, -1, -1, N'@category_name', @category_name)
RETURN 1
GO
CREATE PROCEDURE sys.agent_find_operator @parameter sysname, @name sysname, @id int OUTPUT AS
SET NOCOUNT ON
IF @name IS NULL RETURN 0
SET @id = 0
IF @name = N'' RETURN 0
SELECT @id = id FROM msdb.dbo.sysoperators WHERE name = @name
IF @@ROWCOUNT = 1 RETURN 0
RAISERROR(14262, -1, -1, @parameter, @name)
RETURN 1
GO
CREATE PROCEDURE sys.agent_find_owner @login sysname, @sid varbinary(85) OUTPUT AS
SET NOCOUNT ON
SET @sid = CASE WHEN @login IS NULL THEN SUSER_SID() ELSE SUSER_SID(@login) END
IF @sid IS NOT NULL RETURN 0
RAISERROR(14262, -1, -1, N'@owner_login_name', @login)
RETURN 1
GO
-- A schedule by its name or its number, and the other of the two.
CREATE PROCEDURE sys.agent_find_schedule @schedule_id int OUTPUT, @schedule_name sysname OUTPUT AS
SET NOCOUNT ON
IF (@schedule_id IS NULL AND @schedule_name IS NULL) OR (@schedule_id IS NOT NULL AND @schedule_name IS NOT NULL)
BEGIN
  RAISERROR(14373, -1, -1, N'@schedule_id', N'@schedule_name')
  RETURN 1
END
DECLARE @count int, @found int, @found_name sysname, @text nvarchar(36) = CONVERT(nvarchar(36), @schedule_id)
SELECT @count = COUNT(*), @found = MIN(schedule_id), @found_name = MIN(name)
FROM msdb.dbo.sysschedules
WHERE schedule_id = @schedule_id OR name = @schedule_name
IF @count > 1
BEGIN
  RAISERROR(14371, -1, -1, @schedule_name, N'@schedule_id', N'@schedule_name')
  RETURN 1
END
IF @count = 0
BEGIN
  IF @schedule_name IS NULL RAISERROR(14262, -1, -1, N'@schedule_id', @text)
  ELSE RAISERROR(14262, -1, -1, N'@schedule_name', @schedule_name)
  RETURN 1
END
SELECT @schedule_id = @found, @schedule_name = @found_name
RETURN 0
GO
-- Whether the values of a schedule are such as its page lists.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-add-schedule-transact-sql
CREATE PROCEDURE sys.agent_check_schedule @enabled int, @freq_type int, @freq_interval int, @freq_subday_type int, @freq_subday_interval int,
  @freq_relative_interval int, @freq_recurrence_factor int, @active_start_date int, @active_end_date int, @active_start_time int,
  @active_end_time int AS
SET NOCOUNT ON
DECLARE @wrong sysname, @values nvarchar(200)
IF @freq_type = 128
BEGIN
  RAISERROR(40510, 16, 1, N'@freq_type = 128')
  RETURN 1
END
SELECT TOP (1) @wrong = v.name, @values = v.valid
FROM (VALUES
  (1, N'@enabled', N'0, 1', CASE WHEN @enabled IN (0, 1) THEN 1 END),
  (2, N'@freq_type', N'0x1, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80', CASE WHEN @freq_type IN (1, 4, 8, 16, 32, 64, 128) THEN 1 END),
  (3, N'@freq_interval', N'> 0', CASE WHEN @freq_type NOT IN (4, 8, 16, 32) OR @freq_interval > 0 THEN 1 END),
  (4, N'@freq_interval', N'1..127 [bitmask of days of the week]', CASE WHEN @freq_type <> 8 OR @freq_interval <= 127 THEN 1 END),
  (5, N'@freq_interval', N'1..31', CASE WHEN @freq_type <> 16 OR @freq_interval <= 31 THEN 1 END),
  (6, N'@freq_interval', N'1..10', CASE WHEN @freq_type <> 32 OR @freq_interval <= 10 THEN 1 END),
  (7, N'@freq_relative_interval', N'1, 2, 4, 8, 16', CASE WHEN @freq_type <> 32 OR @freq_relative_interval IN (1, 2, 4, 8, 16) THEN 1 END),
  (8, N'@freq_recurrence_factor', N'> 0', CASE WHEN @freq_type NOT IN (8, 16, 32) OR @freq_recurrence_factor > 0 THEN 1 END),
  (9, N'@freq_subday_type', N'0x1, 0x2, 0x4, 0x8', CASE WHEN @freq_type NOT IN (4, 8, 16, 32) OR @freq_subday_type IN (0, 1, 2, 4, 8) THEN 1 END),
  (10, N'@freq_subday_interval', N'> 0', CASE WHEN @freq_subday_type NOT IN (2, 4, 8) OR @freq_subday_interval > 0 THEN 1 END),
  (11, N'@freq_subday_interval', N'10..', CASE WHEN @freq_subday_type <> 2 OR @freq_subday_interval >= 10 THEN 1 END)
) AS v(number, name, valid, holds)
WHERE v.holds IS NULL
ORDER BY v.number
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14266, -1, -1, @wrong, @values)
  RETURN 1
END
SET @wrong = CASE
  WHEN TRY_CONVERT(date, CONVERT(char(8), @active_start_date), 112) IS NULL THEN N'@active_start_date'
  WHEN TRY_CONVERT(date, CONVERT(char(8), @active_end_date), 112) IS NULL THEN N'@active_end_date' END
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14287, -1, -1, @wrong, N'date')
  RETURN 1
END
IF @active_end_date < @active_start_date
BEGIN
  RAISERROR(14288, -1, -1, N'@active_end_date', N'@active_start_date')
  RETURN 1
END
SET @wrong = CASE
  WHEN @active_start_time NOT BETWEEN 0 AND 235959 OR @active_start_time % 100 > 59 OR @active_start_time / 100 % 100 > 59 THEN N'@active_start_time'
  WHEN @active_end_time NOT BETWEEN 0 AND 235959 OR @active_end_time % 100 > 59 OR @active_end_time / 100 % 100 > 59 THEN N'@active_end_time' END
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14287, -1, -1, @wrong, N'time')
  RETURN 1
END
RETURN 0
GO
-- Numbers of jobs and schedules as texts list them.
CREATE FUNCTION sys.agent_moment(@date int, @time int)
RETURNS datetime AS
BEGIN
  RETURN CASE WHEN @date > 0 THEN DATEADD(second, @time / 10000 * 3600 + @time / 100 % 100 * 60 + @time % 100, CONVERT(datetime, CONVERT(char(8), @date), 112)) END
END
GO
-- What a step may be. @step_id: of one that is there.
CREATE PROCEDURE sys.agent_check_step @job_id uniqueidentifier, @step_id int, @step_name sysname, @subsystem nvarchar(40), @on_success_action int,
  @on_fail_action int, @flags int, @proxy_id int, @proxy_name sysname AS
SET NOCOUNT ON
IF UPPER(@subsystem) <> N'TSQL'
BEGIN
  RAISERROR(14234, -1, -1, N'@subsystem', N'sp_enum_sqlagent_subsystems')
  RETURN 1
END
IF @proxy_id IS NOT NULL OR @proxy_name IS NOT NULL
BEGIN
  RAISERROR(14517, -1, -1)
  RETURN 1
END
IF EXISTS (SELECT * FROM msdb.dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name AND step_id <> ISNULL(@step_id, 0))
BEGIN
  RAISERROR(14261, -1, -1, N'@step_name', @step_name)
  RETURN 1
END
DECLARE @wrong sysname = CASE WHEN @on_success_action NOT IN (1, 2, 3, 4) THEN N'@on_success_action' WHEN @on_fail_action NOT IN (1, 2, 3, 4) THEN N'@on_fail_action' END
IF @wrong IS NOT NULL
BEGIN
  RAISERROR(14266, -1, -1, @wrong, N'1, 2, 3, 4')
  RETURN 1
END
IF @flags < 0 OR @flags > 114
BEGIN
  RAISERROR(14266, -1, -1, N'@flags', N'0..114')
  RETURN 1
END
RETURN 0
GO
-- Ends a job that runs or is about to. The answer: whether there was one.
CREATE PROCEDURE sys.agent_stop @job_id uniqueidentifier AS
SET NOCOUNT ON
DECLARE @asked int
DELETE msdb.dbo.sysagentrequests WHERE job_id = @job_id AND operation_code = 4
SET @asked = @@ROWCOUNT
IF NOT EXISTS (SELECT * FROM msdb.dbo.sysjobactivity WHERE job_id = @job_id AND session_id = (SELECT MAX(session_id) FROM msdb.dbo.syssessions)
  AND start_execution_date IS NOT NULL AND stop_execution_date IS NULL) RETURN @asked
INSERT msdb.dbo.sysagentrequests (job_id, operation_code, step_id, login) VALUES (@job_id, 5, 0, SUSER_SNAME())
-- The session of its step.
DECLARE @session int, @text nvarchar(30), @program nvarchar(128) = N'SQLAgent - TSQL JobStep (Job ' + CONVERT(nvarchar(34), CONVERT(varbinary(16), @job_id), 1) + N' :%'
SELECT @session = MAX(session_id) FROM sys.dm_exec_sessions WHERE program_name LIKE @program AND session_id <> @@SPID
SET @text = N'KILL ' + CONVERT(nvarchar(10), @session)
-- It may have ended meanwhile.
BEGIN TRY
  IF @session IS NOT NULL EXEC (@text)
END TRY
BEGIN CATCH
END CATCH
RETURN 1
GO
CREATE PROCEDURE sys.agent_find_schedule_of_job @job_id uniqueidentifier, @name sysname, @schedule_id int OUTPUT AS
SET NOCOUNT ON
DECLARE @count int
SELECT @count = COUNT(*), @schedule_id = MIN(s.schedule_id)
FROM msdb.dbo.sysschedules s
JOIN msdb.dbo.sysjobschedules a ON a.schedule_id = s.schedule_id
WHERE a.job_id = @job_id AND s.name = @name
IF @count = 1 RETURN 0
IF @count = 0 RAISERROR(14262, -1, -1, N'@name', @name)
ELSE RAISERROR(14371, -1, -1, @name, N'@schedule_id', N'@schedule_name')
RETURN 1
GO
-- A schedule in words.
CREATE FUNCTION sys.agent_describe(@type int, @interval int, @subday_type int, @subday_interval int, @relative int, @factor int, @start_date int,
  @start_time int, @end_time int)
RETURNS nvarchar(400) AS
BEGIN
  IF @type = 64 RETURN N'Automatically when SQLServerAgent starts'
  DECLARE @text nvarchar(400), @from nvarchar(8) = STUFF(STUFF(RIGHT(N'00000' + CONVERT(nvarchar(6), @start_time), 6), 5, 0, N':'), 3, 0, N':'),
    @to nvarchar(8) = STUFF(STUFF(RIGHT(N'00000' + CONVERT(nvarchar(6), @end_time), 6), 5, 0, N':'), 3, 0, N':'),
    @every nvarchar(10) = CONVERT(nvarchar(10), @factor)
  IF @type = 1 RETURN N'On ' + CONVERT(nvarchar(10), CONVERT(date, CONVERT(char(8), @start_date), 112), 101) + N' at ' + @from
  SET @text = CASE @type
    WHEN 4 THEN N'Every ' + CONVERT(nvarchar(10), @interval) + N' day(s) '
    WHEN 8 THEN N'Every ' + @every + N' week(s) on ' + STUFF(
      CASE WHEN @interval & 1 <> 0 THEN N', Sunday' ELSE N'' END + CASE WHEN @interval & 2 <> 0 THEN N', Monday' ELSE N'' END
      + CASE WHEN @interval & 4 <> 0 THEN N', Tuesday' ELSE N'' END + CASE WHEN @interval & 8 <> 0 THEN N', Wednesday' ELSE N'' END
      + CASE WHEN @interval & 16 <> 0 THEN N', Thursday' ELSE N'' END + CASE WHEN @interval & 32 <> 0 THEN N', Friday' ELSE N'' END
      + CASE WHEN @interval & 64 <> 0 THEN N', Saturday' ELSE N'' END, 1, 2, N'') + N' '
    WHEN 16 THEN N'Every ' + @every + N' month(s) on day ' + CONVERT(nvarchar(10), @interval) + N' of that month '
    WHEN 32 THEN N'Every ' + CASE @relative WHEN 1 THEN N'first ' WHEN 2 THEN N'second ' WHEN 4 THEN N'third ' WHEN 8 THEN N'fourth ' ELSE N'last ' END
      + CASE @interval WHEN 1 THEN N'Sunday' WHEN 2 THEN N'Monday' WHEN 3 THEN N'Tuesday' WHEN 4 THEN N'Wednesday' WHEN 5 THEN N'Thursday'
        WHEN 6 THEN N'Friday' WHEN 7 THEN N'Saturday' WHEN 8 THEN N'day' WHEN 9 THEN N'weekday' ELSE N'weekend day' END
      + N' of every ' + @every + N' month(s) '
    ELSE N'' END
  RETURN @text + CASE @subday_type
    WHEN 2 THEN N'every ' + CONVERT(nvarchar(10), @subday_interval) + N' second(s) between ' + @from + N' and ' + @to
    WHEN 4 THEN N'every ' + CONVERT(nvarchar(10), @subday_interval) + N' minute(s) between ' + @from + N' and ' + @to
    WHEN 8 THEN N'every ' + CONVERT(nvarchar(10), @subday_interval) + N' hour(s) between ' + @from + N' and ' + @to
    ELSE N'at ' + @from END
END
GO
