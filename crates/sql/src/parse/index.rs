//! Indexes and statistics: CREATE, ALTER, DROP, UPDATE STATISTICS.

use types::sql_error;

use super::{K, P, Parser, T};
use crate::ast::*;

impl Parser<'_> {
    /// Behind CREATE: `[UNIQUE] [CLUSTERED | NONCLUSTERED] [COLUMNSTORE] INDEX ...`
    #[inline(never)]
    pub(super) fn create_index(&mut self) -> P<StatementKind> {
        let unique = self.eat_word(K::UNIQUE);
        let clustered = self.clustered();
        let kind = if self.eat_word(K::COLUMNSTORE) { IndexKind::Columnstore } else { IndexKind::Rows };
        self.expect_word(K::INDEX)?;
        let mut index = self.index_on(kind)?;
        index.unique = unique;
        index.clustered = clustered;
        index.hash = self.eat_word(K::HASH);
        if self.at(T::LeftParen) {
            index.columns = self.paren_list(Self::index_column)?;
        } else if index.kind == IndexKind::Rows {
            return Err(self.unexpected());
        }
        if self.eat_word(K::INCLUDE) {
            index.include = self.paren_list(|parser| Ok(parser.index_column()?.name))?;
        }
        if self.at_word(K::ORDER) && self.peek_is(1, T::LeftParen) {
            self.bump();
            index.order = self.paren_list(|parser| Ok(parser.index_column()?.name))?;
        }
        if self.eat_word(K::WHERE) {
            index.filter = Some(self.index_filter(clustered)?);
        }
        self.index_tail(&mut index)?;
        Ok(StatementKind::CreateIndex(Box::new(index)))
    }

    /// Behind WHERE: the general condition is read, then refused for the words that an index's filter has no room for.
    pub(super) fn index_filter(&mut self, clustered: Option<bool>) -> P<Expr> {
        if clustered == Some(true) {
            return Err(self.near(self.previous.line, "WHERE"));
        }
        let mut tokens = vec![self.token];
        tokens.extend_from_slice(&self.ahead[..self.ahead_count]);
        let mut lexer = self.lexer.clone();
        let condition = self.condition()?;
        while tokens.last().is_some_and(|token| token.end < self.previous.end) {
            tokens.push(lexer.next_token());
        }
        tokens.retain(|token| token.end <= self.previous.end);
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == T::Word) {
            match token.keyword {
                K::LIKE | K::OR | K::BETWEEN | K::EXISTS => return Err(self.unexpected_token(*token)),
                K::NOT if tokens.get(at + 1).is_some_and(|next| next.keyword == K::NULL) => {}
                K::NOT if at == 0 || tokens[at - 1].kind == T::LeftParen || tokens[at - 1].keyword == K::AND => {
                    return Err(self.unexpected_token(*token));
                }
                K::NOT => return Err(self.near(token.line, "NOT")),
                _ => {}
            }
        }
        Ok(condition)
    }

    /// `name ON table`
    fn index_on(&mut self, kind: IndexKind) -> P<CreateIndex> {
        let name = self.ident()?;
        self.expect_word(K::ON)?;
        let table = self.object_name()?;
        Ok(CreateIndex {
            name,
            table,
            kind,
            unique: false,
            clustered: None,
            hash: false,
            columns: Vec::new(),
            include: Vec::new(),
            order: Vec::new(),
            filter: None,
            options: Vec::new(),
            on: None,
            filestream_on: None,
        })
    }

    fn index_tail(&mut self, index: &mut CreateIndex) -> P<()> {
        index.options = self.index_options()?;
        if self.eat_word(K::ON) {
            index.on = Some(self.data_space()?);
        }
        if self.eat_word(K::FILESTREAM_ON) {
            index.filestream_on = Some(self.data_space()?);
        }
        Ok(())
    }

    /// Behind CREATE: `[PRIMARY] XML INDEX ...`
    #[inline(never)]
    pub(super) fn create_xml_index(&mut self) -> P<StatementKind> {
        self.eat_word(K::PRIMARY);
        self.expect_word(K::XML)?;
        self.expect_word(K::INDEX)?;
        let mut index = self.index_on(IndexKind::Xml { using: None })?;
        index.columns = self.paren_list(Self::index_column)?;
        if self.eat_word(K::USING) {
            self.expect_word(K::XML)?;
            self.expect_word(K::INDEX)?;
            let primary = self.ident()?;
            let mut purpose = None;
            if self.eat_word(K::FOR) {
                if self.at(T::LeftParen) {
                    // A selective one: its path's name.
                    purpose = Some(self.ident_list()?.remove(0).text);
                } else {
                    purpose = Some(self.upper_word());
                }
            }
            index.kind = IndexKind::Xml { using: Some((primary, purpose)) };
        }
        self.index_tail(&mut index)?;
        Ok(StatementKind::CreateIndex(Box::new(index)))
    }

    /// Behind CREATE: `SPATIAL INDEX ...`
    #[inline(never)]
    pub(super) fn create_spatial_index(&mut self) -> P<StatementKind> {
        self.bump();
        self.expect_word(K::INDEX)?;
        let mut index = self.index_on(IndexKind::Spatial { using: None })?;
        index.columns = self.paren_list(Self::index_column)?;
        if self.eat_word(K::USING) {
            index.kind = IndexKind::Spatial { using: Some(self.ident()?) };
        }
        self.index_tail(&mut index)?;
        Ok(StatementKind::CreateIndex(Box::new(index)))
    }

    /// Behind ALTER; the current token is INDEX.
    #[inline(never)]
    pub(super) fn alter_index(&mut self) -> P<StatementKind> {
        self.bump();
        let index = if self.eat_word(K::ALL) { None } else { Some(self.ident()?) };
        self.expect_word(K::ON)?;
        let table = self.object_name()?;
        let action = match self.keyword() {
            K::REBUILD => {
                self.bump();
                let partition = self.partition_choice()?;
                AlterIndexAction::Rebuild { partition, options: self.index_options()? }
            }
            K::REORGANIZE => {
                self.bump();
                let partition = self.partition_choice()?;
                AlterIndexAction::Reorganize { partition, options: self.with_settings()? }
            }
            K::DISABLE => {
                self.bump();
                AlterIndexAction::Disable
            }
            K::SET => {
                self.bump();
                AlterIndexAction::Set(self.settings_list()?)
            }
            K::RESUME | K::PAUSE | K::ABORT => {
                let verb = self.upper_word();
                AlterIndexAction::Resumable { verb, options: self.with_settings()? }
            }
            // Selective XML indexes: FOR (ADD ..., REMOVE ...).
            K::FOR | K::WITH => return self.other(),
            _ => return Err(self.unexpected()),
        };
        Ok(StatementKind::AlterIndex(Box::new(AlterIndex { index, table, action })))
    }

    /// Behind DROP; the current token is INDEX.
    #[inline(never)]
    pub(super) fn drop_index(&mut self) -> P<StatementKind> {
        self.bump();
        let if_exists = self.if_exists()?;
        let indexes = self.list(|parser| {
            let name = parser.object_name()?;
            if !parser.eat_word(K::ON) {
                // The old `table.index`.
                let ObjectName { server: _, database, schema, name, line } = name;
                let Some(table) = schema else { return Err(sql_error!(159, "DROP INDEX").at_line(line)) };
                let table = ObjectName { server: None, database: None, schema: database, name: table, line };
                return Ok(DropIndexItem { index: name, table, options: parser.drop_options()? });
            }
            let table = parser.object_name()?;
            Ok(DropIndexItem { index: name.name, table, options: parser.drop_options()? })
        })?;
        Ok(StatementKind::DropIndex(Box::new(DropIndex { if_exists, indexes })))
    }

    /// Behind CREATE; the current token is STATISTICS.
    #[inline(never)]
    pub(super) fn create_statistics(&mut self) -> P<StatementKind> {
        self.bump();
        let name = self.ident()?;
        self.expect_word(K::ON)?;
        let table = self.object_name()?;
        let columns = self.ident_list()?;
        let filter = if self.eat_word(K::WHERE) { Some(self.condition()?) } else { None };
        let options = self.statistics_options()?;
        let statistics = CreateStatistics { name, table, columns, filter, options };
        Ok(StatementKind::CreateStatistics(Box::new(statistics)))
    }

    /// The current token is UPDATE.
    #[inline(never)]
    pub(super) fn update_statistics(&mut self) -> P<StatementKind> {
        self.bump();
        self.bump();
        let table = self.object_name()?;
        let mut names = Vec::new();
        if self.at(T::LeftParen) {
            names = self.ident_list()?;
        } else if self.at_name() && !self.at_label() {
            names.push(self.ident()?);
        }
        let options = self.statistics_options()?;
        Ok(StatementKind::UpdateStatistics(Box::new(UpdateStatistics { table, names, options })))
    }

    /// `WITH FULLSCAN, NORECOMPUTE`, `WITH SAMPLE 10 PERCENT`, also in parentheses.
    fn statistics_options(&mut self) -> P<Vec<Setting>> {
        if !self.at_word(K::WITH) {
            return Ok(Vec::new());
        }
        let next = self.peek(1);
        if next.kind == T::LeftParen {
            return self.with_settings();
        }
        if next.kind != T::Word
            || next.keyword.is_reserved() && !matches!(next.keyword, K::ALL | K::INDEX | K::ROWCOUNT)
        {
            return Err(self.unexpected());
        }
        self.bump();
        self.list(|parser| {
            let setting = parser.loose_setting()?;
            if matches!(setting.value, SettingValue::Alone)
                && &*setting.name == "RESAMPLE"
                && parser.eat_words(K::ON, K::PARTITIONS)
            {
                let value = SettingValue::List(None, parser.settings_list()?);
                return Ok(Setting { value, ..setting });
            }
            Ok(setting)
        })
    }
}
