CREATE ROLE readers
GO
CREATE ROLE writers AUTHORIZATION dbo
GO
CREATE USER clerk WITHOUT LOGIN WITH DEFAULT_SCHEMA = dbo
GO
ALTER ROLE readers ADD MEMBER clerk
GO
ALTER ROLE db_datareader ADD MEMBER writers
GO
CREATE SCHEMA store AUTHORIZATION writers
GO
CREATE TABLE dbo.Kinds (
    Id uniqueidentifier NOT NULL ROWGUIDCOL CONSTRAINT DF_Kinds_Id DEFAULT (newsequentialid()) CONSTRAINT PK_Kinds PRIMARY KEY NONCLUSTERED,
    c_bit bit NULL, c_tinyint tinyint NULL, c_smallint smallint NULL, c_int int NULL, c_bigint bigint NULL,
    c_decimal decimal(38, 10) NULL, c_numeric numeric(5, 2) NULL, c_money money NULL, c_smallmoney smallmoney NULL,
    c_float float NULL, c_float24 float(24) NULL, c_real real NULL,
    c_char char(5) NULL, c_varchar varchar(50) NULL, c_varchar_max varchar(max) NULL, c_text text NULL,
    c_nchar nchar(5) NULL, c_nvarchar nvarchar(50) NULL, c_nvarchar_max nvarchar(max) NULL, c_ntext ntext NULL,
    c_binary binary(4) NULL, c_varbinary varbinary(50) NULL, c_varbinary_max varbinary(max) NULL, c_image image NULL,
    c_date date NULL, c_time time(3) NULL, c_datetime datetime NULL, c_datetime2 datetime2(5) NULL,
    c_smalldatetime smalldatetime NULL, c_datetimeoffset datetimeoffset(0) NULL,
    c_xml xml NULL, c_variant sql_variant NULL, c_sysname sysname NOT NULL DEFAULT (N'x')
)
GO
CREATE TABLE dbo.Past (
    Id int NOT NULL CONSTRAINT PK_Past PRIMARY KEY,
    Name nvarchar(20) NULL,
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.PastHistory))
GO
CREATE TABLE store.Masked (Id int NOT NULL PRIMARY KEY, Card varchar(20) MASKED WITH (FUNCTION = 'partial(0, "xxxx", 4)') NULL)
GO
CREATE VIEW store.Cards AS SELECT Id, Card FROM store.Masked
GO
CREATE PROCEDURE store.Count_Cards AS SELECT COUNT(*) AS cards FROM store.Masked
GO
GRANT SELECT ON SCHEMA::store TO readers
GO
GRANT EXECUTE ON store.Count_Cards TO clerk WITH GRANT OPTION
GO
DENY UPDATE ON dbo.Kinds (c_int) TO clerk
GO
GRANT VIEW DEFINITION TO readers
GO
INSERT dbo.Kinds (c_bit, c_tinyint, c_smallint, c_int, c_bigint, c_decimal, c_numeric, c_money, c_smallmoney, c_float, c_float24, c_real, c_char,
    c_varchar, c_varchar_max, c_text, c_nchar, c_nvarchar, c_nvarchar_max, c_ntext, c_binary, c_varbinary, c_varbinary_max, c_image, c_date,
    c_time, c_datetime, c_datetime2, c_smalldatetime, c_datetimeoffset, c_xml, c_variant)
VALUES (1, 255, -32768, 2147483647, -9223372036854775808, 12345.6789, -3.14, 922337203685477.5807, -0.01, 0.1, 1.5, -1.5, 'ab', 'Grüße',
    REPLICATE(CONVERT(varchar(max), 'z'), 10000), 'text', N'añb', N'Zażółć', N'naïve 😀', N'ntext', 0x01, 0xDEADBEEF,
    CONVERT(varbinary(max), REPLICATE(CONVERT(varchar(max), 'b'), 10000)), 0x00FF, '2024-02-29', '13:14:15.123', '2024-02-29T13:14:15.123',
    '2024-02-29T13:14:15.12345', '2024-02-29T13:14:00', '2024-02-29T13:14:15+05:30', N'<a b="1"><c>d</c></a>', CONVERT(decimal(9, 3), 1.5))
GO
INSERT dbo.Kinds (c_variant) VALUES (NULL), (N'text')
GO
INSERT dbo.Kinds (c_variant) VALUES (CONVERT(date, '2024-02-29'))
GO
INSERT dbo.Kinds (c_variant) VALUES (CONVERT(uniqueidentifier, '6F9619FF-8B86-D011-B42D-00C04FC964FF'))
GO
INSERT dbo.Past (Id, Name) VALUES (1, N'one'), (2, N'two')
GO
UPDATE dbo.Past SET Name = N'deux' WHERE Id = 2
GO
INSERT store.Masked VALUES (1, '1234-5678'), (2, NULL)
GO
