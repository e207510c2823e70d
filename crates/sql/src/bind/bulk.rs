//! OPENROWSET(BULK ...): the rows of a file.
//!
//! https://learn.microsoft.com/sql/t-sql/functions/openrowset-bulk-transact-sql

use std::sync::Arc;

use types::{SqlResult, SqlType, sql_error};

use super::binder::Binder;
use super::errors;
use super::scope::FromRel;
use crate::ast::{self, Expr, Literal};
use crate::bulk::{self, BulkOptions, FileColumn, FormatFile, Single};
use crate::plan::{BulkColumn, BulkFile, BulkLayout, TableFunction};

/// What the function is given.
pub struct Rowset<'a> {
    pub files: &'a [Expr],
    pub options: &'a [ast::Setting],
    pub order: &'a [ast::OrderItem],
    pub schema: &'a [ast::OpenColumn],
}

impl Binder<'_> {
    pub fn bulk_rows(&mut self, rowset: &Rowset<'_>, function: &ast::TableFunction) -> SqlResult<FromRel> {
        if function.alias.is_none() {
            return Err(sql_error!(491));
        }
        let [file] = rowset.files else { return Err(errors::unsupported("OPENROWSET(BULK (several files))")) };
        if !rowset.order.is_empty() {
            return Err(errors::unsupported("OPENROWSET(BULK ..., ORDER)"));
        }
        let path = bulk::file_name(file)?;
        let options = BulkOptions::of(rowset.options, "OPENROWSET")?;
        let (layout, columns) = match options.single {
            Some(single) => self.whole_file(single),
            None if !rowset.schema.is_empty() => self.stated_columns(rowset.schema, &options)?,
            None => self.format_columns(&options)?,
        };
        let shown: Vec<(Box<str>, SqlType, bool)> =
            columns.iter().map(|column| (column.name.clone(), column.ty, column.nullable)).collect();
        let shown = shown.iter().map(|(name, ty, nullable)| (&**name, *ty, *nullable)).collect();
        let file = BulkFile {
            path,
            layout,
            columns,
            first_row: options.first_row,
            last_row: options.last_row,
            max_errors: options.max_errors,
            error_file: options.error_file,
            empty_texts: false,
        };
        let kind = TableFunction::Bulk(Arc::new(file));
        self.leaf_function(kind, Vec::new(), shown, function.alias.as_ref(), &function.columns, "BULK")
    }

    fn whole_file(&self, single: Single) -> (BulkLayout, Vec<BulkColumn>) {
        let collation = self.catalog.collation();
        let ty = match single {
            Single::Blob => SqlType::VARBINARY_MAX,
            Single::Clob => SqlType::VARCHAR_MAX.with_collation(collation),
            Single::NClob => SqlType::NVARCHAR_MAX.with_collation(collation),
        };
        (BulkLayout::Whole, vec![column("BulkColumn", ty, 1)])
    }

    /// WITH (name type [ordinal], ...)
    fn stated_columns(
        &mut self,
        schema: &[ast::OpenColumn],
        options: &BulkOptions,
    ) -> SqlResult<(BulkLayout, Vec<BulkColumn>)> {
        if options.format_file.is_some() {
            return Err(errors::unsupported("OPENROWSET(BULK ..., FORMATFILE) WITH (columns)"));
        }
        let mut columns = Vec::with_capacity(schema.len());
        let mut places = Vec::with_capacity(schema.len());
        for (at, stated) in schema.iter().enumerate() {
            let mut ty = self.data_type(&stated.data_type, at as u16 + 1)?;
            if let Some(collation) = &stated.collation {
                ty.collation = self.collation(collation)?;
            }
            places.push(match &stated.path {
                None => at + 1,
                Some(Expr::Literal(Literal::Int(ordinal))) if (1..=1024).contains(ordinal) => *ordinal as usize,
                Some(_) => return Err(errors::unsupported("a path in OPENROWSET(BULK ...) WITH (columns)")),
            });
            columns.push(column(&stated.name.text, ty, at as u16 + 1));
        }
        let count = places.iter().copied().max().unwrap_or(0);
        let fields: Vec<FileColumn> = (1..=count)
            .map(|ordinal| match places.iter().position(|place| *place == ordinal) {
                Some(at) => FileColumn { ty: columns[at].ty, nullable: true, column: Some(at) },
                None => FileColumn { ty: SqlType::varchar(8000), nullable: true, column: None },
            })
            .collect();
        let page = self.catalog.collation().code_page();
        let mut layout = bulk::layout(options, &fields, page)?;
        // The columns that are stated need not be all.
        if let BulkLayout::Quoted { more, .. } = &mut layout {
            *more = Some(bulk::field_end(options)?);
        }
        Ok((layout, columns))
    }

    fn format_columns(&mut self, options: &BulkOptions) -> SqlResult<(BulkLayout, Vec<BulkColumn>)> {
        let Some(path) = &options.format_file else { return Err(sql_error!(102, ")")) };
        let bytes = self.catalog.format_file(path)?;
        let file = FormatFile::parse(&bytes, path, options, self.catalog.collation(), &[])?;
        let columns = file.columns.iter().map(|own| column(&own.name, own.ty, own.number)).collect();
        Ok((file.layout(options)?, columns))
    }
}

fn column(name: &str, ty: SqlType, number: u16) -> BulkColumn {
    BulkColumn { name: name.into(), ty, nullable: true, number, has_default: false }
}
