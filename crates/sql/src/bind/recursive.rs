//! Recursive common table expressions: `anchor UNION ALL recursive`, where the recursive part names the CTE itself.

use std::collections::HashSet;

use types::{SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::errors;
use super::names::{folded, same_name};
use super::query::{Bound, Use};
use super::scope::{CteScope, WorkTable};
use super::variables::{Found, visit_body};
use crate::ast;
use crate::optimize::{Branch, Output, Rel};

impl Binder<'_> {
    /// Common table expressions and namespaces of XML. 40510 for what changes would be tracked as.
    pub fn check_ctes(&mut self, with: &ast::With) -> SqlResult<()> {
        if !with.xml_namespaces.is_empty() {
            self.xml_namespaces = super::xml::namespaces(&with.xml_namespaces)?;
        }
        if with.change_tracking_context.is_some() {
            return Err(errors::unsupported("WITH CHANGE_TRACKING_CONTEXT"));
        }
        let mut names = HashSet::new();
        for cte in &with.ctes {
            if !names.insert(folded(&cte.name)) {
                return Err(sql_error!(239, &*cte.name).at_line(cte.line));
            }
        }
        Ok(())
    }

    /// `scope`: what the CTE's body sees, itself not among it.
    pub fn recursive_cte(&mut self, cte: &ast::Cte, scope: &CteScope) -> SqlResult<Bound> {
        let name = &*cte.name.text;
        let ast::QueryBody::SetOperation(operation) = &cte.query.body else {
            return Err(sql_error!(252, name));
        };
        let first = operation.rest.iter().position(|(_, body)| mentions(body, &cte.name));
        let Some(first) = first.filter(|_| !mentions(&operation.first, &cte.name)) else {
            return Err(sql_error!(246, name));
        };
        if operation.rest[first..].iter().any(|(operator, _)| *operator != ast::SetOperator::UnionAll) {
            return Err(sql_error!(252, name));
        }
        if operation.rest[first..].iter().any(|(_, body)| !mentions(body, &cte.name)) {
            return Err(sql_error!(247, name));
        }
        let mut anchors = vec![self.member(&operation.first, scope)?];
        for (operator, body) in &operation.rest[..first] {
            let right = self.member(body, scope)?;
            let left = anchors.pop().expect("there is a first anchor");
            anchors.push(self.combine(*operator, vec![left, right])?);
        }
        let anchor = anchors.pop().expect("there is a first anchor");
        let types: Vec<SqlType> = anchor.outputs.iter().map(|output| output.expr.ty).collect();
        let names: Vec<Box<str>> = anchor
            .outputs
            .iter()
            .enumerate()
            .map(|(i, output)| cte.columns.get(i).map_or_else(|| output.name.clone(), |ident| ident.text.clone()))
            .collect();
        let of_anchor: Vec<_> = anchor.outputs.iter().map(|output| self.mask_of(&output.expr)).collect();
        let columns = names.iter().cloned().zip(types.iter().copied()).collect();
        let mut work = WorkTable { id: self.work_tables, columns, masks: of_anchor.clone() };
        self.work_tables += 1;
        let mut parts = self.recursive_parts(&operation.rest[first..], &work, scope, name)?;
        // What a round masks anew the next one reads: until there is nothing more.
        loop {
            let masks = self.masks_of_rounds(&of_anchor, &parts);
            if masks == work.masks {
                break;
            }
            work.masks = masks;
            parts = self.recursive_parts(&operation.rest[first..], &work, scope, name)?;
        }
        let recursive = if parts.len() == 1 {
            parts.remove(0)
        } else {
            let ids: Vec<_> = types.iter().map(|ty| self.columns.add(*ty, true)).collect();
            Branch { columns: ids.clone(), rel: Rel::Concat { ids, branches: parts } }
        };
        let anchor = self.branch(anchor, &types)?;
        let ids: Vec<_> = types.iter().map(|ty| self.columns.add(*ty, true)).collect();
        ids.iter().zip(work.masks).for_each(|(&id, mask)| self.columns.set_mask(id, mask));
        let outputs =
            names.into_iter().zip(&ids).map(|(name, &id)| Output { name, expr: self.columns.expr(id) }).collect();
        let rel = Rel::Recursive {
            ids,
            anchor: Box::new(anchor),
            recursive: Box::new(recursive),
            work_table: work.id,
            rounds_max: self.rounds_max,
        };
        Ok(Bound::new(rel, outputs))
    }

    fn recursive_parts(
        &mut self,
        parts: &[(ast::SetOperator, ast::QueryBody)],
        work: &WorkTable,
        scope: &CteScope,
        name: &str,
    ) -> SqlResult<Vec<Branch>> {
        let inside = CteScope { recursive: Some(work), ..*scope };
        let (names, types): (Vec<Box<str>>, Vec<SqlType>) = work.columns.iter().cloned().unzip();
        let mut bound = Vec::new();
        for (_, body) in parts {
            check_references(body, name)?;
            let part = self.member(body, &inside)?;
            if part.outputs.len() != types.len() {
                return Err(sql_error!(205));
            }
            bound.push(self.exact_branch(part, &types, &names, name)?);
        }
        Ok(bound)
    }

    fn member(&mut self, body: &ast::QueryBody, scope: &CteScope) -> SqlResult<Bound> {
        let query = ast::Query {
            with: None,
            body: body.clone(),
            order_by: Vec::new(),
            offset: None,
            fetch: None,
            for_clause: None,
            options: Vec::new(),
            line: 0,
        };
        self.query(&query, None, Some(scope), Use::Nested)
    }
}

impl CteScope<'_> {
    /// The recursive CTE in whose recursive part a query stands.
    pub fn recursive_name(&self) -> Option<&str> {
        self.recursive.map(|_| &*self.ctes[self.visible].name.text)
    }

    /// What no query of a recursive part may have, those inside others neither: a round sees a part of the rows only. 460, 461, 467.
    pub fn check_select(&self, select: &ast::Select, offset: bool, grouped: bool) -> SqlResult<()> {
        match self.recursive_name() {
            Some(name) if select.distinct => Err(sql_error!(460, name)),
            Some(name) if select.top.is_some() || offset => Err(sql_error!(461, name)),
            Some(name) if grouped => Err(sql_error!(467, name)),
            _ => Ok(()),
        }
    }

    /// 4190
    pub fn check_pivot(&self) -> SqlResult<()> {
        self.recursive_name().map_or(Ok(()), |name| Err(sql_error!(4190, name)))
    }

    /// 462
    pub fn check_join(&self, kind: ast::JoinKind) -> SqlResult<()> {
        use ast::JoinKind::{Full, Left, OuterApply, Right};
        match self.recursive_name() {
            Some(name) if matches!(kind, Left | Right | Full | OuterApply) => Err(sql_error!(462, name)),
            _ => Ok(()),
        }
    }
}

/// A recursive part names its CTE once, in a FROM. 253, 465.
fn check_references(body: &ast::QueryBody, cte: &str) -> SqlResult<()> {
    let in_from = references(body, cte);
    let mut all = 0;
    visit_body(body, &mut |found| {
        all += usize::from(matches!(found, Found::Named(name) if is_reference(name, cte)));
    });
    match in_from {
        _ if all > in_from => Err(sql_error!(465)),
        0 | 1 => Ok(()),
        _ => Err(sql_error!(253, cte)),
    }
}

pub fn mentions(body: &ast::QueryBody, cte: &str) -> bool {
    references(body, cte) > 0
}

/// How often a FROM within the body names `cte` (subqueries in expressions may not, so they are not looked at).
fn references(body: &ast::QueryBody, cte: &str) -> usize {
    match body {
        ast::QueryBody::Select(select) => select.from.iter().map(|table| table_references(table, cte)).sum(),
        ast::QueryBody::Nested(query) => references(&query.body, cte),
        ast::QueryBody::SetOperation(operation) => {
            let rest = operation.rest.iter().map(|(_, body)| references(body, cte));
            references(&operation.first, cte) + rest.sum::<usize>()
        }
    }
}

fn is_reference(name: &ast::ObjectName, cte: &str) -> bool {
    name.is_unqualified() && same_name(&name.name, cte)
}

fn table_references(table: &ast::TableRef, cte: &str) -> usize {
    match table {
        ast::TableRef::Table(name) => usize::from(is_reference(&name.name, cte)),
        ast::TableRef::Derived(derived) => references(&derived.query.body, cte),
        ast::TableRef::Join(chain) => {
            let joined = chain.joins.iter().map(|join| table_references(&join.right, cte));
            table_references(&chain.first, cte) + joined.sum::<usize>()
        }
        ast::TableRef::Pivot(pivot) => table_references(&pivot.source, cte),
        ast::TableRef::Unpivot(unpivot) => table_references(&unpivot.source, cte),
        _ => 0,
    }
}
