-- The plans of TPC-H's queries over a small database of its schema: https://www.tpc.org/tpc_documents_current_versions/pdf/tpc-h_v3.0.1.pdf
-- https://learn.microsoft.com/sql/t-sql/statements/set-showplan-text-transact-sql
-- What they answer, and how fast, is compared with other servers by bench/tpch.py. Keys and values follow from each other here: the plans are the same in each run.
CREATE TABLE region (r_regionkey int NOT NULL CONSTRAINT pk_region PRIMARY KEY, r_name char(25) NOT NULL, r_comment varchar(152));
CREATE TABLE nation (n_nationkey int NOT NULL CONSTRAINT pk_nation PRIMARY KEY, n_name char(25) NOT NULL, n_regionkey int NOT NULL, n_comment varchar(152));
CREATE TABLE supplier (s_suppkey int NOT NULL CONSTRAINT pk_supplier PRIMARY KEY, s_name char(25) NOT NULL, s_address varchar(40) NOT NULL, s_nationkey int NOT NULL, s_phone char(15) NOT NULL, s_acctbal decimal(15,2) NOT NULL, s_comment varchar(101) NOT NULL);
CREATE TABLE part (p_partkey int NOT NULL CONSTRAINT pk_part PRIMARY KEY, p_name varchar(55) NOT NULL, p_mfgr char(25) NOT NULL, p_brand char(10) NOT NULL, p_type varchar(25) NOT NULL, p_size int NOT NULL, p_container char(10) NOT NULL, p_retailprice decimal(15,2) NOT NULL, p_comment varchar(23) NOT NULL);
CREATE TABLE partsupp (ps_partkey int NOT NULL, ps_suppkey int NOT NULL, ps_availqty int NOT NULL, ps_supplycost decimal(15,2) NOT NULL, ps_comment varchar(199) NOT NULL, CONSTRAINT pk_partsupp PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer (c_custkey int NOT NULL CONSTRAINT pk_customer PRIMARY KEY, c_name varchar(25) NOT NULL, c_address varchar(40) NOT NULL, c_nationkey int NOT NULL, c_phone char(15) NOT NULL, c_acctbal decimal(15,2) NOT NULL, c_mktsegment char(10) NOT NULL, c_comment varchar(117) NOT NULL);
CREATE TABLE orders (o_orderkey int NOT NULL CONSTRAINT pk_orders PRIMARY KEY, o_custkey int NOT NULL, o_orderstatus char(1) NOT NULL, o_totalprice decimal(15,2) NOT NULL, o_orderdate date NOT NULL, o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL, o_shippriority int NOT NULL, o_comment varchar(79) NOT NULL);
CREATE TABLE lineitem (l_orderkey int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_linenumber int NOT NULL, l_quantity decimal(15,2) NOT NULL, l_extendedprice decimal(15,2) NOT NULL, l_discount decimal(15,2) NOT NULL, l_tax decimal(15,2) NOT NULL, l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL, CONSTRAINT pk_lineitem PRIMARY KEY (l_orderkey, l_linenumber));
INSERT region SELECT ROW_NUMBER() OVER (ORDER BY name) - 1, name, '' FROM (VALUES ('AFRICA'), ('AMERICA'), ('ASIA'), ('EUROPE'), ('MIDDLE EAST')) AS r (name);
INSERT nation SELECT ROW_NUMBER() OVER (ORDER BY name) - 1, name, region, '' FROM (VALUES ('ALGERIA', 0), ('ARGENTINA', 1), ('BRAZIL', 1), ('CANADA', 1), ('EGYPT', 4), ('ETHIOPIA', 0), ('FRANCE', 3), ('GERMANY', 3), ('INDIA', 2), ('INDONESIA', 2), ('IRAN', 4), ('IRAQ', 4), ('JAPAN', 2), ('JORDAN', 4), ('KENYA', 0), ('MOROCCO', 0), ('MOZAMBIQUE', 0), ('PERU', 1), ('CHINA', 2), ('ROMANIA', 3), ('SAUDI ARABIA', 4), ('VIETNAM', 2), ('RUSSIA', 3), ('UNITED KINGDOM', 3), ('UNITED STATES', 1)) AS n (name, region);
INSERT supplier SELECT value, CONCAT('Supplier#', value), 'x', value * 7 % 25, CONCAT(value % 25 + 10, '-1'), value * 37 % 11000 - 1000, IIF(value % 50 = 0, 'Customer then Complaints', 'y') FROM GENERATE_SERIES(1, 100);
INSERT part SELECT value, CONCAT(CHOOSE(value * 7 % 40 + 1, 'almond', 'antique', 'aquamarine', 'azure', 'beige', 'bisque', 'black', 'blanched', 'blue', 'blush', 'brown', 'burlywood', 'burnished', 'chartreuse', 'chiffon', 'chocolate', 'coral', 'cornflower', 'cornsilk', 'cream', 'cyan', 'dark', 'deep', 'dim', 'dodger', 'drab', 'firebrick', 'floral', 'forest', 'frosted', 'gainsboro', 'ghost', 'goldenrod', 'green', 'grey', 'honeydew', 'hot', 'indian', 'ivory', 'khaki'), ' ', CHOOSE(value * 11 % 40 + 1, 'lace', 'lavender', 'lawn', 'lemon', 'light', 'lime', 'linen', 'magenta', 'maroon', 'medium', 'metallic', 'midnight', 'mint', 'misty', 'moccasin', 'navajo', 'navy', 'olive', 'orange', 'orchid', 'pale', 'papaya', 'peach', 'peru', 'pink', 'plum', 'powder', 'puff', 'purple', 'red', 'rose', 'rosy', 'royal', 'saddle', 'salmon', 'sandy', 'seashell', 'sienna', 'sky', 'slate')), CONCAT('Manufacturer#', value % 5 + 1), CONCAT('Brand#', value % 5 + 1, value * 3 % 5 + 1), CHOOSE(value * 13 % 21 + 1, 'STANDARD ANODIZED TIN', 'STANDARD BURNISHED BRASS', 'STANDARD PLATED COPPER', 'STANDARD BRUSHED NICKEL', 'SMALL ANODIZED STEEL', 'SMALL PLATED TIN', 'SMALL POLISHED BRASS', 'SMALL BRUSHED COPPER', 'MEDIUM BURNISHED NICKEL', 'MEDIUM PLATED STEEL', 'MEDIUM BRUSHED TIN', 'LARGE ANODIZED BRASS', 'LARGE BURNISHED COPPER', 'LARGE POLISHED NICKEL', 'LARGE BRUSHED STEEL', 'ECONOMY BURNISHED TIN', 'ECONOMY PLATED BRASS', 'ECONOMY POLISHED COPPER', 'PROMO ANODIZED NICKEL', 'PROMO BURNISHED STEEL', 'PROMO POLISHED TIN'), value * 17 % 50 + 1, CHOOSE(value * 19 % 14 + 1, 'SM CASE', 'SM JAR', 'SM CAN', 'LG BOX', 'LG PKG', 'LG DRUM', 'MED BAG', 'MED PACK', 'JUMBO CASE', 'JUMBO JAR', 'JUMBO CAN', 'WRAP BOX', 'WRAP PKG', 'WRAP DRUM'), 900 + value % 1000, '' FROM GENERATE_SERIES(1, 2000);
INSERT partsupp SELECT p.value, (p.value + n.value * 25) % 100 + 1, (p.value * 31 + n.value * 7) % 9999 + 1, (p.value * 53 + n.value) % 1000, '' FROM GENERATE_SERIES(1, 2000) AS p CROSS JOIN GENERATE_SERIES(0, 3) AS n;
INSERT customer SELECT value, CONCAT('Customer#', value), 'x', value * 11 % 25, CONCAT(value * 11 % 25 + 10, '-1'), value * 41 % 11000 - 1000, CHOOSE(value * 3 % 5 + 1, 'AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'), '' FROM GENERATE_SERIES(1, 1500);
INSERT orders SELECT value / 8 * 32 + value % 8 + 1, (value * 7919 % 500) * 3 + value % 2 + 1, CHOOSE(value % 3 + 1, 'F', 'O', 'P'), value * 29 % 400000, DATEADD(day, value * 7 % 2400, '1992-01-01'), CHOOSE(value * 7 % 5 + 1, '1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'), 'Clerk', 0, IIF(value % 90 = 0, 'special packages requests', '') FROM GENERATE_SERIES(0, 14999);
INSERT lineitem SELECT o_orderkey, (o_orderkey * 13 + n.value * 401) % 2000 + 1, ((o_orderkey * 13 + n.value * 401) % 2000 + 1 + n.value % 4 * 25) % 100 + 1, n.value, (o_orderkey + n.value * 17) % 50 + 1, (o_orderkey + n.value * 17) % 50 * 1000.5, (o_orderkey + n.value) % 11 / 100.0, (o_orderkey + n.value) % 9 / 100.0, CHOOSE((o_orderkey + n.value) % 3 + 1, 'A', 'N', 'R'), IIF(o_orderdate > '1995-06-17', 'O', 'F'), DATEADD(day, (o_orderkey + n.value * 31) % 120 + 1, o_orderdate), DATEADD(day, (o_orderkey * 3 + n.value) % 60 + 30, o_orderdate), DATEADD(day, (o_orderkey + n.value * 31) % 120 + 1 + n.value * 4, o_orderdate), CHOOSE((o_orderkey + n.value) % 4 + 1, 'DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'), CHOOSE((o_orderkey + n.value * 5) % 7 + 1, 'REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'), '' FROM orders CROSS JOIN GENERATE_SERIES(1, 7) AS n WHERE n.value <= o_orderkey % 7 + 1 ORDER BY o_orderkey, n.value;
CREATE INDEX supplier_nation ON supplier (s_nationkey);
CREATE INDEX customer_nation ON customer (c_nationkey);
CREATE INDEX partsupp_supplier ON partsupp (ps_suppkey);
CREATE INDEX orders_customer ON orders (o_custkey);
CREATE INDEX orders_date ON orders (o_orderdate);
CREATE INDEX lineitem_part ON lineitem (l_partkey, l_suppkey);
CREATE INDEX lineitem_supplier ON lineitem (l_suppkey);
CREATE INDEX lineitem_shipped ON lineitem (l_shipdate);
GO
SET SHOWPLAN_TEXT ON;
GO
-- Q1
SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base, SUM(l_extendedprice * (1 - l_discount)) AS sum_disc,
            SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, AVG(l_quantity) AS avg_qty, AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS n
            FROM lineitem WHERE l_shipdate <= DATEADD(day, -90, CAST('1998-12-01' AS date)) GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus;
GO
-- Q2
SELECT TOP 100 s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment FROM part, supplier, partsupp, nation, region
            WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS' AND s_nationkey = n_nationkey
            AND n_regionkey = r_regionkey AND r_name = 'EUROPE' AND ps_supplycost = (SELECT MIN(ps_supplycost) FROM partsupp, supplier, nation, region
            WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
            ORDER BY s_acctbal DESC, n_name, s_name, p_partkey;
GO
-- Q3
SELECT TOP 10 l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING'
            AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < CAST('1995-03-15' AS date) AND l_shipdate > CAST('1995-03-15' AS date)
            GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate;
GO
-- Q4
SELECT o_orderpriority, COUNT(*) AS order_count FROM orders WHERE o_orderdate >= CAST('1993-07-01' AS date) AND o_orderdate < DATEADD(month, 3, CAST('1993-07-01' AS date))
            AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority ORDER BY o_orderpriority;
GO
-- Q5
SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, supplier, nation, region WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey
            AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
            AND o_orderdate >= CAST('1994-01-01' AS date) AND o_orderdate < DATEADD(year, 1, CAST('1994-01-01' AS date)) GROUP BY n_name ORDER BY revenue DESC;
GO
-- Q6
SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= CAST('1994-01-01' AS date) AND l_shipdate < DATEADD(year, 1, CAST('1994-01-01' AS date))
            AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24;
GO
-- Q7
SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue FROM (SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, YEAR(l_shipdate) AS l_year,
            l_extendedprice * (1 - l_discount) AS volume FROM supplier, lineitem, orders, customer, nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey
            AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY')
            OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')) AND l_shipdate BETWEEN CAST('1995-01-01' AS date) AND CAST('1996-12-31' AS date)) AS shipping
            GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year;
GO
-- Q8
SELECT o_year, SUM(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / SUM(volume) AS mkt_share FROM (SELECT YEAR(o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) AS volume,
            n2.n_name AS nation FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey
            AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
            AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN CAST('1995-01-01' AS date) AND CAST('1996-12-31' AS date) AND p_type = 'ECONOMY ANODIZED STEEL') AS all_nations
            GROUP BY o_year ORDER BY o_year;
GO
-- Q9
SELECT nation, o_year, SUM(amount) AS sum_profit FROM (SELECT n_name AS nation, YEAR(o_orderdate) AS o_year, l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
            FROM part, supplier, lineitem, partsupp, orders, nation WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey
            AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
            GROUP BY nation, o_year ORDER BY nation, o_year DESC;
GO
-- Q10
SELECT TOP 20 c_custkey, c_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name, c_address, c_phone, c_comment FROM customer, orders, lineitem, nation
            WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= CAST('1993-10-01' AS date) AND o_orderdate < DATEADD(month, 3, CAST('1993-10-01' AS date))
            AND l_returnflag = 'R' AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment ORDER BY revenue DESC;
GO
-- Q11
SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey
            AND n_name = 'GERMANY' GROUP BY ps_partkey HAVING SUM(ps_supplycost * ps_availqty) > (SELECT SUM(ps_supplycost * ps_availqty) * 0.0001000000
            FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY') ORDER BY value DESC;
GO
-- Q12
SELECT l_shipmode, SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
            SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low FROM orders, lineitem WHERE o_orderkey = l_orderkey
            AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= CAST('1994-01-01' AS date)
            AND l_receiptdate < DATEADD(year, 1, CAST('1994-01-01' AS date)) GROUP BY l_shipmode ORDER BY l_shipmode;
GO
-- Q13
SELECT c_count, COUNT(*) AS custdist FROM (SELECT c_custkey, COUNT(o_orderkey) AS c_count FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey
            AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c_orders GROUP BY c_count ORDER BY custdist DESC, c_count DESC;
GO
-- Q14
SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue FROM lineitem, part
            WHERE l_partkey = p_partkey AND l_shipdate >= CAST('1995-09-01' AS date) AND l_shipdate < DATEADD(month, 1, CAST('1995-09-01' AS date));
GO
-- Q15
WITH revenue AS (SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue FROM lineitem WHERE l_shipdate >= CAST('1996-01-01' AS date)
            AND l_shipdate < DATEADD(month, 3, CAST('1996-01-01' AS date)) GROUP BY l_suppkey) SELECT s_suppkey, s_name, s_address, s_phone, total_revenue FROM supplier, revenue
            WHERE s_suppkey = supplier_no AND total_revenue = (SELECT MAX(total_revenue) FROM revenue) ORDER BY s_suppkey;
GO
-- Q16
SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt FROM partsupp, part WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45'
            AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9) AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier
            WHERE s_comment LIKE '%Customer%Complaints%') GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size;
GO
-- Q17
SELECT SUM(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
            AND l_quantity < (SELECT 0.2 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey);
GO
-- Q18
SELECT TOP 100 c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) AS quantity FROM customer, orders, lineitem
            WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 300) AND c_custkey = o_custkey
            AND o_orderkey = l_orderkey GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice ORDER BY o_totalprice DESC, o_orderdate;
GO
-- Q19
SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part WHERE (p_partkey = l_partkey AND p_brand = 'Brand#12' AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG') AND l_quantity >= 1
            AND l_quantity <= 1 + 10 AND p_size BETWEEN 1 AND 5 AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON') OR (p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK') AND l_quantity >= 10
            AND l_quantity <= 10 + 10 AND p_size BETWEEN 1 AND 10 AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON') OR (p_partkey = l_partkey AND p_brand = 'Brand#34' AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG') AND l_quantity >= 20
            AND l_quantity <= 20 + 10 AND p_size BETWEEN 1 AND 15 AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON');
GO
-- Q20
SELECT s_name, s_address FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN (SELECT p_partkey FROM part
            WHERE p_name LIKE 'forest%') AND ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
            AND l_shipdate >= CAST('1994-01-01' AS date) AND l_shipdate < DATEADD(year, 1, CAST('1994-01-01' AS date)))) AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name;
GO
-- Q21
SELECT TOP 100 s_name, COUNT(*) AS numwait FROM supplier, lineitem l1, orders, nation WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey
            AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey
            AND l2.l_suppkey <> l1.l_suppkey) AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
            AND l3.l_receiptdate > l3.l_commitdate) AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA' GROUP BY s_name ORDER BY numwait DESC, s_name;
GO
-- Q22
SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal FROM (SELECT SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal FROM customer
            WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT AVG(c_acctbal) FROM customer WHERE c_acctbal > 0.00
            AND SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')) AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
            GROUP BY cntrycode ORDER BY cntrycode;
GO
SET SHOWPLAN_TEXT OFF;
GO
DROP TABLE region, nation, supplier, part, partsupp, customer, orders, lineitem;
