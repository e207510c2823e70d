//! What the fixed roles may do: "Server-level roles" and "Database-level roles", as permissions that nobody can revoke.

use super::hierarchy::Class;

/// (role, `type` of the permission, state).
type Entry = (i32, &'static str, &'static str);

/// Who may define backup devices.
pub const DISKADMIN: i32 = 8;
/// Of a database: who may define objects.
pub const DDLADMIN: i32 = 16387;

/// securityadmin 4, serveradmin 5, setupadmin 6, processadmin 7, diskadmin 8, dbcreator 9, bulkadmin 10; from 11 on those of SQL Server 2022,
/// whose names begin with ##MS_ and stand in `catalog::boot`. sysadmin is never asked.
const SERVER: &[Entry] = &[
    (4, "ALLG", "G"),
    (5, "ALHE", "G"),
    (5, "ALRS", "G"),
    (5, "ALSS", "G"),
    (5, "ALST", "G"),
    (5, "SHDN", "G"),
    (5, "VWSS", "G"),
    (6, "ALLS", "G"),
    (7, "ALCO", "G"),
    (7, "ALSS", "G"),
    (8, "ALRS", "G"),
    (9, "ALDB", "G"),
    (9, "CRDB", "G"),
    (10, "ADBO", "G"),
    (11, "VWSS", "G"),
    (12, "ALSS", "G"),
    (13, "VWAD", "G"),
    (14, "CADB", "G"),
    (15, "ALDB", "G"),
    (15, "CRDB", "G"),
    (16, "ALLG", "G"),
    (16, "CRLG", "G"),
    (17, "VASD", "G"),
    (18, "VAPD", "G"),
    (19, "VSSS", "G"),
    (20, "VSPS", "G"),
];

/// db_owner 16384, db_accessadmin 16385, db_securityadmin 16386, db_ddladmin 16387, db_backupoperator 16389, db_datareader 16390,
/// db_datawriter 16391, db_denydatareader 16392, db_denydatawriter 16393.
const DATABASE: &[Entry] = &[
    (16_384, "CL", "G"),
    (16_385, "ALUS", "G"),
    (16_385, "CO", "G"),
    (16_385, "CRSM", "G"),
    (16_386, "ALAR", "G"),
    (16_386, "ALRL", "G"),
    (16_386, "CRSM", "G"),
    (16_386, "VW", "G"),
    (16_387, "ALAS", "G"),
    (16_387, "ALAK", "G"),
    (16_387, "ALCF", "G"),
    (16_387, "ALSC", "G"),
    (16_387, "ALTG", "G"),
    (16_387, "ALED", "G"),
    (16_387, "ALDS", "G"),
    (16_387, "ALFT", "G"),
    (16_387, "ALMT", "G"),
    (16_387, "ALSB", "G"),
    (16_387, "ALRT", "G"),
    (16_387, "ALSM", "G"),
    (16_387, "ALSV", "G"),
    (16_387, "ALSK", "G"),
    (16_387, "CP", "G"),
    (16_387, "CRAG", "G"),
    (16_387, "CRDF", "G"),
    (16_387, "CRFN", "G"),
    (16_387, "CRPR", "G"),
    (16_387, "CRQU", "G"),
    (16_387, "CRRU", "G"),
    (16_387, "CRSN", "G"),
    (16_387, "CRTB", "G"),
    (16_387, "CRTY", "G"),
    (16_387, "CRVW", "G"),
    (16_387, "CRXS", "G"),
    (16_387, "RF", "G"),
    (16_389, "BADB", "G"),
    (16_389, "BALO", "G"),
    (16_389, "CP", "G"),
    (16_390, "SL", "G"),
    (16_391, "DL", "G"),
    (16_391, "IN", "G"),
    (16_391, "UP", "G"),
    (16_392, "SL", "D"),
    (16_393, "DL", "D"),
    (16_393, "IN", "D"),
    (16_393, "UP", "D"),
];

pub fn permissions(class: Class) -> &'static [Entry] {
    match class {
        Class::Server => SERVER,
        Class::Database => DATABASE,
        _ => &[],
    }
}
