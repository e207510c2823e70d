//! Procedures, functions, triggers, views.

use super::{K, P, Parser, ReturnRule, T};
use crate::ast::*;
use crate::keyword::Keyword;
use ::types::sql_error;

/// Parameters of a procedure, a function or a parameterized text.
const PARAMETERS_MAX: usize = 2100;

/// Of a module, as its options know it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Procedure,
    ScalarFunction,
    InlineFunction,
    TableFunction,
    View,
    Trigger,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Procedure => "PROCEDURE",
            Kind::ScalarFunction | Kind::InlineFunction | Kind::TableFunction => "FUNCTION",
            Kind::View => "VIEW",
            Kind::Trigger => "TRIGGER",
        }
    }

    /// Whether WITH may name the option; functions have a grammar of their own.
    fn knows(self, option: Keyword) -> bool {
        match option {
            K::ENCRYPTION | K::SCHEMABINDING | K::NATIVE_COMPILATION | K::EXEC | K::EXECUTE => true,
            K::RETURNS | K::CALLED | K::INLINE => self.word() == "FUNCTION",
            K::RECOMPILE | K::VIEW_METADATA => self.word() != "FUNCTION",
            _ => false,
        }
    }

    /// The state of 487, where the option is for another kind of module.
    fn refuses(self, option: Keyword) -> Option<u8> {
        match (self, option) {
            (Kind::View, K::EXECUTE) => Some(2),
            (Kind::View | Kind::Trigger, K::RECOMPILE)
            | (Kind::Procedure | Kind::Trigger, K::VIEW_METADATA)
            | (Kind::InlineFunction, K::EXECUTE | K::RETURNS | K::CALLED | K::INLINE)
            | (Kind::TableFunction, K::INLINE) => Some(1),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// CREATE, ALTER or CREATE OR ALTER of what keeps its text. It must be alone in its batch.
    #[inline(never)]
    pub(super) fn module(&mut self) -> P<StatementKind> {
        let next = self.peek(1).keyword;
        let kind = if next == K::OR { self.peek(3).keyword } else { next };
        let altered = self.at_word(K::ALTER);
        let name = match (kind, altered) {
            (K::PROC | K::PROCEDURE, _) => "CREATE/ALTER PROCEDURE",
            (K::VIEW, false) => "CREATE VIEW",
            (K::VIEW, true) => "ALTER VIEW",
            (K::FUNCTION, false) => "CREATE FUNCTION",
            (K::FUNCTION, true) => "ALTER FUNCTION",
            (K::TRIGGER, false) => "CREATE TRIGGER",
            (K::TRIGGER, true) => "ALTER TRIGGER",
            _ => {
                self.bump();
                self.bump();
                self.bump();
                return Err(self.unexpected());
            }
        };
        self.must_begin_batch(name)?;
        let whole = Span { start: 0, end: self.text.len() as u32 };
        let definition = self.definition(whole);
        self.bump();
        let kind = match kind {
            K::VIEW => self.view(definition)?,
            K::FUNCTION => self.function(definition)?,
            K::TRIGGER => self.trigger(definition)?,
            _ => self.procedure(definition)?,
        };
        while self.eat(T::Semicolon) {}
        if !self.at(T::End) {
            return Err(self.unexpected());
        }
        self.check_labels()?;
        self.labels.clear();
        self.gotos.clear();
        Ok(kind)
    }

    /// `CREATE VIEW` inside CREATE SCHEMA: its text is its own.
    #[inline(never)]
    pub(super) fn view_of_schema(&mut self) -> P<StatementKind> {
        let start = self.token.start;
        let definition = self.definition(Span::default());
        self.bump();
        let mut kind = self.view(definition)?;
        let text = self.span_from(start);
        if let StatementKind::CreateView(view) = &mut kind {
            view.definition.text = text;
        }
        Ok(kind)
    }

    /// Up to the word that names the kind of module.
    fn definition(&mut self, text: Span) -> Definition {
        let verb = if self.at_word(K::ALTER) { ModuleVerb::Alter } else { ModuleVerb::Create };
        let verb_span = self.word_span();
        if !self.at_word(K::OR) {
            return Definition { verb, verb_span, or_alter: None, text };
        }
        let or_alter = Some([self.word_span(), self.word_span()]);
        Definition { verb: ModuleVerb::CreateOrAlter, verb_span, or_alter, text }
    }

    /// Of the current word, which is read.
    fn word_span(&mut self) -> Span {
        let start = self.token.start;
        self.bump();
        self.span_from(start)
    }

    fn module_name(&mut self) -> P<ObjectName> {
        let name = self.object_name()?;
        self.module = name.name.text.clone();
        Ok(name)
    }

    fn view(&mut self, definition: Definition) -> P<StatementKind> {
        let line = self.token.line;
        let name = self.module_name()?;
        if name.is_temporary() {
            return Err(sql_error!(4103, &*name.name).at_line(line));
        }
        let columns = self.optional_ident_list()?;
        let options = self.module_options(Kind::View)?;
        self.expect_word(K::AS)?;
        let query = self.query_with_ctes()?;
        let check_option = self.at_word(K::WITH) && self.peek_word(1, K::CHECK);
        if check_option {
            self.bump();
            self.bump();
            self.expect_word(K::OPTION)?;
        }
        Ok(StatementKind::CreateView(Box::new(CreateView { definition, name, columns, options, query, check_option })))
    }

    /// `WITH RECOMPILE, EXECUTE AS OWNER, ...` if it is there. 195: no option of such a module; 487: of another; 1039: given twice.
    fn module_options(&mut self, kind: Kind) -> P<ModuleOptions> {
        let mut options = ModuleOptions::default();
        if !self.at_word(K::WITH) {
            return Ok(options);
        }
        self.bump();
        let mut seen = Vec::new();
        loop {
            let token = self.token;
            if !kind.knows(token.keyword) {
                // Options of functions are no word of their own elsewhere.
                if matches!(token.keyword, K::RETURNS | K::CALLED | K::INLINE) {
                    self.bump();
                    return Err(self.unexpected());
                }
                return Err(match token.kind {
                    T::Word => sql_error!(195, state 1, self.shown(token), "option").at_line(token.line),
                    _ => self.unexpected(),
                });
            }
            self.bump();
            self.module_option(token.keyword, &mut options)?;
            let option = if token.keyword == K::EXEC { K::EXECUTE } else { token.keyword };
            if seen.contains(&option) {
                return Err(sql_error!(1039, self.shown(token).to_uppercase()).at_line(token.line));
            }
            seen.push(option);
            if let Some(state) = kind.refuses(option) {
                let statement = format!("CREATE/ALTER {}", kind.word());
                return Err(sql_error!(487, state state, statement).at_line(token.line));
            }
            if !self.eat(T::Comma) {
                return Ok(options);
            }
        }
    }

    /// What stands behind the option's first word.
    fn module_option(&mut self, option: Keyword, options: &mut ModuleOptions) -> P<()> {
        match option {
            K::RECOMPILE => options.recompile = true,
            K::ENCRYPTION => options.encryption = true,
            K::SCHEMABINDING => options.schemabinding = true,
            K::NATIVE_COMPILATION => options.native_compilation = true,
            K::VIEW_METADATA => options.view_metadata = true,
            K::EXEC | K::EXECUTE => {
                self.expect_word(K::AS)?;
                options.execute_as = Some(self.execute_as()?);
            }
            K::RETURNS => {
                self.expect_word(K::NULL)?;
                self.null_input()?;
                options.called_on_null = Some(false);
            }
            K::CALLED => {
                self.null_input()?;
                options.called_on_null = Some(true);
            }
            _ => {
                self.expect(T::Equals)?;
                options.inline = Some(self.at_word(K::ON));
                if !self.at_any(&[K::ON, K::OFF]) {
                    return Err(self.unexpected());
                }
                self.bump();
            }
        }
        Ok(())
    }

    fn null_input(&mut self) -> P<()> {
        self.expect_word(K::ON)?;
        self.expect_word(K::NULL)?;
        self.expect_word(K::INPUT)
    }

    #[inline(never)]
    fn procedure(&mut self, definition: Definition) -> P<StatementKind> {
        let name = self.module_name()?;
        let number = self.procedure_number()?;
        let mut parameters = Vec::new();
        if self.eat(T::LeftParen) {
            if !self.at(T::RightParen) {
                parameters = self.parameters()?;
            }
            self.expect(T::RightParen)?;
        } else if self.at(T::Variable) {
            parameters = self.parameters()?;
        }
        if let Some(cursor) = parameters.iter().find(|parameter| {
            matches!(parameter.data_type.name, TypeName::Cursor) && !(parameter.varying && parameter.output)
        }) {
            return Err(sql_error!(1051).at_line(cursor.name.line));
        }
        let options = self.module_options(Kind::Procedure)?;
        let for_replication = self.eat_words(K::FOR, K::REPLICATION);
        // AS may be left out before BEGIN ATOMIC: native procedures are in print without it.
        if !(self.at_word(K::BEGIN) && self.peek_word(1, K::ATOMIC)) {
            self.expect_word(K::AS)?;
        }
        self.returns = ReturnRule::Optional;
        let body = self.module_body()?;
        let procedure = CreateProcedure { definition, name, number, parameters, options, for_replication, body };
        Ok(StatementKind::CreateProcedure(Box::new(procedure)))
    }

    /// `@a int = 1 OUTPUT, @b t READONLY`
    pub(super) fn parameters(&mut self) -> P<Vec<Parameter>> {
        let parameters = self.parameter_list()?;
        if parameters.len() > PARAMETERS_MAX {
            let line = parameters[PARAMETERS_MAX].name.line;
            return Err(sql_error!(180, "CREATE/ALTER PROCEDURE or FUNCTION", PARAMETERS_MAX).at_line(line));
        }
        Ok(parameters)
    }

    fn parameter_list(&mut self) -> P<Vec<Parameter>> {
        self.list(|parser| {
            let name = parser.variable()?;
            parser.eat_word(K::AS);
            let data_type = parser.data_type()?;
            let varying = matches!(data_type.name, TypeName::Cursor) && parser.eat_word(K::VARYING);
            let null = parser.nullability()?;
            let default = if parser.eat(T::Equals) { Some(parser.parameter_default()?) } else { None };
            let mut parameter = Parameter { name, data_type, varying, null, default, output: false, readonly: false };
            // A table is neither given back nor has it a default.
            match parser.keyword() {
                K::OUT | K::OUTPUT => parameter.output = true,
                K::READONLY if parameter.default.is_none() => parameter.readonly = true,
                _ => return Ok(parameter),
            }
            parser.bump();
            Ok(parameter)
        })
    }

    /// A constant; a bare word is a string.
    fn parameter_default(&mut self) -> P<Expr> {
        if self.at_name() {
            return Ok(Expr::Word(self.ident()?));
        }
        if self.at(T::LeftBrace) {
            return self.odbc_escape();
        }
        self.constant()
    }

    /// Behind AS, to the end of the batch.
    fn module_body(&mut self) -> P<ModuleBody> {
        if self.at_word(K::EXTERNAL) {
            return self.external_name();
        }
        if self.at_word(K::BEGIN) && self.peek_word(1, K::ATOMIC) {
            return self.atomic_block();
        }
        Ok(ModuleBody::Statements(self.statements(|parser| parser.at(T::End))?))
    }

    fn external_name(&mut self) -> P<ModuleBody> {
        self.bump();
        self.expect_word(K::NAME)?;
        Ok(ModuleBody::External(self.object_name()?))
    }

    /// `BEGIN ATOMIC WITH (...) ... END`
    fn atomic_block(&mut self) -> P<ModuleBody> {
        let line = self.token.line;
        self.bump();
        self.bump();
        self.expect_word(K::WITH)?;
        let settings = self.settings_list()?;
        let statements = self.statements(|parser| parser.at_any(&[K::END]) || parser.at(T::End))?;
        self.expect_word(K::END)?;
        Ok(ModuleBody::Atomic { settings, statements, line })
    }

    #[inline(never)]
    fn function(&mut self, definition: Definition) -> P<StatementKind> {
        let line = self.token.line;
        let name = self.module_name()?;
        if name.is_temporary() {
            return Err(sql_error!(1074).at_line(line));
        }
        self.expect(T::LeftParen)?;
        let parameters = if self.at(T::RightParen) { Vec::new() } else { self.parameters()? };
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.output) {
            return Err(sql_error!(181).at_line(parameter.name.line));
        }
        self.expect(T::RightParen)?;
        self.expect_word(K::RETURNS)?;
        let (options, returns) = if self.at(T::Variable) {
            self.table_function()?
        } else if self.eat_word(K::TABLE) {
            if self.at(T::LeftParen) { self.external_table()? } else { self.inline_function()? }
        } else {
            self.scalar_function()?
        };
        let function = CreateFunction { definition, name, parameters, options, returns, line };
        Ok(StatementKind::CreateFunction(Box::new(function)))
    }

    fn scalar_function(&mut self) -> P<(ModuleOptions, FunctionReturns)> {
        let data_type = self.data_type()?;
        let null = self.nullability()?;
        let options = self.module_options(Kind::ScalarFunction)?;
        self.eat_word(K::AS);
        self.returns = ReturnRule::Required;
        let body = self.function_body()?;
        Ok((options, FunctionReturns::Scalar { data_type, null, body }))
    }

    /// `@t TABLE (...) [WITH ...] [AS] BEGIN ... END`
    fn table_function(&mut self) -> P<(ModuleOptions, FunctionReturns)> {
        let variable = self.variable()?;
        self.expect_word(K::TABLE)?;
        let definition = Box::new(self.table_type_definition()?);
        let options = self.module_options(Kind::TableFunction)?;
        self.eat_word(K::AS);
        let body = self.function_body()?;
        Ok((options, FunctionReturns::Table { variable, definition, body }))
    }

    /// BEGIN ... END, nothing else.
    fn function_body(&mut self) -> P<ModuleBody> {
        if self.at_word(K::EXTERNAL) {
            return self.external_name();
        }
        if self.at_word(K::BEGIN) && self.peek_word(1, K::ATOMIC) {
            return self.atomic_block();
        }
        self.expect_word(K::BEGIN)?;
        Ok(ModuleBody::Statements(self.nested(Self::block)?))
    }

    fn inline_function(&mut self) -> P<(ModuleOptions, FunctionReturns)> {
        let options = self.module_options(Kind::InlineFunction)?;
        self.eat_word(K::AS);
        if self.at_word(K::BEGIN) && self.peek_word(1, K::ATOMIC) {
            self.bump();
            self.bump();
            self.expect_word(K::WITH)?;
            let atomic = Some(self.settings_list()?);
            let query = Box::new(self.returned_query()?);
            self.eat(T::Semicolon);
            self.expect_word(K::END)?;
            return Ok((options, FunctionReturns::Inline { query, atomic }));
        }
        let query = Box::new(self.returned_query()?);
        Ok((options, FunctionReturns::Inline { query, atomic: None }))
    }

    /// `RETURN query`, `RETURN (query)`; WITH may stand inside the parentheses.
    fn returned_query(&mut self) -> P<Query> {
        self.expect_word(K::RETURN)?;
        let mut parens = 0;
        while self.at(T::LeftParen) && (self.peek_word(1, K::WITH) || self.peek_is(1, T::LeftParen)) {
            if self.peek_is(1, T::LeftParen) && !self.peek_word(2, K::WITH) {
                break;
            }
            self.bump();
            parens += 1;
        }
        let query = self.query_with_ctes()?;
        for _ in 0..parens {
            self.expect(T::RightParen)?;
        }
        Ok(query)
    }

    /// CLR: `RETURNS TABLE (columns) [ORDER (...)] AS EXTERNAL NAME a.b.c`
    fn external_table(&mut self) -> P<(ModuleOptions, FunctionReturns)> {
        let definition = Box::new(self.table_definition()?);
        let options = self.module_options(Kind::TableFunction)?;
        if self.eat_word(K::ORDER) {
            self.paren_list(Self::order_item)?;
        }
        self.eat_word(K::AS);
        self.expect_word(K::EXTERNAL)?;
        self.expect_word(K::NAME)?;
        Ok((options, FunctionReturns::ExternalTable { definition, name: self.object_name()? }))
    }

    #[inline(never)]
    fn trigger(&mut self, definition: Definition) -> P<StatementKind> {
        let line = self.token.line;
        let name = self.module_name()?;
        if name.is_temporary() {
            return Err(sql_error!(102, &*name.name).at_line(line));
        }
        self.expect_word(K::ON)?;
        let on = self.trigger_scope()?;
        if matches!(&on, TriggerScope::Table(table) if table.is_temporary()) {
            return Err(sql_error!(167).at_line(self.previous.line));
        }
        let options = self.module_options(Kind::Trigger)?;
        let instead_of = self.eat_word(K::INSTEAD);
        if instead_of {
            self.expect_word(K::OF)?;
        } else if !self.eat_word(K::FOR) {
            self.expect_word(K::AFTER)?;
        }
        let of_table = matches!(on, TriggerScope::Table(_));
        // Only what is done to rows can be done instead.
        if instead_of && !of_table {
            return Err(self.unexpected());
        }
        let events = self.list(|parser| {
            let is_action = parser.at_any(&[K::INSERT, K::UPDATE, K::DELETE]);
            let is_event = !of_table && parser.at(T::Word) && !parser.token.keyword.is_reserved();
            match is_action || is_event {
                true if of_table => Ok(parser.upper_word()),
                true => Ok(parser.written_word()),
                false => Err(parser.unexpected()),
            }
        })?;
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        if let Some(again) = (1..events.len()).find(|at| events[..*at].iter().any(|event| same(event, &events[*at]))) {
            let line = self.previous.line;
            return Err(match of_table {
                true => sql_error!(1034, &*events[again]).at_line(line),
                false => sql_error!(1095, &*events[again]).at_line(line),
            });
        }
        let append = of_table && self.eat_words(K::WITH, K::APPEND);
        let not_for_replication = of_table && self.at_word(K::NOT);
        if not_for_replication {
            self.not_for_replication()?;
        }
        self.expect_word(K::AS)?;
        let body = self.module_body()?;
        let trigger =
            CreateTrigger { definition, name, on, options, instead_of, events, append, not_for_replication, body };
        Ok(StatementKind::CreateTrigger(Box::new(trigger)))
    }

    /// Behind ON: a table, DATABASE, or ALL SERVER.
    pub(super) fn trigger_scope(&mut self) -> P<TriggerScope> {
        if self.eat_word(K::DATABASE) {
            return Ok(TriggerScope::Database);
        }
        if self.eat_word(K::ALL) {
            self.expect_word(K::SERVER)?;
            return Ok(TriggerScope::AllServer);
        }
        Ok(TriggerScope::Table(self.object_name()?))
    }

    /// `ENABLE TRIGGER a, b ON t`
    #[inline(never)]
    pub(super) fn switch_trigger(&mut self) -> P<StatementKind> {
        let enable = self.at_word(K::ENABLE);
        self.bump();
        self.bump();
        let triggers = if self.eat_word(K::ALL) { None } else { Some(self.list(Self::object_name)?) };
        self.expect_word(K::ON)?;
        let on = self.trigger_scope()?;
        Ok(StatementKind::SwitchTrigger(Box::new(SwitchTrigger { enable, triggers, on })))
    }
}
