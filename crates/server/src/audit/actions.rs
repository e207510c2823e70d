//! What can be audited: groups of actions, and actions on an object. Names and codes are SQL Server's (sys.dm_audit_actions).

/// Where a specification may name a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Server,
    /// In a server's specification for all databases, in a database's for that one.
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    pub name: &'static str,
    /// `audit_action_id` of the specifications' details.
    pub code: &'static str,
    pub level: Level,
}

macro_rules! groups {
    ($($constant:ident $name:literal $code:literal $level:ident;)*) => {
        $(pub const $constant: &Group = &Group { name: $name, code: $code, level: Level::$level };)*
        /// All that this server has.
        pub const GROUPS: &[&Group] = &[$($constant),*];
    };
}

groups! {
    SUCCESSFUL_LOGIN "SUCCESSFUL_LOGIN_GROUP" "LGSD" Server;
    FAILED_LOGIN "FAILED_LOGIN_GROUP" "LGFL" Server;
    LOGOUT "LOGOUT_GROUP" "LO" Server;
    LOGIN_CHANGE_PASSWORD "LOGIN_CHANGE_PASSWORD_GROUP" "PWCG" Server;
    SERVER_PERMISSION_CHANGE "SERVER_PERMISSION_CHANGE_GROUP" "GRSV" Server;
    SERVER_PRINCIPAL_CHANGE "SERVER_PRINCIPAL_CHANGE_GROUP" "MNSP" Server;
    SERVER_ROLE_MEMBER_CHANGE "SERVER_ROLE_MEMBER_CHANGE_GROUP" "ADSP" Server;
    AUDIT_CHANGE "AUDIT_CHANGE_GROUP" "CNAU" Both;
    BATCH_STARTED "BATCH_STARTED_GROUP" "BSTG" Both;
    BATCH_COMPLETED "BATCH_COMPLETED_GROUP" "BCMG" Both;
    BACKUP_RESTORE "BACKUP_RESTORE_GROUP" "BRDB" Both;
    DATABASE_CHANGE "DATABASE_CHANGE_GROUP" "MNDB" Both;
    DATABASE_OBJECT_CHANGE "DATABASE_OBJECT_CHANGE_GROUP" "MNDO" Both;
    DATABASE_PERMISSION_CHANGE "DATABASE_PERMISSION_CHANGE_GROUP" "GRDB" Both;
    DATABASE_PRINCIPAL_CHANGE "DATABASE_PRINCIPAL_CHANGE_GROUP" "MNDP" Both;
    DATABASE_ROLE_MEMBER_CHANGE "DATABASE_ROLE_MEMBER_CHANGE_GROUP" "ADDP" Both;
    SCHEMA_OBJECT_CHANGE "SCHEMA_OBJECT_CHANGE_GROUP" "MNO" Both;
    SCHEMA_OBJECT_PERMISSION_CHANGE "SCHEMA_OBJECT_PERMISSION_CHANGE_GROUP" "GRO" Both;
    SCHEMA_OBJECT_ACCESS "SCHEMA_OBJECT_ACCESS_GROUP" "ACO" Both;
}

/// An action as it stands in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    pub name: &'static str,
    pub code: &'static str,
}

macro_rules! actions {
    ($($constant:ident $name:literal $code:literal;)*) => {
        $(pub const $constant: Action = Action { name: $name, code: $code };)*
        pub const ACTIONS: &[Action] = &[$($constant),*];
    };
}

actions! {
    SELECT "SELECT" "SL";
    INSERT "INSERT" "IN";
    UPDATE "UPDATE" "UP";
    DELETE "DELETE" "DL";
    EXECUTE "EXECUTE" "EX";
    CREATE "CREATE" "CR";
    ALTER "ALTER" "AL";
    DROP "DROP" "DR";
    GRANT "GRANT" "G";
    DENY "DENY" "D";
    REVOKE "REVOKE" "R";
    ADD_MEMBER "ADD MEMBER" "APRL";
    DROP_MEMBER "DROP MEMBER" "DPRL";
    LOGIN_SUCCEEDED "LOGIN SUCCEEDED" "LGIS";
    LOGIN_FAILED "LOGIN FAILED" "LGIF";
    LOGGED_OUT "LOGOUT" "LGO";
    CHANGED_PASSWORD "CHANGE PASSWORD" "PWC";
    AUDIT_SESSION_CHANGED "AUDIT SESSION CHANGED" "AUSC";
    BACKUP "BACKUP" "BA";
    BACKUP_LOG "BACKUP LOG" "BAL";
    RESTORE "RESTORE" "RS";
    BATCH_STARTS "BATCH STARTED" "BST";
    BATCH_COMPLETES "BATCH COMPLETED" "BCM";
}

/// Those that a database's specification may name for an object, with the classes of objects that have them.
pub const ON_OBJECTS: [Action; 5] = [SELECT, INSERT, UPDATE, DELETE, EXECUTE];

pub fn group(name: &str) -> Option<&'static Group> {
    GROUPS.iter().copied().find(|group| group.name == name)
}

pub fn on_objects(name: &str) -> Option<Action> {
    let name = if name == "EXEC" { "EXECUTE" } else { name };
    ON_OBJECTS.into_iter().find(|action| action.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        let mut codes: Vec<&str> =
            GROUPS.iter().map(|group| group.code).chain(ACTIONS.iter().map(|a| a.code)).collect();
        assert!(codes.iter().all(|code| (1..=4).contains(&code.len())));
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), GROUPS.len() + ACTIONS.len());
        assert_eq!(on_objects("EXEC"), Some(EXECUTE));
        assert_eq!(group("SUCCESSFUL_LOGIN_GROUP"), Some(SUCCESSFUL_LOGIN));
    }
}
