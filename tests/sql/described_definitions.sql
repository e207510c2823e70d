-- Statements that define, administer or only run are passed over by what describes a text or a module: what reads tables is bound.
-- https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-describe-first-result-set-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-sql-referenced-entities-transact-sql
CREATE TABLE dbo.described (id int NOT NULL, word varchar(10))
GO
CREATE PROCEDURE dbo.defining AS
CREATE TABLE #made (i int)
INSERT #made VALUES (1)
ALTER TABLE #made ADD b int
DROP TABLE #made
TRUNCATE TABLE dbo.described
BACKUP DATABASE nowhere TO DISK = 'nowhere.bak'
EXEC ('SELECT 1')
SELECT word FROM dbo.described
GO
SELECT referenced_schema_name, referenced_entity_name, referenced_minor_name FROM sys.dm_sql_referenced_entities('dbo.defining', 'OBJECT')
WHERE referenced_entity_name = 'described' ORDER BY 3
GO
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'CREATE TABLE dbo.other (i int); SELECT id, word FROM dbo.described', NULL, 0)
EXEC sp_describe_first_result_set N'CREATE TABLE dbo.other (i int)'
GO
EXEC sp_describe_first_result_set N'TRUNCATE TABLE dbo.described'
EXEC sp_describe_first_result_set N'DROP TABLE dbo.nothing'
EXEC sp_describe_undeclared_parameters N'CREATE TABLE dbo.other (i int); SELECT id FROM dbo.described WHERE word = @word'
