//! TABLESAMPLE: each row is taken by chance. SQL Server takes or leaves whole pages; how many rows come is near to what is asked in both.
//!
//! https://learn.microsoft.com/sql/t-sql/queries/from-transact-sql

use types::{Datum, SqlResult, TypeKind, sql_error};

use super::binder::Binder;
use super::scope::{FromRel, Scope};
use crate::ast;
use crate::catalog::TableDef;
use crate::optimize::Rel;
use crate::plan::ExprKind;

/// What a row's chance is counted in: parts of so many.
const PARTS: f64 = 1_000_000.0;

impl Binder<'_> {
    /// The rows of a table, of which the clause wants some.
    pub fn sampled(
        &mut self,
        sample: &ast::TableSample,
        table: &TableDef,
        (rel, sources): FromRel,
    ) -> SqlResult<FromRel> {
        let asked = self.sample_number(&sample.count)?;
        let chance = match sample.rows {
            true if asked < 1.0 => return Err(sql_error!(479, asked as i64, table.name)),
            true => asked / self.catalog.row_count(table).max(1) as f64,
            false if (0.0..=100.0).contains(&asked) => asked / 100.0,
            false => return Err(sql_error!(476, format!("{asked:.6}"), table.name)),
        };
        let parts = (chance.min(1.0) * PARTS) as i64;
        let drawn = match &sample.seed {
            None => "NEWID()".to_owned(),
            Some(seed) => {
                let seed = self.sample_number(seed)?;
                if seed < 1.0 {
                    return Err(sql_error!(479, seed as i64, table.name));
                }
                format!("CONCAT_WS('|', {seed}, '', {})", values_of(table).join(", "))
            }
        };
        let drawn = format!("CONVERT(bigint, CONVERT(binary(4), HASHBYTES('MD5', CONVERT(nvarchar(4000), {drawn}))))");
        let text = super::modules::parse_condition(&format!("{drawn} % {PARTS} < {parts}"))?;
        let scope = Scope { sources: &sources, parent: None, ctes: None, block: None };
        let test = self.expand(|binder| binder.without_variables(|binder| binder.expr(&text, &scope)))?;
        Ok((Rel::Filter { input: Box::new(rel), predicates: vec![test] }, sources))
    }

    /// A number of the clause: a constant. 497 for a variable, 482 for what else is none.
    fn sample_number(&mut self, written: &ast::Expr) -> SqlResult<f64> {
        if matches!(written, ast::Expr::Variable(_)) {
            return Err(sql_error!(497));
        }
        let value = self.expr(written, &Scope::EMPTY)?;
        match &value.kind {
            ExprKind::Literal(Datum::I64(number)) if value.ty.is_integer() => Ok(*number as f64),
            ExprKind::Literal(Datum::I128(number)) => Ok(*number as f64 / 10_f64.powi(i32::from(value.ty.scale))),
            ExprKind::Literal(Datum::F64(number)) => Ok(*number),
            _ => Err(sql_error!(482)),
        }
    }
}

/// What tells rows apart, as T-SQL writes it: the columns of a unique key, else all that can be texts.
fn values_of(table: &TableDef) -> Vec<String> {
    let quoted = |at: usize| format!("[{}]", table.columns[at].name.replace(']', "]]"));
    let unique = table.indexes.iter().find(|index| index.unique && index.filter.is_empty());
    match unique {
        Some(index) => index.key.iter().map(|(column, _)| quoted(usize::from(*column))).collect(),
        None => {
            use TypeKind::{Binary, Image, NText, RowVersion, SqlVariant, Text, VarBinary, Xml};
            let is_text =
                |kind| !matches!(kind, Binary | Image | NText | RowVersion | SqlVariant | Text | VarBinary | Xml);
            let columns = table.columns.iter().enumerate();
            let texts = columns.filter(|(_, column)| is_text(column.ty.kind)).map(|(at, _)| quoted(at));
            std::iter::once("''".to_owned()).chain(texts).collect()
        }
    }
}
