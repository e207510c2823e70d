//! Typed xml: what is converted to it is validated by its schema collection, and becomes what the collection makes of it.

use std::sync::Arc;

use types::pause::Pacer;
use types::{Datum, SqlError, SqlResult, SqlType, convert, sql_error};
use xml::schema::{self, Schema};
use xml::write::Writer;
use xml::{Meter, read};

use crate::context::{Context, Runtime};
use crate::workspace::Held;

/// Runs an evaluation, whose memory is the query's.
pub fn metered<T>(context: &Context, run: impl FnOnce(&mut Meter<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
    let mut held = Held::default();
    let mut grow = |bytes: usize| context.force(&mut held, bytes);
    let mut pacer = context.pacer();
    let mut meter = Meter::new(&mut pacer, &mut grow);
    meter.stack_left = os::sched::stack_remaining;
    run(&mut meter)
}

/// 6327: the collection is another database's.
pub fn foreign(to: &SqlType) -> SqlError {
    sql_error!(6327, to.collation.0)
}

/// A schema collection of the current database. 6327.
pub fn schema(context: &Context, collection: u16) -> SqlResult<Arc<Schema>> {
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    runtime.host.xml_schema(runtime.session, collection)
}

/// A value that was converted to xml, as one of `to`. 69xx, 6327.
pub fn typed(schema: &Arc<Schema>, bytes: &[u8], to: &SqlType, meter: &mut Meter<'_, '_>) -> SqlResult<Datum> {
    let text = convert::text_of_paced(bytes, &SqlType::NVARCHAR_MAX, meter.pacer)?;
    let document = read::read(&text, meter)?;
    let valid = schema::validate(schema, &document, to.is_xml_document(), meter)?;
    let mut writer = Writer::new(&[]);
    writer.node(&valid, 0, meter)?;
    convert::text_datum_paced(&writer.finish(), &SqlType::NVARCHAR_MAX, meter.pacer)
}

/// A converted value for what is assigned outside of expressions.
pub fn admitted(runtime: &mut Runtime<'_>, value: Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    match &value {
        Datum::Bytes(bytes) if !to.admits_xml(from) => {
            let collection = to.xml_collection().ok_or_else(|| foreign(to))?;
            let schema = runtime.host.xml_schema(runtime.session, collection)?;
            let (mut pacer, mut grow) = (Pacer::none(), |_| Ok(()));
            let mut meter = Meter::new(&mut pacer, &mut grow);
            meter.stack_left = os::sched::stack_remaining;
            typed(&schema, bytes, to, &mut meter)
        }
        _ => Ok(value),
    }
}
