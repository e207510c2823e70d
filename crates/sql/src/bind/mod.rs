//! From the tree to typed statements and operators.
//!
//! `bind_module` binds a batch or body once: variables, control flow, statements without tables. What reads or writes tables stays
//! text and is bound by `bind_query` when it first runs, against the catalog of that moment (deferred name resolution).

pub mod errors;
pub mod names;
pub mod scope;
pub mod text;
pub mod typing;
mod atomic;
mod needs;
mod binder;
mod note_needs;
pub mod data_type;
mod collating;
mod convert;
mod variables;
mod constant;
mod over;
mod aggregate;
mod modules;
mod index_filter;
mod native;
mod native_query;
mod table_definition;
mod builtin;
mod schema_bound;
mod odbc;
mod json;
mod sequence;
mod hierarchy;
mod xml;
mod spatial;
mod call;
mod early;
mod module_references;
mod function_body;
mod inlineable;
mod expr;
mod sum;
mod group;
mod into_identity;
mod browse;
mod query;
mod inlined;
mod view_rows;
mod view_match;
mod filter;
mod module;
mod recursive;
mod open_xml;
mod bulk;
mod table_function;
mod nature;
mod pivot;
mod sample;
mod from;
mod option;
mod dml;
mod output_shown;
mod masking;
mod view_use;
mod temporal;
mod guard;
mod indexable;
mod cascade;
pub mod column_set;
mod insert;
mod update;
mod merge;
mod output;
mod statement;

use types::SqlError;

use crate::catalog::{DatabaseId, ObjectId};
use crate::plan::Client;

pub use binder::Names;
pub use data_type::scalar_type;
pub use early::{Early, bind_early, is_of_compiling};
pub use function_body::{bare_return, function_errors, view_error};
pub use index_filter::{FilterOwner, index_filter, kept_index_filter};
pub use indexable::{ViewIndex, indexable};
pub use inlineable::inlineable_body;
pub use module::{bind_definition, bind_module, bind_text};
pub use module_references::{NamedEntity, module_references};
pub use modules::predicate_call;
pub use modules::{check_bound, parse_condition};
pub use native::{References, check_native};
pub use nature::{Nature, nature_of, nature_of_module};
pub use schema_bound::{called_by, columns_of, schema_references};
pub use statement::use_hints;
pub use statement::{bind_query, bind_scalar, is_query};
pub use table_definition::refuse_repeated;
pub use table_definition::table_variable_definition;
pub use variables::{columns_named, has_query, refuse_beyond_row};

/// Session settings and surroundings that binding depends on: part of a cached plan's key.
#[derive(Debug, Clone, Copy)]
pub struct BindOptions {
    pub ansi_nulls: bool,
    pub quoted_identifier: bool,
    /// SET IDENTITY_INSERT t ON.
    pub identity_insert: Option<(DatabaseId, ObjectId)>,
    /// A text of the server's own, which sees all rows: those that a definition moves or looks at.
    pub unfiltered: bool,
    pub client: Client,
}

impl Default for BindOptions {
    fn default() -> BindOptions {
        BindOptions {
            ansi_nulls: true,
            quoted_identifier: true,
            identity_insert: None,
            unfiltered: false,
            client: Client::Plain,
        }
    }
}

/// Everything found wrong, in the order SQL Server reports it: at least one.
pub type Errors = Vec<SqlError>;
