//! The culture of a FORMAT or a PARSE: what it names, or what the session's language stands for.

use types::culture::Culture;
use types::{SqlResult, sql_error};

use crate::context::Context;
use crate::expression::general::Call;
use crate::value::Row;

/// By the argument at `at`, if it is there. None: it is NULL. Error: 9818.
pub fn culture_of(call: &Call, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<&'static Culture>> {
    if at >= call.arguments.len() {
        let language = context.session(|session| session.options.language);
        let found = Culture::of_language(language);
        return found.map(Some).ok_or_else(|| sql_error!(9818, language.get().name));
    }
    let Some(name) = call.text(at, context, row)? else { return Ok(None) };
    Culture::named(&name).map(Some).ok_or_else(|| sql_error!(9818, name))
}
