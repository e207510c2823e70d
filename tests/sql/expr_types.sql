-- A column of every type: stored, compared, aggregated, joined. https://learn.microsoft.com/sql/t-sql/data-types/data-types-transact-sql
CREATE TABLE t (id int IDENTITY PRIMARY KEY, b bit NULL, ti tinyint NULL, si smallint NULL, bi bigint NULL, de decimal(18,4) NULL, m money NULL, sm smallmoney NULL, f float NULL, r real NULL, d date NULL, ti2 time(3) NULL, dt datetime NULL, dt2 datetime2(3) NULL, sdt smalldatetime NULL, dto datetimeoffset(2) NULL, c char(5) NULL, vc varchar(10) NULL, nc nchar(5) NULL, nvc nvarchar(10) NULL, vm varchar(max) NULL, nm nvarchar(max) NULL, bn binary(4) NULL, vb varbinary(10) NULL, vbm varbinary(max) NULL, u uniqueidentifier NULL, sv sql_variant NULL, x xml NULL);
INSERT t (b,ti,si,bi,de,m,sm,f,r,d,ti2,dt,dt2,sdt,dto,c,vc,nc,nvc,vm,nm,bn,vb,vbm,u,sv,x) VALUES (1,255,-32768,9223372036854775807,-12345.6789,922337203685477.5807,214748.3647,1.5e300,3.25,'9999-12-31','23:59:59.999','1753-01-01','0001-01-01','2079-06-06','2024-01-01 00:00 -05:30','ab','abc',N'ab',N'ñandú',REPLICATE('x',20),N'yy',0x01,0x0102,0xFF,'6F9619FF-8B86-D011-B42D-00C04FC964FF',CAST(5 AS int),'<a/>');
INSERT t (vc) VALUES (NULL);
SELECT * FROM t;
SELECT c + '|' AS c, nc + N'|' AS nc, DATALENGTH(c) AS dc, DATALENGTH(nc) AS dn, DATALENGTH(bn) AS db, LEN(c) AS lc FROM t WHERE id = 1;
GO
SELECT id FROM t WHERE b = 'true'; SELECT id FROM t WHERE d = '99991231'; SELECT id FROM t WHERE u = '6f9619ff-8b86-d011-b42d-00c04fc964ff'; SELECT id FROM t WHERE vb = 0x0102; SELECT id FROM t WHERE de < -12345; SELECT id FROM t WHERE f > 1e299; SELECT id FROM t WHERE dto = '2024-01-01 05:30 +00:00'; SELECT id FROM t WHERE nvc = 'ñandú'; SELECT id FROM t WHERE c = 'ab'; SELECT id FROM t WHERE sv = 5;
SELECT id FROM t WHERE vm LIKE 'xx%'; SELECT COUNT(*) n FROM t WHERE vc IS NULL; SELECT id FROM t ORDER BY u DESC, sv; 
SELECT MAX(c) c, MAX(nvc) n, MIN(d) d, MAX(dt2) dt2, MAX(u) u, MAX(vb) vb, SUM(m) m, AVG(f) f, MAX(r) r, SUM(ti) ti, MAX(dto) dto, COUNT(DISTINCT c) dc FROM t;
GO
SELECT MAX(b) FROM t;
GO
SELECT DISTINCT x FROM t;
GO
SELECT * FROM t ORDER BY x;
GO
SELECT t.*, 1 AS one FROM t WHERE 1=0;
GO
SELECT CAST(CAST(1.5 AS sql_variant) AS int), SQL_VARIANT_PROPERTY(CAST(N'a' AS sql_variant),'BaseType');
GO
SELECT x.id FROM t AS x WHERE EXISTS (SELECT x.id INTERSECT SELECT 1);
SELECT COUNT(*) AS nullsafe FROM t AS x JOIN t AS y ON EXISTS (SELECT x.id EXCEPT SELECT y.id) AND NOT EXISTS (SELECT x.id UNION ALL SELECT y.id);
GO
SELECT id, CASE WHEN vc = 'abc' THEN 1 WHEN vc IS NULL THEN 2 END AS k FROM t;
GO
SELECT COUNT(*) FROM t a JOIN t b ON a.c = b.c AND a.vc = b.vc;
GO
SELECT COUNT(*) FROM t a JOIN t b ON a.vc = b.nvc;
GO
SELECT COUNT(*) FROM t a JOIN t b ON a.ti = b.bi;
GO
SELECT COUNT(*) FROM t a JOIN t b ON a.de = b.f OR a.id = b.id;
GO
SELECT a.id, b.id FROM t a FULL JOIN t b ON a.id < b.id ORDER BY 1, 2;
GO
SELECT TOP 1 a.id FROM t a, t b, t c2 WHERE a.id = b.id AND b.id = c2.id;
GO
SELECT * FROM (VALUES (1, 'a'), (2, N'bbbb'), (3, N'c')) AS v(n, s);
GO
SELECT * FROM (VALUES (1), (2.5), (NULL)) v(n);
GO
SELECT SUM(n) s FROM (VALUES (1), (2)) v(n);
GO
SELECT n, SUM(n) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) FROM (VALUES (3), (1), (2)) v(n) ORDER BY n;
GO
SELECT n, COUNT(*) OVER w c, SUM(n) OVER w s FROM (VALUES (3), (1), (2)) v(n) WINDOW w AS (ORDER BY n);
GO
SELECT n FROM (VALUES (3), (1), (2)) v(n) ORDER BY ROW_NUMBER() OVER (ORDER BY n DESC);
GO
SELECT n FROM (SELECT n, ROW_NUMBER() OVER (ORDER BY n) rn FROM (VALUES (30), (10), (20)) v(n)) q WHERE rn BETWEEN 2 AND 3;
GO
SELECT g, n, NTILE(3) OVER (PARTITION BY g ORDER BY n) t FROM (VALUES (1,1),(1,2),(1,3),(1,4),(2,1)) v(g,n);
GO
SELECT n, LAG(n, 0) OVER (ORDER BY n) z, LAG(n, 1, 99) OVER (ORDER BY n) o FROM (VALUES (1), (2)) v(n);
GO
SELECT n, SUM(n) OVER (ORDER BY g RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) s FROM (VALUES (1,1),(1,2),(2,3)) v(g,n);
GO
SELECT GREATEST(1, 2.5, NULL) g, LEAST('b', 'a') l, GREATEST(1, 3) h;
GO
SELECT TRY_PARSE('1' AS int), PARSE('5' AS int), FORMAT(1234567.891, 'C', 'en-US'), FORMAT(0.25, 'P0'), FORMAT(255, 'X');
GO
SELECT DATEDIFF(day, '2024-01-01', GETDATE()) - DATEDIFF(day, '2024-01-01', SYSDATETIME());
GO
SELECT APPROX_COUNT_DISTINCT(id) FROM t;
GO
SELECT ISNULL(vc, 'none') v FROM t ORDER BY id;
GO
GO
SELECT SUBSTRING(vm, 5, 3) s, LEN(vm) l, CHARINDEX('x', vm) c, REPLACE(vm, 'x', 'yy') r FROM t WHERE id = 1;
GO
SELECT 1 AS a WHERE 'a' IN ('A', 'b');
SELECT 1 AS a WHERE 'a' BETWEEN 'A' AND 'b';
GO
