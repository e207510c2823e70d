-- SET LANGUAGE: names of months and days, the order of dates, the first day of a week. https://learn.microsoft.com/sql/t-sql/statements/set-language-transact-sql
SET LANGUAGE German;
SELECT @@LANGUAGE AS language, @@LANGID AS id, @@DATEFIRST AS first;
SELECT DATENAME(month, CAST('20211005' AS date)) AS m, DATENAME(weekday, CAST('20211005' AS date)) AS d, CONVERT(varchar(30), CAST('20211005 13:14:15' AS datetime), 100) AS styled;
SELECT CAST('5.10.2021' AS datetime) AS dmy, CAST('5 Okt 2021' AS datetime) AS named, CAST('2021-10-05T13:14:15' AS datetime) AS iso, CAST('2021-10-05' AS datetime) AS swapped, CAST('2021-10-05' AS date) AS plain;
GO
SELECT CAST('5 Oct 2021' AS datetime);
GO
SET LANGUAGE Russian;
SELECT CAST(N'июл 19 2021  8:12PM' AS datetime) AS short, CAST(N'19 Июль 2021' AS date) AS long;
GO
SET LANGUAGE Klingon;
GO
-- What was set by itself stays.
SET DATEFIRST 3;
SET DATEFORMAT ydm;
SET LANGUAGE us_english;
SELECT @@DATEFIRST AS first, CAST('2021-05-10' AS datetime) AS ydm;
GO
SELECT langid, name, alias, dateformat, datefirst, shortmonths, days FROM sys.syslanguages WHERE langid IN (0, 2, 21, 23, 33) ORDER BY langid;
SELECT COUNT(*) AS languages FROM sys.syslanguages;
GO
