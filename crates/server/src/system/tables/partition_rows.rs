//! Partition functions and schemes, as their catalog views show them.

use exec::session::Session as State;
use sql::catalog::PartitionFunctionDef;
use types::{Datum, SqlResult, variant};

use crate::catalog::base::{ClassRow, class};
use crate::catalog::load::small;
use crate::catalog::partition::{self, Scheme};
use crate::catalog::{Database, scalar_type};
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &mut SessionHost, state: &mut State, db: &Database, name: &str) -> SqlResult<Option<Vec<NamedRow>>> {
    Ok(Some(match name {
        "partition_functions" => functions(host, state, db)?.iter().map(function).collect(),
        "partition_parameters" => functions(host, state, db)?.iter().map(|(_, def)| parameter(def)).collect(),
        "partition_range_values" => functions(host, state, db)?.iter().flat_map(|(_, def)| values(def)).collect(),
        "partition_schemes" => schemes(host, state, db)?.iter().map(scheme).collect(),
        "destination_data_spaces" => schemes(host, state, db)?.iter().flat_map(destinations).collect(),
        _ => return Ok(None),
    }))
}

fn functions(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<(ClassRow, PartitionFunctionDef)>> {
    let rows: Vec<ClassRow> = host.catalog_rows(state, db, |rows| rows.find(0, &[small(class::PARTITION_FUNCTION)]))?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        os::wait::maybe_yield();
        if let Some(def) = partition::function(&row) {
            found.push((row, def));
        }
    }
    Ok(found)
}

fn schemes(host: &SessionHost, state: &mut State, db: &Database) -> SqlResult<Vec<Scheme>> {
    let rows: Vec<ClassRow> = host.catalog_rows(state, db, |rows| rows.find(0, &[small(class::PARTITION_SCHEME)]))?;
    Ok(rows.iter().filter_map(partition::scheme).collect())
}

fn function((row, def): &(ClassRow, PartitionFunctionDef)) -> NamedRow {
    vec![
        ("name", text(&row.name)),
        ("function_id", number(row.id)),
        ("type", text("R ")),
        ("type_desc", text("RANGE")),
        ("fanout", number(def.partitions() as u64)),
        ("boundary_value_on_right", def.right.into()),
        ("is_system", false.into()),
        ("create_date", Cell::Datum(Datum::I64(row.created.0))),
        ("modify_date", Cell::Datum(Datum::I64(row.modified.0))),
    ]
}

fn parameter(def: &PartitionFunctionDef) -> NamedRow {
    let system = scalar_type::system_type(def.ty.kind);
    vec![
        ("function_id", number(def.id)),
        ("parameter_id", number(1)),
        ("system_type_id", number(system.xtype)),
        ("max_length", number(scalar_type::max_length(&def.ty))),
        ("precision", number(def.ty.precision)),
        ("scale", number(def.ty.scale)),
        ("collation_name", scalar_type::collation_name(&def.ty).map_or(Cell::Datum(Datum::Null), |name| text(&name))),
        ("user_type_id", number(system.utype)),
    ]
}

fn values(def: &PartitionFunctionDef) -> Vec<NamedRow> {
    let value = |value: &Datum| match value {
        Datum::Null => Datum::Null,
        value => variant::encode(&def.ty, value),
    };
    let row = |(at, boundary): (usize, &Datum)| -> NamedRow {
        vec![
            ("function_id", number(def.id)),
            ("boundary_id", number(at as u64 + 1)),
            ("parameter_id", number(1)),
            ("value", Cell::Datum(value(boundary))),
        ]
    };
    def.boundaries.iter().enumerate().map(row).collect()
}

fn scheme(scheme: &Scheme) -> NamedRow {
    vec![
        ("name", text(&scheme.name)),
        ("data_space_id", number(scheme.id)),
        ("type", text("PS")),
        ("type_desc", text("PARTITION_SCHEME")),
        ("is_default", false.into()),
        ("is_system", false.into()),
        ("function_id", number(scheme.function)),
    ]
}

/// With the filegroup of the next partition, if there is one.
fn destinations(scheme: &Scheme) -> Vec<NamedRow> {
    let groups = scheme.filegroups.iter().chain(&scheme.next).enumerate();
    let row = |(at, group): (usize, &i32)| -> NamedRow {
        vec![
            ("partition_scheme_id", number(scheme.id)),
            ("destination_id", number(at as u64 + 1)),
            ("data_space_id", number(*group)),
        ]
    };
    groups.map(row).collect()
}
