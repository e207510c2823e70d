"""Rows for the Join Order Benchmark (Leis et al., How Good Are Query Optimizers, Really?, VLDB 2015): its schema, filled by chance, in the manner of
the film data base that it is of. What a query asks for is there: the constants of its text are among the values of the column that they are compared
with. Few titles have most of the cast, words, companies and infos (a power law, the same for all of these tables), a title's companies, languages and
release dates are of its country, its infos of its kind, its notes of its years: nothing is independent of anything else."""

import bisect
import collections
import itertools
import random
import re

TABLES = {
    "aka_name": "id int NOT NULL PRIMARY KEY, person_id int NOT NULL, name varchar(200) NOT NULL, imdb_index varchar(12), name_pcode_cf varchar(5)",
    "aka_title": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, title varchar(200) NOT NULL, kind_id int NOT NULL, production_year int",
    "cast_info": "id int NOT NULL PRIMARY KEY, person_id int NOT NULL, movie_id int NOT NULL, person_role_id int, note varchar(200), nr_order int, role_id int NOT NULL",
    "char_name": "id int NOT NULL PRIMARY KEY, name varchar(200) NOT NULL, imdb_index varchar(12)",
    "comp_cast_type": "id int NOT NULL PRIMARY KEY, kind varchar(32) NOT NULL",
    "company_name": "id int NOT NULL PRIMARY KEY, name varchar(200) NOT NULL, country_code varchar(255)",
    "company_type": "id int NOT NULL PRIMARY KEY, kind varchar(32) NOT NULL",
    "complete_cast": "id int NOT NULL PRIMARY KEY, movie_id int, subject_id int NOT NULL, status_id int NOT NULL",
    "info_type": "id int NOT NULL PRIMARY KEY, info varchar(32) NOT NULL",
    "keyword": "id int NOT NULL PRIMARY KEY, keyword varchar(200) NOT NULL, phonetic_code varchar(5)",
    "kind_type": "id int NOT NULL PRIMARY KEY, kind varchar(15) NOT NULL",
    "link_type": "id int NOT NULL PRIMARY KEY, link varchar(32) NOT NULL",
    "movie_companies": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, company_id int NOT NULL, company_type_id int NOT NULL, note varchar(200)",
    "movie_info": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, info_type_id int NOT NULL, info varchar(500) NOT NULL, note varchar(200)",
    "movie_info_idx": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, info_type_id int NOT NULL, info varchar(500) NOT NULL, note varchar(200)",
    "movie_keyword": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, keyword_id int NOT NULL",
    "movie_link": "id int NOT NULL PRIMARY KEY, movie_id int NOT NULL, linked_movie_id int NOT NULL, link_type_id int NOT NULL",
    "name": "id int NOT NULL PRIMARY KEY, name varchar(200) NOT NULL, imdb_index varchar(12), gender varchar(1), name_pcode_cf varchar(5), name_pcode_nf varchar(5)",
    "person_info": "id int NOT NULL PRIMARY KEY, person_id int NOT NULL, info_type_id int NOT NULL, info varchar(500) NOT NULL, note varchar(200)",
    "role_type": "id int NOT NULL PRIMARY KEY, role varchar(32) NOT NULL",
    "title": "id int NOT NULL PRIMARY KEY, title varchar(200) NOT NULL, imdb_index varchar(12), kind_id int NOT NULL, production_year int, episode_nr int, season_nr int",
}
# Foreign keys have an index each, as the benchmark's own.
INDEXED = {
    "aka_name": "person_id", "aka_title": "kind_id movie_id", "cast_info": "movie_id person_id person_role_id role_id", "complete_cast": "movie_id",
    "movie_companies": "company_id company_type_id movie_id", "movie_info": "info_type_id movie_id", "movie_info_idx": "info_type_id movie_id",
    "movie_keyword": "keyword_id movie_id", "movie_link": "linked_movie_id link_type_id movie_id", "person_info": "info_type_id person_id", "title": "kind_id",
}
# Of the original: rows of a table for one title.
ROWS = {"cast_info": 14.3, "movie_info": 5.9, "movie_keyword": 1.8, "movie_companies": 1.03, "name": 1.65, "char_name": 1.24, "person_info": 1.17,
        "movie_info_idx": 0.55, "aka_name": 0.36, "aka_title": 0.14, "complete_cast": 0.053, "movie_link": 0.012, "company_name": 0.093, "keyword": 0.053}
KINDS = {"episode": 60, "movie": 26, "video movie": 5, "tv movie": 4, "tv series": 4, "tv mini series": 0.5, "video game": 0.5}
NUMBER_OF = {"info_type": 113, "company_type": 4, "comp_cast_type": 4, "link_type": 18, "role_type": 12}
WORDS = "night day love war house river city girl man king queen blood dead dark light world little great last first lost secret dream fire star moon black white red".split()


class Query:
    """A text: its tables by alias, its comparisons and what joins what."""

    def __init__(self, name, text):
        self.name, self.text = name, text.strip().rstrip(";")
        select, rest = re.split(r"\bFROM\b", self.text, maxsplit=1)
        tables, self.where = re.split(r"\bWHERE\b", rest, maxsplit=1)
        self.select = select.strip()
        self.tables = dict(reversed(re.split(r"\s+AS\s+", table.strip())) for table in tables.split(","))
        self.joins = [(a, b) for a, b in re.findall(r"(\w+)\.\w+\s*=\s*(\w+)\.\w+", self.where) if a != b]

    def constants(self):
        """Of each column: table, column, alias, and the text with its wildcards."""
        text = r"'((?:[^']|'')*)'"
        for alias, column, _, value in re.findall(r"(\w+)\.(\w+)\s*(=|!=|<>|>=|<=|>|<|NOT LIKE|LIKE)\s*" + text, self.where):
            yield self.tables[alias], column, alias, value
        for alias, column, values in re.findall(rf"(\w+)\.(\w+)\s+(?:NOT )?IN\s*\(((?:\s*{text.replace('((', '(?:(', 1)}\s*,?)+)\)", self.where):
            for value in re.findall(text, values):
                yield self.tables[alias], column, alias, value

    def info_types(self, alias):
        """What the row of info_type that `alias` is joined with is asked to be."""
        of = {b if a == alias else a for a, b in self.joins if alias in (a, b)}
        return [value for table, _, at, value in self.constants() if table == "info_type" and at in of]


class Skewed:
    """Numbers below `count`, the first ones more often: by `power`."""

    def __init__(self, chance, count, power):
        self.chance = chance
        self.sums = list(itertools.accumulate((at + 1) ** -power for at in range(count)))

    def __call__(self):
        return bisect.bisect_left(self.sums, self.chance.random() * self.sums[-1])


class Generator:
    def __init__(self, titles, queries, seed=1):
        self.chance = random.Random(seed)
        self.count = {table: max(int(titles * part), 20) for table, part in ROWS.items()} | {"title": titles}
        self.known = collections.defaultdict(dict)
        self.infos = collections.defaultdict(dict)
        for query in queries:
            for table, column, alias, value in query.constants():
                if not value:
                    continue
                self.known[table, column][value] = None
                for kind in query.info_types(alias) if column == "info" and table != "info_type" else []:
                    self.infos[kind][value] = None

    def filled(self, pattern):
        """A text that fits the pattern."""
        return re.sub("%", lambda _: self.chance.choice(WORDS)[:4] + self.chance.choice(["", " "]), pattern).replace("_", "x")

    def text(self, table, column, part, otherwise):
        """One of the texts that are asked for, in `part` of all cases."""
        known = self.pick.get((table, column))
        return self.filled(known[1][known[0]()]) if known and self.chance.random() < part else otherwise()

    def words(self, most=3):
        return " ".join(self.chance.choice(WORDS).capitalize() for _ in range(self.chance.randint(1, most))) + f" {self.chance.randrange(10**5)}"

    def person(self):
        return f"{self.chance.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}{self.chance.choice(WORDS)}, {self.chance.choice(WORDS).capitalize()}{self.chance.randrange(10**4)}"

    def code(self):
        return f"{self.chance.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ')}{self.chance.randrange(1, 7)}{self.chance.randrange(1, 700)}"

    def named(self, table, column):
        """A small table: its texts are all that are asked for, and others up to its number."""
        known = [*dict.fromkeys(map(self.filled, self.known[table, column]))]
        count = max(NUMBER_OF.get(table, self.count.get(table, 0)), len(known))
        return [*known, *(f"{column} {at}" for at in range(len(known), count))]

    def write(self, directory):
        chance = self.chance
        self.pick = {of: (Skewed(chance, len(known), 0.7), [*known]) for of, known in self.known.items()}
        small = {"info_type": "info", "company_type": "kind", "comp_cast_type": "kind", "link_type": "link", "role_type": "role", "keyword": "keyword"}
        small = {table: self.named(table, column) for table, column in small.items()} | {"kind_type": [*KINDS]}
        for table, names in small.items():
            rest = ("", ) if table == "keyword" else ()
            self.put(directory, table, ((at + 1, name, *rest) for at, name in enumerate(names)))
        countries = [*dict.fromkeys(["[us]", *self.known["company_name", "country_code"], *(f"[c{at}]" for at in range(40))])]
        country_of = Skewed(chance, len(countries), 1.1)
        titles = self.titles(countries, country_of)
        self.put(directory, "title", ((at + 1, text, None, kind + 1, year, episode, season) for at, (text, kind, year, episode, season, _) in enumerate(titles)))
        # The most popular ones are anywhere.
        order = [*range(len(titles))]
        chance.shuffle(order)
        popular = Skewed(chance, len(titles), 0.4)
        self.movie = lambda: order[popular()]
        self.people(directory, small)
        self.films(directory, titles, countries, country_of, small)

    def titles(self, countries, country_of):
        chance, kinds = self.chance, [*KINDS]
        rows = []
        for _ in range(self.count["title"]):
            kind = kinds.index(chance.choices(kinds, KINDS.values())[0])
            year = int(2013 - min(chance.expovariate(1 / (8 if kind == 0 else 22)), 120)) if chance.random() < 0.95 else None
            episode, season = (chance.randint(1, 200), chance.randint(1, 12)) if kind == 0 else (None, None)
            rows.append((self.text("title", "title", 0.03, self.words), kind, year, episode, season, country_of()))
        return rows

    def people(self, directory, small):
        chance, count = self.chance, self.count
        gender = lambda: chance.choices(["m", "f", None], [5, 3, 2])[0]
        people = [(at + 1, self.text("name", "name", 0.05, self.person), None, gender(), self.text("name", "name_pcode_cf", 0.02, self.code), self.code())
                  for at in range(count["name"])]
        self.put(directory, "name", people)
        known = Skewed(chance, len(people), 0.5)
        self.put(directory, "char_name", ((at + 1, self.text("char_name", "name", 0.03, self.person), None) for at in range(count["char_name"])))
        self.put(directory, "aka_name", ((at + 1, known() + 1, self.text("aka_name", "name", 0.1, self.person), None, self.code()) for at in range(count["aka_name"])))

        def info(at):
            kind = chance.randrange(len(small["info_type"]))
            return at + 1, known() + 1, kind + 1, self.info(small["info_type"][kind]), self.text("person_info", "note", 0.1, lambda: None)
        self.put(directory, "person_info", map(info, range(count["person_info"])))
        roles = Skewed(chance, len(small["role_type"]), 1.0)
        actress = small["role_type"].index("actress") if "actress" in small["role_type"] else 0

        def cast(at):
            person, role = known(), roles()
            if people[person][3] == "f" and chance.random() < 0.6:
                role = actress
            plays = chance.randrange(count["char_name"]) + 1 if chance.random() < 0.5 else None
            note = self.text("cast_info", "note", 0.35, lambda: None if chance.random() < 0.7 else f"(as {self.person()})")
            return at + 1, person + 1, self.movie() + 1, plays, note, chance.randint(1, 40), role + 1
        self.put(directory, "cast_info", map(cast, range(count["cast_info"])))

    def info(self, kind):
        known = [*self.infos.get(kind, ())]
        return self.filled(self.chance.choice(known)) if known and self.chance.random() < 0.6 else f"{kind} {self.chance.randrange(300)}"

    def films(self, directory, titles, countries, country_of, small):
        chance, count = self.chance, self.count
        companies = [country_of() for _ in range(count["company_name"])]
        of_country = collections.defaultdict(list)
        for at, country in enumerate(companies):
            of_country[country].append(at)
        name = lambda: self.text("company_name", "name", 0.1, self.words)
        self.put(directory, "company_name", ((at + 1, name(), countries[country]) for at, country in enumerate(companies)))
        notes = [*self.known["movie_companies", "note"]]

        def company(at):
            movie = self.movie()
            own = of_country.get(titles[movie][5])
            made_by = chance.choice(own) if own and chance.random() < 0.8 else chance.randrange(len(companies))
            note = f"({titles[movie][2]}) " + " ".join(self.filled(chance.choice(notes)) for _ in range(chance.randint(0, 2))) if chance.random() < 0.5 else None
            return at + 1, movie + 1, made_by + 1, chance.choices(range(len(small["company_type"])))[0] + 1, note
        self.put(directory, "movie_companies", map(company, range(count["movie_companies"])))
        kinds = Skewed(chance, len(small["info_type"]), 0.8)

        def info(table):
            def row(at):
                movie = self.movie()
                # What is told of a film depends on its kind.
                kind = (kinds() + titles[movie][1] * 3) % len(small["info_type"])
                said = small["info_type"][kind]
                text = f"{chance.random() * 9 + 1:.1f}" if said == "rating" else self.info(said)
                return at + 1, movie + 1, kind + 1, text, self.text(table, "note", 0.2, lambda: None)
            return row
        for table in ("movie_info", "movie_info_idx"):
            self.put(directory, table, map(info(table), range(count[table])))
        words = Skewed(chance, len(small["keyword"]), 0.7)
        self.put(directory, "movie_keyword", ((at + 1, self.movie() + 1, words() + 1) for at in range(count["movie_keyword"])))
        self.put(directory, "movie_link", ((at + 1, self.movie() + 1, self.movie() + 1, chance.randrange(len(small["link_type"])) + 1) for at in range(count["movie_link"])))
        # Whose cast and crew, and how complete.
        subjects, states = ([at + 1 for at, kind in enumerate(small["comp_cast_type"]) if (kind in ("cast", "crew")) == is_subject] for is_subject in (True, False))
        self.put(directory, "complete_cast", ((at + 1, self.movie() + 1, chance.choice(subjects), chance.choice(states)) for at in range(count["complete_cast"])))

        def other_title(at):
            movie = self.movie()
            return at + 1, movie + 1, self.text("aka_title", "title", 0.03, self.words), titles[movie][1] + 1, titles[movie][2]
        self.put(directory, "aka_title", map(other_title, range(count["aka_title"])))

    def put(self, directory, table, rows):
        with open(directory / f"{table}.tbl", "w") as file:
            file.writelines("|".join("" if value is None else str(value).replace("|", " ") for value in row) + "\n" for row in rows)
