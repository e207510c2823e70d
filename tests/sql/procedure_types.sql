-- sp_addtype, sp_droptype: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addtype-transact-sql
EXEC sp_addtype 'zipcode', 'char(5)', 'not null';
EXEC sp_addtype id, 'varchar(11)';
EXEC sp_addtype @typename = 'price', @phystype = 'decimal(9, 2)', @nulltype = 'NULL';
SELECT name, max_length, precision, scale, is_nullable FROM sys.types WHERE is_user_defined = 1 ORDER BY name;
CREATE TABLE dbo.of_types (a zipcode, b id, c price);
INSERT dbo.of_types VALUES ('12345', 'x', 1.5);
SELECT * FROM dbo.of_types;
GO
INSERT dbo.of_types VALUES (NULL, 'x', 1.5);
GO
EXEC sp_droptype 'price';
GO
DROP TABLE dbo.of_types;
EXEC sp_droptype 'price';
SELECT COUNT(*) AS left_over FROM sys.types WHERE name = 'price';
GO
EXEC sp_addtype 'bad', 'int; SELECT 1';
GO
EXEC sp_addtype 'bad', 'nosuch';
GO
