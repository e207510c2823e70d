//! DBCC OPENTRAN: the oldest transaction that has written to the log. Which database it is of is not known: the log is all databases', and so
//! is the answer. SQL Server tells the transaction's first LSN as well.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-opentran-transact-sql

use sql::ast::{Dbcc, find_setting};
use types::collation::code_page::utf16_to_string;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::dbcc::{answer, database_argument};
use super::site::Ddl;

pub fn tell(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let db = database_argument(ddl, dbcc)?;
    let as_rows = find_setting(&dbcc.options, "TABLERESULTS").is_some();
    let own = ddl.site.session().spid;
    let mut open = ddl.catalog.storage.transactions();
    open.retain(|transaction| {
        let is_users = transaction.session != own || ddl.site.in_user_transaction();
        transaction.session != 0 && transaction.log_bytes > 0 && is_users
    });
    let oldest = open.iter().min_by_key(|transaction| transaction.begun_ms).map(|transaction| transaction.session);
    let facts = match oldest {
        Some(session) => facts_of(ddl, session)?,
        None => None,
    };
    let Some([name, begun, login]) = facts else {
        if as_rows {
            return answer(ddl, &COLUMNS, &[]);
        }
        ddl.message(sql_error!(7969));
        return Ok(());
    };
    let session = oldest.unwrap_or_default();
    if as_rows {
        let rows = [
            ("OLDACT_SPID", session.to_string()),
            ("OLDACT_UID", "-1".to_owned()),
            ("OLDACT_NAME", name),
            ("OLDACT_STARTTIME", begun),
            ("OLDACT_SID", login),
        ];
        let rows = rows.map(|(name, value)| vec![Datum::nvarchar(name), Datum::nvarchar(&value)]);
        return answer(ddl, &COLUMNS, &rows);
    }
    ddl.message(sql_error!(7968, db.name()));
    ddl.message(sql_error!(7970, ""));
    ddl.message(sql_error!(7971, session, ""));
    ddl.message(sql_error!(7972, -1));
    ddl.message(sql_error!(7974, name));
    ddl.message(sql_error!(7976, begun));
    ddl.message(sql_error!(7977, login));
    Ok(())
}

const COLUMNS: [(&str, SqlType); 2] = [("Name", SqlType::nvarchar(50)), ("Value", SqlType::nvarchar(256))];

/// Name and begin of a session's transaction, and the session's login. None: it has ended meanwhile.
fn facts_of(ddl: &mut Ddl<'_>, session: u32) -> SqlResult<Option<[String; 3]>> {
    let query = format!(
        "SELECT TOP (1) CONVERT(nvarchar(256), t.name), CONVERT(nvarchar(256), t.transaction_begin_time, 109), \
         CONVERT(nvarchar(256), CONVERT(varchar(256), s.security_id, 1)) FROM sys.dm_tran_session_transactions x \
         JOIN sys.dm_tran_active_transactions t ON t.transaction_id = x.transaction_id \
         JOIN sys.dm_exec_sessions s ON s.session_id = x.session_id WHERE x.session_id = {session}"
    );
    let mut facts = None;
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            facts = Some([0, 1, 2].map(|column| utf16_to_string(batch.columns[column].datum(0).as_bytes())));
        }
        Ok(())
    })?;
    Ok(facts)
}
