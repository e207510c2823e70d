//! CREATE SPATIAL INDEX: what it says is checked and kept for the catalog. No structure follows from it, as from statistics: predicates over
//! shapes are asked of each row.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/create-spatial-index-transact-sql

use std::sync::Arc;

use sql::ast::{CreateIndex, Expr, Ident, Literal, Setting, SettingValue, UnaryOp, find_setting};
use types::{SqlResult, TypeKind, sql_error};

use super::internal_table;
use super::site::{Ddl, written};
use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, IndexColumnRow, IndexRow, ObjectRow, index_status as ix};
use crate::catalog::load::{SPATIAL_INDEX, SPATIAL_INDEX_MIN, int, next_index_number, small};
use crate::catalog::row::Text;
use crate::catalog::scalar_type;

const INDEX: &str = "spatial index";
const BOX: [&str; 4] = ["XMIN", "YMIN", "XMAX", "YMAX"];
const LEVELS: [&str; 4] = ["LEVEL_1", "LEVEL_2", "LEVEL_3", "LEVEL_4"];
const GRIDS: [(&str, u32); 3] = [("LOW", 16), ("MEDIUM", 64), ("HIGH", 256)];
const CELLS_MAX: f64 = 8192.0;

/// What a USING clause names.
struct Scheme {
    name: &'static str,
    kind: TypeKind,
    /// Its grids are the server's choice.
    automatic: bool,
    cells: u32,
}

const SCHEMES: [Scheme; 4] = [
    Scheme { name: "GEOMETRY_AUTO_GRID", kind: TypeKind::Geometry, automatic: true, cells: 8 },
    Scheme { name: "GEOMETRY_GRID", kind: TypeKind::Geometry, automatic: false, cells: 16 },
    Scheme { name: "GEOGRAPHY_AUTO_GRID", kind: TypeKind::Geography, automatic: true, cells: 12 },
    Scheme { name: "GEOGRAPHY_GRID", kind: TypeKind::Geography, automatic: false, cells: 16 },
];

/// The rows of a new index. 1911, 1913, 12002 to 12014.
pub fn create(
    ddl: &mut Ddl<'_>,
    create: &CreateIndex,
    using: Option<&Ident>,
    (db, table): (Arc<Database>, ObjectRow),
) -> SqlResult<(Arc<Database>, i32, i32)> {
    if find_setting(&create.options, "DROP_EXISTING").is_some_and(Setting::is_on) {
        return Err(super::unsupported("CREATE SPATIAL INDEX ... DROP_EXISTING"));
    }
    let shown = written(&create.table);
    ddl.lock(&db, table.id)?;
    let columns = ddl.rows(&db, |rows| rows.find::<ColumnRow>(0, &[int(table.id), small(0)]))?;
    let existing = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[int(table.id)]))?;
    if existing.iter().any(|index| index.name.as_deref().is_some_and(|name| db.equal_names(name, &create.name))) {
        return Err(sql_error!(1913, &*create.name, "table", shown));
    }
    let [asked] = &create.columns[..] else { return Err(sql_error!(12005, INDEX, ",")) };
    let Some(column) = columns.iter().find(|column| db.equal_names(&column.name, &asked.name)) else {
        return Err(sql_error!(1911, &*asked.name));
    };
    let ty = scalar_type::sql_type(column.xtype, column.utype, column.length, column.prec, column.scale, None);
    let Some(ty) = ty.filter(|ty| ty.is_spatial()) else {
        return Err(sql_error!(
            12002,
            INDEX,
            column.name,
            table.name,
            "geometry or geography",
            "geometry or geography"
        ));
    };
    let clustered_key = |index: &IndexRow| index.indid == 1 && index.status & ix::PRIMARY_KEY != 0;
    if !existing.iter().any(clustered_key) {
        return Err(sql_error!(12008, table.name, INDEX, INDEX));
    }
    let scheme = SCHEMES.iter().find(|scheme| match using {
        Some(using) => using.is(scheme.name) && scheme.kind == ty.kind,
        None => scheme.kind == ty.kind,
    });
    let Some(scheme) = scheme else {
        return Err(sql_error!(12003, using.map_or("", |using| &using.text), ty.name()));
    };
    let kept = described(scheme, &create.options)?;
    let indid = next_index_number(&existing, SPATIAL_INDEX_MIN..i32::MAX);
    let row = IndexRow {
        id: table.id,
        indid,
        name: Some(create.name.to_string()),
        // As statistics, it has no pages of its own.
        status: ix::STATISTICS,
        kind: SPATIAL_INDEX,
        fillfact: 0,
        dataspace: 1,
        filter: Text(Some(kept)),
        buckets: 0,
        constraint_id: 0,
    };
    let key = IndexColumnRow { id: table.id, indid, subid: 1, colid: column.colid, keyord: 1, status: 0 };
    ddl.rows(&db, |rows| {
        rows.insert(&row)?;
        rows.insert(&key)
    })?;
    internal_table::add(ddl, &db, &row)?;
    ddl.changed(db.id, table.id);
    Ok((db, table.id, indid))
}

/// What the catalog's views show of an index, as JSON.
fn described(scheme: &Scheme, options: &[Setting]) -> SqlResult<String> {
    let parameters = ["BOUNDING_BOX", "GRIDS", "CELLS_PER_OBJECT"];
    let relational = [
        "PAD_INDEX",
        "FILLFACTOR",
        "SORT_IN_TEMPDB",
        "IGNORE_DUP_KEY",
        "STATISTICS_NORECOMPUTE",
        "DROP_EXISTING",
        "ONLINE",
        "ALLOW_ROW_LOCKS",
        "ALLOW_PAGE_LOCKS",
        "MAXDOP",
        "DATA_COMPRESSION",
    ];
    for option in options {
        if !parameters.contains(&&*option.name) && !relational.contains(&&*option.name) {
            return Err(sql_error!(12005, INDEX, option.name));
        }
        if options.iter().filter(|other| other.name == option.name).count() > 1 {
            return Err(sql_error!(12006));
        }
    }
    let mut text =
        format!("{{\"scheme\":\"{}\",\"type\":{}", scheme.name, if scheme.kind == TypeKind::Geometry { 1 } else { 2 });
    let bounds = find_setting(options, "BOUNDING_BOX");
    match (scheme.kind, bounds) {
        (TypeKind::Geometry, None) => return Err(sql_error!(12007, INDEX, "BOUNDING_BOX")),
        (TypeKind::Geometry, Some(bounds)) => {
            let sides = parts(bounds, BOX, "BOUNDING_BOX", number)?;
            for axis in 0..2 {
                if sides[axis] >= sides[axis + 2] {
                    return Err(sql_error!(12013, BOX[axis + 2], INDEX, BOX[axis]));
                }
            }
            for (name, side) in BOX.iter().zip(sides) {
                text.push_str(&format!(",\"{}\":{side:?}", name.to_ascii_lowercase()));
            }
        }
        (_, Some(_)) => return Err(sql_error!(12005, INDEX, "BOUNDING_BOX")),
        (_, None) => {}
    }
    let grids = find_setting(options, "GRIDS");
    match (scheme.automatic, grids) {
        (true, Some(_)) => return Err(sql_error!(12005, INDEX, "GRIDS")),
        (true, None) => {}
        (false, grids) => {
            let levels = grids.map_or(Ok([1; 4]), levels)?;
            for (at, level) in levels.into_iter().enumerate() {
                let (name, cells) = GRIDS[level];
                text.push_str(&format!(",\"level{0}\":{cells},\"level{0}_desc\":\"{name}\"", at + 1));
            }
        }
    }
    let mut cells = scheme.cells;
    if let Some(setting) = find_setting(options, "CELLS_PER_OBJECT") {
        let asked = match &setting.value {
            SettingValue::Value(value) => number_of(value),
            _ => None,
        };
        let asked = asked.ok_or_else(|| sql_error!(12005, INDEX, "CELLS_PER_OBJECT"))?;
        if asked < 1.0 {
            return Err(sql_error!(12012, "CELLS_PER_OBJECT", INDEX, 0));
        }
        if asked > CELLS_MAX {
            return Err(sql_error!(12011, "CELLS_PER_OBJECT", INDEX, 8193));
        }
        cells = asked as u32;
    }
    text.push_str(&format!(",\"cells\":{cells}}}"));
    Ok(text)
}

/// Four values in order, or each by its name. 12005, 12014.
fn parts<T: Copy>(
    setting: &Setting,
    names: [&str; 4],
    of: &str,
    read: impl Fn(&Setting, bool) -> Option<T>,
) -> SqlResult<[T; 4]> {
    let wrong = || sql_error!(12005, INDEX, of);
    let SettingValue::List(_, list) = &setting.value else { return Err(wrong()) };
    let named = list.iter().any(|part| names.contains(&&*part.name));
    let mut found = [None; 4];
    for (at, part) in list.iter().enumerate() {
        let place = if named { names.iter().position(|name| *name == &*part.name) } else { (at < 4).then_some(at) };
        let place = place.ok_or_else(wrong)?;
        found[place] = Some(read(part, named).ok_or_else(wrong)?);
    }
    match found {
        [Some(a), Some(b), Some(c), Some(d)] => Ok([a, b, c, d]),
        _ => Err(sql_error!(12014, of, INDEX)),
    }
}

fn number(part: &Setting, _: bool) -> Option<f64> {
    match &part.value {
        SettingValue::Value(value) => number_of(value),
        _ => None,
    }
}

fn number_of(value: &Expr) -> Option<f64> {
    match value {
        Expr::Literal(Literal::Int(value)) => Some(f64::from(*value)),
        Expr::Literal(Literal::Float(value)) => Some(*value),
        Expr::Literal(Literal::Decimal(value)) => format!("{}e-{}", value.unscaled, value.scale).parse().ok(),
        Expr::Unary(UnaryOp::Minus, value) => number_of(value).map(|value| -value),
        Expr::Unary(UnaryOp::Plus, value) => number_of(value),
        _ => None,
    }
}

/// Places in `GRIDS`; of levels that are not named the middle one.
fn levels(setting: &Setting) -> SqlResult<[usize; 4]> {
    let wrong = || sql_error!(12005, INDEX, "GRIDS");
    let SettingValue::List(_, list) = &setting.value else { return Err(wrong()) };
    let place = |word: &str| GRIDS.iter().position(|(name, _)| name.eq_ignore_ascii_case(word));
    let mut levels = [1; 4];
    let named = list.iter().any(|part| LEVELS.contains(&&*part.name));
    for (at, part) in list.iter().enumerate() {
        let level = match &part.value {
            SettingValue::Word(word) if named => place(&word.text),
            SettingValue::Alone if !named => place(&part.name),
            _ => None,
        };
        let at = if named { LEVELS.iter().position(|name| *name == &*part.name) } else { (at < 4).then_some(at) };
        levels[at.ok_or_else(wrong)?] = level.ok_or_else(wrong)?;
    }
    if !named && list.len() != 4 {
        return Err(sql_error!(12014, "GRIDS", INDEX));
    }
    Ok(levels)
}
