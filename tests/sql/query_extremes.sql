-- A lone MIN or MAX is the first row of an index only where the plan reads that index: what the predicates read may make another better. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
CREATE TABLE e (k int NOT NULL PRIMARY KEY, v money NOT NULL, s varchar(4) NULL, w float NOT NULL);
INSERT e VALUES (1, 1.25, '10', 0), (2, 7, 'b1', 0), (3, 2.5, 'c', 0), (4, 10, NULL, 0);
CREATE INDEX by_v ON e (v, w);
CREATE INDEX by_s ON e (s, k, v DESC);
GO
SELECT MAX(v) FROM e WHERE s <> 'a';
SELECT MAX(v) FROM e WHERE 1 = 1 AND s <> 'a';
SELECT MIN(v) FROM e WHERE 1 = 1 AND s > '2';
SELECT MAX(v) FROM e WITH (INDEX(by_v)) WHERE 1 = 1 AND s <> 'a';
