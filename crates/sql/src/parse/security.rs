//! Logins, users, roles, ownership.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    /// `PASSWORD = 'x' [HASHED] { [MUST_CHANGE] [UNLOCK] | OLD_PASSWORD = 'y' }`; the current token is PASSWORD.
    fn password(&mut self) -> P<Password> {
        self.bump();
        self.expect(T::Equals)?;
        if !self.at_string() && !self.at(T::Binary) {
            return Err(self.unexpected());
        }
        let value = self.constant()?;
        let mut password = Password { value, hashed: false, must_change: false, unlock: false, old: None };
        loop {
            match self.keyword() {
                K::HASHED => password.hashed = true,
                // Who changes his own has no say in these.
                K::MUST_CHANGE if password.old.is_none() => password.must_change = true,
                K::UNLOCK if password.old.is_none() => password.unlock = true,
                _ if self.at_text("OLD_PASSWORD") && !password.must_change && !password.unlock => {
                    self.bump();
                    self.expect(T::Equals)?;
                    password.old = Some(self.constant()?);
                    continue;
                }
                _ => return Ok(password),
            }
            self.bump();
        }
    }

    /// `PASSWORD = ..., NAME = value, ...`
    fn principal_options(&mut self) -> P<(Option<Password>, Vec<Setting>)> {
        let (mut password, mut options) = (None, Vec::new());
        loop {
            if self.at_text("PASSWORD") {
                password = Some(self.password()?);
            } else if self.eat_words(K::NO, K::CREDENTIAL) {
                let (name, line) = ("NO CREDENTIAL".into(), self.previous.line);
                options.push(Setting { name, value: SettingValue::Alone, line });
            } else {
                options.push(self.loose_setting()?);
            }
            if !self.eat(T::Comma) {
                return Ok((password, options));
            }
        }
    }

    #[inline(never)]
    pub(super) fn create_login(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let mut options = Vec::new();
        let source = if self.eat_word(K::FROM) {
            let source = self.login_source()?;
            if self.eat_word(K::WITH) {
                options = self.list(Self::loose_setting)?;
            }
            source
        } else {
            self.expect_word(K::WITH)?;
            if !self.at_text("PASSWORD") {
                return Err(self.unexpected());
            }
            let (password, rest) = self.principal_options()?;
            options = rest;
            match password {
                Some(password) => LoginSource::Password(password),
                None => return Err(self.unexpected()),
            }
        };
        Ok(StatementKind::CreateLogin(Box::new(CreateLogin { name, source, options })))
    }

    fn login_source(&mut self) -> P<LoginSource> {
        match self.keyword() {
            K::WINDOWS => {
                self.bump();
                Ok(LoginSource::Windows)
            }
            K::CERTIFICATE => {
                self.bump();
                Ok(LoginSource::Certificate(self.ident()?))
            }
            K::ASYMMETRIC => {
                self.bump();
                self.expect_word(K::KEY)?;
                Ok(LoginSource::AsymmetricKey(self.ident()?))
            }
            _ => {
                self.expect_word(K::EXTERNAL)?;
                self.expect_word(K::PROVIDER)?;
                Ok(LoginSource::External)
            }
        }
    }

    #[inline(never)]
    pub(super) fn alter_login(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let action = match self.keyword() {
            K::ENABLE => {
                self.bump();
                AlterLoginAction::Enable
            }
            K::DISABLE => {
                self.bump();
                AlterLoginAction::Disable
            }
            K::ADD | K::DROP => {
                let add = self.at_word(K::ADD);
                self.bump();
                self.expect_word(K::CREDENTIAL)?;
                let credential = self.ident()?;
                if add {
                    AlterLoginAction::AddCredential(credential)
                } else {
                    AlterLoginAction::DropCredential(credential)
                }
            }
            _ => {
                self.expect_word(K::WITH)?;
                let (password, options) = self.principal_options()?;
                AlterLoginAction::Set { password, options }
            }
        };
        Ok(StatementKind::AlterLogin(Box::new(AlterLogin { name, action })))
    }

    /// The current token is CREDENTIAL.
    #[inline(never)]
    pub(super) fn credential(&mut self, alter: bool) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        self.expect_word(K::WITH)?;
        let options = self.list(Self::loose_setting)?;
        let mut provider = None;
        if !alter && self.eat_word(K::FOR) {
            self.expect_word(K::CRYPTOGRAPHIC)?;
            self.expect_text("PROVIDER")?;
            provider = Some(self.ident()?);
        }
        Ok(StatementKind::Credential(Box::new(Credential { alter, name, options, provider })))
    }

    #[inline(never)]
    pub(super) fn create_user(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let mut source = UserSource::SameName;
        if self.at_any(&[K::FOR, K::FROM]) {
            self.bump();
            source = match self.keyword() {
                K::LOGIN => {
                    self.bump();
                    UserSource::Login(self.ident()?)
                }
                _ => match self.login_source()? {
                    LoginSource::Certificate(name) => UserSource::Certificate(name),
                    LoginSource::AsymmetricKey(name) => UserSource::AsymmetricKey(name),
                    _ => UserSource::External,
                },
            };
        } else if self.eat_words(K::WITHOUT, K::LOGIN) {
            source = UserSource::WithoutLogin;
        }
        let mut options = Vec::new();
        if self.eat_word(K::WITH) {
            let (password, rest) = self.principal_options()?;
            options = rest;
            if let Some(password) = password {
                source = UserSource::Password(password);
            }
        }
        Ok(StatementKind::CreateUser(Box::new(CreateUser { name, source, options })))
    }

    #[inline(never)]
    pub(super) fn alter_user(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        self.expect_word(K::WITH)?;
        let (password, options) = self.principal_options()?;
        Ok(StatementKind::AlterUser(Box::new(AlterUser { name, options, password })))
    }

    /// The current token is ROLE.
    #[inline(never)]
    pub(super) fn create_role(&mut self, server: bool) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let authorization = if self.eat_word(K::AUTHORIZATION) { Some(self.ident()?) } else { None };
        Ok(StatementKind::CreateRole(Box::new(CreateRole { server, application: None, name, authorization })))
    }

    /// The current token is APPLICATION.
    #[inline(never)]
    pub(super) fn create_application_role(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::ROLE)?;
        let name = self.ident()?;
        self.expect_word(K::WITH)?;
        let application = Some(self.list(Self::loose_setting)?);
        Ok(StatementKind::CreateRole(Box::new(CreateRole { server: false, application, name, authorization: None })))
    }

    /// Behind ALTER; the current token is APPLICATION.
    #[inline(never)]
    pub(super) fn alter_application_role(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::ROLE)?;
        let name = self.ident()?;
        self.expect_word(K::WITH)?;
        let options = self.list(Self::loose_setting)?;
        Ok(StatementKind::AlterApplicationRole(Box::new(AlterApplicationRole { name, options })))
    }

    /// The current token is ROLE.
    #[inline(never)]
    pub(super) fn alter_role(&mut self, server: bool) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        let action = match self.keyword() {
            K::ADD => {
                self.bump();
                self.expect_word(K::MEMBER)?;
                AlterRoleAction::AddMember(self.ident()?)
            }
            K::DROP => {
                self.bump();
                self.expect_word(K::MEMBER)?;
                AlterRoleAction::DropMember(self.ident()?)
            }
            _ => {
                self.expect_word(K::WITH)?;
                self.expect_word(K::NAME)?;
                self.expect(T::Equals)?;
                AlterRoleAction::Rename(self.ident()?)
            }
        };
        Ok(StatementKind::AlterRole(Box::new(AlterRole { server, name, action })))
    }

    /// Behind ALTER; the current token is AUTHORIZATION.
    #[inline(never)]
    pub(super) fn alter_authorization(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::ON)?;
        let on = self.securable()?;
        self.expect_word(K::TO)?;
        let to = if self.eat_word(K::SCHEMA) {
            self.expect_word(K::OWNER)?;
            None
        } else {
            Some(self.ident()?)
        };
        Ok(StatementKind::AlterAuthorization(Box::new(AlterAuthorization { on, to })))
    }
}
