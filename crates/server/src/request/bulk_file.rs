//! BULK INSERT: a file's rows go the way of a bulk load's.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql

use std::sync::Arc;

use exec::bulk_file::{OfStatement, Reader};
use exec::session::Session as State;
use exec::sink::{Discard, Sink};
use os::disk::File;
use sql::ast::{BulkInsert, Ident, InsertBulk, InsertBulkColumn, Setting, SettingValue};
use sql::bulk::{BulkOptions, FileColumn, FormatFile, file_name, layout};
use sql::catalog::{Object, TableDef};
use sql::plan::{BulkColumn, BulkFile, BulkLayout};
use types::{RowBatch, SqlResult, SqlType, TypeKind, sql_error};

use crate::catalog::data_file;
use crate::definition::{self, HostSite, Site};
use crate::request::bulk::{BYTES_AT_ONCE, ROWS_AT_ONCE, compile_insert, distrust_constraints, insert_batch};
use crate::session::bulk_target::BulkTarget;
use crate::session::host::{SessionHost, object_name};

/// A column of the table, or of a view.
struct Column {
    name: Box<str>,
    ty: SqlType,
    nullable: bool,
    /// Its values come from the file.
    taken: bool,
    has_default: bool,
}

impl SessionHost {
    /// 4834
    pub fn check_bulk(&mut self, state: &mut State) -> SqlResult<()> {
        use crate::security::check::Securable;
        let held = self
            .rights(state, |rights, look| rights.holds(look, None, &Securable::SERVER, "ADMINISTER BULK OPERATIONS"))?;
        if held { Ok(()) } else { Err(sql_error!(4834)) }
    }

    pub fn data_file(&mut self, state: &mut State, path: &str) -> SqlResult<File> {
        self.check_bulk(state)?;
        data_file::open(&self.server.catalog, path)
    }

    pub fn new_data_file(&mut self, state: &mut State, path: &str) -> SqlResult<File> {
        self.check_bulk(state)?;
        data_file::make(&self.server.catalog, path)
    }

    /// Answers how many rows there were.
    pub fn bulk_insert(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        bulk: &BulkInsert,
        line: u32,
    ) -> SqlResult<u64> {
        let path = file_name(&bulk.file)?;
        let options = BulkOptions::of(&bulk.options, "BULK INSERT")?;
        self.check_bulk(state)?;
        let (table, columns) = self.columns_to_load(state, sink, bulk, &options)?;
        let (layout, loaded) = self.layout_of(&options, &columns)?;
        let target = self.load_target(state, bulk, &options, table.as_deref(), &loaded)?;
        let spec = Arc::new(BulkFile {
            path,
            layout,
            columns: loaded,
            first_row: options.first_row,
            last_row: options.last_row,
            max_errors: options.max_errors,
            error_file: options.error_file.clone(),
            empty_texts: true,
        });
        let file = self.data_file(state, &spec.path)?;
        let rejects = exec::rejects(spec.error_file.as_deref(), |path| self.new_data_file(state, path))?;
        let types: Vec<SqlType> = spec.columns.iter().map(|column| column.ty).collect();
        let insert = compile_insert(self, state, &target, &types)?;
        let mut reader = Reader::new(spec, file, rejects);
        let (mut rows, mut of_batch) = (0, 0);
        loop {
            let left = match options.batch_size {
                0 => ROWS_AT_ONCE as u64,
                size => (size - of_batch).min(ROWS_AT_ONCE as u64),
            };
            let mut batch = RowBatch::new(types.iter().map(SqlType::physical));
            let mut asked = OfStatement { session: state, sink, line };
            let more = reader.fill(&mut asked, &mut batch, left as usize, BYTES_AT_ONCE)?;
            let count = batch.rows as u64;
            if count > 0 {
                insert_batch(self, state, sink, &insert, &types, batch, &target)?;
            }
            (rows, of_batch) = (rows + count, of_batch + count);
            if !more {
                if rows > 0 {
                    distrust_constraints(self, state, sink, &target)?;
                }
                return Ok(rows);
            }
            if options.batch_size > 0 && of_batch >= options.batch_size {
                exec::renew_transaction(state, self, &mut Discard)?;
                of_batch = 0;
            }
        }
    }

    /// All columns of the table, which the file has in their order.
    fn columns_to_load(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        bulk: &BulkInsert,
        options: &BulkOptions,
    ) -> SqlResult<(Option<Arc<TableDef>>, Vec<Column>)> {
        let missing = || sql_error!(208, definition::site::written(&bulk.table));
        match self.resolve(state, &object_name(&bulk.table))? {
            Some(Object::Table(table)) => {
                let columns = table.columns.iter().filter(|column| !column.hidden).map(|column| Column {
                    name: column.name.clone(),
                    // What the file has is validated where it is inserted.
                    ty: column.ty.without_schema(),
                    nullable: column.nullable,
                    taken: !column.is_read_only()
                        && column.generated.is_none()
                        && column.ty.kind != TypeKind::RowVersion
                        && (column.identity.is_none() || options.keep_identity),
                    has_default: column.default.is_some() && !options.keep_nulls,
                });
                let columns = columns.collect();
                Ok((Some(table), columns))
            }
            Some(Object::Module(_)) => {
                let text = format!("SELECT * FROM {}", definition::text::object_name(&bulk.table));
                let shown = HostSite { host: self, state, sink, values: &[] }.describe(&text)?;
                let columns = shown.into_iter().map(|column| Column {
                    name: column.name.clone(),
                    ty: column.ty,
                    // What the table below asks for is asked when its rows are written.
                    nullable: true,
                    taken: true,
                    has_default: false,
                });
                Ok((None, columns.collect()))
            }
            _ => Err(missing()),
        }
    }

    /// What the file has, and the columns that rows come with.
    fn layout_of(&mut self, options: &BulkOptions, columns: &[Column]) -> SqlResult<(BulkLayout, Vec<BulkColumn>)> {
        let collation = self.ask_database(|db| db.map(|db| db.collation)).unwrap_or(self.server.catalog.collation);
        let made = |at: usize| {
            let Column { name, ty, nullable, has_default, .. } = &columns[at];
            BulkColumn {
                name: name.clone(),
                ty: *ty,
                nullable: *nullable,
                number: at as u16 + 1,
                has_default: *has_default,
            }
        };
        let Some(path) = &options.format_file else {
            let mut taken = 0;
            let fields = columns.iter().map(|column| FileColumn {
                ty: column.ty,
                nullable: column.nullable,
                column: column.taken.then(|| {
                    taken += 1;
                    taken - 1
                }),
            });
            let fields: Vec<FileColumn> = fields.collect();
            let loaded = (0..columns.len()).filter(|at| columns[*at].taken).map(made).collect();
            return Ok((layout(options, &fields, collation.code_page())?, loaded));
        };
        let bytes = data_file::format_file(&self.server.catalog, path)?;
        let stated: Vec<SqlType> = columns.iter().map(|column| column.ty).collect();
        let mut file = FormatFile::parse(&bytes, path, options, collation, &stated)?;
        let (mut loaded, mut places) = (Vec::new(), Vec::with_capacity(file.columns.len()));
        for (at, column) in file.columns.iter().enumerate() {
            let own = usize::from(column.number) - 1;
            let Some(meant) = columns.get(own) else { return Err(sql_error!(4828, at + 1, path)) };
            places.push(meant.taken.then(|| {
                loaded.push(made(own));
                loaded.len() - 1
            }));
        }
        for field in &mut file.fields {
            field.column = field.column.and_then(|column| places[column]);
        }
        Ok((file.layout(options)?, loaded))
    }

    /// The same as of an INSERT BULK that names these columns. 1088: who may not alter the table.
    fn load_target(
        &mut self,
        state: &mut State,
        bulk: &BulkInsert,
        options: &BulkOptions,
        table: Option<&TableDef>,
        loaded: &[BulkColumn],
    ) -> SqlResult<BulkTarget> {
        let said = [
            ("CHECK_CONSTRAINTS", options.check_constraints),
            ("FIRE_TRIGGERS", options.fire_triggers),
            ("KEEP_NULLS", options.keep_nulls),
        ];
        let setting = |name: &str| Setting { name: name.into(), value: SettingValue::Alone, line: 0 };
        let column = |column: &BulkColumn| InsertBulkColumn {
            name: Ident { text: column.name.clone(), quoted: true },
            data_type: None,
            collation: None,
            null: None,
        };
        let insert = InsertBulk {
            table: bulk.table.clone(),
            columns: loaded.iter().map(column).collect(),
            options: said.iter().filter(|(_, said)| *said).map(|(name, _)| setting(name)).collect(),
            order: bulk.order.clone(),
        };
        let written = definition::text::object_name(&bulk.table);
        let name = object_name(&bulk.table).name;
        let target = BulkTarget::new(&insert, written, table).ok_or_else(|| sql_error!(1088, name))?;
        if let Some(table) = table
            && target.needs_alter(table)
            && !self.may_alter(state, table)?
        {
            return Err(sql_error!(1088, name));
        }
        Ok(target)
    }
}
