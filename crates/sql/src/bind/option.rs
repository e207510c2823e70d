//! What OPTION (...) says of a statement beyond how it is planned: hints of tables and plans are looked at, so that none is taken that means
//! nothing. https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-query

use std::sync::Arc;

use types::pause::Pacer;
use types::xml::{Source as XmlSource, parse};
use types::{SqlResult, sql_error};

use super::binder::{Binder, HintedTable, TableHints};
use super::names::{display, same_name};
use crate::ast;
use crate::catalog::TableDef;

/// The root of every plan by Microsoft's showplan schema.
const PLAN_ROOT: &str = "ShowPlanXML";

/// Which index is read, and how, changes no row; all other words do.
fn semantic(hints: &[ast::TableHint]) -> impl Iterator<Item = &str> {
    hints.iter().filter_map(|hint| match hint {
        ast::TableHint::Word(word) if !matches!(&**word, "FORCESEEK" | "FORCESCAN") => Some(&**word),
        _ => None,
    })
}

/// 8695 and 94xx for what is no plan, 6913 for XML that is none.
pub fn check_plan(plan: &str) -> SqlResult<()> {
    if plan.trim().is_empty() {
        return Err(sql_error!(8695));
    }
    let text = parse(plan, XmlSource::Wide, false, &mut Pacer::none())?;
    let root = text.find('<').map_or("", |at| &text[at + 1..]);
    let root = root.split([' ', '>', '/']).next().unwrap_or_default();
    let local = root.rsplit(':').next().unwrap_or_default();
    match local == PLAN_ROOT {
        true => Ok(()),
        false => Err(sql_error!(6913, local, format_args!("/*:{local}[1]"))),
    }
}

/// 1042: one hint has two values. 4131: so has one variable of OPTIMIZE FOR.
pub fn check_repeated(hints: &[ast::QueryHint]) -> SqlResult<()> {
    for (at, hint) in hints.iter().enumerate() {
        match hint {
            ast::QueryHint::Value(name, value) => {
                let other = |earlier: &ast::QueryHint| matches!(earlier, ast::QueryHint::Value(own, given) if own == name && given != value);
                if hints[..at].iter().any(other) {
                    return Err(sql_error!(1042, &**name));
                }
            }
            ast::QueryHint::OptimizeFor(list) => {
                let repeated = list.iter().enumerate().find(|(at, (variable, _))| {
                    list[..*at].iter().any(|(earlier, _)| same_name(&earlier.name, &variable.name))
                });
                if let Some((_, (variable, _))) = repeated {
                    return Err(sql_error!(4131, &*variable.name));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Binder<'_> {
    pub fn table_hint(&mut self, name: &ast::ObjectName, hints: &[ast::TableHint]) -> SqlResult<()> {
        let shown = display(name);
        if self.table_hints.asked.iter().any(|(own, _)| same_name(&display(own), &shown)) {
            return Err(sql_error!(8720, shown));
        }
        self.table_hints.asked.push((name.clone(), hints.to_vec()));
        Ok(())
    }

    /// A table of the statement, once it is known.
    pub fn hinted(
        &mut self,
        table: &Arc<TableDef>,
        name: &ast::ObjectName,
        alias: Option<&ast::Ident>,
        hints: &[ast::TableHint],
    ) {
        if self.table_hints.asked.is_empty() {
            return;
        }
        let schema = match alias {
            None => Some(name.schema.as_ref().map_or_else(|| table.schema.clone(), |schema| schema.text.clone())),
            Some(_) => None,
        };
        let alias = alias.unwrap_or(&name.name).text.clone();
        let words = semantic(hints).map(Box::from).collect();
        self.table_hints.tables.push(HintedTable { alias, schema, table: table.clone(), words });
    }

    /// 8723, 8722, 308: what TABLE HINT says is of a table of the statement, and of an index of that.
    pub fn check_table_hints(&self) -> SqlResult<()> {
        let TableHints { asked, tables } = &self.table_hints;
        for (name, hints) in asked {
            let shown = display(name);
            let is_meant = |table: &&HintedTable| {
                let schema = name
                    .schema
                    .as_ref()
                    .is_none_or(|schema| table.schema.as_ref().is_some_and(|own| same_name(own, schema)));
                schema && same_name(&table.alias, &name.name)
            };
            let Some(table) = tables.iter().find(is_meant) else {
                return Err(sql_error!(8723, shown));
            };
            let differ =
                |word: &str, says: &str, other: &str| sql_error!(8722, word.to_ascii_lowercase(), says, &shown, other);
            if let Some(word) = semantic(hints).find(|word| !table.words.iter().any(|own| &**own == *word)) {
                return Err(differ(word, "TABLE HINT", "WITH"));
            }
            if let Some(word) = table.words.iter().find(|word| !semantic(hints).any(|own| own == &***word)) {
                return Err(differ(word, "WITH", "TABLE HINT"));
            }
            for hint in hints {
                match hint {
                    ast::TableHint::Index(list) => {
                        list.iter()
                            .try_for_each(|index| super::from::index_id(&table.table, index, &shown).map(|_| ()))?;
                    }
                    ast::TableHint::ForceSeek { index, .. } => {
                        super::from::index_id(&table.table, index, &shown)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
