//! MERGE: one join of target and source, and for each WHEN an action with its condition.

use types::SqlResult;

use super::binder::{Binder, Block, Place};
use super::dml::{Changes, InsertTarget, RowTarget, SourceLayout, find_get, fitted, positioned, spooled, stored_ids};
use super::errors;
use super::expr::not;
use super::scope::{CteScope, Scope, SourceColumns};
use crate::ast;
use crate::optimize::{ColumnSet, Rel};
use crate::plan::{ActionKind, Expr, ExprKind, JoinKind, Modify, ModifyAction, QueryKind, TableSource};
use types::SqlType;

impl Binder<'_> {
    pub fn merge(&mut self, merge: &ast::Merge) -> SqlResult<QueryKind> {
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
        let target_ref = match &merge.target {
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
        };
        let (mut left, mut sources) = self.table_ref(&target_ref, None, ctes, block)?;
        let SourceColumns::Table { table, first } = sources[0].columns.clone() else {
            return Err(errors::plain(
                5316,
                16,
                1,
                "The target of a MERGE statement cannot be a remote table, a remote view, or a view over remote tables.",
            ));
        };
        let locator = self.columns.add(SqlType::varbinary(64), true);
        let get = find_get(&mut left, first).expect("a table is read by a Get");
        if let TableSource::Variable(slot, _) = &get.source {
            self.check_not_readonly(slot.0 as usize)?;
        }
        get.lock.update |= !get.lock.no_lock && !get.lock.exclusive;
        get.locator = Some(locator);
        let target = RowTarget { source: get.source.clone(), table: table.clone(), first, locator };
        let (right, right_sources) = self.table_ref(&merge.source, None, ctes, block)?;
        let present = self.columns.add(SqlType::BIT, true);
        let right = right.map(vec![(present, Expr::bit(true))]);
        sources.extend(right_sources);
        let scope = Scope { sources: &sources, parent: None, ctes, block: Some(block) };
        let mut on = Vec::new();
        self.expr(&merge.on, &scope)?.split_and(&mut on);

        let by_target = merge.clauses.iter().any(|clause| clause.when == ast::MergeWhen::NotMatchedByTarget);
        let by_source = merge.clauses.iter().any(|clause| clause.when == ast::MergeWhen::NotMatchedBySource);
        let mut rel = match (by_target, by_source) {
            (true, true) => Rel::join(JoinKind::FullOuter, left, right, on),
            (true, false) => Rel::join(JoinKind::LeftOuter, right, left, on),
            (false, true) => Rel::join(JoinKind::LeftOuter, left, right, on),
            (false, false) => Rel::join(JoinKind::Inner, left, right, on),
        };
        if let Some(top) = &merge.top {
            rel = self.top_rows(rel, top)?;
        }

        let mut layout = SourceLayout { ids: stored_ids(&table, first) };
        layout.ids.push(locator);
        layout.ids.push(present);
        let none = ColumnSet::default();
        self.blocks[block].place = Place::Set;
        let is_missing = |id: crate::optimize::ColumnId, ty: SqlType| {
            Expr::new(SqlType::BIT, false, ExprKind::IsNull(Box::new(Expr::column(id.index(), ty, true))))
        };
        let mut bound: Vec<(Expr, Pending)> = Vec::new();
        let mut set_columns = Vec::new();
        let identity_insert = self.options.identity_insert == Some((table.database, table.object));
        for clause in &merge.clauses {
            let no_target = is_missing(locator, SqlType::varbinary(64));
            let no_source = is_missing(present, SqlType::BIT);
            let mut conditions = match clause.when {
                ast::MergeWhen::Matched => vec![not(no_target), not(no_source)],
                ast::MergeWhen::NotMatchedByTarget => vec![no_target],
                ast::MergeWhen::NotMatchedBySource => vec![no_source],
            };
            let visible = match clause.when {
                ast::MergeWhen::Matched => &sources[..],
                ast::MergeWhen::NotMatchedByTarget => &sources[1..],
                ast::MergeWhen::NotMatchedBySource => &sources[..1],
            };
            let here = Scope { sources: visible, parent: None, ctes, block: Some(block) };
            if let Some(condition) = &clause.condition {
                self.expr(condition, &here).map_err(|e| e.at_line(clause.line))?.split_and(&mut conditions);
            }
            let names = Scope { sources: &sources[..1], parent: None, ctes: None, block: None };
            let action = match &clause.action {
                ast::MergeAction::Update(set) => {
                    let values = self.set_clauses(set, &target, &names, &here).map_err(|e| e.at_line(clause.line))?;
                    set_columns.extend(values.set.iter().map(|(column, _)| *column));
                    Pending::Update(values.set, values.assign)
                }
                ast::MergeAction::Delete => Pending::Delete,
                ast::MergeAction::Insert { columns, values } => {
                    let into = InsertTarget {
                        source: target.source.clone(),
                        columns: table.columns.iter().enumerate().map(|(i, c)| (c.name.clone(), i as u16)).collect(),
                        table: table.clone(),
                        name: table.name.to_string(),
                    };
                    let columns = self.insert_columns(&into, columns, identity_insert)?;
                    if columns.len() != values.len() {
                        return Err(errors::plain(
                            10709,
                            16,
                            1,
                            "The number of columns in the INSERT clause of MERGE must match the number of values.",
                        )
                        .at_line(clause.line));
                    }
                    let mut given = Vec::with_capacity(values.len());
                    for (value, column) in values.iter().zip(columns) {
                        let def = &table.columns[column as usize];
                        let value = match value {
                            ast::Expr::Default => {
                                if def.identity.is_some() {
                                    continue;
                                }
                                self.default_value(def)?
                            }
                            value => fitted(self.expr(value, &here)?, def)?,
                        };
                        given.push((column, value));
                    }
                    Pending::Insert(given)
                }
                ast::MergeAction::InsertDefaultValues => Pending::Insert(Vec::new()),
            };
            let condition = Expr::all(conditions).expect("every WHEN has a condition");
            layout.read(&condition, &none);
            match &action {
                Pending::Update(set, assign) => {
                    set.iter().for_each(|(_, e)| layout.read(e, &none));
                    assign.iter().for_each(|(_, e)| layout.read(e, &none));
                }
                Pending::Insert(given) => given.iter().for_each(|(_, e)| layout.read(e, &none)),
                Pending::Delete => {}
            }
            bound.push((condition, action));
        }
        let (output, layout) = match &merge.output {
            Some(output) => {
                let changes = Changes { inserted: true, deleted: true };
                let (output, layout) = self.output(output, &table, &sources, layout, changes, 0)?;
                (Some(output), layout)
            }
            None => (None, layout),
        };
        let mut actions = Vec::with_capacity(bound.len());
        for (condition, pending) in bound {
            let kind = match pending {
                Pending::Delete => ActionKind::Delete,
                Pending::Update(set, assign) => ActionKind::Update {
                    set: set
                        .into_iter()
                        .map(|(column, value)| {
                            let ordinal = table.stored[column as usize].expect("computed columns are refused");
                            (ordinal, positioned(value, &layout.ids))
                        })
                        .collect(),
                    computed: self.computed_columns(&table)?,
                    assign: assign.into_iter().map(|(slot, value)| (slot, positioned(value, &layout.ids))).collect(),
                },
                Pending::Insert(given) => {
                    let given: Vec<(u16, Expr)> =
                        given.into_iter().map(|(column, value)| (column, positioned(value, &layout.ids))).collect();
                    ActionKind::Insert(self.insert_row(&table, &given, identity_insert)?)
                }
            };
            actions.push(ModifyAction { condition: Some(positioned(condition, &layout.ids)), kind });
        }
        // The join reads the target while rows of it change and appear: read to the end first.
        let source = spooled(self.lower_source(rel, &layout));
        let inserts = actions.iter().any(|action| matches!(action.kind, ActionKind::Insert(_)));
        let checks = self.checks(&table, if inserts { None } else { Some(&set_columns) })?;
        Ok(QueryKind::Modify(Box::new(Modify {
            target: target.source,
            source,
            actions,
            verb: "MERGE",
            output,
            checks,
            identity_insert,
            current_of: None,
            top: None,
        })))
    }
}

/// An action whose expressions still hold column ids.
enum Pending {
    Update(Vec<(u16, Expr)>, Vec<(crate::plan::VariableSlot, Expr)>),
    Insert(Vec<(u16, Expr)>),
    Delete,
}
