//! ostress's control file: sections of `Key=Value`, by which connections and queries behave less well than a benchmark's.

use std::fmt::Display;
use std::str::FromStr;

/// What a control file says. The defaults are those of a run without one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Control {
    pub login_timeout_s: Option<u64>,
    pub quoted_identifier: Option<bool>,
    /// Off: SET IMPLICIT_TRANSACTIONS ON.
    pub autocommit: Option<bool>,
    /// Of 100 iterations, after how many the connection is closed and opened again.
    pub disconnect_percent: f64,
    /// A connection ends after so many errors; 0: never.
    pub errors_max: u64,
    pub no_results: bool,
    pub prepare: bool,
    pub rollback_on_cancel: bool,
    pub query_timeout_s: Option<u64>,
    /// Between two queries.
    pub query_delay_ms: u64,
    /// A query that fails is sent again so often.
    pub retries_max: u64,
    /// Of 100 queries, how many lose their connection before the answer is read.
    pub batch_disconnect_percent: f64,
    /// Of 100 queries, how many are cancelled, so long after they were sent at least and at most.
    pub cancel_percent: f64,
    pub cancel_delay_min_ms: u64,
    pub cancel_delay_ms: u64,
    /// Before each row is read.
    pub row_fetch_delay_ms: u64,
}

/// Keys that change how ostress uses ODBC, or when it replays: there is nothing here for them to change.
const WITHOUT_EFFECT: [&str; 5] = ["nosqlbindcol", "executeasync", "asyncminwaitms", "asyncmaxwaitms", "skipfreestmt"];

impl Control {
    /// Err: the line that cannot be understood, and what to write instead.
    pub fn parse(text: &str) -> Result<Control, String> {
        let mut control = Control::default();
        let mut section = String::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            let fail = |why: String| format!("line {}: {why}", number + 1);
            if line.is_empty() || line.starts_with([';', '#']) {
                continue;
            }
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').trim().to_ascii_lowercase();
                const SECTIONS: [&str; 4] =
                    ["connection options", "query options", "replay options", "sequencing options"];
                if !SECTIONS.contains(&section.as_str()) {
                    return Err(fail(format!(
                        "there is no section {line}; there are [Connection Options], [Query Options], [Replay Options]"
                    )));
                }
                continue;
            }
            let (key, value) = line.split_once('=').ok_or_else(|| fail(format!("'{line}' is no Key=Value")))?;
            let (key, value) = (key.trim(), value.trim());
            match section.as_str() {
                "connection options" => control.set_connection(key, value).map_err(fail)?,
                "query options" => control.set_query(key, value).map_err(fail)?,
                "" => return Err(fail(format!("'{key}' stands before the first section"))),
                // Nothing is replayed.
                _ => {}
            }
        }
        if control.cancel_delay_min_ms > control.cancel_delay_ms {
            control.cancel_delay_ms = control.cancel_delay_min_ms;
        }
        Ok(control)
    }

    fn set_connection(&mut self, key: &str, value: &str) -> Result<(), String> {
        match &*key.to_ascii_lowercase() {
            "logintimeout" => self.login_timeout_s = Some(number(key, value)?),
            "quotedidentifier" => self.quoted_identifier = Some(switch(key, value)?),
            "autocommitmode" => self.autocommit = Some(switch(key, value)?),
            "disconnectpct" => self.disconnect_percent = percent(key, value)?,
            "maxthreaderrors" => self.errors_max = number(key, value)?,
            _ => {
                return Err(format!(
                    "there is no {key} in [Connection Options]; there are LoginTimeout, QuotedIdentifier, AutocommitMode, DisconnectPct, MaxThreadErrors"
                ));
            }
        }
        Ok(())
    }

    fn set_query(&mut self, key: &str, value: &str) -> Result<(), String> {
        match &*key.to_ascii_lowercase() {
            "noresultdisplay" => self.no_results = switch(key, value)?,
            "prepareexecute" => self.prepare = switch(key, value)?,
            "rollbackoncancel" => self.rollback_on_cancel = switch(key, value)?,
            "querytimeout" => self.query_timeout_s = Some(number(key, value)?),
            "querydelay" => self.query_delay_ms = number(key, value)?,
            "maxretries" => self.retries_max = number(key, value)?,
            "batchdisconnectpct" => self.batch_disconnect_percent = percent(key, value)?,
            "cancelpct" => self.cancel_percent = percent(key, value)?,
            "canceldelay" => self.cancel_delay_ms = number(key, value)?,
            "canceldelaymin" => self.cancel_delay_min_ms = number(key, value)?,
            "rowfetchdelay" => self.row_fetch_delay_ms = number(key, value)?,
            "cursortype" | "cursorconcurrency" => {
                let plain = ["", "forwardonly", "readonly"].contains(&&*value.to_ascii_lowercase());
                if !plain {
                    return Err(format!("{key}={value}: results come without a server cursor here; leave {key} out"));
                }
            }
            ignored if WITHOUT_EFFECT.contains(&ignored) => {}
            _ => {
                return Err(format!(
                    "there is no {key} in [Query Options]; there are NoResultDisplay, PrepareExecute, RollbackOnCancel, QueryTimeout, QueryDelay, MaxRetries, BatchDisconnectPct, CancelPct, CancelDelay, CancelDelayMin, RowFetchDelay"
                ));
            }
        }
        Ok(())
    }
}

fn number<T: FromStr<Err: Display>>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{key}={value}: expected a whole number"))
}

fn percent(key: &str, value: &str) -> Result<f64, String> {
    let percent: Option<f64> = value.trim_end_matches('%').trim().parse().ok();
    percent.filter(|percent| (0.0..=100.0).contains(percent)).ok_or_else(|| format!("{key}={value}: expected 0 to 100"))
}

fn switch(key: &str, value: &str) -> Result<bool, String> {
    match &*value.to_ascii_lowercase() {
        "on" | "yes" | "true" | "1" => Ok(true),
        "off" | "no" | "false" | "0" => Ok(false),
        _ => Err(format!("{key}={value}: expected On or Off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says() {
        let text = "; a file\r\n[Connection Options]\r\nLoginTimeout=60\r\nQuotedIdentifier=Off\nDisconnectPct=12.5\n\n[Query Options]\nQueryDelay = 20\nCancelPct=5\nCancelDelayMin=10\nNoSQLBindCol=On\nCursorType=forwardonly\n[Replay Options]\nEvent Sequencing=On\n";
        let control = Control::parse(text).expect("a good file");
        let expected = Control {
            login_timeout_s: Some(60),
            quoted_identifier: Some(false),
            disconnect_percent: 12.5,
            query_delay_ms: 20,
            cancel_percent: 5.0,
            cancel_delay_min_ms: 10,
            cancel_delay_ms: 10,
            ..Control::default()
        };
        assert_eq!(control, expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("[Query Options]\nQueryDelay=soon", "line 2: QueryDelay=soon: expected a whole number"),
            ("QueryDelay=1", "line 1: 'QueryDelay' stands before the first section"),
            ("[Querys]", "line 1: there is no section [Querys]"),
            ("[Query Options]\nQueryDelays=1", "line 2: there is no QueryDelays in [Query Options]"),
            ("[Query Options]\nCancelPct=101", "line 2: CancelPct=101: expected 0 to 100"),
            ("[Query Options]\nCursorType=keyset", "line 2: CursorType=keyset: results come without a server cursor"),
            ("[Connection Options]\nAutocommitMode=maybe", "line 2: AutocommitMode=maybe: expected On or Off"),
            ("[Connection Options]\nLoginTimeout", "line 2: 'LoginTimeout' is no Key=Value"),
        ];
        for (text, why) in cases {
            let error = Control::parse(text).expect_err(text);
            assert!(error.starts_with(why), "{error}");
        }
    }
}
