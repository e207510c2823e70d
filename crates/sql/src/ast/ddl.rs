//! Indexes, statistics, schemas, types, sequences, synonyms, partitions, and DROP.

use super::TableDefinition;
use super::{DataSpace, DataType, Expr, Ident, IndexColumn, ObjectName, PartitionChoice, Setting, Statement};

#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndex {
    pub name: Ident,
    pub table: ObjectName,
    pub kind: IndexKind,
    pub unique: bool,
    pub clustered: Option<bool>,
    pub hash: bool,
    pub columns: Vec<IndexColumn>,
    pub include: Vec<Ident>,
    /// `ORDER (columns)` of a columnstore index
    pub order: Vec<Ident>,
    pub filter: Option<Expr>,
    pub options: Vec<Setting>,
    pub on: Option<DataSpace>,
    pub filestream_on: Option<DataSpace>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum IndexKind {
    Rows,
    Columnstore,
    /// `PRIMARY XML INDEX`; secondary ones name the primary and what they are FOR (VALUE, PATH, PROPERTY).
    Xml {
        using: Option<(Ident, Option<Box<str>>)>,
    },
    /// `USING grid`
    Spatial {
        using: Option<Ident>,
    },
    FullText,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterIndex {
    /// None: ALL.
    pub index: Option<Ident>,
    pub table: ObjectName,
    pub action: AlterIndexAction,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterIndexAction {
    Rebuild {
        partition: Option<PartitionChoice>,
        options: Vec<Setting>,
    },
    Reorganize {
        partition: Option<PartitionChoice>,
        options: Vec<Setting>,
    },
    Disable,
    Set(Vec<Setting>),
    /// RESUME, PAUSE, ABORT, in capitals
    Resumable {
        verb: Box<str>,
        options: Vec<Setting>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct DropIndex {
    pub if_exists: bool,
    pub indexes: Vec<DropIndexItem>,
}

/// `index ON table` or the old `table.index`.
#[derive(Debug, Clone, PartialEq)]
pub struct DropIndexItem {
    pub index: Ident,
    pub table: ObjectName,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateStatistics {
    pub name: Ident,
    pub table: ObjectName,
    pub columns: Vec<Ident>,
    pub filter: Option<Expr>,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct UpdateStatistics {
    pub table: ObjectName,
    /// Indexes or statistics; empty: all.
    pub names: Vec<Ident>,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SwitchTrigger {
    pub enable: bool,
    /// None: ALL.
    pub triggers: Option<Vec<ObjectName>>,
    pub on: TriggerScope,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TriggerScope {
    Table(ObjectName),
    Database,
    AllServer,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Drop {
    pub kind: DropKind,
    pub if_exists: bool,
    pub names: Vec<ObjectName>,
    /// Triggers: `ON DATABASE`, `ON ALL SERVER`.
    pub scope: Option<TriggerScope>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropKind {
    Table,
    View,
    Procedure,
    Function,
    Trigger,
    Type,
    Sequence,
    Synonym,
    Schema,
    Database,
    Login,
    User,
    Role,
    ServerRole,
    Default,
    Rule,
    Aggregate,
    Assembly,
    PartitionFunction,
    PartitionScheme,
    XmlSchemaCollection,
    ApplicationRole,
    Credential,
    Certificate,
    SecurityPolicy,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateSchema {
    /// None: `CREATE SCHEMA AUTHORIZATION owner` (its name is the owner's).
    pub name: Option<Ident>,
    pub authorization: Option<Ident>,
    /// CREATE TABLE, CREATE VIEW, GRANT, DENY, REVOKE inside it.
    pub elements: Vec<Statement>,
}

/// `ALTER SCHEMA schema TRANSFER [class::] name`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterSchema {
    pub schema: Ident,
    /// OBJECT, TYPE, XML SCHEMA COLLECTION, in capitals
    pub class: Option<Box<str>>,
    pub name: ObjectName,
}

/// `CREATE XML SCHEMA COLLECTION name AS text`, `ALTER XML SCHEMA COLLECTION name ADD text`
#[derive(Debug, Clone, PartialEq)]
pub struct XmlSchemaCollection {
    pub alter: bool,
    pub name: ObjectName,
    /// A literal or a variable.
    pub text: Expr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateType {
    pub name: ObjectName,
    pub kind: CreateTypeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CreateTypeKind {
    Alias {
        base: DataType,
        null: Option<bool>,
    },
    Table(Box<TableDefinition>),
    /// EXTERNAL NAME assembly.class
    External,
}

/// CREATE and ALTER SEQUENCE.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateSequence {
    pub alter: bool,
    pub name: ObjectName,
    pub data_type: Option<DataType>,
    /// START WITH n; ALTER: RESTART [WITH n]
    pub start: Option<Expr>,
    pub restart: bool,
    pub increment: Option<Expr>,
    pub minimum: SequenceBound,
    pub maximum: SequenceBound,
    pub cycle: Option<bool>,
    pub cache: SequenceCache,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SequenceBound {
    Unsaid,
    /// NO MINVALUE, NO MAXVALUE
    None,
    Value(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub enum SequenceCache {
    Unsaid,
    None,
    Default,
    Size(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateSynonym {
    pub name: ObjectName,
    pub target: ObjectName,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateDefaultOrRule {
    pub rule: bool,
    pub name: ObjectName,
    /// The constant, or the rule's condition.
    pub expr: Expr,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreatePartitionFunction {
    pub name: Ident,
    pub data_type: DataType,
    /// More types are listed.
    pub several: bool,
    pub collation: Option<Ident>,
    /// RANGE RIGHT, else LEFT
    pub right: bool,
    pub values: Vec<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreatePartitionScheme {
    pub name: Ident,
    pub function: Ident,
    pub all: bool,
    pub filegroups: Vec<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterPartitionFunction {
    pub name: Ident,
    /// MERGE RANGE, else SPLIT RANGE
    pub merge: bool,
    pub value: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterPartitionScheme {
    pub name: Ident,
    /// NEXT USED [filegroup]
    pub next_used: Option<Ident>,
}

impl super::StatementKind {
    /// Of a statement about partitions: the expressions that are values of boundaries, or numbers of partitions.
    pub fn partition_values(&self) -> Vec<&Expr> {
        use super::{AlterTableAction, StatementKind as S};
        match self {
            S::CreatePartitionFunction(create) => create.values.iter().collect(),
            S::AlterPartitionFunction(alter) => alter.value.iter().collect(),
            S::Truncate(truncate) => {
                truncate.partitions.iter().flat_map(|(first, last)| std::iter::once(first).chain(last)).collect()
            }
            S::AlterTable(alter) => match &alter.action {
                AlterTableAction::SwitchPartition { from, to_partition, .. } => {
                    from.iter().chain(to_partition).collect()
                }
                AlterTableAction::Rebuild { partition: Some(PartitionChoice::One(number)), .. } => vec![number],
                _ => Vec::new(),
            },
            S::AlterIndex(alter) => match &alter.action {
                AlterIndexAction::Rebuild { partition: Some(PartitionChoice::One(number)), .. }
                | AlterIndexAction::Reorganize { partition: Some(PartitionChoice::One(number)), .. } => vec![number],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}
