//! Functions as tables in FROM: inline and multi-statement ones, STRING_SPLIT, GENERATE_SERIES, OPENJSON.

use std::sync::Arc;

use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Home};
use super::builtin::regexp::LONG_TEXT;
use super::convert::{converted, implicit, typing_wide, unify};
use super::errors;
use super::names::{display, object_name};
use super::query::{Bound, Use, check_named, check_unique};
use super::scope::{CteScope, FromRel, Scope, Source, SourceColumn, SourceColumns};
use crate::ast;
use crate::catalog::{ModuleDef, ModuleKind, Object, TableDef, VirtualTableDef};
use crate::mask::MaskFunction;
use crate::optimize::{ColumnId, Leaf, LeafKind, Rel};
use crate::plan::{Expr, ExprKind, TableFunction};

/// With what is computed of them.
type ResultColumns = (Vec<ColumnId>, Vec<(ColumnId, Expr)>);

impl Binder<'_> {
    pub fn function(
        &mut self,
        function: &ast::TableFunction,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
    ) -> SqlResult<FromRel> {
        // FOR SYSTEM_TIME of a view is about the tables that the view itself names.
        let system_time = self.system_time.take();
        let found = self.function_here(function, parent, ctes).map_err(|e| e.at_line(function.line));
        self.system_time = system_time;
        found
    }

    fn function_here(
        &mut self,
        function: &ast::TableFunction,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
    ) -> SqlResult<FromRel> {
        let scope = Scope { sources: &[], parent, ctes, block: None };
        match &function.kind {
            ast::TableFunctionKind::Call { name, args } => {
                let alias = function.alias.as_ref();
                if name.is_unqualified() && name.name.is("STRING_SPLIT") {
                    return self.string_split(args, function, &scope);
                }
                if name.is_unqualified() && name.name.is("GENERATE_SERIES") {
                    return self.generate_series(args, function, &scope);
                }
                refuse_open_query(name, args)?;
                if let Some(kind) = regexp_function(name) {
                    return self.regexp_rows(kind, args, function, &scope);
                }
                if let Some(nodes) = self.column_nodes(name, args, function, &scope)? {
                    return Ok(nodes);
                }
                let unknown = || errors::invalid_object(&display(name));
                let meant = self.resolve(&object_name(name))?.ok_or_else(unknown)?;
                refuse_table(&meant, name, args)?;
                let through = self.needs.through.take();
                match meant {
                    Object::Module(module) if module.kind == ModuleKind::InlineFunction => {
                        let parsed = super::modules::parse_function(&module)?;
                        let ast::FunctionReturns::Inline { query, .. } = &parsed.returns else { return Err(unknown()) };
                        let parameters =
                            self.expansion_of(&module, &parsed.parameters, args, &display(name), &scope)?;
                        let bound = self.expanded(&module, name, parameters, |binder| {
                            let bound = check_named(binder.query(query, None, None, Use::Nested)?, true)?;
                            check_unique(&bound, &name.name).map(|()| bound)
                        })?;
                        let named = self.named(bound, alias.unwrap_or(&name.name), &function.columns)?;
                        self.typed(&named.1[0]);
                        self.needs.through = through;
                        self.need_module(&module, &named.1[0]);
                        Ok(named)
                    }
                    Object::Module(module) if module.kind == ModuleKind::TableFunction => {
                        let parsed = super::modules::parse_function(&module)?;
                        let ast::FunctionReturns::Table { definition, .. } = &parsed.returns else {
                            return Err(unknown());
                        };
                        let arguments =
                            self.module_arguments(&module, &parsed.parameters, args, &display(name), &scope)?;
                        let bound = self.filled(&module, &name.name.text, definition, arguments)?;
                        let named = self.named(bound, alias.unwrap_or(&name.name), &function.columns)?;
                        self.needs.through = through;
                        self.need_module(&module, &named.1[0]);
                        Ok(named)
                    }
                    Object::Virtual(def) => self.virtual_function(def, args, name, alias, &scope),
                    _ => Err(unknown()),
                }
            }
            ast::TableFunctionKind::OpenJson { text, path, schema } => {
                self.open_json(text, path.as_ref(), schema.as_deref(), function, &scope)
            }
            ast::TableFunctionKind::OpenXml { handle, pattern, flags, schema } => {
                self.open_xml((handle, pattern, flags.as_ref()), schema, function, &scope)
            }
            ast::TableFunctionKind::OpenRowsetBulk { files, options, order, schema, .. } => {
                self.bulk_rows(&super::bulk::Rowset { files, options, order, schema }, function)
            }
            ast::TableFunctionKind::Method { target, name, args } => {
                let target = self.xml_target(target, parent.unwrap_or(&scope))?;
                self.xml_nodes(target, name, args, function, parent.unwrap_or(&scope))
            }
            ast::TableFunctionKind::OpenRowset { .. } => Err(errors::ad_hoc_queries_are_off()),
            _ => Err(errors::not_supported("table function")),
        }
    }

    /// The columns of a module are in the catalog, with their types.
    fn typed(&mut self, source: &Source) {
        (0..source.len()).for_each(|at| self.columns.declare(source.column(at).id));
    }

    /// One of the server's own.
    fn virtual_function(
        &mut self,
        def: Arc<VirtualTableDef>,
        args: &[ast::Expr],
        name: &ast::ObjectName,
        alias: Option<&ast::Ident>,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        // DEFAULT is what the server makes of NULL.
        let null = ast::Expr::Literal(ast::Literal::Null);
        let given = |arg| if matches!(arg, &ast::Expr::Default) { &null } else { arg };
        let bound: Vec<Expr> = args.iter().map(|arg| self.expr(given(arg), scope)).collect::<SqlResult<_>>()?;
        if bound.len() > def.parameters.len() {
            return Err(sql_error!(8144, state 3, display(name)));
        }
        if bound.len() < def.parameters.len() {
            return Err(sql_error!(313, state 3, display(name)));
        }
        let arguments =
            bound.into_iter().zip(&def.parameters).map(|(e, ty)| implicit(e, ty)).collect::<SqlResult<_>>()?;
        Ok(self.virtual_table(def, arguments, name, alias))
    }

    pub fn leaf_function(
        &mut self,
        function: TableFunction,
        arguments: Vec<Expr>,
        columns: Vec<(&str, SqlType, bool)>,
        alias: Option<&ast::Ident>,
        renamed: &[ast::Ident],
        default_alias: &str,
    ) -> SqlResult<FromRel> {
        let mut ids = Vec::new();
        let mut outputs = Vec::new();
        for (name, ty, nullable) in columns {
            let id = self.columns.add(ty, nullable);
            let mask = self.mask_of_all(&arguments);
            self.columns.set_mask(id, mask);
            ids.push(id);
            outputs.push(crate::optimize::Output { name: name.into(), expr: self.columns.expr(id) });
        }
        let rel = Rel::Leaf(Box::new(Leaf { ids, kind: LeafKind::TableFunction { function, arguments } }));
        let default_alias = ast::Ident::new(default_alias);
        self.named(Bound::new(rel, outputs), alias.unwrap_or(&default_alias), renamed)
    }

    fn string_split(&mut self, args: &[ast::Expr], function: &ast::TableFunction, scope: &Scope) -> SqlResult<FromRel> {
        if args.len() < 2 {
            return Err(sql_error!(313, state 3, "string_split"));
        }
        if args.len() > 3 {
            return Err(sql_error!(8144, state 3, "string_split"));
        }
        let value = self.expr(&args[0], scope)?;
        let value = self.as_string(value, 1, "string_split")?;
        let given = self.expr(&args[1], scope)?;
        let wide = value.ty.is_unicode_string() || given.ty.is_unicode_string();
        let value = if wide && !value.ty.is_unicode_string() { widened(value) } else { value };
        let collation = value.ty.collation;
        // One that is longer than a character is refused when it runs.
        let separator = if wide { SqlType::nvarchar(4000) } else { SqlType::varchar(8000) }.with_collation(collation);
        let ty = SqlType { kind: if wide { types::TypeKind::NVarChar } else { types::TypeKind::VarChar }, ..value.ty };
        let mut arguments = vec![value, converted(given, &separator, false)];
        let mut columns = vec![("value", ty, true)];
        if let Some(ordinal) = args.get(2) {
            let given = self.expr(ordinal, scope)?;
            if !given.ty.is_integer() && given.ty.kind != TypeKind::Bit {
                return Err(errors::invalid_argument(&given.ty, 3, "string_split"));
            }
            match given.kind {
                ExprKind::Literal(Datum::I64(given)) if !(0..=1).contains(&given) => {
                    return Err(sql_error!(4199, given, 3, "string_split"));
                }
                ExprKind::Variable(_) | ExprKind::Column(_) | ExprKind::Outer(_) => return Err(sql_error!(8748)),
                _ => {}
            }
            let ordinal = self.expr_as(ordinal, &SqlType::BIT, scope)?;
            if matches!(ordinal.kind, ExprKind::Literal(types::Datum::I64(1))) {
                columns.push(("ordinal", SqlType::BIGINT, false));
            }
            arguments.push(ordinal);
        }
        self.leaf_function(
            TableFunction::StringSplit,
            arguments,
            columns,
            function.alias.as_ref(),
            &function.columns,
            "STRING_SPLIT",
        )
    }

    /// https://learn.microsoft.com/sql/t-sql/functions/regexp-matches-transact-sql
    /// https://learn.microsoft.com/sql/t-sql/functions/regexp-split-to-table-transact-sql
    fn regexp_rows(
        &mut self,
        kind: TableFunction,
        args: &[ast::Expr],
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        let is_split = kind == TableFunction::RegexpSplit;
        let name = if is_split { "REGEXP_SPLIT_TO_TABLE" } else { "REGEXP_MATCHES" };
        if args.len() < 2 {
            return Err(sql_error!(313, state 3, name));
        }
        if args.len() > 3 {
            return Err(sql_error!(8144, state 3, name));
        }
        let mut arguments = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let given = self.expr(arg, scope)?;
            let ty = given.ty;
            let long = matches!(ty.kind, types::TypeKind::Text | types::TypeKind::NText);
            if i > 0 && ty.is_string() && !long && ty.is_max() {
                let state = if is_split { 25 } else { 22 } + i as u8;
                return Err(sql_error!(8116, state state, LONG_TEXT, i + 1, name.to_ascii_lowercase()));
            }
            let fits = if i < 2 { ty.is_string() } else { ty.is_ansi_string() };
            if (!fits || long) && !super::typing::is_null_literal(&given) {
                let state = if is_split { 28 } else { 25 };
                return Err(sql_error!(8116, state state, ty.shown(), i + 1, name.to_ascii_lowercase()));
            }
            arguments.push(self.as_string(given, i + 1, name)?);
        }
        let source = arguments[0].ty;
        super::collating::common_collation(&arguments[0], &arguments[1], &name.to_ascii_lowercase(), &self.columns)?;
        let columns = if is_split {
            vec![("value", source, true), ("ordinal", SqlType::BIGINT, false)]
        } else {
            let json = types::collation::lookup("Latin1_General_100_BIN2_UTF8").expect("a collation of the table");
            vec![
                ("match_id", SqlType::BIGINT, false),
                ("start_position", SqlType::INT, false),
                ("end_position", SqlType::INT, false),
                ("match_value", super::builtin::varying(&source), true),
                ("substring_matches", SqlType::VARCHAR_MAX.with_collation(json), false),
            ]
        };
        self.leaf_function(kind, arguments, columns, function.alias.as_ref(), &function.columns, name)
    }

    fn generate_series(
        &mut self,
        args: &[ast::Expr],
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        if args.len() < 2 {
            return Err(sql_error!(313, state 3, "generate_series"));
        }
        if args.len() > 3 {
            return Err(sql_error!(8144, state 3, "generate_series"));
        }
        // Its column has the one name.
        if !function.columns.is_empty() {
            return Err(sql_error!(195, state 15, "generate_series", "function name"));
        }
        let bound = self.exprs(args, scope)?;
        check_series(&bound)?;
        let (arguments, ty) = unify(bound, "GENERATE_SERIES", &self.columns)?;
        self.leaf_function(
            TableFunction::GenerateSeries,
            arguments,
            vec![("value", ty, false)],
            function.alias.as_ref(),
            &function.columns,
            "GENERATE_SERIES",
        )
    }

    fn open_json(
        &mut self,
        text: &ast::Expr,
        path: Option<&ast::Expr>,
        schema: Option<&[ast::OpenColumn]>,
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        let collation = self.catalog.collation();
        let long = SqlType::NVARCHAR_MAX.with_collation(collation);
        let document = self.expr(text, scope)?;
        let mut arguments = vec![match document.ty.is_json() {
            true => converted(document, &long, true),
            false => implicit(document, &long)?,
        }];
        if let Some(path) = path {
            arguments.push(self.expr_as(path, &SqlType::nvarchar(4000).with_collation(collation), scope)?);
        }
        let alias = function.alias.as_ref();
        let Some(schema) = schema else {
            let columns = vec![
                ("key", SqlType::nvarchar(4000).with_collation(collation), false),
                ("value", long, true),
                ("type", SqlType::TINYINT, false),
            ];
            return self.leaf_function(
                TableFunction::OpenJson,
                arguments,
                columns,
                alias,
                &function.columns,
                "OPENJSON",
            );
        };
        let mut paths = Vec::with_capacity(schema.len());
        let mut types = Vec::with_capacity(schema.len());
        for column in schema {
            let path: Box<str> = match &column.path {
                Some(ast::Expr::Literal(ast::Literal::String { text, .. })) => text.clone(),
                _ => format!("$.\"{}\"", &*column.name).into(),
            };
            let ty = self.data_type(&column.data_type, 1)?;
            if column.as_json && !(ty.kind == types::TypeKind::NVarChar && ty.is_max()) && !ty.is_json() {
                return Err(sql_error!(13618));
            }
            paths.push((path, column.as_json));
            types.push((column.name.text.clone(), ty));
        }
        // The function gives text; each column is converted to its type here.
        let raw: Vec<(&str, SqlType, bool)> = types.iter().map(|(name, _)| (&**name, long, true)).collect();
        let (rel, mut sources) = self.leaf_function(
            TableFunction::OpenJsonWith(paths),
            arguments,
            raw,
            alias,
            &function.columns,
            "OPENJSON",
        )?;
        let mut defs = Vec::new();
        if let SourceColumns::List(list) = &mut sources[0].columns {
            for (column, (_, ty)) in list.iter_mut().zip(&types) {
                let value = Expr::column(column.id.index(), column.ty, true);
                let typed = self.cast(value, *ty, None, false)?;
                column.ty = typed.ty;
                column.id = self.as_column(typed, &mut defs);
            }
        }
        Ok((rel.map(defs), sources))
    }

    /// The rows that a function of several statements puts into its table.
    fn filled(
        &mut self,
        module: &Arc<ModuleDef>,
        name: &str,
        definition: &ast::TableDefinition,
        arguments: Vec<Expr>,
    ) -> SqlResult<Bound> {
        let (mut outputs, mut ids) = (Vec::new(), Vec::new());
        let database = self.homes.last().and_then(|home| home.database.clone());
        let object = Some((module.database, module.object));
        self.homes.push(Home { database, schema: module.schema.clone(), object });
        let table = self.table_definition(name, definition, &module.text, -1);
        let table = table.and_then(|table| {
            let columns = self.result_columns(&table)?;
            Ok((table, columns))
        });
        self.homes.pop();
        let (table, (all, defs)) = table?;
        for (at, (column, defined)) in table.columns.iter().zip(&definition.columns).enumerate() {
            let id = all[at];
            if let Some(text) = &defined.masked {
                let function = MaskFunction::parse(text, &column.name, &column.ty)?;
                self.mask_result(id, module.database, function);
            }
            let mask = self.mask_of_all(arguments.iter());
            if mask.is_some() {
                self.columns.set_mask(id, mask);
            }
            // What is not stored is computed of what is.
            ids.extend(table.stored[at].map(|_| id));
            let name = column.name.clone();
            outputs.push(crate::optimize::Output { name, expr: self.columns.expr(id) });
        }
        let kind = LeafKind::UserTableFunction { module: module.clone(), arguments };
        Ok(Bound::new(Rel::Leaf(Box::new(Leaf { ids, kind })).map(defs), outputs))
    }

    /// The columns of a function's table, and what those are that are computed when they are read.
    fn result_columns(&mut self, table: &TableDef) -> SqlResult<ResultColumns> {
        let ids: Vec<ColumnId> =
            table.columns.iter().map(|column| self.columns.add(column.ty, column.nullable)).collect();
        let list = table.columns.iter().zip(&ids).map(|(column, &id)| SourceColumn {
            name: column.name.clone(),
            id,
            ty: column.ty,
            nullable: column.nullable,
        });
        let source = Source {
            alias: "".into(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(list.collect()),
            nullable: false,
            written: None,
        };
        let scope = Scope { sources: &[source], parent: None, ctes: None, block: None };
        let mut defs = Vec::new();
        for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| table.stored[*at].is_none()) {
            let Some(computed) = &column.computed else { continue };
            let text = super::modules::parse_expression(&computed.definition)?;
            let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
            defs.push((ids[at], converted(bound, &column.ty, false)));
        }
        Ok((ids, defs))
    }
}

/// No server is linked.
fn refuse_open_query(name: &ast::ObjectName, args: &[ast::Expr]) -> SqlResult<()> {
    match args.first() {
        Some(ast::Expr::Column(server)) if name.is_unqualified() && name.name.is("OPENQUERY") => {
            Err(sql_error!(7202, state 2, server.name.text))
        }
        _ => Ok(()),
    }
}

fn regexp_function(name: &ast::ObjectName) -> Option<TableFunction> {
    match name.is_unqualified() {
        true if name.name.is("REGEXP_MATCHES") => Some(TableFunction::RegexpMatches),
        true if name.name.is("REGEXP_SPLIT_TO_TABLE") => Some(TableFunction::RegexpSplit),
        _ => None,
    }
}

/// 207, 215: a table with arguments, of which a word would be a column.
fn refuse_table(meant: &Object, name: &ast::ObjectName, args: &[ast::Expr]) -> SqlResult<()> {
    let is_view = matches!(meant, Object::Module(module) if module.kind == ModuleKind::View);
    if !is_view && !matches!(meant, Object::Table(_)) {
        return Ok(());
    }
    let words = args.iter().filter_map(|arg| match arg {
        ast::Expr::Column(column) => Some(&column.name),
        ast::Expr::Word(word) => Some(word),
        _ => None,
    });
    let mut told: Vec<SqlError> = words.map(|word| errors::invalid_column(&word.text)).collect();
    told.push(sql_error!(215, display(name)));
    Err(SqlError::together(told))
}

/// 8116, 5373 with 206 of each argument: the numbers of a series are exact and of one type; decimals may differ in their digits.
fn check_series(arguments: &[Expr]) -> SqlResult<()> {
    let typed = || arguments.iter().enumerate().filter(|(_, value)| !super::typing::is_null_literal(value));
    let clashes = |first: SqlError| {
        let clash = |value: &Expr| sql_error!(206, state 2, value.ty.message_name(), "void type");
        let mut told: Vec<SqlError> = arguments.iter().map(clash).collect();
        let last = told.pop().expect("a series has two arguments");
        Err(last.after(std::iter::once(first).chain(told).collect()))
    };
    if let Some((at, value)) = typed().find(|(_, value)| !value.ty.is_integer() && !value.ty.is_decimal()) {
        let invalid = sql_error!(8116, state at as u8 + 1, value.ty.message_name(), at + 1, "generate_series");
        return clashes(invalid);
    }
    if arguments.get(2).is_some_and(is_zero) {
        return Err(sql_error!(4199, 0, 3, "generate_series"));
    }
    let mut kinds = typed().map(|(at, value)| (at, value.ty.kind));
    let Some((_, first)) = kinds.next() else { return Ok(()) };
    match kinds.find(|(_, kind)| *kind != first) {
        Some((at, _)) => clashes(sql_error!(5373, state at as u8)),
        None => Ok(()),
    }
}

/// Text of a code page as Unicode.
fn widened(value: Expr) -> Expr {
    let ty = typing_wide(&value.ty);
    converted(value, &ty, false)
}

fn is_zero(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Literal(Datum::I64(0) | Datum::I128(0)))
}
