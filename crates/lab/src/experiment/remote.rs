//! A server that runs already (`--target`), and where the runs keep their tables there.

use os::wait::WaitType;
use tds::client::ClientEncryption;

use super::server::{DATABASE, ask, first_texts, make, open, target_of};
use crate::address::ServerAddress;
use crate::client::{Connection, Target};
use crate::sql_tool::parse_encryption;

/// So long a server may take to see that connections are closed.
const CLOSED_WITHIN_MS: u64 = 5_000;

/// `tds://user:password@host:port/database?encrypt=disable`, with %XX for what would end a part. A port may be missing, and
/// each of what follows it. Encryption is one of those of `heddle sql -N`.
#[derive(Debug, Clone, PartialEq)]
pub struct Remote {
    pub user: String,
    pub password: String,
    /// `host,port`.
    pub address: String,
    pub encryption: ClientEncryption,
    /// One that is there, to be used as the database of the runs. None: each run makes one and drops it.
    given: Option<String>,
}

impl Remote {
    pub fn parse(text: &str) -> Result<Remote, String> {
        let wrong = || "expected tds://user:password@host:port".to_string();
        let (login, place) = text.strip_prefix("tds://").and_then(|rest| rest.rsplit_once('@')).ok_or_else(wrong)?;
        let (user, password) = login.split_once(':').ok_or_else(wrong)?;
        let (place, encryption) = match place.split_once('?') {
            Some((place, option)) => (
                place,
                parse_encryption(option.strip_prefix("encrypt=").ok_or("the one option of a target is ?encrypt=")?)?,
            ),
            None => (place, ClientEncryption::default()),
        };
        let (place, given) = match place.split_once('/') {
            Some((place, name)) => (place, Some(name).filter(|name| !name.is_empty())),
            None => (place, None),
        };
        let address = match place.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => format!("{host},{port}"),
            _ => place.to_string(),
        };
        ServerAddress::parse(&address)?;
        let plain = |text: &str| unescaped(text).ok_or_else(wrong);
        let given = given.map(plain).transpose()?;
        Ok(Remote { user: plain(user)?, password: plain(password)?, address, encryption, given })
    }

    /// The server, as far as one gets without the database of a run.
    pub fn server(&self) -> Result<Target, String> {
        self.target(self.given.as_deref().unwrap_or("master"))
    }

    /// The database of a run.
    pub fn database(&self) -> Result<Target, String> {
        self.target(self.given.as_deref().unwrap_or(DATABASE))
    }

    /// Makes the database of a run. Err: also if there is one of its name already, or the given one is not empty:
    /// `clear` empties it.
    pub fn make(&self) -> Result<(), String> {
        let Some(given) = &self.given else { return make(&self.server()?) };
        match user_objects(&mut open(&self.database()?)?)?.first() {
            Some(name) => {
                Err(format!("the database {given} must be empty, as a run drops what is in it, and has {name}"))
            }
            None => Ok(()),
        }
    }

    /// Takes the database of a run away: a server that goes on keeps nothing of it.
    pub fn clear(&self) -> Result<(), String> {
        let mut connection = open(&self.server()?)?;
        if self.given.is_some() {
            for object in user_objects(&mut connection)? {
                ask(&mut connection, &format!("DROP {object}"))?;
            }
            return Ok(());
        }
        ask(&mut connection, &format!("ALTER DATABASE {DATABASE} SET SINGLE_USER WITH ROLLBACK IMMEDIATE"))?;
        // A connection that was just closed is in use until its session has noticed.
        let until = os::clock::now_ms() + CLOSED_WITHIN_MS;
        loop {
            match ask(&mut connection, &format!("DROP DATABASE {DATABASE}")) {
                Err(error) if error.contains("Msg 3702,") && os::clock::now_ms() < until => {
                    os::wait::sleep(WaitType::SLEEP_TASK, 20);
                }
                dropped => return dropped.map(|_| ()),
            }
        }
    }

    fn target(&self, database: &str) -> Result<Target, String> {
        target_of(ServerAddress::parse(&self.address)?, &self.user, &self.password, self.encryption, database)
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

/// What users made in the database, as DROP calls it: `TABLE [dbo].[t]`. In an order in which it can be dropped: modules
/// that bind a schema before the tables that they are bound to.
fn user_objects(connection: &mut Connection) -> Result<Vec<String>, String> {
    let answer = ask(
        connection,
        "SELECT CONVERT(nvarchar(300),
            CASE type WHEN 'U' THEN N'TABLE ' WHEN 'P' THEN N'PROCEDURE ' WHEN 'V' THEN N'VIEW ' ELSE N'FUNCTION ' END
            + QUOTENAME(SCHEMA_NAME(schema_id)) + N'.' + QUOTENAME(name))
         FROM sys.objects WHERE is_ms_shipped = 0 AND type IN ('U', 'P', 'V', 'FN', 'IF', 'TF')
         ORDER BY CASE type WHEN 'P' THEN 1 WHEN 'U' THEN 3 ELSE 2 END",
    )?;
    Ok(first_texts(answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_as_they_are_written() {
        let encrypted = |user: &str, password: &str, address: &str, encryption| {
            let (user, password, address) = (user.into(), password.into(), address.into());
            Ok(Remote { user, password, address, encryption, given: None })
        };
        let remote =
            |user: &str, password: &str, address: &str| encrypted(user, password, address, ClientEncryption::Login);
        assert_eq!(Remote::parse("tds://sa:secret@db:1433"), remote("sa", "secret", "db,1433"));
        assert_eq!(Remote::parse("tds://sa:a%40b%3A@127.0.0.1/"), remote("sa", "a@b:", "127.0.0.1"));
        assert_eq!(Remote::parse("tds://sa:p@@[::1]:1500"), remote("sa", "p@", "[::1],1500"));
        let plain = encrypted("sa", "?", "db,1433", ClientEncryption::Plain);
        assert_eq!(Remote::parse("tds://sa:?@db:1433/?encrypt=disable"), plain);
        let given = |text| Remote::parse(text).map(|remote| (remote.address, remote.given));
        assert_eq!(given("tds://sa:p@db/of%20mine?encrypt=m"), Ok(("db".into(), Some("of mine".into()))));
        for wrong in [
            "tds://sa:p@db?encrypt=never",
            "tds://sa:p@db?tls=disable",
            "db:1433",
            "tds://db:1433",
            "tds://sa@db",
            "tds://sa:%4@db",
            "tds://sa:p@db:port",
        ] {
            assert!(Remote::parse(wrong).is_err(), "{wrong}");
        }
    }
}
