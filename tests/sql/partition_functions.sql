-- Partition functions and schemes.
-- https://learn.microsoft.com/sql/t-sql/statements/create-partition-function-transact-sql
-- https://learn.microsoft.com/sql/t-sql/statements/create-partition-scheme-transact-sql
CREATE DATABASE parted;
GO
USE parted;
GO
CREATE PARTITION FUNCTION l (int) AS RANGE LEFT FOR VALUES (1, 10, 100);
CREATE PARTITION FUNCTION r (int) AS RANGE RIGHT FOR VALUES (1, 10, 100);
SELECT v, $PARTITION.l(v) AS l, $PARTITION.r(v) AS r FROM (VALUES (-5), (1), (2), (10), (100), (101), (NULL)) x(v);
GO
-- Of all kinds of types; values that are not sorted are, with a warning.
CREATE PARTITION FUNCTION d (date) AS RANGE RIGHT FOR VALUES ('20240101', '20230101', '20250101');
CREATE PARTITION FUNCTION d2 (datetime2(3)) AS RANGE RIGHT FOR VALUES ('2024-01-01T00:00:00.001');
CREATE PARTITION FUNCTION m (money) AS RANGE FOR VALUES (1.5, 2 * 5);
CREATE PARTITION FUNCTION n (decimal(10, 2)) AS RANGE LEFT FOR VALUES (-1, 0.5);
CREATE PARTITION FUNCTION v (varchar(10)) AS RANGE RIGHT FOR VALUES ('b', 'm');
CREATE PARTITION FUNCTION w (nchar(3)) AS RANGE RIGHT FOR VALUES (N'b', NULL);
CREATE PARTITION FUNCTION b (binary(2)) AS RANGE LEFT FOR VALUES (0x0100);
CREATE PARTITION FUNCTION u (uniqueidentifier) AS RANGE LEFT FOR VALUES ('00000000-0000-0000-0000-100000000000');
CREATE PARTITION FUNCTION t (bit) AS RANGE LEFT FOR VALUES (0);
CREATE PARTITION FUNCTION e (float) AS RANGE LEFT FOR VALUES ();
SELECT $PARTITION.d('20231231') AS d, $PARTITION.d2('20240101') AS d2, $PARTITION.m(10) AS m, $PARTITION.n(0.51) AS n, $PARTITION.v('B') AS v,
  $PARTITION.v('m ') AS v2, $PARTITION.w(NULL) AS w, $PARTITION.b(0x0101) AS b, $PARTITION.t(1) AS t, $PARTITION.e(7) AS e,
  parted.$PARTITION.L(50) AS l;
GO
SELECT f.name, f.type, f.type_desc, f.fanout, f.boundary_value_on_right, TYPE_NAME(p.system_type_id) AS type_name, p.max_length, p.precision, p.scale
FROM sys.partition_functions f JOIN sys.partition_parameters p ON p.function_id = f.function_id ORDER BY f.function_id;
SELECT f.name, v.boundary_id, v.parameter_id, v.value, SQL_VARIANT_PROPERTY(v.value, 'BaseType') AS base
FROM sys.partition_range_values v JOIN sys.partition_functions f ON f.function_id = v.function_id ORDER BY f.function_id, v.boundary_id;
GO
-- What is refused.
CREATE PARTITION FUNCTION l (int) AS RANGE LEFT FOR VALUES (1);
GO
CREATE PARTITION FUNCTION x (int) AS RANGE LEFT FOR VALUES (1, 5, 7, 5);
GO
CREATE PARTITION FUNCTION x (int) AS RANGE LEFT FOR VALUES (1, 'a');
GO
CREATE PARTITION FUNCTION x (text) AS RANGE LEFT FOR VALUES ('a');
GO
CREATE PARTITION FUNCTION x (varchar(max)) AS RANGE LEFT FOR VALUES ('a');
GO
CREATE PARTITION FUNCTION x (rowversion) AS RANGE LEFT FOR VALUES (0x01);
GO
SELECT $PARTITION.nowhere(1);
GO
SELECT $PARTITION.l(1, 2);
GO
SELECT $PARTITION.l('abc');
GO
DROP PARTITION FUNCTION nowhere;
GO
-- Schemes.
ALTER DATABASE parted ADD FILEGROUP two;
ALTER DATABASE parted ADD FILEGROUP three;
GO
CREATE PARTITION SCHEME one AS PARTITION l ALL TO ([PRIMARY]);
CREATE PARTITION SCHEME few AS PARTITION r TO (two, three, [PRIMARY], two);
CREATE PARTITION SCHEME more AS PARTITION r TO (two, three, [PRIMARY], two, three, two);
SELECT s.name, s.type, s.type_desc, s.is_default, f.name AS f FROM sys.partition_schemes s JOIN sys.partition_functions f ON f.function_id = s.function_id
ORDER BY s.data_space_id;
SELECT s.name, d.destination_id, g.name AS filegroup FROM sys.destination_data_spaces d
JOIN sys.partition_schemes s ON s.data_space_id = d.partition_scheme_id JOIN sys.filegroups g ON g.data_space_id = d.data_space_id
ORDER BY s.data_space_id, d.destination_id;
SELECT name, type, type_desc, is_default FROM sys.data_spaces ORDER BY data_space_id;
GO
CREATE PARTITION SCHEME one AS PARTITION l ALL TO ([PRIMARY]);
GO
CREATE PARTITION SCHEME x AS PARTITION nowhere ALL TO ([PRIMARY]);
GO
CREATE PARTITION SCHEME x AS PARTITION l ALL TO (nowhere);
GO
CREATE PARTITION SCHEME x AS PARTITION l TO ([PRIMARY], [PRIMARY]);
GO
CREATE PARTITION SCHEME x AS PARTITION l ALL TO ([PRIMARY], two);
GO
DROP PARTITION FUNCTION l;
GO
ALTER PARTITION SCHEME nowhere NEXT USED two;
GO
DROP PARTITION SCHEME nowhere;
GO
ALTER DATABASE parted REMOVE FILEGROUP three;
GO
-- Boundaries come and go: the next filegroup is used, and stays the next one with ALL alone.
ALTER PARTITION FUNCTION r() SPLIT RANGE (50);
GO
ALTER PARTITION SCHEME few NEXT USED two;
ALTER PARTITION FUNCTION r() SPLIT RANGE (50);
SELECT s.name, d.destination_id, g.name AS filegroup FROM sys.destination_data_spaces d
JOIN sys.partition_schemes s ON s.data_space_id = d.partition_scheme_id JOIN sys.filegroups g ON g.data_space_id = d.data_space_id
WHERE s.name <> 'one' ORDER BY s.data_space_id, d.destination_id;
ALTER PARTITION FUNCTION r() SPLIT RANGE (60);
GO
ALTER PARTITION FUNCTION l() SPLIT RANGE (20);
ALTER PARTITION FUNCTION l() SPLIT RANGE (30);
ALTER PARTITION FUNCTION l() MERGE RANGE (1);
SELECT value FROM sys.partition_range_values v JOIN sys.partition_functions f ON f.function_id = v.function_id WHERE f.name = 'l' ORDER BY boundary_id;
ALTER PARTITION FUNCTION l() SPLIT RANGE (20);
GO
ALTER PARTITION FUNCTION l() MERGE RANGE (21);
GO
ALTER PARTITION FUNCTION l() SPLIT RANGE ('x');
GO
ALTER PARTITION FUNCTION l() SPLIT RANGE ();
GO
ALTER PARTITION FUNCTION e() MERGE RANGE (1);
GO
ALTER PARTITION FUNCTION nowhere() MERGE RANGE (1);
GO
ALTER PARTITION SCHEME one NEXT USED;
ALTER PARTITION SCHEME one NEXT USED;
GO
ALTER PARTITION FUNCTION l() SPLIT RANGE (40);
GO
-- In a transaction, and back.
BEGIN TRAN;
CREATE PARTITION FUNCTION gone (int) AS RANGE LEFT FOR VALUES (1);
DROP PARTITION SCHEME few;
SELECT $PARTITION.gone(5) AS p, (SELECT COUNT(*) FROM sys.partition_schemes) AS schemes;
ROLLBACK;
SELECT COUNT(*) AS schemes FROM sys.partition_schemes;
SELECT $PARTITION.gone(5);
GO
DROP PARTITION SCHEME one;
DROP PARTITION FUNCTION l;
SELECT COUNT(*) AS left_over FROM sys.partition_functions WHERE name = 'l';
GO
USE master;
DROP DATABASE parted;
GO
