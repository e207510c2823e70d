//! XML schema collections. Each is a row of `sysschobjs` of kind XS, its documents the row's text. Names of collections are apart from those
//! of objects: the row's schema is the negative of the schema's number.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use os::sync::RwLock;
use os::wait::WaitType;
use types::pause::{Pacer, Pause, STRIDE};
use types::{SqlResult, sql_error};
use xml::schema::{self, Schema};
use xml::write::Writer;
use xml::{Meter, read};

use super::base::ObjectRow;
use super::load;
use super::store::Rows;

/// `ObjectRow::kind`
pub const KIND: &str = "XS";

/// `xml_collection_id` of collections of users: the object's id, this and its number.
const ID_BASE: i32 = 65_535;
/// Most collections of a database.
pub const NUMBER_MAX: i32 = u16::MAX as i32;

pub const fn id_of(number: u16) -> i32 {
    ID_BASE + number as i32
}

/// The number of a collection by its row. None: it is another object's.
pub fn number_of(row: &ObjectRow) -> Option<u16> {
    let number = u16::try_from(i64::from(row.id) - i64::from(ID_BASE)).ok()?;
    (number > 0 && row.kind.as_str() == KIND).then_some(number)
}

/// `ObjectRow::nsid` of collections of a schema.
pub const fn space_of(schema: i32) -> i32 {
    -schema
}

pub fn named(rows: &mut Rows<'_>, schema: &str, name: &str) -> SqlResult<Option<ObjectRow>> {
    let Some(schema) = load::schema_named(rows, schema)? else { return Ok(None) };
    load::object_row_named(rows, space_of(schema.id), name)
}

/// Its schema and its name.
pub fn name(rows: &mut Rows<'_>, number: u16) -> SqlResult<Option<(String, String)>> {
    match load::object_row(rows, id_of(number))? {
        Some(row) => Ok(Some((load::schema_name(rows, -row.nsid)?, row.name))),
        None => Ok(None),
    }
}

/// The documents of a collection, as one text. 6327: there is none.
pub fn text(rows: &mut Rows<'_>, number: u16) -> SqlResult<String> {
    let missing = || sql_error!(6327, id_of(number));
    load::text_of(rows, id_of(number))?.ok_or_else(missing)
}

/// Bytes of the documents of one collection.
const TEXT_MAX: usize = 32 << 20;

/// 2378 and all that a schema may have wrong. `known`: the text begins with what the collection has already.
pub fn compile(text: &str, known: &str, pause: &dyn Pause) -> SqlResult<Schema> {
    if text.len() > TEXT_MAX {
        return Err(sql_error!(2362, ""));
    }
    let (mut pacer, mut grow) = (Pacer::new(pause), |_| Ok(()));
    let mut meter = Meter::new(&mut pacer, &mut grow);
    meter.stack_left = os::sched::stack_remaining;
    let known = read::read(known, &mut meter)?.children(0).count();
    let document = read::read(text, &mut meter)?;
    schema::compile(&document, known, &mut meter)
}

/// The documents of one target namespace.
pub fn of_namespace(text: &str, namespace: &str) -> SqlResult<String> {
    let turns = Turns(Cell::new(STRIDE));
    let (mut pacer, mut grow) = (Pacer::new(&turns), |_| Ok(()));
    let mut meter = Meter::new(&mut pacer, &mut grow);
    let document = read::read(text, &mut meter)?;
    let mut writer = Writer::new(&[]);
    for node in document.children(0) {
        let is = |at: &u32| &*document.name(*at).local == "targetNamespace" && document.name(*at).uri.is_empty();
        let target = document.attributes(node).find(is).map_or("", |at| document.value(at));
        if target == namespace {
            writer.node(&document, node, &mut meter)?;
        }
    }
    Ok(writer.finish())
}

/// Others have their turn.
struct Turns(Cell<usize>);

impl Pause for Turns {
    fn pause(&self) -> SqlResult<()> {
        os::wait::maybe_yield();
        Ok(())
    }

    fn left(&self) -> &Cell<usize> {
        &self.0
    }
}

/// Collections that are kept at most.
const KEPT_MAX: usize = 1_000;

/// Compiled collections of a database.
pub struct Schemas {
    kept: RwLock<HashMap<u16, Kept>>,
}

#[derive(Clone)]
struct Kept {
    /// The database's when it was last seen to be right.
    version: u64,
    text: Arc<str>,
    schema: Arc<Schema>,
}

impl Default for Schemas {
    fn default() -> Schemas {
        Schemas { kept: RwLock::new(WaitType::METADATA_CACHE, HashMap::new()) }
    }
}

impl Schemas {
    /// One that is right at `version`.
    pub fn current(&self, number: u16, version: u64) -> Option<Arc<Schema>> {
        self.kept.read().get(&number).filter(|kept| kept.version == version).map(|kept| kept.schema.clone())
    }

    /// A collection by its documents. `version`: as of which everybody has them, and the result may be kept.
    pub fn of_text(&self, number: u16, text: String, version: Option<u64>) -> SqlResult<Arc<Schema>> {
        let known = self.kept.read().get(&number).filter(|kept| *kept.text == *text).cloned();
        let (text, schema) = match known {
            Some(kept) => (kept.text, kept.schema),
            None => {
                let schema = compile(&text, "", &Turns(Cell::new(STRIDE)))?;
                (text.into(), Arc::new(schema))
            }
        };
        if let Some(version) = version {
            let mut all = self.kept.write();
            if all.len() >= KEPT_MAX {
                all.clear();
            }
            all.insert(number, Kept { version, text, schema: schema.clone() });
        }
        Ok(schema)
    }
}
