//! sp_xml_preparedocument and sp_xml_removedocument: documents for OPENXML, the session's own.

use exec::session::Session as State;
use types::pause::Pacer;
use types::pause::Unheard;
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};
use xml::{Document, Kind, Meter};

use super::parameters::Parameters;

/// 6602
fn wrong(error: SqlError) -> SqlError {
    match error.number {
        6335 | 6359 | 9400..=9499 => sql_error!(6602, state 2, error.text),
        _ => error,
    }
}

/// An argument as a document; NULL is an empty one.
fn document(given: &Parameters<'_>, position: usize) -> SqlResult<Document> {
    let text = given.text(position).unwrap_or_default();
    let pause = Unheard::default();
    let mut pacer = Pacer::new(&pause);
    let text = types::xml::parse(&text, types::xml::Source::Wide, false, &mut pacer).map_err(wrong)?;
    xml::read::read(&text, &mut Meter::new(&mut pacer, &mut |_| Ok(()))).map_err(wrong)
}

/// sp_xml_preparedocument @hdoc OUTPUT, @xmltext, @xpath_namespaces: an element whose declarations patterns may use.
pub fn prepare(state: &mut State, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let prepared = document(given, 1)?;
    let declared = document(given, 2)?;
    let namespaces = (0..declared.count())
        .filter(|&node| declared.kind(node) == Kind::Namespace)
        .map(|node| (declared.name(node).local.clone(), declared.value(node).into()))
        .collect();
    let handle = state.prepared_xml.prepare(prepared, namespaces)?;
    given.set(0, SqlType::INT, Datum::I64(handle.into()));
    Ok(0)
}

/// sp_xml_removedocument @hdoc. 8179.
pub fn remove(state: &mut State, given: &Parameters<'_>) -> SqlResult<i32> {
    state.prepared_xml.remove(given.number(0)?)?;
    Ok(0)
}
