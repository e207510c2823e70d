-- A surrogate pair under LIKE is one character with supplementary characters (_SC, version 140), two without.
-- learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support: "Supplementary characters"
DECLARE @pair nvarchar(2) = NCHAR(0xD83D) + NCHAR(0xDE00)
SELECT IIF(@pair COLLATE Latin1_General_100_CI_AS LIKE N'_', 1, 0) AS one, IIF(@pair COLLATE Latin1_General_100_CI_AS LIKE N'__', 1, 0) AS two,
  IIF(@pair COLLATE Latin1_General_BIN2 LIKE N'_', 1, 0) AS binary_one, IIF(@pair COLLATE Latin1_General_BIN2 LIKE N'__', 1, 0) AS binary_two,
  IIF(@pair COLLATE Latin1_General_100_CI_AS_SC LIKE N'_', 1, 0) AS sc_one, IIF(@pair COLLATE Latin1_General_100_CI_AS_SC LIKE N'__', 1, 0) AS sc_two
SELECT IIF(N'a' + @pair + N'b' COLLATE Latin1_General_100_CI_AS LIKE N'a%__b', 1, 0) AS at_end, IIF(@pair COLLATE Latin1_General_100_CI_AS LIKE N'%_', 1, 0) AS percent_one,
  IIF(@pair + @pair COLLATE Latin1_General_100_CI_AS LIKE N'____', 1, 0) AS pairs, IIF(@pair + N'x' COLLATE Latin1_General_100_CI_AS LIKE @pair + N'_', 1, 0) AS itself,
  IIF(N'x' + @pair COLLATE Latin1_General_100_CI_AS LIKE N'%' + @pair, 1, 0) AS searched
