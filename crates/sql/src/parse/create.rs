//! CREATE and DROP: which one it is, and the small objects of a database.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn create(&mut self) -> P<StatementKind> {
        if self.at_audit() {
            return self.audit();
        }
        if self.at_security_policy() {
            return self.security_policy();
        }
        let next = self.peek(1).keyword;
        match next {
            K::PROC | K::PROCEDURE | K::VIEW | K::FUNCTION | K::TRIGGER => return self.module(),
            K::OR if self.peek_word(2, K::ALTER) => return self.module(),
            K::DATABASE => return self.create_database(),
            K::CREDENTIAL => {
                self.bump();
                return self.credential(false);
            }
            K::CERTIFICATE => return self.create_certificate(),
            K::MASTER if self.at_master_key() => return self.master_key(),
            K::SCHEMA => return self.create_schema(),
            K::DEFAULT | K::RULE => return self.create_default_or_rule(),
            K::THREAD if self.peek_word(2, K::POOL) => return self.thread_pool(),
            K::RESOURCE if self.peek_word(2, K::POOL) => return self.resource_pool(),
            K::WORKLOAD if self.peek_word(2, K::GROUP) => return self.workload_group(),
            K::XML if self.peek_word(2, K::SCHEMA) => return self.xml_schema_collection(false),
            K::SERVER if !self.peek_word(2, K::ROLE) => return self.other(),
            _ if self.is_other_kind(next) && !matches!(next, K::XML | K::SERVER | K::APPLICATION) => {
                return self.other();
            }
            _ => {}
        }
        self.bump();
        match self.keyword() {
            K::TABLE => self.create_table(),
            K::UNIQUE | K::CLUSTERED | K::NONCLUSTERED | K::COLUMNSTORE | K::INDEX => self.create_index(),
            K::PRIMARY | K::XML => self.create_xml_index(),
            K::SPATIAL => self.create_spatial_index(),
            K::STATISTICS => self.create_statistics(),
            K::TYPE => self.create_type(),
            K::SEQUENCE => self.sequence(false),
            K::SYNONYM => self.create_synonym(),
            K::LOGIN => self.create_login(),
            K::USER => self.create_user(),
            K::ROLE => self.create_role(false),
            K::SERVER => {
                self.bump();
                self.create_role(true)
            }
            K::APPLICATION => self.create_application_role(),
            K::PARTITION => self.create_partition(),
            _ if self.at_text("SELECTIVE") => self.other(),
            _ if (self.at_text("JSON") || self.at_text("VECTOR")) && self.peek_word(1, K::INDEX) => self.other(),
            _ => Err(self.unexpected()),
        }
    }

    /// `CREATE XML SCHEMA COLLECTION ...`, or ALTER; the current token is its first word.
    #[inline(never)]
    pub(super) fn xml_schema_collection(&mut self, alter: bool) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::XML)?;
        self.expect_word(K::SCHEMA)?;
        self.expect_word(K::COLLECTION)?;
        let name = self.object_name()?;
        self.expect_word(if alter { K::ADD } else { K::AS })?;
        let text = self.string_or_variable()?;
        Ok(StatementKind::XmlSchemaCollection(Box::new(XmlSchemaCollection { alter, name, text })))
    }

    /// Statements that must begin their batch; `word` names what is created.
    pub(super) fn must_begin_batch(&mut self, statement: &str) -> P<()> {
        let line = self.token.line;
        if self.depth > 1 {
            // Inside a block or behind IF the grammar has no such statement at all.
            let mut distance = 1;
            if self.peek_word(1, K::OR) {
                distance = 3;
            }
            let token = self.peek(distance);
            return Err(self.unexpected_token(token));
        }
        if self.first { Ok(()) } else { Err(self.must_be_first(statement, line)) }
    }

    /// `CREATE SCHEMA name [AUTHORIZATION owner] [elements]`
    #[inline(never)]
    fn create_schema(&mut self) -> P<StatementKind> {
        self.must_begin_batch("CREATE SCHEMA")?;
        self.bump();
        self.bump();
        let mut schema = CreateSchema { name: None, authorization: None, elements: Vec::new() };
        if !self.at_word(K::AUTHORIZATION) {
            schema.name = Some(self.ident_or_string()?);
        }
        if self.eat_word(K::AUTHORIZATION) {
            schema.authorization = Some(self.ident()?);
        }
        loop {
            let element = match self.keyword() {
                K::CREATE => self.peek_word(1, K::TABLE) || self.peek_word(1, K::VIEW),
                K::GRANT | K::DENY | K::REVOKE => true,
                _ => false,
            };
            if !element {
                return Ok(StatementKind::CreateSchema(Box::new(schema)));
            }
            self.enter()?;
            let (line, start) = (self.token.line, self.token.start);
            let kind = match self.peek(1).keyword {
                K::VIEW if self.at_word(K::CREATE) => self.view_of_schema()?,
                K::TABLE if self.at_word(K::CREATE) => {
                    self.bump();
                    self.create_table()?
                }
                _ => self.permission()?,
            };
            self.depth -= 1;
            schema.elements.push(Statement { kind, line, span: self.span_from(start) });
        }
    }

    /// Behind ALTER; the current token is SCHEMA.
    #[inline(never)]
    pub(super) fn alter_schema(&mut self) -> P<StatementKind> {
        self.bump();
        let schema = self.ident()?;
        self.expect_word(K::TRANSFER)?;
        let class = self.securable_class()?;
        let name = self.object_name()?;
        Ok(StatementKind::AlterSchema(Box::new(AlterSchema { schema, class, name })))
    }

    #[inline(never)]
    fn create_type(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.object_name()?;
        let kind = if self.eat_word(K::FROM) {
            let base = self.data_type()?;
            CreateTypeKind::Alias { base, null: self.nullability()? }
        } else if self.eat_word(K::EXTERNAL) {
            self.expect_word(K::NAME)?;
            self.object_name()?;
            CreateTypeKind::External
        } else {
            self.expect_word(K::AS)?;
            self.expect_word(K::TABLE)?;
            let mut definition = self.table_type_definition()?;
            definition.options = self.with_settings()?;
            CreateTypeKind::Table(Box::new(definition))
        };
        Ok(StatementKind::CreateType(Box::new(CreateType { name, kind })))
    }

    /// CREATE and ALTER SEQUENCE; the current token is SEQUENCE.
    #[inline(never)]
    pub(super) fn sequence(&mut self, alter: bool) -> P<StatementKind> {
        self.bump();
        let name = self.object_name()?;
        if name.name.text.starts_with('#') && !alter {
            return Err(sql_error!(11714, name.name.text).at_line(self.token.line));
        }
        let mut sequence = CreateSequence {
            alter,
            name,
            data_type: None,
            start: None,
            restart: false,
            increment: None,
            minimum: SequenceBound::Unsaid,
            maximum: SequenceBound::Unsaid,
            cycle: None,
            cache: SequenceCache::Unsaid,
        };
        // The arguments that have been read.
        let mut seen: Vec<&str> = Vec::new();
        loop {
            let line = self.token.line;
            let no = self.at_word(K::NO);
            if no {
                self.bump();
            }
            let argument = match self.keyword() {
                K::AS if !no => "AS",
                K::START if !no => "START WITH",
                K::RESTART if !no => "RESTART WITH",
                K::INCREMENT if !no => "INCREMENT BY",
                K::MINVALUE => "MINVALUE",
                K::MAXVALUE => "MAXVALUE",
                K::CYCLE => "CYCLE",
                K::CACHE => "CACHE",
                _ if no => return Err(self.unexpected()),
                _ if alter && seen.is_empty() => return Err(sql_error!(11715).at_line(line)),
                _ => return Ok(StatementKind::CreateSequence(Box::new(sequence))),
            };
            match (argument, alter) {
                ("AS", true) => return Err(sql_error!(11711).at_line(line)),
                ("START WITH", true) => return Err(sql_error!(11710).at_line(line)),
                ("RESTART WITH", false) => return Err(sql_error!(11709).at_line(line)),
                _ if seen.contains(&argument) => return Err(sql_error!(11712, argument).at_line(line)),
                _ => seen.push(argument),
            }
            self.bump();
            match argument {
                "AS" => sequence.data_type = Some(self.data_type()?),
                "START WITH" => {
                    self.expect_word(K::WITH)?;
                    sequence.start = Some(self.constant()?);
                }
                "RESTART WITH" => {
                    sequence.restart = true;
                    if self.eat_word(K::WITH) {
                        sequence.start = Some(self.constant()?);
                    }
                }
                "INCREMENT BY" => {
                    self.expect_word(K::BY)?;
                    sequence.increment = Some(self.constant()?);
                }
                "MINVALUE" if no => sequence.minimum = SequenceBound::None,
                "MINVALUE" => sequence.minimum = SequenceBound::Value(self.constant()?),
                "MAXVALUE" if no => sequence.maximum = SequenceBound::None,
                "MAXVALUE" => sequence.maximum = SequenceBound::Value(self.constant()?),
                "CYCLE" => sequence.cycle = Some(!no),
                _ if no => sequence.cache = SequenceCache::None,
                _ => {
                    let sized = Self::is_number(self.token.kind) || self.at(T::Minus);
                    sequence.cache = if sized { SequenceCache::Size(self.constant()?) } else { SequenceCache::Default };
                }
            }
        }
    }

    #[inline(never)]
    fn create_synonym(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.object_name()?;
        self.expect_word(K::FOR)?;
        let target = self.object_name()?;
        Ok(StatementKind::CreateSynonym(Box::new(CreateSynonym { name, target })))
    }

    /// The old `CREATE DEFAULT name AS constant` and `CREATE RULE name AS condition`.
    #[inline(never)]
    fn create_default_or_rule(&mut self) -> P<StatementKind> {
        let rule = self.peek_word(1, K::RULE);
        self.must_begin_batch(if rule { "CREATE RULE" } else { "CREATE DEFAULT" })?;
        self.bump();
        self.bump();
        let name = self.object_name()?;
        self.expect_word(K::AS)?;
        let expr = if rule { self.condition()? } else { self.scalar()? };
        Ok(StatementKind::CreateDefaultOrRule(Box::new(CreateDefaultOrRule { rule, name, expr })))
    }

    /// Behind CREATE; the current token is PARTITION.
    #[inline(never)]
    fn create_partition(&mut self) -> P<StatementKind> {
        self.bump();
        if self.eat_word(K::FUNCTION) {
            let name = self.ident()?;
            self.expect(T::LeftParen)?;
            if self.at(T::RightParen) {
                return Err(sql_error!(7702).at_line(self.token.line));
            }
            let (data_type, collation) = self.function_parameter()?;
            let several = self.at(T::Comma);
            while self.eat(T::Comma) {
                self.function_parameter()?;
            }
            self.expect(T::RightParen)?;
            self.expect_word(K::AS)?;
            self.expect_word(K::RANGE)?;
            let right = self.eat_word(K::RIGHT);
            if !right {
                self.eat_word(K::LEFT);
            }
            self.expect_word(K::FOR)?;
            self.expect_word(K::VALUES)?;
            let values = self.arguments()?;
            let function = CreatePartitionFunction { name, data_type, several, collation, right, values };
            return Ok(StatementKind::CreatePartitionFunction(Box::new(function)));
        }
        self.expect_word(K::SCHEME)?;
        let name = self.ident()?;
        self.expect_word(K::AS)?;
        self.expect_word(K::PARTITION)?;
        let function = self.ident()?;
        let all = self.eat_word(K::ALL);
        self.expect_word(K::TO)?;
        let filegroups = self.paren_list(Self::ident_or_string)?;
        let scheme = CreatePartitionScheme { name, function, all, filegroups };
        Ok(StatementKind::CreatePartitionScheme(Box::new(scheme)))
    }

    fn function_parameter(&mut self) -> P<(DataType, Option<Ident>)> {
        let data_type = self.data_type()?;
        let collation = if self.eat_word(K::COLLATE) { Some(self.ident()?) } else { None };
        Ok((data_type, collation))
    }

    /// Behind ALTER; the current token is PARTITION.
    #[inline(never)]
    pub(super) fn alter_partition(&mut self) -> P<StatementKind> {
        self.bump();
        if self.eat_word(K::FUNCTION) {
            let name = self.ident()?;
            self.expect(T::LeftParen)?;
            self.expect(T::RightParen)?;
            let merge = self.eat_word(K::MERGE);
            if !merge {
                self.expect_word(K::SPLIT)?;
            }
            self.expect_word(K::RANGE)?;
            let value = if self.at(T::LeftParen) { self.arguments()?.pop() } else { None };
            let function = AlterPartitionFunction { name, merge, value };
            return Ok(StatementKind::AlterPartitionFunction(Box::new(function)));
        }
        self.expect_word(K::SCHEME)?;
        let name = self.ident()?;
        self.expect_word(K::NEXT)?;
        self.expect_word(K::USED)?;
        let next_used = if self.at_name() || self.at_string() { Some(self.ident_or_string()?) } else { None };
        Ok(StatementKind::AlterPartitionScheme(Box::new(AlterPartitionScheme { name, next_used })))
    }

    /// The current token is DROP.
    #[inline(never)]
    pub(super) fn drop_statement(&mut self) -> P<StatementKind> {
        if self.at_audit() {
            return self.audit();
        }
        if self.at_security_policy() {
            return self.drop_security_policy();
        }
        let next = self.peek(1).keyword;
        match next {
            K::THREAD if self.peek_word(2, K::POOL) => return self.thread_pool(),
            K::RESOURCE if self.peek_word(2, K::POOL) => return self.resource_pool(),
            K::WORKLOAD if self.peek_word(2, K::GROUP) => return self.workload_group(),
            K::DATABASE if self.peek_word(2, K::SCOPED) || self.peek_word(2, K::ENCRYPTION) => {
                return self.other();
            }
            K::SERVER if !self.peek_word(2, K::ROLE) => return self.other(),
            K::MASTER if self.at_master_key() => return self.master_key(),
            K::XML | K::AGGREGATE | K::ASSEMBLY | K::CREDENTIAL | K::SERVER | K::APPLICATION => {}
            _ if self.is_other_kind(next) && next != K::CERTIFICATE => return self.other(),
            _ => {}
        }
        self.bump();
        let kind = match self.keyword() {
            K::INDEX => return self.drop_index(),
            K::STATISTICS => {
                self.bump();
                return Ok(StatementKind::DropStatistics(self.list(Self::object_name)?));
            }
            K::TABLE => DropKind::Table,
            K::VIEW => DropKind::View,
            K::PROC | K::PROCEDURE => DropKind::Procedure,
            K::FUNCTION => DropKind::Function,
            K::TRIGGER => DropKind::Trigger,
            K::TYPE => DropKind::Type,
            K::SEQUENCE => DropKind::Sequence,
            K::SYNONYM => DropKind::Synonym,
            K::SCHEMA => DropKind::Schema,
            K::DATABASE => DropKind::Database,
            K::LOGIN => DropKind::Login,
            K::USER => DropKind::User,
            K::ROLE => DropKind::Role,
            K::DEFAULT => DropKind::Default,
            K::RULE => DropKind::Rule,
            K::AGGREGATE => DropKind::Aggregate,
            K::ASSEMBLY => DropKind::Assembly,
            K::CREDENTIAL => DropKind::Credential,
            K::CERTIFICATE => DropKind::Certificate,
            K::SERVER => {
                self.bump();
                DropKind::ServerRole
            }
            K::APPLICATION => {
                self.bump();
                if !self.at_word(K::ROLE) {
                    return Err(self.unexpected());
                }
                DropKind::ApplicationRole
            }
            K::PARTITION => {
                self.bump();
                if !self.at_any(&[K::FUNCTION, K::SCHEME]) {
                    return Err(self.unexpected());
                }
                if self.at_word(K::FUNCTION) { DropKind::PartitionFunction } else { DropKind::PartitionScheme }
            }
            K::XML => {
                self.bump();
                self.expect_word(K::SCHEMA)?;
                if !self.at_word(K::COLLECTION) {
                    return Err(self.unexpected());
                }
                DropKind::XmlSchemaCollection
            }
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let if_exists = kind != DropKind::Certificate && self.if_exists()?;
        let names = if takes_list(kind) { self.list(Self::object_name)? } else { vec![self.object_name()?] };
        let mut drop = Drop { kind, if_exists, names, scope: None };
        if kind == DropKind::Trigger && self.eat_word(K::ON) {
            drop.scope = Some(self.trigger_scope()?);
        }
        if kind == DropKind::Assembly && self.at_word(K::WITH) {
            self.bump();
            self.bump();
            self.expect_text("DEPENDENTS")?;
        }
        Ok(StatementKind::Drop(Box::new(drop)))
    }
}

/// Several may be dropped by one statement.
fn takes_list(kind: DropKind) -> bool {
    matches!(
        kind,
        DropKind::Table
            | DropKind::View
            | DropKind::Procedure
            | DropKind::Function
            | DropKind::Trigger
            | DropKind::Sequence
            | DropKind::Database
            | DropKind::Default
            | DropKind::Rule
            | DropKind::Assembly
    )
}
