//! Logins, users, roles and permissions.

use super::{Expr, Ident, ObjectName, Setting};

#[derive(Debug, Clone, PartialEq)]
pub struct CreateLogin {
    pub name: Ident,
    pub source: LoginSource,
    /// DEFAULT_DATABASE, DEFAULT_LANGUAGE, SID, CHECK_POLICY, CHECK_EXPIRATION, CREDENTIAL ...
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum LoginSource {
    Password(Password),
    Windows,
    Certificate(Ident),
    AsymmetricKey(Ident),
    External,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Password {
    /// A string, or binary with `hashed`.
    pub value: Expr,
    pub hashed: bool,
    pub must_change: bool,
    pub unlock: bool,
    pub old: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterLogin {
    pub name: Ident,
    pub action: AlterLoginAction,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterLoginAction {
    Enable,
    Disable,
    Set { password: Option<Password>, options: Vec<Setting> },
    AddCredential(Ident),
    DropCredential(Ident),
}

/// `CREATE | ALTER CREDENTIAL name WITH IDENTITY = 'text', SECRET = 'text'`
#[derive(Debug, Clone, PartialEq)]
pub struct Credential {
    pub alter: bool,
    pub name: Ident,
    /// IDENTITY, SECRET
    pub options: Vec<Setting>,
    /// FOR CRYPTOGRAPHIC PROVIDER x
    pub provider: Option<Ident>,
}

/// `CREATE MASTER KEY` and its like, of the current database.
#[derive(Debug, Clone, PartialEq)]
pub enum MasterKey {
    /// ENCRYPTION BY PASSWORD = 'text'
    Create(Option<Box<str>>),
    Drop,
    /// DECRYPTION BY PASSWORD = 'text'
    Open(Box<str>),
    Close,
    /// ADD ENCRYPTION BY SERVICE MASTER KEY
    AddService,
}

/// `CREATE CERTIFICATE name`
#[derive(Debug, Clone, PartialEq)]
pub struct CreateCertificate {
    pub name: Ident,
    pub owner: Option<Ident>,
    pub source: CertificateSource,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CertificateSource {
    /// SUBJECT, START_DATE, EXPIRY_DATE
    New { by_password: bool, options: Vec<Setting> },
    /// `FROM FILE = 'path' WITH PRIVATE KEY (FILE, DECRYPTION BY PASSWORD, ENCRYPTION BY PASSWORD)`
    File { path: Box<str>, key: Option<Vec<Setting>> },
    /// FROM ASSEMBLY, EXECUTABLE FILE, BINARY: which of them.
    Other(&'static str),
}

/// `BACKUP CERTIFICATE name TO FILE = 'path' WITH PRIVATE KEY (FILE, ENCRYPTION BY PASSWORD)`
#[derive(Debug, Clone, PartialEq)]
pub struct BackupCertificate {
    pub name: Ident,
    pub path: Box<str>,
    pub key: Option<Vec<Setting>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateUser {
    pub name: Ident,
    pub source: UserSource,
    /// DEFAULT_SCHEMA, DEFAULT_LANGUAGE, SID, ALLOW_ENCRYPTED_VALUE_MODIFICATIONS
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum UserSource {
    /// Neither FOR nor WITHOUT: the login of the same name.
    SameName,
    Login(Ident),
    WithoutLogin,
    Password(Password),
    Certificate(Ident),
    AsymmetricKey(Ident),
    External,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterUser {
    pub name: Ident,
    /// NAME, DEFAULT_SCHEMA, LOGIN, DEFAULT_LANGUAGE ...
    pub options: Vec<Setting>,
    pub password: Option<Password>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CreateRole {
    pub server: bool,
    /// APPLICATION ROLE: its options.
    pub application: Option<Vec<Setting>>,
    pub name: Ident,
    pub authorization: Option<Ident>,
}

/// `ALTER APPLICATION ROLE name WITH NAME = ..., PASSWORD = ..., DEFAULT_SCHEMA = ...`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterApplicationRole {
    pub name: Ident,
    pub options: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AlterRole {
    pub server: bool,
    pub name: Ident,
    pub action: AlterRoleAction,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AlterRoleAction {
    AddMember(Ident),
    DropMember(Ident),
    Rename(Ident),
}

/// `ALTER AUTHORIZATION ON [class::]name TO principal`
#[derive(Debug, Clone, PartialEq)]
pub struct AlterAuthorization {
    pub on: Securable,
    /// None: SCHEMA OWNER.
    pub to: Option<Ident>,
}

/// GRANT, DENY, REVOKE.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    pub verb: PermissionVerb,
    pub permissions: Vec<PermissionItem>,
    /// None: the database or the server.
    pub on: Option<Securable>,
    pub principals: Vec<Ident>,
    /// WITH GRANT OPTION, GRANT OPTION FOR
    pub grant_option: bool,
    pub cascade: bool,
    /// `AS grantor`
    pub grantor: Option<Ident>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionVerb {
    Grant,
    Deny,
    Revoke,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PermissionItem {
    /// In capitals: "SELECT", "VIEW DEFINITION", "ALL"
    pub name: Box<str>,
    pub columns: Vec<Ident>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Securable {
    /// OBJECT, SCHEMA, DATABASE, LOGIN, TYPE ..., in capitals
    pub class: Option<Box<str>>,
    pub name: ObjectName,
    pub columns: Vec<Ident>,
}

/// CREATE, ALTER SECURITY POLICY.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityPolicy {
    pub alter: bool,
    pub name: ObjectName,
    pub predicates: Vec<PredicateChange>,
    /// WITH (STATE = ...)
    pub state: Option<bool>,
    /// WITH (SCHEMABINDING = ...)
    pub schemabinding: Option<bool>,
    /// ALTER can take it away.
    pub not_for_replication: Option<bool>,
}

/// `ADD | ALTER | DROP { FILTER | BLOCK } PREDICATE [function(arguments)] ON table [AFTER | BEFORE ...]`
#[derive(Debug, Clone, PartialEq)]
pub struct PredicateChange {
    pub verb: PredicateVerb,
    pub block: bool,
    /// None: DROP.
    pub function: Option<PredicateFunction>,
    pub table: ObjectName,
    /// Of BLOCK; None: all of them.
    pub operation: Option<BlockedOperation>,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PredicateFunction {
    pub name: ObjectName,
    pub arguments: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredicateVerb {
    Add,
    Alter,
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockedOperation {
    AfterInsert,
    AfterUpdate,
    BeforeUpdate,
    BeforeDelete,
}
