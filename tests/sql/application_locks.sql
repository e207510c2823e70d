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
