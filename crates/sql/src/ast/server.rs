//! What speaks to the server itself: DBCC, KILL, ALTER SERVER CONFIGURATION, thread pools, the resource governor.

use super::{Expr, Ident, ObjectName, Setting, Variable};

#[derive(Debug, Clone, PartialEq)]
pub struct Dbcc {
    /// In capitals.
    pub command: Box<str>,
    /// Bare words are `Expr::Word`, names of several parts are columns.
    pub args: Vec<Expr>,
    pub options: Vec<Setting>,
}

impl Dbcc {
    /// Its arguments that are variables.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.args.iter().filter_map(|argument| match argument {
            Expr::Variable(variable) => Some(variable),
            _ => None,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kill {
    Session {
        id: Expr,
        status_only: bool,
    },
    /// KILL STATS JOB id, KILL QUERY NOTIFICATION SUBSCRIPTION id | ALL
    Other(Box<str>),
}

/// `ALTER SERVER CONFIGURATION SET name ...`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterServerConfiguration {
    /// "PROCESS AFFINITY", "DIAGNOSTICS LOG", "HADR CLUSTER CONTEXT", "BUFFER POOL EXTENSION", "SOFTNUMA",
    /// "MEMORY_OPTIMIZED" ...
    pub name: Box<str>,
    /// `CPU = 0 TO 3, 5`, `NUMANODE = 0`, `CPU = AUTO`, `ON`: "CPU" with ranges, or settings.
    pub ranges: Vec<(Expr, Option<Expr>)>,
    pub settings: Vec<Setting>,
}

/// Sybase ASE's thread pools, which this server also has.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadPool {
    pub name: Ident,
    pub action: ThreadPoolAction,
    /// `for instance x`
    pub instance: Option<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ThreadPoolAction {
    /// THREAD COUNT, POOL DESCRIPTION, IDLE TIMEOUT
    Create(Vec<Setting>),
    /// also POOL NAME
    Alter(Vec<Setting>),
    Drop,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ResourceGovernor {
    CreatePool(Ident, Vec<Setting>),
    AlterPool(Ident, Vec<Setting>),
    DropPool(Ident),
    /// With the pool that USING names.
    CreateGroup(Ident, Vec<Setting>, Option<Ident>),
    AlterGroup(Ident, Vec<Setting>, Option<Ident>),
    DropGroup(Ident),
    /// The function that says which group a session is in; None: NULL.
    Classifier(Option<ObjectName>),
    /// Another option of the governor itself.
    Setting(Setting),
    Reconfigure,
    Disable,
}
