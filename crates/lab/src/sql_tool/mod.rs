//! `heddle sql`: runs T-SQL against a server, with the switches, the script language and the output of sqlcmd.

mod output;
mod session;
mod commands;

use clap::Args as ClapArgs;
use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use tds::client::{ClientEncryption, ConnectOptions};

use crate::address::ServerAddress;
use crate::client::{Target, Trust};
use crate::copy::{self, CopyCommand};
use crate::script::Variables;
use output::{Format, Printer};
use session::{Input, Session};

/// Run T-SQL: a query, script files, or what you type
///
/// The switches are those of sqlcmd, and so are the environment variables (SQLCMDSERVER, SQLCMDUSER, SQLCMDPASSWORD,
/// SQLCMDDBNAME and the rest).
///
///   heddle sql -S 127.0.0.1,1433 -U sa -P secret -Q "SELECT @@VERSION"
///   heddle sql -U sa -d test -i create.sql -i fill.sql -b -v rows=1000
///   heddle sql -U sa                       type batches, end each with GO
///
/// In scripts: GO [count] ends a batch, $(name) stands for a variable, and lines beginning with a colon are commands:
/// :setvar, :r FILE, :connect, :out, :error, :on error, :listvar, :list, :reset, :exit, :quit, :help.
///
/// out, queryout and in copy rows into a file and back, as bcp does: heddle sql out --help.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment, disable_help_flag = true, disable_version_flag = true)]
pub struct Args {
    /// Server: host, host,port or tcp:host,port; lpc:.,port: a server on this machine without the network.
    #[arg(short = 'S', long = "server", global = true, env = "SQLCMDSERVER", default_value = "127.0.0.1,1433")]
    pub server: String,
    /// Login name. Default: sa.
    #[arg(short = 'U', long = "user-name", global = true, env = "SQLCMDUSER")]
    pub user: Option<String>,
    /// Password. Without it and without SQLCMDPASSWORD or MSSQL_SA_PASSWORD you are asked.
    #[arg(short = 'P', long = "password", global = true, env = "SQLCMDPASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// Change the password to this one, and go on.
    #[arg(short = 'z', long = "change-password", value_name = "PASSWORD", conflicts_with = "change_password_exit")]
    pub change_password: Option<String>,
    /// Change the password to this one, and exit.
    #[arg(short = 'Z', long = "change-password-exit", value_name = "PASSWORD")]
    pub change_password_exit: Option<String>,
    /// Accepted as sqlcmd has it; there is no Windows login here, so it means the default login.
    #[arg(short = 'E', long = "use-trusted-connection")]
    pub trusted: bool,
    /// Database to start in. Default: the one of the login.
    #[arg(
        short = 'd',
        long = "database-name",
        global = true,
        env = "SQLCMDDBNAME",
        default_value = "",
        hide_default_value = true
    )]
    pub database: String,
    /// Run this and exit.
    #[arg(short = 'Q', long = "query", conflicts_with = "input")]
    pub query: Option<String>,
    /// Run this, then go on with what is typed.
    #[arg(short = 'q', long = "initial-query", conflicts_with_all = ["query", "input"])]
    pub initial_query: Option<String>,
    /// Script file to run; may be given several times.
    #[arg(short = 'i', long = "input-file", value_name = "FILE", value_delimiter = ',')]
    pub input: Vec<String>,
    /// Write results to this file.
    #[arg(short = 'o', long = "output-file", value_name = "FILE")]
    pub output: Option<String>,
    /// Exit with code 1 at the first error above severity 10.
    #[arg(short = 'b', long = "exit-on-error")]
    pub exit_on_error: bool,
    /// Exit code is the severity, for errors of at least this severity.
    #[arg(short = 'V', long = "error-severity-level", env = "SQLCMDERRORLEVEL_MIN", value_name = "LEVEL")]
    pub severity_min: Option<u8>,
    /// Print messages only from this severity on (-1: with headers for all).
    #[arg(
        short = 'm',
        long = "error-level",
        env = "SQLCMDERRORLEVEL",
        allow_hyphen_values = true,
        value_name = "LEVEL"
    )]
    pub message_level: Option<i32>,
    /// Send errors (-r0) or all messages (-r1) to stderr.
    #[arg(short = 'r', long = "errors-to-stderr", num_args = 0..=1, default_missing_value = "0", value_name = "0|1")]
    pub messages_to_stderr: Option<u8>,
    /// Rows between headers; 0: once, -1: no headers.
    #[arg(short = 'h', long = "headers", env = "SQLCMDHEADERS", allow_hyphen_values = true, default_value_t = 0)]
    pub headers: i32,
    /// Between columns.
    #[arg(short = 's', long = "column-separator", env = "SQLCMDCOLSEP", default_value = " ")]
    pub separator: String,
    /// Break lines at this width; 0: never.
    #[arg(short = 'w', long = "screen-width", env = "SQLCMDCOLWIDTH", default_value_t = 0)]
    pub width: usize,
    /// No padding: columns as wide as their values.
    #[arg(short = 'W', long = "trim-spaces")]
    pub trim: bool,
    /// Width of (max), xml, text and sql_variant columns; 0: as long as they are.
    #[arg(short = 'y', long = "variable-type-width", env = "SQLCMDMAXVARTYPEWIDTH", default_value_t = 256)]
    pub large_width: usize,
    /// Largest width of char, varchar, nchar, nvarchar and binary columns; 0: no limit.
    #[arg(short = 'Y', long = "fixed-type-width", env = "SQLCMDMAXFIXEDTYPEWIDTH", default_value_t = 0)]
    pub fixed_width: usize,
    /// Replace control characters in values by a space.
    #[arg(short = 'k', long = "remove-control-characters", num_args = 0..=1, default_missing_value = "1", value_name = "1|2")]
    pub control_characters: Option<u8>,
    /// Print each batch before its results.
    #[arg(short = 'e', long = "echo-input")]
    pub echo: bool,
    /// Print network packet size and times after each batch.
    #[arg(short = 'p', long = "print-statistics", num_args = 0..=1, default_missing_value = "0", value_name = "1")]
    pub statistics: Option<u8>,
    /// Ends a batch, instead of GO.
    #[arg(short = 'c', long = "batch-terminator", default_value = "GO")]
    pub terminator: String,
    /// Seconds to wait for the login.
    #[arg(short = 'l', long = "login-timeout", global = true, env = "SQLCMDLOGINTIMEOUT", default_value_t = 30, value_parser = timeout())]
    pub login_timeout_s: u64,
    /// Seconds to wait for a batch; 0: for ever.
    #[arg(short = 't', long = "query-timeout", env = "SQLCMDSTATTIMEOUT", default_value_t = 0, value_parser = timeout())]
    pub query_timeout_s: u64,
    /// Encryption: optional (the login only; default), mandatory, strict (TDS 8.0), disable.
    #[arg(short = 'N', long = "encrypt-connection", global = true, num_args = 0..=1, default_missing_value = "mandatory", default_value = "optional", value_parser = parse_encryption)]
    pub encryption: ClientEncryption,
    /// Trust the server's certificate without checking it.
    #[arg(short = 'C', long = "trust-server-certificate", global = true)]
    pub trust: bool,
    /// Trust the certificate in this PEM file.
    #[arg(short = 'J', long = "server-certificate", global = true, value_name = "FILE", conflicts_with = "trust")]
    pub certificate: Option<String>,
    /// Scripting variables.
    #[arg(short = 'v', long = "variables", value_name = "NAME=VALUE", num_args = 1.., action = clap::ArgAction::Append)]
    pub variables: Vec<String>,
    /// Leave $(name) in the text as it is.
    #[arg(short = 'x', long = "disable-variable-substitution")]
    pub no_variables: bool,
    /// Refuse the commands that reach outside: !!, :r, :out and :error.
    #[arg(short = 'X', long = "disable-cmd", num_args = 0..=1, default_missing_value = "0", value_name = "1")]
    pub no_commands: Option<u8>,
    /// Network packet size, 512 to 32767.
    #[arg(short = 'a', long = "packet-size", global = true, env = "SQLCMDPACKETSIZE", default_value_t = 4096, value_parser = packet_size())]
    pub packet_bytes: u32,
    /// Name of this computer, as the server shows it.
    #[arg(
        short = 'H',
        long = "workstation-name",
        env = "SQLCMDWORKSTATION",
        default_value = "",
        hide_default_value = true
    )]
    pub workstation: String,
    /// ReadOnly or ReadWrite.
    #[arg(short = 'K', long = "application-intent", default_value = "ReadWrite")]
    pub intent: String,
    /// Quoted identifiers on; they are.
    #[arg(short = 'I', long = "enable-quoted-identifiers")]
    pub quoted_identifiers: bool,
    /// The dedicated administrator connection, as admin: before the server: port 1434 unless another is given.
    #[arg(short = 'A', long = "dedicated-admin-connection")]
    pub dedicated: bool,
    /// Accepted for old scripts: code page, Unicode output, multi-subnet failover.
    #[arg(short = 'f', hide = true)]
    pub code_page: Option<String>,
    #[arg(short = 'u', hide = true)]
    pub unicode_output: bool,
    #[arg(short = 'M', hide = true)]
    pub multi_subnet: bool,
    /// Print help.
    #[arg(long = "help", short = '?', action = clap::ArgAction::Help, global = true)]
    pub help: Option<bool>,
    #[command(subcommand)]
    pub copy: Option<CopyCommand>,
}

/// Seconds, as sqlcmd bounds them.
fn timeout() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(0..=65_534)
}

/// Bytes of a packet, as TDS bounds them.
pub(crate) fn packet_size() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(512..=32_767)
}

/// `-N` as the two sqlcmds write it.
pub(crate) fn parse_encryption(text: &str) -> Result<ClientEncryption, String> {
    Ok(match text.to_lowercase().as_str() {
        "o" | "optional" | "no" | "false" | "f" => ClientEncryption::Login,
        "m" | "mandatory" | "yes" | "true" | "t" => ClientEncryption::Full,
        "s" | "strict" => ClientEncryption::Strict,
        "disable" => ClientEncryption::Plain,
        _ => return Err(format!("'{text}' is none of optional, mandatory, strict, disable")),
    })
}

/// What a missing -U and -P mean to our tools.
pub(crate) fn credentials(user: Option<&str>, password: Option<&str>) -> (String, Option<String>) {
    let user = user.filter(|user| !user.is_empty()).unwrap_or("sa");
    let password = password.map(str::to_owned).or_else(|| {
        let own = if user.eq_ignore_ascii_case("sa") { os::env::var("MSSQL_SA_PASSWORD") } else { None };
        own.or_else(|| os::env::var("SQLCMDPASSWORD"))
    });
    (user.to_owned(), password)
}

pub(crate) fn trust_of(trust: bool, certificate: Option<&str>) -> Trust {
    match (trust, certificate) {
        (true, _) => Trust::Anyone,
        (false, Some(path)) => Trust::File(path.into()),
        (false, None) => Trust::System,
    }
}

impl Args {
    fn new_password(&self) -> Option<&str> {
        self.change_password.as_deref().or(self.change_password_exit.as_deref())
    }

    fn connect_options(&self) -> Result<ConnectOptions, String> {
        let (user, password) = credentials(self.user.as_deref(), self.password.as_deref());
        Ok(ConnectOptions {
            password: password.unwrap_or_else(|| session::ask_password(&user)),
            new_password: self.new_password().unwrap_or_default().into(),
            user,
            database: self.database.clone(),
            application: "heddle sql".into(),
            host: self.workstation.clone(),
            packet_bytes: self.packet_bytes,
            encryption: self.encryption,
            read_only: self.intent.eq_ignore_ascii_case("ReadOnly"),
            ..ConnectOptions::default()
        })
    }

    fn format(&self) -> Format {
        Format {
            headers: self.headers,
            separator: self.separator.clone(),
            line_width: self.width,
            trim: self.trim,
            large_width: self.large_width,
            fixed_width: self.fixed_width,
            control_characters: self.control_characters.unwrap_or(0),
            message_level: self.message_level,
            messages_to_stderr: self.messages_to_stderr,
        }
    }

    fn variables(&self) -> Result<Variables, String> {
        let mut variables = Variables::default();
        variables.set("SQLCMDSERVER", &self.server);
        variables.set("SQLCMDDBNAME", &self.database);
        variables.set("SQLCMDUSER", self.user.as_deref().unwrap_or("sa"));
        variables.set("SQLCMDWORKSTATION", &os::env::host_name());
        variables.set("SQLCMDPACKETSIZE", &self.packet_bytes.to_string());
        variables.set("SQLCMDLOGINTIMEOUT", &self.login_timeout_s.to_string());
        variables.set("SQLCMDSTATTIMEOUT", &self.query_timeout_s.to_string());
        variables.set("SQLCMDHEADERS", &self.headers.to_string());
        variables.set("SQLCMDCOLSEP", &self.separator);
        variables.set("SQLCMDCOLWIDTH", &self.width.to_string());
        for pair in &self.variables {
            let (name, value) = pair.split_once('=').ok_or(format!("-v {pair}: expected name=value"))?;
            variables.set(name, value.trim_matches('"'));
        }
        Ok(variables)
    }

    fn inputs(&self) -> Vec<Input> {
        if let Some(query) = &self.query {
            return vec![Input::Text(query.clone())];
        }
        let files = self.input.iter().map(|path| Input::File(path.clone()));
        let first = self.initial_query.iter().map(|query| Input::Text(query.clone()));
        let mut inputs: Vec<Input> = files.chain(first).collect();
        if self.input.is_empty() {
            inputs.push(Input::Standard);
        }
        inputs
    }
}

/// The process's exit code.
pub fn run(args: &Args) -> i32 {
    let run = match &args.copy {
        Some(copy) => copied(args, copy),
        None => prepare(args).map(|session| session.map_or(0, |mut session| session.run(args.inputs()))),
    };
    run.unwrap_or_else(|why| {
        eprintln!("Sqlcmd: Error: {why}");
        1
    })
}

fn copied(args: &Args, copy: &CopyCommand) -> Result<i32, String> {
    if args.query.is_some() || args.initial_query.is_some() || !args.input.is_empty() {
        return Err("-Q, -q and -i run T-SQL, and out, queryout and in copy: one of them, please".into());
    }
    let mut connection = session::open(&target(args)?, args.login_timeout_s)?;
    Ok(copy::run(&mut connection, copy))
}

/// Where to log in. A new password has been set then.
fn target(args: &Args) -> Result<Target, String> {
    let parse = if args.dedicated { ServerAddress::parse_admin } else { ServerAddress::parse };
    let address = parse(&args.server)?;
    let trust = trust_of(args.trust, args.certificate.as_deref());
    let target = Target::new(address, args.connect_options()?, &trust).map_err(|error| error.to_string())?;
    let Some(new) = args.new_password() else { return Ok(target) };
    // A login that changes the password; what follows, and what reconnects, uses the new one.
    session::open(&target, args.login_timeout_s)?;
    Ok(target.with_login(&target.options().user, new))
}

/// None: there is nothing more to do.
fn prepare(args: &Args) -> Result<Option<Session>, String> {
    let printer = Printer::new(args.format(), args.output.as_deref())?;
    let variables = args.variables()?;
    if let Some(path) = args.input.iter().find(|path| !os::fs::exists(path.as_ref())) {
        return Err(format!("'{path}': there is no such file; nothing was run."));
    }
    let session = Session::connect(args.clone(), target(args)?, printer, variables)?;
    Ok(if args.change_password_exit.is_some() { None } else { Some(session) })
}
