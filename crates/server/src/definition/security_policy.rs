//! CREATE and ALTER SECURITY POLICY: which function says for which rows of which tables what may be done with them.
//! https://learn.microsoft.com/sql/t-sql/statements/create-security-policy-transact-sql, and alter-security-policy-transact-sql

use std::sync::Arc;

use sql::ast::{
    BlockedOperation, ColumnName, Expr, ObjectName, PredicateChange, PredicateFunction, PredicateVerb, SecurityPolicy,
};
use sql::bind::References;
use sql::catalog::{Guarded, ObjectId};
use types::{SqlError, SqlResult, sql_error};

use super::rights::{expect, in_schema};
use super::schema_binding;
use super::site::{Ddl, has, is_system, written};
use super::text;
use super::view_index;
use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, ObjectRow, ReferenceRow, class, object_status as os_};
use crate::catalog::load::{self, int, small};
use crate::catalog::predicate::{self, Of, Predicate};
use crate::security::check::{Decision, Securable};
use crate::security::hierarchy::{self, Class};

/// As the other small integers of the catalog.
const ID_MAX: i32 = i32::MAX;

/// 33268
fn cannot_find(name: &ObjectName) -> SqlError {
    sql_error!(33268, written(name))
}

/// Whether the session may run it, as far as that does not hang on what it names.
pub fn may_run(ddl: &mut Ddl<'_>, statement: &SecurityPolicy) -> SqlResult<()> {
    let db = ddl.current()?;
    let held = ddl.database_permission(&db, "ALTER ANY SECURITY POLICY")?;
    if statement.alter {
        return expect(held, || cannot_find(&statement.name));
    }
    expect(held, || sql_error!(15247))?;
    in_schema(ddl, &db, statement.name.schema.as_deref())
}

pub fn run(ddl: &mut Ddl<'_>, statement: &SecurityPolicy) -> SqlResult<()> {
    if statement.name.database.is_some() || statement.name.server.is_some() || statement.name.is_temporary() {
        return Err(sql_error!(33259, written(&statement.name)));
    }
    let (db, policy) = if statement.alter { altered(ddl, statement)? } else { created(ddl, statement)? };
    let mut predicates = ddl.rows(&db, |rows| predicate::of_policy(rows, policy.id))?;
    // Whoever reads or changes one of these tables now has ended before the statement goes on.
    let mut targets: Vec<i32> = predicates.iter().map(|predicate| predicate.target).collect();
    let mut last = policy.intprop;
    for change in &statement.predicates {
        let policy = Policy { row: &policy, name: &statement.name };
        apply(ddl, &db, &policy, change, &mut predicates, &mut last).map_err(|error| error.at_line(change.line))?;
    }
    targets.extend(predicates.iter().map(|predicate| predicate.target));
    targets.sort_unstable();
    targets.dedup();
    for target in &targets {
        ddl.lock(&db, *target)?;
    }
    let mut status = policy.status;
    let mut set = |bit: i32, on: Option<bool>| match on {
        Some(true) => status |= bit,
        Some(false) => status &= !bit,
        None => {}
    };
    set(os_::DISABLED, statement.state.map(|on| !on));
    set(os_::NOT_FOR_REPLICATION, statement.not_for_replication);
    if !has(status, os_::DISABLED) {
        for one in &predicates {
            refuse_second(ddl, &db, &policy, one)?;
        }
    }
    ddl.rows(&db, |rows| {
        predicate::keep(rows, policy.id, &predicates)?;
        rows.delete::<ReferenceRow>(0, &[int(policy.id), small(class::OBJECT)])?;
        rows.update::<ObjectRow>(0, &[int(policy.id)], |row| {
            row.status = status;
            row.intprop = last;
        })
    })?;
    if has(status, os_::SCHEMA_BOUND) {
        let references = references(ddl, &db, &predicates)?;
        schema_binding::keep(ddl, &db, policy.id, &references)?;
    }
    targets.iter().for_each(|target| ddl.changed(db.id, *target));
    ddl.touch(&db, policy.id)
}

/// Before the policy is dropped.
pub fn release(ddl: &mut Ddl<'_>, db: &Arc<Database>, policy: i32) -> SqlResult<()> {
    for predicate in ddl.rows(db, |rows| predicate::of_policy(rows, policy))? {
        ddl.lock(db, predicate.target)?;
        ddl.changed(db.id, predicate.target);
    }
    Ok(())
}

fn created(ddl: &mut Ddl<'_>, statement: &SecurityPolicy) -> SqlResult<(Arc<Database>, ObjectRow)> {
    let place = ddl.place(&statement.name)?;
    let status = if statement.schemabinding == Some(false) { 0 } else { os_::SCHEMA_BOUND };
    let id = ddl.add_object(&place, "SP", 0, status, 0)?;
    let row = ddl.rows(&place.db, |rows| load::object_row(rows, id))?;
    Ok((place.db, row.expect("just made")))
}

fn altered(ddl: &mut Ddl<'_>, statement: &SecurityPolicy) -> SqlResult<(Arc<Database>, ObjectRow)> {
    let Some((db, row)) = ddl.find(&statement.name)? else { return Err(cannot_find(&statement.name)) };
    if row.kind.as_str() != "SP" {
        return Err(sql_error!(33271, written(&statement.name)));
    }
    ddl.lock(&db, row.id)?;
    let row = ddl.rows(&db, |rows| load::object_row(rows, row.id))?;
    Ok((db, row.ok_or_else(|| cannot_find(&statement.name))?))
}

/// What is being changed.
struct Policy<'a> {
    row: &'a ObjectRow,
    /// As written.
    name: &'a ObjectName,
}

impl Policy<'_> {
    fn is_bound(&self) -> bool {
        has(self.row.status, os_::SCHEMA_BOUND)
    }

    /// 4512: what a schema-bound policy names is named with its schema, in its own database.
    fn check_name(&self, name: &ObjectName) -> SqlResult<()> {
        if !self.is_bound() || name.schema.is_some() && name.database.is_none() && name.server.is_none() {
            return Ok(());
        }
        Err(sql_error!(4512, state 3, "security policy", written(self.name), written(name)))
    }
}

fn apply(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    policy: &Policy<'_>,
    change: &PredicateChange,
    predicates: &mut Vec<Predicate>,
    last: &mut i32,
) -> SqlResult<()> {
    let of = match change.block {
        false => Of::Filter,
        true => Of::Block(change.operation.map(|operation| match operation {
            BlockedOperation::AfterInsert => Guarded::AfterInsert,
            BlockedOperation::AfterUpdate => Guarded::AfterUpdate,
            BlockedOperation::BeforeUpdate => Guarded::BeforeUpdate,
            BlockedOperation::BeforeDelete => Guarded::BeforeDelete,
        })),
    };
    let target = target(ddl, db, policy, change)?;
    let at = predicates.iter().position(|one| one.target == target.id && one.of == of);
    let missing = || sql_error!(33261, written(policy.name), written(&change.table));
    let Some(function) = &change.function else {
        predicates.remove(at.ok_or_else(missing)?);
        return Ok(());
    };
    let at = match change.verb {
        PredicateVerb::Alter => Some(at.ok_or_else(missing)?),
        _ => None,
    };
    let call = call(ddl, db, policy, &target, function)?;
    if let Some(at) = at {
        predicates[at].call = call;
        return Ok(());
    }
    if predicates.iter().any(|one| one.target == target.id && one.of.overlaps(of)) {
        let kind = if change.block { "BLOCK" } else { "FILTER" };
        return Err(sql_error!(33262, kind, written(&change.table), written(policy.name)));
    }
    if *last == ID_MAX {
        return Err(sql_error!(33260, written(policy.name)));
    }
    *last += 1;
    predicates.push(Predicate { id: *last, target: target.id, of, call });
    Ok(())
}

/// The table or view whose rows it is about.
fn target(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    policy: &Policy<'_>,
    change: &PredicateChange,
) -> SqlResult<ObjectRow> {
    let name = &change.table;
    if name.is_temporary() {
        return Err(sql_error!(33269));
    }
    policy.check_name(name)?;
    let found = ddl.find(name)?.filter(|(own, _)| own.id == db.id);
    let Some((_, row)) = found else { return Err(cannot_find(name)) };
    let is_view = row.kind.as_str() == "V" && has(row.status, os_::SCHEMA_BOUND);
    if is_system(&row) || row.kind.as_str() != "U" && !is_view {
        return Err(sql_error!(33263, written(name)));
    }
    if is_view && change.block {
        return Err(sql_error!(33503, written(name)));
    }
    // What is stored of a view is read past the predicates of its tables.
    let has_views = !ddl.rows(db, |rows| load::views_of(rows, &row))?.is_empty();
    if has_views || is_view && view_index::clustered_index(ddl, db, row.id)?.is_some() {
        return Err(super::unsupported("CREATE SECURITY POLICY on an indexed view or a table of one"));
    }
    if !policy.is_bound() && has(row.status, os_::MEMORY_OPTIMIZED) {
        return Err(sql_error!(33511, written(name)));
    }
    Ok(row)
}

/// The call as it is kept, of a function that takes such arguments.
fn call(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    policy: &Policy<'_>,
    target: &ObjectRow,
    function: &PredicateFunction,
) -> SqlResult<String> {
    policy.check_name(&function.name)?;
    let shown = written(&function.name);
    let found = ddl.find(&function.name)?.filter(|(own, _)| own.id == db.id);
    let found = found.filter(|(_, row)| row.kind.as_str() == "IF");
    let Some((_, row)) = found else { return Err(sql_error!(33270, shown)) };
    if policy.is_bound() && !has(row.status, os_::SCHEMA_BOUND) {
        return Err(sql_error!(4513, state 2, "security policy", written(policy.name), shown));
    }
    let target_schema = ddl.rows(db, |rows| load::schema_name(rows, target.nsid))?;
    let target_name = format!("{target_schema}.{}", target.name);
    if has(target.status, os_::MEMORY_OPTIMIZED) && !has(row.status, os_::NATIVE) {
        return Err(sql_error!(33506, target_name, shown));
    }
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(target.id), small(0)]))?;
    let mut given = Vec::with_capacity(function.arguments.len());
    let mut used = Vec::new();
    for argument in &function.arguments {
        let mut argument = argument.clone();
        plain(&mut argument, &target.name, &mut |name| {
            used.extend(columns.iter().find(|column| db.equal_names(&column.name, &name.name)).map(|c| c.colid as u32));
        })?;
        let text = text::expression(&argument);
        given.push(text.ok_or_else(|| super::unsupported("CREATE SECURITY POLICY with such an argument"))?);
    }
    let schema = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
    let call = format!("{}.{}({})", text::bracket(&schema), text::bracket(&row.name), given.join(", "));
    let from = format!("{}.{}", text::bracket(&target_schema), text::bracket(&target.name));
    // Number and types of the arguments, and their columns.
    ddl.site.describe(&format!("SELECT 1 AS a FROM {from} AS t CROSS APPLY {call} AS p"))?;
    used.sort_unstable();
    used.dedup();
    may_add(ddl, db, target, &row, &used)?;
    Ok(call)
}

/// Literals, columns, the server's own functions, operators. `see`: what stands where a column may.
fn plain(expr: &mut Expr, table: &str, see: &mut dyn FnMut(&ColumnName)) -> SqlResult<()> {
    let line = match expr {
        Expr::Literal(_) | Expr::Niladic(_) => return Ok(()),
        Expr::Variable(variable) => return Err(sql_error!(137, variable.name).at_line(variable.line)),
        Expr::Column(column) => {
            // Elsewhere it is not known by which name the statement calls the table.
            if let Some(named) = column.table.take()
                && !named.name.eq_ignore_ascii_case(table)
            {
                let shown = format!("{}.{}", written(&named), &*column.name);
                return Err(sql_error!(4104, shown).at_line(column.line));
            }
            see(column);
            return Ok(());
        }
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => return plain(inner, table, see),
        Expr::Arithmetic(arithmetic) => {
            plain(&mut arithmetic.first, table, see)?;
            return arithmetic.rest.iter_mut().try_for_each(|(_, operand)| plain(operand, table, see));
        }
        Expr::Cast(cast) => return plain(&mut cast.operand, table, see),
        Expr::Convert(convert) => {
            plain(&mut convert.operand, table, see)?;
            return convert.style.iter_mut().try_for_each(|style| plain(style, table, see));
        }
        Expr::Call(call) if call.extra.is_none() && call.name.is_unqualified() => {
            return call.args.iter_mut().try_for_each(|argument| plain(argument, table, see));
        }
        Expr::InQuery(query) => query.line,
        Expr::Quantified(query) => query.line,
        Expr::Subquery(_) | Expr::Exists(_) => return Err(sql_error!(1046)),
        _ => return Err(super::unsupported("CREATE SECURITY POLICY with such an argument")),
    };
    Err(sql_error!(1046).at_line(line))
}

/// SELECT and REFERENCES of the function, REFERENCES of the table and of each column that is passed.
fn may_add(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    target: &ObjectRow,
    function: &ObjectRow,
    columns: &[u32],
) -> SqlResult<()> {
    for (row, permission, columns) in [
        (function, "SELECT", &[][..]),
        (function, "REFERENCES", &[]),
        (target, "REFERENCES", &[]),
        (target, "REFERENCES", columns),
    ] {
        let known = hierarchy::find(Class::Object, permission).expect("it is in the table");
        let decision = ddl.rights(|rights, look| {
            if rights.sysadmin(look)? {
                return Ok(Decision::Granted);
            }
            let on = Securable::object(look, db, row.id)?.expect("its row was found");
            rights.decide(look, Some(db), &on, known, columns)
        })?;
        let schema = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
        match decision {
            Decision::Granted => {}
            Decision::RefusedColumn(id) => {
                let column = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(row.id), small(0)]))?;
                let column = column.into_iter().find(|own| own.colid as u32 == id).map_or_else(String::new, |c| c.name);
                return Err(sql_error!(230, permission, column, row.name, db.name(), schema));
            }
            Decision::Refused => return Err(sql_error!(229, state 5, permission, row.name, db.name(), schema)),
        }
    }
    Ok(())
}

/// 33264: of two policies that would decide about one operation of a table one is disabled.
fn refuse_second(ddl: &mut Ddl<'_>, db: &Arc<Database>, policy: &ObjectRow, one: &Predicate) -> SqlResult<()> {
    let others = ddl.rows(db, |rows| predicate::policies_on(rows, one.target))?;
    for other in others.iter().filter(|other| other.id != policy.id && !has(other.status, os_::DISABLED)) {
        let theirs = ddl.rows(db, |rows| predicate::of_policy(rows, other.id))?;
        if theirs.iter().any(|own| own.target == one.target && own.of.overlaps(one.of)) {
            let mut named = |id: i32| -> SqlResult<String> {
                ddl.rows(db, |rows| match load::object_row(rows, id)? {
                    Some(row) => Ok(format!("{}.{}", load::schema_name(rows, row.nsid)?, row.name)),
                    None => Ok(String::new()),
                })
            };
            let (own, table, other) = (named(policy.id)?, named(one.target)?, named(other.id)?);
            return Err(sql_error!(33264, own, table, table, other));
        }
    }
    Ok(())
}

/// What a schema-bound policy depends on: its functions, its tables, and the columns that it passes.
fn references(ddl: &mut Ddl<'_>, db: &Arc<Database>, predicates: &[Predicate]) -> SqlResult<References> {
    let mut all = References::new();
    for one in predicates {
        let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(one.target), small(0)]))?;
        let (name, arguments) = sql::bind::predicate_call(&one.call)?;
        let function = ddl.find(&name)?;
        all.extend(function.map(|(_, row)| (ObjectId(row.id), 0)));
        all.insert((ObjectId(one.target), 0));
        for mut argument in arguments {
            plain(&mut argument, "", &mut |name| {
                let found = columns.iter().find(|column| db.equal_names(&column.name, &name.name));
                all.extend(found.map(|column| (ObjectId(one.target), column.colid as u32)));
            })?;
        }
    }
    Ok(all)
}
