-- Memory-optimized tables, interpreted: definitions, changes, indexes of both kinds, isolation levels. https://learn.microsoft.com/sql/relational-databases/in-memory-oltp/introduction-to-memory-optimized-tables
CREATE TABLE dbo.accounts (
    id int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1000),
    owner varchar(20) COLLATE Latin1_General_100_CI_AS NOT NULL,
    amount money NOT NULL CONSTRAINT df_amount DEFAULT (10),
    note nvarchar(max) NULL,
    INDEX by_owner NONCLUSTERED (owner, amount DESC)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
CREATE TABLE dbo.scratch (k bigint NOT NULL, v int NULL, INDEX by_k UNIQUE NONCLUSTERED (k))
    WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
SELECT name, is_memory_optimized, durability, durability_desc FROM sys.tables ORDER BY name;
SELECT type, type_desc, bucket_count FROM sys.hash_indexes WHERE object_id = OBJECT_ID('accounts');
SELECT type_desc, is_unique, is_primary_key FROM sys.indexes WHERE object_id = OBJECT_ID('accounts') AND type <> 0 ORDER BY index_id;
GO
INSERT accounts (id, owner) VALUES (1, 'ann'), (2, 'Bob'), (3, 'cy');
INSERT accounts VALUES (4, 'ANN', 7.5, REPLICATE(CAST(N'long ' AS nvarchar(max)), 5000));
SELECT id, owner, amount, LEN(note) AS letters FROM accounts ORDER BY id;
SELECT id FROM accounts WHERE id = 3;
SELECT id FROM accounts WHERE id IN (4, 1, 9) ORDER BY id;
SELECT id, amount FROM accounts WHERE owner = 'ann' ORDER BY amount DESC;
SELECT id FROM accounts WHERE owner > 'ann' ORDER BY owner DESC;
SELECT id FROM accounts WITH (INDEX (by_owner)) WHERE owner LIKE 'b%';
GO
-- Keys
INSERT accounts (id, owner) VALUES (5, 'dee'), (1, 'twice');
GO
INSERT scratch VALUES (1, 1); INSERT scratch VALUES (1, 2);
GO
UPDATE accounts SET id = id + 1;
SELECT id, owner FROM accounts ORDER BY id;
UPDATE accounts SET amount = amount * 2 WHERE owner = 'bob';
DELETE accounts WHERE id = 5;
SELECT COUNT(*) AS rows, SUM(amount) AS amount FROM accounts;
GO
-- A statement does not see its own rows.
INSERT scratch SELECT k + 10, v FROM scratch;
INSERT scratch SELECT k + 100, v FROM scratch;
SELECT k, v FROM scratch ORDER BY k;
GO
-- Both kinds of table in one statement and one transaction
CREATE TABLE dbo.disk (id int PRIMARY KEY, what varchar(20));
INSERT disk VALUES (2, 'two'), (3, 'three'), (7, 'seven');
SELECT a.id, a.owner, d.what FROM accounts AS a JOIN disk AS d ON d.id = a.id ORDER BY a.id;
BEGIN TRANSACTION;
INSERT accounts (id, owner) VALUES (7, 'eve');
DELETE disk WHERE id = 7;
SELECT COUNT(*) AS seven FROM accounts WITH (SNAPSHOT) WHERE id = 7;
ROLLBACK;
SELECT (SELECT COUNT(*) FROM accounts WHERE id = 7) AS memory, (SELECT COUNT(*) FROM disk WHERE id = 7) AS disk;
GO
-- Savepoints
BEGIN TRANSACTION;
INSERT accounts (id, owner) VALUES (8, 'eight');
SAVE TRANSACTION s;
INSERT accounts (id, owner) VALUES (9, 'nine');
DELETE accounts WITH (SNAPSHOT) WHERE id = 2;
ROLLBACK TRANSACTION s;
COMMIT;
SELECT id FROM accounts WHERE id IN (2, 8, 9) ORDER BY id;
GO
-- Isolation levels
BEGIN TRANSACTION; SELECT COUNT(*) FROM accounts; ROLLBACK;
GO
IF @@TRANCOUNT > 0 ROLLBACK;
SET TRANSACTION ISOLATION LEVEL SNAPSHOT; SELECT COUNT(*) FROM accounts;
GO
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRANSACTION; SELECT COUNT(*) FROM accounts;
GO
IF @@TRANCOUNT > 0 ROLLBACK;
GO
SELECT COUNT(*) FROM accounts;
GO
SELECT COUNT(*) AS hinted FROM accounts WITH (SNAPSHOT);
GO
IF @@TRANCOUNT > 0 ROLLBACK;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON;
BEGIN TRANSACTION; SELECT COUNT(*) AS elevated FROM accounts; SELECT COUNT(*) AS hinted FROM accounts WITH (SERIALIZABLE); COMMIT;
GO
-- Changes of definitions
ALTER TABLE accounts ADD born date NULL;
ALTER TABLE accounts ADD INDEX by_amount NONCLUSTERED (amount);
GO
SELECT id, amount, born FROM accounts WHERE amount >= 10 ORDER BY amount, id;
ALTER TABLE accounts DROP INDEX by_amount;
SELECT COUNT(*) AS rows FROM accounts;
GO
-- What DMVs count
CREATE TABLE dbo.chained (k int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 8), g int NOT NULL, INDEX by_g NONCLUSTERED (g)) WITH (MEMORY_OPTIMIZED = ON);
WITH n (k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100) INSERT chained SELECT k, k % 7 FROM n;
SELECT total_bucket_count, avg_chain_length FROM sys.dm_db_xtp_hash_index_stats WHERE object_id = OBJECT_ID('chained');
SELECT internal_pages, IIF(leaf_pages BETWEEN 2 AND 4, 'some', 'wrong') AS leaves FROM sys.dm_db_xtp_nonclustered_index_stats WHERE object_id = OBJECT_ID('chained');
SELECT IIF(memory_used_by_table_kb BETWEEN 8 AND 20, 'some', 'wrong') AS kb FROM sys.dm_db_xtp_table_memory_stats WHERE object_id = OBJECT_ID('chained');
DROP TABLE chained;
GO
-- References
CREATE TABLE dbo.parents (p int NOT NULL PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE dbo.children (c int NOT NULL PRIMARY KEY NONCLUSTERED, p int NULL CONSTRAINT fk_p REFERENCES parents (p), CONSTRAINT ck_c CHECK (c > 0))
    WITH (MEMORY_OPTIMIZED = ON);
INSERT parents VALUES (1), (2);
INSERT children VALUES (1, 1), (2, NULL);
GO
INSERT children VALUES (3, 3);
GO
DELETE parents WHERE p = 1;
GO
INSERT children VALUES (-1, 1);
GO
DELETE parents WHERE p = 2;
SELECT * FROM parents;
GO
-- The first and the last numbers of each type in a hash index
CREATE TABLE dbo.tiny (k tinyint NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
CREATE TABLE dbo.small (k smallint NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
CREATE TABLE dbo.middle (k int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
CREATE TABLE dbo.big (k bigint NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
INSERT dbo.tiny VALUES (0), (7), (8), (248), (255);
INSERT dbo.small VALUES (-32768), (-1), (0), (32760), (32767);
INSERT dbo.middle VALUES (-2147483648), (-1), (0), (2147483640), (2147483647);
INSERT dbo.big VALUES (-9223372036854775808), (-1), (0), (9223372036854775800), (9223372036854775807);
SELECT k FROM dbo.tiny WHERE k IN (8, 248, 249, 255) ORDER BY k;
SELECT k FROM dbo.small WHERE k IN (-32768, -1, 32760, 32761) ORDER BY k;
SELECT k FROM dbo.middle WHERE k IN (-2147483648, -1, 2147483640, 2147483641) ORDER BY k;
SELECT k FROM dbo.big WHERE k IN (-9223372036854775808, -1, 9223372036854775800, 9223372036854775801) ORDER BY k;
GO
INSERT dbo.tiny VALUES (248);
GO
DROP TABLE dbo.tiny, dbo.small, dbo.middle, dbo.big;
GO
-- What is refused
CREATE TABLE dbo.bad (a int NOT NULL PRIMARY KEY) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE TABLE dbo.bad (a int NOT NULL, INDEX i NONCLUSTERED (a)) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE TABLE dbo.bad (a int NOT NULL) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
GO
DROP TABLE children, parents, scratch, accounts;
SELECT name FROM sys.tables;
