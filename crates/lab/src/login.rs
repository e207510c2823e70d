//! Which server, as whom: the switches of the tools that log in.

use clap::Args as ClapArgs;
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::{Target, Trust};

const SERVER: &str = "127.0.0.1,1433";
const USER: &str = "sa";

#[derive(Debug, Clone, ClapArgs)]
pub struct Login {
    /// Server: host, host,port or tcp:host,port; lpc:.,port: a server on this machine without the network. Default:
    /// 127.0.0.1,1433, or what the tool starts.
    #[arg(id = "server", short = 'S', long = "server", value_name = "SERVER", env = "SQLCMDSERVER")]
    pub named_server: Option<String>,
    /// Log in as this user. Default, where a login is needed: sa.
    #[arg(id = "user", short = 'U', long = "user", value_name = "USER")]
    pub named_user: Option<String>,
    /// The user's password.
    #[arg(
        short = 'P',
        long = "password",
        env = "SQLCMDPASSWORD",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    pub password: String,
}

impl Login {
    /// 127.0.0.1,1433 where none is named.
    pub fn server(&self) -> &str {
        self.named_server.as_deref().unwrap_or(SERVER)
    }

    /// The same user on another server.
    pub fn at(&self, address: &str) -> Login {
        Login { named_server: Some(address.into()), ..self.clone() }
    }

    /// sa where none is named.
    pub fn user(&self) -> &str {
        self.named_user.as_deref().unwrap_or(USER)
    }

    pub fn target(&self, application: &str) -> Result<Target, String> {
        let address = ServerAddress::parse(self.server())?;
        let options = ConnectOptions {
            user: self.user().into(),
            password: self.password.clone(),
            application: application.into(),
            encryption: ClientEncryption::Login,
            ..ConnectOptions::default()
        };
        Target::new(address, options, &Trust::Anyone).map_err(|error| error.to_string())
    }
}
