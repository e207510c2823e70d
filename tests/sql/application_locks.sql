-- What sp_getapplock and sp_releaseapplock refuse, and how: by a status of -999, and mostly with no more than a message.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql
DECLARE @status int
EXEC @status = sp_getapplock 'gate', 'Exclusive', 'Session'
SELECT @status AS got, APPLOCK_MODE('public', 'gate', 'Session') AS mode, APPLOCK_TEST('public', 'gate', 'Update', 'Session') AS could
EXEC @status = sp_getapplock 'gate', 'Shared', 'Session'
EXEC sp_releaseapplock 'gate', 'Session'
SELECT @status AS again, APPLOCK_MODE('public', 'gate', 'Session') AS still
EXEC sp_releaseapplock 'gate', 'Session'
SELECT APPLOCK_MODE('public', 'gate', 'Session') AS mode
EXEC @status = sp_releaseapplock 'gate', 'Session'
SELECT @status AS not_held
GO
DECLARE @status int
EXEC @status = sp_getapplock 'gate', 'Exclusive'
SELECT @status AS without_transaction
EXEC @status = sp_getapplock 'gate', 'Sometimes', 'Session'
SELECT @status AS no_mode
EXEC @status = sp_getapplock 'gate', 'Shared', 'Nobody'
SELECT @status AS no_owner
GO
BEGIN TRANSACTION
DECLARE @status int
EXEC @status = sp_getapplock 'gate', 'Update'
SELECT @status AS got, APPLOCK_MODE('public', 'gate', 'Transaction') AS mode
COMMIT
SELECT APPLOCK_MODE('public', 'gate', 'Transaction') AS none
GO
BEGIN TRY
  EXEC sp_releaseapplock 'gate', 'Session'
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number
END CATCH
GO
-- What is given wrongly: the procedures tell and return -999, the functions fail.
DECLARE @status int
EXEC @status = sp_getapplock NULL, 'Shared', 'Session'
SELECT @status AS no_name
EXEC @status = sp_getapplock @LockMode = 'Shared', @LockOwner = 'Session'
SELECT @status AS no_name
EXEC @status = sp_getapplock 'gate', 'Shared', 'Session', -2
SELECT @status AS no_time
EXEC @status = sp_getapplock 'gate', 'Shared', 'Session', 0, 'nobody'
SELECT @status AS no_principal
EXEC @status = sp_getapplock 'gate', 'Shared', 'Session', 0, NULL
SELECT @status AS null_principal
EXEC @status = sp_getapplock 'gate', NULL, 'Session'
SELECT @status AS null_mode
EXEC @status = sp_getapplock 'gate', 'Shared', NULL
SELECT @status AS null_owner
EXEC @status = sp_getapplock 'gate', 'shared  ', 'SESSION '
SELECT @status AS got
EXEC @status = sp_releaseapplock 'gate', 'Session', 'dbo'
SELECT @status AS not_held
EXEC @status = sp_releaseapplock 'gate', 'Transaction'
SELECT @status AS without_transaction
EXEC @status = sp_releaseapplock NULL, 'Session'
SELECT @status AS no_name
GO
EXEC sp_getapplock 'gate'
GO
SELECT APPLOCK_MODE(NULL, 'gate', 'Session')
GO
SELECT APPLOCK_TEST('public', 'gate', 5, 'Session')
GO
SELECT APPLOCK_TEST('public', 'gate', 'Sometimes', 'Session')
GO
SELECT APPLOCK_MODE('public', 'gate', 'Nobody')
GO
SELECT APPLOCK_MODE('nobody', 'gate', 'Session')
GO
DECLARE @null nvarchar(9)
SELECT APPLOCK_MODE(@null, 'gate', 'Session')
GO
DECLARE @null nvarchar(9)
SELECT APPLOCK_MODE('public', @null, 'Session')
GO
SELECT APPLOCK_MODE('public', 'gate', NULL)
GO
BEGIN TRANSACTION
SELECT APPLOCK_MODE('public', 'gate', NULL) AS mode, APPLOCK_TEST('PUBLIC', 'gate', 'exclusive', 'Session ') AS could
COMMIT
GO
