//! Runs batches on a server in the simulated machine, for somebody who counts instructions: one thread and virtual time, so that two runs
//! execute the same ones, but for what the allocator and addresses change. `bench/instructions.py` is what calls it.
//!
//!     instructions SETUP.sql MEASURED.sql [LOGIN]
//!
//! The second file's batches run one after the other, with `between_batches` entered before the first and after each. LOGIN, which the first
//! file makes with `sa`'s password, runs them instead of `sa`.

use std::hint::black_box;
use std::path::Path;

use lab::address::ServerAddress;
use lab::client::{Connection, Target, Trust};
use os::disk::{SimDisk, SimDiskFaults};
use os::sim::SimConfig;
use tds::client::{ClientEncryption, ConnectOptions};

const PASSWORD: &str = "Simulated-1";

/// Of the server. The pages of the caches that are not used cost nothing.
const MEMORY_BYTES: u64 = 2 << 30;

/// Of its time, not of anybody's clock.
const PATIENCE_MS: u64 = 24 * 60 * 60 * 1_000;

/// A mark for who counts.
#[inline(never)]
pub fn between_batches(number: usize) {
    black_box(number);
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let (setup, measured, login) = match &files[..] {
        [setup, measured] => (setup, measured, "sa".to_owned()),
        [setup, measured, login] => (setup, measured, login.clone()),
        _ => {
            eprintln!("usage: instructions SETUP.sql MEASURED.sql [LOGIN]");
            std::process::exit(2);
        }
    };
    let (setup, measured) = (batches_of(setup), batches_of(measured));
    let disk = SimDisk::new(SimDiskFaults::default());
    // Nothing is forced that is rare, and nobody else is about.
    let config = SimConfig { schedulers: 1, disks: vec![disk.clone()], no_choices: true, ..SimConfig::default() };
    let outcome = os::sim::run(1, config, move || {
        let (address, stop) = server::start::simulated::boot(disk, MEMORY_BYTES, PASSWORD)?;
        let address = address.to_string().replace(':', ",");
        let mut connection = connect(&address, "sa")?;
        for batch in &setup {
            run(&mut connection, batch)?;
        }
        if login != "sa" {
            connection = connect(&address, &login)?;
        }
        between_batches(0);
        for (number, batch) in measured.iter().enumerate() {
            run(&mut connection, batch)?;
            between_batches(number + 1);
        }
        drop(connection);
        stop()
    });
    if let Err(why) = outcome.result.expect("nothing kills the machine") {
        eprintln!("{why}");
        std::process::exit(1);
    }
}

fn batches_of(file: &str) -> Vec<String> {
    match os::fs::read_text(Path::new(file)) {
        Ok(text) => lab::script::batches(&text).into_iter().map(|(batch, _)| batch).collect(),
        Err(error) => {
            eprintln!("{file}: {error}");
            std::process::exit(2);
        }
    }
}

fn connect(address: &str, login: &str) -> Result<Connection, String> {
    let options = ConnectOptions {
        user: login.into(),
        password: PASSWORD.into(),
        encryption: ClientEncryption::Plain,
        ..ConnectOptions::default()
    };
    let target = Target::new(ServerAddress::parse(address)?, options, &Trust::Anyone);
    let target = target.map_err(|error| error.to_string())?;
    Connection::open(&target, Some(os::clock::after_ms(PATIENCE_MS))).map_err(|error| error.to_string())
}

fn run(connection: &mut Connection, batch: &str) -> Result<(), String> {
    let answer = connection.query(batch, Some(os::clock::after_ms(PATIENCE_MS))).map_err(|error| error.to_string())?;
    match answer.first_error() {
        Some(error) => Err(format!("{}: {batch}", error.text)),
        None => Ok(()),
    }
}
