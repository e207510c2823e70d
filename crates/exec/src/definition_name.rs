//! What a statement that defines or administers is called, for those who are told that it has ended.

use sql::ast::{DropKind, PermissionVerb, StatementKind};

/// In T-SQL's words; ALTER of a module is as its CREATE. Empty: nobody tells these apart.
pub fn of(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::CreateTable(_) => "CREATE TABLE",
        StatementKind::AlterTable(_) => "ALTER TABLE",
        StatementKind::CreateIndex(_) => "CREATE INDEX",
        StatementKind::AlterIndex(_) => "ALTER INDEX",
        StatementKind::DropIndex(_) => "DROP INDEX",
        StatementKind::DropStatistics(_) => "DROP STATISTICS",
        StatementKind::CreateView(_) => "CREATE VIEW",
        StatementKind::CreateProcedure(_) => "CREATE PROCEDURE",
        StatementKind::CreateFunction(_) => "CREATE FUNCTION",
        StatementKind::CreateTrigger(_) => "CREATE TRIGGER",
        StatementKind::CreateSchema(_) => "CREATE SCHEMA",
        StatementKind::AlterSchema(_) => "ALTER SCHEMA",
        StatementKind::CreateType(_) => "CREATE TYPE",
        StatementKind::XmlSchemaCollection(own) if own.alter => "ALTER XML SCHEMA COLLECTION",
        StatementKind::XmlSchemaCollection(_) => "CREATE XML SCHEMA COLLECTION",
        StatementKind::CreateSynonym(_) => "CREATE SYNONYM",
        StatementKind::CreateDatabase(_) => "CREATE DATABASE",
        StatementKind::CreateLogin(_) => "CREATE LOGIN",
        StatementKind::AlterLogin(_) => "ALTER LOGIN",
        StatementKind::CreateUser(_) => "CREATE USER",
        StatementKind::AlterUser(_) => "ALTER USER",
        StatementKind::CreateRole(role) if role.application.is_some() => "CREATE APPLICATION ROLE",
        StatementKind::CreateRole(_) => "CREATE ROLE",
        StatementKind::AlterRole(_) => "ALTER ROLE",
        StatementKind::AlterApplicationRole(_) => "ALTER APPLICATION ROLE",
        StatementKind::AlterAuthorization(_) => "ALTER AUTHORIZATION",
        StatementKind::Permission(permission) => match permission.verb {
            PermissionVerb::Grant => "GRANT",
            PermissionVerb::Deny => "DENY",
            PermissionVerb::Revoke => "REVOKE",
        },
        StatementKind::Truncate(_) => "TRUNCATE TABLE",
        StatementKind::Dbcc(_) => "DBCC",
        StatementKind::Drop(drop) => of_drop(drop.kind),
        _ => "",
    }
}

fn of_drop(kind: DropKind) -> &'static str {
    match kind {
        DropKind::Table => "DROP TABLE",
        DropKind::View => "DROP VIEW",
        DropKind::Procedure => "DROP PROCEDURE",
        DropKind::Function => "DROP FUNCTION",
        DropKind::Trigger => "DROP TRIGGER",
        DropKind::Type => "DROP TYPE",
        DropKind::XmlSchemaCollection => "DROP XML SCHEMA COLLECTION",
        DropKind::Synonym => "DROP SYNONYM",
        DropKind::Schema => "DROP SCHEMA",
        DropKind::Database => "DROP DATABASE",
        DropKind::Login => "DROP LOGIN",
        DropKind::User => "DROP USER",
        DropKind::Role => "DROP ROLE",
        DropKind::ApplicationRole => "DROP APPLICATION ROLE",
        _ => "",
    }
}
