//! EXECUTE AS and REVERT: as whom the session acts, which is the host's to know.

use types::{Datum, SqlResult, SqlType, sql_error};

use super::code::{ExecuteAsCode, ExecuteCode};
use super::run::Runner;
use crate::context::Runtime;
use crate::expression::Scalar;
use crate::host::Impersonation;
use crate::kernel;

impl Runner<'_> {
    pub fn execute_as(&mut self, code: &ExecuteAsCode) -> SqlResult<()> {
        let Some((kind, name)) = &code.principal else { return Ok(()) };
        let name = match name.scalar_datum(&self.context)? {
            Datum::Bytes(bytes) => kernel::text(&name.ty, &bytes),
            _ => String::new(),
        };
        if self.frame.info.is_some() && (code.no_revert || code.cookie.is_some()) {
            return Err(sql_error!(15590));
        }
        let asked =
            Impersonation { kind: *kind, name: &name, no_revert: code.no_revert, cookie: code.cookie.is_some() };
        let runtime = self.context.runtime.get_mut();
        let cookie = runtime.host.impersonate(runtime.session, &asked)?;
        if let (Some(slot), Some(cookie)) = (code.cookie, cookie) {
            let to = self.module.variables[slot as usize].ty;
            let from = SqlType::varbinary(100);
            let value = kernel::convert_datum(runtime.session, &Datum::bytes(&cookie), &from, &to)?;
            self.context.variables.set_datum(slot, &value);
        }
        Ok(())
    }

    /// As whom the text of an EXEC runs, if it says so. What `end_text_as` wants.
    pub fn text_as(&mut self, code: &ExecuteCode) -> SqlResult<Option<u32>> {
        let Some((kind, name)) = &code.context else { return Ok(None) };
        let name = match name.scalar_datum(&self.context)? {
            Datum::Bytes(bytes) => kernel::text(&name.ty, &bytes),
            _ => String::new(),
        };
        let asked = Impersonation { kind: *kind, name: &name, no_revert: false, cookie: false };
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        let began = session.contexts;
        host.impersonate(session, &asked)?;
        Ok(Some(began))
    }

    /// The text has ended, however it did.
    pub fn end_text_as(&mut self, began: Option<u32>) {
        let Some(began) = began else { return };
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        host.revert_to(session, began);
    }

    pub fn revert(&mut self, cookie: Option<&Scalar>) -> SqlResult<()> {
        let cookie = match cookie {
            Some(cookie) => match cookie.scalar_datum(&self.context)? {
                Datum::Bytes(bytes) => Some(bytes.to_vec()),
                _ => Some(Vec::new()),
            },
            None => None,
        };
        let own = self.frame.nested || self.frame.info.is_some();
        let began = self.contexts;
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        // What began outside of this module or text is not its to end.
        if own && session.contexts <= began {
            return Ok(());
        }
        host.revert(session, cookie.as_deref())
    }

    /// What EXECUTE AS began within is over.
    pub fn revert_to(&mut self, contexts: u32) {
        let own = self.frame.nested || self.frame.info.is_some();
        let Runtime { host, session, .. } = self.context.runtime.get_mut();
        if own && session.contexts != contexts {
            host.revert_to(session, contexts);
        }
    }
}
