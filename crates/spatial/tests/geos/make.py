"""Random shapes with what GEOS says of them, for tests/geos.rs: pip install shapely; python3 make.py > cases.txt

A line: first shape | second shape | matrix of relate | area and length of the first | area of union, intersection, difference and
symmetric difference | distance | area of the first's convex hull.
"""
import math
import random

import shapely
from shapely.geometry import LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon

random.seed(7)


def number(grid):
    return random.randint(0, grid) if random.random() < 0.7 else round(random.uniform(0, grid), 2)


def place(grid):
    return (number(grid), number(grid))


def star(grid):
    """A polygon around a centre, perhaps with a hole."""
    x, y = place(grid)
    count = random.randint(3, 12)
    angles = sorted(random.uniform(0, 2 * math.pi) for _ in range(count))
    size = random.uniform(grid / 8, grid / 2)
    ring = [(round(x + size * random.uniform(0.4, 1) * math.cos(a), 2), round(y + size * random.uniform(0.4, 1) * math.sin(a), 2)) for a in angles]
    polygon = Polygon(ring)
    if polygon.is_valid and random.random() < 0.4:
        hole = polygon.buffer(-size / 8)
        if hole.geom_type == "Polygon" and not hole.is_empty:
            small = shapely.set_precision(hole.simplify(size / 50), 0.01)
            cut = polygon.difference(small)
            if cut.geom_type == "Polygon":
                return cut
    return polygon


def box(grid):
    (a, b), (c, d) = (random.randint(0, grid), random.randint(0, grid)), (random.randint(1, grid), random.randint(1, grid))
    return Polygon([(a, b), (a + c, b), (a + c, b + d), (a, b + d)])


def line(grid):
    return LineString([place(grid) for _ in range(random.randint(2, 6))])


def shape(grid):
    make = random.choice([star, star, box, box, line, lambda g: Point(place(g)), "points", "lines", "polygons"])
    if make == "points":
        return MultiPoint([place(grid) for _ in range(random.randint(1, 5))])
    if make == "lines":
        return MultiLineString([line(grid) for _ in range(random.randint(1, 3))])
    if make == "polygons":
        whole = shapely.unary_union([random.choice([star, box])(grid).buffer(0) for _ in range(3)])
        whole = shapely.set_precision(whole, 0.01)
        return whole if isinstance(whole, (Polygon, MultiPolygon)) else box(grid)
    return make(grid)


def shown(value):
    return repr(round(value, 9))


count = 0
while count < 600:
    grid = random.choice([4, 10, 100])
    # By their texts: a shape that was put on a grid would have GEOS compute on it.
    one, other = (shapely.from_wkt(shapely.to_wkt(shape(grid), rounding_precision=-1)) for _ in range(2))
    if one.is_empty or other.is_empty or not one.is_valid or not other.is_valid:
        continue
    # A ring that touches itself but for the last bit of a number is one piece there and two here.
    if any(shapely.set_precision(s, 1e-7).geom_type != s.geom_type for s in (one, other)):
        continue
    # Lines that overlap themselves are not valid here.
    if any(isinstance(s, (LineString, MultiLineString)) and shapely.unary_union(s).length < s.length * (1 - 1e-9) for s in (one, other)):
        continue
    areas = [one.union(other), one.intersection(other), one.difference(other), one.symmetric_difference(other)]
    fields = [
        shapely.to_wkt(one, rounding_precision=-1),
        shapely.to_wkt(other, rounding_precision=-1),
        one.relate(other),
        shown(one.area),
        shown(one.length),
        " ".join(shown(area.area) for area in areas),
        " ".join(shown(area.length) for area in areas),
        shown(one.distance(other)),
        shown(one.convex_hull.area),
    ]
    print("|".join(fields))
    count += 1
