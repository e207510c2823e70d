//! The certificate while the server runs: read again at SIGHUP, renewed where it is the server's own and ends soon. What cannot be used
//! is named in the log, and the old one stays. New connections have the new one, those that are open go on.

use std::sync::atomic::Ordering;

use crate::instance::server::Server;
use crate::security::certificate::{self, Source};
use crate::security::tls::{self, Certificate};
use crate::settings::options::Settings;

/// Between two looks at the end of the certificate.
const LOOK_SECONDS: i64 = 3_600;

/// The certificate that a server begins with.
pub fn at_start(settings: &Settings) -> Result<Certificate, String> {
    let now = certificate::now();
    let source = Source::of(settings);
    let found = source.load(now)?;
    // Before the data are touched, and a password of sa is made that nobody would be told.
    tls::check(&found).map_err(|error| match &source {
        Source::Files(certificate, key) => format!("{} and {}: {error}", certificate.display(), key.display()),
        _ => error.to_string(),
    })?;
    warn_of_end(&found, now);
    Ok(found)
}

/// Asked now and then by each engine, and by the launcher where there is one. Whether there is a new certificate.
pub fn look(server: &Server) -> bool {
    let source = Source::of(&server.settings);
    if os::signal::take_reload() && source != Source::Memory {
        return reload(server);
    }
    let now = certificate::now();
    if now < server.tls.next_look.load(Ordering::Relaxed) {
        return false;
    }
    server.tls.next_look.store(now + LOOK_SECONDS, Ordering::Relaxed);
    // One process writes files: the launcher, and with it only.
    let is_engine = os::engines::number() != 0;
    let is_due = match source {
        Source::Files(..) => false,
        Source::Kept(..) => !is_engine,
        Source::Memory => true,
    };
    let used = server.tls.certificate();
    is_due && used.is_own() && certificate::ends_soon(used.ends(), now) && reload(server)
}

/// Reads the certificate again. Whether there is a new one.
fn reload(server: &Server) -> bool {
    let now = certificate::now();
    let loaded = Source::of(&server.settings).load(now);
    let replaced = loaded.and_then(|found| {
        server.tls.replace(&found).map_err(|error| error.to_string())?;
        Ok(found)
    });
    match replaced {
        Ok(found) => {
            let ends = found.ends().map_or_else(|| "at an unknown time".to_owned(), certificate::time_text);
            tracing::info!("the certificate was read again, and is good until {ends} (UTC): new connections use it");
            warn_of_end(&found, now);
            true
        }
        Err(error) => {
            tracing::error!("the certificate stays as it was, since the new one cannot be used: {error}");
            false
        }
    }
}

fn warn_of_end(found: &Certificate, now: i64) {
    if let Some(ends) = found.ends().filter(|ends| certificate::ends_soon(Some(*ends), now)) {
        let word = if ends < now { "ended" } else { "ends" };
        tracing::warn!(
            "the certificate {word} at {} (UTC): clients that verify it refuse it then",
            certificate::time_text(ends)
        );
    }
}
