//! Procedures as clients call them: by a name as text, remembered from call to call.

use std::sync::Arc;

use exec::host::{Callee, Host};
use exec::session::Session as State;
use sql::catalog::ObjectName;
use types::{SqlError, SqlResult, sql_error};

use crate::session::host::{Called, SessionHost};

/// One to four parts; `name;number` calls the procedure `name`.
fn procedure_name(text: &str) -> Result<ObjectName, SqlError> {
    let plain =
        text.rsplit_once(';').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit())).map_or(text, |p| p.0);
    ObjectName::from_text(plain).ok_or_else(|| sql_error!(2812, state 1, text))
}

impl SessionHost {
    /// The procedure that a client calls by the name `text`.
    pub fn procedure_named(&mut self, state: &mut State, text: &str) -> SqlResult<Callee> {
        let naming = self.naming(state);
        if let Some(called) = &self.called
            && called.name == text
            && called.naming == naming
            && let Some(module) = called.module.upgrade()
        {
            let info = called.info.clone();
            self.called_again();
            return Ok(Callee::Module(module, info));
        }
        let callee = self.procedure(state, &procedure_name(text)?, None)?;
        self.called = match &callee {
            // With a database in its name, that database's name counts too.
            Callee::Module(module, info) if info.database == naming.database && text.matches('.').count() <= 1 => {
                Some(Called { name: text.into(), naming, module: Arc::downgrade(module), info: info.clone() })
            }
            _ => None,
        };
        Ok(callee)
    }
}
