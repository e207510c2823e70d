//! For tests, and not in a release: a batch chooses where its session is to panic (`os::planted`), on a server that was started with
//! `HEDDLE_PLANTED` in its environment.
//!
//! ```text
//! /*plant 17*/ ...     this session panics at the 17th marked place that it passes from here on; 0: at none, they are only counted
//! /*plant a.rs:9:5*/   the same, at the first passing of that place
//! /*step SpillWrite 17*/ ...   the 17th block that this session spills from here on cannot be written; 0: they are only counted
//! /*steps*/            ends that count; the log has it
//! /*planted*/          ends the count; the log says how many were passed, and which was the first at each place
//! ```

use os::planted::Step;

const CHOOSES: &str = "/*plant ";
const ASKS: &str = "/*planted*/";
const FAILS: &str = "/*step ";
const ASKS_STEPS: &str = "/*steps*/";

/// Does what the batch asks for.
pub fn hear(text: &str, spid: u32) {
    if !(text.starts_with("/*plant") || text.starts_with("/*step")) || os::env::var("HEDDLE_PLANTED").is_none() {
        return;
    }
    if text.starts_with(ASKS_STEPS) {
        tracing::info!("steps made: {}", os::planted::steps());
    } else if let Some((said, _)) = text.strip_prefix(FAILS).and_then(|rest| rest.split_once("*/")) {
        let said = said.split_once(' ').and_then(|(step, nth)| Some((Step::named(step)?, nth.parse().ok()?)));
        if let Some((step, nth)) = said {
            os::planted::choose_step(spid, step, nth);
        }
    } else if text.starts_with(ASKS) {
        let (passed, places) = os::planted::passed();
        for (place, first) in &places {
            tracing::info!("marked place {first} is {place}");
        }
        tracing::info!("marked places passed: {passed}");
    } else if let Some((place, _)) = text.strip_prefix(CHOOSES).and_then(|rest| rest.split_once("*/")) {
        // The second time it is there already.
        let _ = types::planted::PASS.set(os::planted::pass_at);
        match place.parse() {
            Ok(nth) => os::planted::choose(spid, nth),
            Err(_) => os::planted::choose_named(spid, place),
        }
    }
}
