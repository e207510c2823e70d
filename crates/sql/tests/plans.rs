//! Plans over a catalog of a few tables whose rows are known, and whose values are not.

use std::sync::Arc;

use sql::bind::{BindOptions, bind_query, bind_text};
use sql::catalog::{
    Catalog, ColumnDef, DatabaseId, IndexDef, IndexKind, Object, ObjectId, ObjectName, TableDef, UserType,
};
use types::{CollationId, SqlError, SqlType};

struct Tables(Vec<Arc<TableDef>>);

impl Catalog for Tables {
    fn version(&self) -> u64 {
        1
    }

    fn database(&self) -> DatabaseId {
        DatabaseId(5)
    }

    fn resolve(&self, name: &ObjectName) -> Result<Option<Object>, SqlError> {
        Ok(self.0.iter().find(|table| table.name == name.name).cloned().map(Object::Table))
    }

    fn table_by_id(&self, _: DatabaseId, object: ObjectId) -> Result<Option<Arc<TableDef>>, SqlError> {
        Ok(self.0.iter().find(|table| table.object == object).cloned())
    }

    fn user_type(&self, _: &ObjectName) -> Result<Option<UserType>, SqlError> {
        Ok(None)
    }

    fn collation(&self) -> CollationId {
        CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS
    }
}

/// Columns are int; one with `?` behind its name may be NULL. The first `keys` are the primary key.
fn table(object: i32, name: &str, columns: &[&str], keys: u16, row_count: u64) -> Arc<TableDef> {
    let column = |(at, name): (usize, &&str)| ColumnDef {
        name: name.trim_end_matches('?').into(),
        ty: SqlType::INT,
        nullable: name.ends_with('?'),
        identity: None,
        default: None,
        computed: None,
        column_id: at as u32 + 1,
        rowguid: false,
        mask: None,
        generated: None,
        hidden: false,
    };
    let key = IndexDef {
        id: 1,
        name: format!("pk_{name}").into(),
        unique: true,
        kind: IndexKind::Clustered,
        primary_key: true,
        unique_constraint: false,
        key: (0..keys).map(|column| (column, false)).collect(),
        included: Vec::new(),
        filter: Vec::new(),
        disabled: false,
        statistics_kept: false,
        ignores_duplicates: false,
        bucket_count: None,
    };
    Arc::new(TableDef {
        database: DatabaseId(5),
        object: ObjectId(object),
        schema: "dbo".into(),
        name: name.into(),
        columns: columns.iter().enumerate().map(column).collect(),
        stored: (0..columns.len() as u16).map(Some).collect(),
        indexes: vec![key],
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        referenced_by: Vec::new(),
        triggers: Vec::new(),
        predicates: Vec::new(),
        row_count,
        memory: None,
        versioning: None,
        partitioning: None,
        statistics: Vec::new(),
        views: Vec::new(),
        of_view: false,
    })
}

/// The lines of the plan, as SHOWPLAN_TEXT has them.
fn plan(text: &str) -> String {
    let tables = Tables(vec![
        table(1_000_001, "big", &["id", "k", "g"], 1, 100_000),
        table(1_000_002, "lines", &["id", "n", "q?"], 2, 400_000),
        table(1_000_003, "few", &["id", "k"], 1, 200),
        table(1_000_004, "other", &["id", "k?"], 1, 200),
    ]);
    let options = BindOptions::default();
    let module = bind_text(text, "", &options, &tables).expect("a batch that can be bound");
    let query =
        bind_query(&module.queries[0].statement, &module, &tables, &options).expect("a query that can be bound");
    sql::plan::show::show(&query.kind, &module).join("\n")
}

/// Of the first line that has the text: where it is.
fn at(plan: &str, text: &str) -> usize {
    plan.find(text).unwrap_or_else(|| panic!("{text} is not in\n{plan}"))
}

#[test]
fn constants_go_through_all_that_is_equal() {
    let shown = plan("SELECT COUNT(*) FROM big b JOIN lines l ON l.id = b.id JOIN few f ON f.id = l.id WHERE f.id = 7");
    for table in ["big", "lines", "few"] {
        assert!(shown.contains(&format!("[{table}].[id]=(7)")), "{table}:\n{shown}");
    }
    let shown = plan("SELECT COUNT(*) FROM big b JOIN lines l ON l.id = b.id WHERE b.id >= 10 AND b.id < 20");
    assert!(shown.contains("[lines].[id] >= (10)") || shown.contains("[lines].[id]=[big].[id]"), "{shown}");
    let shown = plan("SELECT COUNT(*) FROM big b JOIN lines l ON l.id = b.id WHERE l.id IN (3, 4)");
    assert!(shown.contains("[big].[id] IN ((3), (4))") || shown.contains("[big].[id]=[lines].[id]"), "{shown}");
}

#[test]
fn left_rows_without_a_partner_stay() {
    let shown = plan("SELECT COUNT(l.q) FROM few f LEFT JOIN lines l ON l.id = f.k AND l.id = 5 WHERE f.id = 3");
    assert!(!shown.contains("[few].[k]=(5)"), "{shown}");
    let shown = plan("SELECT COUNT(l.q) FROM big b LEFT JOIN lines l ON l.id = b.id WHERE b.id = 3");
    assert!(shown.contains("[lines].[id]=(3)"), "{shown}");
    let shown = plan(
        "SELECT COUNT(*) FROM big b WHERE b.g = 3 AND NOT EXISTS (SELECT * FROM lines l WHERE l.id = b.g AND l.n = 1)",
    );
    assert!(shown.contains("[big].[g]=(3)") && shown.contains("Anti"), "{shown}");
}

#[test]
fn a_semi_join_with_few_rows_comes_before_the_join() {
    let shown =
        plan("SELECT COUNT(*) FROM big b JOIN lines l ON l.id = b.k WHERE b.g IN (SELECT k FROM few WHERE id < 3)");
    let (semi, join) = (at(&shown, "Left Semi Join"), at(&shown, "Inner Join"));
    assert!(join < semi, "the semi join lies below the join:\n{shown}");
}

#[test]
fn a_semi_join_by_a_unique_key_is_an_inner_one() {
    let shown = plan("SELECT COUNT(*) FROM lines l WHERE l.id IN (SELECT id FROM few)");
    assert!(shown.contains("Inner Join") && !shown.contains("Semi"), "{shown}");
    // Of a column that is no key there may be several partners.
    let shown = plan("SELECT COUNT(*) FROM lines l WHERE l.id IN (SELECT k FROM few)");
    assert!(shown.contains("Semi"), "{shown}");
    // Nor is a part of a key one.
    let shown =
        plan("SELECT COUNT(*) FROM big b, big c WHERE b.id = c.g AND b.k IN (SELECT id FROM lines WHERE n = 1)");
    assert!(shown.contains("Semi"), "{shown}");
    let shown = plan("SELECT COUNT(*) FROM lines l WHERE l.id IN (SELECT g FROM big GROUP BY g HAVING COUNT(*) > 3)");
    assert!(shown.contains("Inner Join") && !shown.contains("Semi"), "{shown}");
    let shown = plan("DELETE FROM lines WHERE id IN (SELECT id FROM few)");
    assert!(shown.contains("Semi"), "{shown}");
}

#[test]
fn an_anti_join_is_never_an_inner_one() {
    let shown = plan(
        "SELECT COUNT(*) FROM big b JOIN few f ON f.id = b.id WHERE NOT EXISTS (SELECT * FROM other o WHERE o.id = b.g)",
    );
    assert!(shown.contains("Anti"), "{shown}");
}
