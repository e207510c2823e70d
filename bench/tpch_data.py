"""TPC-H's eight tables as files of fields with | between them, with the distributions of the specification (version 3, clause 4.2), and its 22 queries
with the parameters of its validation run, in T-SQL and, by `postgres`, as PostgreSQL and DuckDB have them. `tpch.py` uses both.

Values are drawn from a fixed seed, so two runs have the same rows; they are not those that the council's own program makes.
"""

import datetime
import random
import re

COLORS = ("almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon chocolate coral cornflower "
          "cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki "
          "lace lavender lawn lemon light lime linen magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya "
          "peach peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle "
          "tomato turquoise violet wheat white yellow").split()
TYPES = [f"{a} {b} {c}" for a in ("STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO")
         for b in ("ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED") for c in ("TIN", "NICKEL", "BRASS", "STEEL", "COPPER")]
CONTAINERS = [f"{a} {b}" for a in ("SM", "LG", "MED", "JUMBO", "WRAP") for b in ("CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM")]
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB")
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
# Each with its region.
NATIONS = [("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0), ("FRANCE", 3), ("GERMANY", 3), ("INDIA", 2),
           ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2), ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1),
           ("CHINA", 2), ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3), ("UNITED KINGDOM", 3), ("UNITED STATES", 1)]
WORDS = ("foxes ideas theodolites pinto beans instructions dependencies excuses platelets asymptotes courts dolphins multipliers warthogs frets dinos attainments "
         "somas braids hockey players sheaves pearls packages requests accounts deposits sleep wake are cajole haggle nag use boost affix detect integrate "
         "furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring bold special pending unusual express regular final ironic even "
         "silent about above according across after against along among around at before behind beneath carefully quickly").split()

TABLES = {
    "region": "r_regionkey int NOT NULL PRIMARY KEY, r_name char(25) NOT NULL, r_comment varchar(152)",
    "nation": "n_nationkey int NOT NULL PRIMARY KEY, n_name char(25) NOT NULL, n_regionkey int NOT NULL, n_comment varchar(152)",
    "supplier": "s_suppkey int NOT NULL PRIMARY KEY, s_name char(25) NOT NULL, s_address varchar(40) NOT NULL, s_nationkey int NOT NULL, s_phone char(15) NOT NULL, "
                "s_acctbal decimal(15,2) NOT NULL, s_comment varchar(101) NOT NULL",
    "part": "p_partkey int NOT NULL PRIMARY KEY, p_name varchar(55) NOT NULL, p_mfgr char(25) NOT NULL, p_brand char(10) NOT NULL, p_type varchar(25) NOT NULL, "
            "p_size int NOT NULL, p_container char(10) NOT NULL, p_retailprice decimal(15,2) NOT NULL, p_comment varchar(23) NOT NULL",
    "partsupp": "ps_partkey int NOT NULL, ps_suppkey int NOT NULL, ps_availqty int NOT NULL, ps_supplycost decimal(15,2) NOT NULL, ps_comment varchar(199) NOT NULL, "
                "PRIMARY KEY (ps_partkey, ps_suppkey)",
    "customer": "c_custkey int NOT NULL PRIMARY KEY, c_name varchar(25) NOT NULL, c_address varchar(40) NOT NULL, c_nationkey int NOT NULL, c_phone char(15) NOT NULL, "
                "c_acctbal decimal(15,2) NOT NULL, c_mktsegment char(10) NOT NULL, c_comment varchar(117) NOT NULL",
    "orders": "o_orderkey int NOT NULL PRIMARY KEY, o_custkey int NOT NULL, o_orderstatus char(1) NOT NULL, o_totalprice decimal(15,2) NOT NULL, "
              "o_orderdate date NOT NULL, o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL, o_shippriority int NOT NULL, o_comment varchar(79) NOT NULL",
    "lineitem": "l_orderkey int NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL, l_linenumber int NOT NULL, l_quantity decimal(15,2) NOT NULL, "
                "l_extendedprice decimal(15,2) NOT NULL, l_discount decimal(15,2) NOT NULL, l_tax decimal(15,2) NOT NULL, l_returnflag char(1) NOT NULL, "
                "l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, "
                "l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL, PRIMARY KEY (l_orderkey, l_linenumber)",
}
# Foreign keys and dates, which the specification lets one index (clause 1.5.4).
INDEXES = {
    "supplier_nation": "supplier (s_nationkey)", "customer_nation": "customer (c_nationkey)", "partsupp_supplier": "partsupp (ps_suppkey)",
    "orders_customer": "orders (o_custkey)", "orders_date": "orders (o_orderdate)", "lineitem_part": "lineitem (l_partkey, l_suppkey)",
    "lineitem_supplier": "lineitem (l_suppkey)", "lineitem_shipped": "lineitem (l_shipdate)",
}


class Generator:
    def __init__(self, scale, seed=1):
        self.random = random.Random(seed)
        self.parts, self.suppliers = int(200_000 * scale), max(int(10_000 * scale), 10)
        self.customers, self.orders = int(150_000 * scale), int(1_500_000 * scale)
        self.text = " ".join(self.random.choice(WORDS) for _ in range(40_000))

    def below(self, count):
        return int(self.random.random() * count)

    def between(self, low, high):
        return low + int(self.random.random() * (high - low + 1))

    def one(self, values):
        return values[int(self.random.random() * len(values))]

    def words(self, low, high):
        start = self.below(len(self.text) - high)
        return self.text[start : start + self.between(low, high)].strip() or "none"

    def phone(self, nation):
        return f"{nation + 10}-{self.between(100, 999)}-{self.between(100, 999)}-{self.between(1000, 9999)}"

    def money(self, low, high):
        cents = self.between(low, high)
        return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"

    def supplier_of(self, part, number):
        """The supplier that is the part's number-th of four (clause 4.2.3)."""
        return (part + number * (self.suppliers // 4 + (part - 1) // self.suppliers)) % self.suppliers + 1

    def region(self):
        return ((at, name, self.words(31, 115)) for at, name in enumerate(REGIONS))

    def nation(self):
        return ((at, name, region, self.words(31, 114)) for at, (name, region) in enumerate(NATIONS))

    def supplier(self):
        # Of ten thousand, five have complaints and five recommendations; here at least one each.
        marked = max(self.suppliers * 5 // 10_000, 1)
        chosen = self.random.sample(range(1, self.suppliers + 1), 2 * marked)
        said = dict.fromkeys(chosen[:marked], "Customer then Complaints") | dict.fromkeys(chosen[marked:], "Customer then Recommends")
        for key in range(1, self.suppliers + 1):
            nation = self.below(25)
            text = self.words(25, 60)
            text = f"{text[:20]}{said[key]}{text[20:]}" if key in said else text
            yield key, f"Supplier#{key:09}", self.words(10, 40), nation, self.phone(nation), self.money(-99_999, 999_999), text

    def part(self):
        for key in range(1, self.parts + 1):
            maker = self.between(1, 5)
            yield (key, " ".join(self.random.sample(COLORS, 5)), f"Manufacturer#{maker}", f"Brand#{maker}{self.between(1, 5)}", self.one(TYPES), self.between(1, 50),
                   self.one(CONTAINERS), f"{self.price(key) / 100:.2f}", self.words(5, 22))

    def price(self, part):
        """In cents."""
        return 90_000 + part // 10 % 20_001 + 100 * (part % 1_000)

    def partsupp(self):
        for part in range(1, self.parts + 1):
            for number in range(4):
                yield part, self.supplier_of(part, number), self.between(1, 9_999), self.money(100, 100_000), self.words(49, 198)

    def customer(self):
        for key in range(1, self.customers + 1):
            nation = self.below(25)
            yield (key, f"Customer#{key:09}", self.words(10, 40), nation, self.phone(nation), self.money(-99_999, 999_999), self.one(SEGMENTS), self.words(29, 116))

    def orders_and_lines(self):
        """Pairs of an order and its lines."""
        first, now = datetime.date(1992, 1, 1), (datetime.date(1995, 6, 17) - datetime.date(1992, 1, 1)).days
        days = [str(first + datetime.timedelta(days=day)) for day in range(2_600)]
        last = (datetime.date(1998, 12, 31) - first).days - 151
        for number in range(self.orders):
            # The first eight keys of each 32; a third of the customers has no order.
            key = number // 8 * 32 + number % 8 + 1
            customer = self.between(1, self.customers)
            while customer % 3 == 0:
                customer = self.between(1, self.customers)
            day = self.between(0, last)
            lines, total, finished = [], 0, 0
            for line in range(1, self.between(1, 7) + 1):
                part, quantity = self.between(1, self.parts), self.between(1, 50)
                supplier = self.supplier_of(part, self.below(4))
                price, discount, tax = quantity * self.price(part), self.between(0, 10), self.between(0, 8)
                shipped = day + self.between(1, 121)
                received = shipped + self.between(1, 30)
                returned = self.one("RA") if received <= now else "N"
                status = "O" if shipped > now else "F"
                finished += status == "F"
                total += price * (100 - discount) * (100 + tax) // 10_000
                lines.append((key, part, supplier, line, quantity, f"{price // 100}.{price % 100:02}", f"0.{discount:02}", f"0.{tax:02}", returned, status, days[shipped],
                              days[day + self.between(30, 90)], days[received], self.one(INSTRUCTIONS), self.one(MODES), self.words(10, 43)))
            status = "F" if finished == len(lines) else "P" if finished else "O"
            clerks = max(self.orders // 1_500, 1)
            yield (key, customer, status, f"{total // 100}.{total % 100:02}", days[day], self.one(PRIORITIES), f"Clerk#{self.between(1, clerks):09}", 0,
                   self.words(19, 78)), lines

    def write(self, directory):
        for table in TABLES:
            if table not in ("orders", "lineitem"):
                with open(directory / f"{table}.tbl", "w") as file:
                    file.writelines("|".join(map(str, row)) + "\n" for row in getattr(self, table)())
        with open(directory / "orders.tbl", "w") as orders, open(directory / "lineitem.tbl", "w") as items:
            for order, lines in self.orders_and_lines():
                orders.write("|".join(map(str, order)) + "\n")
                items.writelines("|".join(map(str, line)) + "\n" for line in lines)


def day(text, unit="", count=0):
    date = f"CAST('{text}' AS date)"
    return f"DATEADD({unit}, {count}, {date})" if unit else date


REVENUE = "l_extendedprice * (1 - l_discount)"


def queries(scale):
    """By number. What ties leave open in an order is the only thing in which two answers may differ."""
    return {
        1: f"""SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty, SUM(l_extendedprice) AS sum_base, SUM({REVENUE}) AS sum_disc,
            SUM({REVENUE} * (1 + l_tax)) AS sum_charge, AVG(l_quantity) AS avg_qty, AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc, COUNT(*) AS n
            FROM lineitem WHERE l_shipdate <= {day('1998-12-01', 'day', -90)} GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
        2: """SELECT TOP 100 s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment FROM part, supplier, partsupp, nation, region
            WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND p_size = 15 AND p_type LIKE '%BRASS' AND s_nationkey = n_nationkey
            AND n_regionkey = r_regionkey AND r_name = 'EUROPE' AND ps_supplycost = (SELECT MIN(ps_supplycost) FROM partsupp, supplier, nation, region
            WHERE p_partkey = ps_partkey AND s_suppkey = ps_suppkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'EUROPE')
            ORDER BY s_acctbal DESC, n_name, s_name, p_partkey""",
        3: f"""SELECT TOP 10 l_orderkey, SUM({REVENUE}) AS revenue, o_orderdate, o_shippriority FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING'
            AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < {day('1995-03-15')} AND l_shipdate > {day('1995-03-15')}
            GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate""",
        4: f"""SELECT o_orderpriority, COUNT(*) AS order_count FROM orders WHERE o_orderdate >= {day('1993-07-01')} AND o_orderdate < {day('1993-07-01', 'month', 3)}
            AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate) GROUP BY o_orderpriority ORDER BY o_orderpriority""",
        5: f"""SELECT n_name, SUM({REVENUE}) AS revenue FROM customer, orders, lineitem, supplier, nation, region WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey
            AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
            AND o_orderdate >= {day('1994-01-01')} AND o_orderdate < {day('1994-01-01', 'year', 1)} GROUP BY n_name ORDER BY revenue DESC""",
        6: f"""SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= {day('1994-01-01')} AND l_shipdate < {day('1994-01-01', 'year', 1)}
            AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24""",
        7: f"""SELECT supp_nation, cust_nation, l_year, SUM(volume) AS revenue FROM (SELECT n1.n_name AS supp_nation, n2.n_name AS cust_nation, YEAR(l_shipdate) AS l_year,
            {REVENUE} AS volume FROM supplier, lineitem, orders, customer, nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey
            AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey AND c_nationkey = n2.n_nationkey AND ((n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY')
            OR (n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE')) AND l_shipdate BETWEEN {day('1995-01-01')} AND {day('1996-12-31')}) AS shipping
            GROUP BY supp_nation, cust_nation, l_year ORDER BY supp_nation, cust_nation, l_year""",
        8: f"""SELECT o_year, SUM(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / SUM(volume) AS mkt_share FROM (SELECT YEAR(o_orderdate) AS o_year, {REVENUE} AS volume,
            n2.n_name AS nation FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey
            AND l_orderkey = o_orderkey AND o_custkey = c_custkey AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = r_regionkey AND r_name = 'AMERICA'
            AND s_nationkey = n2.n_nationkey AND o_orderdate BETWEEN {day('1995-01-01')} AND {day('1996-12-31')} AND p_type = 'ECONOMY ANODIZED STEEL') AS all_nations
            GROUP BY o_year ORDER BY o_year""",
        9: f"""SELECT nation, o_year, SUM(amount) AS sum_profit FROM (SELECT n_name AS nation, YEAR(o_orderdate) AS o_year, {REVENUE} - ps_supplycost * l_quantity AS amount
            FROM part, supplier, lineitem, partsupp, orders, nation WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey
            AND p_partkey = l_partkey AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%') AS profit
            GROUP BY nation, o_year ORDER BY nation, o_year DESC""",
        10: f"""SELECT TOP 20 c_custkey, c_name, SUM({REVENUE}) AS revenue, c_acctbal, n_name, c_address, c_phone, c_comment FROM customer, orders, lineitem, nation
            WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= {day('1993-10-01')} AND o_orderdate < {day('1993-10-01', 'month', 3)}
            AND l_returnflag = 'R' AND c_nationkey = n_nationkey GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment ORDER BY revenue DESC""",
        11: f"""SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey
            AND n_name = 'GERMANY' GROUP BY ps_partkey HAVING SUM(ps_supplycost * ps_availqty) > (SELECT SUM(ps_supplycost * ps_availqty) * {0.0001 / scale:.10f}
            FROM partsupp, supplier, nation WHERE ps_suppkey = s_suppkey AND s_nationkey = n_nationkey AND n_name = 'GERMANY') ORDER BY value DESC""",
        12: f"""SELECT l_shipmode, SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
            SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low FROM orders, lineitem WHERE o_orderkey = l_orderkey
            AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate AND l_shipdate < l_commitdate AND l_receiptdate >= {day('1994-01-01')}
            AND l_receiptdate < {day('1994-01-01', 'year', 1)} GROUP BY l_shipmode ORDER BY l_shipmode""",
        13: """SELECT c_count, COUNT(*) AS custdist FROM (SELECT c_custkey, COUNT(o_orderkey) AS c_count FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey
            AND o_comment NOT LIKE '%special%requests%' GROUP BY c_custkey) AS c_orders GROUP BY c_count ORDER BY custdist DESC, c_count DESC""",
        14: f"""SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN {REVENUE} ELSE 0 END) / SUM({REVENUE}) AS promo_revenue FROM lineitem, part
            WHERE l_partkey = p_partkey AND l_shipdate >= {day('1995-09-01')} AND l_shipdate < {day('1995-09-01', 'month', 1)}""",
        15: f"""WITH revenue AS (SELECT l_suppkey AS supplier_no, SUM({REVENUE}) AS total_revenue FROM lineitem WHERE l_shipdate >= {day('1996-01-01')}
            AND l_shipdate < {day('1996-01-01', 'month', 3)} GROUP BY l_suppkey) SELECT s_suppkey, s_name, s_address, s_phone, total_revenue FROM supplier, revenue
            WHERE s_suppkey = supplier_no AND total_revenue = (SELECT MAX(total_revenue) FROM revenue) ORDER BY s_suppkey""",
        16: """SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt FROM partsupp, part WHERE p_partkey = ps_partkey AND p_brand <> 'Brand#45'
            AND p_type NOT LIKE 'MEDIUM POLISHED%' AND p_size IN (49, 14, 23, 45, 19, 3, 36, 9) AND ps_suppkey NOT IN (SELECT s_suppkey FROM supplier
            WHERE s_comment LIKE '%Customer%Complaints%') GROUP BY p_brand, p_type, p_size ORDER BY supplier_cnt DESC, p_brand, p_type, p_size""",
        17: """SELECT SUM(l_extendedprice) / 7.0 AS avg_yearly FROM lineitem, part WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_container = 'MED BOX'
            AND l_quantity < (SELECT 0.2 * AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)""",
        18: """SELECT TOP 100 c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity) AS quantity FROM customer, orders, lineitem
            WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 300) AND c_custkey = o_custkey
            AND o_orderkey = l_orderkey GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice ORDER BY o_totalprice DESC, o_orderdate""",
        19: f"""SELECT SUM({REVENUE}) AS revenue FROM lineitem, part WHERE """ + " OR ".join(
            f"""(p_partkey = l_partkey AND p_brand = '{brand}' AND p_container IN ({', '.join(f"'{size} {kind}'" for kind in kinds)}) AND l_quantity >= {least}
            AND l_quantity <= {least} + 10 AND p_size BETWEEN 1 AND {most} AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')"""
            for brand, size, kinds, least, most in (("Brand#12", "SM", ("CASE", "BOX", "PACK", "PKG"), 1, 5), ("Brand#23", "MED", ("BAG", "BOX", "PKG", "PACK"), 10, 10),
                                                    ("Brand#34", "LG", ("CASE", "BOX", "PACK", "PKG"), 20, 15))),
        20: f"""SELECT s_name, s_address FROM supplier, nation WHERE s_suppkey IN (SELECT ps_suppkey FROM partsupp WHERE ps_partkey IN (SELECT p_partkey FROM part
            WHERE p_name LIKE 'forest%') AND ps_availqty > (SELECT 0.5 * SUM(l_quantity) FROM lineitem WHERE l_partkey = ps_partkey AND l_suppkey = ps_suppkey
            AND l_shipdate >= {day('1994-01-01')} AND l_shipdate < {day('1994-01-01', 'year', 1)})) AND s_nationkey = n_nationkey AND n_name = 'CANADA' ORDER BY s_name""",
        21: """SELECT TOP 100 s_name, COUNT(*) AS numwait FROM supplier, lineitem l1, orders, nation WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey
            AND o_orderstatus = 'F' AND l1.l_receiptdate > l1.l_commitdate AND EXISTS (SELECT * FROM lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey
            AND l2.l_suppkey <> l1.l_suppkey) AND NOT EXISTS (SELECT * FROM lineitem l3 WHERE l3.l_orderkey = l1.l_orderkey AND l3.l_suppkey <> l1.l_suppkey
            AND l3.l_receiptdate > l3.l_commitdate) AND s_nationkey = n_nationkey AND n_name = 'SAUDI ARABIA' GROUP BY s_name ORDER BY numwait DESC, s_name""",
        22: """SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal FROM (SELECT SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal FROM customer
            WHERE SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17') AND c_acctbal > (SELECT AVG(c_acctbal) FROM customer WHERE c_acctbal > 0.00
            AND SUBSTRING(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')) AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS custsale
            GROUP BY cntrycode ORDER BY cntrycode""",
    }


def postgres(text):
    """The same query as PostgreSQL and DuckDB write it."""
    text = re.sub(r"DATEADD\((\w+), (-?\d+), (CAST\('[-\d]+' AS date\))\)", r"(\3 + INTERVAL '\2 \1')", text)
    text = re.sub(r"\bYEAR\((\w+)\)", r"EXTRACT(YEAR FROM \1)", text)
    found = re.match(r"(\s*SELECT) TOP (\d+)", text)
    return f"{text[: found.end(1)]}{text[found.end():]} LIMIT {found[2]}" if found else text
