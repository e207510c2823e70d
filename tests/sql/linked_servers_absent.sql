-- No server is linked, and ad hoc queries are off. https://learn.microsoft.com/sql/relational-databases/linked-servers/linked-servers-database-engine
SELECT * FROM OPENQUERY(elsewhere, 'SELECT 1')
GO
SELECT * FROM OPENROWSET('MSOLEDBSQL', 'Server=elsewhere', 'SELECT 1') AS z
GO
SELECT * FROM elsewhere.db.dbo.t
GO
