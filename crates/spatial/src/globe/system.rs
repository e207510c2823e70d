//! The spatial reference systems that a geography may have, and their ellipsoids.

use std::sync::OnceLock;

use geographiclib_rs::Geodesic;

/// `SRID | name | datum | ellipsoid | semi-major axis | inverse flattening | meridian | degrees | angle | radians | unit | metres`, from
/// the EPSG data set.
const SYSTEMS: &str = include_str!("systems.txt");

/// WGS 84: what a geography has that nobody gave another.
pub const DEFAULT_SRID: i32 = 4326;

/// The unit sphere, which only SQL Server numbers.
const UNIT_SPHERE: i32 = 104_001;

/// A row of sys.spatial_reference_systems.
#[derive(Debug)]
pub struct System {
    pub srid: i32,
    /// In well-known text.
    pub text: String,
    pub unit: &'static str,
    /// Metres in one unit.
    pub unit_factor: f64,
    pub semi_major: f64,
    /// None: a sphere.
    pub inverse_flattening: Option<f64>,
    geodesic: OnceLock<Geodesic>,
}

/// All of them, by SRID.
pub fn systems() -> &'static [System] {
    static ALL: OnceLock<Vec<System>> = OnceLock::new();
    ALL.get_or_init(|| SYSTEMS.lines().map(parse).collect())
}

fn parse(line: &'static str) -> System {
    let fields: Vec<&str> = line.split('|').collect();
    let [srid, name, datum, ellipsoid, axis, flattening, meridian, degrees, angle, radians, unit, metres] = fields[..]
    else {
        panic!("a system has twelve fields: {line}")
    };
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let text = format!(
        "GEOGCS[\"{name}\", DATUM[\"{datum}\", ELLIPSOID[\"{ellipsoid}\", {axis}, {flattening}]], PRIMEM[\"{meridian}\", {degrees}], \
         UNIT[\"{angle}\", {radians}]]"
    );
    System {
        srid: srid.parse().expect("a number"),
        text,
        unit,
        unit_factor: number(metres),
        semi_major: number(axis),
        inverse_flattening: Some(number(flattening)).filter(|flattening| *flattening != 0.0),
        geodesic: OnceLock::new(),
    }
}

impl System {
    /// None: geography has no such system.
    pub fn find(srid: i32) -> Option<&'static System> {
        let all = systems();
        all.binary_search_by_key(&srid, |system| system.srid).ok().map(|at| &all[at])
    }

    pub fn authority(&self) -> Option<&'static str> {
        (self.srid != UNIT_SPHERE).then_some("EPSG")
    }

    pub fn flattening(&self) -> f64 {
        self.inverse_flattening.map_or(0.0, |inverse| 1.0 / inverse)
    }

    pub fn geodesic(&self) -> &Geodesic {
        self.geodesic.get_or_init(|| Geodesic::new(self.semi_major, self.flattening()))
    }

    /// All of the surface, in square units.
    pub fn whole_area(&self) -> f64 {
        4.0 * std::f64::consts::PI * self.geodesic()._c2
    }
}
