//! What is read of a server and of the machine, before and after what is measured.

use std::sync::Arc;

use super::definition::Definition;
use super::link::Proxy;
use super::measure::Reading;
use super::results::Skipped;
use super::server::{Server, ask, first_number, open};
use crate::client::{Answer, Target};
use crate::stress::plan::Edge;

pub struct Probe {
    /// None: the server was not started here.
    process_id: Option<u32>,
    target: Target,
    link: Option<Arc<Proxy>>,
    /// By the names of their measures.
    queries: Vec<(String, String)>,
}

impl Probe {
    pub fn new(definition: &Definition, target: &Target, server: Option<&Server>, link: Option<Arc<Proxy>>) -> Probe {
        let own = definition.measure.iter();
        Probe {
            process_id: server.map(Server::process_id),
            target: target.clone(),
            link,
            queries: own.filter_map(|own| Some((own.name.clone(), own.query.clone()?))).collect(),
        }
    }

    /// The process's figures are read next to what is measured: the questions cost the server something.
    pub fn read(&self, edge: Edge) -> Result<Reading, String> {
        let look = || {
            let link_cpu_s = self.link.as_deref().map(Proxy::cpu_s);
            (self.process_id.and_then(Server::usage), os::cpus::usage(), link_cpu_s)
        };
        let mut reading = Reading::default();
        if edge == Edge::End {
            (reading.usage, reading.cpus, reading.link_cpu_s) = look();
        }
        if !self.queries.is_empty() {
            let mut connection = open(&self.target)?;
            self.count(|query| ask(&mut connection, query), &mut reading)?;
        }
        if edge == Edge::Begin {
            (reading.usage, reading.cpus, reading.link_cpu_s) = look();
        }
        Ok(reading)
    }

    /// Asks for the counters. A server that was not started here may lack a view or the right to it: that figure is left out.
    fn count(&self, mut ask: impl FnMut(&str) -> Result<Answer, String>, into: &mut Reading) -> Result<(), String> {
        for (name, query) in &self.queries {
            match ask(query) {
                Ok(answer) => into.counters.extend(first_number(&answer).map(|value| (name.clone(), value))),
                Err(why) if self.process_id.is_none() => {
                    into.left_out.push(Skipped { what: format!("measure {name}"), why });
                }
                Err(why) => return Err(format!("measure {name}: {why}")),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use types::Datum;

    use super::*;
    use crate::client::ResultSet;
    use crate::experiment::library::named;
    use crate::experiment::remote::Remote;

    #[test]
    fn what_a_target_does_not_tell_is_left_out() {
        let definition = named(&["kernels".into()]).expect("a definition").remove(0);
        let target = Remote::parse("tds://sa:secret@127.0.0.1:1433").and_then(|remote| remote.server());
        let mut probe = Probe::new(&definition, &target.expect("a target"), None, None);
        let answer = |query: &str| match query.contains("ase_mda") {
            true => Err("208: Invalid object name".to_string()),
            false => {
                let set = ResultSet { columns: [].into(), rows: vec![vec![Datum::I64(7)]] };
                Ok(Answer { sets: vec![set], ..Answer::default() })
            }
        };
        let mut reading = Reading::default();
        probe.count(answer, &mut reading).expect("left out");
        assert_eq!(reading.counters.get("procedures_per_second"), Some(&7.0));
        assert!(!reading.counters.contains_key("procedure_spinlock_grabs_per_second"));
        let grabs = Skipped {
            what: "measure procedure_spinlock_grabs_per_second".into(),
            why: "208: Invalid object name".into(),
        };
        assert!(reading.left_out.contains(&grabs), "{:?}", reading.left_out);
        // A server of ours has them all.
        probe.process_id = Some(1);
        assert!(probe.count(answer, &mut reading).expect_err("refused").starts_with("measure procedure_spinlock_"));
    }
}
