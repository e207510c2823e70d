CREATE SCHEMA sales
GO
CREATE TABLE sales.Customer (
    Id int IDENTITY(10, 5) NOT NULL CONSTRAINT PK_Customer PRIMARY KEY,
    Name nvarchar(50) NOT NULL,
    Email varchar(100) COLLATE Latin1_General_BIN2 NULL CONSTRAINT UQ_Customer_Email UNIQUE NONCLUSTERED,
    Born date NULL,
    Credit money NOT NULL CONSTRAINT DF_Customer_Credit DEFAULT (100),
    Made datetime2(3) NOT NULL CONSTRAINT DF_Customer_Made DEFAULT (sysutcdatetime()),
    Version rowversion NOT NULL,
    Initial AS (left(Name, (1))) PERSISTED NOT NULL,
    CONSTRAINT CK_Customer_Credit CHECK (Credit >= (0) AND Credit < (1000000))
)
GO
CREATE TABLE sales.[Order Header] (
    OrderId bigint NOT NULL,
    CustomerId int NOT NULL,
    Status char(1) NOT NULL CONSTRAINT DF_Status DEFAULT ('N'),
    Placed datetime NOT NULL,
    Note nvarchar(max) NULL,
    CONSTRAINT PK_OrderHeader PRIMARY KEY CLUSTERED (OrderId DESC),
    CONSTRAINT FK_Order_Customer FOREIGN KEY (CustomerId) REFERENCES sales.Customer (Id) ON DELETE CASCADE ON UPDATE NO ACTION,
    CONSTRAINT CK_Status CHECK (Status IN ('N', 'P', 'S'))
)
GO
CREATE TABLE sales.OrderLine (
    OrderId bigint NOT NULL CONSTRAINT FK_Line_Order REFERENCES sales.[Order Header] (OrderId),
    Line smallint NOT NULL,
    Product varchar(20) NOT NULL,
    Quantity int NOT NULL,
    Price decimal(9, 2) NOT NULL,
    Total AS (Quantity * Price),
    CONSTRAINT PK_OrderLine PRIMARY KEY (OrderId, Line)
)
GO
CREATE TABLE dbo.Heap (a int NULL, b varchar(10) NULL)
GO
CREATE TABLE dbo.Tree (Id int NOT NULL PRIMARY KEY, ParentId int NULL REFERENCES dbo.Tree (Id) ON DELETE NO ACTION)
GO
CREATE INDEX IX_Customer_Name ON sales.Customer (Name ASC, Born DESC) INCLUDE (Email, Credit)
GO
CREATE UNIQUE INDEX UX_Order_Open ON sales.[Order Header] (CustomerId, Placed) WHERE Status = 'N' WITH (FILLFACTOR = 80, PAD_INDEX = ON)
GO
CREATE INDEX IX_Line_Product ON sales.OrderLine (Product) WITH (IGNORE_DUP_KEY = OFF)
GO
CREATE CLUSTERED INDEX CX_Heap ON dbo.Heap (a)
GO
CREATE STATISTICS ST_Line ON sales.OrderLine (Quantity, Price)
GO
ALTER TABLE dbo.Heap WITH NOCHECK ADD CONSTRAINT CK_Heap CHECK (a > 0)
GO
ALTER TABLE dbo.Heap NOCHECK CONSTRAINT CK_Heap
GO
EXEC sys.sp_addextendedproperty N'MS_Description', N'Who buys', N'SCHEMA', N'sales', N'TABLE', N'Customer'
GO
EXEC sys.sp_addextendedproperty N'MS_Description', N'It''s unique', N'SCHEMA', N'sales', N'TABLE', N'Customer', N'COLUMN', N'Email'
GO
EXEC sys.sp_addextendedproperty N'Owner', 7, N'SCHEMA', N'sales'
GO
INSERT sales.Customer (Name, Email, Born) VALUES (N'Anna', 'a@example.org', '1990-01-02'), (N'Bjørn', NULL, NULL), (N'字', 'c@example.org', '2000-12-31')
GO
INSERT sales.[Order Header] SELECT Id * 100, Id, 'N', '2024-02-29T10:11:12.123', REPLICATE(CONVERT(nvarchar(max), N'long '), 5000) FROM sales.Customer
GO
INSERT sales.OrderLine SELECT OrderId, v.line, CONCAT('P', v.line), v.line * 2, 1.25 * v.line FROM sales.[Order Header], (VALUES (1), (2), (3)) v (line)
GO
INSERT dbo.Heap VALUES (1, 'x'), (2, NULL), (2, 'y')
GO
INSERT dbo.Tree VALUES (1, NULL), (2, 1), (3, 2)
GO
