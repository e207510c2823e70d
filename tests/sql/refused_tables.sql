-- What is not there is refused, rather than left out of a table that then means something else. https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
CREATE TABLE dbo.h (id int PRIMARY KEY) WITH (LEDGER = ON);
GO
CREATE TABLE dbo.h (id int PRIMARY KEY, t bigint GENERATED ALWAYS AS TRANSACTION_ID START NOT NULL);
GO
CREATE TABLE dbo.n (id int PRIMARY KEY) AS NODE;
GO
-- This is only another way to store what is there.
CREATE TABLE dbo.t (id int PRIMARY KEY, a int SPARSE NULL) WITH (DATA_COMPRESSION = PAGE);
INSERT dbo.t VALUES (1, 2), (2, NULL);
GO
ALTER TABLE dbo.t SET (LOCK_ESCALATION = DISABLE);
SELECT * FROM dbo.t;
GO
SELECT * FROM dbo.t FOR SYSTEM_TIME AS OF '2024-01-01';
GO
SELECT * FROM OPENDATASOURCE('MSOLEDBSQL', 'Server=elsewhere').db.dbo.t;
GO
-- https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql#ledger
CREATE TABLE dbo.l (id int PRIMARY KEY) WITH (LEDGER = ON (LEDGER_VIEW = dbo.lv (TRANSACTION_ID_COLUMN_NAME = a, SEQUENCE_NUMBER_COLUMN_NAME = b)));
GO
CREATE COLUMN MASTER KEY k WITH (KEY_STORE_PROVIDER_NAME = 'x', KEY_PATH = 'y');
GO
RECEIVE TOP (1) * FROM q;
GO
