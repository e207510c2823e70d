//! From catalog rows to the definitions the binder works with.

use std::sync::Arc;

use sql::catalog::{
    CheckDef, ColumnDef, Computed, DatabaseId, FilterTerm, ForeignKeyDef, IndexDef, IndexKind, MemoryOptimized,
    ModuleDef, ModuleKind, Object, ObjectId, ObjectName, PeriodEnd, ReferentialAction, Retention, RetentionUnit,
    RunsAs, SequenceDef, StatisticsDef, SynonymDef, TableDef, TriggerDef, UserType, Versioning,
};
use sql::lex::{Lexer, TokenKind};
use sql::mask::MaskFunction;
use types::{Datum, SqlResult};

use super::base::{
    ClassRow, ColumnRow, IndexColumnRow, IndexRow, KeyReferenceRow, MEMORY_OPTIMIZED_TYPE, ObjectRow, ReferenceRow,
    SequenceRow, TextRow, TypeRow, class, column_status as cs, index_status as ix, object_status as os_, schema,
};
use super::partition;
use super::predicate;
use super::row::Field;
use super::scalar_type::sql_type;
use super::store::Rows;

pub fn int(value: i32) -> Datum {
    Datum::I64(i64::from(value))
}

pub fn small(value: u8) -> Datum {
    Datum::I64(i64::from(value))
}

pub fn name(value: &str) -> Datum {
    value.to_string().to_datum()
}

/// Of a `KeyReferenceRow` of a trigger's event: sp_settriggerorder.
pub const FIRST: i32 = 1;
pub const LAST: i32 = 2;

/// Index of the key of `sysschobjs` on (schema, name), and of the one on the parent.
pub const BY_NAME: usize = 1;
pub const BY_PARENT: usize = 2;

pub fn object_row(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<ObjectRow>> {
    rows.first(0, &[int(id)])
}

pub fn object_row_named(rows: &mut Rows<'_>, schema: i32, text: &str) -> SqlResult<Option<ObjectRow>> {
    rows.first(BY_NAME, &[int(schema), name(text)])
}

pub fn schema_named(rows: &mut Rows<'_>, text: &str) -> SqlResult<Option<ClassRow>> {
    rows.first(1, &[small(class::SCHEMA_ENTRY), name(text)])
}

pub fn schema_name(rows: &mut Rows<'_>, id: i32) -> SqlResult<String> {
    Ok(schema_of_id(rows, id)?.unwrap_or_else(|| "dbo".to_string()))
}

pub fn schema_of_id(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<String>> {
    let row = rows.first::<ClassRow>(0, &[small(class::SCHEMA_ENTRY), int(id)])?;
    Ok(row.map(|row| row.name))
}

pub fn text_of(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<String>> {
    Ok(rows.first::<TextRow>(0, &[int(id)])?.and_then(|row| row.value.0))
}

/// None: an object that no statement can name as a source or target (constraints).
pub fn object(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<Object>> {
    let kind = match row.kind.as_str() {
        "U" | "TT" => return Ok(table(rows, row)?.map(|table| Object::Table(Arc::new(table)))),
        "SN" => {
            let text = text_of(rows, row.id)?.unwrap_or_default();
            // Kept as `[a].[b].[c]`.
            let (database, object) = (DatabaseId(rows.database.0), ObjectId(row.id));
            let synonym = |target| Object::Synonym(Arc::new(SynonymDef { database, object, target }));
            return Ok(ObjectName::from_text(&text).map(synonym));
        }
        "SO" => return Ok(sequence(rows, row)?.map(|sequence| Object::Sequence(Arc::new(sequence)))),
        "V" => ModuleKind::View,
        "P" => ModuleKind::Procedure,
        "FN" => ModuleKind::ScalarFunction,
        "IF" => ModuleKind::InlineFunction,
        "TF" => ModuleKind::TableFunction,
        "TR" => ModuleKind::Trigger,
        _ => return Ok(None),
    };
    Ok(Some(Object::Module(Arc::new(module(rows, row, kind)?))))
}

fn module(rows: &mut Rows<'_>, row: &ObjectRow, kind: ModuleKind) -> SqlResult<ModuleDef> {
    Ok(ModuleDef {
        database: DatabaseId(rows.database.0),
        object: ObjectId(row.id),
        schema: schema_name(rows, row.nsid)?.into(),
        name: row.name.as_str().into(),
        kind,
        text: text_of(rows, row.id)?.unwrap_or_default().into(),
        quoted_identifier: row.status & os_::QUOTED_IDENTIFIER != 0,
        ansi_nulls: row.status & os_::ANSI_NULLS != 0,
        parent: (row.pid != 0).then_some(ObjectId(row.pid)),
        native: row.status & os_::NATIVE != 0,
        execute_as: execute_as(rows, row)?,
        null_on_null: row.status & os_::NULL_ON_NULL != 0,
        predicates: if kind == ModuleKind::View { predicate::enabled_on(rows, row.id)? } else { Vec::new() },
        column_names: if kind == ModuleKind::View { column_names(rows, row.id)? } else { Box::default() },
        rows: if kind == ModuleKind::View { stored_rows(rows, row)? } else { None },
    })
}

/// What is stored of an indexed view.
fn stored_rows(rows: &mut Rows<'_>, view: &ObjectRow) -> SqlResult<Option<Arc<TableDef>>> {
    match rows.first::<IndexRow>(0, &[int(view.id), int(1)])? {
        Some(index) if index.status & ix::DISABLED == 0 => Ok(table(rows, view)?.map(Arc::new)),
        _ => Ok(None),
    }
}

/// Indexed views that are made of the table's rows: those bound to it.
pub fn views_of(rows: &mut Rows<'_>, table: &ObjectRow) -> SqlResult<Vec<Arc<ModuleDef>>> {
    let mut views = Vec::new();
    if table.kind.as_str() != "U" {
        return Ok(views);
    }
    for reference in rows.find::<ReferenceRow>(1, &[int(table.id), small(class::OBJECT)])? {
        if reference.indepsubid != 0 {
            continue;
        }
        let view = object_row(rows, reference.depid)?.filter(|row| row.kind.as_str() == "V");
        let Some(view) = view else { continue };
        let view = module(rows, &view, ModuleKind::View)?;
        if view.rows.is_some() {
            views.push(Arc::new(view));
        }
    }
    Ok(views)
}

/// WITH EXECUTE AS: the user or login, which a row says, or the owner of now.
fn execute_as(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<RunsAs>> {
    let user = if row.status & os_::EXECUTE_AS_OWNER != 0 {
        owner_of(rows, row)?
    } else {
        let found = rows.first::<ReferenceRow>(0, &[int(row.id), small(class::EXECUTE_AS)])?;
        found.map(|row| row.indepid)
    };
    if user.is_some() && row.status & os_::NATIVE != 0 && !can_tell(rows, row)? {
        return Ok(None);
    }
    Ok(user.map(if row.nsid == schema::OF_SERVER { RunsAs::Login } else { RunsAs::User }))
}

pub fn owner_of(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<i32>> {
    let schema = rows.first::<ClassRow>(0, &[small(class::SCHEMA_ENTRY), int(row.nsid)])?;
    Ok(row.owner.or(schema.map(|schema| schema.owner)))
}

/// Whether a natively compiled module does anything that depends on who it acts as: asks who that is, calls what might, uses what another
/// owns, reads what may be masked, fires triggers. As a rule it does not, and then its calls need not become another's.
fn can_tell(rows: &mut Rows<'_>, module: &ObjectRow) -> SqlResult<bool> {
    if asks_or_calls(&text_of(rows, module.id)?.unwrap_or_default()) {
        return Ok(true);
    }
    let owner = owner_of(rows, module)?;
    for reference in rows.find::<ReferenceRow>(0, &[int(module.id), small(class::OBJECT)])? {
        if reference.indepsubid != 0 {
            continue;
        }
        let Some(object) = object_row(rows, reference.indepid)? else { continue };
        if owner_of(rows, &object)? != owner || depends_on_who(rows, object.id)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of a table: masks, triggers, and defaults, checks and computed columns that ask.
fn depends_on_who(rows: &mut Rows<'_>, table: i32) -> SqlResult<bool> {
    let asks = |text: Option<&str>| text.is_some_and(asks_or_calls);
    for column in rows.find::<ColumnRow>(0, &[int(table), small(0)])? {
        if column.status & cs::MASKED != 0 || asks(column.definition.0.as_deref()) {
            return Ok(true);
        }
    }
    for child in rows.find::<ObjectRow>(BY_PARENT, &[int(table)])? {
        let text = if matches!(child.kind.as_str(), "C" | "D") { text_of(rows, child.id)? } else { None };
        if child.kind.as_str() == "TR" || asks(text.as_deref()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// By its words: a function that tells who acts, EXECUTE of a module, a call of a user's function. A column of such a name counts, too.
fn asks_or_calls(text: &str) -> bool {
    const WHO: [&str; 15] = [
        "CURRENT_USER",
        "IS_MEMBER",
        "IS_ROLEMEMBER",
        "IS_SRVROLEMEMBER",
        "SESSION_USER",
        "SUSER_ID",
        "SUSER_NAME",
        "SUSER_SID",
        "SUSER_SNAME",
        "SYSTEM_USER",
        "USER",
        "USER_ID",
        "USER_NAME",
        "HAS_PERMS_BY_NAME",
        "ORIGINAL_LOGIN",
    ];
    let mut lexer = Lexer::new(text);
    // The last four tokens: `schema.f(` calls, but behind INSERT, and so does `EXECUTE` without AS behind it.
    let mut before: [&str; 4] = [""; 4];
    loop {
        let token = lexer.next_token();
        let word = &text[token.start as usize..token.end as usize];
        let is = |at: usize, other: &str| before[at].eq_ignore_ascii_case(other);
        let executes = (is(3, "EXEC") || is(3, "EXECUTE")) && !word.eq_ignore_ascii_case("AS");
        let calls = word == "(" && before[2] == "." && !is(0, "INSERT") && !is(0, "INTO");
        if executes || calls || WHO.iter().any(|who| word.eq_ignore_ascii_case(who)) {
            return true;
        }
        if token.kind == TokenKind::End {
            return false;
        }
        before = [before[1], before[2], before[3], word];
    }
}

fn column_names(rows: &mut Rows<'_>, view: i32) -> SqlResult<Box<[Box<str>]>> {
    let mut columns = rows.find::<ColumnRow>(0, &[int(view), small(0)])?;
    columns.sort_by_key(|column| column.colid);
    Ok(columns.into_iter().map(|column| column.name.into()).collect())
}

fn sequence(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<SequenceDef>> {
    let Some(sequence) = rows.first::<SequenceRow>(0, &[int(row.id)])? else { return Ok(None) };
    let Some(system) = super::scalar_type::by_user_type(i32::from(sequence.xtype)) else { return Ok(None) };
    let Some(ty) = sql_type(sequence.xtype, 0, system.length, sequence.prec, sequence.scale, None) else {
        return Ok(None);
    };
    Ok(Some(SequenceDef {
        database: DatabaseId(rows.database.0),
        object: ObjectId(row.id),
        schema: schema_name(rows, row.nsid)?.into(),
        name: row.name.as_str().into(),
        ty,
    }))
}

pub fn column_def(row: &ColumnRow, default: Option<String>) -> Option<ColumnDef> {
    let whole = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
    let ty = sql_type(row.xtype, row.utype, row.length, row.prec, row.scale, row.collation.as_deref())?;
    // What cannot be read hides all there is.
    let mask = |text: &str| MaskFunction::parse(text, &row.name, &ty).unwrap_or(MaskFunction::Default);
    let masked = row.definition.0.as_deref().filter(|_| row.status & cs::MASKED != 0);
    Some(ColumnDef {
        name: row.name.as_str().into(),
        ty,
        mask: masked.map(|text| Arc::new(mask(text))),
        nullable: row.status & cs::NULLABLE != 0,
        identity: (row.status & cs::IDENTITY != 0).then(|| (whole(row.seed.0), whole(row.increment.0))),
        default: default.map(Into::into),
        computed: (row.status & cs::COMPUTED != 0).then(|| Computed {
            definition: row.definition.0.as_deref().unwrap_or_default().into(),
            persisted: row.status & (cs::PERSISTED | cs::STORED) != 0,
            set: row.status & cs::COLUMN_SET != 0,
        }),
        column_id: row.colid as u32,
        rowguid: row.status & cs::ROWGUID != 0,
        generated: match row.status & (cs::ROW_START | cs::ROW_END) {
            0 => None,
            cs::ROW_START => Some(PeriodEnd::RowStart),
            _ => Some(PeriodEnd::RowEnd),
        },
        hidden: row.status & cs::HIDDEN != 0,
    })
}

/// A column set is what FOR XML makes of the sparse columns that are not NULL, and `*` stands for it in their place.
fn define_set(columns: &mut [ColumnRow]) {
    let Some(set) = columns.iter().position(|column| column.status & cs::COLUMN_SET != 0) else { return };
    let (mut list, mut any) = (Vec::new(), Vec::new());
    for column in columns.iter_mut().filter(|column| column.status & cs::SPARSE != 0) {
        column.status |= cs::HIDDEN;
        let name = format!("[{}]", column.name.replace(']', "]]"));
        any.push(format!("{name} IS NOT NULL"));
        list.push(format!("{name} AS [{}]", sql::bind::column_set::element(&column.name)));
    }
    columns[set].definition = super::row::Text(Some(match list.is_empty() {
        true => "CONVERT(xml, NULL)".to_string(),
        false => format!("(SELECT {} WHERE {} FOR XML PATH(''), TYPE)", list.join(", "), any.join(" OR ")),
    }));
}

/// Whether a column has a place in the row image.
pub fn is_stored(column: &ColumnDef) -> bool {
    column.computed.as_ref().is_none_or(|computed| computed.persisted)
}

pub fn stored_ordinals(columns: &[ColumnDef]) -> Vec<Option<u16>> {
    let mut next = 0;
    let mut place = |column: &ColumnDef| {
        is_stored(column).then(|| {
            next += 1;
            next - 1
        })
    };
    columns.iter().map(&mut place).collect()
}

/// In `IndexColumnRow::status`.
const INCLUDED: i32 = 2;

/// `sys.indexes.type`
const HASH_INDEX: u8 = 7;
const XML_INDEX: u8 = 3;
pub const SPATIAL_INDEX: u8 = 4;
/// Where `sys.indexes.index_id` of the XML and of the spatial indexes of a table begin.
pub const XML_INDEX_MIN: i32 = 256_000;
pub const SPATIAL_INDEX_MIN: i32 = 384_000;

/// The number after the last one of a table's indexes and statistics that lies in `range`.
pub fn next_index_number(existing: &[IndexRow], range: std::ops::Range<i32>) -> i32 {
    let last = existing.iter().map(|index| index.indid).filter(|number| range.contains(number)).max();
    last.map_or(range.start, |last| last + 1)
}

/// The whole definition of a table. None: it has a column of a type without values here.
pub fn table(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<TableDef>> {
    let id = row.id;
    let (mut columns, mut rules) = (Vec::new(), Vec::new());
    let mut found = rows.find::<ColumnRow>(0, &[int(id), Datum::I64(0)])?;
    define_set(&mut found);
    for column in found {
        let default = if column.dflt != 0 { default_text(rows, column.dflt)? } else { None };
        let ruled = column.status & cs::HAS_RULE != 0;
        let Some(column) = column_def(&column, default) else { return Ok(None) };
        if ruled {
            rules.extend(rule(rows, id, &column, columns.len() as u16)?);
        }
        columns.push(column);
    }
    let position = |colid: i32| columns.iter().position(|column| column.column_id == colid as u32).map(|i| i as u16);

    let (mut indexes, mut statistics) = (Vec::new(), Vec::new());
    let index_columns = rows.find::<IndexColumnRow>(0, &[int(id)])?;
    let mut partitioning = None;
    for index in rows.find::<IndexRow>(0, &[int(id)])? {
        if index.indid <= 1 {
            partitioning = partition::of_table(rows, &index, &index_columns, position)?;
        }
        if index.indid == 0 {
            continue;
        }
        let mut key: Vec<&IndexColumnRow> =
            index_columns.iter().filter(|c| c.indid == index.indid && c.keyord > 0).collect();
        key.sort_by_key(|c| c.keyord);
        // A spatial index is the catalog's alone; so is one of xml: what its methods read is the value.
        if matches!(index.kind, XML_INDEX | SPATIAL_INDEX) {
            continue;
        }
        if index.status & ix::STATISTICS != 0 {
            statistics.push(StatisticsDef {
                id: index.indid as u32,
                name: index.name.as_deref().unwrap_or_default().into(),
                columns: key.iter().filter_map(|c| position(c.colid)).collect(),
                filter: kept_filter(&index, &columns),
                kept_as_made: index.status & ix::NO_RECOMPUTE != 0,
            });
            continue;
        }
        let included =
            index_columns.iter().filter(|c| c.indid == index.indid && c.keyord == 0 && c.status & INCLUDED != 0);
        indexes.push(IndexDef {
            id: index.indid as u32,
            name: index.name.as_deref().unwrap_or_default().into(),
            unique: index.status & ix::UNIQUE != 0,
            kind: if index.kind == 1 { IndexKind::Clustered } else { IndexKind::Nonclustered },
            primary_key: index.status & ix::PRIMARY_KEY != 0,
            unique_constraint: index.status & ix::UNIQUE_CONSTRAINT != 0,
            key: key.iter().filter_map(|c| Some((position(c.colid)?, c.status & 1 != 0))).collect(),
            included: included.filter_map(|c| position(c.colid)).collect(),
            filter: kept_filter(&index, &columns),
            disabled: index.status & ix::DISABLED != 0,
            statistics_kept: index.status & ix::NO_RECOMPUTE != 0,
            ignores_duplicates: index.status & ix::IGNORE_DUPLICATES != 0,
            bucket_count: (index.kind == HASH_INDEX).then_some(index.buckets as u64),
        });
    }

    let (own_checks, foreign_keys, triggers) = children(rows, id, position)?;
    let mut checks = rules;
    checks.extend(own_checks);
    let row_count = match rows.storage.open_table(rows.database, storage::TableId(id)) {
        Ok(table) => table.row_count_estimate(),
        Err(_) => 0,
    };
    Ok(Some(TableDef {
        database: DatabaseId(rows.database.0),
        object: ObjectId(id),
        schema: schema_name(rows, row.nsid)?.into(),
        name: row.name.as_str().into(),
        stored: stored_ordinals(&columns),
        columns,
        indexes,
        checks,
        foreign_keys,
        referenced_by: foreign_keys_to(rows, id)?,
        triggers,
        predicates: predicate::enabled_on(rows, id)?,
        row_count,
        versioning: versioning(rows, row)?,
        partitioning,
        statistics,
        views: views_of(rows, row)?,
        of_view: row.kind.as_str() == "V",
        memory: (row.status & os_::MEMORY_OPTIMIZED != 0)
            .then_some(MemoryOptimized { durable: row.status & os_::SCHEMA_ONLY == 0 }),
    }))
}

/// What hangs on a table as an object of its own. `position`: of a column by its id.
#[allow(clippy::type_complexity)]
fn children(
    rows: &mut Rows<'_>,
    id: i32,
    position: impl Fn(i32) -> Option<u16>,
) -> SqlResult<(Vec<CheckDef>, Vec<ForeignKeyDef>, Vec<TriggerDef>)> {
    let (mut checks, mut foreign_keys, mut triggers) = (Vec::new(), Vec::new(), Vec::new());
    for child in rows.find::<ObjectRow>(BY_PARENT, &[int(id)])? {
        let has = |bit: i32| child.status & bit != 0;
        match child.kind.as_str() {
            "C" => checks.push(CheckDef {
                name: child.name.as_str().into(),
                object: ObjectId(child.id),
                definition: text_of(rows, child.id)?.unwrap_or_default().into(),
                column: if has(os_::OF_COLUMN) { position(child.intprop) } else { None },
                disabled: has(os_::DISABLED),
                rule: false,
            }),
            "F" => foreign_keys.extend(foreign_key(rows, &child)?),
            "TR" => triggers.push(TriggerDef {
                name: child.name.as_str().into(),
                object: ObjectId(child.id),
                instead_of: has(os_::INSTEAD_OF),
                on_insert: has(os_::ON_INSERT),
                on_update: has(os_::ON_UPDATE),
                on_delete: has(os_::ON_DELETE),
                disabled: has(os_::DISABLED),
                places: places(rows, child.id)?,
            }),
            _ => {}
        }
    }
    Ok((checks, foreign_keys, triggers))
}

/// `TriggerDef::places`: sp_settriggerorder.
fn places(rows: &mut Rows<'_>, trigger: i32) -> SqlResult<[i8; 3]> {
    let mut places = [0; 3];
    for row in rows.find::<KeyReferenceRow>(0, &[int(trigger), small(class::TRIGGER_EVENT)])? {
        if let Some(place) = usize::try_from(row.depsubid - 1).ok().and_then(|at| places.get_mut(at)) {
            *place = match row.status {
                FIRST => -1,
                LAST => 1,
                _ => 0,
            };
        }
    }
    Ok(places)
}

/// The expression of a column's default, which may be an object of its own.
fn default_text(rows: &mut Rows<'_>, id: i32) -> SqlResult<Option<String>> {
    let Some(text) = text_of(rows, id)? else { return Ok(None) };
    let alone = object_row(rows, id)?.is_some_and(|row| row.pid == 0);
    Ok(Some(if alone { format!("({}\n)", super::bound::expression(&text)) } else { text }))
}

/// The rule that is bound to a column, as a check.
fn rule(rows: &mut Rows<'_>, table: i32, column: &ColumnDef, position: u16) -> SqlResult<Option<CheckDef>> {
    let key = [int(table), small(class::RULE), int(column.column_id as i32)];
    let Some(reference) = rows.first::<ReferenceRow>(0, &key)? else { return Ok(None) };
    let Some(row) = object_row(rows, reference.indepid)? else { return Ok(None) };
    let text = text_of(rows, row.id)?.unwrap_or_default();
    let named = format!("[{}]", column.name.replace(']', "]]"));
    Ok(Some(CheckDef {
        name: row.name.as_str().into(),
        object: ObjectId(row.id),
        definition: super::bound::condition(&text, &named).into(),
        column: Some(position),
        disabled: false,
        rule: true,
    }))
}

/// SYSTEM_VERSIONING of a table.
fn versioning(rows: &mut Rows<'_>, row: &ObjectRow) -> SqlResult<Option<Versioning>> {
    let of = [int(row.id), small(class::TEMPORAL_HISTORY)];
    if row.status & os_::VERSIONED != 0 {
        let found = rows.first::<ReferenceRow>(0, &of)?;
        return Ok(found.map(|found| {
            let unit = RetentionUnit::ALL.into_iter().find(|unit| *unit as i32 == found.status);
            let retention = unit.map(|unit| Retention { count: found.indepsubid, unit });
            Versioning::Current { history: ObjectId(found.indepid), retention }
        }));
    }
    if row.status & os_::HISTORY != 0 {
        let found = rows.first::<ReferenceRow>(1, &of)?;
        return Ok(found.map(|found| Versioning::History { current: ObjectId(found.depid) }));
    }
    Ok(None)
}

/// Of a filtered index or statistics. One that an earlier version let in and this one refuses: every row.
fn kept_filter(index: &IndexRow, columns: &[ColumnDef]) -> Vec<FilterTerm> {
    let text = index.filter.0.as_deref();
    text.and_then(|text| sql::bind::kept_index_filter(text, columns).ok()).unwrap_or_default()
}

pub const fn referential_action(number: i32) -> ReferentialAction {
    match number & 15 {
        0 => ReferentialAction::NoAction,
        1 => ReferentialAction::Cascade,
        2 => ReferentialAction::SetNull,
        _ => ReferentialAction::SetDefault,
    }
}

/// Those of other tables, and its own, that reference a table.
fn foreign_keys_to(rows: &mut Rows<'_>, table: i32) -> SqlResult<Vec<ForeignKeyDef>> {
    let mut keys = Vec::new();
    for reference in rows.find::<ReferenceRow>(1, &[int(table), small(class::FOREIGN_KEY)])? {
        if let Some(key) = object_row(rows, reference.depid)? {
            keys.extend(foreign_key(rows, &key)?);
        }
    }
    Ok(keys)
}

/// Columns as positions in their tables.
fn foreign_key(rows: &mut Rows<'_>, key: &ObjectRow) -> SqlResult<Option<ForeignKeyDef>> {
    let Some(reference) = rows.first::<ReferenceRow>(0, &[int(key.id), small(class::FOREIGN_KEY)])? else {
        return Ok(None);
    };
    let mut pairs = rows.find::<KeyReferenceRow>(0, &[int(key.id), small(class::FOREIGN_KEY)])?;
    pairs.sort_by_key(|pair| pair.depsubid);
    let from = column_positions(rows, key.pid)?;
    let to = column_positions(rows, reference.indepid)?;
    let place = |columns: &[i32], colid: i32| columns.iter().position(|&id| id == colid).map(|i| i as u16);
    Ok(Some(ForeignKeyDef {
        name: key.name.as_str().into(),
        object: ObjectId(key.id),
        table: ObjectId(key.pid),
        columns: pairs.iter().filter_map(|pair| place(&from, pair.indepid)).collect(),
        referenced_table: ObjectId(reference.indepid),
        referenced_columns: pairs.iter().filter_map(|pair| place(&to, pair.indepsubid)).collect(),
        on_delete: referential_action(reference.status),
        on_update: referential_action(reference.status / 16),
        disabled: key.status & os_::DISABLED != 0,
    }))
}

fn column_positions(rows: &mut Rows<'_>, table: i32) -> SqlResult<Vec<i32>> {
    Ok(rows.find::<ColumnRow>(0, &[int(table), Datum::I64(0)])?.iter().map(|column| column.colid).collect())
}

pub fn user_type(rows: &mut Rows<'_>, row: &TypeRow) -> SqlResult<Option<UserType>> {
    if row.status & 2 != 0 {
        let Some(object) = object_row(rows, row.tableid)? else { return Ok(None) };
        let Some(mut table) = table(rows, &object)? else { return Ok(None) };
        table.schema = schema_name(rows, row.schid)?.into();
        table.name = row.name.as_str().into();
        table.memory = (row.status & MEMORY_OPTIMIZED_TYPE != 0).then_some(MemoryOptimized { durable: false });
        return Ok(Some(UserType::Table(Arc::new(table))));
    }
    let ty = sql_type(row.xtype, row.id, row.length, row.prec, row.scale, row.collation.as_deref());
    Ok(ty.map(|ty| UserType::Alias { ty, nullable: row.status & 1 != 0 }))
}

#[cfg(test)]
mod tests {
    use super::asks_or_calls;

    #[test]
    fn what_asks_who_acts_or_calls_another_is_told_by_its_words() {
        let head =
            "CREATE PROCEDURE dbo.p WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER AS BEGIN ATOMIC WITH (x) ";
        for body in ["SELECT user_name()", "EXEC dbo.q", "SELECT dbo.f(1)", "SELECT [dbo].[f](1)", "RETURN USER"] {
            assert!(asks_or_calls(&format!("{head}{body} END")), "{body}");
        }
        for body in ["SELECT a FROM dbo.t WHERE b IN (1, 2)", "INSERT dbo.t (a) VALUES (GETDATE())", "SELECT 'user'"] {
            assert!(!asks_or_calls(&format!("{head}{body} END")), "{body}");
        }
    }
}
