//! The catalog has the views and functions that SQL Server documents, with their columns, in their order and of their types.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::{Server, root};

/// A line of `tests/catalog/documented.txt`: `sys.name = type: column column; type: column`.
fn documented() -> BTreeMap<String, Vec<(String, String)>> {
    let text = std::fs::read_to_string(root().join("tests/catalog/documented.txt")).expect("the list is there");
    let mut found = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, groups) = line.split_once(" = ").unwrap_or_else(|| panic!("no columns: {line}"));
        let mut columns = Vec::new();
        for group in groups.split("; ") {
            let (ty, names) = group.split_once(": ").unwrap_or_else(|| panic!("no type: {group}"));
            columns.extend(names.split(' ').map(|name| (name.to_string(), ty.replace("sysname", "nvarchar(128)"))));
        }
        assert!(found.insert(name.to_string(), columns).is_none(), "{name} is listed twice");
    }
    found
}

const COLUMNS: &str = "
SET NOCOUNT ON
SELECT SCHEMA_NAME(o.schema_id) + '.' + o.name + ' ' + c.name + ' ' + y.name + CASE
    WHEN y.name IN ('nvarchar', 'nchar') THEN '(' + CASE c.max_length WHEN -1 THEN 'max' ELSE CONVERT(varchar(5), c.max_length / 2) END + ')'
    WHEN y.name IN ('varchar', 'char', 'varbinary', 'binary') THEN '(' + CASE c.max_length WHEN -1 THEN 'max' ELSE CONVERT(varchar(5), c.max_length) END + ')'
    WHEN y.name IN ('decimal', 'numeric') THEN '(' + CONVERT(varchar(3), c.precision) + ',' + CONVERT(varchar(3), c.scale) + ')'
    WHEN y.name IN ('datetime2', 'datetimeoffset', 'time') THEN '(' + CONVERT(varchar(3), c.scale) + ')'
    ELSE '' END
FROM sys.all_objects o
JOIN sys.all_columns c ON c.object_id = o.object_id
JOIN sys.types y ON y.user_type_id = c.system_type_id
WHERE o.is_ms_shipped = 1 AND SCHEMA_NAME(o.schema_id) IN ('sys', 'INFORMATION_SCHEMA')
ORDER BY o.schema_id, o.name, c.column_id";

fn shown(server: &Server) -> BTreeMap<String, Vec<(String, String)>> {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in server.query(COLUMNS).lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(column), Some(ty), None) = (words.next(), words.next(), words.next(), words.next()) {
            found.entry(name.to_string()).or_default().push((column.to_string(), ty.to_string()));
        }
    }
    found
}

#[test]
fn views_and_functions_have_their_documented_columns() {
    let (server, documented) = (Server::start(&[]), documented());
    assert!(documented.len() > 500, "only {} are listed", documented.len());
    let shown = shown(&server);
    let mut complaints = Vec::new();
    for (name, columns) in &documented {
        let Some(found) = shown.get(name) else {
            complaints.push(format!("{name}: missing"));
            continue;
        };
        if found != columns {
            let at = columns.iter().zip(found).position(|(a, b)| a != b).unwrap_or(columns.len().min(found.len()));
            complaints.push(format!("{name}: {:?} where {:?} is documented", found.get(at), columns.get(at)));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn what_is_always_empty_is_documented_and_empty() {
    let absent =
        std::fs::read_to_string(root().join("crates/server/src/system/absent.txt")).expect("the list is there");
    let page = std::fs::read_to_string(root().join("docs/catalog.md")).expect("the page is there");
    let words: BTreeSet<&str> = page.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let heads: Vec<&str> =
        absent.lines().filter(|line| line.starts_with("sys.")).filter_map(|line| line.split(" = ").next()).collect();
    let name = |head: &str| head["sys.".len()..].split('(').next().unwrap_or_default().to_string();
    let untold: Vec<String> = heads.iter().map(|head| name(head)).filter(|name| !words.contains(&**name)).collect();
    assert!(untold.is_empty(), "docs/catalog.md does not name {untold:?}");
    let server = Server::start(&[]);
    let counts: Vec<String> = heads
        .iter()
        .filter(|head| !head.contains('('))
        .map(|head| format!("SELECT '{head}' AS name, COUNT(*) AS number FROM {head}"))
        .collect();
    for part in counts.chunks(20) {
        let answer = server.query(&format!(
            "SET NOCOUNT ON; SELECT 'rows in ' + name FROM ({}) v WHERE number <> 0",
            part.join(" UNION ALL ")
        ));
        assert!(!answer.contains("rows in") && !answer.contains("Msg "), "{answer}");
    }
}

/// The old names of what the dynamic management views show ask for the same permission.
#[test]
fn old_views_of_the_servers_state_show_nothing_without_the_permission() {
    let server = Server::start(&[]);
    server.query("CREATE LOGIN low WITH PASSWORD = 'L0w.Pass!x'");
    let count = "SET NOCOUNT ON; SELECT CASE WHEN EXISTS (SELECT 1 FROM sys.syscacheobjects) THEN 'plans ' ELSE '' END \
                 + CASE WHEN EXISTS (SELECT 1 FROM sys.sysperfinfo) THEN 'counters ' ELSE '' END + 'asked'";
    let asked = |user: &str, password: &str| {
        let address = server.address();
        let arguments = ["sql", "-S", &address, "-U", user, "-P", password, "-h", "-1", "-W", "-Q", count];
        let output = support::binary().args(arguments).output().expect("heddle sql runs");
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    };
    assert_eq!(asked("low", "L0w.Pass!x"), "asked");
    assert_eq!(server.query(count).trim(), "plans counters asked");
}
