//! Procedures, functions, triggers and views: CREATE, ALTER and CREATE OR ALTER of what keeps its own text.

use super::{DataType, ExecuteAs, Expr, Ident, ObjectName, Query, Setting, Span, Statement, TableDefinition, Variable};

/// How a module was written. Its stored definition is the whole batch, comments before CREATE included.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub verb: ModuleVerb,
    /// `CREATE` or `ALTER`.
    pub verb_span: Span,
    /// The words `OR` and `ALTER` behind it, if it is CREATE OR ALTER: what is kept does not have them.
    pub or_alter: Option<[Span; 2]>,
    /// The text to keep.
    pub text: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleVerb {
    Create,
    Alter,
    CreateOrAlter,
}

/// What WITH may say of a module.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModuleOptions {
    pub recompile: bool,
    pub encryption: bool,
    pub schemabinding: bool,
    pub native_compilation: bool,
    pub view_metadata: bool,
    pub execute_as: Option<ExecuteAs>,
    /// CALLED ON NULL INPUT true, RETURNS NULL ON NULL INPUT false
    pub called_on_null: Option<bool>,
    /// `INLINE = ON | OFF`
    pub inline: Option<bool>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateView {
    pub definition: Definition,
    pub name: ObjectName,
    pub columns: Vec<Ident>,
    pub options: ModuleOptions,
    pub query: Query,
    pub check_option: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateProcedure {
    pub definition: Definition,
    pub name: ObjectName,
    /// `p;2`
    pub number: Option<i32>,
    pub parameters: Vec<Parameter>,
    pub options: ModuleOptions,
    pub for_replication: bool,
    pub body: ModuleBody,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    pub name: Variable,
    pub data_type: DataType,
    /// CURSOR VARYING
    pub varying: bool,
    pub null: Option<bool>,
    /// A constant, or `Expr::Word` (a bare word is a string).
    pub default: Option<Expr>,
    pub output: bool,
    pub readonly: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ModuleBody {
    Statements(Vec<Statement>),
    /// `BEGIN ATOMIC WITH (...) ... END`
    Atomic {
        settings: Vec<Setting>,
        statements: Vec<Statement>,
        /// Of BEGIN.
        line: u32,
    },
    /// `EXTERNAL NAME assembly.class.method`
    External(ObjectName),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateFunction {
    pub definition: Definition,
    pub name: ObjectName,
    pub parameters: Vec<Parameter>,
    pub options: ModuleOptions,
    pub returns: FunctionReturns,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FunctionReturns {
    Scalar {
        data_type: DataType,
        null: Option<bool>,
        body: ModuleBody,
    },
    /// `RETURNS TABLE AS RETURN query`. Native ones have BEGIN ATOMIC around it: then `atomic`.
    Inline {
        query: Box<Query>,
        atomic: Option<Vec<Setting>>,
    },
    /// `RETURNS @t TABLE (...)`
    Table {
        variable: Variable,
        definition: Box<TableDefinition>,
        body: ModuleBody,
    },
    /// CLR: `RETURNS TABLE (columns) [ORDER (...)]`
    ExternalTable {
        definition: Box<TableDefinition>,
        name: ObjectName,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateTrigger {
    pub definition: Definition,
    pub name: ObjectName,
    pub on: super::TriggerScope,
    pub options: ModuleOptions,
    /// INSTEAD OF, else AFTER (FOR)
    pub instead_of: bool,
    /// Of a table INSERT, UPDATE, DELETE, in capitals; else events and groups of them as written.
    pub events: Vec<Box<str>>,
    /// WITH APPEND
    pub append: bool,
    pub not_for_replication: bool,
    pub body: ModuleBody,
}
