"""A retailer's snowflake: three channels' sales and returns, what is in stock, and the dimensions that they have in common, in the manner of TPC-DS's
schema, with names and distributions of its own. `reports.py` uses it.

Nothing is even. Some items and customers have most of the sales; November and December, weekends and later years have more; what is bought depends on
the month; states have their own zips, counties and stores, and a customer goes to a store of their own state; an income goes with an education; who
returned an item in a store orders it again by catalog now and then. Of the facts' foreign keys two to four in a hundred are NULL.
"""

import datetime
import itertools
import random

from job_data import WORDS, Skewed

FIRST, LAST, SALES_FIRST, SALES_LAST = (datetime.date(*day) for day in ((1990, 1, 1), (2009, 12, 31), (1998, 1, 1), (2002, 12, 31)))
STATES = "TX CA OH GA TN IL NY FL VA MI IN NC KS MO KY WA AL IA NE OK MN PA WI CO LA SD AR MS SC WV".split()
CATEGORIES = {"Books": 12, "Music": 9, "Electronics": 90, "Home": 45, "Jewelry": 150, "Shoes": 50, "Sports": 40, "Children": 20, "Men": 35, "Women": 38}
COLORS = "black blue brown gold green grey ivory orange pink purple red silver teal violet white yellow".split()
UNITS, SIZES = ("Box", "Bunch", "Case", "Dozen", "Each", "Gram", "Pair", "Pound"), ("extra large", "large", "medium", "petite", "small")
EDUCATIONS = ("1 Primary", "2 Secondary", "3 College", "4 Bachelor", "5 Master", "6 Doctor", "Unknown")
POTENTIALS = ("0 to 500", "1001 to 5000", "501 to 1000", "5001 to 10000", "over 10000", "unknown")
REASONS = ("damaged", "late", "wrong size", "wrong color", "too dear", "found cheaper", "gift", "did not work", "not as shown", "other")
# Of all three channels' sales.
MEASURES = ", ".join(["{0}_quantity int", *("{0}_%s decimal(9,2)" % name for name in (
    "cost list price ext_discount ext_price ext_cost ext_list coupon tax paid profit".split()))])
SHIPPED = ("{0}_ship_day int, {0}_customer int, {0}_demo int, {0}_household int, {0}_address int, {0}_ship_customer int, {0}_ship_address int, {0}_mode int, "
           "{0}_warehouse int, {0}_promotion int, {0}_ship_cost decimal(9,2), ")
RETURNED = "{0}_quantity int, {0}_amount decimal(9,2), {0}_fee decimal(9,2), {0}_loss decimal(9,2)"

TABLES = {
    "date_dim": "d_day int NOT NULL PRIMARY KEY, d_date date NOT NULL, d_week int NOT NULL, d_month_seq int NOT NULL, d_quarter_seq int NOT NULL, "
                "d_year int NOT NULL, d_month int NOT NULL, d_day_of_month int NOT NULL, d_quarter int NOT NULL, d_weekday int NOT NULL, "
                "d_name varchar(9) NOT NULL, d_quarter_name char(6) NOT NULL, d_weekend char(1) NOT NULL",
    "time_dim": "t_time int NOT NULL PRIMARY KEY, t_hour int NOT NULL, t_minute int NOT NULL, t_second int NOT NULL, t_shift varchar(8) NOT NULL, t_meal varchar(10)",
    "item": "i_item int NOT NULL PRIMARY KEY, i_code char(12) NOT NULL, i_brand_id int, i_brand varchar(40), i_class varchar(40), i_category varchar(20), "
            "i_manufacturer_id int, i_manufacturer varchar(40), i_size varchar(12), i_color varchar(12), i_units varchar(8), i_manager int, i_product varchar(50), "
            "i_price decimal(9,2), i_description varchar(200)",
    "income_band": "ib_income int NOT NULL PRIMARY KEY, ib_low int NOT NULL, ib_high int NOT NULL",
    "household_demographics": "hd_household int NOT NULL PRIMARY KEY, hd_income int NOT NULL, hd_potential varchar(14) NOT NULL, hd_dependents int NOT NULL, hd_vehicles int NOT NULL",
    "customer_demographics": "cd_demo int NOT NULL PRIMARY KEY, cd_gender char(1) NOT NULL, cd_marital char(1) NOT NULL, cd_education varchar(12) NOT NULL, "
                             "cd_purchase int NOT NULL, cd_credit varchar(10) NOT NULL, cd_dependents int NOT NULL",
    "customer_address": "a_address int NOT NULL PRIMARY KEY, a_street varchar(40), a_city varchar(30), a_county varchar(30), a_state char(2), a_zip char(5), "
                        "a_offset int, a_kind varchar(12)",
    "customer": "c_customer int NOT NULL PRIMARY KEY, c_code char(12) NOT NULL, c_demo int, c_household int, c_address int, c_first_day int, c_title varchar(4), "
                "c_first varchar(20), c_last varchar(20), c_preferred char(1), c_birth_month int, c_birth_year int, c_email varchar(50)",
    "store": "s_store int NOT NULL PRIMARY KEY, s_code char(12) NOT NULL, s_name varchar(20), s_employees int, s_manager varchar(30), s_market int, "
             "s_city varchar(30), s_county varchar(30), s_state char(2), s_zip char(5), s_offset int",
    "warehouse": "w_warehouse int NOT NULL PRIMARY KEY, w_name varchar(20) NOT NULL, w_square_feet int, w_city varchar(30), w_county varchar(30), w_state char(2)",
    "promotion": "p_promotion int NOT NULL PRIMARY KEY, p_name varchar(20), p_mail char(1), p_email char(1), p_tv char(1), p_event char(1), p_cost decimal(9,2)",
    "reason": "r_reason int NOT NULL PRIMARY KEY, r_text varchar(20) NOT NULL",
    "ship_mode": "sm_mode int NOT NULL PRIMARY KEY, sm_type varchar(12) NOT NULL, sm_carrier varchar(12) NOT NULL",
    "call_center": "cc_center int NOT NULL PRIMARY KEY, cc_name varchar(20) NOT NULL, cc_manager varchar(30), cc_county varchar(30)",
    "web_site": "we_site int NOT NULL PRIMARY KEY, we_name varchar(20) NOT NULL, we_company varchar(20)",
    "web_page": "wp_page int NOT NULL PRIMARY KEY, wp_characters int NOT NULL, wp_links int NOT NULL",
    "store_sales": "ss_day int, ss_time int, ss_item int NOT NULL, ss_ticket int NOT NULL, ss_store int, ss_customer int, ss_demo int, ss_household int, ss_address int, "
                   "ss_promotion int, " + MEASURES.format("ss") + ", PRIMARY KEY (ss_item, ss_ticket)",
    "store_returns": "sr_day int, sr_item int NOT NULL, sr_ticket int NOT NULL, sr_customer int, sr_store int, sr_reason int, " + RETURNED.format("sr")
                     + ", PRIMARY KEY (sr_item, sr_ticket)",
    "catalog_sales": "cs_day int, cs_time int, cs_item int NOT NULL, cs_order int NOT NULL, cs_center int, " + (SHIPPED + MEASURES).format("cs")
                     + ", PRIMARY KEY (cs_item, cs_order)",
    "catalog_returns": "cr_day int, cr_item int NOT NULL, cr_order int NOT NULL, cr_customer int, cr_center int, cr_reason int, " + RETURNED.format("cr")
                       + ", PRIMARY KEY (cr_item, cr_order)",
    "web_sales": "ws_day int, ws_time int, ws_item int NOT NULL, ws_order int NOT NULL, ws_site int, ws_page int, " + (SHIPPED + MEASURES).format("ws")
                 + ", PRIMARY KEY (ws_item, ws_order)",
    "web_returns": "wr_day int, wr_item int NOT NULL, wr_order int NOT NULL, wr_customer int, wr_site int, wr_reason int, " + RETURNED.format("wr")
                   + ", PRIMARY KEY (wr_item, wr_order)",
    "inventory": "inv_day int NOT NULL, inv_item int NOT NULL, inv_warehouse int NOT NULL, inv_quantity int, PRIMARY KEY (inv_day, inv_item, inv_warehouse)",
}
INDEXES = {f"{table}_by_{name}": f"{table} ({columns})" for table, of in {
    "store_sales": {"day": "ss_day", "customer": "ss_customer", "store": "ss_store", "ticket": "ss_ticket"}, "store_returns": {"day": "sr_day", "customer": "sr_customer"},
    "catalog_sales": {"day": "cs_day", "customer": "cs_customer", "order": "cs_order"}, "catalog_returns": {"day": "cr_day", "order": "cr_order"},
    "web_sales": {"day": "ws_day", "customer": "ws_customer", "order": "ws_order"}, "web_returns": {"day": "wr_day", "order": "wr_order"},
    "inventory": {"item": "inv_item"}, "customer": {"address": "c_address", "demo": "c_demo"}, "date_dim": {"date": "d_date", "month": "d_year, d_month"},
    "customer_address": {"state": "a_state"}, "item": {"category": "i_category"},
}.items() for name, columns in of.items()}


class Generator:
    def __init__(self, scale, seed=1):
        self.chance = random.Random(seed)
        self.sales = max(int(500_000 * scale), 5_000)
        self.items, self.customers, self.addresses = self.sales // 100, self.sales // 20, self.sales // 40
        self.stores, self.warehouses, self.promotions, self.pages = 24, 5, 300, 60
        self.state_of = Skewed(self.chance, len(STATES), 0.9)
        self.words = [word.capitalize() for word in WORDS]

    def rarely(self, value, part=0.03):
        """The value; NULL in a part of all cases."""
        return None if self.chance.random() < part else value

    def one(self, values):
        return values[int(self.chance.random() * len(values))]

    def between(self, low, high):
        return low + int(self.chance.random() * (high - low + 1))

    def place(self, state=None):
        """City, county, state and zip: of the state's own."""
        state = self.state_of() if state is None else state
        county = int(self.chance.random() ** 2 * 8)
        zip_code = (state * 3000 + county * 370 + int(self.chance.random() ** 2 * 60) * 6 + 10000) % 100_000
        return f"{self.words[(state * 5 + county) % len(self.words)]} City {county}", f"{STATES[state]} County {county}", STATES[state], f"{zip_code:05}"

    def date_dim(self):
        for day in range((LAST - FIRST).days + 1):
            date = FIRST + datetime.timedelta(days=day)
            quarter = (date.month - 1) // 3 + 1
            yield (day + 1, date, (day + FIRST.weekday()) // 7, (date.year - 1990) * 12 + date.month - 1, (date.year - 1990) * 4 + quarter - 1, date.year, date.month,
                   date.day, quarter, date.weekday(), date.strftime("%A"), f"{date.year}Q{quarter}", "NY"[date.weekday() >= 5])

    def time_dim(self):
        for at in range(86_400):
            hour = at // 3600
            meal = {6: "breakfast", 7: "breakfast", 8: "breakfast", 12: "lunch", 13: "lunch", 18: "dinner", 19: "dinner", 20: "dinner"}.get(hour)
            yield at, hour, at // 60 % 60, at % 60, ("third", "first", "second")[hour // 8], meal

    def item(self):
        names = [*CATEGORIES]
        popular = Skewed(self.chance, len(names), 0.5)
        self.price, self.category = [0.0] * (self.items + 1), [0] * (self.items + 1)
        for key in range(1, self.items + 1):
            category = popular()
            of_class = self.between(0, 7)
            brand = category * 100 + of_class * 10 + int(self.chance.random() ** 2 * 10)
            price = round(CATEGORIES[names[category]] * self.chance.lognormvariate(0, 0.6), 2)
            self.price[key], self.category[key] = price, category
            maker = int(self.chance.random() ** 1.5 * 100) + 1
            yield (key, f"ITEM{key // 2:08}", brand, f"{self.words[brand % len(self.words)]} #{brand}", f"{names[category]} class {of_class}", self.rarely(names[category], 0.005), maker,
                   f"Maker {maker:03}", self.one(SIZES), self.one(COLORS), self.one(UNITS), self.between(1, 100), f"{self.one(self.words)} {key}", price,
                   " ".join(self.one(self.words) for _ in range(self.between(4, 14))))

    def income_band(self):
        return ((at, (at - 1) * 10_000, at * 10_000) for at in range(1, 21))

    def household_demographics(self):
        every = itertools.product(range(1, 21), POTENTIALS, range(10), range(-1, 5))
        return ((at + 1, *values) for at, values in enumerate(every))

    def customer_demographics(self):
        every = itertools.product("MF", "MSDWU", EDUCATIONS, range(500, 5500, 500), ("Good", "High risk", "Low risk", "Unknown"), range(7))
        return ((at + 1, *values) for at, values in enumerate(every))

    def customer_address(self):
        self.state_at = [None]
        for key in range(1, self.addresses + 1):
            state = self.state_of()
            city, county, name, zip_code = self.place(state)
            self.state_at.append(state)
            yield (key, f"{self.between(1, 999)} {self.one(self.words)} Street", city, county, self.rarely(name, 0.01), self.rarely(zip_code, 0.01),
                   -5 - state % 4, self.one(("apartment", "condo", "family")))

    def customer(self):
        self.known = [None]
        for key in range(1, self.customers + 1):
            demo = int(self.chance.random() ** 1.3 * 19_600) + 1
            # The better the education, the higher the income.
            education = (demo - 1) // 280 % 7
            income = min(max(int(self.chance.gauss(4 + education * 2, 4)), 0), 19)
            household, address = income * 360 + self.between(1, 360), self.between(1, self.addresses)
            self.known.append((demo, household, address))
            first, last = self.one(self.words), self.one(self.words)
            yield (key, f"CUST{key:08}", self.rarely(demo), self.rarely(household), self.rarely(address, 0.01), self.rarely(self.between(1, 3000)), self.one(("Dr", "Miss", "Mr", "Mrs", "Sir")),
                   self.rarely(first), self.rarely(last), self.rarely(self.one("YN")), self.rarely(self.between(1, 12)), self.rarely(self.between(1924, 1992)),
                   f"{first}.{last}{key}@example.com")

    def store(self):
        self.stores_of = {}
        for key in range(1, self.stores + 1):
            state = self.state_of()
            self.stores_of.setdefault(state, []).append(key)
            yield (key, f"STOR{key // 2:08}", self.one(("able", "anti", "bar", "cally", "eing", "ese", "ought")), self.between(200, 300), f"{self.one(self.words)} {key}",
                   self.between(1, 10), *self.place(state), -5 - state % 4)

    def warehouse(self):
        return ((key, f"Warehouse {key}", self.between(50_000, 999_999), *self.place()[:3]) for key in range(1, self.warehouses + 1))

    def promotion(self):
        flag = lambda part: "NY"[self.chance.random() < part]
        return ((key, f"Promotion {key}", flag(0.5), flag(0.2), flag(0.4), flag(0.1), 1000) for key in range(1, self.promotions + 1))

    def reason(self):
        return enumerate(REASONS, 1)

    def ship_mode(self):
        every = itertools.product(("Express", "Library", "Next day", "Overnight", "Regular"), ("Air", "Boat", "Rail", "Road"))
        return ((at + 1, *values) for at, values in enumerate(every))

    def call_center(self):
        return ((key, f"Center {key}", f"Manager {key}", self.place()[1]) for key in range(1, 7))

    def web_site(self):
        return ((key, f"Site {key}", f"Company {key % 4}") for key in range(1, 13))

    def web_page(self):
        return ((key, self.between(100, 8000), self.between(2, 25)) for key in range(1, self.pages + 1))

    def measures(self, item):
        """Of a line: quantity, cost, list, price, and what comes of them."""
        quantity = self.between(1, 100)
        price = self.price[item]
        dear = price * (1 + self.chance.random())
        paid = round(dear * (1 - self.chance.random() ** 3), 2)
        coupon = round(paid * quantity * self.chance.random(), 2) if self.chance.random() < 0.15 else 0
        net = paid * quantity - coupon
        return self.rarely(quantity, 0.01), *("%.2f" % value for value in (
            price, dear, paid, (dear - paid) * quantity, paid * quantity, price * quantity, dear * quantity, coupon, net * 0.07, net, net - price * quantity * 0.9))

    def orders(self, lines):
        """Order, day, time, customer and items, until there are so many lines."""
        chance = self.chance
        first = (SALES_FIRST - FIRST).days + 1
        dates = [SALES_FIRST + datetime.timedelta(days=day) for day in range((SALES_LAST - SALES_FIRST).days + 1)]
        weight = lambda date: (0.7, 0.8, 0.9, 0.9, 1, 1, 0.9, 1.2, 1, 1.1, 1.9, 2.3)[date.month - 1] * (1 + 0.1 * (date.year - 1998)) * (1.4 if date.weekday() >= 5 else 1)
        weights = [*itertools.accumulate(map(weight, dates))]
        popular = Skewed(chance, self.items, 0.6)
        customers = Skewed(chance, self.customers, 0.4)
        order = 0
        while lines > 0:
            order += 1
            at = chance.choices(range(len(dates)), cum_weights=weights)[0]
            # Near its end a year is for gifts.
            wanted = {2, 4, 7} if dates[at].month >= 11 and chance.random() < 0.5 else None
            items = {self.chosen(popular, wanted) for _ in range(1 + int(chance.random() ** 1.5 * 15))}
            lines -= len(items)
            yield order, first + at, int(min(max(chance.gauss(52_000, 15_000), 0), 86_399)), customers() + 1, [*items]

    def chosen(self, popular, wanted):
        """An item; one more try for one of the categories that are wanted. The most popular ones are anywhere."""
        for _ in range(2):
            item = popular() * 7919 % self.items + 1
            if not wanted or self.category[item] in wanted:
                break
        return item

    def of_customer(self, customer):
        """Demographics, household and address of a sale: mostly the customer's own."""
        known = self.known[customer if self.chance.random() < 0.9 else self.between(1, self.customers)]
        return [self.rarely(value) for value in known]

    def returned(self, quantity, paid):
        """Quantity, amount, fee and loss of a return."""
        quantity = self.between(1, quantity or 1)
        amount = float(paid) * self.chance.random()
        return quantity, *("%.2f" % value for value in (amount, self.chance.random() * 100, amount * 0.3 + self.chance.random() * 50))

    def channel(self, name, outlet):
        """Sales and returns by catalog and on the web: `outlet` tells the columns of the one that sold."""
        number = 0
        for order, day, time, customer, items in self.orders(self.sales // (2 if name == "catalog" else 4)):
            if name == "catalog" and self.chance.random() < 0.15:
                day, customer, item = self.one(self.again)
                day, items = day + self.between(1, 60), [item, *(other for other in items if other != item)]
            place, ship_to = outlet(), customer if self.chance.random() < 0.85 else self.between(1, self.customers)
            mode, house = self.between(1, 20), self.between(1, self.warehouses)
            own = self.of_customer(customer)
            for item in items:
                shipped = day + 1 + int(self.chance.expovariate(1 / 40))
                # Most of an order comes from one warehouse.
                house = house if self.chance.random() < 0.8 else self.between(1, self.warehouses)
                measures = self.measures(item)
                sale = (self.rarely(day, 0.02), self.rarely(time), item, order, *map(self.rarely, place), self.rarely(shipped), self.rarely(customer), *own,
                        self.rarely(ship_to), self.rarely(self.known[ship_to][2]), self.rarely(mode), self.rarely(house), self.rarely(self.between(1, self.promotions)),
                        "%.2f" % (float(measures[5]) * 0.1 * self.chance.random()), *measures)
                back = None
                if self.chance.random() < 0.1:
                    back = (self.rarely(shipped + self.between(1, 60), 0.02), item, order, self.rarely(customer), self.rarely(place[0]), self.between(1, len(REASONS)),
                            *self.returned(measures[0], measures[10]))
                yield sale, back

    def in_stores(self):
        """Sales and returns of the stores. Who returned what is kept, for the catalog."""
        self.again = []
        for order, day, time, customer, items in self.orders(self.sales):
            own = self.of_customer(customer)
            near = self.stores_of.get(self.state_at[self.known[customer][2]])
            store = self.one(near) if near and self.chance.random() < 0.75 else self.between(1, self.stores)
            for item in items:
                measures = self.measures(item)
                sale = (self.rarely(day, 0.02), self.rarely(time), item, order, self.rarely(store, 0.02), self.rarely(customer), *own,
                        self.rarely(self.between(1, self.promotions)), *measures)
                back = None
                # Some stores get more of it back than others.
                if self.chance.random() < 0.06 + store % 5 * 0.02:
                    later = day + self.between(1, 90)
                    self.again.append((later, customer, item))
                    back = (self.rarely(later, 0.02), item, order, self.rarely(customer), self.rarely(store), self.between(1, len(REASONS)),
                            *self.returned(measures[0], measures[10]))
                yield sale, back

    def inventory(self):
        """Each week what a warehouse has of its own items, and of those that all have."""
        for day in range((SALES_FIRST - FIRST).days + 4, (SALES_LAST - FIRST).days, 7):
            for item in range(1, self.items + 1):
                for house in range(1, self.warehouses + 1):
                    if item % 100 == 0 or item % 70 == house * 13:
                        yield day, item, house, self.rarely(int(self.chance.random() * 1000))

    def write(self, directory):
        facts = {"store": self.in_stores, "catalog": lambda: self.channel("catalog", lambda: (self.between(1, 6),)),
                 "web": lambda: self.channel("web", lambda: (self.between(1, 12), self.between(1, self.pages)))}
        line = lambda row: "|".join("" if value is None else str(value) for value in row) + "\n"
        for table in TABLES:
            if table.partition("_")[2] not in ("sales", "returns"):
                with open(directory / f"{table}.tbl", "w") as file:
                    file.writelines(map(line, getattr(self, table)()))
        for name, rows in facts.items():
            with open(directory / f"{name}_sales.tbl", "w") as sales, open(directory / f"{name}_returns.tbl", "w") as returns:
                for sale, back in rows():
                    sales.write(line(sale))
                    if back:
                        returns.write(line(back))
