//! FROM: tables, views expanded, derived tables, common table expressions, joins, APPLY.

use std::sync::Arc;

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Home, Parameters, Place, TableOperand};
use super::convert::{converted, implicit, unify};
use super::errors;
use super::names::{display, object_name, same_name};
use super::query::{Bound, Use, check_named, check_unique, is_untyped_null};
use super::scope::{CteScope, FromRel, Scope, Source, SourceColumn, SourceColumns, WorkTable};
use super::variables::has_sequence;
use super::view_rows::{is_index_hint, no_expand};
use crate::ast;
use crate::catalog::{IndexDef, ModuleDef, ModuleKind, Object, TableDef, TriggerDef, VirtualTableDef};
use crate::optimize::{Branch, ColumnId, Get, Join, JoinMethod, Leaf, LeafKind, Rel};
use crate::plan::{Expr, ExprKind, JoinKind, LockHint, TableSource, VariableSlotTable};

impl Binder<'_> {
    pub fn from(
        &mut self,
        tables: &[ast::TableRef],
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        // Each is a join with all before it.
        self.descend(tables.len() as u32, |binder| binder.listed_tables(tables, parent, ctes, block))
    }

    fn listed_tables(
        &mut self,
        tables: &[ast::TableRef],
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        let mut tables = tables.iter();
        let Some(first) = tables.next() else { return Ok((Rel::one_row(), Vec::new())) };
        let (mut rel, mut sources) = self.table_ref(first, parent, ctes, block)?;
        for table in tables {
            let (right, right_sources) = self.table_ref(table, parent, ctes, block)?;
            rel = Rel::join(JoinKind::Inner, rel, right, Vec::new());
            if let (Rel::Join(join), true) = (&mut rel, self.force_order) {
                join.keep_order = true;
            }
            sources.extend(right_sources);
        }
        check_exposed(&sources)?;
        Ok((rel, sources))
    }

    pub fn table_ref(
        &mut self,
        table: &ast::TableRef,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        self.count_source()?;
        self.deeper(|binder| match table {
            ast::TableRef::Table(table) => {
                let (rel, mut sources) = binder.table_name(table, ctes)?;
                if table.alias.is_some() {
                    sources[0].written = Some(display(&table.name).into());
                }
                Ok((rel, sources))
            }
            ast::TableRef::Variable(variable) => binder.variable_table(variable),
            ast::TableRef::Function(function) => binder.function(function, parent, ctes),
            ast::TableRef::Derived(derived) => {
                let bound = binder.query(&derived.query, parent, ctes, Use::Nested)?;
                binder.named(bound, &derived.alias, &derived.columns)
            }
            ast::TableRef::Values(values) => binder.values(values, parent, ctes),
            ast::TableRef::Dml(dml) => binder.dml_table(dml, ctes),
            ast::TableRef::Join(chain) => {
                let levels = chain.joins.len() as u32;
                binder.descend(levels, |binder| binder.join_chain(chain, parent, ctes, block))
            }
            ast::TableRef::Pivot(pivot) => binder.pivot(pivot, parent, ctes, block).map_err(|e| e.at_line(pivot.line)),
            ast::TableRef::Unpivot(unpivot) => {
                binder.unpivot(unpivot, parent, ctes, block).map_err(|e| e.at_line(unpivot.line))
            }
        })
    }

    fn join_chain(
        &mut self,
        chain: &ast::JoinChain,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<FromRel> {
        let (mut rel, mut sources) = self.table_ref(&chain.first, parent, ctes, block)?;
        for join in &chain.joins {
            if let Some(ctes) = ctes {
                ctes.check_join(join.kind)?;
            }
            let apply = matches!(join.kind, ast::JoinKind::CrossApply | ast::JoinKind::OuterApply);
            let (mut right, mut right_sources) = if apply {
                let left = Scope { sources: &sources, parent, ctes, block: None };
                self.table_ref(&join.right, Some(&left), ctes, block)?
            } else {
                self.table_ref(&join.right, parent, ctes, block)?
            };
            let lateral = apply && right.free().meets(&rel.defined());
            let mut kind = match join.kind {
                ast::JoinKind::Inner | ast::JoinKind::Cross | ast::JoinKind::CrossApply => JoinKind::Inner,
                ast::JoinKind::Left | ast::JoinKind::Right | ast::JoinKind::OuterApply => JoinKind::LeftOuter,
                ast::JoinKind::Full => JoinKind::FullOuter,
            };
            let left_count = sources.len();
            sources.append(&mut right_sources);
            let mut on = Vec::new();
            if let Some(condition) = &join.on {
                let before = std::mem::replace(&mut self.blocks[block].place, Place::On);
                let scope = Scope { sources: &sources, parent, ctes, block: Some(block) };
                let bound = self.expr(condition, &scope).map_err(|e| e.at_line(join.line));
                self.blocks[block].place = before;
                bound?.split_and(&mut on);
            }
            let (left_missing, right_missing) = match join.kind {
                ast::JoinKind::Left | ast::JoinKind::OuterApply => (false, true),
                ast::JoinKind::Right => (true, false),
                ast::JoinKind::Full => (true, true),
                _ => (false, false),
            };
            sources[..left_count].iter_mut().for_each(|source| source.nullable |= left_missing);
            sources[left_count..].iter_mut().for_each(|source| source.nullable |= right_missing);
            if join.kind == ast::JoinKind::Right {
                std::mem::swap(&mut rel, &mut right);
                kind = JoinKind::LeftOuter;
            }
            let hint = match join.hint {
                Some(ast::JoinHint::Loop) => Some(JoinMethod::Loop),
                Some(ast::JoinHint::Hash | ast::JoinHint::Merge) => Some(JoinMethod::Hash),
                _ => None,
            };
            if join.hint.is_some() && !self.notices.iter().any(|notice| notice.number == 8625) {
                self.notices.push(sql_error!(8625));
            }
            let keep_order = hint.is_some() || self.force_order;
            rel = Rel::Join(Box::new(Join { lateral, hint, keep_order, ..Join::new(kind, rel, right, on) }));
        }
        Ok((rel, sources))
    }

    fn table_name(&mut self, table: &ast::TableName, ctes: Option<&CteScope>) -> SqlResult<FromRel> {
        let line = table.name.line;
        refuse_source(table).map_err(|error| error.at_line(line))?;
        if table.name.is_unqualified() {
            if let Some(found) = self.cte(&table.name.name, table.alias.as_ref(), ctes)? {
                if table.sample.is_some() {
                    return Err(sql_error!(494).at_line(line));
                }
                return match table.system_time {
                    Some(_) => Err(errors::not_temporal(&table.name.name).at_line(line)),
                    None => Ok(found),
                };
            }
            if let Some(target) = self.names.trigger_table {
                let (inserted, deleted) = (table.name.name.is("inserted"), table.name.name.is("deleted"));
                if inserted || deleted {
                    let target = target.clone();
                    let is_after =
                        |trigger: &&TriggerDef| Some(trigger.object) == self.names.trigger && !trigger.instead_of;
                    let texts = target.triggers.iter().find(is_after).map(|_| long_texts(&target));
                    let source = if inserted {
                        TableSource::Inserted(target.clone())
                    } else {
                        TableSource::Deleted(target.clone())
                    };
                    let found = self.get(source, target, &table.name, table.alias.as_ref(), &table.hints)?;
                    if let SourceColumns::Table { first, .. } = &found.1[0].columns {
                        let texts = texts.into_iter().flatten().map(|at| ColumnId(first.0 + at));
                        self.needs.long_texts.extend(texts);
                    }
                    return Ok(found);
                }
            }
        }
        let name = object_name(&table.name);
        let unknown = || errors::invalid_object(&display(&table.name)).at_line(line);
        let found = self.resolve(&name).map_err(|e| e.at_line(line))?;
        match found.ok_or_else(unknown)? {
            Object::Table(def) => {
                let alias = table.alias.as_ref();
                let found = match self.versions(&def, table).map_err(|e| e.at_line(line))? {
                    Some(found) => found,
                    None => self.get(self.rows_of(&def), def.clone(), &table.name, alias, &table.hints)?,
                };
                match &table.sample {
                    Some(sample) => self.sampled(sample, &def, found).map_err(|e| e.at_line(line)),
                    None => Ok(found),
                }
            }
            _ if table.sample.is_some() => Err(sql_error!(494).at_line(line)),
            object if table.system_time.is_some() && !is_view(&object) => {
                Err(errors::not_temporal(&display(&table.name)).at_line(line))
            }
            Object::Virtual(def) => {
                if !def.parameters.is_empty() {
                    return Err(sql_error!(216, display(&table.name)));
                }
                Ok(self.virtual_table(def, Vec::new(), &table.name, table.alias.as_ref()))
            }
            Object::Module(module) if module.kind == ModuleKind::View => match self.stored_view(&module, table)? {
                Some(found) => Ok(found),
                None if no_expand(&table.hints) => {
                    Err(sql_error!(8171, "noexpand", display(&table.name)).at_line(line))
                }
                None => {
                    // It is read as what it is made of.
                    if table.hints.iter().any(is_index_hint) {
                        self.notices.push(sql_error!(4430, display(&table.name)).at_line(line));
                    }
                    self.view_at(&module, table)
                }
            },
            Object::Module(module) => Err(match module.kind {
                ModuleKind::InlineFunction | ModuleKind::TableFunction => sql_error!(216, display(&table.name)),
                _ => unknown(),
            }),
            Object::Synonym(_) | Object::Sequence(_) => Err(unknown()),
        }
    }

    pub fn get(
        &mut self,
        source: TableSource,
        table: Arc<TableDef>,
        name: &ast::ObjectName,
        alias: Option<&ast::Ident>,
        hints: &[ast::TableHint],
    ) -> SqlResult<FromRel> {
        let first = self.columns.add_table(&table);
        self.need_table(&source, &table, first);
        let rows = match source {
            TableSource::Base(_) => self.catalog.row_count(&table),
            _ => table.row_count,
        };
        let mut get = Get {
            rows,
            statistics: Default::default(),
            source,
            table: table.clone(),
            first,
            locator: None,
            lock: LockHint::default(),
            forced_index: None,
            force_seek: false,
            alias: alias.map_or_else(|| name.name.text.clone(), |alias| alias.text.clone()),
        };
        apply_hints(&mut get, hints, &display(name))?;
        self.read_for_view(&mut get);
        self.hinted(&get.table, name, alias, hints);
        let named = Source {
            alias: get.alias.clone(),
            schema: if alias.is_some() {
                None
            } else {
                Some(name.schema.as_ref().map_or_else(|| table.schema.clone(), |s| s.text.clone()))
            },
            qualified: name.schema.is_some() && alias.is_none(),
            columns: SourceColumns::Table { table, first },
            nullable: false,
            written: None,
        };
        let seen = self.visible(&get.table, first);
        let (base, get_table) = (matches!(get.source, TableSource::Base(_)), get.table.clone());
        let rel = self.with_computed(get, &named)?;
        let rel = match seen {
            Some(seen) => Rel::Filter { input: Box::new(rel), predicates: vec![seen] },
            None => rel,
        };
        let rel = match base {
            true => self.guarded(rel, &named, (get_table.database, get_table.object), &get_table.predicates)?,
            false => rel,
        };
        Ok((rel, vec![named]))
    }

    /// Columns that are computed when they are read.
    fn with_computed(&mut self, get: Get, named: &Source) -> SqlResult<Rel> {
        let table = get.table.clone();
        let mut defs = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            if table.stored[index].is_some() {
                continue;
            }
            let Some(computed) = &column.computed else { continue };
            let text = super::modules::parse_expression(&computed.definition)?;
            let scope = Scope { sources: std::slice::from_ref(named), parent: None, ctes: None, block: None };
            let bound = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
            let (id, value) = (get.id_of(index as u16), converted(bound, &column.ty, false));
            self.hand_on(id, [&value]);
            defs.push((id, value));
        }
        self.mask_computed(&table, get.first)?;
        Ok(Rel::Get(Box::new(get)).map(defs))
    }

    /// In the text of a definition nothing of the statement's variables is seen.
    pub fn without_variables<T>(&mut self, f: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        self.parameters.push(Parameters::default());
        let outer = self.needs.enter_definition();
        let result = self.calling(f);
        self.needs.leave(outer);
        self.parameters.pop();
        result
    }

    fn variable_table(&mut self, table: &ast::TableVariable) -> SqlResult<FromRel> {
        let TableOperand { table: def, slot } = self.table_operand(&table.variable)?;
        let name = ast::ObjectName::unqualified(ast::Ident::new(&table.variable.name), table.variable.line);
        let Some(slot) = slot else {
            let alias = table.alias.as_ref().unwrap_or(&name.name);
            return Ok(self.no_rows(&def, alias));
        };
        let source = TableSource::Variable(VariableSlotTable(slot), def.clone());
        let (rel, mut sources) = self.get(source, def, &name, table.alias.as_ref(), &table.hints)?;
        sources[0].schema = None;
        sources[0].written = table.alias.is_some().then(|| name.name.text.clone());
        Ok((rel, sources))
    }

    /// A table of the columns of `table` that has no rows.
    fn no_rows(&mut self, table: &TableDef, alias: &ast::Ident) -> FromRel {
        let mut ids = Vec::with_capacity(table.columns.len());
        let mut list = Vec::with_capacity(table.columns.len());
        for column in &table.columns {
            let id = self.columns.add(column.ty, column.nullable);
            ids.push(id);
            list.push(SourceColumn { name: column.name.clone(), id, ty: column.ty, nullable: column.nullable });
        }
        let columns = SourceColumns::List(list);
        let source = Source {
            alias: alias.text.clone(),
            schema: None,
            qualified: false,
            columns,
            nullable: false,
            written: None,
        };
        (Rel::Values { ids, rows: Vec::new() }, vec![source])
    }

    pub fn virtual_table(
        &mut self,
        def: Arc<VirtualTableDef>,
        arguments: Vec<Expr>,
        name: &ast::ObjectName,
        alias: Option<&ast::Ident>,
    ) -> FromRel {
        self.need_dynamic_view((def.database, def.object), &def.name);
        let mut ids = Vec::with_capacity(def.columns.len());
        let mut list = Vec::with_capacity(def.columns.len());
        for column in &def.columns {
            let id = self.columns.add(column.ty, column.nullable);
            ids.push(id);
            list.push(SourceColumn { name: column.name.clone(), id, ty: column.ty, nullable: column.nullable });
        }
        let source = Source {
            alias: alias.map_or_else(|| name.name.text.clone(), |alias| alias.text.clone()),
            schema: if alias.is_some() { None } else { Some(def.schema.clone()) },
            qualified: name.schema.is_some() && alias.is_none(),
            columns: SourceColumns::List(list),
            nullable: false,
            written: None,
        };
        (Rel::Leaf(Box::new(Leaf { ids, kind: LeafKind::Virtual { table: def, arguments } })), vec![source])
    }

    pub fn view(
        &mut self,
        module: &Arc<ModuleDef>,
        name: &ast::ObjectName,
        alias: Option<&ast::Ident>,
    ) -> SqlResult<FromRel> {
        let through = self.needs.through.take();
        let view = super::modules::parse_view(module)?;
        let bound = self.expanded(module, name, Parameters::default(), |binder| {
            let query = |binder: &mut Self| binder.query(&view.query, None, None, Use::Nested);
            // What a changed row has to pass asks no query.
            if view.check_option { binder.calling(query) } else { query(binder) }
        })?;
        let mut bound = if view.columns.is_empty() { check_named(bound, false)? } else { bound };
        // `*` is what it was when the view was made, whatever its tables have got since.
        let known = module.column_names.len();
        if bound.outputs.len() < known {
            return Err(sql_error!(4502, display(name)));
        }
        if known > 0 {
            bound.outputs.truncate(known);
        }
        if view.columns.is_empty() && known == 0 {
            check_unique(&bound, &module.name)?;
        }
        let shown = alias.cloned().unwrap_or_else(|| name.name.clone());
        let is_computed = |expr: &Expr| !matches!(expr.unmasked().kind, ExprKind::Column(_));
        let computed: Vec<bool> = bound.outputs.iter().map(|output| is_computed(&output.expr)).collect();
        let (rel, mut sources) = self.named(bound, &shown, &view.columns)?;
        if let SourceColumns::List(list) = &mut sources[0].columns {
            // A view's columns are in the catalog, with their types.
            list.iter().for_each(|column| self.columns.declare(column.id));
            list.iter().zip(computed).for_each(|(column, computed)| self.columns.enter_view(column.id, computed));
            for (column, name) in list.iter_mut().zip(&module.column_names) {
                column.name = name.clone();
            }
        }
        self.needs.through = through;
        self.need_module(module, &sources[0]);
        self.note_view(module, name, &view, &rel, &sources[0]);
        let rel = self.guarded(rel, &sources[0], (module.database, module.object), &module.predicates)?;
        if alias.is_none() {
            sources[0].schema = Some(module.schema.clone());
            sources[0].qualified = name.schema.is_some();
        }
        Ok((rel, sources))
    }

    /// Binds the text of a view or inline function, where only its own parameters are seen.
    pub fn expanded<T>(
        &mut self,
        module: &Arc<ModuleDef>,
        name: &ast::ObjectName,
        parameters: Parameters,
        f: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let outer = || self.homes.last().and_then(|home| home.database.clone());
        let database = name.database.as_ref().map(|d| d.text.clone()).or_else(outer);
        let object = Some((module.database, module.object));
        self.homes.push(Home { database, schema: module.schema.clone(), object });
        let outer = self.needs.enter();
        self.parameters.push(parameters);
        let known = self.missing_columns();
        let result = self.expand(f);
        let found = self.missing.iter_mut().flatten().skip(known);
        found.for_each(|error| *error = error.clone().in_procedure(&module.name));
        self.parameters.pop();
        self.needs.leave(outer);
        self.homes.pop();
        result.map_err(|e| e.in_procedure(&module.name))
    }

    /// A query's outputs under an alias, with its own column names or those of a list.
    pub fn named(&mut self, bound: Bound, alias: &ast::Ident, columns: &[ast::Ident]) -> SqlResult<FromRel> {
        if !columns.is_empty() && columns.len() != bound.outputs.len() {
            return Err(if columns.len() < bound.outputs.len() {
                sql_error!(8158, &**alias)
            } else {
                sql_error!(8159, &**alias)
            });
        }
        let own = bound.rel.defined();
        let mut defs = Vec::new();
        let mut list: Vec<SourceColumn> = Vec::with_capacity(bound.outputs.len());
        for (i, output) in bound.outputs.into_iter().enumerate() {
            let name = columns.get(i).map_or(output.name, |ident| ident.text.clone());
            if name.is_empty() {
                self.noted(sql_error!(8155, state 2, i + 1, &**alias))?;
                continue;
            }
            if list.iter().any(|old| same_name(&old.name, &name)) {
                return Err(sql_error!(8156, name, &**alias));
            }
            let (ty, nullable) = (output.expr.ty, output.expr.nullable);
            let told_nullable = self.columns.told_nullable(&output.expr);
            let id = self.own_column(output.expr, &own, &mut defs);
            if told_nullable {
                self.columns.tell_nullable(id);
            }
            self.columns.leave_view(id);
            list.push(SourceColumn { name, id, ty, nullable });
        }
        let source = Source {
            alias: alias.text.clone(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(list),
            nullable: false,
            written: None,
        };
        Ok((bound.rel.map(defs), vec![source]))
    }

    fn values(
        &mut self,
        values: &ast::ValuesTable,
        parent: Option<&Scope>,
        ctes: Option<&CteScope>,
    ) -> SqlResult<FromRel> {
        if values.rows.iter().flatten().any(has_sequence) {
            return Err(sql_error!(11719).at_line(values.line));
        }
        let scope = Scope { sources: &[], parent, ctes, block: None };
        let rows = values
            .rows
            .iter()
            .map(|row| self.exprs(row, &scope))
            .collect::<SqlResult<Vec<_>>>()
            .map_err(|e| e.at_line(values.line))?;
        let bound = self.value_rows(rows)?;
        self.named(bound, &values.alias, &values.columns)
    }

    /// Rows of expressions with one type a column.
    pub fn value_rows(&mut self, rows: Vec<Vec<Expr>>) -> SqlResult<Bound> {
        let width = rows[0].len();
        if rows.iter().any(|row| row.len() != width) {
            return Err(sql_error!(10709));
        }
        let count = rows.len();
        let mut columns: Vec<Vec<Expr>> = (0..width).map(|_| Vec::with_capacity(count)).collect();
        for row in rows {
            row.into_iter().zip(&mut columns).for_each(|(e, column)| column.push(e));
        }
        let mut ids = Vec::with_capacity(width);
        let mut outputs = Vec::with_capacity(width);
        let mut typed: Vec<std::vec::IntoIter<Expr>> = Vec::with_capacity(width);
        for column in columns {
            let nullable = column.iter().any(|e| e.nullable);
            let told_nullable = column.iter().any(|e| self.columns.told_nullable(e));
            let untyped = column.iter().all(is_untyped_null);
            let (column, ty) = unify(column, "VALUES", &self.columns)?;
            let id = self.columns.add(ty, nullable);
            if told_nullable {
                self.columns.tell_nullable(id);
            }
            if untyped {
                self.columns.set_untyped(id);
            }
            if column.iter().all(|e| self.is_yielding(e)) {
                self.columns.set_yielding(id);
            }
            self.hand_on(id, &column);
            ids.push(id);
            outputs.push(crate::optimize::Output { name: "".into(), expr: self.columns.expr(id) });
            typed.push(column.into_iter());
        }
        let rows = (0..count)
            .map(|_| {
                typed.iter_mut().map(|column| column.next().expect("columns are as long as there are rows")).collect()
            })
            .collect();
        Ok(Bound::new(Rel::Values { ids, rows }, outputs))
    }

    /// The CTE of that name, bound anew.
    fn cte(
        &mut self,
        name: &ast::Ident,
        alias: Option<&ast::Ident>,
        ctes: Option<&CteScope>,
    ) -> SqlResult<Option<FromRel>> {
        let mut scope = ctes;
        while let Some(here) = scope {
            if let Some(work) = here.recursive {
                if same_name(&here.ctes[here.visible].name, name) {
                    return Ok(Some(self.work_table(work, alias.unwrap_or(name))));
                }
            }
            for index in (0..here.visible).rev() {
                let cte = &here.ctes[index];
                if !same_name(&cte.name, name) {
                    continue;
                }
                let inner = CteScope { parent: here.parent, ctes: here.ctes, visible: index, recursive: None };
                // Any number may stand one over the other: depth is what bounds them, as it does derived tables.
                let bound = if super::recursive::mentions(&cte.query.body, &cte.name) {
                    self.recursive_cte(cte, &inner)?
                } else {
                    self.query(&cte.query, None, Some(&inner), Use::Nested)?
                };
                let columns: &[ast::Ident] = &cte.columns;
                let (rel, mut sources) = self.named(bound, &cte.name, columns)?;
                if let Some(alias) = alias {
                    sources[0].alias = alias.text.clone();
                }
                return Ok(Some((rel, sources)));
            }
            scope = here.parent;
        }
        Ok(None)
    }

    fn work_table(&mut self, work: &WorkTable, alias: &ast::Ident) -> FromRel {
        let mut ids = Vec::with_capacity(work.columns.len());
        let mut list = Vec::with_capacity(work.columns.len());
        for ((name, ty), mask) in work.columns.iter().zip(&work.masks) {
            let id = self.columns.add(*ty, true);
            self.columns.set_mask(id, mask.clone());
            ids.push(id);
            list.push(SourceColumn { name: name.clone(), id, ty: *ty, nullable: true });
        }
        let source = Source {
            alias: alias.text.clone(),
            schema: None,
            qualified: false,
            columns: SourceColumns::List(list),
            nullable: false,
            written: None,
        };
        (Rel::Leaf(Box::new(Leaf { ids, kind: LeafKind::WorkTable(work.id) })), vec![source])
    }

    /// The branch of a recursive part that `recursive` has bound.
    pub fn exact_branch(
        &mut self,
        bound: Bound,
        types: &[SqlType],
        names: &[Box<str>],
        name: &str,
    ) -> SqlResult<Branch> {
        let own = bound.rel.defined();
        let mut defs = Vec::new();
        let mut columns = Vec::with_capacity(types.len());
        for (i, (output, ty)) in bound.outputs.into_iter().zip(types).enumerate() {
            let literal = matches!(output.expr.kind, ExprKind::Literal(_));
            let fits = output.expr.ty == *ty
                || literal
                || super::convert::widens(&output.expr.ty, ty) && output.expr.ty.kind == ty.kind;
            if !fits {
                return Err(sql_error!(240, names[i], name));
            }
            let expr = implicit(output.expr, ty)?;
            columns.push(self.own_column(expr, &own, &mut defs));
        }
        Ok(Branch { rel: bound.rel.map(defs), columns })
    }
}

fn is_view(object: &Object) -> bool {
    matches!(object, Object::Module(module) if module.kind == ModuleKind::View)
}

/// Rows of another server: what would be read instead is something else.
fn refuse_source(table: &ast::TableName) -> SqlResult<()> {
    match table {
        ast::TableName { data_source: Some(_), .. } => Err(errors::ad_hoc_queries_are_off()),
        _ => Ok(()),
    }
}

fn apply_hints(get: &mut Get, hints: &[ast::TableHint], shown: &str) -> SqlResult<()> {
    let (mut scan, mut indexes) = (false, 0);
    for hint in hints {
        match hint {
            ast::TableHint::Word(word) => match &**word {
                "NOLOCK" | "READUNCOMMITTED" => get.lock.no_lock = true,
                "UPDLOCK" => {
                    get.lock.update = true;
                    get.lock.keep = true;
                }
                "XLOCK" => get.lock.exclusive = true,
                "HOLDLOCK" | "SERIALIZABLE" => get.lock.hold = true,
                "REPEATABLEREAD" => {
                    get.lock.hold = true;
                    get.lock.repeatable = true;
                }
                "READCOMMITTED" => get.lock.committed = true,
                "READCOMMITTEDLOCK" => (get.lock.committed, get.lock.committed_now) = (true, true),
                "SNAPSHOT" if get.table.memory.is_none() => return Err(sql_error!(367, "SNAPSHOT")),
                "SNAPSHOT" => get.lock.snapshot = true,
                "READPAST" => get.lock.read_past = true,
                "NOWAIT" => get.lock.no_wait = true,
                "TABLOCK" => get.lock.table = true,
                "TABLOCKX" => {
                    get.lock.table = true;
                    get.lock.exclusive = true;
                }
                "FORCESEEK" => get.force_seek = true,
                "NOEXPAND" => return Err(sql_error!(8171, "noexpand", get.alias)),
                "IGNORE_CONSTRAINTS" | "IGNORE_TRIGGERS" if get.locator.is_none() => {
                    return Err(sql_error!(8171, state 1, word.to_ascii_lowercase(), get.alias));
                }
                _ => {}
            },
            ast::TableHint::Index(list) => {
                for reference in list {
                    get.forced_index = Some(index_id(&get.table, reference, shown)?);
                    scan |= matches!(reference, ast::IndexReference::Id(0));
                    indexes += 1;
                }
            }
            ast::TableHint::ForceSeek { index, .. } => {
                get.forced_index = Some(index_id(&get.table, index, shown)?);
                get.force_seek = true;
            }
            ast::TableHint::SpatialWindowMaxCells(_) => {}
        }
    }
    // A scan is neither a seek nor one of several indexes.
    match scan && (indexes > 1 || get.force_seek) {
        true => Err(sql_error!(8622, state if indexes > 1 { 2 } else { 1 })),
        false => Ok(()),
    }
}

/// `table`: as it is written.
pub fn index_id(of: &TableDef, reference: &ast::IndexReference, table: &str) -> SqlResult<u32> {
    let enabled = |index: &IndexDef| match index.disabled {
        true => Err(sql_error!(315, index.name, table)),
        false => Ok(index.id),
    };
    match reference {
        ast::IndexReference::Name(name) => of
            .indexes
            .iter()
            .find(|index| same_name(&index.name, name))
            .ok_or_else(|| sql_error!(308, &**name, table))
            .and_then(enabled),
        ast::IndexReference::Id(id) => {
            let found = of.indexes.iter().find(|index| index.id as i32 == *id).map(enabled).transpose()?;
            // 0 is the heap, or a scan of the clustered index.
            let clustered = of.indexes.iter().find(|index| index.id == 1).map(|index| index.id);
            found
                .or(if *id == 0 { Some(clustered.unwrap_or(0)) } else { None })
                .ok_or_else(|| sql_error!(307, id, table))
        }
    }
}

fn check_exposed(sources: &[Source]) -> SqlResult<()> {
    for (i, a) in sources.iter().enumerate() {
        for b in &sources[..i] {
            if a.alias.is_empty() || !same_name(&a.alias, &b.alias) {
                continue;
            }
            let schemas_differ = matches!((&a.schema, &b.schema), (Some(x), Some(y)) if !same_name(x, y));
            if schemas_differ || a.schema.is_some() != b.schema.is_some() {
                continue;
            }
            return Err(if a.schema.is_some() {
                let shown = |s: &Source| match (&s.schema, s.qualified) {
                    (Some(schema), true) => format!("{schema}.{}", s.alias),
                    _ => s.alias.to_string(),
                };
                sql_error!(1013, shown(a), shown(b))
            } else {
                sql_error!(1011, a.alias)
            });
        }
    }
    Ok(())
}

/// Places of the columns whose values an AFTER trigger does not get to see.
fn long_texts(table: &TableDef) -> Vec<u32> {
    let is_long =
        |at: &u32| matches!(table.columns[*at as usize].ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image);
    (0..table.columns.len() as u32).filter(is_long).collect()
}
