//! Shapes on a plane, by the examples of the documentation and by small figures.

use spatial::plane::measure;
use spatial::plane::overlay::{Operation, make_valid, overlay, union_all};
use spatial::plane::relate::relate;
use spatial::plane::{buffer, hull, valid};
use spatial::read_text::read;
use spatial::shape::Shape;
use spatial::world::World;
use spatial::write_text::{Detail, write};
use types::pause::Pacer;

fn shape(text: &str) -> Shape {
    read(World::Plane, text, None, &mut Pacer::none()).expect(text)
}

fn text(shape: &Shape) -> String {
    let mut out = String::new();
    write(shape, Detail::Full, &mut out, &mut Pacer::none()).expect("unpaced");
    out
}

fn over(one: &str, other: &str, operation: Operation) -> String {
    text(&overlay(&shape(one), &shape(other), operation, &mut Pacer::none()).expect("unpaced"))
}

#[test]
fn texts_come_back() {
    for same in [
        "POINT (1 2)",
        "POINT (1 2 3 4)",
        "POINT (1 2 NULL 4)",
        "POINT EMPTY",
        "LINESTRING (0 0, 1 1.5, -2 3E+20)",
        "POLYGON ((0 0, 4 0, 4 4, 0 0), (1 1, 2 1, 2 2, 1 1))",
        "MULTIPOINT ((1 1), EMPTY, (2 2))",
        "MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))",
        "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((5 5, 6 5, 6 6, 5 5)))",
        "GEOMETRYCOLLECTION (POINT (1 1), LINESTRING EMPTY, GEOMETRYCOLLECTION (POINT (2 2)))",
        "CIRCULARSTRING (1 0, 0 1, -1 0)",
        "COMPOUNDCURVE ((1 0, 2 0), CIRCULARSTRING (2 0, 1 1, 0 0))",
        "CURVEPOLYGON (CIRCULARSTRING (0 4, 4 0, 8 4, 4 8, 0 4))",
    ] {
        assert_eq!(text(&shape(same)), same);
    }
}

#[test]
fn areas_are_combined() {
    let (g, h) = ("POLYGON((0 0, 0 2, 2 2, 2 0, 0 0))", "POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))");
    assert_eq!(over(g, h, Operation::Intersection), "POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))");
    assert_eq!(over(g, h, Operation::Union), "POLYGON ((0 0, 2 0, 2 1, 3 1, 3 3, 1 3, 1 2, 0 2, 0 0))");
    assert_eq!(over(g, h, Operation::Difference), "POLYGON ((0 0, 2 0, 2 1, 1 1, 1 2, 0 2, 0 0))");
    assert_eq!(
        over(g, h, Operation::SymmetricDifference),
        "MULTIPOLYGON (((2 1, 3 1, 3 3, 1 3, 1 2, 2 2, 2 1)), ((0 0, 2 0, 2 1, 1 1, 1 2, 0 2, 0 0)))"
    );
    let far = "POLYGON((10 10, 11 10, 11 11, 10 10))";
    assert_eq!(over(g, far, Operation::Intersection), "GEOMETRYCOLLECTION EMPTY");
    let inner = "POLYGON((0.5 0.5, 1 0.5, 1 1, 0.5 0.5))";
    assert_eq!(
        over(g, inner, Operation::Difference),
        "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0), (0.5 0.5, 1 1, 1 0.5, 0.5 0.5))"
    );
    let touching = "POLYGON((2 0, 4 0, 4 2, 2 2, 2 0))";
    assert_eq!(over(g, touching, Operation::Intersection), "LINESTRING (2 0, 2 2)");
    assert_eq!(over(g, touching, Operation::Union), "POLYGON ((0 0, 2 0, 4 0, 4 2, 2 2, 0 2, 0 0))");
}

#[test]
fn lines_and_points_are_combined() {
    let square = "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))";
    assert_eq!(over("LINESTRING(0 2, 2 0, 4 2)", square, Operation::Intersection), "LINESTRING (0 2, 2 0)");
    assert_eq!(over("LINESTRING(0 0, 2 2)", "LINESTRING(0 2, 2 0)", Operation::Intersection), "POINT (1 1)");
    assert_eq!(over("POINT(1 1)", square, Operation::Difference), "GEOMETRYCOLLECTION EMPTY");
    assert_eq!(
        over("POINT(5 5)", square, Operation::Union),
        "GEOMETRYCOLLECTION (POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0)), POINT (5 5))"
    );
}

#[test]
fn relations_are_those_of_ogc() {
    let square = shape("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))");
    let with = |other: &str| relate(&square, &shape(other), &mut Pacer::none()).expect("unpaced");
    assert!(with("POINT(1 1)").contains());
    assert!(with("POINT(2 1)").touches());
    assert!(!with("POINT(3 1)").intersects());
    assert!(with("POLYGON((2 0, 4 0, 4 2, 2 2, 2 0))").touches());
    assert!(with("POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))").overlaps(2, 2));
    assert!(with("POLYGON((0 0, 1 0, 2 0, 2 2, 0 2, 0 0))").equals());
    assert!(with("LINESTRING(1 1, 5 5)").crosses(2, 1));
    assert!(with("POLYGON((-1 -1, 4 -1, 4 4, -1 4, -1 -1))").within());
}

#[test]
fn flaws_are_found() {
    let flaw = |text: &str| valid::flaw(&shape(text), &mut Pacer::none()).expect("unpaced");
    assert_eq!(flaw("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))"), None);
    assert_eq!(flaw("POLYGON((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 1), (2 2, 3 2, 3 3, 2 2))"), None);
    let bow = flaw("Polygon((2 2, 4 4, 4 2, 2 4, 2 2))").expect("it crosses itself");
    assert_eq!(bow, "24404: Not valid because polygon ring (1) intersects itself or some other ring.");
    assert!(flaw("POLYGON((0 0, 2 0, 2 2, 0 2, 0 0), (5 5, 6 5, 6 6, 5 5))").expect("outside").starts_with("24411"));
    assert!(flaw("LINESTRING(0 2, 1 1, 1 0, 1 1, 2 2)").expect("overlaps").starts_with("24413"));
    let mended = make_valid(&shape("LINESTRING(0 2, 1 1, 1 0, 1 1, 2 2)"), &mut Pacer::none()).expect("unpaced");
    assert_eq!(text(&mended), "MULTILINESTRING ((0 2, 1 1), (1 1, 2 2), (1 1, 1 0))");
}

#[test]
fn sizes_are_measured() {
    let pacer = &mut Pacer::none();
    let hole = shape("POLYGON((0 0, 3 0, 3 3, 0 3, 0 0),(2 2, 2 1, 1 1, 1 2, 2 2))");
    assert_eq!(measure::area(&hole, pacer).expect("unpaced"), 8.0);
    assert_eq!(measure::length(&hole, pacer).expect("unpaced"), 16.0);
    let round = buffer::buffer(&shape("POINT(0 0)"), 2.0, 0.002, pacer).expect("unpaced");
    assert!((measure::area(&round, pacer).expect("unpaced") - 12.566).abs() < 0.03);
    let grown = buffer::buffer(&shape("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))"), 1.0, 0.001, pacer).expect("unpaced");
    assert!((measure::area(&grown, pacer).expect("unpaced") - (32.0 + std::f64::consts::PI)).abs() < 0.02);
    let less = buffer::buffer(&shape("POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))"), -1.0, 0.001, pacer).expect("unpaced");
    assert!((measure::area(&less, pacer).expect("unpaced") - 4.0).abs() < 1e-9);
    assert_eq!(
        text(&hull::hull(&shape("MULTIPOINT(0 0, 2 0, 1 0.5, 2 2, 0 2, 1 1)"), pacer).expect("unpaced")),
        "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"
    );
    let many: Vec<Shape> =
        (0..40).map(|at| shape(&format!("POLYGON(({at} 0, {} 0, {} 3, {at} 3, {at} 0))", at + 2, at + 2))).collect();
    let all = union_all(&many.iter().collect::<Vec<_>>(), pacer).expect("unpaced");
    assert_eq!(measure::area(&all, pacer).expect("unpaced"), 41.0 * 3.0);
    let near = measure::nearest(&shape("POINT(10 10)"), &hole, pacer).expect("unpaced").expect("not empty");
    assert!((near.0 - 98.0_f64.sqrt()).abs() < 1e-12);
}
