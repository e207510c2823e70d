//! What INSERT BULK said; the rows follow in the next message.

use exec::session::Unchecked;
use sql::ast::{Expr, InsertBulk, TypeName};
use sql::catalog::{DatabaseId, IndexKind, ObjectId, TableDef};
use types::{CollationId, SqlResult, SqlType, TypeKind, sql_error};

/// What INSERT BULK may say; ORDER apart. Sizes of batches and TABLOCK say how rows are locked and logged, not which they are.
const OPTIONS: [&str; 7] = [
    "ALLOW_ENCRYPTED_VALUE_MODIFICATIONS",
    "CHECK_CONSTRAINTS",
    "FIRE_TRIGGERS",
    "KEEP_NULLS",
    "KILOBYTES_PER_BATCH",
    "ROWS_PER_BATCH",
    "TABLOCK",
];

/// 155 for an option that is none.
pub fn check_options(bulk: &InsertBulk) -> SqlResult<()> {
    let is_known = |name: &str| OPTIONS.iter().any(|known| known.eq_ignore_ascii_case(name));
    match bulk.options.iter().find(|setting| !is_known(&setting.name)) {
        Some(other) => Err(sql_error!(155, other.name, "INSERT BULK")),
        None => Ok(()),
    }
}

#[derive(Debug, Clone)]
pub struct BulkTarget {
    /// As it stands in T-SQL, quoted.
    pub table: String,
    pub columns: Vec<BulkColumn>,
    pub unchecked: Unchecked,
    /// The table's (database, object) where it has CHECK or FOREIGN KEY constraints that the load leaves out.
    pub distrusted: Option<(DatabaseId, ObjectId)>,
    /// The table's (database, object) where its identity column is one of `columns`: the client's values are kept.
    pub keep_identity: Option<(u16, i32)>,
    /// Promised by ORDER: positions in `columns`, and whether they descend.
    pub order: Vec<(usize, bool)>,
}

#[derive(Debug, Clone)]
pub struct BulkColumn {
    /// Without quotes.
    pub name: String,
    /// T-SQL text of what replaces a NULL: the column's DEFAULT, unless KEEP_NULLS was given.
    pub default: Option<Box<str>>,
    /// Of the table's column; None for a view.
    pub ty: Option<SqlType>,
    /// As INSERT BULK says it will come; None: a type of the database's, or none was said.
    pub announced: Option<TypeKind>,
    /// COLLATE of INSERT BULK.
    pub collation: Option<CollationId>,
}

impl BulkColumn {
    /// Whether values of the type are what INSERT BULK announced: SQL Server does not convert from one family of types to another.
    pub fn takes(&self, sent: &SqlType) -> bool {
        self.announced.is_none_or(|announced| family(announced) == family(sent.kind))
    }

    /// The type of what comes. A COLLATE of the statement tells the code page of the bytes, whatever COLMETADATA says: FreeTDS gives it for
    /// that alone ("Use proper collation for bulk inserts", src/tds/bulk.c), SqlClient and mssql-jdbc give the same twice.
    pub fn as_stated(&self, sent: SqlType) -> SqlType {
        match self.collation.filter(|_| sent.is_ansi_string()) {
            Some(stated) => sent.with_collation(stated),
            None => sent,
        }
    }
}

fn family(kind: TypeKind) -> u8 {
    use TypeKind::*;
    match kind {
        Bit | TinyInt | SmallInt | Int | BigInt | Decimal | Numeric | SmallMoney | Money | Real | Float => 0,
        Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset => 1,
        // MS-TDS 2.2.6.1: xml is sent as nvarchar.
        Char | VarChar | Text | NChar | NVarChar | NText | Xml | Json => 2,
        Binary | VarBinary | Image | RowVersion => 3,
        UniqueIdentifier => 4,
        SqlVariant => 5,
        // MS-TDS 2.2.6.1: their bytes are sent as varbinary(max).
        HierarchyId | Geometry | Geography => 3,
    }
}

impl BulkTarget {
    /// `written`: the table as it stands in T-SQL. `definition`: None for a view, whose columns are looked at row by row. None: a column
    /// is not one of the table.
    pub fn new(bulk: &InsertBulk, written: String, definition: Option<&TableDef>) -> Option<BulkTarget> {
        let option = |name: &str| bulk.options.iter().any(|setting| setting.name.eq_ignore_ascii_case(name));
        let keep_nulls = option("KEEP_NULLS");
        let mut target = BulkTarget {
            table: written,
            columns: Vec::new(),
            unchecked: Unchecked { constraints: !option("CHECK_CONSTRAINTS"), triggers: !option("FIRE_TRIGGERS") },
            distrusted: None,
            keep_identity: None,
            order: Vec::new(),
        };
        if let Some(table) = definition.filter(|table| target.leaves_out_constraints(table)) {
            target.distrusted = Some((table.database, table.object));
        }
        for column in &bulk.columns {
            let name = &*column.name.text;
            let (mut default, mut ty) = (None, None);
            if let Some(table) = definition {
                let found = table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))?;
                if found.identity.is_some() {
                    target.keep_identity = Some((table.database.0, table.object.0));
                }
                ty = Some(found.ty);
                default = found.default.clone().filter(|_| !keep_nulls);
            }
            let announced = column.data_type.as_ref().and_then(|data_type| match data_type.name {
                TypeName::Builtin(kind) => Some(kind),
                _ => None,
            });
            target.columns.push(BulkColumn { name: name.into(), default, ty, announced, collation: None });
        }
        target.order = definition.and_then(|table| target.promised_order(bulk, table)).unwrap_or_default();
        Some(target)
    }

    /// 448: what INSERT BULK says behind COLLATE is none.
    pub fn set_collations(&mut self, bulk: &InsertBulk, of_database: CollationId) -> SqlResult<()> {
        for (column, said) in self.columns.iter_mut().zip(&bulk.columns) {
            let Some(name) = &said.collation else { continue };
            let by_database = name.is("database_default") || name.is("catalog_default");
            let found = if by_database { Some(of_database) } else { types::collation::lookup(name) };
            column.collation = Some(found.ok_or_else(|| sql_error!(448, &**name))?);
        }
        Ok(())
    }

    /// Who leaves out constraints or triggers that there are, or gives identity values, does what ALTER is for:
    /// https://learn.microsoft.com/sql/tools/bcp-utility, "Permissions". INSERT is asked for with the rows.
    pub fn needs_alter(&self, table: &TableDef) -> bool {
        self.leaves_out_constraints(table)
            || self.unchecked.triggers && !table.triggers.is_empty()
            || self.keep_identity.is_some()
    }

    fn leaves_out_constraints(&self, table: &TableDef) -> bool {
        self.unchecked.constraints && (!table.checks.is_empty() || !table.foreign_keys.is_empty())
    }

    /// ORDER means something only where it is the order of the clustered index.
    fn promised_order(&self, bulk: &InsertBulk, table: &TableDef) -> Option<Vec<(usize, bool)>> {
        let clustered = table.indexes.iter().find(|index| index.kind == IndexKind::Clustered)?;
        if bulk.order.len() != clustered.key.len() {
            return None;
        }
        let places = bulk.order.iter().zip(&clustered.key).map(|(item, (column, descending))| {
            let Expr::Column(name) = &item.expr else { return None };
            let same = |other: &str| other.eq_ignore_ascii_case(&name.name.text);
            let fits = same(&table.columns[usize::from(*column)].name) && item.descending == *descending;
            let place = self.columns.iter().position(|column| same(&column.name))?;
            fits.then_some((place, *descending))
        });
        places.collect()
    }
}

#[cfg(test)]
mod tests {
    use sql::ast::StatementKind;

    use super::*;

    fn target(text: &str) -> BulkTarget {
        let parsed = sql::parse::parse_batch(text, &Default::default()).expect("T-SQL");
        let StatementKind::InsertBulk(bulk) = &parsed.statements[0].kind else { panic!("INSERT BULK") };
        BulkTarget::new(bulk, "t".into(), None).expect("a view's columns are not looked at")
    }

    #[test]
    fn constraints_and_triggers_wait_for_their_options() {
        let plain = target("INSERT BULK t ([a] int, [b c] nvarchar(5))");
        assert!(plain.unchecked.constraints && plain.unchecked.triggers);
        assert_eq!(plain.columns[1].name, "b c");
        let checked = target("INSERT BULK t ([a] int) WITH (CHECK_CONSTRAINTS, FIRE_TRIGGERS, KEEP_NULLS, TABLOCK)");
        assert!(!checked.unchecked.constraints && !checked.unchecked.triggers);
    }
}
