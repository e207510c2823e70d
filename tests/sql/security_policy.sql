-- Row-level security: https://learn.microsoft.com/sql/relational-databases/security/row-level-security
-- the example of that page for users who are users of the database
CREATE USER Manager WITHOUT LOGIN
CREATE USER Sales1 WITHOUT LOGIN
CREATE USER Sales2 WITHOUT LOGIN
CREATE TABLE dbo.Sales (OrderID int NOT NULL CONSTRAINT pk_sales PRIMARY KEY, SalesRep nvarchar(50), Product varchar(10), Quantity smallint)
INSERT dbo.Sales VALUES (1, N'Sales1', 'Valve', 5), (2, N'Sales1', 'Wheel', 2), (3, N'Sales1', 'Valve', 4),
  (4, N'Sales2', 'Bracket', 2), (5, N'Sales2', 'Wheel', 5), (6, N'Sales2', 'Seat', 5)
GRANT SELECT, INSERT, UPDATE, DELETE ON dbo.Sales TO Manager, Sales1, Sales2
GO
CREATE SCHEMA Security
GO
CREATE FUNCTION Security.tvf_securitypredicate(@SalesRep AS nvarchar(50)) RETURNS TABLE WITH SCHEMABINDING AS
RETURN SELECT 1 AS tvf_securitypredicate_result WHERE @SalesRep = USER_NAME() OR USER_NAME() = 'Manager'
GO
CREATE SECURITY POLICY Security.SalesFilter
ADD FILTER PREDICATE Security.tvf_securitypredicate(SalesRep) ON dbo.Sales WITH (STATE = ON)
GO
EXECUTE AS USER = 'Sales1'
SELECT OrderID, SalesRep FROM dbo.Sales ORDER BY OrderID
REVERT
EXECUTE AS USER = 'Sales2'
SELECT OrderID, SalesRep FROM dbo.Sales ORDER BY OrderID
REVERT
EXECUTE AS USER = 'Manager'
SELECT COUNT(*) AS n FROM dbo.Sales
REVERT
-- the policy is for everybody
SELECT COUNT(*) AS n FROM dbo.Sales
GO
ALTER SECURITY POLICY Security.SalesFilter WITH (STATE = OFF)
SELECT COUNT(*) AS n FROM dbo.Sales
ALTER SECURITY POLICY Security.SalesFilter WITH (STATE = ON)
SELECT COUNT(*) AS n FROM dbo.Sales
GO
-- rows that are not seen are not changed
EXECUTE AS USER = 'Sales1'
UPDATE dbo.Sales SET Quantity = 99
SELECT @@ROWCOUNT AS n
DELETE dbo.Sales WHERE OrderID IN (3, 4)
SELECT @@ROWCOUNT AS n
MERGE dbo.Sales AS t USING (VALUES (1), (5)) AS s (id) ON t.OrderID = s.id WHEN MATCHED THEN UPDATE SET Quantity = 7;
SELECT @@ROWCOUNT AS n
-- but they are there
INSERT dbo.Sales VALUES (4, 'Sales1', 'Tap', 1)
-- and what is inserted may be hidden at once
INSERT dbo.Sales VALUES (7, 'Sales2', 'Tap', 1)
SELECT OrderID FROM dbo.Sales ORDER BY OrderID
REVERT
EXECUTE AS USER = 'Manager'
SELECT OrderID, SalesRep, Quantity FROM dbo.Sales ORDER BY OrderID
REVERT
GO
-- block predicates
ALTER SECURITY POLICY Security.SalesFilter
ADD BLOCK PREDICATE Security.tvf_securitypredicate(SalesRep) ON dbo.Sales AFTER INSERT,
ADD BLOCK PREDICATE Security.tvf_securitypredicate(SalesRep) ON dbo.Sales AFTER UPDATE
GO
EXECUTE AS USER = 'Sales1'
GO
INSERT dbo.Sales VALUES (8, 'Sales2', 'Tap', 1)
GO
INSERT dbo.Sales VALUES (9, 'Sales1', 'Tap', 1), (10, 'Sales2', 'Tap', 1)
GO
INSERT dbo.Sales VALUES (9, 'Sales1', 'Tap', 1)
UPDATE dbo.Sales SET SalesRep = 'Sales1', Quantity = 8 WHERE OrderID = 1
GO
UPDATE dbo.Sales SET SalesRep = 'Sales2' WHERE OrderID = 1
GO
MERGE dbo.Sales AS t USING (VALUES (1), (12)) AS s (id) ON t.OrderID = s.id
WHEN MATCHED THEN UPDATE SET Quantity = 6 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'Sales2', 'x', 1);
GO
BEGIN TRY INSERT dbo.Sales VALUES (8, 'Sales2', 'Tap', 1) END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state END CATCH
REVERT
GO
SELECT name, type, type_desc, is_ms_shipped, is_enabled, is_not_for_replication, uses_database_collation, is_schema_bound,
  SCHEMA_NAME(schema_id) AS s, parent_object_id FROM sys.security_policies
SELECT OBJECT_NAME(object_id) AS policy, security_predicate_id, OBJECT_NAME(target_object_id) AS target, predicate_definition,
  predicate_type, predicate_type_desc, operation, operation_desc FROM sys.security_predicates ORDER BY security_predicate_id
SELECT name, type, type_desc FROM sys.objects WHERE type = 'SP'
SELECT OBJECT_DEFINITION(OBJECT_ID('Security.SalesFilter')) AS d, OBJECT_ID('Security.SalesFilter', 'SP') - OBJECT_ID('Security.SalesFilter') AS same
SELECT OBJECT_NAME(referencing_id) AS by_, referenced_entity_name, referenced_minor_id FROM sys.sql_expression_dependencies
WHERE referencing_id = OBJECT_ID('Security.SalesFilter') ORDER BY referenced_entity_name, referenced_minor_id
