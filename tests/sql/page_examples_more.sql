-- Examples of pages, with the results that they show.
-- https://learn.microsoft.com/sql/t-sql/functions/logical-functions-greatest-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/set-bit-transact-sql
-- https://learn.microsoft.com/sql/t-sql/functions/json-array-transact-sql
SELECT GREATEST ( '6.62', 3.1415, N'7' ) AS GreatestVal, LEAST ( '6.62', 3.1415, N'7' ) AS LeastVal;
SELECT GREATEST ('Glacier', N'Joshua Tree', 'Mount Rainier') AS GreatestString, GREATEST(NULL, 3, NULL) AS passes, GREATEST(CONVERT(int, NULL), NULL) AS none;
CREATE TABLE dbo.studies (VarX varchar(10) NOT NULL, Correlation decimal(4, 3) NULL);
INSERT INTO dbo.studies VALUES ('Var1', 0.2), ('Var2', 0.825), ('Var3', 0.61);
GO
DECLARE @PredictionA DECIMAL(2,1) = 0.7;
DECLARE @PredictionB DECIMAL(3,1) = 0.65;
SELECT VarX, Correlation FROM dbo.studies WHERE Correlation > GREATEST(@PredictionA, @PredictionB);
GO
DECLARE @VarX decimal(4, 3) = 0.59;
SELECT VarX, Correlation, GREATEST(Correlation, 0, @VarX) AS GreatestVar FROM dbo.studies;
GO
SELECT SET_BIT ( 0x00, 2 ) AS VARBIN1, SET_BIT ( 0xabcdef, 0, 0 ) AS VARBIN2, GET_BIT(0xabcdef, 2) AS g, BIT_COUNT(0xabcdef) AS c, BIT_COUNT(17) AS d;
GO
SELECT SET_BIT(0x00, 8);
GO
SELECT SET_BIT(1, -1);
GO
SELECT JSON_ARRAY() AS a, JSON_ARRAY('a', 1, 'b', 2) AS b, JSON_ARRAY('a', 1, 'b', NULL) AS c, JSON_ARRAY('a', 1, NULL, 2 NULL ON NULL) AS d;
SELECT JSON_ARRAY('a', JSON_OBJECT('name':'value', 'type':1)) AS a, JSON_ARRAY('a', JSON_OBJECT('name':'value', 'type':1), JSON_ARRAY(1, null, 2 NULL ON NULL)) AS b;
GO
