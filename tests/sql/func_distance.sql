-- How alike strings are.
-- https://learn.microsoft.com/sql/relational-databases/fuzzy-string-match/overview
CREATE TABLE WordPairs (WordID int IDENTITY (1, 1) PRIMARY KEY, WordUK nvarchar(50), WordUS nvarchar(50))
INSERT INTO WordPairs (WordUK, WordUS) VALUES ('Colour', 'Color'), ('Flavour', 'Flavor'), ('Centre', 'Center'), ('Theatre', 'Theater'), ('Organise', 'Organize'),
  ('Analyse', 'Analyze'), ('Catalogue', 'Catalog'), ('Programme', 'Program'), ('Metre', 'Meter'), ('Honour', 'Honor'), ('Neighbour', 'Neighbor'), ('Travelling', 'Traveling'),
  ('Grey', 'Gray'), ('Defence', 'Defense'), ('Practise', 'Practice'), ('Practice', 'Practice'), ('Aluminium', 'Aluminum'), ('Cheque', 'Check')
SELECT WordUK, EDIT_DISTANCE(WordUK, WordUS) AS Distance FROM WordPairs WHERE EDIT_DISTANCE(WordUK, WordUS) <= 2 ORDER BY Distance, WordID
SELECT WordUK, EDIT_DISTANCE_SIMILARITY(WordUK, WordUS) AS Similarity FROM WordPairs WHERE EDIT_DISTANCE_SIMILARITY(WordUK, WordUS) >= 75 ORDER BY Similarity DESC, WordID
SELECT WordUK, STR(JARO_WINKLER_DISTANCE(WordUK, WordUS), 18, 12) AS Distance FROM WordPairs WHERE JARO_WINKLER_DISTANCE(WordUK, WordUS) <= .05 ORDER BY Distance, WordID
SELECT WordUK, JARO_WINKLER_SIMILARITY(WordUK, WordUS) AS Similarity FROM WordPairs WHERE JARO_WINKLER_SIMILARITY(WordUK, WordUS) > 90 ORDER BY Similarity DESC, WordID
SELECT T.a, T.b, EDIT_DISTANCE(T.a, T.b) AS ED_Distance, STR(JARO_WINKLER_DISTANCE(T.a, T.b), 18, 12) AS JW_Distance, EDIT_DISTANCE_SIMILARITY(T.a, T.b) AS ED_Similarity
FROM (VALUES ('Black', 'Red'), ('Colour', 'Yellow'), ('Colour', 'Color'), ('Microsoft', 'Msft'), ('Regex', 'Regex')) AS T(a, b)
SELECT EDIT_DISTANCE('a', NULL) AS a, EDIT_DISTANCE('a', 'b', NULL) AS b, EDIT_DISTANCE('', 'abc') AS c, EDIT_DISTANCE('kitten', 'sitting', 1) AS d, JARO_WINKLER_SIMILARITY('', '') AS e
SELECT EDIT_DISTANCE('ABC', 'abc') AS any_case, EDIT_DISTANCE('ABC' COLLATE Latin1_General_BIN2, 'abc') AS binary_, EDIT_DISTANCE('a b', 'ab') AS blank
DROP TABLE WordPairs
GO
SELECT EDIT_DISTANCE(CAST('a' AS varchar(max)), 'a')
GO
SELECT JARO_WINKLER_DISTANCE(1, 'a')
GO
SELECT EDIT_DISTANCE('a')
