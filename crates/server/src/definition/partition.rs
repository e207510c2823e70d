//! CREATE, ALTER, DROP of partition functions and schemes, and where tables and indexes are placed by them.
//!
//! An index lies where its table does, or elsewhere: undivided in a filegroup, or by another column or function. Then what asks for each
//! partition of the table alone is refused. Its trees are those of its table all the same: only the catalog tells the difference.
//! https://learn.microsoft.com/sql/relational-databases/partitions/partitioned-tables-and-indexes

use std::sync::Arc;

use sql::ast::{
    AlterPartitionFunction, AlterPartitionScheme, CreatePartitionFunction, CreatePartitionScheme, DataSpace, Expr,
    Ident, TypeName,
};
use sql::catalog::{PartitionFunctionDef, TableDef};
use storage::{LockMode, TableId};
use types::key::KeyCodec;
use types::{Datum, SqlError, SqlResult, TypeKind, sql_error};

use super::data_type;
use super::database::filegroup_named;
use super::database_file::PRIMARY;
use super::number::whole_number;
use super::site::{Ddl, cannot_find};
use super::text;
use crate::catalog::base::{ClassRow, ColumnRow, IndexRow, class, column_status as cs, index_status};
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, small};
use crate::catalog::partition::{self, FUNCTION_MIN, PARTITIONS_MAX, SCHEME_MIN, Scheme};
use crate::catalog::{Database, clock};

/// Values of a function that one query computes.
const VALUES_AT_A_TIME: usize = 500;

/// Where rows are to lie: a filegroup, or a scheme with the column that it divides by.
#[derive(Debug, Clone)]
pub struct Placement {
    pub space: i32,
    pub divided: Option<Divided>,
}

/// ON scheme(column).
#[derive(Debug, Clone)]
pub struct Divided {
    pub column: String,
    pub function: Arc<PartitionFunctionDef>,
}

impl Placement {
    pub const DEFAULT: Placement = Placement { space: PRIMARY, divided: None };

    /// Where a table's rows are.
    pub fn of(table: &TableDef) -> Placement {
        match &table.partitioning {
            None => Placement::DEFAULT,
            Some(own) => Placement {
                space: own.scheme,
                divided: Some(Divided {
                    column: table.columns[usize::from(own.column)].name.to_string(),
                    function: own.function.clone(),
                }),
            },
        }
    }

    pub fn is_same(&self, db: &Database, other: &Placement) -> bool {
        let columns = match (&self.divided, &other.divided) {
            (Some(own), Some(other)) => db.equal_names(&own.column, &other.column),
            (own, other) => own.is_none() && other.is_none(),
        };
        columns && (self.space == other.space || self.divided.is_none())
    }
}

/// What an ON clause says; None: there is none. 1921: no such filegroup or scheme; 2703, 2726: a scheme without its column, or with more.
pub fn placement(ddl: &mut Ddl<'_>, db: &Database, on: Option<&DataSpace>) -> SqlResult<Option<Placement>> {
    let Some(on) = on else { return Ok(None) };
    if on.columns.is_empty() && on.name.eq_ignore_ascii_case("DEFAULT") {
        return Ok(Some(Placement::DEFAULT));
    }
    let scheme = ddl.rows(db, |rows| partition::scheme_named(rows, &on.name))?;
    let Some(scheme) = scheme else {
        return match on.columns.first() {
            Some(_) => Err(sql_error!(1921, "partition scheme", &*on.name)),
            None => Ok(Some(Placement { space: filegroup_named(ddl, db, &on.name)?, divided: None })),
        };
    };
    hold(ddl, db, scheme.function)?;
    let function = expect_function(ddl, db, scheme.function)?;
    let is_again = |(at, own): (usize, &Ident)| on.columns[..at].iter().any(|other| db.equal_names(own, other));
    if let Some(at) = on.columns.iter().enumerate().position(is_again) {
        return Err(sql_error!(2703, &*on.columns[at]));
    }
    let [column] = &*on.columns else { return Err(sql_error!(2726, function.name, 1)) };
    let divided = Some(Divided { column: column.to_string(), function: Arc::new(function) });
    Ok(Some(Placement { space: scheme.id, divided }))
}

/// Where an index lies: with its table, if nothing else is said.
pub fn of_index(asked: Option<&Placement>, table: &Placement) -> Placement {
    match asked {
        None if table.divided.is_some() => table.clone(),
        None => Placement::DEFAULT,
        Some(asked) => asked.clone(),
    }
}

/// A table that moves leaves its other indexes where they are. Those that have no place of their own are with its rows.
pub fn refuse_attached_indexes(ddl: &mut Ddl<'_>, db: &Database, table: i32) -> SqlResult<()> {
    let rows = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
    let mut others = rows.iter().filter(|row| row.indid > 1 && row.status & index_status::STATISTICS == 0);
    match others.all(|row| row.kind == 2) {
        true => Ok(()),
        false => Err(super::unsupported("An index of xml or spatial values of a table that moves elsewhere")),
    }
}

/// Whether the rows of a table, or an index, can be divided by the column. 1911, 7724, 7726, 7727; 1978: rows not by a sparse one.
/// https://learn.microsoft.com/sql/relational-databases/tables/use-sparse-columns
pub fn check_column(
    ddl: &mut Ddl<'_>,
    db: &Database,
    (shown, id): (&str, i32),
    divided: &Divided,
    is_of_rows: bool,
) -> SqlResult<()> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]))?;
    let column = columns.iter().find(|column| db.equal_names(&column.name, &divided.column));
    let column = column.ok_or_else(|| sql_error!(1911, divided.column))?;
    if column.status & cs::COMPUTED != 0 && column.status & cs::PERSISTED == 0 {
        return Err(sql_error!(7724, column.name, shown));
    }
    if is_of_rows && column.status & cs::SPARSE != 0 {
        return Err(sql_error!(1978, column.name, shown));
    }
    let (own, wanted) = (super::rebuild::column_type(column).ty, divided.function.ty);
    let name = &divided.function.name;
    if own.to_string() != wanted.to_string() {
        return Err(sql_error!(7726, column.name, own, name, wanted));
    }
    match own.is_string() && own.collation != wanted.collation {
        true => Err(sql_error!(7727, column.name, name)),
        false => Ok(()),
    }
}

/// 10794
pub fn not_in_memory() -> SqlError {
    sql_error!(10794, state 93, "feature", "partitioning", "memory optimized tables")
}

/// Keeps the function as it is until the transaction ends: what is made by its boundaries has them. Who changes it locks it against that.
fn hold(ddl: &mut Ddl<'_>, db: &Database, function: i32) -> SqlResult<()> {
    let (_, tx) = ddl.site.state();
    tx.lock_table(db.storage_id(), TableId(function), LockMode::SchemaStability).map_err(storage_error)?;
    // Whoever had it before may have changed what was read until now.
    tx.begin_statement();
    tx.renew_snapshot();
    Ok(())
}

fn expect_function(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<PartitionFunctionDef> {
    let function = ddl.rows(db, |rows| partition::function_by_id(rows, id))?;
    function.ok_or_else(|| storage_error(storage::StorageError::UnknownTable))
}

fn new_class_id(ddl: &mut Ddl<'_>, db: &Database, class: u8, least: i32) -> SqlResult<i32> {
    let known = ddl.rows(db, |rows| rows.find::<ClassRow>(0, &[small(class)]))?;
    Ok(known.iter().map(|row| row.id + 1).max().unwrap_or(least).max(least))
}

fn class_row(class: u8, id: i32, name: &Ident, status: i32, value: crate::catalog::row::Text) -> ClassRow {
    let now = clock::now();
    ClassRow { class, id, name: name.to_string(), owner: 1, created: now, modified: now, status, value }
}

/// 7703: one value decides; 7704: text, xml, (max) and rowversion have no ranges; nor has a type of a user's, or of the CLR, one of its own.
fn function_type(ddl: &mut Ddl<'_>, db: &Database, create: &CreatePartitionFunction) -> SqlResult<types::SqlType> {
    if create.several {
        return Err(sql_error!(7703));
    }
    let written = || text::type_text(&create.data_type).unwrap_or_default().replace(['[', ']'], "");
    let resolved = data_type::resolve(ddl, db, &create.data_type, 1);
    use TypeKind::{Image, Json, NText, RowVersion, SqlVariant, Text, Xml};
    let ty = match (&create.data_type.name, resolved) {
        (TypeName::Builtin(Json), _) => return Err(sql_error!(7704, "json")),
        (TypeName::Builtin(_), resolved) => resolved?.ty,
        (TypeName::Vector, _) => return Err(sql_error!(7704, "sys.vector")),
        (_, Ok(_)) => return Err(sql_error!(7704, state 3, written())),
        (_, Err(_)) => return Err(sql_error!(7704, state 2, written())),
    };
    // sql_variant has ranges in SQL Server.
    if ty.kind == SqlVariant {
        return Err(super::unsupported("CREATE PARTITION FUNCTION of sql_variant"));
    }
    if ty.is_max() || matches!(ty.kind, Text | NText | Image | Xml | RowVersion) {
        return Err(sql_error!(7704, ty));
    }
    data_type::collate(db, ty, create.collation.as_deref())
}

/// The type in which values are asked for: texts and bytes as long as they come.
fn asked_type(ty: &types::SqlType) -> types::SqlType {
    use TypeKind::{Binary, Char, NChar, NVarChar, VarBinary, VarChar};
    match ty.kind {
        Char | VarChar => types::SqlType::varchar(8000).with_collation(ty.collation),
        NChar | NVarChar => types::SqlType::nvarchar(4000).with_collation(ty.collation),
        Binary | VarBinary => types::SqlType::varbinary(8000),
        _ => *ty,
    }
}

/// A value as long as the type lets it be. What ends it is cut off: blanks, or zero bytes. None: it is longer.
fn fitted(ty: &types::SqlType, value: Datum) -> Option<Datum> {
    use TypeKind::{Binary, Char, NChar, NVarChar, VarBinary, VarChar};
    let Datum::Bytes(bytes) = &value else { return Some(value) };
    let end: &[u8] = match ty.kind {
        Char | VarChar => b" ",
        NChar | NVarChar => b" \0",
        Binary | VarBinary => b"\0",
        _ => return Some(value),
    };
    let mut bytes = bytes.to_vec();
    let most = usize::from(ty.length);
    while bytes.ends_with(end) && (bytes.len() > most || matches!(ty.kind, VarChar | VarBinary)) {
        bytes.truncate(bytes.len() - end.len());
    }
    if matches!(ty.kind, Char | NChar | Binary) {
        bytes.extend(end.iter().cycle().take(most.saturating_sub(bytes.len())));
    }
    (bytes.len() <= most).then(|| Datum::bytes(&bytes))
}

/// The values of constant expressions, as assigned to the type. 7705: one has no such value; 7720: one is too long.
fn values(ddl: &mut Ddl<'_>, ty: &types::SqlType, exprs: &[Expr]) -> SqlResult<Vec<Datum>> {
    let asked = asked_type(ty);
    let mut texts = Vec::with_capacity(exprs.len());
    for (i, expr) in exprs.iter().enumerate() {
        if let Expr::Subquery(_) = expr {
            return Err(sql_error!(1046));
        }
        let text = constant_text(ddl, expr);
        let text = text.ok_or_else(|| super::unsupported("A partition's boundary that is no constant expression"))?;
        let collate = if ty.is_string() { format!(" COLLATE {}", ty.collation.name()) } else { String::new() };
        // What a variable of the type could not be set to is no boundary either.
        texts.push(format!("ISNULL(CONVERT({asked}, NULL){collate}, {text}) AS c{i}"));
    }
    let mut found = Vec::with_capacity(exprs.len());
    for (piece, texts) in texts.chunks(VALUES_AT_A_TIME).enumerate() {
        match query_row(ddl, texts) {
            Ok(row) => found.extend(row),
            // Which one it was.
            Err(_) => {
                for (i, text) in texts.iter().enumerate() {
                    let ordinal = piece * VALUES_AT_A_TIME + i + 1;
                    found.extend(query_row(ddl, std::slice::from_ref(text)).map_err(|error| {
                        let types_differ = matches!(error.number, 206 | 257 | 402);
                        sql_error!(7705, state if types_differ { 1 } else { 2 }, ordinal)
                    })?);
                }
            }
        }
    }
    let fit = |(at, value): (usize, Datum)| fitted(ty, value).ok_or_else(|| sql_error!(7720, at + 1));
    found.into_iter().enumerate().map(fit).collect()
}

fn query_row(ddl: &mut Ddl<'_>, texts: &[String]) -> SqlResult<Vec<Datum>> {
    let mut found = Vec::new();
    ddl.site.query(&format!("SELECT {}", texts.join(", ")), &mut |_, batch| {
        if batch.rows > 0 {
            found = batch.columns.iter().map(|column| column.datum(0)).collect();
        }
        Ok(())
    })?;
    Ok(found)
}

/// A constant expression or a variable as an expression of a query.
fn constant_text(ddl: &Ddl<'_>, expr: &Expr) -> Option<String> {
    match expr {
        Expr::Variable(variable) => Some(match ddl.site.variable(&variable.name) {
            Some(value) => text::quote(value),
            None => "NULL".to_owned(),
        }),
        expr => text::expression(expr).filter(|_| is_constant(expr)),
    }
}

fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Unary(_, inner) => is_constant(inner),
        Expr::Arithmetic(chain) => is_constant(&chain.first) && chain.rest.iter().all(|(_, part)| is_constant(part)),
        Expr::Cast(cast) => is_constant(&cast.operand),
        Expr::Convert(convert) => is_constant(&convert.operand),
        Expr::Call(call) => call.args.iter().all(is_constant),
        _ => false,
    }
}

/// https://learn.microsoft.com/sql/t-sql/statements/create-partition-function-transact-sql
pub fn create_function(ddl: &mut Ddl<'_>, create: &CreatePartitionFunction) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let ty = function_type(ddl, &db, create)?;
    if ddl.class_named(&db, class::PARTITION_FUNCTION, &create.name)?.is_some() {
        return Err(sql_error!(2714, state 35, &*create.name));
    }
    if create.values.len() >= PARTITIONS_MAX {
        return Err(sql_error!(7719, PARTITIONS_MAX));
    }
    let values = values(ddl, &ty, &create.values)?;
    let codec = KeyCodec::new(&ty, false);
    let mut keyed: Vec<(Vec<u8>, usize)> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let mut key = Vec::new();
            codec.encode(value, &mut key);
            (key, at)
        })
        .collect();
    let is_sorted = keyed.is_sorted();
    keyed.sort();
    if let Some(pair) = keyed.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[0].1) {
        return Err(sql_error!(7708, pair[0].1 + 1, pair[1].1 + 1));
    }
    if !is_sorted {
        ddl.message(sql_error!(7709, &*create.name, &*create.name));
    }
    let id = new_class_id(ddl, &db, class::PARTITION_FUNCTION, FUNCTION_MIN)?;
    let function = PartitionFunctionDef {
        id,
        name: (&*create.name).into(),
        ty,
        right: create.right,
        boundaries: keyed.iter().map(|(_, at)| values[*at].clone()).collect(),
    };
    let status = if create.right { partition::RIGHT } else { 0 };
    let value = partition::function_value(&function);
    let row = class_row(class::PARTITION_FUNCTION, id, &create.name, status, value);
    ddl.rows(&db, |rows| rows.insert(&row))?;
    ddl.changed(db.id, 0);
    Ok(())
}

fn filegroup(ddl: &mut Ddl<'_>, db: &Database, name: &Ident) -> SqlResult<i32> {
    if name.eq_ignore_ascii_case("DEFAULT") {
        return Ok(PRIMARY);
    }
    filegroup_named(ddl, db, name).map_err(|_| sql_error!(208, state 58, &**name))
}

/// https://learn.microsoft.com/sql/t-sql/statements/create-partition-scheme-transact-sql
pub fn create_scheme(ddl: &mut Ddl<'_>, create: &CreatePartitionScheme) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let function = ddl.rows(&db, |rows| partition::function_named(rows, &create.function))?;
    let function = function.ok_or_else(|| sql_error!(208, state 58, &*create.function))?;
    hold(ddl, &db, function.id)?;
    let function = expect_function(ddl, &db, function.id)?;
    let taken = ddl.class_named(&db, class::PARTITION_SCHEME, &create.name)?.is_some()
        || ddl.class_named(&db, class::FILEGROUP, &create.name)?.is_some();
    if taken {
        return Err(sql_error!(2714, state 58, &*create.name));
    }
    let wanted = function.partitions();
    if create.all && create.filegroups.len() > 1 {
        return Err(sql_error!(7723));
    }
    if !create.all && create.filegroups.len() < wanted {
        return Err(sql_error!(7707, function.name, &*create.name));
    }
    let groups = create.filegroups.iter().map(|name| filegroup(ddl, &db, name)).collect::<SqlResult<Vec<i32>>>()?;
    let id = new_class_id(ddl, &db, class::PARTITION_SCHEME, SCHEME_MIN)?;
    let scheme = Scheme {
        id,
        name: create.name.to_string(),
        function: function.id,
        filegroups: (0..wanted).map(|at| if create.all { groups[0] } else { groups[at] }).collect(),
        next: if create.all { Some(groups[0]) } else { groups.get(wanted).copied() },
        all: create.all,
    };
    let status = if create.all { partition::ALL } else { 0 };
    let row = class_row(class::PARTITION_SCHEME, id, &create.name, status, scheme.value());
    ddl.rows(&db, |rows| rows.insert(&row))?;
    ddl.changed(db.id, 0);
    if let Some(next) = create.filegroups.get(wanted).filter(|_| !create.all) {
        ddl.message(sql_error!(7712, &*create.name, &**next, &*create.name));
        let ignored = create.filegroups.len() - wanted - 1;
        if ignored > 0 {
            ddl.message(sql_error!(7713, ignored));
        }
    }
    Ok(())
}

/// https://learn.microsoft.com/sql/t-sql/statements/alter-partition-scheme-transact-sql
pub fn alter_scheme(ddl: &mut Ddl<'_>, alter: &AlterPartitionScheme) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let scheme = ddl.rows(&db, |rows| partition::scheme_named(rows, &alter.name))?;
    let mut scheme = scheme.ok_or_else(|| cannot_find("alter", "partition scheme", &alter.name))?;
    match &alter.next_used {
        Some(name) => scheme.next = Some(filegroup(ddl, &db, name)?),
        None if scheme.next.is_none() => {
            let warning = sql_error!(7710, severity 10, scheme.name);
            ddl.message(warning);
        }
        None => scheme.next = None,
    }
    write_scheme(ddl, &db, &scheme)
}

fn write_scheme(ddl: &mut Ddl<'_>, db: &Database, scheme: &Scheme) -> SqlResult<()> {
    let now = clock::now();
    ddl.rows(db, |rows| {
        rows.update::<ClassRow>(0, &[small(class::PARTITION_SCHEME), int(scheme.id)], |row| {
            row.value = scheme.value();
            row.modified = now;
        })
    })?;
    ddl.changed(db.id, 0);
    Ok(())
}

fn schemes_of(ddl: &mut Ddl<'_>, db: &Database, function: i32) -> SqlResult<Vec<Scheme>> {
    let rows = ddl.rows(db, |rows| rows.find::<ClassRow>(0, &[small(class::PARTITION_SCHEME)]))?;
    Ok(rows.iter().filter_map(partition::scheme).filter(|scheme| scheme.function == function).collect())
}

/// The tables whose rows lie on a scheme.
fn tables_on(ddl: &mut Ddl<'_>, db: &Database, scheme: i32) -> SqlResult<Vec<i32>> {
    let indexes: Vec<IndexRow> = ddl.rows(db, |rows| rows.all())?;
    Ok(indexes.iter().filter(|row| row.indid <= 1 && row.dataspace == scheme).map(|row| row.id).collect())
}

/// https://learn.microsoft.com/sql/t-sql/statements/alter-partition-function-transact-sql
pub fn alter_function(ddl: &mut Ddl<'_>, alter: &AlterPartitionFunction) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let function = ddl.rows(&db, |rows| partition::function_named(rows, &alter.name))?;
    let function = function.ok_or_else(|| cannot_find("alter", "partition function", &alter.name))?;
    ddl.lock(&db, function.id)?;
    let mut function = expect_function(ddl, &db, function.id)?;
    if alter.merge && function.boundaries.is_empty() {
        return Err(sql_error!(7716, state 2));
    }
    let value = alter.value.as_ref().ok_or_else(|| sql_error!(7714))?;
    let value = values(ddl, &function.ty, std::slice::from_ref(value))?.pop().expect("a value of each expression");
    let mut key = Vec::new();
    KeyCodec::new(&function.ty, false).encode(&value, &mut key);
    let keys = function.keys();
    let place = keys.partition_point(|known| **known < *key);
    let is_there = keys.get(place).is_some_and(|known| **known == *key);
    match (alter.merge, is_there) {
        (true, false) => return Err(sql_error!(7715)),
        (false, true) => return Err(sql_error!(7721, place + 1)),
        (false, false) if function.partitions() >= PARTITIONS_MAX => return Err(sql_error!(7719, PARTITIONS_MAX)),
        _ => {}
    }
    let schemes = schemes_of(ddl, &db, function.id)?;
    if let Some(scheme) = schemes.iter().find(|scheme| !alter.merge && scheme.next.is_none()) {
        return Err(sql_error!(7710, scheme.name));
    }
    let mut tables = Vec::new();
    for scheme in &schemes {
        for table in tables_on(ddl, &db, scheme.id)? {
            ddl.lock(&db, table)?;
            tables.push(table);
        }
    }
    // Which partition comes or goes: that on the side to which the boundary belongs.
    let changed = place + usize::from(function.right);
    match alter.merge {
        true => drop(function.boundaries.remove(place)),
        false => function.boundaries.insert(place, value),
    }
    let value = partition::function_value(&function);
    let now = clock::now();
    ddl.rows(&db, |rows| {
        rows.update::<ClassRow>(0, &[small(class::PARTITION_FUNCTION), int(function.id)], |row| {
            row.value = value.clone();
            row.modified = now;
        })
    })?;
    for mut scheme in schemes {
        match (alter.merge, scheme.next) {
            (true, _) => drop(scheme.filegroups.remove(changed)),
            (false, Some(next)) => {
                scheme.filegroups.insert(changed, next);
                scheme.next = scheme.next.filter(|_| scheme.all);
            }
            (false, None) => unreachable!("refused above"),
        }
        write_scheme(ddl, &db, &scheme)?;
    }
    let database = db.storage_id();
    for table in tables {
        let id = TableId(table);
        let moved = if alter.merge {
            ddl.long_storage(|storage, tx, pause| storage.merge_partitions(tx, database, id, place, pause))
        } else {
            let new = TableId(ddl.new_id(&db)?);
            ddl.long_storage(|storage, tx, pause| storage.split_partition(tx, database, id, (&key, new), pause))
        };
        moved.map_err(storage_error)?;
        ddl.changed(db.id, table);
    }
    Ok(())
}

/// 7706: a scheme uses it.
pub fn drop_function(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let function = ddl.rows(&db, |rows| partition::function_named(rows, name))?;
    let function = function.ok_or_else(|| cannot_find("drop", "partition function", name))?;
    ddl.lock(&db, function.id)?;
    if !schemes_of(ddl, &db, function.id)?.is_empty() {
        return Err(sql_error!(7706, function.name));
    }
    ddl.rows(&db, |rows| rows.delete::<ClassRow>(0, &[small(class::PARTITION_FUNCTION), int(function.id)]))?;
    ddl.changed(db.id, 0);
    Ok(())
}

/// 7717: a table lies on it.
pub fn drop_scheme(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<()> {
    let db = ddl.current()?;
    db.check_writable()?;
    let scheme = ddl.rows(&db, |rows| partition::scheme_named(rows, name))?;
    let scheme = scheme.ok_or_else(|| cannot_find("drop", "partition scheme", name))?;
    ddl.lock(&db, scheme.function)?;
    let indexes: Vec<IndexRow> = ddl.rows(&db, |rows| rows.all())?;
    if indexes.iter().any(|index| index.dataspace == scheme.id) {
        return Err(sql_error!(7717, scheme.name));
    }
    ddl.rows(&db, |rows| rows.delete::<ClassRow>(0, &[small(class::PARTITION_SCHEME), int(scheme.id)]))?;
    ddl.changed(db.id, 0);
    Ok(())
}

/// A partition's number as a statement writes it. 4957: it is not a whole number.
pub fn number(ddl: &mut Ddl<'_>, expr: &Expr, statement: &str, kind: &str, name: &str) -> SqlResult<i64> {
    let wrong = || sql_error!(4957, state 3, statement, kind, name);
    if let Some(number) = whole_number(expr) {
        return i64::try_from(number).map_err(|_| wrong());
    }
    if let Expr::Variable(variable) = expr {
        let value = ddl.site.variable(&variable.name).and_then(|value| value.parse::<i64>().ok());
        return value.ok_or_else(wrong);
    }
    let text = constant_text(ddl, expr);
    let text = text.ok_or_else(|| super::unsupported("A partition's number that is no constant expression"))?;
    let described = ddl.site.describe(&format!("SELECT {text} AS n"))?;
    if !described.first().is_some_and(|column| column.ty.is_integer()) {
        return Err(wrong());
    }
    let row = query_row(ddl, &[format!("CONVERT(bigint, {text}) AS n")])?;
    match row.first() {
        Some(Datum::I64(number)) => Ok(*number),
        _ => Err(wrong()),
    }
}

/// The partitions, from 0, that TRUNCATE TABLE ... WITH (PARTITIONS (...)) names. 7711, 7722, 7728.
/// https://learn.microsoft.com/sql/t-sql/statements/truncate-table-transact-sql
pub fn listed(ddl: &mut Ddl<'_>, list: &[(Expr, Option<Expr>)], shown: &str, count: usize) -> SqlResult<Vec<usize>> {
    let mut found = Vec::new();
    for (first, last) in list {
        let first = number(ddl, first, "TRUNCATE TABLE", "table", shown)?;
        let last = match last {
            Some(last) => number(ddl, last, "TRUNCATE TABLE", "table", shown)?,
            None => first,
        };
        if let Some(wrong) = [first, last].into_iter().find(|number| !(1..=count as i64).contains(number)) {
            return Err(sql_error!(7722, state 2, wrong, "table", shown, count));
        }
        if first > last {
            return Err(sql_error!(7728, first, last));
        }
        for number in first..=last {
            if found.contains(&(number as usize - 1)) {
                return Err(sql_error!(7711, state 2, "PARTITIONS"));
            }
            found.push(number as usize - 1);
        }
    }
    Ok(found)
}
