//! What GEOS says of random shapes (`geos/make.py` made them): matrices, areas, lengths and distances are the same here.

use spatial::plane::hull::hull;
use spatial::plane::measure::{area, length, nearest};
use spatial::plane::overlay::{Operation, overlay};
use spatial::plane::relate::relate;
use spatial::plane::valid::flaw;
use spatial::read_text::read;
use spatial::shape::Shape;
use spatial::world::World;
use types::pause::Pacer;

const CASES: &str = include_str!("geos/cases.txt");

fn close(found: f64, wanted: &str, of: &str, line: &str) -> Option<String> {
    let wanted: f64 = wanted.parse().expect("a number");
    let near = (found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0);
    (!near).then(|| format!("{of}: {found}, GEOS has {wanted}\n  {line}"))
}

#[test]
fn random_shapes_are_as_geos_says() {
    let pacer = &mut Pacer::none();
    let mut complaints: Vec<String> = Vec::new();
    for line in CASES.lines() {
        let fields: Vec<&str> = line.split('|').collect();
        let [one, other, matrix, own_area, own_length, areas, lengths, distance, hull_area] = fields[..] else {
            panic!("nine fields: {line}")
        };
        let shape = |text: &str| read(World::Plane, text, None, &mut Pacer::none()).expect(text);
        let (one, other) = (shape(one), shape(other));
        for shape in [&one, &other] {
            if let Some(flaw) = flaw(shape, pacer).expect("unpaced") {
                complaints.push(format!("{flaw}\n  {line}"));
            }
        }
        let found = relate(&one, &other, pacer).expect("unpaced");
        if found.fits(matrix) != Some(true) {
            complaints.push(format!("{found:?}, GEOS has {matrix}\n  {line}"));
        }
        complaints.extend(close(area(&one, pacer).expect("unpaced"), own_area, "area", line));
        complaints.extend(close(length(&one, pacer).expect("unpaced"), own_length, "length", line));
        let operations =
            [Operation::Union, Operation::Intersection, Operation::Difference, Operation::SymmetricDifference];
        for ((operation, wanted), wanted_length) in operations.into_iter().zip(areas.split(' ')).zip(lengths.split(' '))
        {
            let made: Shape = overlay(&one, &other, operation, pacer).expect("unpaced");
            complaints.extend(close(area(&made, pacer).expect("unpaced"), wanted, &format!("{operation:?}"), line));
            let along = length(&made, pacer).expect("unpaced");
            complaints.extend(close(along, wanted_length, &format!("length of {operation:?}"), line));
            if let Some(flaw) = flaw(&made, pacer).expect("unpaced") {
                complaints.push(format!("{operation:?}: {flaw}\n  {line}"));
            }
        }
        let (far, _) = nearest(&one, &other, pacer).expect("unpaced").expect("not empty");
        complaints.extend(close(far, distance, "distance", line));
        let around = hull(&one, pacer).expect("unpaced");
        complaints.extend(close(area(&around, pacer).expect("unpaced"), hull_area, "hull", line));
    }
    assert!(
        complaints.is_empty(),
        "{} complaints\n{}",
        complaints.len(),
        complaints[..complaints.len().min(12)].join("\n")
    );
}
