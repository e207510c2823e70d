//! UPDATE and DELETE: the table that a FROM finds rows of, and what SET gives them.

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::binder::{Binder, Block, Place};
use super::convert::{converted, implicit};
use super::dml::{
    Changes, RowTarget, SourceLayout, computed, derived_field, every_get, find_get, fitted, is_null, is_of_groups,
    may_lack, not_updatable, positioned, positioned_variable, reads_again, spooled, twice,
};
use super::errors;
use super::expr::not;
use super::names::{display, object_name, same_name};
use super::query::compound;
use super::scope::{CteScope, Scope, Source, SourceColumns};
use super::view_use::{self, Change};
use crate::ast;
use crate::catalog::Object;
use crate::optimize::{ColumnId, ColumnSet, Rel};
use crate::plan::{
    Action, ActionKind, Check, CursorRef, Expr, ExprKind, Modify, ModifyAction, Operator, OperatorKind, QueryKind,
    SetVariable, TableSource,
};

/// The common parts of UPDATE and DELETE.
struct RowStatement<'q> {
    with: Option<&'q ast::With>,
    top: Option<&'q ast::Top>,
    target: &'q ast::Target,
    from: &'q [ast::TableRef],
    filter: Option<&'q ast::Filter>,
    output: Option<&'q ast::Output>,
}

pub struct SetValues {
    pub set: Vec<(u16, Expr)>,
    pub assign: Vec<SetVariable>,
}

impl Binder<'_> {
    pub fn update(&mut self, update: &ast::Update) -> SqlResult<QueryKind> {
        let shape = RowStatement {
            with: update.with.as_deref(),
            top: update.top.as_deref(),
            target: &update.target,
            from: &update.from,
            filter: update.filter.as_ref(),
            output: update.output.as_deref(),
        };
        self.row_statement(&shape, Some(&update.set))
    }

    pub fn delete(&mut self, delete: &ast::Delete) -> SqlResult<QueryKind> {
        let shape = RowStatement {
            with: delete.with.as_deref(),
            top: delete.top.as_deref(),
            target: &delete.target,
            from: &delete.from,
            filter: delete.filter.as_ref(),
            output: delete.output.as_deref(),
        };
        self.row_statement(&shape, None)
    }

    fn row_statement(&mut self, shape: &RowStatement, set: Option<&[ast::SetClause]>) -> SqlResult<QueryKind> {
        // What is changed through a view are its tables.
        self.expands_views = true;
        let block = self.blocks.len();
        self.blocks.push(Block { place: Place::Set, ..Block::default() });
        let result = self.row_statement_in(shape, set, block);
        self.blocks.truncate(block);
        result
    }

    fn row_statement_in(
        &mut self,
        shape: &RowStatement,
        set: Option<&[ast::SetClause]>,
        block: usize,
    ) -> SqlResult<QueryKind> {
        let own;
        let ctes = match shape.with {
            Some(with) => {
                self.check_ctes(with)?;
                own = CteScope { parent: None, ctes: &with.ctes, visible: with.ctes.len(), recursive: None };
                Some(&own)
            }
            None => None,
        };
        let noted = self.missing_columns();
        let (mut rel, sources, named) = self.target_from(shape, ctes, block)?;
        let scope = Scope { sources: &sources, parent: None, ctes, block: Some(block) };

        // SET names columns of the target only.
        let target_sources = std::slice::from_ref(&sources[named]);
        let names = Scope { sources: target_sources, parent: None, ctes: None, block: None };
        let first_column = first_set_column(set.unwrap_or(&[]), &names, shape.target)?;
        let change = if set.is_some() { Change::Update } else { Change::Delete };
        let target = self.changed_target(shape, &mut rel, &sources, named, first_column, change)?;
        view_use::refuse_output(shape.output, &target.table, &[change], &view_use::target_name(shape.target))?;
        let (mut rel, current_of) = self.chosen_rows(rel, shape.filter, &scope, block)?;
        if let Some(top) = shape.top {
            rel = self.top_rows(rel, top)?;
        }
        if let Some(set) = set {
            self.check_set(set, &names, noted)?;
        }

        let mut layout = SourceLayout { ids: target.stored_ids() };
        layout.ids.push(target.locator);
        let none = ColumnSet::default();
        let update = match set {
            Some(set) => {
                let mut update = self.set_clauses(set, &target, &names, &scope)?;
                rel = self.share_set_draws(rel, update.set.iter_mut().map(|(_, value)| value).collect());
                update.set.iter().for_each(|(_, e)| layout.read(e, &none));
                update.assign.iter().filter_map(SetVariable::of_source).for_each(|e| layout.read(e, &none));
                Some(update)
            }
            None => None,
        };
        let set_ids: Vec<ColumnId> =
            update.iter().flat_map(|update| &update.set).map(|(column, _)| target.shown(*column)).collect();
        let action = if set.is_some() { Action::Update } else { Action::Delete };
        self.need_change(action, &sources[named], target.shown(0), &set_ids);
        let changes = Changes { inserted: set.is_some(), deleted: true };
        let (output, layout) = match shape.output {
            Some(output) => {
                let shown = self.shown_rows(&rel, &sources[named], &target);
                Self::refuse_unqualified(output, &target.table)?;
                // Its rows are `inserted` and `deleted` there, and nothing else.
                let mut others = sources.clone();
                others.remove(named);
                let (output, layout) =
                    self.output(output, &target.table, &others, layout, changes, 0, shown.as_ref())?;
                (Some(output), layout)
            }
            None => (None, layout),
        };
        let mut set_columns = Vec::new();
        let action = match update {
            Some(update) => {
                let mut set = Vec::with_capacity(update.set.len());
                for (column, value) in update.set {
                    set_columns.push(column);
                    let ordinal = target.table.stored[column as usize].expect("computed columns are refused");
                    set.push((ordinal, positioned(value, &layout.ids)));
                }
                let assign = update.assign.into_iter().map(|set| positioned_variable(set, &layout.ids)).collect();
                ActionKind::Update { set, computed: self.computed_columns(&target.table)?, assign }
            }
            None => ActionKind::Delete,
        };
        let twice = reads_again(&rel, &target);
        let plan = self.lower_source(rel, &layout);
        let plan = if twice || moves_in_scan(&plan, &target, &set_columns) { spooled(plan) } else { plan };
        let barriers = self.barriers(&target.source, change, &set_columns)?;
        let (cascades, views) = self.consequences(&target.source, &[change], &set_columns, output.as_ref())?;
        let checks = if set.is_some() { self.row_checks(&target, &set_columns)? } else { Vec::new() };
        Ok(QueryKind::Modify(Box::new(Modify {
            target: target.source,
            source: plan,
            actions: vec![ModifyAction { condition: None, kind: action, barriers }],
            cascades,
            views,
            verb: if set.is_some() { "UPDATE" } else { "DELETE" },
            output,
            checks,
            identity_insert: false,
            current_of,
            top: None,
        })))
    }

    /// Of a row with new values in the columns `set`: what its table asks, and the views that show it.
    fn row_checks(&mut self, target: &RowTarget, set: &[u16]) -> SqlResult<Vec<Check>> {
        let mut checks = self.checks(&target.table, Some(set))?;
        checks.extend(self.view_checks(&target.table, target.first, Some(set))?);
        Ok(checks)
    }

    /// WHERE, or the row of a cursor.
    fn chosen_rows(
        &mut self,
        rel: Rel,
        filter: Option<&ast::Filter>,
        scope: &Scope,
        block: usize,
    ) -> SqlResult<(Rel, Option<CursorRef>)> {
        match filter {
            Some(ast::Filter::Where(condition)) => {
                self.blocks[block].place = Place::Where;
                let rel = self.filter(rel, condition, scope)?;
                self.blocks[block].place = Place::Set;
                Ok((rel, None))
            }
            Some(ast::Filter::CurrentOf(cursor)) => Ok((rel, Some(self.cursor_ref(cursor)?))),
            None => Ok((rel, None)),
        }
    }

    /// What FROM and WHERE name that is not there is told alone, and so are columns that SET gives values to.
    fn check_set(&mut self, set: &[ast::SetClause], names: &Scope, noted: usize) -> SqlResult<()> {
        self.whole_since(noted)?;
        for column in set.iter().filter_map(set_name) {
            self.is_missing(column, names)?;
        }
        self.whole_since(noted)
    }

    /// What the statement changes: the rows of a table, or a view whose INSTEAD OF triggers take the change.
    fn changed_target(
        &mut self,
        shape: &RowStatement,
        rel: &mut Rel,
        sources: &[Source],
        named: usize,
        first_column: Option<ColumnId>,
        change: Change,
    ) -> SqlResult<RowTarget> {
        match self.triggered_target(rel, &sources[named], first_column, &[change])? {
            Some(RowTarget { view: Some((view, _)), .. }) if sources.len() > 1 => {
                Err(view_use::joined_view(&view.name, change))
            }
            Some(_) if matches!(shape.filter, Some(ast::Filter::CurrentOf(_))) => {
                Err(errors::not_supported("WHERE CURRENT OF for a view with an INSTEAD OF trigger"))
            }
            Some(target) => Ok(target),
            None => {
                let target = self.row_target(rel, &sources[named], first_column)?;
                self.refuse_history(&target.table, Some(change))?;
                // Where an outer join found no row of the target there is none to change.
                if may_lack(rel, target.first) {
                    let found = not(is_null(target.locator, SqlType::varbinary(64)));
                    *rel = std::mem::replace(rel, Rel::one_row()).filter(vec![found]);
                }
                Ok(target)
            }
        }
    }

    /// FROM with the target in it, and which source names the target.
    fn target_from(
        &mut self,
        shape: &RowStatement,
        ctes: Option<&CteScope>,
        block: usize,
    ) -> SqlResult<(Rel, Vec<Source>, usize)> {
        let own = match shape.target {
            ast::Target::Table { name, hints } => ast::TableRef::Table(Box::new(ast::TableName {
                name: name.clone(),
                alias: None,
                hints: hints.clone(),
                sample: None,
                system_time: None,
                data_source: None,
            })),
            ast::Target::Variable(variable) => ast::TableRef::Variable(Box::new(ast::TableVariable {
                variable: variable.clone(),
                alias: None,
                hints: Vec::new(),
            })),
            ast::Target::Function(_) => return Err(errors::not_supported("OPENROWSET")),
        };
        if shape.from.is_empty() {
            let (rel, sources) = self.table_ref(&own, None, ctes, block)?;
            return Ok((rel, sources, 0));
        }
        let (mut rel, mut sources) = self.from(shape.from, None, ctes, block)?;
        let wanted: (&str, Option<&str>) = match shape.target {
            ast::Target::Table { name, .. } => (&name.name, name.schema.as_deref()),
            ast::Target::Variable(variable) => (&variable.name, None),
            ast::Target::Function(_) => ("", None),
        };
        let by_alias = sources.iter().position(|source| {
            same_name(&source.alias, wanted.0)
                && (wanted.1.is_none() || matches!((wanted.1, &source.schema), (Some(a), Some(b)) if same_name(a, b)))
        });
        if let Some(named) = by_alias {
            return Ok((rel, sources, named));
        }
        // The table under another name: it is the target if FROM has it once.
        match self.same_as_target(shape.target, &mut rel, &sources)?.as_slice() {
            [one] => return Ok((rel, sources, *one)),
            [] => {}
            _ => {
                let shown = match shape.target {
                    ast::Target::Table { name, .. } => display(name),
                    _ => wanted.0.to_owned(),
                };
                return Err(sql_error!(8154, shown));
            }
        }
        let (own_rel, own_sources) = self.table_ref(&own, None, ctes, block)?;
        let named = sources.len();
        sources.extend(own_sources);
        Ok((Rel::join(crate::plan::JoinKind::Inner, own_rel, rel, Vec::new()), sources, named))
    }

    /// Those of `sources` that are the target: the same table, view or table variable. What FROM names a common table expression is none.
    fn same_as_target(&mut self, target: &ast::Target, rel: &mut Rel, sources: &[Source]) -> SqlResult<Vec<usize>> {
        let mut same = Vec::new();
        let (object, wanted) = match target {
            ast::Target::Table { name, .. } => (self.resolve(&object_name(name))?, &*name.name.text),
            _ => (None, ""),
        };
        let variable = match target {
            ast::Target::Variable(variable) => Some(self.table_variable(variable)?.0 as u32),
            _ => None,
        };
        for (at, source) in sources.iter().enumerate() {
            let is_it = match (&source.columns, &object) {
                // Not `inserted` and `deleted`, nor versions of its rows, which have its shape.
                (SourceColumns::Table { table: other, first }, Some(Object::Table(table))) => {
                    other.object == table.object
                        && other.database == table.database
                        && self.columns.info(*first).origin.is_some()
                        && find_get(rel, *first).is_none_or(|get| matches!(get.source, TableSource::Base(_)))
                }
                (SourceColumns::Table { first, .. }, None) => find_get(rel, *first).is_some_and(
                    |get| matches!(get.source, TableSource::Variable(slot, _) if Some(slot.0) == variable),
                ),
                (SourceColumns::List(list), Some(Object::Module(module))) => {
                    let first = list.first().map(|column| column.id);
                    let last = source.written.as_deref().and_then(|written| written.rsplit('.').next());
                    last.is_some_and(|last| same_name(last, wanted))
                        && self.views.iter().any(|view| {
                            (view.module.database, view.module.object) == (module.database, module.object)
                                && view.columns.first().map(|column| column.id) == first
                        })
                }
                _ => false,
            };
            if is_it {
                same.push(at);
            }
        }
        Ok(same)
    }

    /// Of a view whose INSTEAD OF triggers take the change; None: the change is one of a table.
    pub fn triggered_target(
        &mut self,
        rel: &mut Rel,
        source: &Source,
        set_column: Option<ColumnId>,
        changes: &[Change],
    ) -> SqlResult<Option<RowTarget>> {
        let Some(view) = self.triggered_view(source, set_column, changes)? else { return Ok(None) };
        let (rows, read, locator) = self.view_rows(std::mem::replace(rel, Rel::one_row()), &view);
        *rel = rows;
        Ok(Some(RowTarget {
            source: TableSource::View(view.table.clone()),
            table: view.table.clone(),
            first: locator,
            locator,
            view: Some((view, read)),
        }))
    }

    /// The base table under `source`, told to give the locator of its rows.
    pub fn row_target(&mut self, rel: &mut Rel, source: &Source, set_column: Option<ColumnId>) -> SqlResult<RowTarget> {
        let first = match &source.columns {
            SourceColumns::Table { first, .. } => *first,
            SourceColumns::List(list) => {
                let candidates: Vec<ColumnId> = match set_column {
                    Some(id) => vec![id],
                    None => list.iter().map(|column| column.id).collect(),
                };
                let mut firsts: Vec<ColumnId> = candidates
                    .iter()
                    .filter_map(|&id| self.columns.info(id).origin.map(|(_, column)| ColumnId(id.0 - column as u32)))
                    .collect();
                // All of its columns are computed: rows that go are those of the one table that is read.
                if firsts.is_empty() && set_column.is_none() {
                    every_get(rel, &mut firsts);
                }
                firsts.dedup();
                match firsts.as_slice() {
                    [one] => *one,
                    [] if self.is_view(source) && set_column.is_some_and(|id| is_of_groups(rel, id)) => {
                        return Err(derived_field(&source.alias));
                    }
                    [] => return Err(not_updatable(rel, &source.alias, self.is_view(source))),
                    _ => return Err(sql_error!(4405, source.alias)),
                }
            }
        };
        let locator = self.columns.add(SqlType::varbinary(64), true);
        let is_view = self.is_view(source);
        if find_get(rel, first).is_none() {
            return Err(not_updatable(rel, &source.alias, is_view));
        }
        let get = find_get(rel, first).expect("just found");
        match &get.source {
            TableSource::Variable(slot, _) => self.check_not_readonly(slot.0 as usize)?,
            TableSource::Inserted(_) | TableSource::Deleted(_) => return Err(sql_error!(286)),
            TableSource::Base(table) if table.of_view => {
                return Err(sql_error!(8171, state 1, "noexpand", get.alias));
            }
            TableSource::Base(_) | TableSource::View(_) => {}
        }
        if get.locator.is_none() {
            get.locator = Some(locator);
        }
        // What is changed is read as it is now, not as it was when the statement began: no update is lost.
        get.lock.update |= !get.lock.no_lock && !get.lock.exclusive;
        Ok(RowTarget {
            source: get.source.clone(),
            table: get.table.clone(),
            first,
            locator: get.locator.unwrap_or(locator),
            view: None,
        })
    }

    /// SET clauses: values by table column, over the columns of FROM.
    pub fn set_clauses(
        &mut self,
        set: &[ast::SetClause],
        target: &RowTarget,
        names: &Scope,
        scope: &Scope,
    ) -> SqlResult<SetValues> {
        let mut out = SetValues { set: Vec::new(), assign: Vec::new() };
        for clause in set {
            match clause {
                ast::SetClause::Column { column, value, .. } if self.is_missing(column, names)? => {
                    if !matches!(value, ast::Expr::Default) {
                        self.expr(value, scope)?;
                    }
                }
                ast::SetClause::Column { column, op, value } => {
                    let value = self.set_column(column, *op, value, target, names, scope, &out)?;
                    out.set.push(value);
                }
                ast::SetClause::Variable { variable, op, value } => {
                    let slot = self.slot(variable)?;
                    let value = self.expr(value, scope)?;
                    let value = self.assigned(slot, *op, value)?;
                    let value = self.masked(value);
                    out.assign.push(SetVariable { slot, value, column: None, after: out.set.len() });
                }
                ast::SetClause::VariableColumn { variable, column, op, value } => {
                    let slot = self.slot(variable)?;
                    let (column, value) = self.set_column(column, *op, value, target, names, scope, &out)?;
                    out.set.push((column, value));
                    let ty = self.names.variables[slot.0 as usize].ty;
                    let new = &target.table.columns[column as usize];
                    let value = implicit(Expr::column(0, new.ty, new.nullable), &ty)?;
                    let column = target.table.stored[column as usize];
                    out.assign.push(SetVariable { slot, value, column, after: out.set.len() });
                }
                ast::SetClause::Method { column, method, args } if !method.is("write") => {
                    let named = ast::Expr::Column(Box::new(column.clone()));
                    let current = self.xml_target(&named, names)?;
                    let value = self.xml_modify(current, &column.name, method, args, scope)?;
                    let id = self.target_column(column, target, names, &out)?;
                    out.set.push((id, self.masked(value)));
                }
                ast::SetClause::Method { column, method, args } => {
                    if !method.is("write") || args.len() != 3 {
                        return Err(sql_error!(258, &*column.name));
                    }
                    // column.WRITE(value, offset, length) is STUFF from offset on; a NULL offset appends.
                    let value = self.write_method(column, args, names, scope)?;
                    let id = self.target_column(column, target, names, &out)?;
                    let value = fitted(value, &target.table.columns[id as usize])?;
                    out.set.push((id, self.masked(value)));
                }
            }
        }
        if let Some(whole) = self.set_apart(&target.table, &out.set)? {
            out.set = whole;
        }
        Ok(out)
    }

    /// The column of which `column.property = value` changes a property.
    fn property_owner(&self, column: &ast::ColumnName, op: ast::AssignOp, names: &Scope) -> Option<ast::ColumnName> {
        let plain = ast::ColumnName { table: None, ..column.clone() };
        if op != ast::AssignOp::Set || names.column(&plain).is_ok() {
            return None;
        }
        let owner = super::spatial::owner(column)?;
        let (found, _) = names.column(&ast::ColumnName { table: None, ..owner.clone() }).ok()?;
        found.ty.is_spatial().then_some(owner)
    }

    /// The target has no such column; noted, as `missing_column` does.
    fn is_missing(&mut self, column: &ast::ColumnName, names: &Scope) -> SqlResult<bool> {
        let plain = ast::ColumnName { table: None, ..column.clone() };
        match names.column(&plain) {
            Ok(_) => Ok(false),
            Err(error) => self.missing_column(error).map(|_| true),
        }
    }

    fn write_method(
        &mut self,
        column: &ast::ColumnName,
        args: &[ast::Expr],
        names: &Scope,
        scope: &Scope,
    ) -> SqlResult<Expr> {
        use crate::function::FunctionId;
        let plain = ast::ColumnName { table: None, ..column.clone() };
        let (found, _) = names.column(&plain)?;
        let own = Expr::column(found.id.index(), found.ty, found.nullable);
        if !found.ty.is_max() {
            return Err(sql_error!(258, found.ty.shown()));
        }
        let value = self.expr_as(&args[0], &found.ty, scope)?;
        let offset = self.expr_as(&args[1], &SqlType::BIGINT, scope)?;
        let length = self.expr_as(&args[2], &SqlType::BIGINT, scope)?;
        let appended =
            super::expr::arithmetic(crate::plan::ArithmeticOp::Add, own.clone(), value.clone(), &self.columns)?;
        let from = Expr::new(
            SqlType::BIGINT,
            true,
            ExprKind::Arithmetic(crate::plan::ArithmeticOp::Add, Box::new(offset.clone()), Box::new(Expr::bigint(1))),
        );
        let whole = Expr::new(SqlType::BIGINT, true, ExprKind::Function(FunctionId::Datalength, vec![own.clone()]));
        let length = Expr::new(SqlType::BIGINT, true, ExprKind::Function(FunctionId::Isnull, vec![length, whole]));
        let stuffed = Expr::new(found.ty, true, ExprKind::Function(FunctionId::Stuff, vec![own, from, length, value]));
        let missing = Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(offset)));
        Ok(Expr::new(
            found.ty,
            true,
            ExprKind::Case {
                branches: vec![(missing, converted(appended, &found.ty, false))],
                otherwise: Some(Box::new(stuffed)),
            },
        ))
    }

    fn target_column(
        &mut self,
        column: &ast::ColumnName,
        target: &RowTarget,
        names: &Scope,
        so_far: &SetValues,
    ) -> SqlResult<u16> {
        let plain = ast::ColumnName { table: None, ..column.clone() };
        let (found, _) = names.column(&plain)?;
        let Some(ordinal) = target.ordinal(found.id) else {
            let alias = &names.sources[0].alias;
            // Of another table that the view shows, or of none.
            return Err(match self.columns.origin(found.id) {
                Some(_) => sql_error!(4405, alias),
                None => derived_field(alias),
            });
        };
        let def = &target.table.columns[ordinal as usize];
        if def.is_read_only() {
            return Err(computed(&def.name).at_line(column.line));
        }
        if def.is_set() || def.in_set() {
            let set: Vec<u16> = so_far.set.iter().map(|(column, _)| *column).collect();
            super::column_set::refuse_both(&target.table, ordinal, &set).map_err(|error| error.at_line(column.line))?;
        }
        if def.identity.is_some() {
            return Err(sql_error!(8102, def.name).at_line(column.line));
        }
        if def.ty.kind == TypeKind::RowVersion {
            return Err(sql_error!(272).at_line(column.line));
        }
        if def.generated.is_some() {
            return Err(sql_error!(13537, self.full_name(&target.table)).at_line(column.line));
        }
        if so_far.set.iter().any(|(c, _)| *c == ordinal) {
            return Err(twice(&def.name).at_line(column.line));
        }
        Ok(ordinal)
    }

    #[allow(clippy::too_many_arguments)]
    fn set_column(
        &mut self,
        column: &ast::ColumnName,
        op: ast::AssignOp,
        value: &ast::Expr,
        target: &RowTarget,
        names: &Scope,
        scope: &Scope,
        so_far: &SetValues,
    ) -> SqlResult<(u16, Expr)> {
        if let Some(owner) = self.property_owner(column, op, names) {
            let ordinal = self.target_column(&owner, target, names, so_far)?;
            let def = target.table.columns[ordinal as usize].clone();
            let value = self.expr(value, scope)?;
            let current = Expr::column(target.column(ordinal).index(), def.ty, def.nullable);
            let value = self.spatial_change(current, &column.name, value, &def.name)?;
            return Ok((ordinal, self.masked(value)));
        }
        let ordinal = self.target_column(column, target, names, so_far)?;
        let def = target.table.columns[ordinal as usize].clone();
        if matches!(value, ast::Expr::Default) {
            return Ok((ordinal, self.default_value(&def)?));
        }
        let mut value = self.expr(value, scope)?;
        if let Some(op) = compound(op) {
            let current = Expr::column(target.column(ordinal).index(), def.ty, def.nullable);
            value = self.binary(op, current, value)?;
        }
        let value = fitted(value, &def)?;
        Ok((ordinal, self.masked(value)))
    }
}

/// The scan that finds the rows runs along a key that the statement changes: a row could be met again (the Halloween problem).
fn moves_in_scan(plan: &Operator, target: &RowTarget, set: &[u16]) -> bool {
    match &plan.kind {
        OperatorKind::Scan(scan) if scan.locator => {
            let Some(index) = target.table.indexes.iter().find(|index| index.id == scan.index) else { return false };
            let one_row = index.unique && scan.range.as_ref().is_some_and(|range| range.equal.len() == index.key.len());
            !one_row && index.key.iter().any(|(column, _)| set.contains(column))
        }
        OperatorKind::Filter { input, .. } | OperatorKind::Project { input, .. } => moves_in_scan(input, target, set),
        OperatorKind::Top(top) => moves_in_scan(&top.input, target, set),
        OperatorKind::NestedLoops(join) => {
            moves_in_scan(&join.outer, target, set) || moves_in_scan(&join.inner, target, set)
        }
        OperatorKind::HashJoin(join) => {
            moves_in_scan(&join.left, target, set) || moves_in_scan(&join.right, target, set)
        }
        // A sort or a window has read everything before it gives a row.
        _ => false,
    }
}

/// Where the target of an UPDATE has the first column that is set.
/// The column that a clause sets.
pub fn set_name(clause: &ast::SetClause) -> Option<&ast::ColumnName> {
    match clause {
        ast::SetClause::Column { column, .. }
        | ast::SetClause::VariableColumn { column, .. }
        | ast::SetClause::Method { column, .. } => Some(column),
        ast::SetClause::Variable { .. } => None,
    }
}

/// 4104: what stands before a column that is set is the target, by its alias or as the statement begins with it. A property of a spatial
/// column stands behind that.
pub fn check_prefix(column: &ast::ColumnName, names: &Scope, target: Option<&ast::Target>) -> SqlResult<()> {
    let Some(prefix) = &column.table else { return Ok(()) };
    let source = &names.sources[0];
    let fits = |name: &str, schema: Option<&str>| {
        let same_schema =
            prefix.schema.as_deref().is_none_or(|own| schema.is_some_and(|schema| same_name(own, schema)));
        same_name(name, &prefix.name) && same_schema
    };
    let written = match target {
        Some(ast::Target::Table { name, .. }) => fits(&name.name, name.schema.as_deref()),
        _ => false,
    };
    let owner = super::spatial::owner(column).map(|owner| ast::ColumnName { table: None, ..owner });
    let is_property = owner.is_some_and(|owner| names.column(&owner).is_ok_and(|found| found.0.ty.is_spatial()));
    if written || is_property || fits(&source.alias, source.schema.as_deref()) {
        return Ok(());
    }
    Err(errors::unbound(&format!("{}.{}", display(prefix), &*column.name)).at_line(column.line))
}

/// None of a table's: the column is not there, which is told with what else is wrong.
fn first_set_column(set: &[ast::SetClause], names: &Scope, target: &ast::Target) -> SqlResult<Option<ColumnId>> {
    for column in set.iter().filter_map(set_name) {
        check_prefix(column, names, Some(target))?;
    }
    let Some(column) = set.iter().find_map(set_name) else { return Ok(None) };
    let plain = ast::ColumnName { table: None, ..column.clone() };
    match names.column(&plain) {
        Ok((found, _)) => Ok(Some(found.id)),
        Err(_) if matches!(names.sources[0].columns, SourceColumns::Table { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
