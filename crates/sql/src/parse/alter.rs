//! ALTER: which one it is, and ALTER TABLE.

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn alter(&mut self) -> P<StatementKind> {
        if self.at_audit() {
            return self.audit();
        }
        if self.at_security_policy() {
            return self.security_policy();
        }
        let next = self.peek(1).keyword;
        match next {
            K::TABLE => {
                self.bump();
                self.alter_table()
            }
            K::PROC | K::PROCEDURE | K::VIEW | K::FUNCTION | K::TRIGGER => self.module(),
            K::INDEX => {
                self.bump();
                self.alter_index()
            }
            K::DATABASE => self.alter_database(),
            K::SCHEMA => {
                self.bump();
                self.alter_schema()
            }
            K::SEQUENCE => {
                self.bump();
                self.sequence(true)
            }
            K::LOGIN => {
                self.bump();
                self.alter_login()
            }
            K::CREDENTIAL => {
                self.bump();
                self.credential(true)
            }
            K::USER => {
                self.bump();
                self.alter_user()
            }
            K::ROLE => {
                self.bump();
                self.alter_role(false)
            }
            K::SERVER if self.peek_word(2, K::ROLE) => {
                self.bump();
                self.bump();
                self.alter_role(true)
            }
            K::SERVER if self.peek_word(2, K::CONFIGURATION) => {
                self.bump();
                self.alter_server_configuration()
            }
            K::APPLICATION => {
                self.bump();
                self.alter_application_role()
            }
            K::AUTHORIZATION => {
                self.bump();
                self.alter_authorization()
            }
            K::PARTITION => {
                self.bump();
                self.alter_partition()
            }
            K::THREAD if self.peek_word(2, K::POOL) => self.thread_pool(),
            K::RESOURCE if self.peek_word(2, K::POOL) => self.resource_pool(),
            K::WORKLOAD if self.peek_word(2, K::GROUP) => self.workload_group(),
            K::RESOURCE if self.peek_word(2, K::GOVERNOR) => self.resource_governor(),
            K::XML if self.peek_word(2, K::SCHEMA) => self.xml_schema_collection(true),
            K::NONE_ => {
                self.bump();
                Err(self.unexpected())
            }
            K::MASTER if self.at_master_key() => self.master_key(),
            _ if self.is_other_kind(next) => self.other(),
            _ => {
                self.bump();
                Err(self.unexpected())
            }
        }
    }

    /// Kinds of objects that are recognized but not built.
    pub(super) fn is_other_kind(&self, kind: K) -> bool {
        matches!(
            kind,
            K::ASSEMBLY
                | K::ASYMMETRIC
                | K::SYMMETRIC
                | K::CERTIFICATE
                | K::MASTER
                | K::CREDENTIAL
                | K::EVENT
                | K::ENDPOINT
                | K::MESSAGE
                | K::CONTRACT
                | K::QUEUE
                | K::SERVICE
                | K::ROUTE
                | K::REMOTE
                | K::BROKER
                | K::FULLTEXT
                | K::SEARCH
                | K::SERVER
                | K::AVAILABILITY
                | K::RESOURCE
                | K::WORKLOAD
                | K::EXTERNAL
                | K::SECURITY
                | K::COLUMN
                | K::XML
                | K::AGGREGATE
                | K::CRYPTOGRAPHIC
                | K::APPLICATION
                | K::SELF
                | K::FEDERATION
                | K::SENSITIVITY
                | K::SIGNATURE
                | K::COUNTER
        )
    }

    fn alter_table(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.object_name()?;
        let action = self.alter_table_action()?;
        Ok(StatementKind::AlterTable(Box::new(AlterTable { name, action })))
    }

    #[inline(never)]
    fn alter_table_action(&mut self) -> P<AlterTableAction> {
        let mut check = None;
        if self.at_word(K::WITH) && (self.peek_word(1, K::CHECK) || self.peek_word(1, K::NOCHECK)) {
            self.bump();
            check = Some(self.at_word(K::CHECK));
            self.bump();
            if !self.at_any(&[K::ADD, K::CHECK, K::NOCHECK]) {
                return Err(self.unexpected());
            }
        }
        match self.keyword() {
            K::ADD => {
                self.bump();
                self.alter_table_add(check)
            }
            K::DROP => {
                self.bump();
                Ok(AlterTableAction::Drop(self.alter_table_drop()?))
            }
            K::CHECK | K::NOCHECK => {
                let enable = self.at_word(K::CHECK);
                self.bump();
                self.expect_word(K::CONSTRAINT)?;
                let constraints = if self.eat_word(K::ALL) { None } else { Some(self.list(Self::ident)?) };
                Ok(AlterTableAction::SwitchConstraint { with_check: check, enable, constraints })
            }
            K::ALTER => {
                self.bump();
                if self.eat_word(K::INDEX) {
                    let index = self.ident()?;
                    self.expect_word(K::REBUILD)?;
                    return Ok(AlterTableAction::AlterIndex { index, options: self.with_settings()? });
                }
                self.expect_word(K::COLUMN)?;
                Ok(AlterTableAction::AlterColumn(Box::new(self.alter_column()?)))
            }
            K::ENABLE | K::DISABLE => self.alter_table_switch(),
            K::REBUILD => {
                self.bump();
                let partition = self.partition_choice()?;
                Ok(AlterTableAction::Rebuild { partition, options: self.with_settings()? })
            }
            K::SWITCH => {
                self.bump();
                let from = if self.eat_word(K::PARTITION) { Some(self.scalar()?) } else { None };
                self.expect_word(K::TO)?;
                let to = self.object_name()?;
                let to_partition = if self.eat_word(K::PARTITION) { Some(self.scalar()?) } else { None };
                Ok(AlterTableAction::SwitchPartition { from, to, to_partition, options: self.with_settings()? })
            }
            K::SET => {
                self.bump();
                Ok(AlterTableAction::Set(self.settings_list()?))
            }
            K::SPLIT | K::MERGE => {
                let merge = self.at_word(K::MERGE);
                self.bump();
                self.expect_word(K::RANGE)?;
                let range = if self.at(T::LeftParen) { self.arguments()?.pop() } else { None };
                Ok(AlterTableAction::SplitMerge { merge, range })
            }
            _ => Err(self.unexpected()),
        }
    }

    fn alter_table_add(&mut self, check: Option<bool>) -> P<AlterTableAction> {
        let mut definition = TableDefinition::default();
        loop {
            self.table_element(&mut definition)?;
            if !self.eat(T::Comma) {
                return Ok(AlterTableAction::Add { check, definition });
            }
            // `ADD a int, ADD b int` is not T-SQL.
        }
    }

    fn alter_table_switch(&mut self) -> P<AlterTableAction> {
        let enable = self.at_word(K::ENABLE);
        self.bump();
        match self.keyword() {
            K::TRIGGER => {
                self.bump();
                let triggers = if self.eat_word(K::ALL) { None } else { Some(self.list(Self::ident)?) };
                Ok(AlterTableAction::SwitchTrigger { enable, triggers })
            }
            K::CHANGE_TRACKING => {
                self.bump();
                Ok(AlterTableAction::ChangeTracking { enable, options: self.with_settings()? })
            }
            _ => {
                self.expect_text("FILETABLE_NAMESPACE")?;
                Ok(AlterTableAction::FileTableNamespace { enable })
            }
        }
    }

    /// `COLUMN a, b, CONSTRAINT c`: a kind holds until the next one is named.
    fn alter_table_drop(&mut self) -> P<Vec<AlterTableDrop>> {
        #[derive(Clone, Copy)]
        enum Kind {
            Column,
            Constraint,
            Index,
        }
        let mut kind = Kind::Constraint;
        let mut if_exists = false;
        self.list(|parser| {
            let line = parser.token.line;
            let named = match parser.keyword() {
                K::COLUMN => Some(Kind::Column),
                K::CONSTRAINT => Some(Kind::Constraint),
                K::INDEX => Some(Kind::Index),
                K::PERIOD if parser.peek_word(1, K::FOR) => {
                    parser.bump();
                    parser.bump();
                    parser.expect_word(K::SYSTEM_TIME)?;
                    return Ok(AlterTableDrop { kind: AlterTableDropKind::Period, if_exists: false, line });
                }
                _ => None,
            };
            if let Some(named) = named {
                kind = named;
                parser.bump();
                if_exists = parser.if_exists()?;
            }
            let name = parser.ident()?;
            let kind = match kind {
                Kind::Column => AlterTableDropKind::Column(name),
                Kind::Index => AlterTableDropKind::Index(name),
                Kind::Constraint => AlterTableDropKind::Constraint { name, options: parser.drop_options()? },
            };
            Ok(AlterTableDrop { kind, if_exists, line })
        })
    }

    /// `WITH (ONLINE = ON, MOVE TO filegroup)`, `WITH (MOVE TO scheme(column))`
    pub(super) fn drop_options(&mut self) -> P<Vec<Setting>> {
        if !self.at_word(K::WITH) || !self.peek_is(1, T::LeftParen) {
            return Ok(Vec::new());
        }
        self.bump();
        self.paren_list(|parser| {
            if parser.at_word(K::MOVE) || parser.at_word(K::FILESTREAM_ON) {
                let line = parser.token.line;
                let name: Box<str> =
                    if parser.eat_words(K::MOVE, K::TO) { "MOVE TO".into() } else { parser.upper_word() };
                let space = parser.data_space()?;
                let column = |column: Ident| Setting { name: column.text, value: SettingValue::Alone, line };
                let value = match space.columns.is_empty() {
                    true => SettingValue::Word(space.name),
                    false => SettingValue::List(Some(space.name), space.columns.into_iter().map(column).collect()),
                };
                return Ok(Setting { name, value, line });
            }
            parser.setting()
        })
    }

    pub(super) fn if_exists(&mut self) -> P<bool> {
        if !self.eat_word(K::IF) {
            return Ok(false);
        }
        self.expect_word(K::EXISTS)?;
        Ok(true)
    }

    /// `PARTITION = ALL`, `PARTITION = 3`
    pub(super) fn partition_choice(&mut self) -> P<Option<PartitionChoice>> {
        if !self.eat_word(K::PARTITION) {
            return Ok(None);
        }
        self.expect(T::Equals)?;
        if self.eat_word(K::ALL) {
            return Ok(Some(PartitionChoice::All));
        }
        Ok(Some(PartitionChoice::One(self.scalar()?)))
    }

    fn alter_column(&mut self) -> P<AlterColumn> {
        let line = self.token.line;
        let name = self.ident()?;
        let change = if self.at_any(&[K::ADD, K::DROP]) {
            let add = self.at_word(K::ADD);
            self.bump();
            self.column_property(add)?
        } else {
            let data_type = self.data_type()?;
            self.column_type(data_type)?
        };
        let options = self.with_settings()?;
        Ok(AlterColumn { name, change, options, line })
    }

    fn column_property(&mut self, add: bool) -> P<ColumnChange> {
        let mut masked = None;
        let property: Box<str> = match self.keyword() {
            K::ROWGUIDCOL | K::PERSISTED | K::SPARSE | K::HIDDEN => self.upper_word(),
            K::NOT => {
                self.not_for_replication()?;
                "NOT FOR REPLICATION".into()
            }
            K::MASKED => {
                self.bump();
                if add {
                    masked = Some(self.mask()?);
                }
                "MASKED".into()
            }
            _ => return Err(self.unexpected()),
        };
        Ok(ColumnChange::Property { add, property, masked })
    }

    fn column_type(&mut self, data_type: DataType) -> P<ColumnChange> {
        let (mut collation, mut null, mut sparse, mut masked) = (None, None, false, None);
        let (mut hidden, mut generated) = (false, false);
        loop {
            match self.keyword() {
                K::COLLATE => {
                    self.bump();
                    collation = Some(self.ident()?);
                }
                K::NULL => {
                    self.bump();
                    null = Some(true);
                }
                K::NOT => {
                    self.bump();
                    if self.eat_word(K::FOR) {
                        self.expect_word(K::REPLICATION)?;
                    } else {
                        self.expect_word(K::NULL)?;
                        null = Some(false);
                    }
                }
                // Before a mask and NULL.
                K::SPARSE if null.is_none() && masked.is_none() => {
                    self.bump();
                    sparse = true;
                }
                K::HIDDEN => {
                    self.bump();
                    hidden = true;
                }
                K::MASKED => {
                    self.bump();
                    masked = Some(self.mask()?);
                }
                K::ENCRYPTED => {
                    self.bump();
                    self.with_settings()?;
                }
                K::GENERATED => {
                    self.bump();
                    self.expect_word(K::ALWAYS)?;
                    self.expect_word(K::AS)?;
                    self.bump();
                    self.bump();
                    generated = true;
                }
                _ => return Ok(ColumnChange::Type { data_type, collation, null, sparse, masked, hidden, generated }),
            }
        }
    }
}
