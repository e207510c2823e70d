//! The user's messages by number, which sp_addmessage keeps in master. The system's are `types::messages`.

use types::SqlResult;
use types::datetime::LanguageId;

use crate::catalog::MASTER;
use crate::catalog::base::MessageRow;
use crate::catalog::load::int;
use crate::session::host::SessionHost;

/// The language that every message has a version in.
pub const ENGLISH: i16 = 1033;

/// Severity, us_english text, and that of `language` if there is one.
pub fn find(
    host: &mut SessionHost,
    language: LanguageId,
    number: i32,
) -> SqlResult<Option<(u8, String, Option<String>)>> {
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let versions = catalog.read(&master, |rows| rows.find::<MessageRow>(0, &[int(number)]))?;
    let text = |row: &MessageRow| row.text.0.as_deref().unwrap_or_default().to_string();
    let version = |wanted: i32| versions.iter().find(|row| i32::from(row.language) == wanted);
    let own = Some(language.get().message_lcid).filter(|own| *own != i32::from(ENGLISH)).and_then(version);
    Ok(version(ENGLISH.into()).map(|row| (row.severity, text(row), own.map(text))))
}
