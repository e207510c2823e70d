//! The documented rules: which permission implies which, read from tests/permissions/hierarchy.txt, and whether what was granted and
//! denied to somebody and his roles lets him. Nothing of this is the server's.

use std::collections::BTreeMap;

/// A permission, by its place in the hierarchy.
pub type Known = usize;

pub struct Permission {
    pub class: String,
    pub name: String,
    covering: String,
    parent: String,
}

#[derive(Default)]
pub struct Hierarchy {
    pub permissions: Vec<Permission>,
    /// The class that contains another.
    parents: BTreeMap<String, String>,
    /// What is granted on a kind of object.
    kinds: BTreeMap<String, Vec<String>>,
}

/// A permission on something: `on` is empty for the server and the database.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Right {
    pub known: Known,
    pub on: String,
}

/// Who something is granted or denied to, of those that the one who tries is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum To {
    Own,
    Role,
    /// A role of the role.
    RoleOfRole,
    Public,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub right: Right,
    pub to: To,
    pub denied: bool,
}

pub fn is_of_server(class: &str) -> bool {
    matches!(class, "SERVER" | "LOGIN" | "SERVER ROLE" | "ENDPOINT" | "AVAILABILITY GROUP")
}

impl Hierarchy {
    pub fn read(text: &str) -> Hierarchy {
        let mut hierarchy = Hierarchy::default();
        let mut class = String::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(named) = line.strip_prefix("class ") {
                let (name, parent) = named.split_once(" in ").unwrap_or((named, ""));
                class = name.to_owned();
                hierarchy.parents.insert(class.clone(), parent.to_owned());
            } else if let Some(kind) = line.strip_prefix("kind ") {
                let (kind, names) = kind.split_once(": ").expect("a kind and its permissions");
                hierarchy.kinds.insert(kind.to_owned(), names.split(", ").map(str::to_owned).collect());
            } else {
                let mut cells = line.split('|').map(|cell| cell.trim().to_owned());
                let mut next = || cells.next().unwrap_or_default();
                let (name, covering, parent) = (next(), next(), next());
                hierarchy.permissions.push(Permission { class: class.clone(), name, covering, parent });
            }
        }
        hierarchy
    }

    /// As sys.fn_builtin_permissions has it: class, name, covering permission, containing class, its permission.
    pub fn lines(&self) -> Vec<String> {
        let line = |known: &Permission| {
            let Permission { class, name, covering, parent } = known;
            format!("{class}|{name}|{covering}|{}|{parent}", self.parents[class])
        };
        self.permissions.iter().map(line).collect()
    }

    pub fn find(&self, class: &str, name: &str) -> Option<Known> {
        self.permissions.iter().position(|known| known.class == class && known.name == name)
    }

    /// `CLASS / PERMISSION securable`.
    pub fn right(&self, text: &str) -> Right {
        let (class, rest) = text.split_once(" / ").unwrap_or_else(|| panic!("{text}"));
        let of_class = self.permissions.iter().enumerate().filter(|(_, known)| known.class == class);
        let named = |(at, known): (usize, &Permission)| {
            let on = rest.strip_prefix(&known.name)?;
            (on.is_empty() || on.starts_with(' ')).then(|| Right { known: at, on: on.trim().to_owned() })
        };
        let longest = of_class.filter_map(named).min_by_key(|right| right.on.len());
        longest.unwrap_or_else(|| panic!("no such permission: {text}"))
    }

    pub fn class(&self, right: &Right) -> &str {
        &self.permissions[right.known].class
    }

    pub fn name(&self, right: &Right) -> &str {
        &self.permissions[right.known].name
    }

    /// The right, then all that imply it, the nearest first.
    pub fn implying(&self, right: &Right) -> Vec<Right> {
        let mut all = vec![right.clone()];
        let mut at = 0;
        while let Some(next) = all.get(at).cloned() {
            let Permission { class, covering, parent, .. } = &self.permissions[next.known];
            let outer = &self.parents[class];
            // What contains an object or a type is named before the point.
            let place = match outer.as_str() {
                "SCHEMA" => next.on.split('.').next().unwrap_or_default().to_owned(),
                _ => String::new(),
            };
            let same = self.find(class, covering).map(|known| Right { known, on: next.on.clone() });
            let above = self.find(outer, parent).map(|known| Right { known, on: place });
            for found in [same, above].into_iter().flatten() {
                if !all.contains(&found) {
                    all.push(found);
                }
            }
            at += 1;
        }
        all
    }

    /// Whether GRANT takes the permission for that kind of object.
    pub fn is_for(&self, right: &Right, kind: &str) -> bool {
        self.class(right) != "OBJECT" || self.kinds[kind].iter().any(|name| name == self.name(right))
    }

    /// The permission check algorithm: a denial wins, of the permission or of any that implies it.
    pub fn holds(&self, right: &Right, entries: &[Entry]) -> bool {
        let implying = self.implying(right);
        let counts =
            |denied: bool| entries.iter().any(|entry| entry.denied == denied && implying.contains(&entry.right));
        !counts(true) && counts(false)
    }

    /// The statement that makes an entry, or takes it away.
    pub fn statement(&self, verb: &str, entry: &Entry) -> String {
        let Entry { right, to, .. } = entry;
        let class = self.class(right);
        let on = match class {
            "SERVER" | "DATABASE" => String::new(),
            class => format!(" ON {class}::{}", right.on),
        };
        let to = match (is_of_server(class), to) {
            (true, To::Own) => "l",
            (true, To::Role) => "sr",
            (true, To::RoleOfRole) => "srr",
            (false, To::Own) => "u",
            (false, To::Role) => "r",
            (false, To::RoleOfRole) => "rr",
            (_, To::Public) => "public",
        };
        let cascade = if verb == "GRANT" { "" } else { " CASCADE" };
        format!("{verb} {}{on} TO {to}{cascade}", self.name(right))
    }
}
