//! The state of binding one statement.

use std::sync::Arc;

use types::{SqlError, SqlResult, sql_error};

use super::BindOptions;
use super::errors;
use super::names::same_name;
use super::scope::ViewUse;
use crate::ast;
use crate::catalog::{Catalog, Object, ObjectId, ObjectName, TableDef};
use crate::optimize::{ColumnId, Columns, Lowering};
use crate::plan::{Aggregate, BodyKind, Expr, SortKey, TableVariable, Variable, VariableSlot, WindowFunction};

/// Deeper trees than this would not fit the stack of a fiber.
const DEPTH_MAX: u32 = 150;

/// Stack kept for what one level does without asking again.
const STACK_LEFT_MIN: usize = 96 << 10;
/// Tables, views and functions of one statement after expansion.
const SOURCES_MAX: u32 = 1024;
/// Views within views, functions within functions.
const EXPANSION_MAX: u32 = 32;

/// What an expression's variables mean.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub variables: &'a [Variable],
    pub table_variables: &'a [TableVariable],
    pub cursors: &'a [Box<str>],
    pub kind: BodyKind,
    pub trigger_table: Option<&'a Arc<TableDef>>,
    pub trigger: Option<ObjectId>,
}

impl Names<'_> {
    /// A statement outside any module.
    pub const NONE: Names<'static> = Names {
        variables: &[],
        table_variables: &[],
        cursors: &[],
        kind: BodyKind::Batch,
        trigger_table: None,
        trigger: None,
    };
}

pub struct Binder<'a> {
    pub catalog: &'a dyn Catalog,
    pub options: &'a BindOptions,
    pub names: Names<'a>,
    pub columns: Columns,
    pub lowering: Lowering,
    pub blocks: Vec<Block>,
    /// Parameters of the inline functions being expanded, innermost last; while there are any, variables are theirs.
    pub parameters: Vec<Vec<(Box<str>, Expr)>>,
    /// Database that names without one belong to, innermost last: that of the view being expanded.
    pub databases: Vec<Option<Box<str>>>,
    pub work_tables: u32,
    /// OPTION (MAXRECURSION n).
    pub rounds_max: u32,
    pub force_order: bool,
    pub session_private: bool,
    /// It has MIN or MAX of a character or binary string.
    pub text_extreme: bool,
    /// `Query::row_targets`.
    pub row_targets: Vec<crate::plan::TableSource>,
    /// Views of the statement, those within others first.
    pub views: Vec<ViewUse>,
    depth: u32,
    sources: u32,
    expansion: u32,
}

/// Aggregates and windows of one SELECT, found while its expressions are bound.
#[derive(Default)]
pub struct Block {
    pub place: Place,
    pub aggregates: Vec<(ColumnId, Aggregate)>,
    pub windows: Vec<WindowSpec>,
    /// Calls of GROUPING and GROUPING_ID: replaced when the groups are known.
    pub groups: Vec<(ColumnId, Expr)>,
    /// The column with the grouping bits, once something asks for it.
    pub grouping_id: Option<ColumnId>,
    /// WINDOW clause.
    pub named: Vec<(Box<str>, ast::Over)>,
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
    Output,
}

impl<'a> Binder<'a> {
    pub fn new(catalog: &'a dyn Catalog, options: &'a BindOptions, names: Names<'a>) -> Binder<'a> {
        Binder {
            catalog,
            options,
            names,
            columns: Columns::default(),
            lowering: Lowering::default(),
            blocks: Vec::new(),
            parameters: Vec::new(),
            databases: Vec::new(),
            work_tables: 0,
            rounds_max: 100,
            force_order: false,
            session_private: false,
            text_extreme: false,
            row_targets: Vec::new(),
            views: Vec::new(),
            depth: 0,
            sources: 0,
            expansion: 0,
        }
    }

    /// One level down the tree, with the error for too many.
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
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

    /// Within the text of a view or function.
    pub fn expand<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if self.expansion >= EXPANSION_MAX {
            return Err(sql_error!(217, 32));
        }
        self.expansion += 1;
        let result = f(self);
        self.expansion -= 1;
        result
    }

    pub fn variable(&self, variable: &ast::Variable) -> SqlResult<Expr> {
        if let Some(parameters) = self.parameters.last() {
            return parameters
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
            .iter()
            .position(|known| same_name(&known.name, &variable.name))
            .map(|index| VariableSlot(index as u32))
            .ok_or_else(|| errors::undeclared_variable(&variable.name).at_line(variable.line))
    }

    /// Follows synonyms. None: there is no such object.
    pub fn resolve(&mut self, name: &ObjectName) -> SqlResult<Option<Object>> {
        let within;
        let name = match self.databases.last() {
            Some(Some(database)) if name.database.is_none() => {
                within = ObjectName { database: Some(database.clone()), ..name.clone() };
                &within
            }
            _ => name,
        };
        if name.name.starts_with('#') {
            self.session_private = true;
        }
        match self.catalog.resolve(name)? {
            Some(Object::Synonym(target)) => match self.catalog.resolve(&target)? {
                Some(Object::Synonym(_)) | None => Err(sql_error!(5313, name.name)),
                found => Ok(found),
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

    pub fn table_variable(&self, variable: &ast::Variable) -> SqlResult<(usize, Arc<TableDef>)> {
        self.names
            .table_variables
            .iter()
            .position(|known| same_name(&known.name, &variable.name))
            .map(|index| (index, self.names.table_variables[index].table.clone()))
            .ok_or_else(|| -> SqlError { errors::undeclared_table_variable(&variable.name).at_line(variable.line) })
    }
}
