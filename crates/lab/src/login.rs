//! Which server, as whom: the switches of the tools that log in.

use clap::Args as ClapArgs;
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::{Target, Trust};

#[derive(Debug, Clone, ClapArgs)]
pub struct Login {
    /// Server: host, host,port or tcp:host,port; lpc:.,port: a server on this machine without the network.
    #[arg(short = 'S', long = "server", env = "SQLCMDSERVER", default_value = "127.0.0.1,1433")]
    pub server: String,
    /// Log in as this user.
    #[arg(short = 'U', long = "user", default_value = "sa")]
    pub user: String,
    #[command(flatten)]
    pub password: Password,
}

#[derive(Debug, Clone, ClapArgs)]
pub struct Password {
    /// The user's password.
    #[arg(
        id = "password",
        short = 'P',
        long = "password",
        env = "SQLCMDPASSWORD",
        hide_env_values = true,
        default_value = "",
        hide_default_value = true
    )]
    pub text: String,
}

impl Login {
    pub fn target(&self, application: &str) -> Result<Target, String> {
        let address = ServerAddress::parse(&self.server)?;
        let options = ConnectOptions {
            user: self.user.clone(),
            password: self.password.text.clone(),
            application: application.into(),
            encryption: ClientEncryption::Login,
            ..ConnectOptions::default()
        };
        Target::new(address, options, &Trust::Anyone).map_err(|error| error.to_string())
    }
}
