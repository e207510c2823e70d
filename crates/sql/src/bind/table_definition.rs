//! `DECLARE @t TABLE (...)` and the result tables of functions: a definition with its keys, defaults and checks.

use std::sync::Arc;

use types::{SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::index_filter::{FilterOwner, index_filter};
use super::names::{display, same_name};
use super::scope::{Scope, Source, SourceColumn, SourceColumns};
use super::variables::{Found, columns_named, refuse_beyond_row, visit_expr};
use crate::ast;
use crate::catalog::{CheckDef, ColumnDef, Computed, DatabaseId, IndexDef, IndexKind, ObjectId, TableDef};
use crate::mask::MaskFunction;

/// tempdb, where table variables live.
const TEMPDB: DatabaseId = DatabaseId(2);

impl Binder<'_> {
    /// `text`: what the definition's spans are of. `id`: a negative object id of its own within the module.
    pub fn table_definition(
        &mut self,
        name: &str,
        definition: &ast::TableDefinition,
        text: &str,
        id: i32,
    ) -> SqlResult<TableDef> {
        let mut table = TableDef {
            database: TEMPDB,
            object: ObjectId(id),
            schema: "dbo".into(),
            name: name.into(),
            columns: Vec::with_capacity(definition.columns.len()),
            stored: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            referenced_by: Vec::new(),
            triggers: Vec::new(),
            predicates: Vec::new(),
            row_count: 0,
            memory: None,
            versioning: None,
            partitioning: None,
            statistics: Vec::new(),
            views: Vec::new(),
            of_view: false,
        };
        // 13572: https://learn.microsoft.com/sql/relational-databases/tables/temporal/considerations-limitations
        if definition.period.is_some() || definition.columns.iter().any(|column| column.generated.is_some()) {
            return Err(sql_error!(13572));
        }
        let mut keys: Vec<(&ast::Key, bool, Option<u16>)> = Vec::new();
        for (index, column) in definition.columns.iter().enumerate() {
            if table.columns.iter().any(|known| same_name(&known.name, &column.name)) {
                return Err(sql_error!(2705, state 3, &*column.name, name).at_line(column.line));
            }
            refuse_repeated(column, name).map_err(|e| e.at_line(column.line))?;
            let def = self.column_definition(column, &table, text).map_err(|e| e.at_line(column.line))?;
            if def.ty.kind == TypeKind::RowVersion && table.columns.iter().any(|known| known.ty == def.ty) {
                return Err(sql_error!(2738, state 2, name, def.name).at_line(column.line));
            }
            table.columns.push(def);
            for constraint in &column.constraints {
                match &constraint.kind {
                    ast::ConstraintKind::PrimaryKey(key) => keys.push((key, true, Some(index as u16))),
                    ast::ConstraintKind::Unique(key) => keys.push((key, false, Some(index as u16))),
                    ast::ConstraintKind::Check(check) => {
                        check_own(check, column, name)?;
                        add_check(&mut table, check, text, Some(index as u16), constraint.name.as_ref())
                    }
                    _ => {}
                }
            }
        }
        for constraint in &definition.constraints {
            match &constraint.kind {
                ast::ConstraintKind::PrimaryKey(key) => keys.push((key, true, None)),
                ast::ConstraintKind::Unique(key) => keys.push((key, false, None)),
                ast::ConstraintKind::Check(check) => add_check(&mut table, check, text, None, constraint.name.as_ref()),
                _ => {}
            }
        }
        self.add_keys(&mut table, &keys, definition)?;
        let mut ordinal = 0;
        for (at, column) in table.columns.iter().enumerate() {
            // An index needs its values in the row.
            let in_index =
                || table.indexes.iter().any(|index| index.key.iter().any(|(key, _)| usize::from(*key) == at));
            let stored = column.computed.as_ref().is_none_or(|computed| computed.persisted || in_index());
            table.stored.push(stored.then_some(ordinal));
            ordinal += u16::from(stored);
        }
        Ok(table)
    }

    fn column_definition(
        &mut self,
        column: &ast::ColumnDefinition,
        table: &TableDef,
        text: &str,
    ) -> SqlResult<ColumnDef> {
        let default = column.constraints.iter().find_map(|constraint| match &constraint.kind {
            ast::ConstraintKind::Default(default) => Some(format!("({})", default.text.of(text)).into_boxed_str()),
            _ => None,
        });
        let primary = column.constraints.iter().any(|c| matches!(c.kind, ast::ConstraintKind::PrimaryKey(_)));
        let mut nullable = column.null.unwrap_or(!primary && column.identity.is_none());
        let mut computed = None;
        let ty = match &column.kind {
            ast::ColumnKind::Typed(ty) => {
                let mut ty = self.data_type(ty, 1)?;
                if let Some(collation) = &column.collation {
                    ty.collation = self.collation(collation)?;
                }
                if ty.kind == TypeKind::RowVersion {
                    nullable = column.null.unwrap_or(false);
                }
                ty
            }
            ast::ColumnKind::Timestamp => {
                nullable = false;
                SqlType::ROWVERSION
            }
            ast::ColumnKind::Computed { expr, persisted, text: span } => {
                let list = table
                    .columns
                    .iter()
                    .map(|known| SourceColumn {
                        name: known.name.clone(),
                        id: self.columns.add(known.ty, known.nullable),
                        ty: known.ty,
                        nullable: known.nullable,
                    })
                    .collect();
                let source = Source {
                    alias: "".into(),
                    schema: None,
                    qualified: false,
                    columns: SourceColumns::List(list),
                    nullable: false,
                    written: None,
                };
                let scope = Scope { sources: &[source], parent: None, ctes: None, block: None };
                let bound = self.without_variables(|binder| binder.expr(expr, &scope))?;
                nullable = column.null.unwrap_or_else(|| self.columns.told_nullable(&bound));
                computed = Some(Computed {
                    definition: format!("({})", span.of(text)).into(),
                    persisted: *persisted,
                    set: false,
                });
                bound.ty
            }
        };
        let identity = match &column.identity {
            Some(identity) => Some((
                self.identity_number(identity.seed.as_ref(), || sql_error!(2752, column.name.text))?,
                self.identity_number(identity.increment.as_ref(), || sql_error!(2753, column.name.text))?,
            )),
            None => None,
        };
        let mask = match &column.masked {
            // It has the masks of what it is made of.
            Some(_) if computed.is_some() => return Err(sql_error!(16003, state 0, &*column.name, "default")),
            Some(text) => Some(Arc::new(MaskFunction::parse(text, &column.name, &ty)?)),
            None => None,
        };
        Ok(ColumnDef {
            name: column.name.text.clone(),
            ty,
            nullable,
            identity,
            default,
            computed,
            column_id: table.columns.len() as u32 + 1,
            rowguid: column.rowguidcol,
            mask,
            generated: None,
            hidden: false,
        })
    }

    fn identity_number(
        &mut self,
        value: Option<&ast::Expr>,
        invalid: impl FnOnce() -> types::SqlError,
    ) -> SqlResult<i64> {
        let Some(value) = value else { return Ok(1) };
        match self.expr_as(value, &SqlType::BIGINT, &Scope::EMPTY)?.kind {
            crate::plan::ExprKind::Literal(types::Datum::I64(n)) => Ok(n),
            _ => Err(invalid()),
        }
    }

    fn add_keys(
        &mut self,
        table: &mut TableDef,
        keys: &[(&ast::Key, bool, Option<u16>)],
        definition: &ast::TableDefinition,
    ) -> SqlResult<()> {
        let of_columns = definition
            .columns
            .iter()
            .enumerate()
            .flat_map(|(i, column)| column.indexes.iter().map(move |index| (index, Some(i as u16))));
        let indexes = of_columns.chain(definition.indexes.iter().map(|index| (index, None)));
        let clustered_named = keys.iter().any(|(key, ..)| key.clustered == Some(true))
            || indexes.clone().any(|(index, _)| index.clustered == Some(true));
        for (number, (key, primary, column)) in keys.iter().enumerate() {
            let columns = key_columns(table, *column, &key.columns)?;
            if *primary {
                if table.indexes.iter().any(|index| index.primary_key) {
                    return Err(sql_error!(8110, state 0, table.name));
                }
                let nullable = |(c, _): &(u16, bool)| definition.columns[usize::from(*c)].null == Some(true);
                if columns.iter().any(nullable) {
                    return Err(not_created(sql_error!(8111, table.name)));
                }
                columns.iter().for_each(|(c, _)| table.columns[*c as usize].nullable = false);
            }
            let clustered = key.clustered.unwrap_or(*primary && !clustered_named);
            table.indexes.push(IndexDef {
                id: next_id(table, clustered),
                name: format!("{}__{}_{number}", if *primary { "PK" } else { "UQ" }, table.name).into(),
                unique: true,
                kind: if clustered { IndexKind::Clustered } else { IndexKind::Nonclustered },
                primary_key: *primary,
                unique_constraint: !primary,
                key: columns,
                included: Vec::new(),
                filter: Vec::new(),
                disabled: false,
                statistics_kept: false,
                ignores_duplicates: ignores_duplicates(&key.options),
                bucket_count: None,
            });
        }
        for (index, column) in indexes {
            add_index(table, index, column.filter(|_| index.columns.is_empty()))?;
        }
        table.indexes.sort_by_key(|index| index.id);
        if table.indexes.iter().filter(|index| index.id == 1).count() > 1 {
            return Err(sql_error!(8112, table.name));
        }
        Ok(())
    }
}

/// 8141: what is written at a column is about it alone.
fn check_own(check: &ast::Check, column: &ast::ColumnDefinition, table: &str) -> SqlResult<()> {
    let mut other = false;
    visit_expr(&check.condition, &mut |found| {
        other |= matches!(found, Found::Column(name) if !same_name(&name.name, &column.name));
    });
    match other {
        true => Err(not_created(sql_error!(8141, "CHECK", &*column.name, table))),
        false => Ok(()),
    }
}

fn not_created(error: SqlError) -> SqlError {
    SqlError::together(vec![error, sql_error!(1750)])
}

fn add_check(table: &mut TableDef, check: &ast::Check, text: &str, column: Option<u16>, name: Option<&ast::Ident>) {
    let number = table.checks.len();
    // A condition of one column is that column's, wherever it is written.
    let named = columns_named(&check.condition);
    let mut read = named.iter().filter_map(|name| position(table, name));
    let only = read.next().filter(|first| read.all(|other| other == *first));
    let column = column.or(only);
    table.checks.push(CheckDef {
        name: name.map_or_else(|| format!("CK__{}_{number}", table.name).into(), |name| name.text.clone()),
        object: ObjectId(0),
        definition: format!("({})", check.text.of(text)).into(),
        column,
        disabled: false,
        rule: false,
    });
}

/// An index, over the column beside which it is written or the columns that it names.
fn add_index(table: &mut TableDef, index: &ast::InlineIndex, column: Option<u16>) -> SqlResult<()> {
    let key = key_columns(table, column, &index.columns)?;
    let mut included = Vec::new();
    for name in &index.include {
        included.push(position(table, name).ok_or_else(|| missing(name).at_line(index.line))?);
    }
    let owner = FilterOwner { kind: "index", name: &index.name, table: &table.name };
    let filter = match &index.filter {
        Some(condition) => index_filter(condition, &table.columns, owner)?,
        None => Vec::new(),
    };
    let clustered = index.clustered == Some(true);
    table.indexes.push(IndexDef {
        id: next_id(table, clustered),
        name: index.name.text.clone(),
        unique: index.unique,
        kind: if clustered { IndexKind::Clustered } else { IndexKind::Nonclustered },
        primary_key: false,
        unique_constraint: false,
        key,
        included,
        filter,
        disabled: false,
        statistics_kept: false,
        ignores_duplicates: ignores_duplicates(&index.options),
        bucket_count: None,
    });
    Ok(())
}

/// A clustered index is number 1, the others follow.
fn next_id(table: &TableDef, clustered: bool) -> u32 {
    if clustered { 1 } else { 2 + table.indexes.iter().filter(|index| index.id != 1).count() as u32 }
}

/// The column beside which a key is written, or those that it names.
fn key_columns(table: &TableDef, own: Option<u16>, named: &[ast::IndexColumn]) -> SqlResult<Vec<(u16, bool)>> {
    if let Some(column) = own {
        return Ok(vec![(column, false)]);
    }
    let place = |part: &ast::IndexColumn| {
        let column = position(table, &part.name).ok_or_else(|| missing(&part.name).at_line(part.line))?;
        Ok((column, part.descending))
    };
    named.iter().map(place).collect()
}

fn position(table: &TableDef, name: &str) -> Option<u16> {
    table.columns.iter().position(|column| same_name(&column.name, name)).map(|i| i as u16)
}

fn missing(column: &str) -> types::SqlError {
    sql_error!(1911, column)
}

/// The table of a multi-statement function or of `CREATE TYPE ... AS TABLE`.
pub fn table_variable_definition(
    name: &str,
    definition: &ast::TableDefinition,
    text: &str,
    id: i32,
    catalog: &dyn crate::catalog::Catalog,
    options: &super::BindOptions,
) -> SqlResult<Arc<TableDef>> {
    Binder::new(catalog, options, super::binder::Names::NONE).table_definition(name, definition, text, id).map(Arc::new)
}

fn ignores_duplicates(options: &[ast::Setting]) -> bool {
    ast::find_setting(options, "IGNORE_DUP_KEY").is_some_and(ast::Setting::is_on)
}

/// What of CREATE TABLE is refused before its batch starts: what columns may not have, and checks of a column that are about others.
pub fn refuse_columns(create: &ast::CreateTable) -> SqlResult<()> {
    let columns = &create.definition.columns;
    let shown = display(&create.name);
    for column in columns {
        refuse_repeated(column, &shown)?;
    }
    for column in columns {
        for constraint in &column.constraints {
            let ast::ConstraintKind::Check(check) = &constraint.kind else { continue };
            refuse_beyond_row(&check.condition)?;
            let is_known = |name: &str| columns.iter().any(|column| same_name(&column.name, name));
            // A name that no column has is told when the statement runs, and alone.
            if !columns_named(&check.condition).iter().all(|name| is_known(name)) {
                return Ok(());
            }
            check_own(check, column, &create.name.name)?;
        }
    }
    Ok(())
}

/// 8140, 8148, 8150, 8151: what a column may have once is said twice. REFERENCES may be repeated.
pub fn refuse_repeated(column: &ast::ColumnDefinition, shown: &str) -> SqlResult<()> {
    let name = &*column.name;
    let count = |of: fn(&ast::ConstraintKind) -> bool| column.constraints.iter().filter(|own| of(&own.kind)).count();
    let defaults = count(|kind| matches!(kind, ast::ConstraintKind::Default(_)));
    let primary = count(|kind| matches!(kind, ast::ConstraintKind::PrimaryKey(_)));
    let unique = count(|kind| matches!(kind, ast::ConstraintKind::Unique(_)));
    let checks = count(|kind| matches!(kind, ast::ConstraintKind::Check(_)));
    for (count, kind) in [(checks, "CHECK"), (defaults, "DEFAULT"), (primary, "PRIMARY KEY"), (unique, "UNIQUE")] {
        if count > 1 {
            return Err(sql_error!(8148, kind, name, shown));
        }
    }
    if primary + unique > 1 {
        return Err(sql_error!(8151, name, shown));
    }
    for own in &column.constraints {
        if matches!(&own.kind, ast::ConstraintKind::ForeignKey(key) if key.columns.len() > 1) {
            return Err(sql_error!(8140, "FOREIGN KEY", shown));
        }
    }
    match column.null_again {
        true => Err(sql_error!(8150, name, shown)),
        false => Ok(()),
    }
}
