//! DBCC, KILL, CHECKPOINT, SHUTDOWN, RECONFIGURE, ALTER SERVER CONFIGURATION, thread pools, the resource governor.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn dbcc(&mut self) -> P<StatementKind> {
        self.bump();
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let mut dbcc = Dbcc { command: self.upper_word(), args: Vec::new(), options: Vec::new() };
        if self.eat(T::LeftParen) {
            if !self.at(T::RightParen) {
                dbcc.args = self.list(Self::dbcc_argument)?;
            }
            self.expect(T::RightParen)?;
        }
        if self.at_word(K::WITH) {
            self.bump();
            dbcc.options = self.list(Self::loose_setting)?;
        }
        Ok(StatementKind::Dbcc(Box::new(dbcc)))
    }

    /// A constant, a variable, or a name.
    fn dbcc_argument(&mut self) -> P<Expr> {
        if self.at_name() {
            let parts = self.name_parts(false)?;
            if !parts.is_single() {
                return self.parts_to_column(parts);
            }
            return match parts.into_column() {
                Some(name) => Ok(Expr::Word(name.name)),
                None => Err(self.unexpected()),
            };
        }
        self.constant()
    }

    #[inline(never)]
    pub(super) fn kill(&mut self) -> P<StatementKind> {
        self.bump();
        if self.at_any(&[K::STATS, K::QUERY]) {
            let verb = self.upper_word();
            self.skip_statement()?;
            return Ok(StatementKind::Kill(Box::new(Kill::Other(verb))));
        }
        if !self.at(T::Integer) && !self.at_string() {
            return Err(self.unexpected());
        }
        let id = self.constant()?;
        let status_only = self.eat_words(K::WITH, K::STATUSONLY);
        Ok(StatementKind::Kill(Box::new(Kill::Session { id, status_only })))
    }

    #[inline(never)]
    pub(super) fn checkpoint(&mut self) -> P<StatementKind> {
        self.bump();
        let duration =
            if self.at(T::Integer) || self.at(T::Variable) { Some(Box::new(self.constant()?)) } else { None };
        Ok(StatementKind::Checkpoint(duration))
    }

    #[inline(never)]
    pub(super) fn shutdown(&mut self) -> P<StatementKind> {
        self.bump();
        let mut no_wait = false;
        if self.at_word(K::WITH) {
            self.bump();
            if !self.eat_word(K::NOWAIT) {
                return Err(self.unexpected());
            }
            no_wait = true;
        }
        Ok(StatementKind::Shutdown { no_wait })
    }

    #[inline(never)]
    pub(super) fn reconfigure(&mut self) -> P<StatementKind> {
        self.bump();
        let mut with_override = false;
        if self.at_word(K::WITH) {
            self.bump();
            self.expect_text("OVERRIDE")?;
            with_override = true;
        }
        Ok(StatementKind::Reconfigure { with_override })
    }

    /// Behind ALTER; the current token is SERVER.
    #[inline(never)]
    pub(super) fn alter_server_configuration(&mut self) -> P<StatementKind> {
        self.bump();
        self.bump();
        self.expect_word(K::SET)?;
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let mut name = self.upper_word().into_string();
        let mut configuration = AlterServerConfiguration { name: "".into(), ranges: Vec::new(), settings: Vec::new() };
        // The subject is one to three words; CPU and NUMANODE begin the value.
        while self.at(T::Word) && !self.at_any(&[K::ON, K::OFF]) && !self.peek_is(1, T::Equals) && name.len() < 256 {
            name.push(' ');
            name.push_str(&self.upper_word());
        }
        configuration.name = name.into();
        if self.at_text("CPU") || self.at_text("NUMANODE") {
            self.server_affinity(&mut configuration)?;
        } else if self.at(T::Equals) || self.at_any(&[K::ON, K::OFF]) {
            let line = self.token.line;
            self.eat(T::Equals);
            let value = self.setting_value()?;
            configuration.settings.push(Setting { name: "".into(), value, line });
        } else {
            configuration.settings.push(self.loose_setting()?);
        }
        Ok(StatementKind::AlterServerConfiguration(Box::new(configuration)))
    }

    /// `CPU = AUTO`, `CPU = 0 TO 3, 5`
    fn server_affinity(&mut self, configuration: &mut AlterServerConfiguration) -> P<()> {
        let line = self.token.line;
        let name = self.upper_word();
        self.expect(T::Equals)?;
        if self.eat_word(K::AUTO) {
            configuration.settings.push(Setting { name, value: SettingValue::Word(Ident::new("AUTO")), line });
            return Ok(());
        }
        configuration.settings.push(Setting { name, value: SettingValue::Alone, line });
        configuration.ranges = self.list(|parser| {
            let from = parser.constant()?;
            let to = if parser.eat_word(K::TO) { Some(parser.constant()?) } else { None };
            Ok((from, to))
        })?;
        Ok(())
    }

    /// `CREATE | ALTER | DROP THREAD POOL name [FOR INSTANCE x] [WITH a = b, ...]`; the current token is the verb.
    #[inline(never)]
    pub(super) fn thread_pool(&mut self) -> P<StatementKind> {
        let verb = self.token.keyword;
        for _ in 0..3 {
            self.bump();
        }
        let name = self.ident()?;
        let mut instance = None;
        if self.eat_word(K::FOR) {
            if !self.eat_word(K::GLOBAL) {
                self.expect_text("INSTANCE")?;
            }
            if self.at_name() {
                instance = Some(self.ident()?);
            }
        }
        let mut settings = Vec::new();
        if self.eat_word(K::WITH) {
            settings = self.list(Self::thread_pool_setting)?;
        }
        let action = match verb {
            K::CREATE => ThreadPoolAction::Create(settings),
            K::ALTER => ThreadPoolAction::Alter(settings),
            _ => ThreadPoolAction::Drop,
        };
        Ok(StatementKind::ThreadPool(Box::new(ThreadPool { name, action, instance })))
    }

    /// `THREAD COUNT = n`, `POOL DESCRIPTION = 'x'`, `IDLE TIMEOUT = µs`, `POOL NAME = x`: names of two words.
    fn thread_pool_setting(&mut self) -> P<Setting> {
        let line = self.token.line;
        if !self.at(T::Word) || self.peek(1).kind != T::Word {
            return Err(self.unexpected());
        }
        let name = format!("{} {}", self.upper_word(), self.upper_word());
        self.expect(T::Equals)?;
        // A description in double quotes is text whatever QUOTED_IDENTIFIER says.
        let value = if self.at(T::DoubleQuoted) {
            SettingValue::Value(Expr::Literal(self.literal()?))
        } else {
            self.setting_value()?
        };
        Ok(Setting { name: name.into(), value, line })
    }

    /// `CREATE | ALTER | DROP RESOURCE POOL name [WITH (a = 1, ...)]`; the current token is the verb.
    #[inline(never)]
    pub(super) fn resource_pool(&mut self) -> P<StatementKind> {
        let verb = self.token.keyword;
        for _ in 0..3 {
            self.bump();
        }
        let name = self.ident()?;
        let mut settings = Vec::new();
        if verb != K::DROP && self.eat_word(K::WITH) {
            self.expect(T::LeftParen)?;
            settings = self.list(Self::resource_pool_setting)?;
            self.expect(T::RightParen)?;
        }
        Ok(StatementKind::ResourceGovernor(Box::new(match verb {
            K::CREATE => ResourceGovernor::CreatePool(name, settings),
            K::ALTER => ResourceGovernor::AlterPool(name, settings),
            _ => ResourceGovernor::DropPool(name),
        })))
    }

    /// `MAX_MEMORY_PERCENT = 50`, `AFFINITY SCHEDULER = AUTO`.
    fn resource_pool_setting(&mut self) -> P<Setting> {
        let line = self.token.line;
        if self.eat_text("AFFINITY") {
            self.expect_text("SCHEDULER")?;
            self.expect(T::Equals)?;
            self.expect_word(K::AUTO)?;
            return Ok(Setting { name: "AFFINITY".into(), value: SettingValue::Word(Ident::new("AUTO")), line });
        }
        self.loose_setting()
    }

    /// `CREATE | ALTER | DROP WORKLOAD GROUP name [WITH (a = 1, ...)] [USING pool]`; the current token is the verb.
    #[inline(never)]
    pub(super) fn workload_group(&mut self) -> P<StatementKind> {
        let verb = self.token.keyword;
        for _ in 0..3 {
            self.bump();
        }
        let name = self.ident()?;
        let (mut settings, mut pool) = (Vec::new(), None);
        if verb != K::DROP {
            if self.eat_word(K::WITH) {
                self.expect(T::LeftParen)?;
                settings = self.list(Self::loose_setting)?;
                self.expect(T::RightParen)?;
            }
            if self.eat_word(K::USING) {
                pool = Some(self.ident()?);
            }
        }
        Ok(StatementKind::ResourceGovernor(Box::new(match verb {
            K::CREATE => ResourceGovernor::CreateGroup(name, settings, pool),
            K::ALTER => ResourceGovernor::AlterGroup(name, settings, pool),
            _ => ResourceGovernor::DropGroup(name),
        })))
    }

    /// `WITH (CLASSIFIER_FUNCTION = name | NULL)`; the current token is the verb of ALTER RESOURCE GOVERNOR.
    fn resource_governor_setting(&mut self) -> P<ResourceGovernor> {
        for _ in 0..4 {
            self.bump();
        }
        self.expect(T::LeftParen)?;
        let setting = if self.eat_text("CLASSIFIER_FUNCTION") {
            self.expect(T::Equals)?;
            ResourceGovernor::Classifier(if self.eat_word(K::NULL) { None } else { Some(self.object_name()?) })
        } else {
            ResourceGovernor::Setting(self.loose_setting()?)
        };
        self.expect(T::RightParen)?;
        Ok(setting)
    }

    /// `ALTER RESOURCE GOVERNOR RECONFIGURE | DISABLE | WITH (CLASSIFIER_FUNCTION = ...)`; the current token is the verb.
    #[inline(never)]
    pub(super) fn resource_governor(&mut self) -> P<StatementKind> {
        if self.peek_word(3, K::WITH) {
            return Ok(StatementKind::ResourceGovernor(Box::new(self.resource_governor_setting()?)));
        }
        let action = match self.peek(3).keyword {
            K::RECONFIGURE => ResourceGovernor::Reconfigure,
            K::DISABLE => ResourceGovernor::Disable,
            // RESET STATISTICS.
            _ => return self.other(),
        };
        for _ in 0..4 {
            self.bump();
        }
        Ok(StatementKind::ResourceGovernor(Box::new(action)))
    }
}
