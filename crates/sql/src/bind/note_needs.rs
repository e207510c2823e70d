//! What the binder notes as needed, where a text names an object (`super::needs`).

use super::binder::Binder;
use super::needs::{DEFINITION, Reading, by_name};
use super::scope::{Scope, Source, SourceColumn, SourceColumns};
use types::{SqlResult, SqlType};

use crate::ast;
use crate::catalog::{ModuleDef, SequenceDef, TableDef, USER_OBJECT_MIN};
use crate::function::FunctionId;
use crate::optimize::ColumnId;
use crate::plan::{Action, CompareOp, Expr, ExprKind, Need, ObjectRef, TableSource};

fn is_temporary(table: &TableDef) -> bool {
    table.name.starts_with('#')
}

impl Binder<'_> {
    /// The view, function or procedure whose text is being bound.
    fn named_by(&self) -> Option<ObjectRef> {
        if self.unchained {
            return None;
        }
        match self.homes.last() {
            Some(home) => home.object,
            None => self.names.module,
        }
    }

    /// The text that is being bound is the server's own.
    pub fn is_own_text(&self) -> bool {
        self.named_by().is_some_and(|by| by.1.0 < 0)
    }

    /// Of the server's own tables its views show what the session may see: for each row of these the thing that it is about.
    /// https://learn.microsoft.com/sql/relational-databases/security/metadata-visibility-configuration
    pub fn visible(&mut self, table: &TableDef, first: ColumnId) -> Option<Expr> {
        const ABOUT: [(i32, u32); 10] =
            [(27, 0), (28, 0), (34, 0), (41, 0), (42, 0), (50, 0), (54, 0), (55, 0), (60, 0), (101, 0)];
        if table.object.0 >= USER_OBJECT_MIN || !self.is_own_text() {
            return None;
        }
        let (kind, column) = ABOUT.iter().find(|(kind, _)| *kind == table.object.0)?;
        let id = self.columns.expr(ColumnId(first.0 + column));
        let arguments = vec![Expr::int(*kind), id, Expr::int(i32::from(table.database.0))];
        let call = ExprKind::Function(FunctionId::HasAccess, arguments);
        let seen = Expr::new(SqlType::INT, false, call);
        let kind = ExprKind::Compare {
            op: CompareOp::Equal,
            left: Box::new(seen),
            right: Box::new(Expr::int(1)),
            null_equal: false,
        };
        Some(Expr::new(SqlType::BIT, false, kind))
    }

    /// HAS_ACCESS in a view of the server's: in the database that the view is read of, unless the text names one.
    pub fn has_access(&mut self, call: &ast::Call, scope: &Scope) -> SqlResult<Expr> {
        let mut arguments = call
            .args
            .iter()
            .map(|argument| self.expr_as(argument, &SqlType::INT, scope))
            .collect::<SqlResult<Vec<_>>>()?;
        if let ([_, _], Some((database, _))) = (&arguments[..], self.named_by()) {
            arguments.push(Expr::int(i32::from(database.0)));
        }
        Ok(Expr::new(SqlType::INT, false, ExprKind::Function(FunctionId::HasAccess, arguments)))
    }

    fn reading(&mut self, action: Action, object: ObjectRef, columns: Vec<(ColumnId, u32)>) {
        let through = self.needs.through.take();
        if self.needs.place != DEFINITION {
            let (place, named_by) = (self.needs.place, self.named_by());
            self.needs.synonyms.extend(through.map(|synonym| (place, object, synonym)));
            self.needs.readings.push(Reading { action, object, place, named_by, through, columns, target: false });
        }
    }

    /// A table of FROM.
    pub fn need_table(&mut self, source: &TableSource, table: &TableDef, first: ColumnId) {
        let base = matches!(source, TableSource::Base(_)) && !is_temporary(table);
        // The server's own views read the server's own tables.
        if !base || table.object.0 < USER_OBJECT_MIN && self.is_own_text() {
            return;
        }
        self.reading(Action::Select, (table.database, table.object), numbered(table, first));
    }

    /// A view of FROM, or a function that gives rows.
    pub fn need_module(&mut self, module: &ModuleDef, source: &Source) {
        let SourceColumns::List(columns) = &source.columns else { return };
        if module.object.0 < 0 {
            return self.need_dynamic_view((module.database, module.object), &module.name);
        }
        let columns = columns.iter().zip(1..).map(|(column, at)| (column.id, at)).collect();
        self.reading(Action::Select, (module.database, module.object), columns);
    }

    /// A dynamic management view or function: not everybody may see the server's state. Its other views show what one may see.
    pub fn need_dynamic_view(&mut self, object: ObjectRef, name: &str) {
        let named_by = self.named_by();
        let state = name.starts_with("dm_") || name.starts_with("mon") || name == "syslockinfo";
        if state && named_by.is_none_or(|by| by.1.0 > 0) {
            self.doing(Need { action: Action::Select, object, columns: Box::default(), named_by });
        }
    }

    fn doing(&mut self, need: Need) {
        let through = self.needs.through.take();
        self.doing_by_name(need, through);
    }

    fn doing_by_name(&mut self, need: Need, through: Option<ObjectRef>) {
        if self.needs.place == DEFINITION {
            return;
        }
        for need in by_name(need, through) {
            if !self.needs.done.contains(&need) {
                self.needs.done.push(need);
            }
        }
    }

    /// A scalar function that is called.
    pub fn need_call(&mut self, module: &ModuleDef) {
        if module.object.0 > 0 {
            let object = (module.database, module.object);
            let named_by = self.named_by();
            self.doing(Need { action: Action::Execute, object, columns: Box::default(), named_by });
        }
    }

    /// NEXT VALUE FOR.
    pub fn need_sequence(&mut self, sequence: &SequenceDef) {
        let object = (sequence.database, sequence.object);
        let named_by = self.named_by();
        self.doing(Need { action: Action::Update, object, columns: Box::default(), named_by });
    }

    /// OUTPUT reads rows of the table; `first`: their columns.
    pub fn need_output(&mut self, table: &TableDef, first: ColumnId) {
        if table.object.0 >= USER_OBJECT_MIN && !is_temporary(table) {
            let (place, object) = (self.needs.place, (table.database, table.object));
            let named = self.needs.synonyms.iter().rev().find(|(at, meant, _)| (*at, *meant) == (place, object));
            self.needs.through = named.map(|(.., synonym)| *synonym);
            self.reading(Action::Select, (table.database, table.object), numbered(table, first));
            self.needs.readings.last_mut().expect("just added").target = true;
        }
    }

    /// The same of a view, as `columns`.
    pub fn need_view_output(&mut self, view: &Source, columns: &[SourceColumn]) {
        let SourceColumns::List(list) = &view.columns else { return };
        let with = list.first().map(|column| column.id);
        let named =
            self.needs.readings.iter().rev().find(|reading| {
                reading.columns.len() == list.len() && reading.columns.first().map(|(id, _)| *id) == with
            });
        let Some(Reading { object, through, columns: numbers, .. }) = named else { return };
        let (object, through) = (*object, *through);
        let columns = columns.iter().zip(numbers).map(|(column, (_, number))| (column.id, *number)).collect();
        self.needs.through = through;
        self.reading(Action::Select, object, columns);
        if let Some(last) = self.needs.readings.last_mut() {
            last.target = true;
        }
    }

    /// A table that is written, without a view before it.
    pub fn need_write(&mut self, action: Action, table: &TableDef) {
        if !is_temporary(table) {
            let object = (table.database, table.object);
            let named_by = self.named_by();
            self.needs.synonyms.extend(self.needs.through.map(|synonym| (self.needs.place, object, synonym)));
            self.doing(Need { action, object, columns: Box::default(), named_by });
        }
    }

    /// What a statement changes: `source` is what it names, `first` the columns of the table below, and `set` what it gives new values.
    pub fn need_change(&mut self, action: Action, source: &Source, first: ColumnId, set: &[ColumnId]) {
        let place = self.needs.place;
        let shown: Option<ColumnId> = match &source.columns {
            SourceColumns::Table { first, .. } => Some(*first),
            SourceColumns::List(list) => list.first().map(|column| column.id),
        };
        let starts = |reading: &&mut Reading, with: Option<ColumnId>| {
            with.is_some() && reading.columns.first().map(|(id, _)| *id) == with
        };
        let named_here = |reading: &&mut Reading| reading.place == place && starts(reading, shown);
        let below = |reading: &&mut Reading| starts(reading, Some(first));
        let mut found = Vec::new();
        if let Some(named) = self.needs.readings.iter_mut().rev().find(named_here) {
            named.target = true;
            found.push((named.object, named.named_by, named.through, named.columns.clone()));
        }
        if let Some(table) = self.needs.readings.iter_mut().rev().find(below)
            && !found.iter().any(|(object, ..)| *object == table.object)
        {
            table.target = true;
            found.push((table.object, table.named_by, table.through, table.columns.clone()));
        }
        for (object, named_by, through, columns) in found {
            let number = |id: &ColumnId| columns.iter().find(|(own, _)| own == id).map(|(_, number)| *number);
            let mut columns: Vec<u32> = set.iter().filter_map(number).collect();
            columns.sort_unstable();
            self.doing_by_name(Need { action, object, columns: columns.into(), named_by }, through);
        }
    }
}

fn numbered(table: &TableDef, first: ColumnId) -> Vec<(ColumnId, u32)> {
    (first.0..).zip(&table.columns).map(|(id, column)| (ColumnId(id), column.column_id)).collect()
}
