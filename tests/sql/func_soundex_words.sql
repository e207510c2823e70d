-- SOUNDEX: which letters sound, which part two sounds and what ends a word, as SQL Server 2025 has it; and what DIFFERENCE makes of equal ones.
-- https://learn.microsoft.com/sql/t-sql/functions/soundex-transact-sql, https://learn.microsoft.com/sql/t-sql/functions/difference-transact-sql
SELECT SOUNDEX('Robert') AS a, SOUNDEX('Rupert') AS b, SOUNDEX('Tymczak') AS c, SOUNDEX('Pfister') AS d, SOUNDEX('Ashcraft') AS e, SOUNDEX('Burroughs') AS f, SOUNDEX('Lloyd') AS g, SOUNDEX('Schmidt') AS h, SOUNDEX('Honeyman') AS i, SOUNDEX('Lee') AS j;
GO
SELECT SOUNDEX('BAB') AS a, SOUNDEX('Bhb') AS b, SOUNDEX('bwb') AS c, SOUNDEX('BHB') AS d, SOUNDEX('BWB') AS e, SOUNDEX('BHWB') AS f, SOUNDEX('SHC') AS g, SOUNDEX('Sch') AS h, SOUNDEX('Qqq') AS i, SOUNDEX('Zz') AS j, SOUNDEX('Bpfv') AS k;
GO
SELECT SOUNDEX('') AS a, SOUNDEX(' ') AS b, SOUNDEX(' abc') AS c, SOUNDEX('123') AS d, SOUNDEX('Rob ert') AS e, SOUNDEX('Rob-ert') AS f, SOUNDEX('a1b2c3') AS g, SOUNDEX('abc.') AS h, SOUNDEX('Mc Donald') AS i, SOUNDEX('O''Brien') AS j, SOUNDEX('Robert   ') AS k;
GO
SELECT SOUNDEX(N'Émile') AS a, SOUNDEX(N'ñandú') AS b, SOUNDEX(N'ß') AS c, SOUNDEX(N'Łódź') AS d, SOUNDEX(N'Москва') AS e, SOUNDEX(N'R😀bert') AS f;
GO
SELECT SOUNDEX(NULL) AS a, SOUNDEX(CAST(NULL AS varchar(5))) AS b, SOUNDEX(123) AS c, SOUNDEX(CAST('2024-01-02' AS date)) AS d, SOUNDEX(0x526F62657274) AS e, SOUNDEX(REPLICATE(CAST('Robert' AS varchar(max)), 2000)) AS f;
GO
SELECT SQL_VARIANT_PROPERTY(SOUNDEX('a'), 'MaxLength') AS a, SQL_VARIANT_PROPERTY(SOUNDEX('a'), 'BaseType') AS b, DIFFERENCE('Robert', 'Rupert') AS c, DIFFERENCE('Green', 'Greene') AS d, DIFFERENCE(NULL, 'a') AS e, DIFFERENCE('', '1abc') AS f, DIFFERENCE('BHB', 'BAB') AS g, DIFFERENCE(1, 2) AS h;
GO
SELECT SOUNDEX(CAST('a' AS text)) AS a;
GO
SELECT SOUNDEX(CAST('a' AS sql_variant)) AS a;
GO
SELECT SOUNDEX() AS a;
GO
SELECT DIFFERENCE('a') AS a;
GO
