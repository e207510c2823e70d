IF OBJECT_ID('dbo.client_values') IS NOT NULL DROP TABLE dbo.client_values;
CREATE TABLE dbo.client_values (
    id int NOT NULL PRIMARY KEY,
    c_bit bit NULL, c_tinyint tinyint NULL, c_smallint smallint NULL, c_int int NULL, c_bigint bigint NULL,
    c_decimal decimal(38, 10) NULL, c_numeric numeric(5, 2) NULL, c_money money NULL, c_smallmoney smallmoney NULL,
    c_float float NULL, c_real real NULL,
    c_char char(5) NULL, c_varchar varchar(50) NULL, c_varchar_max varchar(max) NULL,
    c_nchar nchar(5) NULL, c_nvarchar nvarchar(50) NULL, c_nvarchar_max nvarchar(max) NULL,
    c_binary binary(4) NULL, c_varbinary varbinary(50) NULL, c_varbinary_max varbinary(max) NULL,
    c_date date NULL, c_time time(7) NULL, c_datetime datetime NULL, c_datetime2 datetime2(7) NULL,
    c_smalldatetime smalldatetime NULL, c_datetimeoffset datetimeoffset(7) NULL,
    c_uniqueidentifier uniqueidentifier NULL
);
INSERT INTO dbo.client_values (id) VALUES (1);
INSERT INTO dbo.client_values VALUES (2,
    0, 0, -32768, -2147483648, -9223372036854775808,
    -9999999999999999999999999999.9999999999, -999.99, -922337203685477.5808, -214748.3648,
    -1.7976931348623157E308, -3.4E38,
    '', '', '', N'', N'', N'',
    0x00, 0x, 0x,
    '0001-01-01', '00:00:00', '1753-01-01T00:00:00', '0001-01-01T00:00:00', '1900-01-01T00:00:00', '0001-01-01T00:00:00+00:00',
    '00000000-0000-0000-0000-000000000000');
INSERT INTO dbo.client_values VALUES (3,
    1, 255, 32767, 2147483647, 9223372036854775807,
    9999999999999999999999999999.9999999999, 999.99, 922337203685477.5807, 214748.3647,
    1.7976931348623157E308, 3.4E38,
    'zzzzz', REPLICATE('z', 50), REPLICATE(CAST('z' AS varchar(max)), 10000), N'ÿĀ字ÿz', REPLICATE(N'字', 50), REPLICATE(CAST(N'字' AS nvarchar(max)), 10000),
    0xFFFFFFFF, CAST(REPLICATE(CHAR(255), 50) AS varbinary(50)), CAST(REPLICATE(CAST(CHAR(255) AS varchar(max)), 10000) AS varbinary(max)),
    '9999-12-31', '23:59:59.9999999', '9999-12-31T23:59:59.997', '9999-12-31T23:59:59.9999999', '2079-06-06T23:59:00', '9999-12-31T23:59:59.9999999+00:00',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF');
INSERT INTO dbo.client_values VALUES (4,
    1, 42, -7, 123456789, 1234567890123,
    12345.6789, 3.14, 12.34, -0.01,
    0.1, 1.5,
    'ab', 'Grüße', 'text', N'añb', N'Zażółć gęślą', N'naïve 😀',
    0x01020304, 0xDEADBEEF, 0x00FF00,
    '2024-02-29', '13:14:15.1234567', '2024-02-29T13:14:15.123', '2024-02-29T13:14:15.1234567', '2024-02-29T13:14:00', '2024-02-29T13:14:15.1234567+05:30',
    '6F9619FF-8B86-D011-B42D-00C04FC964FF');
