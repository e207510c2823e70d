//! The state of binding one statement.

use std::sync::Arc;

use types::{SqlError, SqlResult, sql_error};
use xml::query::NodeType;

use super::BindOptions;
use super::errors;
use super::names::{find_object, own_schema, same_name};
use super::needs::Needs;
use super::scope::ViewUse;
use crate::ast;
use crate::catalog::{Catalog, Object, ObjectId, ObjectName, TableDef};
use crate::optimize::{ColumnId, Columns, Lowering};
use crate::plan::{
    Aggregate, BodyKind, Expr, Named, ObjectRef, SortKey, TableVariable, Variable, VariableSlot, WindowFunction,
};

/// Deeper trees than this would not fit the stack of a fiber.
const DEPTH_MAX: u32 = 150;

/// Stack kept for what one level does without asking again.
pub(super) const STACK_LEFT_MIN: usize = 96 << 10;
/// Tables, views and functions of one statement after expansion.
const SOURCES_MAX: u32 = 1024;
/// Views within views, functions within functions.
const EXPANSION_MAX: u32 = 32;

/// What an expression's variables mean.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub variables: &'a Named<Variable>,
    pub table_variables: &'a Named<TableVariable>,
    pub cursors: &'a Named<Box<str>>,
    pub kind: BodyKind,
    pub trigger_table: Option<&'a Arc<TableDef>>,
    pub trigger: Option<ObjectId>,
    /// `Module::schema`.
    pub schema: Option<&'a str>,
    /// `Module::object`.
    pub module: Option<ObjectRef>,
}

/// The view or inline function whose text is being expanded.
pub struct Home {
    /// Of names without one; None: the current database.
    pub database: Option<Box<str>>,
    pub schema: Box<str>,
    /// Itself; None: one that is not in the catalog yet.
    pub object: Option<ObjectRef>,
}

/// What the identity column is that SELECT INTO gives the new table.
#[derive(Clone, Copy)]
pub struct IntoIdentity {
    /// Of the list, from 0.
    pub at: usize,
    pub seed: i64,
    pub increment: i64,
}

/// What stands for the parameters of an inline function, or for none of the variables around a definition.
#[derive(Default)]
pub struct Parameters {
    pub values: Vec<(Box<str>, Expr)>,
    pub tables: Vec<(Box<str>, TableOperand)>,
}

/// The rows that a table-valued parameter or a table variable means.
#[derive(Clone)]
pub struct TableOperand {
    pub table: Arc<TableDef>,
    /// Of `Module::table_variables`. None: DEFAULT, no rows.
    pub slot: Option<u32>,
}

impl Names<'_> {
    /// A statement outside any module.
    pub const NONE: Names<'static> = Names {
        variables: &Named::EMPTY,
        table_variables: &Named::EMPTY,
        cursors: &Named::EMPTY,
        kind: BodyKind::Batch,
        trigger_table: None,
        trigger: None,
        schema: None,
        module: None,
    };
}

/// What a key of ORDER BY is in a SELECT.
#[derive(Debug, Clone)]
pub enum FoundKey {
    /// The column that this item of its list is.
    At(usize),
    /// A column of its tables that the list does not have.
    NotSelected,
    /// It names a table, or a column of one, that is not there.
    Unbound(SqlError),
    Unknown,
}

/// A table of the statement as TABLE HINT names it: with the hints of its WITH.
pub struct HintedTable {
    pub alias: Box<str>,
    /// Without an alias its schema may stand before the name.
    pub schema: Option<Box<str>>,
    pub table: Arc<TableDef>,
    pub words: Vec<Box<str>>,
}

/// OPTION (TABLE HINT (...)), and the tables that it may speak of. None of either in most statements.
#[derive(Default)]
pub struct TableHints {
    pub asked: Vec<(ast::ObjectName, Vec<ast::TableHint>)>,
    pub tables: Vec<HintedTable>,
}

pub struct Binder<'a> {
    pub catalog: &'a dyn Catalog,
    pub options: &'a BindOptions,
    pub names: Names<'a>,
    pub columns: Columns,
    pub lowering: Lowering<'a>,
    pub blocks: Vec<Block>,
    /// Parameters of the inline functions being expanded, innermost last; while there are any, variables are theirs.
    pub parameters: Vec<Parameters>,
    /// What is being expanded, innermost last.
    pub homes: Vec<Home>,
    pub work_tables: u32,
    /// OPTION (MAXRECURSION n).
    pub rounds_max: u32,
    /// OPTION (MIN_GRANT_PERCENT = n, MAX_GRANT_PERCENT = n).
    pub grant_percent: (Option<f64>, Option<f64>),
    pub force_order: bool,
    /// OPTION (TABLE HINT (...)).
    pub table_hints: TableHints,
    pub session_private: bool,
    /// It has MIN or MAX of a character or binary string.
    pub text_extreme: bool,
    /// `Query::row_targets`.
    pub row_targets: Vec<crate::plan::TableSource>,
    pub row_guards: Vec<Option<Expr>>,
    /// Views of the statement, those within others first.
    pub views: Vec<ViewUse>,
    pub needs: Needs,
    /// Tables and views whose security policies' predicates are being bound, innermost last.
    pub guarding: Vec<ObjectRef>,
    /// Within a predicate of a policy that is not schema-bound: whoever owns what, the user needs the permission.
    pub unchained: bool,
    /// Columns that are not there, or not grouped, or have no name. While a whole statement is bound, each is noted here and a NULL stands for it, so that all of
    /// them are told at once. None: the first one ends the binding.
    pub missing: Option<Vec<SqlError>>,
    /// `Query::notices`.
    pub notices: Vec<SqlError>,
    /// Keys of ORDER BY behind a set operation that are names or computed: the first SELECT takes them and says what they are in it.
    pub named_keys: Vec<ast::Expr>,
    pub found_keys: Vec<FoundKey>,
    /// The SELECT that is bound next is asked whether it has rows: `*` stands for no column.
    pub any_columns: bool,
    /// The FROM that is bound next may be a change whose OUTPUT are rows for an INSERT.
    pub takes_change: bool,
    /// Within CASE and the functions that are one.
    pub conditionals: u32,
    /// The query being bound is the client's own, and tells where its columns come from: see `browse`.
    pub browses: bool,
    /// FOR SYSTEM_TIME of the view whose text is being bound: of all system-versioned tables in it.
    pub system_time: Option<super::scope::SystemTime>,
    /// What WITH XMLNAMESPACES declares for the query that is being bound.
    pub xml_namespaces: Vec<(Box<str>, Box<str>)>,
    /// Columns of nodes(), how errors name what they were made of, and what their rows are.
    pub node_columns: Vec<(ColumnId, String, NodeType)>,
    /// The IDENTITY function of the statement's SELECT INTO.
    pub into_identity: Option<IntoIdentity>,
    /// While the query of an indexed view is bound for what a change makes of it.
    pub delta: Option<super::scope::Delta>,
    /// Indexed views are read as what they are made of: the statement may change those, or says EXPAND VIEWS.
    pub expands_views: bool,
    /// The statement is a SELECT, for which indexed views may be read that it does not name.
    pub matches_views: bool,
    /// The statement changes rows, so there is a transaction while it runs.
    pub changes: bool,
    /// Calls of scalar functions may become what they compute. Not within a definition, which says what it calls.
    pub inlines: bool,
    /// Functions whose bodies are being bound so.
    pub inlining: u32,
    /// OPTION (USE HINT ('QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_n')).
    pub level: Option<u32>,
    depth: u32,
    sources: u32,
    expansion: u32,
}

/// Missing columns of one statement that are told.
const MISSING_MAX: usize = 20;

/// Aggregates and windows of one SELECT, found while its expressions are bound.
#[derive(Default)]
pub struct Block {
    pub place: Place,
    pub aggregates: Vec<(ColumnId, Aggregate)>,
    /// The one order of the texts that STRING_AGG puts together.
    pub text_order: Vec<SortKey>,
    pub windows: Vec<WindowSpec>,
    /// Calls of GROUPING and GROUPING_ID: replaced when the groups are known.
    pub groups: Vec<(ColumnId, Expr)>,
    /// The column with the grouping bits, once something asks for it.
    pub grouping_id: Option<ColumnId>,
    /// WINDOW clause.
    pub named: Vec<(Box<str>, ast::Over)>,
    /// What of a SELECT decides whether NEXT VALUE FOR may stand in its list.
    pub shape: SelectShape,
    /// Variables that SELECT @a = ... gives values.
    pub assigned: Vec<VariableSlot>,
    /// Sequences that its list takes values of, each once a row.
    pub sequences: Vec<(ColumnId, Expr)>,
    /// OVER of each of them, as it is written.
    pub sequence_overs: Vec<Vec<crate::ast::OrderItem>>,
    /// OVER (ORDER BY ...) of NEXT VALUE FOR: rows get their values in this order.
    pub sequence_order: Vec<SortKey>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct SelectShape {
    /// A derived table, a subquery, a view: not the statement's own rows.
    pub nested: bool,
    /// DISTINCT, or beside UNION and its like.
    pub merged: bool,
    /// TOP or OFFSET.
    pub limited: bool,
    /// SELECT @a = ...
    pub assigns: bool,
    pub ordered: bool,
    pub distinct: bool,
    /// Grouping sets, WITH ROLLUP and WITH CUBE too.
    pub sets: bool,
}

pub struct WindowSpec {
    pub partition: Vec<Expr>,
    pub order: Vec<SortKey>,
    pub functions: Vec<(ColumnId, WindowFunction)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    #[default]
    Where,
    On,
    GroupBy,
    Select,
    Having,
    OrderBy,
    /// Inside an aggregate.
    Argument,
    /// Inside a window function.
    Window,
    Set,
    /// What MERGE does with a row.
    Merged,
    Output,
}

impl<'a> Binder<'a> {
    pub fn new(catalog: &'a dyn Catalog, options: &'a BindOptions, names: Names<'a>) -> Binder<'a> {
        Binder {
            catalog,
            options,
            names,
            columns: Columns::default(),
            lowering: Lowering::new(catalog),
            blocks: Vec::new(),
            parameters: Vec::new(),
            homes: Vec::new(),
            work_tables: 0,
            rounds_max: 100,
            grant_percent: (None, None),
            force_order: false,
            table_hints: Default::default(),
            session_private: false,
            text_extreme: false,
            row_targets: Vec::new(),
            row_guards: Vec::new(),
            views: Vec::new(),
            needs: Needs::default(),
            guarding: Vec::new(),
            unchained: false,
            missing: None,
            notices: Vec::new(),
            named_keys: Vec::new(),
            found_keys: Vec::new(),
            any_columns: false,
            takes_change: false,
            conditionals: 0,
            browses: false,
            system_time: None,
            xml_namespaces: Vec::new(),
            node_columns: Vec::new(),
            into_identity: None,
            delta: None,
            expands_views: false,
            matches_views: false,
            changes: false,
            inlines: false,
            inlining: 0,
            level: None,
            depth: 0,
            sources: 0,
            expansion: 0,
        }
    }

    pub fn missing_columns(&self) -> usize {
        self.missing.as_ref().map_or(0, Vec::len)
    }

    /// Ends the binding if something was noted since `before`: what comes behind would only be about what stands for it.
    pub fn whole_since(&self, before: usize) -> SqlResult<()> {
        match self.missing.iter().flatten().skip(before).last() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// What was noted, and `error` behind it.
    pub fn told_last(&mut self, error: SqlError) -> SqlError {
        if let Some(missing) = self.missing.as_mut().filter(|missing| !missing.is_empty()) {
            missing.push(error.clone());
        }
        error
    }

    /// What was noted since `before` is told first, before the `count` errors ahead of it.
    pub fn told_behind(&mut self, before: usize, count: usize) {
        if let Some(missing) = &mut self.missing {
            missing[before..].rotate_left(count);
        }
    }

    /// A NULL in place of a column that is not there.
    pub fn missing_column(&mut self, error: SqlError) -> SqlResult<Expr> {
        match matches!(error.number, 207 | 209 | 4104) {
            true => self.noted(error).map(|()| Expr::null(types::SqlType::INT)),
            false => Err(error),
        }
    }

    /// An error beside which others of the statement are told.
    pub fn noted(&mut self, error: SqlError) -> SqlResult<()> {
        match &mut self.missing {
            Some(missing) if missing.len() < MISSING_MAX => {
                missing.push(error);
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// One level down the tree, with the error for too many.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        types::plant!();
        self.descend(1, f)
    }

    pub fn descend<T>(&mut self, levels: u32, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if self.depth.saturating_add(levels) > DEPTH_MAX || self.catalog.stack_left() < STACK_LEFT_MIN {
            return Err(errors::too_deep());
        }
        self.depth += levels;
        let result = f(self);
        self.depth -= levels;
        result
    }

    /// Counts a table; the bound keeps views of views of views from growing without end.
    pub fn count_source(&mut self) -> SqlResult<()> {
        self.sources += 1;
        if self.sources > SOURCES_MAX {
            return Err(sql_error!(106, 256));
        }
        Ok(())
    }

    /// Binds what the statement's text does not name: its tables are not counted.
    pub fn uncounted<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        let sources = std::mem::take(&mut self.sources);
        let result = f(self);
        self.sources = sources;
        result
    }

    /// Within the text of a view or function.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn expand<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        types::plant!();
        if self.expansion >= EXPANSION_MAX {
            return Err(sql_error!(217, 32));
        }
        self.expansion += 1;
        // Its own text declares its own.
        let namespaces = std::mem::take(&mut self.xml_namespaces);
        let result = f(self);
        self.xml_namespaces = namespaces;
        self.expansion -= 1;
        result
    }

    /// Binds a place where calls of functions stay calls.
    pub fn calling<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let inlines = std::mem::replace(&mut self.inlines, false);
        let result = f(self);
        self.inlines = inlines;
        result
    }

    /// Binds what may be done another way: an error leaves nothing behind of it, and is not told.
    pub fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> Option<T> {
        let missing = self.missing.take();
        let needs = (self.needs.readings.len(), self.needs.done.len(), self.needs.synonyms.len());
        let (through, names_long_text) = (self.needs.through, self.needs.names_long_text);
        let lists = (self.views.len(), self.notices.len(), self.node_columns.len());
        let flags = (self.session_private, self.text_extreme, self.lowering.impossible_hint);
        let sources = self.sources;
        let result = f(self);
        self.missing = missing;
        if result.is_err() {
            self.needs.readings.truncate(needs.0);
            self.needs.done.truncate(needs.1);
            self.needs.synonyms.truncate(needs.2);
            (self.needs.through, self.needs.names_long_text) = (through, names_long_text);
            self.views.truncate(lists.0);
            self.notices.truncate(lists.1);
            self.node_columns.truncate(lists.2);
            (self.session_private, self.text_extreme, self.lowering.impossible_hint) = flags;
            self.sources = sources;
            (self.any_columns, self.takes_change) = (false, false);
            self.named_keys.clear();
        }
        result.ok()
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn variable(&self, variable: &ast::Variable) -> SqlResult<Expr> {
        types::plant!();
        if let Some(parameters) = self.parameters.last() {
            return parameters
                .values
                .iter()
                .find(|(name, _)| same_name(name, &variable.name))
                .map(|(_, value)| value.clone())
                .ok_or_else(|| errors::undeclared_variable(&variable.name).at_line(variable.line));
        }
        let slot = self.slot(variable)?;
        let ty = self.names.variables[slot.0 as usize].ty;
        Ok(Expr::new(ty, true, crate::plan::ExprKind::Variable(slot)))
    }

    /// The last declared of that name: the only one, since a second is error 134.
    pub fn slot(&self, variable: &ast::Variable) -> SqlResult<VariableSlot> {
        self.names
            .variables
            .place(&variable.name)
            .map(|index| VariableSlot(index as u32))
            .ok_or_else(|| errors::undeclared_variable(&variable.name).at_line(variable.line))
    }

    /// The schema of the text that is being bound, where a name without one is looked for first.
    pub fn schema(&self) -> Option<&str> {
        match self.homes.last() {
            Some(home) => own_schema(&home.schema),
            None => self.names.schema,
        }
    }

    fn look_up(&self, name: &ObjectName) -> SqlResult<Option<Object>> {
        match self.homes.last() {
            Some(Home { database: Some(database), schema, .. }) if name.database.is_none() => {
                let named = |schema| ObjectName { database: Some(database.clone()), schema, ..name.clone() };
                if let (None, Some(schema)) = (&name.schema, own_schema(schema))
                    && let Some(found) = self.catalog.resolve(&named(Some(schema.into())))?
                {
                    return Ok(Some(found));
                }
                self.catalog.resolve(&named(name.schema.clone()))
            }
            _ => find_object(self.catalog, self.schema(), name),
        }
    }

    /// Follows synonyms, and notes the one it came through for the need that follows. None: there is no such object.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn resolve(&mut self, name: &ObjectName) -> SqlResult<Option<Object>> {
        types::plant!();
        if name.name.starts_with('#') {
            self.session_private = true;
        }
        self.needs.through = None;
        match self.look_up(name)? {
            Some(Object::Synonym(synonym)) => match self.catalog.resolve(&synonym.target)? {
                Some(Object::Synonym(_)) | None => Err(sql_error!(5313, name.name)),
                found => {
                    self.needs.through = Some((synonym.database, synonym.object));
                    Ok(found)
                }
            },
            found => Ok(found),
        }
    }

    /// 10700: one whose rows are a caller's cannot be changed.
    pub fn check_not_readonly(&self, slot: usize) -> SqlResult<()> {
        match &self.names.table_variables[slot] {
            TableVariable { parameter: Some(_), name, .. } => Err(errors::readonly_table(name)),
            _ => Ok(()),
        }
    }

    /// A table variable as a query reads it: within the text of a function one of its parameters.
    pub fn table_operand(&self, variable: &ast::Variable) -> SqlResult<TableOperand> {
        let Some(parameters) = self.parameters.last() else {
            let (slot, table) = self.table_variable(variable)?;
            return Ok(TableOperand { table, slot: Some(slot as u32) });
        };
        let found = parameters.tables.iter().find(|(name, _)| same_name(name, &variable.name));
        found
            .map(|(_, operand)| operand.clone())
            .ok_or_else(|| errors::undeclared_table_variable(&variable.name).at_line(variable.line))
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn table_variable(&self, variable: &ast::Variable) -> SqlResult<(usize, Arc<TableDef>)> {
        types::plant!();
        self.names
            .table_variables
            .place(&variable.name)
            .map(|index| (index, self.names.table_variables[index].table.clone()))
            .ok_or_else(|| -> SqlError { errors::undeclared_table_variable(&variable.name).at_line(variable.line) })
    }
}
