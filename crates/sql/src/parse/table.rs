//! Table definitions: columns, constraints, inline indexes.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

impl Parser<'_> {
    /// Behind CREATE; the current token is TABLE.
    #[inline(never)]
    pub(super) fn create_table(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.object_name()?;
        let mut table = CreateTable {
            name,
            definition: TableDefinition::default(),
            on: None,
            textimage_on: None,
            filestream_on: None,
            options: Vec::new(),
            as_kind: None,
        };
        if self.at_word(K::AS) {
            self.as_kind(&mut table)?;
        } else {
            table.definition = self.table_definition()?;
        }
        loop {
            match self.keyword() {
                K::ON => {
                    self.bump();
                    table.on = Some(self.data_space()?);
                }
                K::TEXTIMAGE_ON => {
                    self.bump();
                    table.textimage_on = Some(self.data_space()?);
                }
                K::FILESTREAM_ON => {
                    self.bump();
                    table.filestream_on = Some(self.data_space()?);
                }
                K::WITH if self.peek_is(1, T::LeftParen) => table.options.extend(self.with_settings()?),
                K::AS if self.peek_word(1, K::NODE) || self.peek_word(1, K::EDGE) => self.as_kind(&mut table)?,
                _ => break,
            }
        }
        Ok(StatementKind::CreateTable(Box::new(table)))
    }

    /// AS FILETABLE, AS NODE, AS EDGE.
    fn as_kind(&mut self, table: &mut CreateTable) -> P<()> {
        self.bump();
        if !self.at_any(&[K::FILETABLE, K::NODE, K::EDGE]) {
            return Err(self.unexpected());
        }
        table.as_kind = Some(self.upper_word());
        Ok(())
    }

    /// A filegroup or `scheme(column)`.
    pub(super) fn data_space(&mut self) -> P<DataSpace> {
        if self.at_word(K::DEFAULT) {
            return Ok(DataSpace { name: self.any_word()?, columns: Vec::new() });
        }
        let name = self.ident_or_string()?;
        let columns = if self.at(T::LeftParen) { self.paren_list(Self::ident)? } else { Vec::new() };
        Ok(DataSpace { name, columns })
    }

    /// Of a type or a variable: no foreign keys.
    pub(super) fn table_type_definition(&mut self) -> P<TableDefinition> {
        self.foreign_keys = false;
        let definition = self.table_definition();
        self.foreign_keys = true;
        definition
    }

    /// `(columns, constraints, indexes)`
    pub(super) fn table_definition(&mut self) -> P<TableDefinition> {
        let mut definition = TableDefinition::default();
        self.expect(T::LeftParen)?;
        loop {
            self.table_element(&mut definition)?;
            if !self.eat(T::Comma) {
                break;
            }
            // A comma before the closing parenthesis is accepted of a table.
            if self.foreign_keys && self.at(T::RightParen) {
                break;
            }
        }
        self.expect(T::RightParen)?;
        // A default is its column's: only ALTER TABLE names one behind it.
        let of_table = |constraint: &&Constraint| matches!(constraint.kind, ConstraintKind::Default(_));
        match definition.constraints.iter().find(of_table) {
            Some(default) => Err(sql_error!(142, "TABLE").at_line(default.line)),
            None => Ok(definition),
        }
    }

    pub(super) fn table_element(&mut self, definition: &mut TableDefinition) -> P<()> {
        match self.keyword() {
            K::CONSTRAINT | K::PRIMARY | K::UNIQUE | K::FOREIGN | K::CHECK | K::DEFAULT => {
                let constraint = self.table_constraint()?;

                definition.constraints.push(constraint);
            }
            K::INDEX => definition.indexes.push(self.inline_index(true)?),
            K::PERIOD if self.peek_word(1, K::FOR) => {
                let start_line = self.token.line;
                self.bump();
                self.bump();
                self.expect_word(K::SYSTEM_TIME)?;
                self.expect(T::LeftParen)?;
                let start = self.ident()?;
                self.expect(T::Comma)?;
                let end = self.ident()?;
                self.expect(T::RightParen)?;
                if definition.period.is_some() {
                    return Err(sql_error!(13508).at_line(start_line));
                }
                definition.period = Some((start, end));
            }
            K::CONNECTION if self.peek_is(1, T::LeftParen) => {
                let constraint = self.table_constraint()?;
                definition.constraints.push(constraint);
            }
            _ => {
                let mut column = self.column_definition(false)?;
                // The comma before a table constraint may be left out; it then looks like the column's.
                let constraints = std::mem::take(&mut column.constraints);
                let (of_table, of_column) = constraints.into_iter().partition(names_columns);
                column.constraints = of_column;
                definition.columns.push(column);
                definition.constraints.extend::<Vec<Constraint>>(of_table);
            }
        }
        Ok(())
    }

    /// `untyped`: a column may come without a type (INSERT BULK), else only `timestamp`.
    pub(super) fn column_definition(&mut self, untyped: bool) -> P<ColumnDefinition> {
        let line = self.token.line;
        let name = self.ident()?;
        let mut column = ColumnDefinition {
            kind: ColumnKind::Timestamp,
            collation: None,
            null: None,
            null_again: false,
            identity: None,
            rowguidcol: false,
            sparse: false,
            column_set: false,
            filestream: false,
            hidden: false,
            masked: None,
            generated: None,
            encrypted: Vec::new(),
            constraints: Vec::new(),
            indexes: Vec::new(),
            name,
            line,
        };
        if self.eat_word(K::AS) {
            let start = self.token.start;
            let expr = self.scalar()?;
            let text = self.span_from(start);
            let persisted = self.eat_word(K::PERSISTED);
            column.kind = ColumnKind::Computed { expr, persisted, text };
        } else if self.at_name() || self.at_any(&[K::DOUBLE, K::NATIONAL, K::CURSOR]) {
            column.kind = ColumnKind::Typed(self.data_type()?);
        } else if !untyped && !column.name.is("timestamp") {
            if self.at(T::Comma) || self.at(T::RightParen) {
                return Err(sql_error!(173, column.name.text).at_line(line));
            }
            return Err(self.unexpected());
        }
        while self.column_attribute(&mut column)? {}
        Ok(column)
    }

    /// One of the things behind a column's type, in any order; false: none follows.
    fn column_attribute(&mut self, column: &mut ColumnDefinition) -> P<bool> {
        match self.keyword() {
            K::NULL => {
                self.bump();
                column.null_again |= column.null.is_some();
                column.null = Some(true);
            }
            K::NOT => {
                self.bump();
                if self.eat_word(K::FOR) {
                    self.expect_word(K::REPLICATION)?;
                    if let Some(identity) = &mut column.identity {
                        identity.not_for_replication = true;
                    }
                } else {
                    self.expect_word(K::NULL)?;
                    column.null_again |= column.null.is_some();
                    column.null = Some(false);
                }
            }
            K::CONSTRAINT | K::DEFAULT | K::PRIMARY | K::UNIQUE | K::FOREIGN | K::REFERENCES | K::CHECK => {
                let constraint = self.column_constraint()?;
                if constraint.kind == ConstraintKind::Null {
                    column.null_again |= column.null.is_some();
                    column.null = Some(self.previous_null());
                }
                // FOR names the column of a constraint that stands alone.
                if let ConstraintKind::Default(DefaultValue { column: Some(_), .. }) = &constraint.kind {
                    return Err(sql_error!(156, "for").at_line(self.previous.line));
                }
                column.constraints.push(constraint);
            }
            K::IDENTITY if column.identity.is_none() => {
                self.bump();
                column.identity = Some(self.identity()?);
            }
            K::COLLATE if column.collation.is_none() => {
                self.bump();
                column.collation = Some(self.ident()?);
            }
            K::ROWGUIDCOL => {
                self.bump();
                column.rowguidcol = true;
            }
            K::INDEX => column.indexes.push(self.inline_index(false)?),
            K::NONE_ => return Ok(false),
            _ => return self.rare_column_attribute(column),
        }
        Ok(true)
    }

    /// Behind `CONSTRAINT name [NOT] NULL`: which of the two it was.
    fn previous_null(&self) -> bool {
        let before = self.text[..self.previous.start as usize].trim_end();
        !before.to_ascii_uppercase().ends_with("NOT")
    }

    #[inline(never)]
    fn rare_column_attribute(&mut self, column: &mut ColumnDefinition) -> P<bool> {
        match self.keyword() {
            K::SPARSE => {
                self.bump();
                column.sparse = true;
            }
            K::PERSISTED => {
                self.bump();
                if let ColumnKind::Computed { persisted, .. } = &mut column.kind {
                    *persisted = true;
                }
            }
            K::FILESTREAM => {
                self.bump();
                column.filestream = true;
            }
            K::HIDDEN => {
                self.bump();
                column.hidden = true;
            }
            K::COLUMN_SET => {
                self.bump();
                self.expect_word(K::FOR)?;
                self.expect_text("ALL_SPARSE_COLUMNS")?;
                column.column_set = true;
            }
            // It is said of the type, before what is said of the column.
            K::MASKED if column.null.is_some() || column.identity.is_some() || !column.constraints.is_empty() => {
                return Err(self.unexpected());
            }
            K::MASKED => {
                self.bump();
                column.masked = Some(self.mask()?);
            }
            K::ENCRYPTED => {
                self.bump();
                column.encrypted = self.with_settings()?;
            }
            K::GENERATED => {
                self.bump();
                column.generated = Some(self.generated_always()?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `WITH (FUNCTION = 'f')`
    pub(super) fn mask(&mut self) -> P<Box<str>> {
        self.expect_word(K::WITH)?;
        self.expect(T::LeftParen)?;
        self.expect_word(K::FUNCTION)?;
        self.expect(T::Equals)?;
        let function = self.string()?;
        self.expect(T::RightParen)?;
        Ok(function)
    }

    fn generated_always(&mut self) -> P<GeneratedAlways> {
        self.expect_word(K::ALWAYS)?;
        self.expect_word(K::AS)?;
        let what = self.token;
        self.bump();
        let start = self.eat_word(K::START);
        if !start {
            self.expect_word(K::END)?;
        }
        Ok(match (self.token_text(what).to_ascii_uppercase().as_str(), start) {
            ("ROW", true) => GeneratedAlways::RowStart,
            ("ROW", false) => GeneratedAlways::RowEnd,
            ("TRANSACTION_ID", true) => GeneratedAlways::TransactionIdStart,
            ("TRANSACTION_ID", false) => GeneratedAlways::TransactionIdEnd,
            ("SEQUENCE_NUMBER", true) => GeneratedAlways::SequenceNumberStart,
            ("SEQUENCE_NUMBER", false) => GeneratedAlways::SequenceNumberEnd,
            _ => return Err(self.unexpected_token(what)),
        })
    }

    /// Behind IDENTITY: `(seed, increment)` or nothing.
    fn identity(&mut self) -> P<Identity> {
        let mut identity = Identity { seed: None, increment: None, not_for_replication: false };
        if self.eat(T::LeftParen) {
            identity.seed = Some(self.constant()?);
            if self.eat(T::Comma) {
                identity.increment = Some(self.constant()?);
            }
            self.expect(T::RightParen)?;
        }
        Ok(identity)
    }

    fn constraint_name(&mut self) -> P<Option<Ident>> {
        // Nothing of a type or a variable has a name.
        if self.at_word(K::CONSTRAINT) && !self.foreign_keys {
            return Err(self.unexpected());
        }
        if !self.eat_word(K::CONSTRAINT) {
            return Ok(None);
        }
        let name = self.ident()?;
        match name.starts_with('#') {
            true => Err(sql_error!(8166, &*name).at_line(self.previous.line)),
            false => Ok(Some(name)),
        }
    }

    fn column_constraint(&mut self) -> P<Constraint> {
        let line = self.token.line;
        let name = self.constraint_name()?;
        let kind = match self.keyword() {
            K::NULL if name.is_some() => {
                self.bump();
                ConstraintKind::Null
            }
            K::NOT if name.is_some() && self.peek_word(1, K::NULL) => {
                self.bump();
                self.bump();
                ConstraintKind::Null
            }
            _ => self.constraint_kind(name.is_some())?,
        };
        Ok(Constraint { name, kind, line })
    }

    pub(super) fn table_constraint(&mut self) -> P<Constraint> {
        let line = self.token.line;
        let name = self.constraint_name()?;
        let kind = self.constraint_kind(name.is_some())?;
        Ok(Constraint { name, kind, line })
    }

    #[inline(never)]
    fn constraint_kind(&mut self, named: bool) -> P<ConstraintKind> {
        Ok(match self.keyword() {
            K::PRIMARY => {
                self.bump();
                self.expect_word(K::KEY)?;
                ConstraintKind::PrimaryKey(self.key()?)
            }
            K::UNIQUE => {
                self.bump();
                ConstraintKind::Unique(self.key()?)
            }
            K::FOREIGN | K::REFERENCES if self.foreign_keys => ConstraintKind::ForeignKey(self.foreign_key()?),
            K::CHECK => ConstraintKind::Check(self.check()?),
            K::DEFAULT => ConstraintKind::Default(self.default_value()?),
            K::CONNECTION => {
                self.bump();
                ConstraintKind::Connection(self.connections()?)
            }
            // Scripts in print have names whose constraint was lost.
            K::CONSTRAINT if named => ConstraintKind::Missing,
            _ if named && (self.at(T::Comma) || self.at(T::RightParen)) => ConstraintKind::Missing,
            _ => return Err(self.unexpected()),
        })
    }

    fn connections(&mut self) -> P<Vec<(ObjectName, ObjectName)>> {
        let pairs = self.paren_list(|parser| {
            let from = parser.object_name()?;
            parser.expect_word(K::TO)?;
            Ok((from, parser.object_name()?))
        })?;
        if self.eat_words(K::ON, K::DELETE) {
            self.referential_action()?;
        }
        Ok(pairs)
    }

    /// Behind PRIMARY KEY or UNIQUE.
    fn key(&mut self) -> P<Key> {
        let mut key = Key {
            clustered: self.clustered(),
            hash: false,
            columns: Vec::new(),
            options: Vec::new(),
            on: None,
            not_enforced: false,
        };
        key.hash = self.eat_word(K::HASH);
        if self.at(T::LeftParen) {
            key.columns = self.paren_list(Self::index_column)?;
        }
        key.options = self.index_options()?;
        key.on = self.on_data_space()?;
        if self.at_word(K::NOT) {
            let next = self.peek(1);
            if self.token_text(next).eq_ignore_ascii_case("ENFORCED") {
                self.bump();
                self.bump();
                key.not_enforced = true;
            }
        }
        Ok(key)
    }

    pub(super) fn clustered(&mut self) -> Option<bool> {
        if self.eat_word(K::CLUSTERED) {
            Some(true)
        } else if self.eat_word(K::NONCLUSTERED) {
            Some(false)
        } else {
            None
        }
    }

    /// `ON filegroup`, unless it is ON DELETE or ON UPDATE.
    fn on_data_space(&mut self) -> P<Option<DataSpace>> {
        if !self.at_word(K::ON) || self.peek_word(1, K::DELETE) || self.peek_word(1, K::UPDATE) {
            return Ok(None);
        }
        self.bump();
        Ok(Some(self.data_space()?))
    }

    pub(super) fn index_column(&mut self) -> P<IndexColumn> {
        let line = self.token.line;
        let name = if self.at_any(&[K::IDENTITYCOL, K::ROWGUIDCOL]) || self.at(T::Dollar) {
            self.any_word()?
        } else {
            self.ident()?
        };
        let descending = self.eat_word(K::DESC);
        if !descending {
            self.eat_word(K::ASC);
        }
        Ok(IndexColumn { name, descending, line })
    }

    /// `WITH (...)`, or the old `WITH FILLFACTOR = 80, PAD_INDEX`.
    pub(super) fn index_options(&mut self) -> P<Vec<Setting>> {
        if !self.at_word(K::WITH) {
            return Ok(Vec::new());
        }
        let next = self.peek(1);
        if next.kind == T::LeftParen {
            return self.with_settings();
        }
        const OLD: &[&str] = &[
            "FILLFACTOR",
            "PAD_INDEX",
            "IGNORE_DUP_KEY",
            "DROP_EXISTING",
            "STATISTICS_NORECOMPUTE",
            "SORTED_DATA",
            "SORTED_DATA_REORG",
            "SORT_IN_TEMPDB",
        ];
        if !OLD.iter().any(|word| word.eq_ignore_ascii_case(self.token_text(next))) {
            return Ok(Vec::new());
        }
        self.bump();
        self.list(|parser| {
            let line = parser.token.line;
            let name = parser.upper_word();
            // ON behind these is the filegroup's.
            let value = if parser.eat(T::Equals) { parser.setting_value()? } else { SettingValue::Alone };
            Ok(Setting { name, value, line })
        })
    }

    fn foreign_key(&mut self) -> P<ForeignKey> {
        let mut columns = Vec::new();
        if self.eat_word(K::FOREIGN) {
            self.expect_word(K::KEY)?;
            columns = self.optional_ident_list()?;
        }
        self.expect_word(K::REFERENCES)?;
        let table = self.object_name()?;
        let referenced = self.optional_ident_list()?;
        let mut key =
            ForeignKey { columns, table, referenced, on_delete: None, on_update: None, not_for_replication: false };
        loop {
            if key.on_delete.is_none() && self.eat_words(K::ON, K::DELETE) {
                key.on_delete = Some(self.referential_action()?);
            } else if key.on_update.is_none() && self.eat_words(K::ON, K::UPDATE) {
                key.on_update = Some(self.referential_action()?);
            } else if self.at_word(K::NOT) && self.peek_word(1, K::FOR) {
                self.not_for_replication()?;
                key.not_for_replication = true;
            } else {
                return Ok(key);
            }
        }
    }

    pub(super) fn not_for_replication(&mut self) -> P<()> {
        self.bump();
        self.expect_word(K::FOR)?;
        self.expect_word(K::REPLICATION)
    }

    fn referential_action(&mut self) -> P<ReferentialAction> {
        if self.eat_word(K::CASCADE) {
            return Ok(ReferentialAction::Cascade);
        }
        if self.eat_word(K::NO) {
            self.expect_word(K::ACTION)?;
            return Ok(ReferentialAction::NoAction);
        }
        self.expect_word(K::SET)?;
        if self.eat_word(K::NULL) {
            return Ok(ReferentialAction::SetNull);
        }
        self.expect_word(K::DEFAULT)?;
        Ok(ReferentialAction::SetDefault)
    }

    fn check(&mut self) -> P<Check> {
        self.bump();
        let mut not_for_replication = false;
        if self.at_word(K::NOT) {
            self.not_for_replication()?;
            not_for_replication = true;
        }
        self.expect(T::LeftParen)?;
        let start = self.token.start;
        let condition = self.condition()?;
        let text = self.span_from(start);
        self.expect(T::RightParen)?;
        if !not_for_replication && self.at_word(K::NOT) && self.peek_word(1, K::FOR) {
            self.not_for_replication()?;
            not_for_replication = true;
        }
        Ok(Check { condition, text, not_for_replication })
    }

    fn default_value(&mut self) -> P<DefaultValue> {
        self.bump();
        let start = self.token.start;
        let value = self.scalar()?;
        let text = self.span_from(start);
        let mut default = DefaultValue { value, text, column: None, with_values: false };
        if self.eat_word(K::FOR) {
            default.column = Some(self.ident()?);
        }
        default.with_values = self.eat_words(K::WITH, K::VALUES);
        Ok(default)
    }

    /// `INDEX name ...`; of a column it needs no column list.
    fn inline_index(&mut self, of_table: bool) -> P<InlineIndex> {
        let line = self.token.line;
        self.bump();
        let name = self.ident()?;
        let unique = self.eat_word(K::UNIQUE);
        let clustered = self.clustered();
        let mut index = InlineIndex {
            name,
            unique,
            clustered,
            hash: false,
            columnstore: false,
            columns: Vec::new(),
            include: Vec::new(),
            filter: None,
            options: Vec::new(),
            on: None,
            filestream_on: None,
            line,
        };
        index.hash = self.eat_word(K::HASH);
        index.columnstore = self.eat_word(K::COLUMNSTORE);
        if self.at(T::LeftParen) {
            index.columns = self.paren_list(Self::index_column)?;
        } else if of_table && !index.columnstore {
            return Err(self.unexpected());
        }
        if self.eat_word(K::INCLUDE) {
            index.include = self.paren_list(|parser| Ok(parser.index_column()?.name))?;
        }
        if self.eat_word(K::WHERE) {
            index.filter = Some(self.index_filter(clustered)?);
        }
        index.options = self.index_options()?;
        index.on = self.on_data_space()?;
        if self.eat_word(K::FILESTREAM_ON) {
            index.filestream_on = Some(self.data_space()?);
        }
        Ok(index)
    }
}

fn names_columns(constraint: &Constraint) -> bool {
    match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => !key.columns.is_empty(),
        // Several of a foreign key are refused beside a column.
        ConstraintKind::ForeignKey(key) => key.columns.len() == 1,
        _ => false,
    }
}
