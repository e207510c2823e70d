//! The user's messages by number, which sp_addmessage keeps in master. The system's are `types::messages`.

use types::{Datum, SqlResult};

use crate::catalog::MASTER;
use crate::catalog::base::MessageRow;
use crate::catalog::load::int;
use crate::session::host::SessionHost;

/// Severity and text.
pub fn find(host: &mut SessionHost, number: i32) -> SqlResult<Option<(u8, String)>> {
    let language = Datum::I64(1033);
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let row = catalog.read(&master, |rows| rows.first::<MessageRow>(0, &[int(number), language]))?;
    Ok(row.map(|row| (row.severity, row.text.0.as_deref().unwrap_or_default().to_string())))
}
