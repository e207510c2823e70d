"""Thirty questions of a retailer in the manner of TPC-DS, in T-SQL and, by `postgres`, as PostgreSQL has them; tables: reports_data.py. Each order is
complete, so that the rows are determined and their order too. What is ordered is no quotient, whose last digits differ between servers."""

import re

from tpch_data import day
from tpch_data import postgres as dates

# Sales of all channels: what a report over all of them begins with.
ALL_SALES = """SELECT ss_day AS day, ss_item AS item, ss_customer AS customer, ss_quantity AS quantity, ss_ext_price AS price, 'store' AS channel FROM store_sales
    UNION ALL SELECT cs_day, cs_item, cs_customer, cs_quantity, cs_ext_price, 'catalog' FROM catalog_sales
    UNION ALL SELECT ws_day, ws_item, ws_customer, ws_quantity, ws_ext_price, 'web' FROM web_sales"""

QUERIES = {
    # A star: brands of one maker in November.
    1: """SELECT TOP 100 d_year, i_brand_id, i_brand, SUM(ss_ext_price) AS total FROM store_sales JOIN date_dim ON d_day = ss_day JOIN item ON i_item = ss_item
        WHERE i_manufacturer_id = 8 AND d_month = 11 GROUP BY d_year, i_brand_id, i_brand ORDER BY d_year, total DESC, i_brand_id""",
    # Households that bought many things at once, at the beginning or the end of a month.
    2: """SELECT c_last, c_first, c_title, c_preferred, ticket, lines FROM (SELECT ss_ticket AS ticket, ss_customer AS buyer, COUNT(*) AS lines
        FROM store_sales, date_dim, store, household_demographics WHERE ss_day = d_day AND ss_store = s_store AND ss_household = hd_household
        AND (d_day_of_month BETWEEN 1 AND 3 OR d_day_of_month BETWEEN 25 AND 28) AND (hd_potential = 'over 10000' OR hd_potential = 'unknown') AND hd_vehicles > 0
        AND CASE WHEN hd_vehicles > 0 THEN hd_dependents * 1.0 / hd_vehicles ELSE NULL END > 1.2 AND d_year IN (1999, 2000, 2001) AND s_state IN ('TX', 'CA', 'OH', 'GA')
        GROUP BY ss_ticket, ss_customer) AS tickets JOIN customer ON buyer = c_customer WHERE lines BETWEEN 12 AND 20
        ORDER BY c_last, c_first, c_title, c_preferred DESC, ticket, lines""",
    # ROLLUP with GROUPING, and a rank within each level.
    3: """SELECT TOP 200 SUM(ss_profit) AS profit, SUM(ss_ext_price) AS sold, i_category, i_class, GROUPING(i_category) + GROUPING(i_class) AS level,
        RANK() OVER (PARTITION BY GROUPING(i_category) + GROUPING(i_class), CASE WHEN GROUPING(i_class) = 0 THEN i_category END ORDER BY SUM(ss_profit)) AS place
        FROM store_sales, date_dim, item, store WHERE d_year = 2001 AND d_day = ss_day AND i_item = ss_item AND s_store = ss_store AND s_state IN ('TX', 'CA', 'OH', 'GA', 'TN')
        GROUP BY ROLLUP (i_category, i_class) ORDER BY level DESC, i_category, place, i_class""",
    # CUBE: how late goods are sent.
    4: """SELECT w_name, sm_type, d_quarter, GROUPING_ID(w_name, sm_type, d_quarter) AS level, SUM(CASE WHEN cs_ship_day - cs_day <= 30 THEN 1 ELSE 0 END) AS days_30,
        SUM(CASE WHEN cs_ship_day - cs_day > 30 AND cs_ship_day - cs_day <= 60 THEN 1 ELSE 0 END) AS days_60,
        SUM(CASE WHEN cs_ship_day - cs_day > 60 AND cs_ship_day - cs_day <= 90 THEN 1 ELSE 0 END) AS days_90, SUM(CASE WHEN cs_ship_day - cs_day > 90 THEN 1 ELSE 0 END) AS later
        FROM catalog_sales, warehouse, ship_mode, call_center, date_dim WHERE d_year = 2000 AND cs_ship_day = d_day AND cs_warehouse = w_warehouse AND cs_mode = sm_mode
        AND cs_center = cc_center GROUP BY CUBE (w_name, sm_type, d_quarter) ORDER BY level, w_name, sm_type, d_quarter""",
    # Sales and returns of each outlet of three channels, with sums over them: GROUPING SETS.
    5: f"""WITH sold AS (SELECT 'store' AS channel, s_code AS outlet, ss_ext_price AS sales, ss_profit AS profit, 0 AS returns, 0 AS loss, ss_day AS day FROM store_sales
        JOIN store ON s_store = ss_store UNION ALL SELECT 'store', s_code, 0, 0, sr_amount, sr_loss, sr_day FROM store_returns JOIN store ON s_store = sr_store
        UNION ALL SELECT 'catalog', cc_name, cs_ext_price, cs_profit, 0, 0, cs_day FROM catalog_sales JOIN call_center ON cc_center = cs_center
        UNION ALL SELECT 'catalog', cc_name, 0, 0, cr_amount, cr_loss, cr_day FROM catalog_returns JOIN call_center ON cc_center = cr_center
        UNION ALL SELECT 'web', we_name, ws_ext_price, ws_profit, 0, 0, ws_day FROM web_sales JOIN web_site ON we_site = ws_site
        UNION ALL SELECT 'web', we_name, 0, 0, wr_amount, wr_loss, wr_day FROM web_returns LEFT JOIN web_sales ON wr_item = ws_item AND wr_order = ws_order
        JOIN web_site ON we_site = ws_site) SELECT channel, outlet, SUM(sales) AS sales, SUM(returns) AS returns, SUM(profit - loss) AS profit FROM sold
        JOIN date_dim ON d_day = day WHERE d_date BETWEEN {day('2000-08-10')} AND {day('2000-08-10', 'day', 30)}
        GROUP BY GROUPING SETS ((channel, outlet), (channel), ()) ORDER BY channel, outlet""",
    # A correlated average: states where dear items are bought.
    6: """SELECT a_state, COUNT(*) AS bought FROM customer_address, customer, store_sales, date_dim, item WHERE a_address = c_address AND c_customer = ss_customer
        AND ss_day = d_day AND ss_item = i_item AND d_month_seq = (SELECT DISTINCT d_month_seq FROM date_dim WHERE d_year = 2001 AND d_month = 1)
        AND i_price > 1.2 * (SELECT AVG(j.i_price) FROM item AS j WHERE j.i_category = item.i_category) GROUP BY a_state HAVING COUNT(*) >= 10 ORDER BY bought, a_state""",
    # Who returned more than is usual in the same store: a CTE used twice, correlated.
    7: """WITH returned AS (SELECT sr_customer AS customer, sr_store AS store, SUM(sr_amount) AS total FROM store_returns, date_dim WHERE sr_day = d_day AND d_year = 2000
        GROUP BY sr_customer, sr_store) SELECT TOP 100 c_code, c_customer FROM returned AS one, store, customer WHERE total > (SELECT AVG(total) * 1.2 FROM returned AS other
        WHERE one.store = other.store) AND s_store = one.store AND s_state = 'TX' AND one.customer = c_customer ORDER BY c_code, c_customer""",
    # Stores near zips that have many preferred customers: INTERSECT, and strings.
    8: """SELECT s_name, SUM(ss_profit) AS profit FROM store_sales, date_dim, store, (SELECT zip FROM (SELECT LEFT(a_zip, 5) AS zip FROM customer_address
        WHERE SUBSTRING(a_zip, 2, 1) IN ('0', '1', '2', '3', '6') AND a_zip LIKE '[1-7]%' INTERSECT SELECT zip FROM (SELECT LEFT(a_zip, 5) AS zip, COUNT(*) AS n
        FROM customer_address, customer WHERE a_address = c_address AND c_preferred = 'Y' GROUP BY a_zip HAVING COUNT(*) > 10) AS preferred) AS both_of) AS near
        WHERE ss_store = s_store AND ss_day = d_day AND d_quarter = 2 AND d_year = 1998 AND LEFT(s_zip, 2) = LEFT(near.zip, 2) GROUP BY s_name ORDER BY s_name""",
    # Buckets: scalar subqueries in CASE.
    9: "SELECT " + ", ".join(f"""CASE WHEN (SELECT COUNT(*) FROM store_sales WHERE ss_quantity BETWEEN {low} AND {low + 19}) > {limit}
        THEN (SELECT AVG(ss_ext_discount) FROM store_sales WHERE ss_quantity BETWEEN {low} AND {low + 19})
        ELSE (SELECT AVG(ss_paid) FROM store_sales WHERE ss_quantity BETWEEN {low} AND {low + 19}) END AS bucket_{low}"""
                             for low, limit in ((1, 10), (21, 10_000_000), (41, 5000), (61, 10_000_000), (81, 40))) + " FROM reason WHERE r_reason = 1",
    # Whose counties buy in stores and by one of the other channels: EXISTS with OR.
    10: """SELECT TOP 100 cd_gender, cd_marital, cd_education, COUNT(*) AS n, cd_purchase, cd_credit FROM customer AS c, customer_address AS a, customer_demographics
        WHERE c.c_address = a.a_address AND a_county IN ('TX County 0', 'CA County 1', 'OH County 0', 'GA County 2', 'TN County 0') AND cd_demo = c.c_demo
        AND EXISTS (SELECT * FROM store_sales, date_dim WHERE c.c_customer = ss_customer AND ss_day = d_day AND d_year = 2002 AND d_month BETWEEN 1 AND 4)
        AND (EXISTS (SELECT * FROM web_sales, date_dim WHERE c.c_customer = ws_customer AND ws_day = d_day AND d_year = 2002 AND d_month BETWEEN 1 AND 4)
        OR EXISTS (SELECT * FROM catalog_sales, date_dim WHERE c.c_customer = cs_ship_customer AND cs_day = d_day AND d_year = 2002 AND d_month BETWEEN 1 AND 4))
        GROUP BY cd_gender, cd_marital, cd_education, cd_purchase, cd_credit ORDER BY cd_gender, cd_marital, cd_education, cd_purchase, cd_credit""",
    # Customers whose web sales grow faster than those in stores: a CTE joined four times with itself.
    11: """WITH years AS (SELECT c_customer AS customer, c_first, c_last, d_year AS year, SUM(ss_ext_list - ss_ext_discount) AS total, 's' AS kind
        FROM customer, store_sales, date_dim WHERE c_customer = ss_customer AND ss_day = d_day GROUP BY c_customer, c_first, c_last, d_year
        UNION ALL SELECT c_customer, c_first, c_last, d_year, SUM(ws_ext_list - ws_ext_discount), 'w' FROM customer, web_sales, date_dim
        WHERE c_customer = ws_customer AND ws_day = d_day GROUP BY c_customer, c_first, c_last, d_year)
        SELECT TOP 100 s2.customer, s2.c_first, s2.c_last FROM years AS s1, years AS s2, years AS w1, years AS w2 WHERE s2.customer = s1.customer
        AND s1.customer = w2.customer AND s1.customer = w1.customer AND s1.kind = 's' AND w1.kind = 'w' AND s2.kind = 's' AND w2.kind = 'w' AND s1.year = 2001
        AND s2.year = 2002 AND w1.year = 2001 AND w2.year = 2002 AND s1.total > 0 AND w1.total > 0 AND CASE WHEN w1.total > 0 THEN w2.total * 1.0 / w1.total ELSE 0.0 END
        > CASE WHEN s1.total > 0 THEN s2.total * 1.0 / s1.total ELSE 0.0 END ORDER BY s2.customer, s2.c_first, s2.c_last""",
    # What part of its class an item sells: a window over an aggregate.
    12: f"""SELECT TOP 100 i_code, i_item, i_category, i_class, i_price, SUM(ws_ext_price) AS revenue, SUM(ws_ext_price) * 100 / SUM(SUM(ws_ext_price)) OVER (PARTITION BY i_class) AS part
        FROM web_sales, item, date_dim WHERE ws_item = i_item AND i_category IN ('Sports', 'Books', 'Home') AND ws_day = d_day
        AND d_date BETWEEN {day('1999-02-22')} AND {day('1999-02-22', 'day', 30)} GROUP BY i_code, i_item, i_category, i_class, i_price
        ORDER BY i_category, i_class, i_code, i_item""",
    # Bands of demographics and of prices in ORs, with their joins inside.
    13: """SELECT AVG(ss_quantity * 1.0) AS quantity, AVG(ss_ext_price) AS price, AVG(ss_ext_cost) AS cost, SUM(ss_ext_cost) AS total FROM store_sales, store,
        customer_demographics, household_demographics, customer_address, date_dim WHERE s_store = ss_store AND ss_day = d_day AND d_year = 2001
        AND ((ss_household = hd_household AND cd_demo = ss_demo AND cd_marital = 'M' AND cd_education = '4 Bachelor' AND ss_price BETWEEN 10 AND 150 AND hd_dependents >= 3)
        OR (ss_household = hd_household AND cd_demo = ss_demo AND cd_marital = 'S' AND cd_education = '3 College' AND ss_price BETWEEN 5 AND 100 AND hd_dependents >= 1)
        OR (ss_household = hd_household AND cd_demo = ss_demo AND cd_marital = 'W' AND cd_education = '2 Secondary' AND ss_price BETWEEN 15 AND 200 AND hd_dependents >= 1))
        AND ((ss_address = a_address AND a_state IN ('TX', 'OH', 'GA') AND ss_profit BETWEEN 100 AND 2000)
        OR (ss_address = a_address AND a_state IN ('CA', 'TN', 'IL') AND ss_profit BETWEEN -500 AND 3000)
        OR (ss_address = a_address AND a_state IN ('NY', 'FL', 'VA') AND ss_profit BETWEEN 50 AND 25000))""",
    # What sells better than the average in all channels: INTERSECT of three, ROLLUP and HAVING with a scalar subquery.
    14: """WITH known AS (SELECT i_item AS item FROM item, (SELECT i.i_brand_id AS brand, i.i_class AS class FROM store_sales, item AS i, date_dim WHERE ss_item = i.i_item
        AND ss_day = d_day AND d_year = 1999 INTERSECT SELECT i.i_brand_id, i.i_class FROM catalog_sales, item AS i, date_dim WHERE cs_item = i.i_item AND cs_day = d_day
        AND d_year = 1999 INTERSECT SELECT i.i_brand_id, i.i_class FROM web_sales, item AS i, date_dim WHERE ws_item = i.i_item AND ws_day = d_day AND d_year = 1999) AS every
        WHERE i_brand_id = brand AND i_class = class AND i_color IN ('red', 'blue', 'green')), average AS (SELECT AVG(amount) AS amount FROM (
        SELECT ss_quantity * ss_list AS amount FROM store_sales, date_dim WHERE ss_day = d_day AND d_year BETWEEN 1999 AND 2001
        UNION ALL SELECT cs_quantity * cs_list FROM catalog_sales, date_dim WHERE cs_day = d_day AND d_year BETWEEN 1999 AND 2001
        UNION ALL SELECT ws_quantity * ws_list FROM web_sales, date_dim WHERE ws_day = d_day AND d_year BETWEEN 1999 AND 2001) AS amounts)
        SELECT TOP 200 channel, brand, class, SUM(sales) AS sales, SUM(n) AS n FROM (SELECT 'store' AS channel, i_brand_id AS brand, i_class AS class, SUM(ss_quantity * ss_list) AS sales,
        COUNT(*) AS n FROM store_sales, item, date_dim WHERE ss_item IN (SELECT item FROM known) AND ss_item = i_item AND ss_day = d_day AND d_year = 2001 AND d_month = 11
        GROUP BY i_brand_id, i_class HAVING SUM(ss_quantity * ss_list) > (SELECT amount FROM average)
        UNION ALL SELECT 'catalog', i_brand_id, i_class, SUM(cs_quantity * cs_list), COUNT(*) FROM catalog_sales, item, date_dim WHERE cs_item IN (SELECT item FROM known)
        AND cs_item = i_item AND cs_day = d_day AND d_year = 2001 AND d_month = 11 GROUP BY i_brand_id, i_class HAVING SUM(cs_quantity * cs_list) > (SELECT amount FROM average)
        UNION ALL SELECT 'web', i_brand_id, i_class, SUM(ws_quantity * ws_list), COUNT(*) FROM web_sales, item, date_dim WHERE ws_item IN (SELECT item FROM known)
        AND ws_item = i_item AND ws_day = d_day AND d_year = 2001 AND d_month = 11 GROUP BY i_brand_id, i_class HAVING SUM(ws_quantity * ws_list) > (SELECT amount FROM average)
        ) AS sold GROUP BY ROLLUP (channel, brand, class) ORDER BY channel, brand, class""",
    # Customers of one channel and not of another, by name and day: INTERSECT and EXCEPT.
    15: """SELECT COUNT(*) AS n FROM (SELECT DISTINCT c_last, c_first, d_date FROM store_sales, date_dim, customer WHERE ss_day = d_day AND ss_customer = c_customer
        AND d_year BETWEEN 2000 AND 2001 INTERSECT SELECT DISTINCT c_last, c_first, d_date FROM catalog_sales, date_dim, customer WHERE cs_day = d_day AND cs_customer = c_customer
        AND d_year BETWEEN 2000 AND 2001 EXCEPT SELECT DISTINCT c_last, c_first, d_date FROM web_sales, date_dim, customer WHERE ws_day = d_day AND ws_customer = c_customer
        AND d_year BETWEEN 2000 AND 2001) AS names""",
    # Orders from more than one warehouse of which nothing came back: EXISTS and NOT EXISTS over facts, DISTINCT.
    16: f"""SELECT COUNT(DISTINCT cs1.cs_order) AS orders, SUM(cs1.cs_ship_cost) AS cost, SUM(cs1.cs_profit) AS profit FROM catalog_sales AS cs1, date_dim, customer_address, call_center
        WHERE d_date BETWEEN {day('2001-02-01')} AND {day('2001-02-01', 'day', 60)} AND cs1.cs_ship_day = d_day AND cs1.cs_ship_address = a_address
        AND a_state IN ('TX', 'GA') AND cs1.cs_center = cc_center AND cc_name <> 'Center 6' AND EXISTS (SELECT * FROM catalog_sales AS cs2 WHERE cs1.cs_order = cs2.cs_order
        AND cs1.cs_warehouse <> cs2.cs_warehouse) AND NOT EXISTS (SELECT * FROM catalog_returns WHERE cs1.cs_order = cr_order)""",
    # Bought, returned and bought again by catalog: facts joined on two and three columns.
    17: """SELECT TOP 100 i_code, i_item, s_state, COUNT(ss_quantity) AS bought, AVG(ss_quantity * 1.0) AS average, STDEV(ss_quantity) AS deviation, COUNT(sr_quantity) AS returned,
        AVG(sr_quantity * 1.0) AS returned_average, COUNT(cs_quantity) AS again, AVG(cs_quantity * 1.0) AS again_average FROM store_sales, store_returns, catalog_sales,
        date_dim AS d1, date_dim AS d2, date_dim AS d3, store, item WHERE d1.d_year = 2001 AND d1.d_day = ss_day AND i_item = ss_item AND s_store = ss_store
        AND ss_customer = sr_customer AND ss_item = sr_item AND ss_ticket = sr_ticket AND sr_day = d2.d_day AND d2.d_year BETWEEN 2001 AND 2002
        AND sr_customer = cs_customer AND sr_item = cs_item AND cs_day = d3.d_day AND d3.d_year BETWEEN 2001 AND 2002
        GROUP BY i_code, i_item, s_state ORDER BY i_code, i_item, s_state""",
    # A snowflake: two kinds of demographics, rolled up by where customers live.
    18: """SELECT TOP 300 i_category, a_state, a_county, AVG(cs_quantity * 1.0) AS quantity, AVG(cs_list) AS list, AVG(cs_coupon) AS coupon, AVG(cs_price) AS price,
        AVG(c_birth_year * 1.0) AS born, AVG(cd1.cd_dependents * 1.0) AS dependents FROM catalog_sales, customer_demographics AS cd1, customer_demographics AS cd2, customer,
        customer_address, date_dim, item WHERE cs_day = d_day AND cs_item = i_item AND cs_demo = cd1.cd_demo AND cs_customer = c_customer AND cd1.cd_gender = 'F'
        AND cd1.cd_education = 'Unknown' AND c_demo = cd2.cd_demo AND c_address = a_address AND c_birth_month IN (1, 6, 8, 9, 12, 2) AND d_year = 1998
        AND a_state IN ('TX', 'CA', 'OH', 'IN', 'VA', 'MS', 'KY') GROUP BY ROLLUP (i_category, a_state, a_county) ORDER BY a_state, a_county, i_category""",
    # Brands bought away from home: the zip's beginning of customer and store.
    19: """SELECT TOP 100 i_brand_id, i_brand, i_manufacturer_id, i_manufacturer, SUM(ss_ext_price) AS total FROM date_dim, store_sales, item, customer, customer_address, store
        WHERE d_day = ss_day AND ss_item = i_item AND i_manager <= 15 AND d_month = 11 AND d_year = 1999 AND ss_customer = c_customer AND c_address = a_address
        AND SUBSTRING(a_zip, 1, 3) <> SUBSTRING(s_zip, 1, 3) AND ss_store = s_store GROUP BY i_brand_id, i_brand, i_manufacturer_id, i_manufacturer
        ORDER BY total DESC, i_brand_id, i_manufacturer_id""",
    # What was in stock before a day and after it.
    20: f"""SELECT TOP 100 w_name, i_code, i_item, before_it, after_it FROM (SELECT w_name, i_code, i_item, SUM(CASE WHEN d_date < {day('2000-03-11')} THEN inv_quantity ELSE 0 END) AS before_it,
        SUM(CASE WHEN d_date >= {day('2000-03-11')} THEN inv_quantity ELSE 0 END) AS after_it FROM inventory, warehouse, item, date_dim WHERE i_price BETWEEN 9 AND 60
        AND i_item = inv_item AND inv_warehouse = w_warehouse AND inv_day = d_day AND d_date BETWEEN {day('2000-03-11', 'day', -30)} AND {day('2000-03-11', 'day', 30)}
        GROUP BY w_name, i_code, i_item) AS stock WHERE CASE WHEN before_it > 0 THEN after_it * 1.0 / before_it ELSE NULL END BETWEEN 2.0 / 3.0 AND 3.0 / 2.0
        ORDER BY w_name, i_code, i_item""",
    # How far an item's stock varies from month to month: a CTE joined with itself.
    21: """WITH stock AS (SELECT w_warehouse AS house, i_item AS item, d_month AS month, STDEV(inv_quantity) AS deviation, AVG(inv_quantity * 1.0) AS average
        FROM inventory, item, warehouse, date_dim WHERE inv_item = i_item AND inv_warehouse = w_warehouse AND inv_day = d_day AND d_year = 2001
        GROUP BY w_warehouse, i_item, d_month) SELECT TOP 200 one.house, one.item, one.month, one.average, one.deviation, two.month AS next_month, two.average AS next_average
        FROM stock AS one, stock AS two WHERE one.item = two.item AND one.house = two.house AND one.month = 1 AND two.month = one.month + 1
        AND one.deviation > one.average * 0.5 AND two.deviation > two.average * 0.5 ORDER BY one.house, one.item, one.month, two.month""",
    # What the best customers buy of the most frequent items: CTEs used twice.
    22: """WITH frequent AS (SELECT i_item AS item FROM store_sales, date_dim, item WHERE ss_day = d_day AND ss_item = i_item AND d_year IN (1999, 2000, 2001)
        GROUP BY i_item, d_date HAVING COUNT(*) > 3), totals AS (SELECT ss_customer AS customer, SUM(ss_quantity * ss_price) AS total FROM store_sales, customer
        WHERE ss_customer = c_customer GROUP BY ss_customer), best AS (SELECT customer FROM totals WHERE total > 0.5 * (SELECT MAX(total) FROM totals))
        SELECT TOP 100 c_last, c_first, c_customer, sales FROM (SELECT cs_customer AS customer, SUM(cs_quantity * cs_list) AS sales FROM catalog_sales, date_dim WHERE d_year = 2000
        AND d_month BETWEEN 2 AND 6 AND cs_day = d_day AND cs_item IN (SELECT item FROM frequent) AND cs_customer IN (SELECT customer FROM best) GROUP BY cs_customer
        UNION ALL SELECT ws_customer, SUM(ws_quantity * ws_list) FROM web_sales, date_dim WHERE d_year = 2000 AND d_month BETWEEN 2 AND 6 AND ws_day = d_day
        AND ws_item IN (SELECT item FROM frequent) AND ws_customer IN (SELECT customer FROM best) GROUP BY ws_customer) AS sold JOIN customer ON c_customer = customer
        ORDER BY c_last, c_first, c_customer, sales""",
    # Customer and item in one channel, the other, or both: a full outer join.
    23: """WITH in_store AS (SELECT ss_customer AS customer, ss_item AS item FROM store_sales, date_dim WHERE ss_day = d_day AND d_month_seq BETWEEN 120 AND 131 GROUP BY ss_customer, ss_item),
        by_catalog AS (SELECT cs_customer AS customer, cs_item AS item FROM catalog_sales, date_dim WHERE cs_day = d_day AND d_month_seq BETWEEN 120 AND 131 GROUP BY cs_customer, cs_item)
        SELECT SUM(CASE WHEN s.customer IS NOT NULL AND c.customer IS NULL THEN 1 ELSE 0 END) AS store_only, SUM(CASE WHEN s.customer IS NULL AND c.customer IS NOT NULL THEN 1 ELSE 0 END)
        AS catalog_only, SUM(CASE WHEN s.customer IS NOT NULL AND c.customer IS NOT NULL THEN 1 ELSE 0 END) AS both_of
        FROM in_store AS s FULL OUTER JOIN by_catalog AS c ON s.customer = c.customer AND s.item = c.item""",
    # Weeks beside those of the year before, day by day.
    24: "WITH sold AS (SELECT ws_day AS day, ws_ext_price AS price FROM web_sales UNION ALL SELECT cs_day, cs_ext_price FROM catalog_sales), weeks AS (SELECT d_week AS week, "
        + ", ".join(f"SUM(CASE WHEN d_name = '{name}' THEN price ELSE NULL END) AS {name[:3].lower()}_sales" for name in ("Sunday", "Monday", "Wednesday", "Friday", "Saturday"))
        + """ FROM sold, date_dim WHERE d_day = day GROUP BY d_week) SELECT y.week, y.sun_sales * 1.0 / z.sun_sales AS sun, y.mon_sales * 1.0 / z.mon_sales AS mon,
        y.wed_sales * 1.0 / z.wed_sales AS wed, y.fri_sales * 1.0 / z.fri_sales AS fri, y.sat_sales * 1.0 / z.sat_sales AS sat
        FROM (SELECT weeks.* FROM weeks, date_dim WHERE d_week = week AND d_year = 2001 AND d_name = 'Monday') AS y,
        (SELECT weeks.* FROM weeks, date_dim WHERE d_week = week AND d_year = 2000 AND d_name = 'Monday') AS z WHERE y.week = z.week + 53 ORDER BY y.week""",
    # Months that are far from the average of their year: LAG and LEAD over aggregates.
    25: """WITH months AS (SELECT i_category, i_brand, s_name, s_market, d_year, d_month, SUM(ss_price) AS sold, AVG(SUM(ss_price)) OVER (PARTITION BY i_category, i_brand, s_name,
        s_market, d_year) AS average, LAG(SUM(ss_price)) OVER (PARTITION BY i_category, i_brand, s_name, s_market ORDER BY d_year, d_month) AS before_it,
        LEAD(SUM(ss_price)) OVER (PARTITION BY i_category, i_brand, s_name, s_market ORDER BY d_year, d_month) AS after_it FROM item, store_sales, date_dim, store
        WHERE ss_item = i_item AND ss_day = d_day AND ss_store = s_store AND (d_year = 2000 OR (d_year = 1999 AND d_month = 12) OR (d_year = 2001 AND d_month = 1))
        AND i_category IN ('Electronics', 'Jewelry', 'Home') GROUP BY i_category, i_brand, s_name, s_market, d_year, d_month)
        SELECT TOP 200 * FROM months WHERE d_year = 2000 AND average > 0 AND ABS(sold - average) > average * 0.5 ORDER BY sold DESC, i_category, i_brand, s_name, s_market, d_month""",
    # Sums that run day by day in two channels, joined fully, and the highest so far: frames.
    26: """WITH web AS (SELECT ws_item AS item, d_date, SUM(SUM(ws_price)) OVER (PARTITION BY ws_item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running
        FROM web_sales, date_dim WHERE ws_day = d_day AND d_month_seq BETWEEN 120 AND 131 GROUP BY ws_item, d_date), shops AS (SELECT ss_item AS item, d_date,
        SUM(SUM(ss_price)) OVER (PARTITION BY ss_item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM store_sales, date_dim
        WHERE ss_day = d_day AND d_month_seq BETWEEN 120 AND 131 GROUP BY ss_item, d_date) SELECT TOP 100 * FROM (SELECT item, d_date, web_sum, store_sum,
        MAX(web_sum) OVER (PARTITION BY item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS web_highest,
        MAX(store_sum) OVER (PARTITION BY item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS store_highest FROM (
        SELECT COALESCE(web.item, shops.item) AS item, COALESCE(web.d_date, shops.d_date) AS d_date, web.running AS web_sum, shops.running AS store_sum
        FROM web FULL OUTER JOIN shops ON web.item = shops.item AND web.d_date = shops.d_date) AS joined) AS highest WHERE web_highest > store_highest ORDER BY item, d_date""",
    # The three best items of each category and quarter, over all channels: top of a group.
    27: f"""WITH sales AS ({ALL_SALES}) SELECT d_quarter_name, i_category, place, i_item, price, part_before FROM (SELECT d_quarter_name, i_category, i_item, SUM(price) AS price,
        ROW_NUMBER() OVER (PARTITION BY d_quarter_name, i_category ORDER BY SUM(price) DESC, i_item) AS place,
        AVG(SUM(price)) OVER (PARTITION BY i_item ORDER BY d_quarter_name ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS part_before
        FROM sales JOIN date_dim ON d_day = day JOIN item ON i_item = item WHERE d_year BETWEEN 2000 AND 2001 GROUP BY d_quarter_name, i_category, i_item) AS ranked
        WHERE place <= 3 ORDER BY d_quarter_name, i_category, place""",
    # DISTINCT counts of price bands, side by side.
    28: "SELECT * FROM " + " CROSS JOIN ".join(f"""(SELECT AVG(ss_list) AS average_{low}, COUNT(ss_list) AS n_{low}, COUNT(DISTINCT ss_list) AS different_{low} FROM store_sales
        WHERE ss_quantity BETWEEN {low} AND {low + 9} AND (ss_list BETWEEN {price} AND {price} + 10 OR ss_coupon BETWEEN {coupon} AND {coupon} + 1000
        OR ss_cost BETWEEN {cost} AND {cost} + 20)) AS band_{low}""" for low, price, coupon, cost in ((1, 18, 300, 47), (21, 92, 500, 12), (41, 142, 1200, 31), (61, 135, 60, 9))),
    # Hours of the day: counts side by side, and who bought then.
    29: "SELECT " + ", ".join(f"""(SELECT COUNT(*) FROM store_sales, household_demographics, time_dim, store WHERE ss_time = t_time AND ss_household = hd_household AND ss_store = s_store
        AND t_hour = {hour} AND t_minute >= 30 AND ((hd_dependents = 4 AND hd_vehicles <= 5) OR (hd_dependents = 2 AND hd_vehicles <= 3) OR (hd_dependents = 0 AND hd_vehicles <= 1))
        AND s_name = 'ese') AS hour_{hour}""" for hour in (8, 10, 12, 14))
        + """, (SELECT COUNT(*) FROM web_sales, time_dim, web_page WHERE ws_time = t_time AND ws_page = wp_page AND t_shift = 'first' AND wp_characters BETWEEN 2000 AND 6000) AS first_shift""",
    # The worst quotients of returned and sold of each channel, ranked twice.
    30: "WITH kept AS (" + " UNION ALL ".join(f"""SELECT '{name}' AS channel, {s}_item AS item, SUM(COALESCE({r}_quantity, 0)) AS returned, SUM(COALESCE({s}_quantity, 0)) AS sold,
        SUM(COALESCE({r}_amount, 0)) AS amount, SUM(COALESCE({s}_paid, 0)) AS paid FROM {name}_sales LEFT JOIN {name}_returns ON {s}_{key} = {r}_{key} AND {s}_item = {r}_item
        LEFT JOIN reason ON {r}_reason = r_reason, date_dim WHERE ({r}_amount > 100 OR {r}_amount IS NULL) AND {s}_profit > 1 AND {s}_quantity > 0 AND {s}_day = d_day AND d_year = 2001
        GROUP BY {s}_item""" for name, s, r, key in (("web", "ws", "wr", "order"), ("catalog", "cs", "cr", "order"), ("store", "ss", "sr", "ticket")))
        + """) SELECT channel, item, returned, sold, by_returned, by_amount FROM (SELECT channel, item, returned, sold, RANK() OVER (PARTITION BY channel ORDER BY returned DESC, item)
        AS by_returned, DENSE_RANK() OVER (PARTITION BY channel ORDER BY amount DESC, item) AS by_amount FROM kept) AS ranked WHERE by_returned <= 10 OR by_amount <= 10
        ORDER BY channel, by_returned, by_amount, item""",
}


def end_of(text, at):
    """Where what encloses `at` ends: at its bracket, or with the text."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth < 0:
            return end
    return len(text)


def nulls_first(text):
    """T-SQL has NULL before all else, PostgreSQL behind it."""
    at = 0
    while found := re.compile(r"\bORDER BY\b").search(text, at):
        at, end = found.end(), end_of(text, found.end())
        frame = re.compile(r"\s+(?:ROWS|RANGE)\b|\s+LIMIT\b").search(text, at, end)
        end = frame.start() if frame else end
        # Commas within brackets are of a function.
        items = re.findall(r"(?:[^(),]|\((?:[^()]|\([^()]*\))*\))+", text[at:end])
        order = ",".join(f"{item} NULLS {'LAST' if item.rstrip().endswith(' DESC') else 'FIRST'}" for item in items)
        text = text[:at] + order + text[end:]
        at += len(order)
    return text


def postgres(text):
    """The same query as PostgreSQL writes it."""
    while found := re.search(r"\b(SELECT(?: DISTINCT)?) TOP (\d+)", text):
        end = end_of(text, found.end())
        text = f"{text[: found.end(1)]}{text[found.end() : end]} LIMIT {found[2]}{text[end:]}"
    text = text.replace("GROUPING_ID(", "GROUPING(").replace("STDEV(", "STDDEV_SAMP(").replace("VAR(", "VAR_SAMP(")
    # Its brackets of LIKE are of its regular expressions.
    text = re.sub(r"LIKE '(\[[-\w]+\])%'", r"~ '^\1'", text)
    return nulls_first(dates(text))
