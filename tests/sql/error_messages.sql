SELECT message_id, severity, is_event_logged, text FROM sys.messages
WHERE language_id = 1033 AND message_id IN (104, 208, 547, 701, 1205, 2732, 15151, 18456) ORDER BY message_id;
SELECT IIF(COUNT(*) > 600, 'many', 'few') AS messages, COUNT(DISTINCT message_id) - COUNT(*) AS twice FROM sys.messages WHERE language_id = 1033 AND message_id < 50000;
GO
EXEC sp_addmessage 50777, 12, 'The number of rows in %s is %d.';
GO
SELECT message_id, severity, is_event_logged, text FROM sys.messages WHERE message_id = 50777;
SELECT FORMATMESSAGE(50777, 'Table1', 5) AS of_user, FORMATMESSAGE(50777) AS nothing_given, FORMATMESSAGE(50778, 'x') AS unknown;
SELECT FORMATMESSAGE(15151, 'drop', 'login', 'joe') AS of_system, FORMATMESSAGE(15477) AS plain, FORMATMESSAGE(15457, 'name', 1, 2) AS numbers;
SELECT FORMATMESSAGE(208, 'dbo.t') AS not_for_users, FORMATMESSAGE(NULL, 'x') AS of_null;
GO
SELECT FORMATMESSAGE(15457, 'name', 'one', 2) AS wrong_type;
GO
RAISERROR(50777, 16, 1, 'Table1', 5);
SELECT @@ERROR AS e;
GO
RAISERROR(50777, -1, -1, 'Table1', 5);
GO
RAISERROR(15151, 16, 3, 'drop', 'login', 'joe');
SELECT @@ERROR AS e;
GO
RAISERROR(15477, -1, -1);
SELECT @@ERROR AS e;
GO
RAISERROR(208, 16, 1, 'dbo.t');
SELECT @@ERROR AS e;
GO
RAISERROR(50000, 16, 1);
GO
RAISERROR(-1, 16, 1);
GO
RAISERROR(14999, 16, 1);
GO
BEGIN TRY
  RAISERROR(15151, 16, 1, 'alter', 'user', 'joe');
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_MESSAGE() AS message;
END CATCH
GO
SELECT * FROM no_such_table;
SELECT @@ERROR AS not_reached;
GO
SELECT @@ERROR AS e;
GO
EXEC sp_dropmessage 50777;
GO
RAISERROR(50777, 16, 1, 'Table1', 5);
GO
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/messages-for-errors-catalog-views-sys-messages
