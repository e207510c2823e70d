//! The permissions that there are, and which implies which: one table.
//!
//! A permission is implied by one of its own class (`covering`) and by one of the class that contains it (`parent`): CONTROL of a schema
//! implies CONTROL of its tables, that implies SELECT of each. Names, codes and parents are those of "Permissions (Database Engine)" and of
//! `sys.fn_builtin_permissions`; permissions of features that are not here are listed, and their securables cannot be named.

use crate::catalog::base::class;

/// A class of securables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Server,
    Database,
    Object,
    Schema,
    Type,
    XmlSchemaCollection,
    Login,
    ServerRole,
    Endpoint,
    AvailabilityGroup,
    User,
    Role,
    ApplicationRole,
    Assembly,
    AsymmetricKey,
    Certificate,
    Contract,
    DatabaseScopedCredential,
    FulltextCatalog,
    FulltextStoplist,
    MessageType,
    RemoteServiceBinding,
    Route,
    SearchPropertyList,
    Service,
    SymmetricKey,
}

impl Class {
    /// `class_desc` of sys.fn_builtin_permissions.
    pub fn name(self) -> &'static str {
        match self {
            Class::Server => "SERVER",
            Class::Database => "DATABASE",
            Class::Object => "OBJECT",
            Class::Schema => "SCHEMA",
            Class::Type => "TYPE",
            Class::XmlSchemaCollection => "XML SCHEMA COLLECTION",
            Class::Login => "LOGIN",
            Class::ServerRole => "SERVER ROLE",
            Class::Endpoint => "ENDPOINT",
            Class::AvailabilityGroup => "AVAILABILITY GROUP",
            Class::User => "USER",
            Class::Role => "ROLE",
            Class::ApplicationRole => "APPLICATION ROLE",
            Class::Assembly => "ASSEMBLY",
            Class::AsymmetricKey => "ASYMMETRIC KEY",
            Class::Certificate => "CERTIFICATE",
            Class::Contract => "CONTRACT",
            Class::DatabaseScopedCredential => "DATABASE SCOPED CREDENTIAL",
            Class::FulltextCatalog => "FULLTEXT CATALOG",
            Class::FulltextStoplist => "FULLTEXT STOPLIST",
            Class::MessageType => "MESSAGE TYPE",
            Class::RemoteServiceBinding => "REMOTE SERVICE BINDING",
            Class::Route => "ROUTE",
            Class::SearchPropertyList => "SEARCH PROPERTY LIST",
            Class::Service => "SERVICE",
            Class::SymmetricKey => "SYMMETRIC KEY",
        }
    }

    pub fn named(name: &str) -> Option<Class> {
        PERMISSIONS.iter().map(|permission| permission.class).find(|class| class.name().eq_ignore_ascii_case(name))
    }

    /// The class whose members contain those of this one.
    pub fn parent(self) -> Option<Class> {
        match self {
            Class::Server => None,
            Class::Database | Class::Login | Class::ServerRole | Class::Endpoint | Class::AvailabilityGroup => {
                Some(Class::Server)
            }
            Class::Object | Class::Type | Class::XmlSchemaCollection => Some(Class::Schema),
            _ => Some(Class::Database),
        }
    }

    /// As `sys.database_permissions` and `sys.server_permissions` number the securables that there are.
    pub fn number(self) -> u8 {
        match self {
            Class::Server => class::SERVER,
            Class::Database => class::DATABASE,
            Class::Object => class::OBJECT,
            Class::Schema => class::SCHEMA,
            Class::Login | Class::ServerRole => class::LOGIN,
            Class::Endpoint => class::ENDPOINT,
            Class::Type => class::TYPE,
            Class::XmlSchemaCollection => class::XML_COLLECTION,
            Class::Certificate => class::CERTIFICATE,
            _ => class::PRINCIPAL,
        }
    }
}

pub struct Permission {
    pub class: Class,
    /// `type` of sys.database_permissions.
    pub code: &'static str,
    pub name: &'static str,
    /// The permission of the same class that implies it, or empty.
    pub covering: &'static str,
    /// The permission of the containing class that implies it, or empty.
    pub parent: &'static str,
}

macro_rules! permissions {
    ($($class:ident { $($code:literal $name:literal in $covering:literal of $parent:literal,)* })*) => {
        pub const PERMISSIONS: &[Permission] = &[$($(
            Permission { class: Class::$class, code: $code, name: $name, covering: $covering, parent: $parent },
        )*)*];
    };
}

/// The permission of that class and name.
pub fn find(class: Class, name: &str) -> Option<&'static Permission> {
    PERMISSIONS.iter().find(|permission| permission.class == class && permission.name == name)
}

/// The permission itself, then all that imply it.
pub fn implying(permission: &'static Permission) -> Vec<&'static Permission> {
    let mut all = vec![permission];
    let mut at = 0;
    while let Some(&next) = all.get(at) {
        let covering = find(next.class, next.covering);
        let parent = next.class.parent().and_then(|class| find(class, next.parent));
        for found in [covering, parent].into_iter().flatten() {
            if !all.iter().any(|known| std::ptr::eq(*known, found)) {
                all.push(found);
            }
        }
        at += 1;
    }
    all
}

permissions! {
    Server {
        "ADBO" "ADMINISTER BULK OPERATIONS" in "CONTROL SERVER" of "",
        "ALAA" "ALTER ANY SERVER AUDIT" in "CONTROL SERVER" of "",
        "ALAG" "ALTER ANY AVAILABILITY GROUP" in "CONTROL SERVER" of "",
        "ALCD" "ALTER ANY CREDENTIAL" in "CONTROL SERVER" of "",
        "ALCO" "ALTER ANY CONNECTION" in "CONTROL SERVER" of "",
        "ALDB" "ALTER ANY DATABASE" in "CONTROL SERVER" of "",
        "ALES" "ALTER ANY EVENT NOTIFICATION" in "CONTROL SERVER" of "",
        "AAES" "ALTER ANY EVENT SESSION" in "CONTROL SERVER" of "",
        "ALHE" "ALTER ANY ENDPOINT" in "CONTROL SERVER" of "",
        "ALLG" "ALTER ANY LOGIN" in "CONTROL SERVER" of "",
        "ALLS" "ALTER ANY LINKED SERVER" in "CONTROL SERVER" of "",
        "ALRS" "ALTER RESOURCES" in "CONTROL SERVER" of "",
        "ALSR" "ALTER ANY SERVER ROLE" in "CONTROL SERVER" of "",
        "ALSS" "ALTER SERVER STATE" in "CONTROL SERVER" of "",
        "ALST" "ALTER SETTINGS" in "CONTROL SERVER" of "",
        "ALTR" "ALTER TRACE" in "CONTROL SERVER" of "",
        "AUTH" "AUTHENTICATE SERVER" in "CONTROL SERVER" of "",
        "CADB" "CONNECT ANY DATABASE" in "CONTROL SERVER" of "",
        "CL" "CONTROL SERVER" in "" of "",
        "COSQ" "CONNECT SQL" in "CONTROL SERVER" of "",
        "CRAC" "CREATE AVAILABILITY GROUP" in "ALTER ANY AVAILABILITY GROUP" of "",
        "CRDB" "CREATE ANY DATABASE" in "ALTER ANY DATABASE" of "",
        "CRDE" "CREATE DDL EVENT NOTIFICATION" in "ALTER ANY EVENT NOTIFICATION" of "",
        "CRHE" "CREATE ENDPOINT" in "ALTER ANY ENDPOINT" of "",
        "CRLG" "CREATE LOGIN" in "ALTER ANY LOGIN" of "",
        "CRSR" "CREATE SERVER ROLE" in "ALTER ANY SERVER ROLE" of "",
        "CRTE" "CREATE TRACE EVENT NOTIFICATION" in "ALTER ANY EVENT NOTIFICATION" of "",
        "IAL" "IMPERSONATE ANY LOGIN" in "CONTROL SERVER" of "",
        "SHDN" "SHUTDOWN" in "CONTROL SERVER" of "",
        "SUS" "SELECT ALL USER SECURABLES" in "CONTROL SERVER" of "",
        "VWAD" "VIEW ANY DEFINITION" in "CONTROL SERVER" of "",
        "VAPD" "VIEW ANY PERFORMANCE DEFINITION" in "VIEW ANY DEFINITION" of "",
        "VASD" "VIEW ANY SECURITY DEFINITION" in "VIEW ANY DEFINITION" of "",
        "VWDB" "VIEW ANY DATABASE" in "VIEW ANY DEFINITION" of "",
        "VWSS" "VIEW SERVER STATE" in "ALTER SERVER STATE" of "",
        "VSPS" "VIEW SERVER PERFORMANCE STATE" in "VIEW SERVER STATE" of "",
        "VSSS" "VIEW SERVER SECURITY STATE" in "VIEW SERVER STATE" of "",
        "XA" "EXTERNAL ACCESS ASSEMBLY" in "UNSAFE ASSEMBLY" of "",
        "XU" "UNSAFE ASSEMBLY" in "CONTROL SERVER" of "",
    }
    Database {
        "AADS" "ALTER ANY DATABASE EVENT SESSION" in "ALTER" of "ALTER ANY EVENT SESSION",
        "AAMK" "ALTER ANY MASK" in "CONTROL" of "CONTROL SERVER",
        "AEDS" "ALTER ANY EXTERNAL DATA SOURCE" in "ALTER" of "CONTROL SERVER",
        "AEFF" "ALTER ANY EXTERNAL FILE FORMAT" in "ALTER" of "CONTROL SERVER",
        "AL" "ALTER" in "CONTROL" of "ALTER ANY DATABASE",
        "ALAK" "ALTER ANY ASYMMETRIC KEY" in "ALTER" of "CONTROL SERVER",
        "ALAR" "ALTER ANY APPLICATION ROLE" in "ALTER" of "CONTROL SERVER",
        "ALAS" "ALTER ANY ASSEMBLY" in "ALTER" of "CONTROL SERVER",
        "ALCF" "ALTER ANY CERTIFICATE" in "ALTER" of "CONTROL SERVER",
        "ALCK" "ALTER ANY COLUMN ENCRYPTION KEY" in "ALTER" of "CONTROL SERVER",
        "ALCM" "ALTER ANY COLUMN MASTER KEY" in "ALTER" of "CONTROL SERVER",
        "ALDA" "ALTER ANY DATABASE AUDIT" in "ALTER" of "ALTER ANY SERVER AUDIT",
        "ALDC" "ALTER ANY DATABASE SCOPED CONFIGURATION" in "CONTROL" of "CONTROL SERVER",
        "ALDS" "ALTER ANY DATASPACE" in "ALTER" of "CONTROL SERVER",
        "ALED" "ALTER ANY DATABASE EVENT NOTIFICATION" in "ALTER" of "ALTER ANY EVENT NOTIFICATION",
        "ALFT" "ALTER ANY FULLTEXT CATALOG" in "ALTER" of "CONTROL SERVER",
        "ALMT" "ALTER ANY MESSAGE TYPE" in "ALTER" of "CONTROL SERVER",
        "ALRL" "ALTER ANY ROLE" in "ALTER" of "CONTROL SERVER",
        "ALRT" "ALTER ANY ROUTE" in "ALTER" of "CONTROL SERVER",
        "ALSB" "ALTER ANY REMOTE SERVICE BINDING" in "ALTER" of "CONTROL SERVER",
        "ALSC" "ALTER ANY CONTRACT" in "ALTER" of "CONTROL SERVER",
        "ALSK" "ALTER ANY SYMMETRIC KEY" in "ALTER" of "CONTROL SERVER",
        "ALSM" "ALTER ANY SCHEMA" in "ALTER" of "CONTROL SERVER",
        "ALSP" "ALTER ANY SECURITY POLICY" in "CONTROL" of "CONTROL SERVER",
        "ALSV" "ALTER ANY SERVICE" in "ALTER" of "CONTROL SERVER",
        "ALTG" "ALTER ANY DATABASE DDL TRIGGER" in "ALTER" of "CONTROL SERVER",
        "ALUS" "ALTER ANY USER" in "ALTER" of "CONTROL SERVER",
        "AUTH" "AUTHENTICATE" in "CONTROL" of "AUTHENTICATE SERVER",
        "BADB" "BACKUP DATABASE" in "CONTROL" of "CONTROL SERVER",
        "BALO" "BACKUP LOG" in "CONTROL" of "CONTROL SERVER",
        "CL" "CONTROL" in "" of "CONTROL SERVER",
        "CO" "CONNECT" in "CONNECT REPLICATION" of "CONNECT ANY DATABASE",
        "CORP" "CONNECT REPLICATION" in "CONTROL" of "CONTROL SERVER",
        "CP" "CHECKPOINT" in "CONTROL" of "CONTROL SERVER",
        "CRAG" "CREATE AGGREGATE" in "ALTER" of "CONTROL SERVER",
        "CRAK" "CREATE ASYMMETRIC KEY" in "ALTER ANY ASYMMETRIC KEY" of "CONTROL SERVER",
        "CRAS" "CREATE ASSEMBLY" in "ALTER ANY ASSEMBLY" of "CONTROL SERVER",
        "CRCF" "CREATE CERTIFICATE" in "ALTER ANY CERTIFICATE" of "CONTROL SERVER",
        "CRDB" "CREATE DATABASE" in "CONTROL" of "CREATE ANY DATABASE",
        "CRDF" "CREATE DEFAULT" in "ALTER" of "CONTROL SERVER",
        "CRED" "CREATE DATABASE DDL EVENT NOTIFICATION" in "ALTER ANY DATABASE EVENT NOTIFICATION" of "CREATE DDL EVENT NOTIFICATION",
        "CRFN" "CREATE FUNCTION" in "ALTER" of "CONTROL SERVER",
        "CRFT" "CREATE FULLTEXT CATALOG" in "ALTER ANY FULLTEXT CATALOG" of "CONTROL SERVER",
        "CRMT" "CREATE MESSAGE TYPE" in "ALTER ANY MESSAGE TYPE" of "CONTROL SERVER",
        "CRPR" "CREATE PROCEDURE" in "ALTER" of "CONTROL SERVER",
        "CRQU" "CREATE QUEUE" in "ALTER" of "CONTROL SERVER",
        "CRRL" "CREATE ROLE" in "ALTER ANY ROLE" of "CONTROL SERVER",
        "CRRT" "CREATE ROUTE" in "ALTER ANY ROUTE" of "CONTROL SERVER",
        "CRRU" "CREATE RULE" in "ALTER" of "CONTROL SERVER",
        "CRSB" "CREATE REMOTE SERVICE BINDING" in "ALTER ANY REMOTE SERVICE BINDING" of "CONTROL SERVER",
        "CRSC" "CREATE CONTRACT" in "ALTER ANY CONTRACT" of "CONTROL SERVER",
        "CRSK" "CREATE SYMMETRIC KEY" in "ALTER ANY SYMMETRIC KEY" of "CONTROL SERVER",
        "CRSM" "CREATE SCHEMA" in "ALTER ANY SCHEMA" of "CONTROL SERVER",
        "CRSN" "CREATE SYNONYM" in "ALTER" of "CONTROL SERVER",
        "CRSV" "CREATE SERVICE" in "ALTER ANY SERVICE" of "CONTROL SERVER",
        "CRTB" "CREATE TABLE" in "ALTER" of "CONTROL SERVER",
        "CRTY" "CREATE TYPE" in "ALTER" of "CONTROL SERVER",
        "CRUS" "CREATE USER" in "ALTER ANY USER" of "CONTROL SERVER",
        "CRVW" "CREATE VIEW" in "ALTER" of "CONTROL SERVER",
        "CRXS" "CREATE XML SCHEMA COLLECTION" in "ALTER" of "CONTROL SERVER",
        "DABO" "ADMINISTER DATABASE BULK OPERATIONS" in "CONTROL" of "CONTROL SERVER",
        "DL" "DELETE" in "CONTROL" of "CONTROL SERVER",
        "EAES" "EXECUTE ANY EXTERNAL SCRIPT" in "CONTROL" of "CONTROL SERVER",
        "EX" "EXECUTE" in "CONTROL" of "CONTROL SERVER",
        "IN" "INSERT" in "CONTROL" of "CONTROL SERVER",
        "KIDC" "KILL DATABASE CONNECTION" in "CONTROL" of "ALTER ANY CONNECTION",
        "RF" "REFERENCES" in "CONTROL" of "CONTROL SERVER",
        "SL" "SELECT" in "CONTROL" of "SELECT ALL USER SECURABLES",
        "SPLN" "SHOWPLAN" in "CONTROL" of "ALTER TRACE",
        "SUQN" "SUBSCRIBE QUERY NOTIFICATIONS" in "CONTROL" of "CONTROL SERVER",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL SERVER",
        "UMSK" "UNMASK" in "CONTROL" of "CONTROL SERVER",
        "UP" "UPDATE" in "CONTROL" of "CONTROL SERVER",
        "VWCK" "VIEW ANY COLUMN ENCRYPTION KEY DEFINITION" in "CONTROL" of "VIEW SERVER STATE",
        "VWCM" "VIEW ANY COLUMN MASTER KEY DEFINITION" in "CONTROL" of "VIEW SERVER STATE",
        "VWCT" "VIEW CHANGE TRACKING" in "CONTROL" of "CONTROL SERVER",
        "VWDS" "VIEW DATABASE STATE" in "CONTROL" of "VIEW SERVER STATE",
        "VDPS" "VIEW DATABASE PERFORMANCE STATE" in "VIEW DATABASE STATE" of "VIEW SERVER PERFORMANCE STATE",
        "VDSS" "VIEW DATABASE SECURITY STATE" in "VIEW DATABASE STATE" of "VIEW SERVER SECURITY STATE",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW ANY DEFINITION",
        "VWP" "VIEW PERFORMANCE DEFINITION" in "VIEW DEFINITION" of "VIEW ANY PERFORMANCE DEFINITION",
        "VWS" "VIEW SECURITY DEFINITION" in "VIEW DEFINITION" of "VIEW ANY SECURITY DEFINITION",
    }
    Object {
        "AL" "ALTER" in "CONTROL" of "ALTER",
        "CL" "CONTROL" in "" of "CONTROL",
        "DL" "DELETE" in "CONTROL" of "DELETE",
        "EX" "EXECUTE" in "CONTROL" of "EXECUTE",
        "IN" "INSERT" in "CONTROL" of "INSERT",
        "RC" "RECEIVE" in "CONTROL" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "SL" "SELECT" in "RECEIVE" of "SELECT",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "UMSK" "UNMASK" in "CONTROL" of "UNMASK",
        "UP" "UPDATE" in "CONTROL" of "UPDATE",
        "VWCT" "VIEW CHANGE TRACKING" in "CONTROL" of "VIEW CHANGE TRACKING",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Schema {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY SCHEMA",
        "CL" "CONTROL" in "" of "CONTROL",
        "CRSO" "CREATE SEQUENCE" in "ALTER" of "CONTROL",
        "DL" "DELETE" in "CONTROL" of "DELETE",
        "EX" "EXECUTE" in "CONTROL" of "EXECUTE",
        "IN" "INSERT" in "CONTROL" of "INSERT",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "SL" "SELECT" in "CONTROL" of "SELECT",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "UMSK" "UNMASK" in "CONTROL" of "UNMASK",
        "UP" "UPDATE" in "CONTROL" of "UPDATE",
        "VWCT" "VIEW CHANGE TRACKING" in "CONTROL" of "VIEW CHANGE TRACKING",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Type {
        "CL" "CONTROL" in "" of "CONTROL",
        "EX" "EXECUTE" in "CONTROL" of "EXECUTE",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    XmlSchemaCollection {
        "AL" "ALTER" in "CONTROL" of "ALTER",
        "CL" "CONTROL" in "" of "CONTROL",
        "EX" "EXECUTE" in "CONTROL" of "EXECUTE",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Login {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY LOGIN",
        "CL" "CONTROL" in "" of "CONTROL SERVER",
        "IM" "IMPERSONATE" in "CONTROL" of "IMPERSONATE ANY LOGIN",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW ANY DEFINITION",
    }
    ServerRole {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY SERVER ROLE",
        "CL" "CONTROL" in "" of "CONTROL SERVER",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL SERVER",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW ANY DEFINITION",
    }
    Endpoint {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY ENDPOINT",
        "CL" "CONTROL" in "" of "CONTROL SERVER",
        "CO" "CONNECT" in "CONTROL" of "CONTROL SERVER",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL SERVER",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW ANY DEFINITION",
    }
    AvailabilityGroup {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY AVAILABILITY GROUP",
        "CL" "CONTROL" in "" of "CONTROL SERVER",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL SERVER",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW ANY DEFINITION",
    }
    User {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY USER",
        "CL" "CONTROL" in "" of "CONTROL",
        "IM" "IMPERSONATE" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Role {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY ROLE",
        "CL" "CONTROL" in "" of "CONTROL",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    ApplicationRole {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY APPLICATION ROLE",
        "CL" "CONTROL" in "" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Assembly {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY ASSEMBLY",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    AsymmetricKey {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY ASYMMETRIC KEY",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Certificate {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY CERTIFICATE",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Contract {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY CONTRACT",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    DatabaseScopedCredential {
        "AL" "ALTER" in "CONTROL" of "CONTROL",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    FulltextCatalog {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY FULLTEXT CATALOG",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    FulltextStoplist {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY FULLTEXT CATALOG",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    MessageType {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY MESSAGE TYPE",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    RemoteServiceBinding {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY REMOTE SERVICE BINDING",
        "CL" "CONTROL" in "" of "CONTROL",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Route {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY ROUTE",
        "CL" "CONTROL" in "" of "CONTROL",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    SearchPropertyList {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY FULLTEXT CATALOG",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    Service {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY SERVICE",
        "CL" "CONTROL" in "" of "CONTROL",
        "SN" "SEND" in "CONTROL" of "CONTROL",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
    SymmetricKey {
        "AL" "ALTER" in "CONTROL" of "ALTER ANY SYMMETRIC KEY",
        "CL" "CONTROL" in "" of "CONTROL",
        "RF" "REFERENCES" in "CONTROL" of "REFERENCES",
        "TO" "TAKE OWNERSHIP" in "CONTROL" of "CONTROL",
        "VW" "VIEW DEFINITION" in "CONTROL" of "VIEW DEFINITION",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_table_is_in_it() {
        for permission in PERMISSIONS {
            let known = |class: Option<Class>, name: &str| {
                name.is_empty() || class.is_some_and(|class| find(class, name).is_some())
            };
            assert!(known(Some(permission.class), permission.covering), "{} {}", permission.name, permission.covering);
            assert!(known(permission.class.parent(), permission.parent), "{} {}", permission.name, permission.parent);
            // The root of all is CONTROL SERVER.
            let root = implying(permission).iter().any(|all| all.name == "CONTROL SERVER");
            assert!(root, "{} {}", permission.class.name(), permission.name);
        }
    }

    #[test]
    fn a_class_has_each_name_and_code_once() {
        for (at, permission) in PERMISSIONS.iter().enumerate() {
            for other in &PERMISSIONS[..at] {
                let same = permission.code == other.code || permission.name == other.name;
                assert!(permission.class != other.class || !same, "{} {}", permission.class.name(), permission.name);
            }
        }
    }
}
