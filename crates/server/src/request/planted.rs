//! For tests, and not in a release: a batch chooses where its session is to panic (`os::planted`), on a server that was started with
//! `HEDDLE_PLANTED` in its environment.
//!
//! ```text
//! /*plant 17*/ ...     this session panics at the 17th marked place that it passes from here on; 0: at none, they are only counted
//! /*plant a.rs:9:5*/   the same, at the first passing of that place
//! /*planted*/          ends the count; the log says how many were passed, and which was the first at each place
//! ```

const CHOOSES: &str = "/*plant ";
const ASKS: &str = "/*planted*/";

/// Does what the batch asks for.
pub fn hear(text: &str, spid: u32) {
    if !text.starts_with("/*plant") || os::env::var("HEDDLE_PLANTED").is_none() {
        return;
    }
    if text.starts_with(ASKS) {
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
