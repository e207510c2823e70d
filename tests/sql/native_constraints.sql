-- Natively compiled inserts into tables with identity, CHECK constraints, foreign keys and defaults that are functions. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/supported-features-for-natively-compiled-t-sql-modules
CREATE TABLE dbo.customer (id int NOT NULL CONSTRAINT pk_customer PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16), name varchar(10) NOT NULL)
  WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.orders (id int IDENTITY NOT NULL CONSTRAINT pk_orders PRIMARY KEY NONCLUSTERED, customer int NULL CONSTRAINT fk_customer REFERENCES dbo.customer (id),
  number int NOT NULL CONSTRAINT uq_orders UNIQUE NONCLUSTERED HASH WITH (BUCKET_COUNT = 16), quantity int NULL CONSTRAINT ck_quantity CHECK (quantity > 0),
  state tinyint NOT NULL DEFAULT 1 CONSTRAINT ck_state CHECK (state IN (1, 2))) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.note (id bigint IDENTITY NOT NULL CONSTRAINT pk_note PRIMARY KEY NONCLUSTERED, order_id int NOT NULL CONSTRAINT fk_order REFERENCES dbo.orders (id),
  text nvarchar(5) NULL CONSTRAINT ck_text CHECK (text <> N'no'), made datetime2 NOT NULL DEFAULT SYSUTCDATETIME(), mark uniqueidentifier NOT NULL DEFAULT NEWID())
  WITH (MEMORY_OPTIMIZED = ON);
INSERT dbo.customer VALUES (1, 'one'), (2, 'two');
GO
CREATE PROCEDURE dbo.make @customer int, @number int, @quantity int, @state tinyint = 1, @text nvarchar(10) = N'text'
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DECLARE @id int;
INSERT dbo.orders (customer, number, quantity, state) VALUES (@customer, @number, @quantity, @state);
SET @id = SCOPE_IDENTITY();
INSERT dbo.note (order_id, text) VALUES (@id, @text);
SELECT @id AS id, SCOPE_IDENTITY() AS note, @@ROWCOUNT AS rows;
END
GO
EXEC dbo.make 1, 100, 5;
EXEC dbo.make NULL, 101, NULL;
GO
-- Each refusal takes an identity value, and only one.
EXEC dbo.make 3, 102, 5;
GO
EXEC dbo.make 1, 100, 5;
GO
EXEC dbo.make 1, 102, 0;
GO
EXEC dbo.make 1, 102, 1, 3;
GO
EXEC dbo.make 1, 102, 1, 2, N'no';
GO
EXEC dbo.make 1, 102, 1, 2, N'too long';
GO
EXEC dbo.make 2, 102, 1, 2;
GO
SELECT id, customer, number, quantity, state FROM dbo.orders ORDER BY id;
SELECT id, order_id, text FROM dbo.note WHERE ABS(DATEDIFF(minute, made, SYSUTCDATETIME())) < 2 ORDER BY id;
GO
CREATE PROCEDURE dbo.alter_order @number int, @quantity int, @customer int = NULL
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
UPDATE dbo.orders SET quantity = @quantity WHERE number = @number;
UPDATE dbo.orders SET state = quantity WHERE quantity = @quantity;
IF @customer IS NOT NULL UPDATE dbo.orders SET customer = @customer WHERE number = @number;
END
GO
EXEC dbo.alter_order 100, 2;
EXEC dbo.alter_order 101, NULL;
EXEC dbo.alter_order 101, 2, 2;
GO
EXEC dbo.alter_order 101, -1;
GO
EXEC dbo.alter_order 101, 7;
GO
EXEC dbo.alter_order 101, 2, 7;
GO
CREATE PROCEDURE dbo.take @customer int, @number int
WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
DELETE dbo.note WHERE order_id = @number;
DELETE dbo.orders WHERE id = @number;
DELETE dbo.customer WHERE id = @customer;
END
GO
EXEC dbo.take 1, 1;
GO
EXEC dbo.take 2, 1;
GO
SELECT id, customer, number, quantity, state FROM dbo.orders ORDER BY id;
SELECT * FROM dbo.customer ORDER BY id;
GO
-- Constraints that are switched off and on again.
ALTER TABLE dbo.orders NOCHECK CONSTRAINT ck_quantity;
EXEC dbo.make 2, 103, -5;
GO
SELECT number, quantity FROM dbo.orders ORDER BY id;
GO
