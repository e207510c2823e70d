//! The `name = value` lists of WITH (...) and its kin, read generally: which names a statement knows is checked by
//! whoever uses them. Also OPTION and FOR.

use super::{K, P, Parser, T};
use crate::ast::*;
use ::types::sql_error;

/// Words of OPTION that stand alone, and those before a number.
const HINTS: &[&str] = &[
    "ALTERCOLUMN PLAN",
    "BYPASS OPTIMIZER_QUEUE",
    "CHECKCONSTRAINTS PLAN",
    "CONCAT UNION",
    "DISABLE EXTERNALPUSHDOWN",
    "DISABLE SCALEOUTEXECUTION",
    "DISABLE_OPTIMIZED_PLAN_FORCING",
    "EXPAND VIEWS",
    "FORCE EXTERNALPUSHDOWN",
    "FORCE ORDER",
    "FORCE SCALEOUTEXECUTION",
    "HASH GROUP",
    "HASH JOIN",
    "HASH UNION",
    "IGNORE_NONCLUSTERED_COLUMNSTORE_INDEX",
    "KEEP PLAN",
    "KEEPFIXED PLAN",
    "LOOP JOIN",
    "MERGE JOIN",
    "MERGE UNION",
    "NO_PERFORMANCE_SPOOL",
    "ORDER GROUP",
    "PARAMETERIZATION FORCED",
    "PARAMETERIZATION SIMPLE",
    "RECOMPILE",
    "ROBUST PLAN",
    "SHRINKDB PLAN",
];
const HINTS_WITH_VALUE: &[&str] =
    &["FAST", "LABEL", "MAXDOP", "MAXRECURSION", "MAX_GRANT_PERCENT", "MIN_GRANT_PERCENT", "QUERYTRACEON"];

impl Parser<'_> {
    /// `(a = 1, b ON, c)`
    pub(super) fn settings_list(&mut self) -> P<Vec<Setting>> {
        self.expect(T::LeftParen)?;
        if self.at(T::RightParen) {
            return Err(self.unexpected());
        }
        let settings = self.list(Self::setting)?;
        self.expect(T::RightParen)?;
        Ok(settings)
    }

    /// `WITH (...)` if it is there.
    pub(super) fn with_settings(&mut self) -> P<Vec<Setting>> {
        if !self.at_word(K::WITH) || !self.peek_is(1, T::LeftParen) {
            return Ok(Vec::new());
        }
        self.bump();
        self.settings_list()
    }

    /// `NAME`, `NAME = value`, `NAME value`, `NAME (list)`; the name may be several words.
    pub(super) fn setting(&mut self) -> P<Setting> {
        self.enter()?;
        let line = self.token.line;
        if self.at_string() || Self::is_number(self.token.kind) || self.at(T::Variable) || self.at(T::Minus) {
            // A list of plain values: PARTITIONS (1, 3 TO 5), KEEP_NULLS-like lists have none.
            let value = self.setting_value()?;
            self.depth -= 1;
            return Ok(Setting { name: "".into(), value, line });
        }
        let name = self.setting_name()?;
        let value = self.value_of_setting()?;
        self.depth -= 1;
        Ok(Setting { name, value, line })
    }

    /// In lists without parentheses (BACKUP, CREATE DATABASE) a name is one word: the next may begin a statement.
    pub(super) fn loose_setting(&mut self) -> P<Setting> {
        let line = self.token.line;
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let name = self.upper_word();
        Ok(Setting { name, value: self.value_of_setting()?, line })
    }

    fn value_of_setting(&mut self) -> P<SettingValue> {
        Ok(if self.eat(T::Equals) {
            self.setting_value()?
        } else if self.eat_word(K::ON) {
            if self.at(T::LeftParen) {
                SettingValue::List(Some(Ident::new("ON")), self.settings_list()?)
            } else {
                SettingValue::On
            }
        } else if self.eat_word(K::OFF) {
            SettingValue::Off
        } else if self.at(T::LeftParen) {
            SettingValue::List(None, self.settings_list()?)
        } else if self.at_string() || Self::is_number(self.token.kind) || self.at(T::Variable) {
            self.setting_value()?
        } else {
            SettingValue::Alone
        })
    }

    /// Words up to something else. Only known first words take a second one.
    fn setting_name(&mut self) -> P<Box<str>> {
        if self.at(T::Bracketed) || self.at(T::DoubleQuoted) {
            return Ok(self.ident()?.text);
        }
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        let mut name = self.upper_word().into_string();
        while self.at(T::Word) && !self.at_any(&[K::ON, K::OFF]) && name.len() < 256 {
            name.push(' ');
            name.push_str(&self.upper_word());
        }
        Ok(name.into())
    }

    pub(super) fn setting_value(&mut self) -> P<SettingValue> {
        if self.eat_word(K::ON) {
            if self.at(T::LeftParen) {
                return Ok(SettingValue::List(Some(Ident::new("ON")), self.settings_list()?));
            }
            if self.eat_words(K::ON, K::PARTITIONS) {
                return Ok(SettingValue::List(Some(Ident::new("ON")), self.settings_list()?));
            }
            return Ok(SettingValue::On);
        }
        if self.eat_word(K::OFF) {
            if self.at(T::LeftParen) {
                return Ok(SettingValue::List(Some(Ident::new("OFF")), self.settings_list()?));
            }
            return Ok(SettingValue::Off);
        }
        if self.at(T::LeftParen) {
            return Ok(SettingValue::List(None, self.settings_list()?));
        }
        if self.at(T::Word) || self.at_name() {
            return self.setting_word();
        }
        let value = self.constant()?;
        self.quantity(value)
    }

    /// A word, a name of several parts, or a word with a list behind.
    fn setting_word(&mut self) -> P<SettingValue> {
        if self.at_word(K::NULL) {
            return Ok(SettingValue::Value(self.constant()?));
        }
        if self.peek_is(1, T::Dot) {
            let name = self.object_name()?;
            // LEDGER_VIEW = schema.view (...)
            return Ok(match self.at(T::LeftParen) {
                true => SettingValue::List(Some(name.name), self.settings_list()?),
                false => SettingValue::Name(name),
            });
        }
        let word = self.any_word()?;
        if self.at(T::LeftParen) {
            return Ok(SettingValue::List(Some(word), self.settings_list()?));
        }
        if self.at_word(K::ON) && self.peek_word(1, K::PARTITIONS) {
            // DATA_COMPRESSION = PAGE ON PARTITIONS (1, 3 TO 5)
            self.bump();
            self.bump();
            return Ok(SettingValue::List(Some(word), self.settings_list()?));
        }
        // Values of two or three words: SCHEMA_AND_DATA is one, READ ONLY, SQL_Latin1 ..., REPEATABLE READ are more.
        if !self.at(T::Word) || self.at_any(&[K::WITH, K::ON]) {
            return Ok(SettingValue::Word(word));
        }
        let mut text = word.text.into_string();
        while self.at(T::Word) && self.at_continuation() && text.len() < 256 {
            text.push(' ');
            text.push_str(self.token_text(self.token));
            self.bump();
        }
        Ok(SettingValue::Word(Ident { text: text.into(), quoted: word.quoted }))
    }

    /// Second words of values: nothing that could begin a statement or another setting.
    fn at_continuation(&self) -> bool {
        self.at_any(&[K::READ, K::UNCOMMITTED, K::COMMITTED, K::ONLY, K::SCHEMA, K::AND, K::DATA, K::OPTION])
    }

    /// A number with its unit.
    fn quantity(&mut self, value: Expr) -> P<SettingValue> {
        if self.eat(T::Percent) {
            return Ok(SettingValue::Quantity(value, "PERCENT".into()));
        }
        if matches!(value, Expr::Literal(Literal::Int(_))) && self.eat_word(K::TO) {
            // A range of partitions.
            let to = self.constant()?;
            let from = Setting { name: "FROM".into(), value: SettingValue::Value(value), line: self.previous.line };
            let to = Setting { name: "TO".into(), value: SettingValue::Value(to), line: self.previous.line };
            return Ok(SettingValue::List(None, vec![from, to]));
        }
        const UNITS: &[&str] = &[
            "KB",
            "MB",
            "GB",
            "TB",
            "PERCENT",
            "SECONDS",
            "SECOND",
            "MINUTES",
            "MINUTE",
            "HOURS",
            "HOUR",
            "DAYS",
            "DAY",
            "WEEKS",
            "WEEK",
            "MONTHS",
            "MONTH",
            "YEARS",
            "YEAR",
            "ROWS",
            "PAGES",
            "MILLISECONDS",
            "COPY",
        ];
        if self.at(T::Word) {
            let word = self.token_text(self.token);
            if UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word)) {
                return Ok(SettingValue::Quantity(value, self.upper_word()));
            }
        }
        Ok(SettingValue::Value(value))
    }

    /// `OPTION (...)` if it is there.
    pub(super) fn option_clause(&mut self) -> P<Vec<QueryHint>> {
        if !self.at_word(K::OPTION) {
            return Ok(Vec::new());
        }
        self.bump();
        self.paren_list(Self::query_hint)
    }

    #[inline(never)]
    fn query_hint(&mut self) -> P<QueryHint> {
        if !self.at(T::Word) {
            return Err(self.unexpected());
        }
        if self.at_word(K::USE) {
            self.bump();
            if self.eat_word(K::PLAN) {
                return Ok(QueryHint::UsePlan(self.string()?));
            }
            self.expect_word(K::HINT)?;
            return Ok(QueryHint::UseHint(self.paren_list(Self::string)?));
        }
        if self.at_word(K::TABLE) {
            self.bump();
            self.expect_word(K::HINT)?;
            self.expect(T::LeftParen)?;
            let table = self.object_name()?;
            let mut hints = Vec::new();
            while self.eat(T::Comma) {
                hints.push(self.table_hint()?);
            }
            self.expect(T::RightParen)?;
            return Ok(QueryHint::TableHint(Box::new(table), hints));
        }
        if self.at_word(K::OPTIMIZE) {
            self.bump();
            self.expect_word(K::FOR)?;
            if self.eat_word(K::UNKNOWN) {
                return Ok(QueryHint::Words("OPTIMIZE FOR UNKNOWN".into()));
            }
            return Ok(QueryHint::OptimizeFor(self.paren_list(|parser| {
                let variable = parser.variable()?;
                if parser.eat_word(K::UNKNOWN) {
                    return Ok((variable, None));
                }
                parser.expect(T::Equals)?;
                Ok((variable, Some(parser.constant()?)))
            })?));
        }
        self.plain_query_hint()
    }

    /// Words, then perhaps a value.
    fn plain_query_hint(&mut self) -> P<QueryHint> {
        let known = |list: &[&str], words: &str| list.contains(&words);
        let mut last = self.token;
        let mut words = self.upper_word().into_string();
        while self.at(T::Word) && words.len() < 256 {
            last = self.token;
            words.push(' ');
            words.push_str(&self.upper_word());
        }
        self.eat(T::Equals);
        let alone = self.at(T::Comma) || self.at(T::RightParen);
        if known(HINTS, &words) {
            return if alone { Ok(QueryHint::Words(words.into())) } else { Err(self.unexpected()) };
        }
        // It is refused by its whole name.
        if !known(HINTS_WITH_VALUE, &words) && !words.starts_with("FOR ") {
            return Err(self.unexpected_token(last));
        }
        Ok(QueryHint::Value(words.into(), self.constant()?))
    }

    /// FOR BROWSE, FOR XML, FOR JSON; the current token is FOR. None: FOR belongs to somebody else.
    #[inline(never)]
    pub(super) fn for_clause(&mut self) -> P<Option<Box<ForClause>>> {
        let clause = match self.peek(1).keyword {
            K::BROWSE => {
                self.bump();
                self.bump();
                ForClause::Browse
            }
            K::XML => {
                self.bump();
                self.bump();
                ForClause::Xml(self.for_xml()?)
            }
            K::JSON => {
                self.bump();
                self.bump();
                ForClause::Json(self.for_json()?)
            }
            _ => return Ok(None),
        };
        Ok(Some(Box::new(clause)))
    }

    fn paren_string(&mut self) -> P<Option<Box<str>>> {
        if !self.eat(T::LeftParen) {
            return Ok(None);
        }
        let text = self.string()?;
        self.expect(T::RightParen)?;
        Ok(Some(text))
    }

    fn for_xml(&mut self) -> P<ForXml> {
        let xml = self.previous;
        let mode = match self.keyword() {
            K::RAW => XmlMode::Raw,
            K::AUTO => XmlMode::Auto,
            K::EXPLICIT => XmlMode::Explicit,
            K::PATH => XmlMode::Path,
            _ => return Err(self.unexpected()),
        };
        self.bump();
        let mut clause = ForXml {
            mode,
            element: self.paren_string()?,
            root: None,
            elements: None,
            typed: false,
            binary_base64: false,
            schema: None,
            xml_data: false,
        };
        let mut seen = Vec::new();
        while self.eat(T::Comma) {
            let option = self.keyword();
            if seen.contains(&option) {
                return Err(self.near(xml.line, &self.shown(xml)));
            }
            seen.push(option);
            match option {
                K::ROOT => {
                    self.bump();
                    clause.root = Some(self.paren_string()?);
                }
                K::ELEMENTS => {
                    self.bump();
                    clause.elements = Some(match self.keyword() {
                        K::XSINIL => XmlElements::XsiNil,
                        K::ABSENT => XmlElements::Absent,
                        _ => XmlElements::Plain,
                    });
                    if self.at_any(&[K::XSINIL, K::ABSENT]) {
                        self.bump();
                    }
                }
                K::TYPE => {
                    self.bump();
                    clause.typed = true;
                }
                K::BINARY => {
                    self.bump();
                    self.expect_word(K::BASE64)?;
                    clause.binary_base64 = true;
                }
                K::XMLSCHEMA => {
                    self.bump();
                    clause.schema = Some(self.paren_string()?);
                }
                K::XMLDATA => {
                    self.bump();
                    clause.xml_data = true;
                }
                _ => return Err(self.unexpected()),
            }
        }
        Ok(clause)
    }

    fn for_json(&mut self) -> P<ForJson> {
        let path = self.at_word(K::PATH);
        if !path && !self.at_word(K::AUTO) {
            return Err(self.unexpected());
        }
        self.bump();
        let mut clause = ForJson { path, root: None, include_null_values: false, without_array_wrapper: false };
        while self.eat(T::Comma) {
            match self.keyword() {
                K::ROOT => {
                    self.bump();
                    clause.root = Some(self.paren_string()?);
                }
                K::INCLUDE_NULL_VALUES => {
                    self.bump();
                    clause.include_null_values = true;
                }
                K::WITHOUT_ARRAY_WRAPPER => {
                    self.bump();
                    clause.without_array_wrapper = true;
                }
                _ => return Err(self.unexpected()),
            }
        }
        if clause.root.is_some() && clause.without_array_wrapper {
            return Err(sql_error!(13620).at_line(self.previous.line));
        }
        Ok(clause)
    }
}
