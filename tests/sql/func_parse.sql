-- PARSE and TRY_PARSE read as the culture writes: https://learn.microsoft.com/sql/t-sql/functions/parse-transact-sql
SELECT PARSE('Monday, 13 December 2010' AS datetime2 USING 'en-US') a, PARSE('€345,98' AS money USING 'de-DE') b, TRY_PARSE('Jabberwokkie' AS datetime2 USING 'en-US') c;
SET LANGUAGE 'English';
SELECT PARSE('12/16/2010' AS datetime2) a;
GO
SELECT PARSE('1.234,56' AS decimal(10, 2) USING 'de-DE') a, PARSE('1,5' AS float USING 'fr-FR') b, PARSE('1 234,5' AS money USING 'fr-FR') c, PARSE('1,234' AS int) d, PARSE('1.000' AS int USING 'de-DE') e, PARSE('-5' AS int) f, PARSE('5-' AS int) g, PARSE('($1,234.50)' AS money) h, PARSE(' 7 ' AS tinyint) i, PARSE('1e3' AS float) j;
SELECT TRY_PARSE('1.5' AS int) a, TRY_PARSE('1.0' AS int) b, TRY_PARSE('(5)' AS int) c, TRY_PARSE('$5' AS decimal(5, 1)) d, TRY_PARSE('1e3' AS int) e, TRY_PARSE('' AS int) f, TRY_PARSE('300' AS tinyint) g;
GO
SELECT PARSE('05/03/2020' AS date USING 'en-GB') gb, PARSE('05/03/2020' AS date USING 'en-US') us, PARSE('05.03.2020' AS date USING 'de-DE') de, PARSE('2020/3/5' AS date USING 'ja-JP') jp, PARSE('25 Mai 2018' AS date USING 'fr-FR') fr, PARSE('Fri 25 May 2018' AS date) en, PARSE('May/25/2018' AS date) en, PARSE('2018-05-25T10:11:12' AS datetime) iso;
SELECT PARSE('5/25/2018 3:04:05 PM' AS datetime2(0)) pm, PARSE('25.5.2018 15:04' AS smalldatetime USING 'de-DE') de, PARSE('5/25/2018 3:04 PM +02:00' AS datetimeoffset(0)) with_offset, PARSE('15:04:05.5' AS time(1)) t;
SELECT TRY_PARSE('13/13/2020' AS date) a, TRY_PARSE('mayo 5' AS date) b, TRY_PARSE('' AS date) c;
GO
SET LANGUAGE French;
SELECT PARSE('5 mars 2020' AS date) d, PARSE('1,5' AS decimal(5, 1)) n;
SET LANGUAGE us_english;
GO
SELECT PARSE('1,5' AS int USING 'xx-YY');
GO
SELECT PARSE('x' AS int USING 'de-DE');
GO
