//! By what a running module knows its cursors; the cursors themselves are the session's (`crate::statements`).

/// Never given twice: it says by itself whether its cursor is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorId {
    pub index: u32,
    pub generation: u32,
}

/// What a name stands for in a running module.
pub struct CursorName {
    /// In lower case.
    pub name: Box<str>,
    /// Declared LOCAL by the module. Holds a reference.
    pub local: Option<CursorId>,
    /// What the session's table last said; `CursorTable::is_named` knows whether it still holds.
    pub global: Option<CursorId>,
}

impl CursorName {
    pub fn new(name: Box<str>) -> CursorName {
        CursorName { name, local: None, global: None }
    }
}
