//! Application roles: a program shows the role's password, and its session is the role then, whoever has logged in.
//! https://learn.microsoft.com/sql/relational-databases/security/authentication-access/application-roles

use sql::ast::Setting;
use types::{SqlResult, sql_error};

use super::login::word;
use super::security::{add_principal, owner_row, secret_of};
use super::site::Ddl;
use crate::catalog::base::{OwnerRow, TextRow};
use crate::catalog::load::{int, name as name_datum};
use crate::catalog::row::Text;
use crate::catalog::store::Rows;
use crate::security::password;

pub fn create(ddl: &mut Ddl<'_>, name: &str, options: &[Setting]) -> SqlResult<()> {
    let known = ["PASSWORD", "DEFAULT_SCHEMA"];
    if let Some(other) =
        options.iter().find(|option| !known.iter().any(|known| option.name.eq_ignore_ascii_case(known)))
    {
        return Err(sql_error!(102, other.name));
    }
    let password = word(options, "PASSWORD").ok_or_else(|| sql_error!(102, "WITH"))?;
    let db = ddl.current()?;
    let schema = word(options, "DEFAULT_SCHEMA").unwrap_or_else(|| "dbo".into());
    add_principal(ddl, &db, OwnerRow { default_schema: Some(schema), ..owner_row(name, "A") })?;
    let mut salt = [0; 16];
    os::random::fill(&mut salt);
    let hash = password::hash(&password, salt);
    ddl.rows(&db, |rows| {
        let row = rows.first::<OwnerRow>(1, &[name_datum(name)])?.expect("it was made above");
        let text = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        rows.insert(&TextRow { objid: secret_of(row.id), value: Text(Some(text)) })
    })
}

/// The role of that name and the hash of its password.
pub fn find(rows: &mut Rows<'_>, name: &str) -> SqlResult<Option<(i32, Vec<u8>)>> {
    let Some(row) = rows.first::<OwnerRow>(1, &[name_datum(name)])?.filter(|row| row.kind.as_str() == "A") else {
        return Ok(None);
    };
    let text = rows.first::<TextRow>(0, &[int(secret_of(row.id))])?.and_then(|row| row.value.0).unwrap_or_default();
    let hash =
        text.as_bytes().chunks(2).filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    Ok(Some((row.id, hash.collect())))
}
