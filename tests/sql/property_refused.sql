-- What ends when an extended property cannot be: the batch and its transaction, as of a name that is taken, but not where no name is given.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addextendedproperty-transact-sql
CREATE TABLE shelf (slot int NOT NULL, label varchar(9) NULL)
EXEC sp_addextendedproperty 'caption', N'of the label', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'COLUMN', 'label'
EXEC sp_addextendedproperty 'caption', 7, 'SCHEMA', 'dbo', 'TABLE', 'shelf'
EXEC sp_addextendedproperty 'caption', NULL, 'SCHEMA', 'dbo'
GO
CREATE VIEW labels AS SELECT label FROM shelf
GO
SELECT class_desc, minor_id, name, value, SQL_VARIANT_PROPERTY(value, 'BaseType') AS base_type FROM sys.extended_properties ORDER BY class, minor_id
SELECT objtype, objname, name, value FROM fn_listextendedproperty('CAPTION', 'schema', 'DBO', 'table', 'SHELF', 'column', NULL)
SELECT objtype, objname, name, value FROM fn_listextendedproperty(NULL, 'schema', NULL, NULL, NULL, NULL, NULL)
GO
BEGIN TRANSACTION
EXEC sp_addextendedproperty 'caption', 'again', 'SCHEMA', 'dbo', 'TABLE', 'shelf'
SELECT 'not reached' AS said
GO
SELECT @@TRANCOUNT AS open_transactions
GO
BEGIN TRY
  EXEC sp_addextendedproperty 'caption', 'again', 'SCHEMA', 'dbo', 'TABLE', 'shelf'
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, ERROR_STATE() AS state, ERROR_PROCEDURE() AS of_procedure, ERROR_LINE() AS line
END CATCH
GO
EXEC sp_updateextendedproperty 'none', 'x', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'COLUMN', 'label'
GO
EXEC sp_dropextendedproperty 'none', 'SCHEMA', 'dbo', 'TABLE', 'shelf'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', 'absent'
GO
EXEC sp_updateextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', 'absent'
GO
EXEC sp_dropextendedproperty 'caption', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'COLUMN', 'absent'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'absent', 'TABLE', 'shelf'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'absent'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'VIEW', 'shelf'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', 'labels'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'DRAWER', 'slot'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'HOUSE', 'dbo'
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', NULL
GO
EXEC sp_addextendedproperty 'caption', 'x', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'COLUMN', NULL
GO
EXEC sp_addextendedproperty 'caption', 'x', NULL, NULL, 'TABLE', 'shelf'
GO
EXEC sp_addextendedproperty NULL, 'x', 'SCHEMA', 'dbo', 'TABLE', 'shelf'
SELECT 'reached' AS said
GO
EXEC sp_dropextendedproperty 'caption', 'SCHEMA', 'dbo', 'TABLE', 'shelf', 'COLUMN', 'label'
DROP VIEW labels
DROP TABLE shelf
SELECT class_desc, name FROM sys.extended_properties
GO
