CREATE SCHEMA app
GO
CREATE TYPE app.Code FROM varchar(12) NOT NULL
GO
CREATE TYPE app.Lines AS TABLE (Line int NOT NULL PRIMARY KEY, Amount decimal(9, 2) NULL DEFAULT (0), CHECK (Amount >= 0))
GO
CREATE SEQUENCE app.Numbers AS bigint START WITH 100 INCREMENT BY 10 MINVALUE 0 MAXVALUE 1000000 CYCLE CACHE 5
GO
CREATE TABLE app.Item (Id int NOT NULL CONSTRAINT PK_Item PRIMARY KEY, Code app.Code, Amount decimal(9, 2) NOT NULL DEFAULT (0),
    Number bigint NOT NULL CONSTRAINT DF_Number DEFAULT (NEXT VALUE FOR app.Numbers))
GO
CREATE TABLE app.History (Id int NOT NULL, Kind char(1) NOT NULL, Moment datetime2 NOT NULL DEFAULT (sysdatetime()))
GO
CREATE FUNCTION app.Twice (@x int) RETURNS int WITH SCHEMABINDING, RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN @x * 2
END
GO
CREATE FUNCTION app.Dear (@least decimal(9, 2) = 10) RETURNS TABLE AS
RETURN (SELECT Id, Code FROM app.Item WHERE Amount >= @least)
GO
CREATE FUNCTION app.Split (@n int) RETURNS @t TABLE (Id int NOT NULL PRIMARY KEY, Even bit) AS
BEGIN
    DECLARE @i int = 0
    WHILE @i < @n BEGIN INSERT @t VALUES (@i, CASE WHEN @i % 2 = 0 THEN 1 ELSE 0 END) SET @i += 1 END
    RETURN
END
GO
CREATE VIEW app.Items AS
SELECT i.Id, i.Code, app.Twice(i.Id) AS Doubled FROM app.Item AS i
GO
CREATE VIEW app.Bound WITH SCHEMABINDING AS
SELECT Id, Code, Amount FROM app.Item
WITH CHECK OPTION
GO
CREATE PROCEDURE app.AddItem @id int, @code app.Code = 'none', @new bigint = NULL OUTPUT AS
BEGIN
    SET NOCOUNT ON
    INSERT app.Item (Id, Code) VALUES (@id, @code)
    SELECT @new = Number FROM app.Item WHERE Id = @id
    RETURN 3
END
GO
CREATE PROCEDURE app.AddLines @lines app.Lines READONLY WITH RECOMPILE AS
INSERT app.Item (Id, Code, Amount) SELECT Line, 'line', Amount FROM @lines
GO
CREATE PROCEDURE app.Owned WITH EXECUTE AS OWNER AS
SELECT 'it''s "quoted"' AS [text], USER_NAME() AS who
GO
CREATE TRIGGER app.ItemChanged ON app.Item AFTER INSERT, UPDATE, DELETE AS
BEGIN
    SET NOCOUNT ON
    INSERT app.History (Id, Kind) SELECT Id, 'I' FROM inserted
    INSERT app.History (Id, Kind) SELECT Id, 'D' FROM deleted
END
GO
CREATE TRIGGER app.ItemsInstead ON app.Items INSTEAD OF INSERT AS
INSERT app.Item (Id, Code) SELECT Id, Code FROM inserted
GO
CREATE SYNONYM app.Things FOR app.Item
GO
SET QUOTED_IDENTIFIER OFF
GO
CREATE PROCEDURE app.Unquoted AS SELECT "text" AS t
GO
SET QUOTED_IDENTIFIER ON
GO
EXEC app.AddItem 1, 'one'
GO
INSERT app.Items (Id, Code) VALUES (2, 'two')
GO
-- Not one of a view, which SMO scripts as if it were enabled.
DISABLE TRIGGER app.ItemChanged ON app.Item
GO
