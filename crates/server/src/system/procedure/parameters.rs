//! The arguments of a call by the procedure's own parameters: by position, then by name, as T-SQL binds them.

use exec::host::CallArgument;
use types::convert::{ConvertContext, NO_STYLE, convert};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use crate::session::arguments::text_of;

pub struct Parameters<'a> {
    procedure: &'static str,
    names: &'static [&'static str],
    arguments: &'a mut [CallArgument],
    /// For each parameter its argument.
    places: Vec<Option<usize>>,
}

impl<'a> Parameters<'a> {
    /// Binds to `names`, the first `required` of which must be given. An extended procedure has no names for its parameters: whatever a
    /// caller calls them, they are taken in order.
    pub fn bind(
        procedure: &'static str,
        names: &'static [&'static str],
        required: usize,
        arguments: &'a mut [CallArgument],
    ) -> SqlResult<Parameters<'a>> {
        if names.is_empty() && !arguments.is_empty() {
            return Err(sql_error!(8146, procedure));
        }
        let mut places = vec![None; names.len()];
        for (at, argument) in arguments.iter().enumerate() {
            let position = match &argument.name {
                Some(name) if !procedure.starts_with("xp_") => {
                    let found = names.iter().position(|known| known.eq_ignore_ascii_case(name));
                    found.ok_or_else(|| sql_error!(8145, state 2, name, procedure))?
                }
                _ => at,
            };
            let place = places.get_mut(position).ok_or_else(|| sql_error!(8144, state 2, procedure))?;
            if place.replace(at).is_some() {
                return Err(sql_error!(8143, names[position]));
            }
        }
        let bound = Parameters { procedure, names, arguments, places };
        match (0..required).find(|position| !bound.is_given(*position)) {
            Some(missing) => Err(bound.missing(missing)),
            None => Ok(bound),
        }
    }

    /// 201
    pub fn missing(&self, position: usize) -> SqlError {
        let (procedure, name) = (self.procedure, self.names[position]);
        sql_error!(201, state 4, procedure, name)
    }

    pub fn procedure(&self) -> &'static str {
        self.procedure
    }

    pub fn is_given(&self, position: usize) -> bool {
        self.argument(position).is_some_and(|argument| argument.value.is_some())
    }

    fn argument(&self, position: usize) -> Option<&CallArgument> {
        Some(&self.arguments[self.places[position]?])
    }

    pub fn value(&self, position: usize) -> Option<(SqlType, Datum)> {
        self.argument(position)?.value.clone()
    }

    /// None: NULL, not given, or no string.
    pub fn text(&self, position: usize) -> Option<String> {
        self.argument(position).and_then(text_of)
    }

    /// None: NULL, or not given. 8114
    pub fn number(&self, position: usize) -> SqlResult<Option<i64>> {
        Ok(self.converted(position, &SqlType::BIGINT)?.map(|value| value.as_i64()))
    }

    /// A bit: the words true and false, too. 8114
    pub fn flag(&self, position: usize) -> SqlResult<Option<bool>> {
        Ok(self.converted(position, &SqlType::BIT)?.map(|value| value.as_i64() != 0))
    }

    fn converted(&self, position: usize, to: &SqlType) -> SqlResult<Option<Datum>> {
        let Some((ty, value)) = self.value(position).filter(|(_, value)| !value.is_null()) else { return Ok(None) };
        let shown = if *to == SqlType::BIGINT { &SqlType::INT } else { to };
        let converted = convert(&value, &ty, to, NO_STYLE, &ConvertContext::CAST);
        converted.map(Some).map_err(|_| {
            sql_error!(8114, state 5, ty.message_name(), shown.message_name()).in_procedure(self.procedure)
        })
    }

    /// All of them, one for each parameter, as a client would be shown them; empty: NULL, or not given.
    pub fn all_shown(&self) -> Vec<String> {
        let shown = |position| {
            let mut text = String::new();
            if let Some((ty, value)) = self.value(position).filter(|(_, value)| !value.is_null()) {
                types::convert::push_display(value.as_ref(), &ty, &mut text);
            }
            text
        };
        (0..self.names.len()).map(shown).collect()
    }

    /// Writes an OUTPUT argument; nothing if the caller did not ask for it.
    pub fn set(&mut self, position: usize, ty: SqlType, value: Datum) {
        if let Some(at) = self.places[position] {
            self.arguments[at].value = Some((ty, value));
        }
    }
}
