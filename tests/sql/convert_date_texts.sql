-- Texts that become dates and times: datetime and smalldatetime read them by rules of their own, the newer types by stricter ones, and a
-- style of CONVERT asks for an order, for two or four digits of the year, or for no date of three numbers at all.
-- https://learn.microsoft.com/sql/t-sql/functions/cast-and-convert-transact-sql
-- https://learn.microsoft.com/sql/t-sql/data-types/datetime-transact-sql
SELECT t, TRY_CAST(t AS datetime) AS old, TRY_CAST(t AS datetime2(3)) AS new FROM (VALUES
('10:15 3/4/2021'), ('3/4-2021'), ('003/004/2021'), ('3/2021/4'), ('3/4/021'), ('3/4/121'), ('9:20.25'), ('3/4 9:20 /2021'), ('9:20:30.1234'),
('Mar, 4 2021'), ('March 4, 2021'), ('4 Mar, 2021'), ('Mar 4, 2021,'), ('Mar-4-2021'), ('4-MAR-21'), ('2021 4 Mar'), ('21 Mar 4'), ('Mar 21'), ('Mar 2021'), ('Sept 4 2021'),
('2021-03-04T09:20'), ('2021-03-04T09:20:30'), ('20210304T09:20:30'), ('2021-03-04Z'), ('2021-03-04 9:20Z'), ('9:20Z'), ('2021-03-04 9:20 +02:00'), ('2021-03-04 9:20 +0200'), ('2021-03-04 +02:00'),
('3//4/2021'), ('3/4/2021/'), ('3/4'), ('PM'), ('2021'), ('20213'), ('210304'), ('9 AM'), ('0 PM'), ('13 AM'), ('13 PM'), ('12:00:00 AM'), ('9:20:30:7'), ('9:20:30.12345678')) v(t)
GO
SELECT TRY_CAST('3/4/2021' + CHAR(9) + '9:20' AS datetime) AS old, TRY_CAST('3/4/2021' + CHAR(9) + '9:20' AS datetime2(0)) AS new
SELECT ISDATE('') AS empty, ISDATE('  ') AS blank, ISDATE('3/4-2021') AS mixed, ISDATE('2021-03-04T09:20') AS short
GO
-- 241 for what has no such form, 242 for what has it and is no day or time, or says something twice; 295 of smalldatetime.
SELECT CAST('3/4' AS datetime)
GO
SELECT CAST('3//4/2021' AS datetime)
GO
SELECT CAST('Mar Apr 2021' AS datetime)
GO
SELECT CAST('PM' AS datetime)
GO
SELECT CAST('soon' AS smalldatetime)
GO
SELECT CAST('13/4/2021' AS smalldatetime)
GO
SELECT CAST('13/4/2021' AS date)
GO
SELECT CAST('0001-01-01 00:30 +01:00' AS datetimeoffset)
GO
-- What a style takes.
SELECT t, TRY_CONVERT(datetime, t, 0) AS s0, TRY_CONVERT(datetime, t, 1) AS s1, TRY_CONVERT(datetime, t, 101) AS s101, TRY_CONVERT(datetime, t, 103) AS s103,
TRY_CONVERT(datetime, t, 120) AS s120, TRY_CONVERT(datetime, t, 126) AS s126, TRY_CONVERT(datetime, t, 127) AS s127, TRY_CONVERT(datetime, t, 112) AS s112
FROM (VALUES ('3/4/2021'), ('3/4/21'), ('2021-03-04'), ('2021-13-04'), ('2021-03-04T09:20:30'), ('2021-03-04T09:20:30Z'), ('20210304'), ('Mar 4 2021'), ('2021-03-04 09:20')) v(t)
SELECT t, TRY_CONVERT(date, t, 0) AS s0, TRY_CONVERT(date, t, 1) AS s1, TRY_CONVERT(date, t, 101) AS s101, TRY_CONVERT(date, t, 103) AS s103,
TRY_CONVERT(date, t, 120) AS s120, TRY_CONVERT(date, t, 126) AS s126, TRY_CONVERT(date, t, 112) AS s112
FROM (VALUES ('3/4/2021'), ('3/4/21'), ('2021-03-04'), ('2021-13-04'), ('2021-03-04T09:20:30'), ('20210304'), ('Mar 4 2021')) v(t)
GO
SELECT CONVERT(date, '3/4/2021', 112)
GO
SELECT CONVERT(datetime2, '3/4/2021', 107)
GO
SELECT CONVERT(datetime, '3/4/2021', 107)
GO
SELECT CONVERT(datetime, '3/4/21', 101)
GO
SELECT CONVERT(datetime, '2021-03-04T09:20:30', 120)
GO
SELECT CONVERT(date, '3/4/2021', 33)
GO
SELECT TRY_CONVERT(date, '3/4/2021', 33) AS none, TRY_CONVERT(varchar(30), CAST('20210304' AS date), 33) AS shown, TRY_CONVERT(varchar(30), CAST('20210304' AS date), 99) AS none
GO
-- SET DATEFORMAT: a year in front is no order of its own to datetime.
SET DATEFORMAT dmy
SELECT CAST('2021-03-04' AS datetime) AS old, CAST('2021-03-04' AS date) AS new, CAST('2021-03-04T00:00:00' AS datetime) AS iso, CAST('3/4/21' AS datetime) AS d, CAST('3/4/21' AS date) AS n
SET DATEFORMAT ydm
SELECT CAST('2021-03-04' AS datetime) AS old, CAST('2021-03-04' AS date) AS new, CAST('21/3/4' AS datetime) AS short, TRY_CAST('21/3/4' AS date) AS none
SET DATEFORMAT ymd
SELECT CAST('3/4/2021' AS date) AS last, CAST('21/3/4' AS date) AS first
SET DATEFORMAT mdy
GO
-- The Hijri calendar of 130 and 131, in and out.
SELECT CONVERT(varchar(30), CAST('20240102 03:04:05' AS datetime), 131) AS shown, CONVERT(datetime, '21/06/1445 3:04', 131) AS old, CONVERT(date, '29/02/1445', 131) AS new, CONVERT(datetime, '3:04', 130) AS time
GO
SELECT CONVERT(datetime, '30/02/1445', 131)
GO
SELECT CONVERT(date, '30/02/1445', 131)
GO
SELECT CONVERT(varchar(30), CAST('0622-07-17' AS date), 131)
GO
-- Orders that only CONVERT to text has, and 115.
SELECT CONVERT(varchar(30), d, 26) AS s26, CONVERT(varchar(30), d, 27) AS s27, CONVERT(varchar(30), d, 28) AS s28, CONVERT(varchar(30), d, 29) AS s29, CONVERT(varchar(30), d, 30) AS s30, CONVERT(varchar(30), d, 31) AS s31, CONVERT(varchar(30), d, 115) AS s115
FROM (VALUES (CAST('20210304 15:06:07.8' AS datetime2(1)))) v(d)
SELECT '[' + CONVERT(varchar(30), t, 22) + ']' AS s22, '[' + CONVERT(varchar(30), t, 131) + ']' AS s131, '[' + CONVERT(varchar(30), t, 9) + ']' AS s9 FROM (VALUES (CAST('03:06:07' AS time(0)))) v(t)
GO
SELECT CONVERT(varchar(30), CAST('15:06' AS time), 31)
GO
-- Storage as binary: decimals in as few words as the value needs, DATALENGTH likewise.
SELECT CONVERT(varbinary(20), CAST(12.5 AS numeric(20, 3))) AS d, CONVERT(binary(10), CAST(-1 AS decimal(5, 0))) AS filled, CONVERT(varbinary(4), 1.5e0) AS cut, CAST(0x050201003930000000 AS decimal(5, 2)) AS back
SELECT DATALENGTH(CAST(1 AS decimal(38, 0))) AS one, DATALENGTH(CAST(4294967296 AS decimal(38, 0))) AS two, DATALENGTH(CAST(12345678901234567890123 AS decimal(38, 0))) AS three, DATALENGTH(CAST(-1 AS decimal(5, 2))) AS minus
SELECT CONVERT(varchar(5), 0xABCDEF, 1) AS whole, CONVERT(char(3), 0xABCD, 2) AS one
GO
SELECT CONVERT(varchar(10), 0xAB, 3)
GO
