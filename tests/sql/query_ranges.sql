-- Ranges over a key whose column is converted to the type of the bound: still seeks, with the right rows at every edge. https://learn.microsoft.com/sql/relational-databases/query-processing-architecture-guide
CREATE TABLE n (k int NOT NULL CONSTRAINT pk_n PRIMARY KEY);
CREATE TABLE t (k datetime NOT NULL CONSTRAINT pk_t PRIMARY KEY);
CREATE TABLE s (k smalldatetime NOT NULL CONSTRAINT pk_s PRIMARY KEY);
CREATE TABLE d (k date NOT NULL CONSTRAINT pk_d PRIMARY KEY);
GO
INSERT n VALUES (-2147483648), (-2), (-1), (0), (1), (2), (2147483647);
INSERT t VALUES ('1753-01-01'), ('2024-05-01T10:00:00.003'), ('2024-05-01T10:00:00.007'), ('9999-12-31T23:59:59.997');
INSERT s VALUES ('1900-01-01'), ('2024-05-01T10:00:00'), ('2024-05-01T10:01:00'), ('2079-06-06T23:59:00');
INSERT d VALUES ('0001-01-01'), ('2024-05-01'), ('2024-05-02'), ('9999-12-31');
GO
SET SHOWPLAN_TEXT ON;
GO
DECLARE @low decimal(5,1) = -1.5; SELECT k FROM n WHERE k > @low;
GO
DECLARE @from datetime2 = '2024-05-01'; SELECT k FROM t WHERE k >= @from;
GO
DECLARE @from nvarchar(10) = N'5'; SELECT k FROM n WHERE k >= @from;
GO
SET SHOWPLAN_TEXT OFF;
GO
DECLARE @low decimal(5,1) = -1.5, @high decimal(5,1) = 1.5;
SELECT k FROM n WHERE k > @low AND k < @high;
SELECT k FROM n WHERE k BETWEEN @high AND 2e9;
SELECT k FROM n WHERE k <= @low;
GO
DECLARE @far bigint = 5000000000, @none bigint = NULL;
SELECT COUNT(*) FROM n WHERE k < @far;
SELECT COUNT(*) FROM n WHERE k > -@far;
SELECT COUNT(*) FROM n WHERE k >= @far;
SELECT COUNT(*) FROM n WHERE k <= -@far;
SELECT COUNT(*) FROM n WHERE k <= @none;
SELECT COUNT(*) FROM n WHERE k >= @none;
GO
DECLARE @moment datetime2 = '2024-05-01T10:00:00.0033333', @before datetime2 = '0001-01-01', @after datetime2 = '9999-12-31T23:59:59.9999999';
SELECT k FROM t WHERE k >= @moment AND k < @after;
SELECT k FROM t WHERE k > @moment AND k < @after;
SELECT k FROM t WHERE k > @before AND k < @moment;
SELECT k FROM t WHERE k > @before AND k <= @moment;
SELECT COUNT(*) FROM t WHERE k > @before;
SELECT COUNT(*) FROM t WHERE k < @before;
SELECT COUNT(*) FROM t WHERE k < @after;
SELECT COUNT(*) FROM t WHERE k > @after;
SELECT COUNT(*) FROM s WHERE k > @before AND k < @after;
SELECT k FROM s WHERE k > @moment;
SELECT k FROM s WHERE k < @moment;
SELECT k FROM d WHERE k > @moment;
SELECT k FROM d WHERE k <= @moment;
GO
DECLARE @moment datetimeoffset = '2024-04-30T22:00:00-02:00';
SELECT k FROM d WHERE k = @moment;
GO
-- A key is looked up by values that its type cannot hold.
CREATE TABLE p (k decimal(4,2) NOT NULL CONSTRAINT pk_p PRIMARY KEY);
CREATE TABLE b (k binary(2) NOT NULL CONSTRAINT pk_b PRIMARY KEY);
CREATE TABLE y (k tinyint NOT NULL CONSTRAINT pk_y PRIMARY KEY);
INSERT p VALUES (-99.99), (0), (12.34), (99.99);
INSERT b VALUES (0x0000), (0x0100), (0x0101), (0xFFFF);
INSERT y VALUES (0), (7), (255);
GO
DECLARE @d decimal(10,2) = 100, @b varbinary(8) = 0x01, @far bigint = 5000000000, @minus int = -1;
SELECT k FROM p WHERE k = @d;
SELECT k FROM p WHERE k < @d;
SELECT k FROM p WHERE k > -@d AND k <= 12.34;
SELECT k FROM b WHERE k = @b;
SELECT k FROM b WHERE k > @b;
SELECT k FROM n WHERE k = @far;
SELECT k FROM n WHERE k IN (@far, 2);
SELECT k FROM y WHERE k >= @minus AND k < @far;
SELECT k FROM y WHERE k < @minus;
SELECT n.k FROM (VALUES (CAST(2 AS bigint)), (@far)) v(k) JOIN n ON n.k = v.k;
GO
DROP TABLE n, t, s, d, p, b, y;
GO
