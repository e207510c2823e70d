//! Cursors: DECLARE in both forms, OPEN, FETCH, CLOSE, DEALLOCATE.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// Options that exclude each other. UPDATE: FOR UPDATE behind the query.
const EXCLUDED: [(K, K); 19] = [
    (K::LOCAL, K::GLOBAL),
    (K::SCROLL, K::FORWARD_ONLY),
    (K::SCROLL, K::FAST_FORWARD),
    (K::STATIC, K::KEYSET),
    (K::STATIC, K::DYNAMIC),
    (K::STATIC, K::FAST_FORWARD),
    (K::KEYSET, K::DYNAMIC),
    (K::KEYSET, K::FAST_FORWARD),
    (K::DYNAMIC, K::FAST_FORWARD),
    (K::FAST_FORWARD, K::UPDATE),
    (K::FAST_FORWARD, K::SCROLL_LOCKS),
    (K::FAST_FORWARD, K::OPTIMISTIC),
    (K::UPDATE, K::STATIC),
    (K::UPDATE, K::INSENSITIVE),
    (K::UPDATE, K::READ_ONLY),
    (K::STATIC, K::SCROLL_LOCKS),
    (K::READ_ONLY, K::SCROLL_LOCKS),
    (K::OPTIMISTIC, K::READ_ONLY),
    (K::SCROLL_LOCKS, K::OPTIMISTIC),
];

impl Parser<'_> {
    /// `name [INSENSITIVE] [SCROLL] CURSOR ...`; the current token is the name.
    pub(super) fn declare_cursor(&mut self) -> P<StatementKind> {
        let name = self.ident()?;
        let mut definition = CursorDefinition::default();
        if self.eat_word(K::INSENSITIVE) {
            definition.insensitive = true;
            definition.iso = true;
        }
        if self.eat_word(K::SCROLL) {
            definition.scroll = Some(true);
            definition.iso = true;
        }
        self.expect_word(K::CURSOR)?;
        let definition = self.cursor_definition(definition)?;
        Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor { name, definition })))
    }

    /// Behind the word CURSOR: `options FOR query [FOR READ ONLY | UPDATE [OF columns]]`.
    pub(super) fn cursor_definition(&mut self, mut definition: CursorDefinition) -> P<CursorDefinition> {
        let mut chosen: Vec<K> = Vec::new();
        if definition.insensitive {
            chosen.push(K::INSENSITIVE);
        }
        while !self.at_word(K::FOR) {
            let token = self.token;
            if definition.iso && token.kind == T::Word {
                return Err(sql_error!(1049).at_line(token.line));
            }
            match token.keyword {
                K::LOCAL => definition.global = Some(false),
                K::GLOBAL => definition.global = Some(true),
                K::FORWARD_ONLY => definition.scroll = Some(false),
                K::SCROLL => definition.scroll = Some(true),
                K::STATIC => definition.kind = Some(CursorKind::Static),
                K::INSENSITIVE => return Err(sql_error!(153, "INSENSITIVE", "DECLARE CURSOR").at_line(token.line)),
                K::KEYSET => definition.kind = Some(CursorKind::Keyset),
                K::DYNAMIC => definition.kind = Some(CursorKind::Dynamic),
                K::FAST_FORWARD => definition.kind = Some(CursorKind::FastForward),
                K::READ_ONLY => definition.concurrency = Some(CursorConcurrency::ReadOnly),
                K::SCROLL_LOCKS => definition.concurrency = Some(CursorConcurrency::ScrollLocks),
                K::OPTIMISTIC => definition.concurrency = Some(CursorConcurrency::Optimistic),
                K::TYPE_WARNING => definition.type_warning = true,
                _ if token.kind == T::Word && !token.keyword.is_reserved() => {
                    return Err(self.not_an_option(token, "DECLARE CURSOR"));
                }
                _ => return Err(self.unexpected()),
            }
            chosen.push(token.keyword);
            self.bump();
        }
        self.bump();
        let mut query = self.query_of_cursor()?;
        query.options = self.option_clause()?;
        if self.at_word(K::FOR) {
            self.bump();
            query.for_clause = Some(Box::new(self.cursor_for()?));
        }
        if query.options.is_empty() {
            query.options = self.option_clause()?;
        }
        match query.for_clause.as_deref() {
            Some(ForClause::Update(_)) => chosen.push(K::UPDATE),
            Some(ForClause::ReadOnly) => chosen.push(K::READ_ONLY),
            _ => {}
        }
        self.check_options(&chosen)?;
        definition.query = Some(Box::new(query));
        Ok(definition)
    }

    /// 1048 for an option beside one that it excludes, told behind the whole declaration.
    fn check_options(&self, chosen: &[K]) -> P<()> {
        let has = |option: K| chosen.contains(&option);
        let shown = |option: K| if option == K::UPDATE { "FOR UPDATE".into() } else { format!("{option:?}") };
        match EXCLUDED.iter().find(|(one, other)| has(*one) && has(*other)) {
            Some((one, other)) => Err(sql_error!(1048, shown(*one), shown(*other)).at_line(self.token.line)),
            None => Ok(()),
        }
    }

    pub(super) fn cursor_for(&mut self) -> P<ForClause> {
        if self.eat_word(K::READ) {
            self.expect_word(K::ONLY)?;
            return Ok(ForClause::ReadOnly);
        }
        if self.eat_word(K::READ_ONLY) {
            return Ok(ForClause::ReadOnly);
        }
        self.expect_word(K::UPDATE)?;
        let columns =
            if self.eat_word(K::OF) { self.list(|parser| Ok(parser.column_name()?.name))? } else { Vec::new() };
        Ok(ForClause::Update(columns))
    }

    /// `[GLOBAL] name` or `@variable`.
    pub(super) fn cursor_name(&mut self) -> P<CursorName> {
        if self.at(T::Variable) {
            return Ok(CursorName::Variable(self.variable()?));
        }
        let next = self.peek(1);
        let global = self.at_word(K::GLOBAL) && self.is_name(next);
        if global {
            self.bump();
        }
        Ok(CursorName::Name { name: self.ident_or_string()?, global })
    }

    /// OPEN of a cursor; OPEN SYMMETRIC KEY and OPEN MASTER KEY are of another family.
    #[inline(never)]
    pub(super) fn open(&mut self) -> P<StatementKind> {
        if self.at_master_key() {
            return self.master_key();
        }
        if self.at_key_statement() {
            return self.other();
        }
        self.bump();
        Ok(StatementKind::OpenCursor(self.cursor_name()?))
    }

    #[inline(never)]
    pub(super) fn close(&mut self) -> P<StatementKind> {
        if self.at_master_key() {
            return self.master_key();
        }
        if self.at_key_statement() {
            return self.other();
        }
        self.bump();
        Ok(StatementKind::CloseCursor(self.cursor_name()?))
    }

    fn at_key_statement(&mut self) -> bool {
        self.peek_word(1, K::SYMMETRIC) && self.peek_word(2, K::KEY) || self.peek_word(1, K::ALL)
    }

    #[inline(never)]
    pub(super) fn deallocate(&mut self) -> P<StatementKind> {
        self.bump();
        // Sybase's form has the word CURSOR.
        self.eat_word(K::CURSOR);
        Ok(StatementKind::DeallocateCursor(self.cursor_name()?))
    }

    #[inline(never)]
    pub(super) fn fetch(&mut self) -> P<StatementKind> {
        self.bump();
        let mut has_direction = true;
        let direction = match self.keyword() {
            K::NEXT => FetchDirection::Next,
            K::PRIOR => FetchDirection::Prior,
            K::FIRST => FetchDirection::First,
            K::LAST => FetchDirection::Last,
            K::ABSOLUTE => FetchDirection::Absolute(Expr::Default),
            K::RELATIVE => FetchDirection::Relative(Expr::Default),
            _ => {
                has_direction = false;
                FetchDirection::Next
            }
        };
        // All of these words may also be the cursor's name.
        if has_direction
            && !self.peek_word(1, K::FROM)
            && matches!(
                direction,
                FetchDirection::Next | FetchDirection::Prior | FetchDirection::First | FetchDirection::Last
            )
        {
            let next = self.peek(1);
            has_direction = self.is_name(next) || next.kind == T::Variable;
        }
        let mut direction = direction;
        if has_direction {
            self.bump();
            direction = match direction {
                FetchDirection::Absolute(_) => FetchDirection::Absolute(self.constant()?),
                FetchDirection::Relative(_) => FetchDirection::Relative(self.constant()?),
                other => other,
            };
            self.eat_word(K::FROM);
        } else {
            direction = FetchDirection::Next;
            self.eat_word(K::FROM);
        }
        let cursor = self.cursor_name()?;
        let into = if self.eat_word(K::INTO) { self.list(Self::variable)? } else { Vec::new() };
        Ok(StatementKind::FetchCursor(Box::new(FetchCursor { direction, cursor, into })))
    }
}
