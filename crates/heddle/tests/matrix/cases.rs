//! The rows of tests/permissions/cases.txt, which says how they are written.

use super::rules::{Hierarchy, Right};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Run,
    See,
    Connect,
}

/// A statement and what it needs.
pub struct Case {
    pub kind: Kind,
    pub text: String,
    pub refused: Vec<i32>,
    pub passes: Vec<i32>,
    /// All rights of one of them; the first of the first is what the row is about.
    pub needs: Vec<Vec<Right>>,
    /// Each of these lets, too, and the ways to it are tried elsewhere.
    pub within: Vec<Right>,
    /// What the text of a module needs that is somebody else's than what it names.
    pub chained: Option<Right>,
    pub plain: bool,
    pub in_master: bool,
    pub undo: Option<String>,
    pub before: Option<String>,
    pub after: Option<String>,
}

pub struct Row {
    pub class: String,
    pub name: String,
    pub cases: Vec<Case>,
    /// Why there are none.
    pub absent: Option<String>,
}

fn numbers(text: &str) -> Vec<i32> {
    text.split(' ').map(|number| number.parse().unwrap_or_else(|_| panic!("not numbers: {text}"))).collect()
}

/// `*` stands for all permissions of a class.
pub fn read(text: &str, hierarchy: &Hierarchy) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut own = None;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let Some(line) = line.strip_prefix("  ") else {
            if let Some(class) = line.strip_suffix(" / *") {
                rows.push(Row { class: class.into(), name: "*".into(), cases: Vec::new(), absent: None });
                continue;
            }
            let right = hierarchy.right(line);
            let (class, name) = (hierarchy.class(&right).to_owned(), hierarchy.name(&right).to_owned());
            rows.push(Row { class, name, cases: Vec::new(), absent: None });
            own = Some(right);
            continue;
        };
        let row = rows.last_mut().expect("a row stands above its lines");
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let kind = match word {
            "run" => Kind::Run,
            "see" => Kind::See,
            "connect" => Kind::Connect,
            "absent" => {
                row.absent = Some(rest.to_owned());
                continue;
            }
            _ => {
                let case = row.cases.last_mut().unwrap_or_else(|| panic!("{line}: no statement above"));
                property(case, word, rest, hierarchy);
                continue;
            }
        };
        row.cases.push(Case {
            kind,
            text: rest.to_owned(),
            refused: Vec::new(),
            passes: Vec::new(),
            needs: vec![vec![own.clone().expect("a row of one permission")]],
            within: Vec::new(),
            chained: None,
            plain: kind != Kind::Run,
            in_master: false,
            undo: None,
            before: None,
            after: None,
        });
    }
    rows
}

fn property(case: &mut Case, word: &str, rest: &str, hierarchy: &Hierarchy) {
    match word {
        "refused" => case.refused = numbers(rest),
        "passes" => case.passes = numbers(rest),
        "also" => case.needs[0].push(hierarchy.right(rest)),
        "or" => case.needs.push(rest.split(" + ").map(|right| hierarchy.right(right)).collect()),
        "within" => case.within.push(hierarchy.right(rest)),
        "chained" => case.chained = Some(hierarchy.right(rest)),
        "plain" => case.plain = true,
        "in" => case.in_master = true,
        "undo" => case.undo = Some(rest.to_owned()),
        "before" => case.before = Some(rest.to_owned()),
        "after" => case.after = Some(rest.to_owned()),
        word => panic!("{word}: not a word of a case"),
    }
}
