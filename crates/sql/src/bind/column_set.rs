//! Column sets: what is assigned to one goes to the sparse columns that it stands for. Reading one needs nothing here: its definition is
//! a FOR XML of them, which the catalog writes.
//!
//! https://learn.microsoft.com/sql/relational-databases/tables/use-column-sets

use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::converted;
use crate::catalog::{ColumnDef, TableDef};
use crate::function::FunctionId;
use crate::plan::{Expr, ExprKind};

/// 360: a list of targets with `column` and `before` has a column set and a sparse column of it.
pub fn refuse_both(table: &TableDef, column: u16, before: &[u16]) -> SqlResult<()> {
    let of = |column: &u16| &table.columns[usize::from(*column)];
    let (has_set, has_part) = (of(&column).is_set(), of(&column).in_set());
    let both = has_set && before.iter().any(|other| of(other).in_set())
        || has_part && before.iter().any(|other| of(other).is_set());
    if both { Err(sql_error!(360)) } else { Ok(()) }
}

/// The element that stands for a column: what a name may not hold is written `_xHHHH_`, as FOR XML does.
pub fn element(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for (at, c) in name.chars().enumerate() {
        let first = c.is_alphabetic() || c == '_';
        let later = c.is_alphanumeric() || matches!(c, '-' | '.');
        if first || at > 0 && later {
            out.push(c);
        } else {
            out.push_str(&format!("_x{:04X}_", c as u32));
        }
    }
    out
}

impl Binder<'_> {
    /// `values` with a part for each sparse column in place of the column set's value: NULL for those that it does not name. None: no
    /// column set is among them.
    pub fn set_apart(&mut self, table: &TableDef, values: &[(u16, Expr)]) -> SqlResult<Option<Vec<(u16, Expr)>>> {
        let is_set = |column: u16| table.columns[usize::from(column)].is_set();
        let Some((set, whole)) = values.iter().find(|(column, _)| is_set(*column)) else { return Ok(None) };
        let name = &table.columns[usize::from(*set)].name;
        let parts = || table.columns.iter().enumerate().filter(|(_, column)| column.in_set());
        let mut out: Vec<(u16, Expr)> = values.iter().filter(|(column, _)| column != set).cloned().collect();
        // The first part looks at the whole value.
        let mut known: Vec<String> = parts().map(|(_, column)| element(&column.name)).collect();
        for (at, column) in parts() {
            let value = self.part_of_set(whole, name, &std::mem::take(&mut known), column);
            out.push((at as u16, value));
        }
        Ok(Some(out))
    }

    fn part_of_set(&self, whole: &Expr, set: &str, known: &[String], column: &ColumnDef) -> Expr {
        let text = |text: &str| {
            let ty = SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation());
            Expr::literal(ty, Datum::nvarchar(text))
        };
        let call = |function: FunctionId, path: String, ty: SqlType| {
            let mut arguments = vec![whole.clone(), text(&path), text("")];
            if function == FunctionId::XmlSparse {
                arguments.extend([text(set), text(&known.join("/"))]);
            }
            Expr::new(ty, true, ExprKind::Function(function, arguments))
        };
        let name = element(&column.name);
        let path = format!("(/{name})[1]");
        let wide = SqlType::NVARCHAR_MAX.with_collation(self.catalog.collation());
        match column.ty.kind {
            TypeKind::Xml => {
                let missing = ExprKind::IsNull(Box::new(call(FunctionId::XmlSparse, path, wide)));
                let inner = call(FunctionId::XmlQuery, format!("(/{name})[1]/node()"), SqlType::XML);
                let branches = vec![(Expr::new(SqlType::BIT, false, missing), Expr::null(column.ty))];
                let otherwise = Some(Box::new(converted(inner, &column.ty, false)));
                Expr::new(column.ty, true, ExprKind::Case { branches, otherwise })
            }
            TypeKind::SqlVariant => {
                let ty = SqlType::nvarchar(4000).with_collation(self.catalog.collation());
                converted(call(FunctionId::XmlSparse, path, ty), &column.ty, false)
            }
            TypeKind::HierarchyId => converted(call(FunctionId::XmlSparse, path, wide), &column.ty, false),
            _ => call(FunctionId::XmlSparse, path, column.ty),
        }
    }
}
