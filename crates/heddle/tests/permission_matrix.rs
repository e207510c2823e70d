//! Every permission against every way of having it: granted to the user, to his role, to a role of that, to public; the permission
//! itself and each that implies it; by owning the securable or its schema; by a fixed role; denied at each of these places; revoked. For
//! each the statements that need it are tried, and either run or are refused with the documented error.
//!
//! Which permission implies which and what needs it stand in tests/permissions/, taken from the documentation and not from the server.
//! FULL=1 tries each grant against each denial.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "matrix/cases.rs"]
mod cases;
#[path = "matrix/rules.rs"]
mod rules;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use cases::{Case, Kind, Row};
use lab::client::Connection;
use rules::{Entry, Hierarchy, Right, To, is_of_server};
use support::ask::{ask, must};
use support::{Server, scratch, target};
use types::Datum;

const HIERARCHY: &str = include_str!("../../../tests/permissions/hierarchy.txt");
const CASES: &str = include_str!("../../../tests/permissions/cases.txt");
const ROLES: &str = include_str!("../../../tests/permissions/roles.txt");
const SETUP: &str = include_str!("../../../tests/permissions/setup.sql");

/// More differences of a statement than these are not told.
const TOLD_MAX: usize = 4;
/// What is said to who lacks what a statement needs beside.
const MORE: [i32; 5] = [229, 262, 1088, 2760, 15151];
const EACH: [To; 4] = [To::Own, To::Role, To::RoleOfRole, To::Public];

/// The objects of setup.sql that permissions are granted on.
const OBJECTS: [(&str, &str); 12] = [
    ("s.t", "TABLE"),
    ("s.free", "TABLE"),
    ("s.guarded", "TABLE"),
    ("s.m", "TABLE"),
    ("s.syn", "SYNONYM"),
    ("s.pred", "TABLE FUNCTION"),
    ("s2.t2", "TABLE"),
    ("s.v", "VIEW"),
    ("s.tf", "TABLE FUNCTION"),
    ("s.p", "PROCEDURE"),
    ("s.f", "SCALAR FUNCTION"),
    ("s.q", "SEQUENCE"),
];

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Allowed,
    Refused(Vec<(i32, String)>),
}

/// How somebody may have what he needs.
struct Way {
    told: String,
    /// What is said to the server, and what takes it back.
    make: Vec<String>,
    undo: Vec<String>,
    /// The same for the rules.
    entries: Vec<Entry>,
    /// What was granted and revoked again.
    without: Vec<Entry>,
    /// A module and what it names are not one owner's.
    breaks_chain: bool,
}

#[derive(Default)]
struct Counts {
    statements: u64,
    allowed: u64,
    refused: u64,
}

struct Matrix {
    rules: Hierarchy,
    server: Server,
    sa: Connection,
    low: BTreeMap<&'static str, Connection>,
    counts: Counts,
    /// By statement.
    differences: BTreeMap<String, Vec<String>>,
    /// What everybody has from the start.
    given: Vec<Entry>,
    full: bool,
}

fn granted(right: &Right, to: To) -> Entry {
    Entry { right: right.clone(), to, denied: false }
}

fn denied(right: &Right, to: To) -> Entry {
    Entry { right: right.clone(), to, denied: true }
}

impl Matrix {
    fn start(name: &str) -> Matrix {
        let server = Server::start(&[]);
        let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
        for batch in SETUP.split("\nGO\n").filter(|batch| !batch.trim().is_empty()) {
            must(&mut sa, batch);
        }
        let trail = scratch(name);
        must(&mut sa, "USE master");
        must(&mut sa, &format!("CREATE SERVER AUDIT watch TO FILE (FILEPATH = '{}')", trail.display()));
        must(&mut sa, "USE k");
        let rules = Hierarchy::read(HIERARCHY);
        let given = [
            ("SERVER / CONNECT SQL", To::Own),
            ("SERVER / VIEW ANY DATABASE", To::Public),
            ("DATABASE / CONNECT", To::Own),
            ("ENDPOINT / CONNECT [TSQL Default TCP]", To::Public),
        ];
        let given = given.map(|(right, to)| Entry { right: rules.right(right), to, denied: false }).to_vec();
        let mut matrix = Matrix {
            rules,
            server,
            sa,
            low: BTreeMap::new(),
            counts: Counts::default(),
            differences: BTreeMap::new(),
            given,
            full: std::env::var("FULL").is_ok(),
        };
        for database in ["k", "master"] {
            matrix.reconnect(database);
        }
        matrix
    }

    fn reconnect(&mut self, database: &'static str) {
        let low = target(self.server.port, database).with_login("l", "Some-1-password");
        self.low.insert(database, Connection::open(&low, None).expect("it may connect"));
    }

    /// As sa: permissions of the server are said in master, those of the database in the one that the case is about.
    fn say(&mut self, case: &Case, statements: &[String]) {
        for statement in statements {
            let (master, text) = match statement.strip_prefix("master: ") {
                Some(text) => (true, text),
                None => (case.in_master, statement.as_str()),
            };
            if master {
                must(&mut self.sa, "USE master");
            }
            must(&mut self.sa, text);
            if master {
                must(&mut self.sa, "USE k");
            }
        }
    }

    fn statement(&self, verb: &str, entry: &Entry) -> String {
        let place = if is_of_server(self.rules.class(&entry.right)) { "master: " } else { "" };
        format!("{place}{}", self.rules.statement(verb, entry))
    }

    fn way(&self, told: &str, entries: Vec<Entry>) -> Way {
        let verb = |entry: &Entry| if entry.denied { "DENY" } else { "GRANT" };
        let make = entries.iter().map(|entry| self.statement(verb(entry), entry)).collect();
        let mut undo: Vec<String> = entries.iter().map(|entry| self.statement("REVOKE", entry)).collect();
        // What everybody has from the start is given again.
        let again = self
            .given
            .iter()
            .filter(|given| entries.iter().any(|entry| entry.right == given.right && entry.to == given.to));
        undo.extend(again.map(|given| self.statement("GRANT", given)));
        Way { told: told.to_owned(), make, undo, entries, without: Vec::new(), breaks_chain: false }
    }

    fn connect(&mut self, database: &str) -> Outcome {
        let low = target(self.server.port, database).with_login("l", "Some-1-password");
        match Connection::open(&low, None) {
            Ok(_) => Outcome::Allowed,
            Err(lab::client::ClientError::Login(messages)) => {
                Outcome::Refused(messages.iter().map(|message| (message.number, message.text.clone())).collect())
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn attempt(&mut self, case: &Case) -> Outcome {
        if case.kind == Kind::Connect {
            return self.connect(&case.text);
        }
        let connection = self.low.get_mut(if case.in_master { "master" } else { "k" }).expect("both are there");
        if !case.plain {
            must(connection, "BEGIN TRANSACTION");
        }
        if let Some(before) = &case.before {
            must(connection, before);
        }
        let answer = ask(connection, &case.text);
        if let Some(after) = &case.after {
            ask(connection, after);
        }
        if !case.plain {
            must(connection, "IF @@TRANCOUNT > 0 ROLLBACK");
        }
        let errors: Vec<(i32, String)> = answer
            .messages
            .iter()
            .filter(|message| message.is_error() && !case.passes.contains(&message.number))
            .map(|message| (message.number, message.text.clone()))
            .collect();
        let shown = answer
            .sets
            .first()
            .and_then(|set| set.rows.first())
            .is_some_and(|row| row[0] != Datum::Null && row[0] != Datum::I64(0));
        match case.kind {
            Kind::See if errors.is_empty() && !shown => Outcome::Refused(Vec::new()),
            _ if errors.is_empty() => Outcome::Allowed,
            _ => Outcome::Refused(errors),
        }
    }

    /// Tries a statement after a way was made, and takes the way back.
    fn check(&mut self, case: &Case, way: &Way) {
        let mut entries = way.entries.clone();
        let is_said = |given: &&Entry| {
            let mut said = way.entries.iter().chain(&way.without);
            said.any(|entry| entry.right == given.right && entry.to == given.to)
        };
        entries.extend(self.given.iter().filter(|given| !is_said(given)).cloned());
        let enters = self.rules.holds(&self.rules.right("DATABASE / CONNECT"), &entries);
        let held = |needs: &Vec<Right>| {
            needs
                .iter()
                .all(|right| (enters || is_of_server(self.rules.class(right))) && self.rules.holds(right, &entries))
        };
        let within = case.within.iter().any(|right| held(&vec![right.clone()]));
        let broken = way.breaks_chain && case.chained.as_ref().is_some_and(|right| !held(&vec![right.clone()]));
        let expected = (within || case.needs.iter().any(held)) && !broken;
        // Where more than the row's own right is missing, either may be told of.
        let lacks_more = !case.needs.iter().any(|needs| held(&needs[1..].to_vec()));
        self.say(case, &way.make);
        let outcome = self.attempt(case);
        if outcome == Outcome::Allowed
            && let Some(undo) = &case.undo
        {
            self.say(case, std::slice::from_ref(undo));
        }
        self.say(case, &way.undo);
        self.counts.statements += 1;
        let right = match &outcome {
            Outcome::Allowed => {
                self.counts.allowed += 1;
                expected
            }
            Outcome::Refused(errors) => {
                self.counts.refused += 1;
                let known = |number: i32| {
                    case.refused.contains(&number) || !enters && number == 916 || lacks_more && MORE.contains(&number)
                };
                !expected && (errors.is_empty() || errors.iter().any(|(number, _)| known(*number)))
            }
        };
        if !right {
            let rule = if expected { "allowed" } else { "refused" };
            let told = format!("    {}: {rule} by the rules, {outcome:?}", way.told);
            self.differences.entry(case.text.clone()).or_default().push(told);
        }
    }

    /// Whether GRANT takes a right at all.
    fn is_grantable(&self, right: &Right) -> bool {
        let kind = OBJECTS.iter().find(|(name, _)| *name == right.on);
        kind.is_none_or(|(_, kind)| self.rules.is_for(right, kind))
    }

    /// All ways that a case is tried in.
    fn ways(&self, case: &Case) -> Vec<Way> {
        let mut ways = Vec::new();
        for needs in &case.needs {
            let own = &needs[0];
            let also: Vec<Entry> = needs[1..].iter().map(|right| granted(right, To::Own)).collect();
            let with = |mut entries: Vec<Entry>| {
                entries.extend(also.iter().cloned());
                entries
            };
            ways.push(self.way("nothing", with(Vec::new())));
            let implying: Vec<Right> =
                self.rules.implying(own).into_iter().filter(|right| self.is_grantable(right)).collect();
            for right in &implying {
                let told = self.told(right);
                for to in EACH {
                    // What holds of a role of a role holds of it for the permission itself; the rest is the same walk.
                    if to == To::RoleOfRole && right != own && !self.full {
                        continue;
                    }
                    ways.push(self.way(&format!("granted {told} to {to:?}"), with(vec![granted(right, to)])));
                    let both = vec![denied(right, to), granted(own, To::Own)];
                    if right != own || to != To::Own {
                        ways.push(self.way(&format!("denied {told} to {to:?}, granted"), with(both)));
                    }
                }
                let mut revoked = self.way(&format!("revoked {told}"), with(vec![granted(right, To::Own)]));
                revoked.make.push(self.statement("REVOKE", &granted(right, To::Own)));
                revoked.without.push(revoked.entries.remove(0));
                ways.push(revoked);
            }
            if self.full {
                for (given, taken) in implying.iter().flat_map(|given| implying.iter().map(move |taken| (given, taken)))
                {
                    let told = format!("granted {} to Own, denied {} to Role", self.told(given), self.told(taken));
                    ways.push(self.way(&told, with(vec![granted(given, To::Own), denied(taken, To::Role)])));
                }
            }
            ways.extend(self.owners(own, &also));
        }
        ways.extend(self.fixed_roles(&case.needs[0]));
        // 4627: to connect is no right of roles.
        let connect = self.rules.right("DATABASE / CONNECT");
        ways.retain(|way| !way.entries.iter().any(|entry| entry.right == connect && entry.to != To::Own));
        ways
    }

    fn told(&self, right: &Right) -> String {
        format!("{} {}", self.rules.class(right), self.rules.name(right))
    }

    /// Who owns something, or the schema that it is in, or is in the role that does, controls it.
    fn owners(&self, own: &Right, also: &[Entry]) -> Vec<Way> {
        let schema = own.on.split('.').next().unwrap_or_default().to_owned();
        let owned: &[(&str, &str, &str)] = match self.rules.class(own) {
            "OBJECT" => &[("OBJECT", &own.on, "SCHEMA OWNER"), ("SCHEMA", &schema, "dbo")],
            "TYPE" => &[("SCHEMA", &schema, "dbo")],
            class @ ("SCHEMA" | "ROLE") => &[(class, &own.on, "dbo")],
            _ => &[],
        };
        let mut ways = Vec::new();
        for (class, on, before) in owned {
            for (owner, to) in [("u", To::Own), ("r", To::Role)] {
                let controls = granted(&self.rules.right(&format!("{class} / CONTROL {on}")), to);
                // Nobody is granted what is his anyway.
                let is_his = |entry: &&Entry| entry.right.on == *on || entry.right.on.starts_with(&format!("{on}."));
                let others: Vec<Entry> = also.iter().filter(|entry| !is_his(entry)).cloned().collect();
                let mut way = self.way(&format!("{class} {on} owned by {to:?}"), others);
                way.make.insert(0, format!("ALTER AUTHORIZATION ON {class}::{on} TO {owner}"));
                way.undo.push(format!("ALTER AUTHORIZATION ON {class}::{on} TO {before}"));
                way.entries.push(controls);
                way.breaks_chain = *class == "OBJECT";
                ways.push(way);
            }
        }
        ways
    }

    /// The fixed roles, each with what the documentation says that it may do and may not.
    fn fixed_roles(&self, needs: &[Right]) -> Vec<Way> {
        let also: Vec<Entry> = needs[1..].iter().map(|right| granted(right, To::Own)).collect();
        let lines = ROLES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines
            .map(|line| {
                let (head, names) = line.split_once(": ").expect("a role and its permissions");
                let (class, role) = head.split_once(' ').expect("its class");
                let said = names.split(", ").map(|name| {
                    let (name, denies) = name.strip_prefix("DENY ").map_or((name, false), |name| (name, true));
                    Entry { right: self.rules.right(&format!("{class} / {name}")), to: To::Role, denied: denies }
                });
                let mut way = self.way(&format!("a member of {role}"), also.clone());
                let (place, kind, member) =
                    if class == "SERVER" { ("master: ", "SERVER ROLE", "l") } else { ("", "ROLE", "u") };
                way.make.push(format!("{place}ALTER {kind} {role} ADD MEMBER {member}"));
                way.undo.push(format!("{place}ALTER {kind} {role} DROP MEMBER {member}"));
                way.entries.extend(said);
                way
            })
            .collect()
    }

    fn finish(self) {
        let Counts { statements, allowed, refused } = self.counts;
        let differ: usize = self.differences.values().map(Vec::len).sum();
        println!("{statements} attempts: {allowed} allowed, {refused} refused; {differ} differ");
        let mut told = String::new();
        for (statement, all) in &self.differences {
            told.push_str(&format!("{statement}: {} differ\n", all.len()));
            all.iter().take(TOLD_MAX).for_each(|one| told.push_str(&format!("{one}\n")));
        }
        assert!(self.differences.is_empty(), "{differ} of {statements}:\n{told}");
        // Neither all nor nothing.
        assert!(allowed * 10 > statements && refused * 10 > statements);
    }
}

/// Every permission has a row with statements or with a reason.
fn rows(rules: &Hierarchy) -> Vec<Row> {
    let rows = cases::read(CASES, rules);
    let named: BTreeSet<(&str, &str)> = rows.iter().map(|row| (row.class.as_str(), row.name.as_str())).collect();
    for known in &rules.permissions {
        let found = named.contains(&(&known.class, &known.name)) || named.contains(&(&known.class, "*"));
        assert!(found, "{} / {} has no row", known.class, known.name);
    }
    for row in &rows {
        assert!(row.absent.is_some() == row.cases.is_empty(), "{} / {}: either a reason or cases", row.class, row.name);
        for case in &row.cases {
            assert!(case.kind == Kind::See || !case.refused.is_empty(), "{}: refused with what?", case.text);
        }
    }
    rows
}

#[test]
fn what_is_permitted_runs_and_the_rest_is_refused() {
    let mut matrix = Matrix::start("matrix_tried");
    let only = std::env::var("ONLY").unwrap_or_default();
    for row in rows(&matrix.rules) {
        for case in row.cases.iter().filter(|case| case.text.contains(&only)) {
            for way in matrix.ways(case) {
                matrix.check(case, &way);
            }
        }
    }
    matrix.finish();
}

#[test]
fn the_servers_hierarchy_is_the_documented_one() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    let answer = ask(
        &mut sa,
        "SELECT CONCAT(class_desc, N'|', permission_name, N'|', covering_permission_name, N'|', parent_class_desc, N'|', \
         parent_covering_permission_name) FROM sys.fn_builtin_permissions(DEFAULT)",
    );
    let found: Vec<&Datum> = answer.sets[0].rows.iter().map(|row| &row[0]).collect();
    let documented = Hierarchy::read(HIERARCHY).lines();
    for line in &documented {
        assert!(found.contains(&&Datum::nvarchar(line)), "the server has not {line}");
    }
    assert_eq!(found.len(), documented.len(), "the server has more");
}
