//! The server that is asked: one started for it, with its data in memory, or one that runs already.

use os::children::Service;
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::{Answer, ClientError, Connection, Target, Trust};
use crate::login::Login;

/// A statement over tables of some rows that takes longer than this has met a bad plan, not a wrong one.
const ANSWER_MS: u64 = 60_000;

/// Of the questions' tables.
const DATABASE: &str = "heddle_oracle";

pub struct Subject {
    address: String,
    user: String,
    password: String,
    /// None: it was running.
    service: Option<Service>,
}

impl Subject {
    pub fn start(arguments: &[String]) -> Result<Subject, String> {
        let password = format!("Lab-{:016x}", os::random::u64());
        let fixed = ["serve", "--data", ":memory:", "--listen", "127.0.0.1:0", "--admin-listen", "off"];
        let arguments: Vec<String> =
            fixed.iter().map(|text| text.to_string()).chain(arguments.iter().cloned()).collect();
        let log = os::fs::temporary("oracle.log");
        let service = Service::start(&arguments, &[("MSSQL_SA_PASSWORD", &password)], &log)
            .map_err(|error| format!("the server: {error}"))?;
        let port = service.ready.trim().rsplit(':').next().unwrap_or_default().to_owned();
        if port.parse::<u16>().is_err() {
            return Err(format!("the server did not start: see {}", log.display()));
        }
        Ok(Subject { address: format!("127.0.0.1,{port}"), user: "sa".into(), password, service: Some(service) })
    }

    pub fn running(login: &Login) -> Subject {
        let (address, user) = (login.server().into(), login.user().into());
        Subject { address, user, password: login.password.clone(), service: None }
    }

    pub fn with(address: &str, password: &str) -> Subject {
        Subject { address: address.into(), user: "sa".into(), password: password.into(), service: None }
    }

    pub fn is_ours(&self) -> bool {
        self.service.is_some()
    }

    /// A session in a database of its own, which is made.
    pub fn connect(&self) -> Result<Connection, String> {
        let mut connection = self.open("master")?;
        let made = format!(
            "IF DB_ID('{DATABASE}') IS NULL CREATE DATABASE {DATABASE}; \
             ALTER DATABASE {DATABASE} SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON"
        );
        match query(&mut connection, &made).map_err(|error| error.to_string())?.first_error() {
            Some(error) => Err(tds::client::format_message(error)),
            None => self.open(DATABASE),
        }
    }

    fn open(&self, database: &str) -> Result<Connection, String> {
        let target = self.target(database)?;
        Connection::open(&target, Some(os::clock::after_ms(ANSWER_MS))).map_err(|error| error.to_string())
    }

    pub fn target(&self, database: &str) -> Result<Target, String> {
        let options = ConnectOptions {
            user: self.user.clone(),
            password: self.password.clone(),
            database: database.into(),
            application: "heddle lab".into(),
            encryption: ClientEncryption::Login,
            ..ConnectOptions::default()
        };
        let target = Target::new(ServerAddress::parse(&self.address)?, options, &Trust::Anyone);
        target.map_err(|error| error.to_string())
    }
}

pub fn query(connection: &mut Connection, text: &str) -> Result<Answer, ClientError> {
    connection.query(text, Some(os::clock::after_ms(ANSWER_MS)))
}
