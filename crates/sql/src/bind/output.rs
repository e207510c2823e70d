//! OUTPUT: expressions over the rows that a modification made and those it made them from.

use std::sync::Arc;

use types::{SqlResult, SqlType, sql_error};

use super::binder::{Binder, Block, Place};
use super::dml::{Changes, SourceLayout, fitted, positioned, stored_ids};
use super::errors;
use super::insert::InsertTarget;
use super::names::{display, same_name};
use super::output_shown::{Meanings, Shown};
use super::query::SELECT_ITEMS_MAX;
use super::scope::{Scope, Source, SourceColumn, SourceColumns};
use super::variables::{Found, visit_expr};
use super::view_use::Change;
use crate::ast;
use crate::catalog::TableDef;
use crate::optimize::{ColumnId, ColumnSet, Output as Item};
use crate::plan::{Expr, Output, OutputColumn, OutputInto};

impl Binder<'_> {
    /// `sources`: of the statement's FROM. `layout`: of the modification's source; what OUTPUT reads of it is added. `width`: of a
    /// source whose columns have no ids (INSERT): nothing of it can be named. `shown`: of a target that is no table.
    #[allow(clippy::too_many_arguments)]
    pub fn output(
        &mut self,
        output: &ast::Output,
        table: &Arc<TableDef>,
        sources: &[Source],
        layout: SourceLayout,
        changes: Changes,
        width: usize,
        shown: Option<&Shown>,
    ) -> SqlResult<(Output, SourceLayout)> {
        let block = self.blocks.len();
        self.blocks.push(Block { place: Place::Output, ..Block::default() });
        let result = self.output_in(output, table, sources, layout, changes, width, shown, block);
        self.blocks.truncate(block);
        result
    }

    #[allow(clippy::too_many_arguments)]
    fn output_in(
        &mut self,
        output: &ast::Output,
        table: &Arc<TableDef>,
        sources: &[Source],
        mut layout: SourceLayout,
        changes: Changes,
        width: usize,
        shown: Option<&Shown>,
        block: usize,
    ) -> SqlResult<(Output, SourceLayout)> {
        let both = changes.inserted && changes.deleted;
        let inserted = self.columns.add_table(table);
        let deleted = self.columns.add_table(table);
        self.mask_computed(table, inserted)?;
        self.mask_computed(table, deleted)?;
        let action_type = SqlType::nvarchar(10).with_collation(self.catalog.collation());
        let action = self.columns.add(action_type, false);
        let mut meanings = Meanings::default();
        let mut all = self.changed_sources(table, changes, (inserted, deleted), shown, &mut meanings);
        let changed = all.len();
        all.extend(sources.iter().cloned());
        all.push(action_source(action, action_type));
        let scope = Scope { sources: &all, parent: None, ctes: None, block: Some(block) };
        let rows = Scope { sources: &all[..changed], parent: None, ctes: None, block: Some(block) };

        let mut own = stored_ids(table, inserted);
        own.extend(stored_ids(table, deleted));
        let mut made: ColumnSet = own.iter().copied().collect();
        made.insert(action);

        let mut exprs = Vec::new();
        let mut columns = Vec::new();
        let to_client = !output.items.is_empty();
        let items = if to_client { self.output_items(&output.items, &scope, &rows)? } else { Vec::new() };
        let into = match &output.into {
            Some(into) => {
                let items = self.output_items(&into.items, &scope, &rows)?;
                Some((self.output_target(into)?, items))
            }
            None => None,
        };
        let mut bind = |binder: &mut Self, items: Vec<Item>| -> SqlResult<Vec<Item>> {
            let mut out = Vec::with_capacity(items.len());
            for mut item in items {
                meanings.resolve(&mut item.expr)?;
                binder.inline_computed(&mut item.expr, table, inserted)?;
                binder.inline_computed(&mut item.expr, table, deleted)?;
                layout.read(&item.expr, &made);
                out.push(item);
            }
            Ok(out)
        };
        let items = bind(self, items)?;
        let into = match into {
            Some((target, items)) => Some((target, bind(self, items)?)),
            None => None,
        };
        let mut places = own;
        if width > 0 {
            // Places of columns that cannot be named.
            places.extend((0..width).map(|_| ColumnId(u32::MAX)));
        } else {
            places.extend(&layout.ids);
        }
        places.push(action);
        let mut add = |binder: &Self, item: Item| {
            let origin = match item.expr.unmasked().kind {
                crate::plan::ExprKind::Column(id) => binder.columns.origin(ColumnId(id as u32)),
                _ => None,
            };
            // In MERGE one side may be missing.
            columns.push(OutputColumn {
                name: item.name,
                ty: item.expr.ty,
                nullable: item.expr.nullable || both,
                origin,
                computed: !matches!(item.expr.unmasked().kind, crate::plan::ExprKind::Column(_)),
                of_view: false,
                sorted: None,
                row_status: false,
            });
            exprs.push(positioned(binder.masked(item.expr), &places));
        };
        for item in items {
            add(self, item);
        }
        let into = match into {
            Some((target, items)) => {
                let into = self.output_into(target, items, &output_columns(output), &places);
                // SQL Server names the table of the statement here.
                Some(Box::new(into.map_err(|error| match error.number {
                    544 => sql_error!(544, table.name),
                    _ => error,
                })?))
            }
            None => None,
        };
        Ok((Output { exprs, columns, into, to_client }, layout))
    }

    /// `inserted` and `deleted`, as far as there are such rows.
    fn changed_sources(
        &mut self,
        table: &Arc<TableDef>,
        changes: Changes,
        (inserted, deleted): (ColumnId, ColumnId),
        shown: Option<&Shown>,
        meanings: &mut Meanings,
    ) -> Vec<Source> {
        if !shown.is_some_and(Shown::is_view) {
            self.need_output(table, inserted);
            self.need_output(table, deleted);
        }
        let both = [("inserted", inserted, changes.inserted), ("deleted", deleted, changes.deleted)];
        let there = both.into_iter().filter(|(.., is_there)| *is_there);
        there
            .map(|(name, first, _)| self.changed_source(name, (table, first), shown, changes.deleted, meanings))
            .collect()
    }

    /// 207: a column of the target that an OUTPUT names without `inserted` or `deleted`.
    pub fn refuse_unqualified(output: &ast::Output, table: &TableDef) -> SqlResult<()> {
        let all = output.items.iter().chain(output.into.iter().flat_map(|into| &into.items));
        for item in all {
            let ast::SelectItem::Expr { expr, line, .. } = item else { continue };
            let mut found = None;
            visit_expr(expr, &mut |part| match part {
                Found::Column(name) if name.table.is_none() => found = found.take().or(Some(name.name.text.clone())),
                _ => {}
            });
            if let Some(name) = found.filter(|name| table.columns.iter().any(|column| same_name(&column.name, name))) {
                return Err(errors::invalid_column(&name).at_line(*line));
            }
        }
        Ok(())
    }

    fn output_items(&mut self, items: &[ast::SelectItem], scope: &Scope, rows: &Scope) -> SqlResult<Vec<Item>> {
        let mut out = Vec::new();
        for item in items {
            match item {
                ast::SelectItem::Star { table, line } => {
                    let scope = if table.is_none() { rows } else { scope };
                    self.star(table.as_deref(), scope, &mut out).map_err(|e| e.at_line(*line))?;
                }
                ast::SelectItem::Expr { expr, alias, line } => {
                    let bound = self.calling(|binder| binder.expr(expr, scope)).map_err(|e| e.at_line(*line))?;
                    if bound.has_subquery() {
                        return Err(sql_error!(10705));
                    }
                    let name = match (alias, expr) {
                        (Some(alias), _) => alias.text.clone(),
                        (None, ast::Expr::Column(column)) => scope.shown_name(column),
                        _ => "".into(),
                    };
                    out.push(Item { name, expr: bound });
                }
                ast::SelectItem::Assign { .. } => return Err(sql_error!(102, "=")),
            }
        }
        if out.len() > SELECT_ITEMS_MAX {
            return Err(sql_error!(1056, SELECT_ITEMS_MAX));
        }
        Ok(out)
    }

    fn output_target(&mut self, into: &ast::OutputInto) -> SqlResult<InsertTarget> {
        match &into.target {
            ast::Target::Table { name, .. } => {
                let is_named = |column: &str| into.columns.iter().any(|own| same_name(&own.text, column));
                let target = self.insert_table(name, &is_named, None)?;
                if target.table.triggers.iter().any(|trigger| !trigger.disabled) {
                    return Err(sql_error!(331, display(name)));
                }
                let mut references = target.table.foreign_keys.iter().chain(&target.table.referenced_by);
                if let Some(key) = references.find(|key| !key.disabled) {
                    return Err(sql_error!(332, display(name), key.name));
                }
                if let Some(check) = target.table.checks.iter().find(|check| !check.disabled) {
                    return Err(sql_error!(333, display(name), check.name));
                }
                Ok(target)
            }
            ast::Target::Variable(variable) => {
                let (slot, table) = self.table_variable(variable)?;
                self.check_not_readonly(slot)?;
                let columns = table.columns.iter().enumerate().map(|(i, c)| (c.name.clone(), i as u16)).collect();
                Ok(InsertTarget {
                    source: crate::plan::TableSource::Variable(
                        crate::plan::VariableSlotTable(slot as u32),
                        table.clone(),
                    ),
                    columns,
                    table,
                    name: variable.name.to_string(),
                    shown: None,
                    others: Vec::new(),
                })
            }
            ast::Target::Function(_) => Err(errors::not_supported("OPENROWSET")),
        }
    }

    fn output_into(
        &mut self,
        target: InsertTarget,
        items: Vec<Item>,
        names: &[ast::ColumnName],
        places: &[ColumnId],
    ) -> SqlResult<OutputInto> {
        let columns = self.insert_columns(&target, names)?;
        if columns.len() != items.len() {
            let into_identity =
                items.len() > columns.len() && target.table.columns.iter().any(|c| c.identity.is_some());
            return Err(if names.is_empty() && into_identity {
                sql_error!(8101, schema_name(&target.table))
            } else if names.is_empty() {
                sql_error!(213)
            } else if items.len() < columns.len() {
                sql_error!(120)
            } else {
                sql_error!(121)
            });
        }
        self.check_identity(&target.table, &columns, false)?;
        let mut given: Vec<(u16, Expr)> = Vec::with_capacity(items.len());
        for (item, column) in items.into_iter().zip(columns) {
            let value = fitted(item.expr, &target.table.columns[column as usize])?;
            given.push((column, positioned(self.masked(value), places)));
        }
        let row = self.insert_row(&target.table, &given, false)?;
        let barriers = self.barriers(&target.source, Change::Insert, &[])?;
        Ok(OutputInto { target: target.source, row, barriers })
    }
}

/// Of a temporary table the name alone.
fn schema_name(table: &TableDef) -> String {
    match table.name.starts_with(['#', '@']) {
        true => table.name.to_string(),
        false => format!("{}.{}", table.schema, table.name),
    }
}

fn output_columns(output: &ast::Output) -> Vec<ast::ColumnName> {
    output
        .into
        .iter()
        .flat_map(|into| &into.columns)
        .map(|ident| ast::ColumnName { table: None, name: ident.clone(), line: 0 })
        .collect()
}

fn action_source(id: ColumnId, ty: SqlType) -> Source {
    Source {
        alias: "".into(),
        schema: None,
        qualified: false,
        columns: SourceColumns::List(vec![SourceColumn { name: "$action".into(), id, ty, nullable: false }]),
        nullable: false,
        written: None,
    }
}
