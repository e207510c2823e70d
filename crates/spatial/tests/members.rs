//! Methods and properties of both types, called as a statement calls them.

use spatial::call::{Answer, Given, aggregate, call};
use spatial::method::{Method, Signature};
use spatial::world::World;
use spatial::{codec, value};
use types::pause::Pacer;

fn bytes(world: World, text: &str) -> Vec<u8> {
    value::of_text(world, text, &mut Pacer::none()).expect(text)
}

fn ask(world: World, text: &str, name: &str, given: &[Given]) -> Answer {
    let signature = Signature::find(world, name).expect(name);
    let own = bytes(world, text);
    let receiver = if signature.is_static() { None } else { Some(&own[..]) };
    call(world, signature, receiver, given, &mut Pacer::none()).expect(name)
}

fn number(answer: Answer) -> f64 {
    match answer {
        Answer::Float(value) => value,
        Answer::Int(value) => value as f64,
        other => panic!("no number: {other:?}"),
    }
}

fn shown(world: World, answer: Answer) -> String {
    match answer {
        Answer::Bytes(bytes) => value::text(world, &bytes, &mut Pacer::none()).expect("a shape"),
        Answer::Text(text) => text,
        Answer::Int(value) => value.to_string(),
        Answer::Null => "NULL".into(),
        other => panic!("not to be shown: {other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// As SQL Server shows them: MS-SSCLRT, and what its users report.
#[test]
fn values_have_the_documented_bytes() {
    let plane = |text: &str| hex(&bytes(World::Plane, text));
    assert_eq!(plane("POINT(1 2)"), "00000000010C000000000000F03F0000000000000040");
    assert_eq!(plane("POINT EMPTY"), "000000000104000000000000000001000000FFFFFFFFFFFFFFFF01");
    assert_eq!(
        plane("LINESTRING(0 0, 1 1)"),
        "00000000011400000000000000000000000000000000000000000000F03F000000000000F03F"
    );
    // Latitude first.
    let globe = hex(&bytes(World::Globe, "POINT(2 1)"));
    assert_eq!(globe, "E6100000010C000000000000F03F0000000000000040");
    for text in [
        "GEOMETRYCOLLECTION (POINT (1 1), GEOMETRYCOLLECTION EMPTY, LINESTRING (0 0, 1 1, 2 2))",
        "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 0), (1 0.5, 2 0.5, 2 1, 1 0.5)), ((9 9, 10 9, 10 10, 9 9)))",
        "COMPOUNDCURVE ((1 0, 2 0), CIRCULARSTRING (2 0, 1 1, 0 0, -1 1, -2 0), (-2 0, -3 0))",
        "CURVEPOLYGON (COMPOUNDCURVE ((0 0, 2 0), CIRCULARSTRING (2 0, 1 1, 0 0)))",
        "MULTIPOINT ((1 1 5), EMPTY, (2 2 NULL 7))",
    ] {
        let made = bytes(World::Plane, text);
        assert_eq!(value::text(World::Plane, &made, &mut Pacer::none()).expect(text), text);
        for end in 0..made.len() {
            assert!(codec::decode(World::Plane, &made[..end], &mut Pacer::none()).is_err(), "{text} cut at {end}");
        }
        // Whatever a byte is changed to, it is a value or it is refused.
        for at in 0..made.len() {
            for bit in [at % 8] {
                let mut other = made.clone();
                other[at] ^= 1 << bit;
                if codec::decode(World::Plane, &other, &mut Pacer::none()).is_ok() {
                    for name in ["STBuffer", "STArea", "MakeValid", "STIsSimple", "AsGml", "STConvexHull", "STBoundary"]
                    {
                        let signature = Signature::find(World::Plane, name).expect(name);
                        let given = if name == "STBuffer" { vec![Given::Float(1.0)] } else { Vec::new() };
                        // Refused or not: it comes back.
                        let _ = call(World::Plane, signature, Some(&other), &given, &mut Pacer::none());
                    }
                }
            }
        }
    }
}

#[test]
fn the_globe_is_measured() {
    use World::Globe;
    let distance = |one: &str, other: &str| number(ask(Globe, one, "STDistance", &[Given::Bytes(bytes(Globe, other))]));
    // Karney's geodesics of WGS 84: a quarter of a meridian, a degree of the equator.
    assert!((distance("POINT(0 0)", "POINT(0 90)") - 10_001_965.729).abs() < 0.01);
    assert!((distance("POINT(0 0)", "POINT(1 0)") - 111_319.491).abs() < 0.01);
    assert!((distance("POINT(170 10)", "POINT(-170 10)") - 2_191_834.0).abs() < 5_000.0);
    // From a point to a line north of it: less than to its ends.
    let near = distance("POINT(0.5 0)", "LINESTRING(0 1, 1 1)");
    assert!((110_500.0..110_700.0).contains(&near), "{near}");
    assert_eq!(distance("POINT(5 5)", "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))"), 0.0);
    let area = |text: &str| number(ask(Globe, text, "STArea", &[]));
    let (small, large) = ("POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))", "POLYGON((0 0, 0 10, 10 10, 10 0, 0 0))");
    let whole = area("FULLGLOBE");
    assert!((whole - 510_065_621_724_089.0).abs() < 1e6, "{whole}");
    assert!((area(small) / 1_228_606_440_000.0 - 1.0).abs() < 0.01, "{}", area(small));
    assert!((area(small) + area(large) - whole).abs() < 1.0);
    let circle = ask(Globe, "POINT(-122.349 47.651)", "STBuffer", &[Given::Float(1000.0)]);
    let circle = shown(Globe, circle);
    assert!((area(&circle) / 3_141_592.65 - 1.0).abs() < 0.01, "{}", area(&circle));
}

#[test]
fn geographies_are_compared_and_combined() {
    use World::Globe;
    let other = |text: &str| [Given::Bytes(bytes(Globe, text))];
    let (small, large) = ("POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))", "POLYGON((0 0, 0 10, 10 10, 10 0, 0 0))");
    let holds = |one: &str, name: &str, two: &str| number(ask(Globe, one, name, &other(two))) == 1.0;
    assert!(holds(small, "STContains", "POINT(5 5)"));
    assert!(!holds(large, "STContains", "POINT(5 5)"));
    assert!(holds(large, "STContains", "POINT(50 50)"));
    assert!(holds(small, "STIntersects", large));
    assert!(!holds("POINT(0 0)", "STIntersects", "POINT(180 0)"));
    assert!(holds("FULLGLOBE", "STContains", small));
    assert_eq!(shown(Globe, ask(Globe, small, "STUnion", &other(large))), "FULLGLOBE");
    assert_eq!(shown(Globe, ask(Globe, large, "ReorientObject", &[])), small.replace("POLYGON(", "POLYGON ("));
    let cut = ask(Globe, small, "STIntersection", &other("POLYGON((5 5, 15 5, 15 15, 5 15, 5 5))"));
    assert!(shown(Globe, cut).starts_with("POLYGON ((5 5, "));
    assert_eq!(number(ask(Globe, small, "MinDbCompatibilityLevel", &[])), 100.0);
    assert_eq!(number(ask(Globe, large, "MinDbCompatibilityLevel", &[])), 110.0);
}

#[test]
fn curves_are_measured_as_curves() {
    use std::f64::consts::PI;
    let of = |text: &str, name: &str| number(ask(World::Plane, text, name, &[]));
    let round = "CURVEPOLYGON(CIRCULARSTRING(0 4, 4 0, 8 4, 4 8, 0 4))";
    assert!((of(round, "STArea") - 16.0 * PI).abs() < 1e-9);
    assert!((of(round, "STLength") - 8.0 * PI).abs() < 1e-9);
    assert!((of("COMPOUNDCURVE((0 0, 2 0), CIRCULARSTRING(2 0, 1 1, 0 0))", "STLength") - (2.0 + PI)).abs() < 1e-9);
    assert_eq!(of(round, "STIsValid"), 1.0);
    let lines = shown(World::Plane, ask(World::Plane, round, "STCurveToLine", &[]));
    assert!((of(&lines, "STArea") / (16.0 * PI) - 1.0).abs() < 0.01);
}

#[test]
fn rows_are_aggregated() {
    let values: Vec<_> = ["POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", "POLYGON((1 1, 3 1, 3 3, 1 3, 1 1))"]
        .iter()
        .map(|text| codec::decode(World::Plane, &bytes(World::Plane, text), &mut Pacer::none()).expect("a shape"))
        .collect();
    let made = |method: Method| {
        let made =
            aggregate(World::Plane, method, &values, &mut Pacer::none()).expect("unpaced").expect("there are some");
        value::text(World::Plane, &made, &mut Pacer::none()).expect("a shape")
    };
    assert_eq!(made(Method::UnionAggregate), "POLYGON ((0 0, 2 0, 2 1, 3 1, 3 3, 1 3, 1 2, 0 2, 0 0))");
    assert_eq!(made(Method::EnvelopeAggregate), "POLYGON ((0 0, 3 0, 3 3, 0 3, 0 0))");
    assert_eq!(made(Method::ConvexHullAggregate), "POLYGON ((0 0, 2 0, 3 1, 3 3, 1 3, 0 2, 0 0))");
}

#[test]
fn what_is_wrong_is_said_as_the_assembly_says_it() {
    let wrong = |text: &str| value::of_text(World::Plane, text, &mut Pacer::none()).expect_err(text).text.clone();
    assert!(
        wrong("LINESTRING (0 1 1, 3 2 2, 4 ABC 9)")
            .contains("24141: A number is expected at position 31 of the input. The input has ABC.")
    );
    assert!(
        wrong("LINESTRING ZM (1 2 0 0,3 4 0 0)").contains("24142: Expected \"(\" at position 11. The input has \"Z\".")
    );
    assert!(
        wrong("LINESTRING (0 1 1, 3 2 2, 4 5 NaN)")
            .contains("24142: Expected \"NULL\" at position 30. The input has \"NaN)\".")
    );
    assert!(wrong("POINT:10 20").contains("24142: Expected \"(\" at position 5. The input has \":\"."));
    assert!(wrong("").contains("24112"));
    assert!(wrong("FOO(10 20)").contains("24114: The label FOO(10 20) in the input"));
    let ring = "POLYGON ((10 20, 15 25, 20 30, 10 20), (15 25, 20 30, 25 35, 15 25), EMPTY, (5 5, 6 6, 7 7, 5 5))";
    assert!(
        wrong(ring)
            .contains("24305: The Polygon input is not valid because the ring number 3 does not have enough points.")
    );
}
