//! OPENXML in FROM: a prepared document's nodes as rows.

use types::{SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::errors;
use super::names::{display, object_name};
use super::scope::{FromRel, Scope, SourceColumns};
use crate::ast;
use crate::catalog::Object;
use crate::plan::{Expr, OpenXmlColumn, TableFunction};

impl Binder<'_> {
    /// `arguments`: handle, pattern of the rows, flags. 208, 2715.
    pub fn open_xml(
        &mut self,
        (handle, pattern, flags): (&ast::Expr, &ast::Expr, Option<&ast::Expr>),
        schema: &ast::OpenXmlSchema,
        function: &ast::TableFunction,
        scope: &Scope,
    ) -> SqlResult<FromRel> {
        let collation = self.catalog.collation();
        let long = SqlType::NVARCHAR_MAX.with_collation(collation);
        let flags = match flags {
            Some(flags) => self.expr_as(flags, &SqlType::INT, scope)?,
            None => Expr::int(0),
        };
        let handle = self.expr_as(handle, &SqlType::INT, scope)?;
        let arguments = vec![handle, self.expr_as(pattern, &long, scope)?, flags];
        let (mut columns, mut types) = (Vec::new(), Vec::new());
        match schema {
            ast::OpenXmlSchema::None => return self.edge_table(arguments, function, long),
            ast::OpenXmlSchema::Columns(list) => {
                for column in list {
                    let pattern = match &column.path {
                        Some(ast::Expr::Literal(ast::Literal::String { text, .. })) => Some(text.clone()),
                        Some(_) => return Err(sql_error!(102, &*column.name)),
                        None => None,
                    };
                    let mut ty = self.data_type(&column.data_type, 1)?;
                    if let Some(name) = &column.collation {
                        ty.collation = self.collation(name)?;
                    }
                    let is_xml = ty.kind == TypeKind::Xml;
                    columns.push(OpenXmlColumn { name: column.name.text.clone(), pattern, is_xml });
                    types.push(ty);
                }
            }
            ast::OpenXmlSchema::Table(name) => {
                let Some(Object::Table(table)) = self.resolve(&object_name(name))? else {
                    return Err(errors::invalid_object(&display(name)));
                };
                for column in table.columns.iter().filter(|column| column.computed.is_none()) {
                    let is_xml = column.ty.kind == TypeKind::Xml;
                    columns.push(OpenXmlColumn { name: column.name.clone(), pattern: None, is_xml });
                    types.push(column.ty);
                }
            }
        }
        // The function gives text; each column is converted to its type here.
        let names: Vec<Box<str>> = columns.iter().map(|column| column.name.clone()).collect();
        let raw = names.iter().map(|name| (&**name, long, true)).collect();
        let function_of = TableFunction::OpenXml(columns);
        let alias = function.alias.as_ref();
        let (rel, mut sources) =
            self.leaf_function(function_of, arguments, raw, alias, &function.columns, "OPENXML")?;
        let mut defs = Vec::new();
        if let SourceColumns::List(list) = &mut sources[0].columns {
            for (column, ty) in list.iter_mut().zip(&types) {
                let value = Expr::column(column.id.index(), column.ty, true);
                let typed = self.cast(value, *ty, None, false)?;
                column.ty = typed.ty;
                column.id = self.as_column(typed, &mut defs);
            }
        }
        Ok((rel.map(defs), sources))
    }

    fn edge_table(&mut self, arguments: Vec<Expr>, function: &ast::TableFunction, long: SqlType) -> SqlResult<FromRel> {
        let columns = vec![
            ("id", SqlType::BIGINT, false),
            ("parentid", SqlType::BIGINT, true),
            ("nodetype", SqlType::INT, false),
            ("localname", long, true),
            ("prefix", long, true),
            ("namespaceuri", long, true),
            ("datatype", long, true),
            ("prev", SqlType::BIGINT, true),
            ("text", long, true),
        ];
        let edges = TableFunction::OpenXml(Vec::new());
        self.leaf_function(edges, arguments, columns, function.alias.as_ref(), &function.columns, "OPENXML")
    }
}
