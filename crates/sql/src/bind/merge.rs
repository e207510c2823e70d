//! MERGE: one join of target and source, and for each WHEN an action with its condition.

use types::{SqlResult, SqlType, sql_error};

use super::binder::{Binder, Block, Place};
use super::dml::{Changes, RowTarget, SourceLayout, fitted, is_null, positioned, positioned_variable, spooled};
use super::errors;
use super::expr::not;
use super::insert::InsertTarget;
use super::names::same_name;
use super::scope::{CteScope, Scope, Source};
use super::update::{check_prefix, set_name};
use super::variables::{Found, visit_expr};
use super::view_use::{self, Change};
use crate::ast;
use crate::optimize::{ColumnId, ColumnSet, Rel};
use crate::plan::{Action, ActionKind, Expr, JoinKind, Modify, ModifyAction, QueryKind, SetVariable};

impl Binder<'_> {
    pub fn merge(&mut self, merge: &ast::Merge) -> SqlResult<QueryKind> {
        // What is changed through a view are its tables.
        self.expands_views = true;
        let block = self.blocks.len();
        self.blocks.push(Block { place: Place::On, ..Block::default() });
        let result = self.merge_in(merge, block);
        self.blocks.truncate(block);
        result
    }

    fn merge_in(&mut self, merge: &ast::Merge, block: usize) -> SqlResult<QueryKind> {
        let own;
        let ctes = match &merge.with {
            Some(with) => {
                self.check_ctes(with)?;
                own = CteScope { parent: None, ctes: &with.ctes, visible: with.ctes.len(), recursive: None };
                Some(&own)
            }
            None => None,
        };
        let (mut left, mut sources) = self.table_ref(&target_ref(merge)?, None, ctes, block)?;
        let target = self.merge_target(&mut left, &sources[0], merge)?;
        let (right, right_sources) = self.table_ref(&merge.source, None, ctes, block)?;
        if right_sources.iter().any(|source| is_alike(source, &sources[0])) {
            return Err(sql_error!(5318));
        }
        let present = self.columns.add(SqlType::BIT, true);
        let right = right.map(vec![(present, Expr::bit(true))]);
        sources.extend(right_sources);
        let scope = Scope { sources: &sources, parent: None, ctes, block: Some(block) };
        let mut on = Vec::new();
        let noted = self.missing_columns();
        self.calling(|binder| binder.expr(&merge.on, &scope))?.split_and(&mut on);
        self.whole_since(noted)?;
        let mut rel = joined(merge, left, right, on);
        if let Some(top) = &merge.top {
            rel = self.top_rows(rel, top)?;
        }

        let table = target.table.clone();
        let mut layout = SourceLayout { ids: target.stored_ids() };
        layout.ids.push(target.locator);
        layout.ids.push(present);
        self.blocks[block].place = Place::Merged;
        let identity_insert = self.options.identity_insert == Some((table.database, table.object));
        let sides = Sides { target: &target, present, scope, identity_insert };
        let mut whens = Vec::with_capacity(merge.clauses.len());
        for clause in &merge.clauses {
            let when = self.when(clause, &sides)?;
            when.for_each_expr(&mut |e| layout.read(e, &ColumnSet::default()));
            whens.push(when);
        }
        let (output, layout) = match &merge.output {
            Some(output) => {
                let changes = Changes { inserted: true, deleted: true };
                let shown = self.shown_rows(&rel, &sources[0], &target);
                let (output, layout) = self.output(output, &table, &sources, layout, changes, 0, shown.as_ref())?;
                (Some(output), layout)
            }
            None => (None, layout),
        };
        let set_columns: Vec<u16> = whens.iter().flat_map(When::set_columns).collect();
        let set_ids: Vec<ColumnId> = set_columns.iter().map(|column| target.shown(*column)).collect();
        for clause in &merge.clauses {
            let (action, set) = match change_of(&clause.action) {
                Change::Insert => (Action::Insert, &[][..]),
                Change::Update => (Action::Update, &set_ids[..]),
                Change::Delete => (Action::Delete, &[][..]),
            };
            self.need_change(action, &sources[0], target.shown(0), set);
        }
        let actions = whens
            .into_iter()
            .map(|when| self.merge_action(when, &target, &layout, identity_insert))
            .collect::<SqlResult<Vec<_>>>()?;
        // The join reads the target while rows of it change and appear: read to the end first.
        let source = spooled(self.lower_source(rel, &layout));
        let inserts = actions.iter().any(|action| matches!(action.kind, ActionKind::Insert(_)));
        let set = if inserts { None } else { Some(&set_columns[..]) };
        let mut changes = vec![Change::Update, Change::Delete];
        changes.retain(|change| merge.clauses.iter().any(|clause| change_of(&clause.action) == *change));
        let (cascades, views) = self.consequences(&target.source, &changes, &set_columns, output.as_ref())?;
        let mut checks = self.checks(&table, set)?;
        checks.extend(self.view_checks(&table, target.first, set)?);
        Ok(QueryKind::Modify(Box::new(Modify {
            target: target.source,
            source,
            actions,
            verb: "MERGE",
            cascades,
            views,
            output,
            checks,
            identity_insert,
            current_of: None,
            top: None,
        })))
    }

    /// What is merged into: a table, whose rows `left` now locates and locks, or a view whose INSTEAD OF triggers take all that is done.
    fn merge_target(&mut self, left: &mut Rel, source: &Source, merge: &ast::Merge) -> SqlResult<RowTarget> {
        let mut changes: Vec<Change> = merge.clauses.iter().map(|clause| change_of(&clause.action)).collect();
        changes.dedup();
        let target = match self.triggered_target(left, source, None, &changes)? {
            Some(target) => target,
            None => self.row_target(left, source, first_given(merge, source))?,
        };
        let name = merge.alias.as_ref().map_or_else(|| view_use::target_name(&merge.target), |alias| alias.to_string());
        self.refuse_history(&target.table, None)?;
        view_use::refuse_output(merge.output.as_deref(), &target.table, &changes, &name)?;
        let takes = |change: &Change| {
            target.table.triggers.iter().any(|trigger| {
                trigger.instead_of && change.fires(trigger) && self.names.trigger != Some(trigger.object)
            })
        };
        if changes.iter().any(takes) && !changes.iter().all(takes) {
            return Err(sql_error!(5316, name));
        }
        Ok(target)
    }

    fn when(&mut self, clause: &ast::MergeClause, sides: &Sides) -> SqlResult<When> {
        let no_target = is_null(sides.target.locator, SqlType::varbinary(64));
        let no_source = is_null(sides.present, SqlType::BIT);
        let sources = sides.scope.sources;
        let (mut conditions, visible) = match clause.when {
            ast::MergeWhen::Matched => (vec![not(no_target), not(no_source)], sources),
            ast::MergeWhen::NotMatchedByTarget => (vec![no_target], &sources[1..]),
            ast::MergeWhen::NotMatchedBySource => (vec![no_source], &sources[..1]),
        };
        let here = Scope { sources: visible, ..sides.scope };
        if let Some(condition) = &clause.condition {
            check_scope(condition, clause.when, &here)?;
            let condition = self.calling(|binder| binder.expr(condition, &here));
            condition.map_err(|e| e.at_line(clause.line))?.split_and(&mut conditions);
        }
        let action = match &clause.action {
            ast::MergeAction::Update(set) => {
                let names = Scope { sources: &sources[..1], parent: None, ctes: None, block: None };
                for column in set.iter().filter_map(set_name) {
                    check_prefix(column, &names, None)?;
                }
                let values = self.set_clauses(set, sides.target, &names, &here).map_err(|e| e.at_line(clause.line))?;
                Pending::Update(values.set, values.assign)
            }
            ast::MergeAction::Delete => Pending::Delete,
            ast::MergeAction::Insert { columns, values } => {
                Pending::Insert(self.merge_values(columns, values, clause.line, sides, &here)?)
            }
            ast::MergeAction::InsertDefaultValues => Pending::Insert(Vec::new()),
        };
        Ok(When { condition: Expr::all(conditions).expect("every WHEN has a condition"), action })
    }

    /// What an INSERT of MERGE gives to which columns.
    fn merge_values(
        &mut self,
        columns: &[ast::ColumnName],
        values: &[ast::Expr],
        line: u32,
        sides: &Sides,
        here: &Scope,
    ) -> SqlResult<Vec<(u16, Expr)>> {
        let table = &sides.target.table;
        let shown = &sides.scope.sources[0];
        let mut names = Vec::new();
        for at in 0..shown.len() {
            let column = shown.column(at);
            names.extend(sides.target.ordinal(column.id).map(|ordinal| (column.name, ordinal)));
        }
        let into = InsertTarget {
            source: sides.target.source.clone(),
            columns: names,
            table: table.clone(),
            name: table.name.to_string(),
            shown: None,
            others: Vec::new(),
        };
        let columns = self.insert_columns(&into, columns)?;
        match columns.len().cmp(&values.len()) {
            std::cmp::Ordering::Greater => return Err(sql_error!(109).at_line(line)),
            std::cmp::Ordering::Less => return Err(sql_error!(110).at_line(line)),
            std::cmp::Ordering::Equal => {}
        }
        self.check_identity(table, &columns, sides.identity_insert)?;
        let mut given = Vec::with_capacity(values.len());
        for (value, column) in values.iter().zip(columns) {
            let def = &table.columns[column as usize];
            let value = match value {
                ast::Expr::Default if def.identity.is_some() || def.generated.is_some() => continue,
                ast::Expr::Default => self.default_value(def)?,
                value => {
                    let value = fitted(self.calling(|binder| binder.expr(value, here))?, def)?;
                    self.masked(value)
                }
            };
            given.push((column, value));
        }
        Ok(given)
    }

    fn merge_action(
        &mut self,
        when: When,
        target: &RowTarget,
        layout: &SourceLayout,
        identity_insert: bool,
    ) -> SqlResult<ModifyAction> {
        let table = &target.table;
        let placed = |value| positioned(value, &layout.ids);
        let set: Vec<u16> = when.set_columns().collect();
        let barriers = self.barriers(&target.source, when.change(), &set)?;
        let kind = match when.action {
            Pending::Delete => ActionKind::Delete,
            Pending::Update(set, assign) => {
                let ordinal = |column: u16| table.stored[column as usize].expect("computed columns are refused");
                ActionKind::Update {
                    set: set.into_iter().map(|(column, value)| (ordinal(column), placed(value))).collect(),
                    computed: self.computed_columns(table)?,
                    assign: assign.into_iter().map(|set| positioned_variable(set, &layout.ids)).collect(),
                }
            }
            Pending::Insert(given) => {
                let given: Vec<(u16, Expr)> = given.into_iter().map(|(c, value)| (c, placed(value))).collect();
                ActionKind::Insert(self.insert_row(table, &given, identity_insert)?)
            }
        };
        Ok(ModifyAction { condition: Some(placed(when.condition)), kind, barriers })
    }
}

/// What every WHEN is bound with.
struct Sides<'s> {
    target: &'s RowTarget,
    /// NULL where no row of the source was found.
    present: ColumnId,
    scope: Scope<'s>,
    identity_insert: bool,
}

/// A WHEN whose expressions still hold column ids.
struct When {
    condition: Expr,
    action: Pending,
}

enum Pending {
    Update(Vec<(u16, Expr)>, Vec<SetVariable>),
    Insert(Vec<(u16, Expr)>),
    Delete,
}

impl When {
    fn for_each_expr(&self, see: &mut impl FnMut(&Expr)) {
        see(&self.condition);
        match &self.action {
            Pending::Update(set, assign) => {
                set.iter().for_each(|(_, e)| see(e));
                assign.iter().filter_map(SetVariable::of_source).for_each(see);
            }
            Pending::Insert(given) => given.iter().for_each(|(_, e)| see(e)),
            Pending::Delete => {}
        }
    }

    fn change(&self) -> Change {
        match &self.action {
            Pending::Update(..) => Change::Update,
            Pending::Insert(_) => Change::Insert,
            Pending::Delete => Change::Delete,
        }
    }

    fn set_columns(&self) -> impl Iterator<Item = u16> {
        let set = if let Pending::Update(set, _) = &self.action { &set[..] } else { &[] };
        set.iter().map(|(column, _)| *column)
    }
}

/// 5333, 5334: the condition names a column of the side that has no row there. What stands in a subquery may be its own.
fn check_scope(condition: &ast::Expr, when: ast::MergeWhen, here: &Scope) -> SqlResult<()> {
    let mut outside: Option<&ast::ColumnName> = None;
    let mut asks = false;
    visit_expr(condition, &mut |found| match found {
        Found::Column(name) if outside.is_none() && here.home(name).is_none() => outside = Some(name),
        Found::Query => asks = true,
        _ => {}
    });
    let Some(name) = outside.filter(|_| !asks) else { return Ok(()) };
    let state = if name.table.is_some() { 2 } else { 1 };
    let shown = super::names::shown_column(name);
    let own = name.table.as_ref().is_some_and(|qualifier| here.source(qualifier).is_some());
    match when {
        ast::MergeWhen::NotMatchedByTarget if !own => Err(sql_error!(5333, state state, shown, "WHEN NOT MATCHED")),
        ast::MergeWhen::NotMatchedBySource if !own => {
            Err(sql_error!(5334, state state, shown, "WHEN NOT MATCHED BY SOURCE"))
        }
        _ => Ok(()),
    }
}

/// The first column that an action gives a value: of several tables that a view shows, its table is the one that is changed.
fn first_given(merge: &ast::Merge, source: &Source) -> Option<ColumnId> {
    let named = merge.clauses.iter().find_map(|clause| match &clause.action {
        ast::MergeAction::Update(set) => set.iter().find_map(set_name),
        ast::MergeAction::Insert { columns, .. } => columns.first(),
        ast::MergeAction::Delete | ast::MergeAction::InsertDefaultValues => None,
    })?;
    (0..source.len()).map(|at| source.column(at)).find(|column| same_name(&column.name, &named.name)).map(|own| own.id)
}

/// The same name or alias, where schemas that are told do not differ.
fn is_alike(a: &Source, b: &Source) -> bool {
    let apart = matches!((&a.schema, &b.schema), (Some(a), Some(b)) if !same_name(a, b));
    !apart && same_name(&a.alias, &b.alias)
}

fn target_ref(merge: &ast::Merge) -> SqlResult<ast::TableRef> {
    Ok(match &merge.target {
        ast::Target::Table { name, hints } => ast::TableRef::Table(Box::new(ast::TableName {
            name: name.clone(),
            alias: merge.alias.clone(),
            hints: hints.clone(),
            sample: None,
            system_time: None,
            data_source: None,
        })),
        ast::Target::Variable(variable) => ast::TableRef::Variable(Box::new(ast::TableVariable {
            variable: variable.clone(),
            alias: merge.alias.clone(),
            hints: Vec::new(),
        })),
        ast::Target::Function(_) => return Err(errors::not_supported("OPENROWSET")),
    })
}

/// Target and source, with the rows of either that some WHEN wants though they have no match.
fn joined(merge: &ast::Merge, target: Rel, source: Rel, on: Vec<Expr>) -> Rel {
    let has = |when| merge.clauses.iter().any(|clause| clause.when == when);
    match (has(ast::MergeWhen::NotMatchedByTarget), has(ast::MergeWhen::NotMatchedBySource)) {
        (true, true) => Rel::join(JoinKind::FullOuter, target, source, on),
        (true, false) => Rel::join(JoinKind::LeftOuter, source, target, on),
        (false, true) => Rel::join(JoinKind::LeftOuter, target, source, on),
        (false, false) => Rel::join(JoinKind::Inner, target, source, on),
    }
}

fn change_of(action: &ast::MergeAction) -> Change {
    match action {
        ast::MergeAction::Update(_) => Change::Update,
        ast::MergeAction::Delete => Change::Delete,
        ast::MergeAction::Insert { .. } | ast::MergeAction::InsertDefaultValues => Change::Insert,
    }
}
