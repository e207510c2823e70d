-- What CHECK_POLICY and CHECK_EXPIRATION ask: learn.microsoft.com/sql/relational-databases/security/password-policy and
-- learn.microsoft.com/sql/t-sql/statements/alter-login-transact-sql; properties: learn.microsoft.com/sql/t-sql/functions/loginproperty-transact-sql
CREATE LOGIN policy_short WITH PASSWORD = 'Sh0rt!';
GO
CREATE LOGIN policy_simple WITH PASSWORD = 'onlyletters';
GO
CREATE LOGIN policy_named WITH PASSWORD = 'my-Policy_Named-1';
GO
DECLARE @text nvarchar(max) = N'CREATE LOGIN policy_long WITH PASSWORD = N''' + REPLICATE(N'Ab1', 43) + N''', CHECK_POLICY = OFF';
EXEC (@text);
GO
CREATE LOGIN policy_any WITH PASSWORD = '', CHECK_POLICY = OFF;
SELECT name, is_policy_checked, is_expiration_checked, is_disabled FROM sys.sql_logins WHERE name LIKE 'policy%';
GO
CREATE LOGIN policy_must WITH PASSWORD = 'Weaver-1-loom' MUST_CHANGE;
GO
CREATE LOGIN policy_must WITH PASSWORD = 'Weaver-1-loom' MUST_CHANGE, CHECK_EXPIRATION = OFF, CHECK_POLICY = OFF;
GO
CREATE LOGIN policy_must WITH PASSWORD = 'Weaver-1-loom', CHECK_EXPIRATION = ON, CHECK_POLICY = OFF;
GO
CREATE LOGIN policy_must WITH PASSWORD = 'Weaver-1-loom' MUST_CHANGE, CHECK_EXPIRATION = ON;
GO
ALTER LOGIN policy_must WITH CHECK_EXPIRATION = OFF;
GO
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-2-loom', CHECK_POLICY = OFF;
GO
SELECT LOGINPROPERTY('policy_must', 'IsMustChange') AS must_change, LOGINPROPERTY('policy_must', 'IsExpired') AS expired,
  LOGINPROPERTY('policy_must', 'DaysUntilExpiration') AS days, LOGINPROPERTY('policy_must', 'HistoryLength') AS history;
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-2-loom';
SELECT LOGINPROPERTY('policy_must', 'IsMustChange') AS must_change;
ALTER LOGIN policy_must WITH CHECK_EXPIRATION = OFF;
SELECT LOGINPROPERTY('policy_must', 'DaysUntilExpiration') AS days;
ALTER LOGIN policy_must WITH CHECK_POLICY = OFF;
SELECT LOGINPROPERTY('policy_must', 'HistoryLength') AS history;
ALTER LOGIN policy_must WITH CHECK_POLICY = ON;
SELECT LOGINPROPERTY('policy_must', 'HistoryLength') AS history, is_policy_checked, is_expiration_checked FROM sys.sql_logins WHERE name = 'policy_must';
GO
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-3-loom' OLD_PASSWORD = 'wrong';
GO
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'enforce password history', 2;
RECONFIGURE;
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-3-loom' OLD_PASSWORD = 'Weaver-2-loom';
GO
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-2-loom' OLD_PASSWORD = 'Weaver-3-loom';
GO
-- Who does not give the old password resets it: former ones do not count.
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-2-loom';
SELECT LOGINPROPERTY('policy_must', 'HistoryLength') AS history;
EXEC sp_configure 'minimum password age (days)', 1;
RECONFIGURE;
GO
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-5-loom' OLD_PASSWORD = 'Weaver-2-loom';
GO
EXEC sp_configure 'minimum password age (days)', 0;
EXEC sp_configure 'enforce password history', 0;
EXEC sp_configure 'minimum password length', 14;
RECONFIGURE;
GO
ALTER LOGIN policy_must WITH PASSWORD = 'Weaver-5-loom' OLD_PASSWORD = 'Weaver-2-loom';
GO
EXEC sp_configure 'minimum password length', 8;
EXEC sp_configure 'show advanced options', 0;
RECONFIGURE;
GO
SELECT p.name, SQL_VARIANT_PROPERTY(LOGINPROPERTY('policy_must', p.name), 'BaseType') AS type
FROM (VALUES ('BadPasswordCount'), ('BadPasswordTime'), ('DaysUntilExpiration'), ('DefaultDatabase'), ('DefaultLanguage'), ('HistoryLength'),
  ('IsExpired'), ('IsLocked'), ('IsMustChange'), ('LockoutTime'), ('PasswordHash'), ('PasswordLastSetTime'), ('PasswordHashAlgorithm'), ('Nothing')) p (name);
SELECT LOGINPROPERTY('policy_must', 'badpasswordcount') AS bad, LOGINPROPERTY('policy_must', 'BadPasswordTime') AS bad_time,
  LOGINPROPERTY('policy_must', 'IsLocked') AS locked, LOGINPROPERTY('policy_must', 'LockoutTime') AS lock_time,
  LOGINPROPERTY('policy_must', 'DefaultDatabase') AS db, LOGINPROPERTY('policy_must', 'DefaultLanguage') AS language,
  LOGINPROPERTY('policy_must', 'PasswordHashAlgorithm') AS algorithm, DATALENGTH(LOGINPROPERTY('policy_must', 'PasswordHash')) AS bytes,
  IIF(DATEDIFF(second, CONVERT(datetime, LOGINPROPERTY('policy_must', 'PasswordLastSetTime')), GETDATE()) BETWEEN 0 AND 120, 'just now', 'not now') AS password_set;
SELECT LOGINPROPERTY('nobody', 'IsLocked') AS nobody, LOGINPROPERTY('sysadmin', 'IsLocked') AS role, LOGINPROPERTY(NULL, 'IsLocked') AS nothing;
GO
-- Hashes, of the form of SQL Server 2012 and of this server's own.
DECLARE @old varbinary(256) = 0x0200 + 0x01020304 + HASHBYTES('SHA2_512', CONVERT(varbinary(256), N'Weaver-1-loom') + 0x01020304);
SELECT PWDCOMPARE('Weaver-1-loom', @old) AS right_one, PWDCOMPARE('weaver-1-loom', @old) AS wrong_one, PWDCOMPARE('x', 0x00) AS no_hash;
DECLARE @new varbinary(256) = PWDENCRYPT('Weaver-1-loom');
SELECT CONVERT(varchar(10), CONVERT(varbinary(2), @new), 1) AS form, PWDCOMPARE('Weaver-1-loom', @new) AS right_one, PWDCOMPARE('weaver', @new) AS wrong_one,
  PWDENCRYPT(NULL) AS nothing;
SELECT name FROM sys.sql_logins WHERE name LIKE 'policy%' AND PWDCOMPARE('', password_hash) = 1;
DECLARE @text nvarchar(max) = N'CREATE LOGIN policy_hashed WITH PASSWORD = ' + CONVERT(nvarchar(max), @old, 1) + N' HASHED, SID = 0x0102030405060708090A0B0C0D0E0F10';
EXEC (@text);
SELECT name, sid, PWDCOMPARE('Weaver-1-loom', password_hash) AS fits FROM sys.sql_logins WHERE name = 'policy_hashed';
GO
CREATE LOGIN policy_hash WITH PASSWORD = 0x0102 HASHED;
GO
CREATE LOGIN policy_hash WITH PASSWORD = 'Weaver-1-loom' HASHED;
GO
CREATE LOGIN policy_hash WITH PASSWORD = 'Weaver-1-loom', CREDENTIAL = c;
GO
EXEC sp_addlogin 'policy_added', 'simple', @deflanguage = 'Deutsch', @sid = 0x0102030405060708090A0B0C0D0E0F11;
SELECT name, sid, default_language_name, is_policy_checked, PWDCOMPARE('simple', password_hash) AS fits FROM sys.sql_logins WHERE name = 'policy_added';
EXEC sp_password 'simple', 'simpler', 'policy_added';
SELECT PWDCOMPARE('simpler', password_hash) AS fits FROM sys.sql_logins WHERE name = 'policy_added';
EXEC sp_password 'wrong', 'simplest', 'policy_added';
GO
EXEC sp_addlogin 'policy_other', 'simple', @encryptopt = 'rot13';
GO
CREATE USER policy_added FOR LOGIN policy_added;
ALTER ROLE db_datareader ADD MEMBER policy_added;
GO
USE master;
GO
EXEC sp_helplogins 'policy_added';
EXEC xp_loginconfig;
EXEC xp_loginconfig 'login mode';
GO
DROP LOGIN policy_added; DROP LOGIN policy_any; DROP LOGIN policy_must; DROP LOGIN policy_hashed;
SELECT name FROM sys.sql_logins WHERE name LIKE 'policy%';
GO
