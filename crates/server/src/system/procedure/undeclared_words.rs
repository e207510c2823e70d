//! A text as tokens, as far as the place of a parameter has to be understood: what encloses it, what stands beside it, which tables
//! its query names.

use sql::lex::{Lexer, Token, TokenKind};

/// Tables of a text that are tried for a column.
const TABLES_MAX: usize = 64;
/// Parentheses around a parameter whose tables are looked at.
const LEVELS_MAX: usize = 32;

/// Operators that make one operand of two.
const CHAINS: [&str; 9] = ["+", "-", "*", "/", "%", "||", "&", "|", "^"];

pub struct Table<'a> {
    pub name: &'a str,
    /// Or the last part of its name.
    pub alias: &'a str,
}

/// What opens the parentheses around a parameter.
pub struct Enclosing {
    /// The token `(`.
    pub open: usize,
    /// Commas between it and the parameter.
    pub place: usize,
}

pub struct Words<'a> {
    text: &'a str,
    pub tokens: Vec<Token>,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Words<'a> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            tokens.push(token);
        }
        Words { text, tokens }
    }

    pub fn text(&self, at: usize) -> &'a str {
        self.between(at, at + 1)
    }

    /// Of the tokens from `start` to before `end`.
    pub fn between(&self, start: usize, end: usize) -> &'a str {
        match (self.tokens.get(start), end.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if start < end => &self.text[first.start as usize..last.end as usize],
            _ => "",
        }
    }

    pub fn is(&self, at: usize, word: &str) -> bool {
        self.text(at).eq_ignore_ascii_case(word)
    }

    pub fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    pub fn is_variable(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Variable)
    }

    pub fn is_name(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Bracketed | TokenKind::DoubleQuoted))
    }

    /// A word that the language keeps to itself.
    pub fn is_reserved(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word && token.keyword.is_reserved())
    }

    /// A name that no word of the language is.
    fn is_free_name(&self, at: usize) -> bool {
        self.is_name(at) && !self.is_reserved(at)
    }

    fn is_constant(&self, at: usize) -> bool {
        use TokenKind::*;
        self.tokens.get(at).is_some_and(|token| {
            matches!(token.kind, String | NationalString | Integer | Decimal | Float | Money | Binary | Global)
        })
    }

    /// A name of several parts that begins at `at`, and the token behind it. A part may be left out: `db..t`.
    pub fn name(&self, at: usize) -> Option<(&'a str, usize)> {
        if !self.is_name(at) {
            return None;
        }
        let mut end = at;
        while self.is(end + 1, ".") {
            let next = if self.is(end + 2, ".") { end + 3 } else { end + 2 };
            if !self.is_name(next) {
                break;
            }
            end = next;
        }
        Some((self.between(at, end + 1), end + 1))
    }

    /// Where the name that ends just before `end` begins.
    pub fn name_before(&self, end: usize) -> Option<usize> {
        let mut start = end.checked_sub(1).filter(|at| self.is_name(*at))?;
        while start >= 2 && self.is(start - 1, ".") {
            let part = if self.is(start - 2, ".") { start.checked_sub(3) } else { Some(start - 2) };
            match part.filter(|at| self.is_name(*at)) {
                Some(at) => start = at,
                None => break,
            }
        }
        Some(start)
    }

    /// The parenthesis that belongs to the one at `at`, forwards or backwards.
    pub fn other(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let forwards = self.is(at, "(");
        let mut here = at;
        loop {
            if self.is(here, "(") || self.is(here, ")") {
                let is_inner = self.is(here, "(") == forwards;
                depth = if is_inner { depth + 1 } else { depth - 1 };
                if depth == 0 {
                    return Some(here);
                }
            }
            here = if forwards { here + 1 } else { here.checked_sub(1)? };
            if here >= self.tokens.len() {
                return None;
            }
        }
    }

    /// What encloses `at`; None: nothing in its statement does.
    pub fn enclosing(&self, at: usize) -> Option<Enclosing> {
        let mut place = 0;
        let mut here = at.checked_sub(1)?;
        loop {
            match self.text(here) {
                ")" => here = self.other(here)?,
                "(" => return Some(Enclosing { open: here, place }),
                "," => place += 1,
                ";" => return None,
                _ => {}
            }
            here = here.checked_sub(1)?;
        }
    }

    /// The word VALUES of which the parentheses at `open` are a row, unless its rows are those of a query.
    pub fn values_of(&self, mut open: usize) -> Option<usize> {
        loop {
            let before = open.checked_sub(1)?;
            if self.is(before, "VALUES") {
                let is_query = before > 0 && self.is(before - 1, "(");
                return (!is_query).then_some(before);
            }
            if !self.is(before, ",") || !self.is(before.checked_sub(1)?, ")") {
                return None;
            }
            open = self.other(before - 1)?;
        }
    }

    /// Where an argument of the call with the parentheses at `open` begins.
    pub fn argument(&self, open: usize, place: usize) -> Option<usize> {
        let mut at = open + 1;
        for _ in 0..place {
            while !self.is(at, ",") {
                at = match self.text(at) {
                    "" | ")" => return None,
                    "(" => self.other(at)? + 1,
                    _ => at + 1,
                };
            }
            at += 1;
        }
        Some(at)
    }

    /// The word BETWEEN of which what begins at `at` is a bound.
    pub fn between_of(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        if self.is(before, "BETWEEN") {
            return Some(before);
        }
        let lower = self.is(before, "AND").then(|| self.operand_before(before)).flatten()?;
        lower.checked_sub(1).filter(|at| self.is(*at, "BETWEEN"))
    }

    /// The SELECT of which the token at `at` is an item alone, and which of its items it is.
    pub fn select_item(&self, at: usize) -> Option<(usize, usize)> {
        let ends = [
            ",",
            ")",
            ";",
            "",
            "AS",
            "FROM",
            "UNION",
            "WHERE",
            "ORDER",
            "EXCEPT",
            "INTERSECT",
            "FOR",
            "INTO",
            "OPTION",
        ];
        if !self.is_one_of(at + 1, &ends) && !self.is_free_name(at + 1) {
            return None;
        }
        let mut place = 0;
        let mut here =
            at.checked_sub(1).filter(|before| self.is_one_of(*before, &["SELECT", "DISTINCT", "ALL", ","]))?;
        loop {
            match self.text(here) {
                ")" => here = self.other(here)?,
                "," => place += 1,
                "(" | ";" => return None,
                word if word.eq_ignore_ascii_case("SELECT") => return Some((here, place)),
                _ if self.is_one_of(here, &["FROM", "WHERE", "BY", "ON", "SET", "VALUES", "HAVING", "TOP"]) => {
                    return None;
                }
                _ => {}
            }
            here = here.checked_sub(1)?;
        }
    }

    /// The rows of the SELECT at `select` are an INSERT's.
    pub fn inserts(&self, select: usize) -> bool {
        let insert = (0..select).rev().take_while(|i| !self.is(*i, ";")).find(|i| self.is(*i, "INSERT"));
        insert.is_some_and(|insert| !(insert..select).any(|i| self.is_one_of(i, &["VALUES", "THEN"])))
    }

    /// The operand that ends just before `end`: where it begins.
    pub fn operand_before(&self, end: usize) -> Option<usize> {
        let mut start = self.primary_before(end)?;
        while start >= 2 && self.is_one_of(start - 1, &CHAINS) {
            match self.primary_before(start - 1) {
                Some(before) => start = before,
                None => break,
            }
        }
        Some(start)
    }

    fn primary_before(&self, end: usize) -> Option<usize> {
        let last = end.checked_sub(1)?;
        match self.text(last) {
            ")" => {
                let open = self.other(last)?;
                // The call's name, but no word that only stands before parentheses.
                let named = self.name_before(open).filter(|at| open - at > 1 || self.calls(open - 1));
                Some(named.unwrap_or(open))
            }
            _ if self.is_constant(last) || self.is_variable(last) => Some(last),
            _ if self.is_free_name(last) => self.name_before(end),
            _ => None,
        }
    }

    /// The operand at `at` with its signs and the parentheses around it alone: where it begins, the token behind it, whether it has a sign.
    pub fn atom(&self, at: usize) -> (usize, usize, bool) {
        let (mut start, mut end, mut signed) = (at, at + 1, false);
        while let Some(before) = start.checked_sub(1) {
            let is_open = self.is(before, "(") && self.is(end, ")");
            if self.is_one_of(before, &["-", "+", "~"]) && self.primary_before(before).is_none() {
                (start, signed) = (before, true);
            } else if is_open && before > 0 && self.is_free_of_call(before - 1) {
                (start, end) = (before, end + 1);
            } else {
                break;
            }
        }
        (start, end, signed)
    }

    /// No call, and no list of values, opens behind the token at `at`.
    fn is_free_of_call(&self, at: usize) -> bool {
        self.is_one_of(at, &["(", ",", "=", "<", ">", "+", "-", "*", "/", "%", "~"])
            || self
                .is_one_of(at, &["AND", "OR", "NOT", "WHERE", "ON", "WHEN", "THEN", "ELSE", "CASE", "LIKE", "BETWEEN"])
    }

    /// The CASE that the word WHEN, THEN or ELSE at `at` is of.
    pub fn case_of(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut here = at;
        loop {
            if self.is(here, "CASE") {
                if depth == 0 {
                    return Some(here);
                }
                depth -= 1;
            } else if self.is(here, "END") {
                depth += 1;
            } else if self.is(here, ";") {
                return None;
            }
            here = here.checked_sub(1)?;
        }
    }

    /// The words CASE, WHEN, THEN and ELSE of the CASE at `case`, to its END.
    pub fn case_parts(&self, case: usize) -> Vec<usize> {
        let mut parts = vec![case];
        let mut depth = 0_usize;
        for here in case + 1..self.tokens.len() {
            match depth {
                _ if self.is(here, "CASE") => depth += 1,
                0 if self.is(here, "END") => break,
                _ if self.is(here, "END") => depth -= 1,
                0 if self.is_one_of(here, &["WHEN", "THEN", "ELSE"]) => parts.push(here),
                _ => {}
            }
        }
        parts
    }

    /// The operand that begins at `start`: the token behind it.
    pub fn operand_at(&self, start: usize) -> Option<usize> {
        let mut end = self.primary_at(start)?;
        while self.is_one_of(end, &CHAINS) {
            match self.primary_at(end + 1) {
                Some(behind) => end = behind,
                None => break,
            }
        }
        Some(end)
    }

    fn primary_at(&self, mut start: usize) -> Option<usize> {
        while self.is_one_of(start, &["-", "+", "~"]) {
            start += 1;
        }
        match self.text(start) {
            "(" => Some(self.other(start)? + 1),
            _ if self.is_constant(start) || self.is_variable(start) => Some(start + 1),
            _ if self.is_name(start) && (self.is_free_name(start) || self.calls(start)) => {
                let behind = self.name(start)?.1;
                if self.is(behind, "(") { Some(self.other(behind)? + 1) } else { Some(behind) }
            }
            _ => None,
        }
    }

    /// A name of a function, or a word of the language that is one.
    fn calls(&self, at: usize) -> bool {
        let functions = ["COALESCE", "CONVERT", "LEFT", "RIGHT", "NULLIF", "TRY_CONVERT"];
        self.is_free_name(at) || self.is_one_of(at, &functions)
    }

    /// The tables that a name at `at` may be a column of: those of its own query first, then those of the queries around it.
    pub fn tables(&self, at: usize) -> Vec<Table<'a>> {
        let mut found = Vec::new();
        let (mut start, mut end) = (at, at);
        for _ in 0..LEVELS_MAX {
            // From `start` and `end` out to the parentheses around them.
            let mut depth = 0;
            while start > 0 && depth >= 0 {
                start -= 1;
                depth += match self.text(start) {
                    ")" => 1,
                    "(" => -1,
                    _ => 0,
                };
            }
            let outermost = depth >= 0;
            depth = 0;
            while end < self.tokens.len() && depth >= 0 {
                end += 1;
                depth += match self.text(end) {
                    "(" => 1,
                    ")" => -1,
                    _ => 0,
                };
            }
            self.tables_between(if outermost { 0 } else { start + 1 }, end, &mut found);
            if outermost || found.len() >= TABLES_MAX {
                break;
            }
        }
        found.truncate(TABLES_MAX);
        found
    }

    /// Where a statement goes on behind TOP (...) PERCENT, if that stands at `at`.
    fn behind_top(&self, at: usize) -> usize {
        let end = if self.is(at, "TOP") && self.is(at + 1, "(") { self.other(at + 1) } else { None };
        let behind = end.map_or(at, |end| end + 1);
        if end.is_some() && self.is(behind, "PERCENT") { behind + 1 } else { behind }
    }

    /// Of one query, without those within its parentheses.
    fn tables_between(&self, start: usize, end: usize, found: &mut Vec<Table<'a>>) {
        let mut depth = 0;
        let mut in_from = false;
        for at in start..end {
            match self.text(at) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth != 0 {
                continue;
            }
            let starts = ["FROM", "JOIN", "INTO", "UPDATE", "MERGE", "INSERT", "DELETE"];
            let before_table = self.is_one_of(at, &starts) || in_from && self.is(at, ",");
            in_from |= self.is(at, "FROM");
            in_from &= !self.is_one_of(at, &["WHERE", "GROUP", "ORDER", "SET", "SELECT", "HAVING"]);
            let first = self.behind_top(at + 1);
            let variable = || self.is_variable(first).then(|| (self.text(first), first + 1));
            let Some((name, behind)) = self.name(first).or_else(variable).filter(|_| before_table) else { continue };
            let alias = if self.is(behind, "AS") { behind + 1 } else { behind };
            let is_alias = self.is_name(alias) && (alias > behind || !self.tokens[alias].keyword.is_reserved());
            let alias = if is_alias { self.text(alias) } else { self.text(behind - 1) };
            found.push(Table { name, alias });
        }
    }

    /// Where the parameter at `at` is a value of INSERT, also of MERGE's: the table, and the place among the columns or the column's
    /// name. `place`: its place among the values or in the select list that begins before `values`.
    pub fn inserted(&self, values: usize, place: usize) -> Option<(&'a str, Result<&'a str, usize>)> {
        let insert = (0..values).rev().take_while(|i| !self.is(*i, ";")).find(|i| self.is(*i, "INSERT"))?;
        let into = self.behind_top(insert + 1);
        let first = if self.is(into, "INTO") { into + 1 } else { into };
        let (table, behind) = match self.name(first) {
            Some(named) => named,
            None if self.is_variable(first) => (self.text(first), first + 1),
            None => {
                let merge = (0..insert).rev().find(|i| self.is(*i, "MERGE"))?;
                let into = self.behind_top(merge + 1);
                (self.name(if self.is(into, "INTO") { into + 1 } else { into })?.0, first)
            }
        };
        if !self.is(behind, "(") {
            return Some((table, Err(place)));
        }
        let mut names = (behind + 1..values).filter(|i| self.is_name(*i));
        names.nth(place).map(|i| (table, Ok(self.text(i))))
    }

    /// Variables that are declared from `start` to before `end`, with the texts of their types: of DECLARE, of a module's parameters, of
    /// @params.
    pub fn declarations(&self, start: usize, end: usize) -> Vec<(&'a str, &'a str)> {
        let mut found = Vec::new();
        let mut at = start;
        while at < end {
            let ty = if self.is(at + 1, "AS") { at + 2 } else { at + 1 };
            if self.is_variable(at)
                && let Some((_, behind)) = self.name(ty)
            {
                let close = self.is(behind, "(").then(|| self.other(behind)).flatten();
                let behind = close.map_or(behind, |close| close + 1);
                found.push((self.text(at), self.between(ty, behind)));
                at = behind;
            } else {
                at += 1;
            }
        }
        found
    }

    /// The parameters of the module that this text defines: before its body.
    pub fn module_parameters(&self) -> Vec<(&'a str, &'a str)> {
        let mut depth = 0;
        let ends = |at: usize, depth: i32| {
            let body = self.is(at, "AS") && !self.is_variable(at.saturating_sub(1));
            depth == 0 && (body || self.is_one_of(at, &["RETURNS", "WITH", "BEGIN"]))
        };
        let mut end = 0;
        while end < self.tokens.len() && !ends(end, depth) {
            depth += match self.text(end) {
                "(" => 1,
                ")" => -1,
                _ => 0,
            };
            end += 1;
        }
        self.declarations(0, end)
    }
}
