CREATE TABLE dbo.parent (id int IDENTITY(5, 2) NOT NULL CONSTRAINT pk_parent PRIMARY KEY, code varchar(20) NOT NULL CONSTRAINT ck_code CHECK (code <> ''));
CREATE TABLE dbo.child (a int NOT NULL, parent_id int NULL CONSTRAINT fk_child REFERENCES dbo.parent (id));
CREATE TABLE dbo.alone (a int NOT NULL CONSTRAINT pk_alone PRIMARY KEY NONCLUSTERED, b int NULL CONSTRAINT ck_b CHECK (b > 0) CONSTRAINT df_b DEFAULT 1);
CREATE INDEX by_parent ON dbo.child (parent_id DESC, a);
GO
CREATE PROCEDURE dbo.lines AS
SELECT 1 AS one
RETURN 0
GO
EXEC sp_helptext 'dbo.lines';
EXEC sp_helptext 'dbo.child';
EXEC sp_helpindex 'dbo.child';
EXEC sp_helpconstraint 'dbo.alone', 'nomsg';
GO
EXEC sp_helprolemember 'db_owner';
EXEC sp_helprole 'nobody';
EXEC sp_helpsrvrole 'sysadmin';
GO
EXEC sp_MSforeachtable N'PRINT ''?''';
GO
EXEC sp_addmessage 60001, 16, N'%s has %d', @replace = 'replace';
RAISERROR(60001, 16, 3, 'it', 5);
EXEC sp_dropmessage 60001;
RAISERROR(60001, 16, 3, 'it', 5);
EXEC sp_addmessage 40000, 16, N'too low';
GO
EXEC sp_configure 'show advanced options';
EXEC sp_configure 'no such option', 1;
GO
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-help-transact-sql
