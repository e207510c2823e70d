//! What DONE says of a statement that defines: SQL Server's number of its kind.

/// The numbers that mssql-jdbc knows (StreamDone.java; "Appendix A of TDS spec" in its words): where it sees one, the statement has an
/// update count, 0. Kinds that neither it nor a capture of SQL Server 2025 has are 0 here.
const NUMBERS: &[(&str, u16)] = &[
    ("DENY", 0x99),
    ("DROP SCHEMA", 0xAA),
    ("DROP FUNCTION", 0xB3),
    ("CREATE TABLE", 0xC6),
    ("DROP TABLE", 0xC7),
    ("CREATE INDEX", 0xC8),
    ("DROP INDEX", 0xC9),
    ("CREATE DATABASE", 0xCB),
    ("DROP DATABASE", 0xCC),
    ("GRANT", 0xCD),
    ("REVOKE", 0xCE),
    ("CREATE VIEW", 0xCF),
    ("DROP VIEW", 0xD0),
    ("ALTER TABLE", 0xD8),
    ("CREATE TRIGGER", 0xDD),
    ("CREATE PROCEDURE", 0xDE),
    ("CREATE FUNCTION", 0xDE),
    ("DROP PROCEDURE", 0xDF),
    ("DROP TRIGGER", 0xE1),
    ("DBCC", 0xE6),
    ("TRUNCATE TABLE", 0xEA),
    ("DROP STATISTICS", 0x100),
    ("DROP TYPE", 0x110),
    ("CREATE TYPE", 0x111),
    ("CREATE USER", 0x13B),
    ("ALTER USER", 0x13C),
    ("DROP USER", 0x13D),
    ("CREATE ROLE", 0x13F),
    ("ALTER ROLE", 0x140),
    ("DROP ROLE", 0x141),
    ("CREATE APPLICATION ROLE", 0x142),
    ("ALTER APPLICATION ROLE", 0x143),
    ("DROP APPLICATION ROLE", 0x144),
    ("CREATE LOGIN", 0x145),
    ("ALTER LOGIN", 0x146),
    ("DROP LOGIN", 0x147),
    ("CREATE SYNONYM", 0x148),
    ("DROP SYNONYM", 0x149),
    ("CREATE SCHEMA", 0x14A),
    ("ALTER SCHEMA", 0x14B),
    ("ALTER INDEX", 0x151),
    ("ALTER AUTHORIZATION", 0x18C),
];

/// `name` as `exec::definition_name` has it.
pub fn number(name: &str) -> u16 {
    NUMBERS.iter().find(|known| known.0 == name).map_or(tds::token::command::NONE, |known| known.1)
}
