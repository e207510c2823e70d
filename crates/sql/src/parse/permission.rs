//! GRANT, DENY, REVOKE.

use types::sql_error;

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn permission(&mut self) -> P<StatementKind> {
        let verb = match self.keyword() {
            K::GRANT => PermissionVerb::Grant,
            K::DENY => PermissionVerb::Deny,
            _ => PermissionVerb::Revoke,
        };
        self.bump();
        let mut permission = Permission {
            verb,
            permissions: Vec::new(),
            on: None,
            principals: Vec::new(),
            grant_option: false,
            cascade: false,
            grantor: None,
        };
        if verb == PermissionVerb::Revoke && self.at_word(K::GRANT) && self.peek_word(1, K::OPTION) {
            self.bump();
            self.bump();
            self.expect_word(K::FOR)?;
            permission.grant_option = true;
        }
        let line = self.token.line;
        permission.permissions = self.list(Self::permission_item)?;
        if self.eat_word(K::ON) {
            permission.on = Some(self.securable()?);
        }
        check_columns(&permission).map_err(|error| error.at_line(line))?;
        if !(verb == PermissionVerb::Revoke && self.eat_word(K::FROM)) {
            self.expect_word(K::TO)?;
        }
        permission.principals = self.list(Self::principal)?;
        if verb == PermissionVerb::Grant && self.eat_words(K::WITH, K::GRANT) {
            self.expect_word(K::OPTION)?;
            permission.grant_option = true;
        }
        permission.cascade = verb != PermissionVerb::Grant && self.eat_word(K::CASCADE);
        if self.eat_word(K::AS) {
            permission.grantor = Some(self.ident()?);
        }
        Ok(StatementKind::Permission(Box::new(permission)))
    }

    /// PUBLIC is a reserved word and a principal.
    pub(super) fn principal(&mut self) -> P<Ident> {
        if self.at_any(&[K::PUBLIC, K::NULL]) { self.any_word() } else { self.ident_or_string() }
    }

    /// `VIEW DEFINITION`, `SELECT (a, b)`, `ALL PRIVILEGES`: words up to what cannot belong to a permission.
    fn permission_item(&mut self) -> P<PermissionItem> {
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let mut name = self.upper_word().into_string();
        while self.at(T::Word) && !self.at_any(&[K::ON, K::TO, K::FROM]) && name.len() < 256 {
            name.push(' ');
            name.push_str(&self.upper_word());
        }
        let columns = self.optional_ident_list()?;
        Ok(PermissionItem { name: name.into(), columns })
    }

    /// `SCHEMA::`, `XML SCHEMA COLLECTION::` before a securable's name, consumed.
    pub(super) fn securable_class(&mut self) -> P<Option<Box<str>>> {
        let words = (1..=3).find(|&distance| self.peek_is(distance, T::DoubleColon));
        let Some(words) = words else { return Ok(None) };
        let mut class = String::new();
        for word in 0..words {
            if !self.at(T::Word) {
                return Err(self.unexpected());
            }
            if word > 0 {
                class.push(' ');
            }
            class.push_str(&self.upper_word());
        }
        self.bump();
        Ok(Some(class.into()))
    }

    /// `[class ::] name [(columns)]`
    pub(super) fn securable(&mut self) -> P<Securable> {
        let class = self.securable_class()?;
        let name = self.object_name()?;
        let columns = self.optional_ident_list()?;
        Ok(Securable { class, name, columns })
    }
}

/// 1019: columns stand once. 1020: few permissions are about columns, and only of objects.
fn check_columns(permission: &Permission) -> P<()> {
    let named = |item: &PermissionItem| !item.columns.is_empty();
    let (of_object, of_all) = match &permission.on {
        Some(on) => (on.class.as_deref().is_none_or(|class| class == "OBJECT"), !on.columns.is_empty()),
        None => (false, false),
    };
    if of_all && permission.permissions.iter().any(named) {
        return Err(sql_error!(1019));
    }
    let takes =
        |item: &PermissionItem| of_object && matches!(&*item.name, "SELECT" | "UPDATE" | "REFERENCES" | "UNMASK");
    match permission.permissions.iter().any(|item| (of_all || named(item)) && !takes(item)) {
        true => Err(sql_error!(1020)),
        false => Ok(()),
    }
}
