//! Audits: where what happened is written, and what of it.

use super::{Ident, ObjectName, Setting};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditVerb {
    Create,
    Alter,
    Drop,
}

/// `CREATE | ALTER | DROP SERVER AUDIT name ...`
#[derive(Debug, Clone, PartialEq)]
pub struct ServerAudit {
    pub verb: AuditVerb,
    pub name: Ident,
    pub target: Option<AuditTarget>,
    /// QUEUE_DELAY, ON_FAILURE, AUDIT_GUID, STATE, OPERATOR_AUDIT
    pub options: Vec<Setting>,
    pub filter: AuditFilter,
    /// MODIFY NAME = x
    pub new_name: Option<Ident>,
}

/// `TO FILE (...)`, `TO APPLICATION_LOG`: the word in capitals.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditTarget {
    pub kind: Box<str>,
    pub settings: Vec<Setting>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditFilter {
    /// Nothing is said of it.
    Unsaid,
    /// WHERE ...
    Given,
    /// REMOVE WHERE
    Removed,
}

/// `CREATE | ALTER | DROP SERVER | DATABASE AUDIT SPECIFICATION name ...`
#[derive(Debug, Clone, PartialEq)]
pub struct AuditSpecification {
    pub verb: AuditVerb,
    /// DATABASE, not SERVER.
    pub of_database: bool,
    pub name: Ident,
    /// FOR SERVER AUDIT x
    pub audit: Option<Ident>,
    pub changes: Vec<AuditChange>,
    /// WITH (STATE = ON | OFF)
    pub state: Option<bool>,
}

/// ADD or DROP of one parenthesis.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditChange {
    pub add: bool,
    pub what: AuditedActions,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AuditedActions {
    /// In capitals.
    Group(Box<str>),
    /// `SELECT, INSERT ON [class::]name BY a, b`: the actions in capitals.
    On {
        actions: Vec<Box<str>>,
        /// "DATABASE", "SCHEMA", "OBJECT"
        class: Option<Box<str>>,
        securable: ObjectName,
        principals: Vec<Ident>,
    },
}
